"""Which flavors a pod set may use at all, and which way of serving it is better."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from tenure.model import (
    Amount,
    ClusterQueue,
    FlavorMode,
    FlavorPreference,
    PodSet,
    ResourceFlavor,
    ResourceGroup,
)
from tenure.rules.flavors import is_preferred, meets_requirement, scaled_request, tolerates

PODS: Final = "pods"
"""The resource that counts pods; the assigner counts them, the search for targets does not."""


class CoreWay(NamedTuple):
    """One way of serving a request: how, and how far up the tree quota is borrowed from."""

    mode: FlavorMode
    level: int


BEST: Final = CoreWay(FlavorMode.FIT, 0)
WORST: Final = CoreWay(FlavorMode.NO_FIT, 0)


def is_better(way: CoreWay, other: CoreWay, preference: FlavorPreference) -> bool:
    """Whether one way is better than another (KQ-550).

    >>> is_better(CoreWay(FlavorMode.FIT, 1), BEST, FlavorPreference.BORROWING_OVER_PREEMPTION)
    False
    """
    return is_preferred(way.mode, way.level, other.mode, other.level, preference)


def group_of(queue: ClusterQueue, resource: str) -> ResourceGroup | None:
    """The resource group that covers a resource."""
    return next(
        (
            resource_group
            for resource_group in queue.resource_groups
            if resource in resource_group.covered_resources
        ),
        None,
    )


def charged(pod_set: PodSet, count: int, queue: ClusterQueue) -> Mapping[str, Amount]:
    """What a pod set is charged with (KQ-610), its pods included where the queue counts them.

    >>> charged(PodSet("main", 4, {"cpu": 8}), 3, ClusterQueue("q"))
    {'cpu': 6}
    """
    requests = {
        name: scaled_request(amount, pod_set.count, count) for name, amount in pod_set.requests.items()
    }
    if group_of(queue, PODS) is not None:
        requests[PODS] = count
    return requests


def may_use(pod_set: PodSet, flavor: ResourceFlavor) -> bool:
    """Whether a pod set's pods could run on the nodes of a flavor: taints, selector and affinity."""
    tolerations = (*pod_set.tolerations, *flavor.tolerations)
    if any(not any(tolerates(toleration, taint) for toleration in tolerations) for taint in flavor.taints):
        return False
    labels = flavor.labels
    if any(labels.get(label, value) != value for label, value in pod_set.node_selector.items()):
        return False
    terms = [
        [requirement for requirement in term if requirement.key in labels] for term in pod_set.node_affinity
    ]
    return not terms or any(
        all(meets_requirement(requirement, labels[requirement.key]) for requirement in term) for term in terms
    )
