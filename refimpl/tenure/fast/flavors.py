"""Which flavors a pod set may use at all, and which way of serving it is better."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from tenure.model import (
    Amount,
    ClusterQueue,
    FlavorFungibility,
    FlavorMode,
    FlavorPreference,
    Fungibility,
    NodeOperator,
    NodeRequirement,
    PodSet,
    ResourceFlavor,
    ResourceGroup,
    Taint,
    Toleration,
)

PODS: Final = "pods"
"""The resource that counts pods; the assigner counts them, the search for targets does not."""

_LONGEST_LABEL: Final = 63
_SEPARATORS: Final = str.maketrans("", "", "-_.")
_SEARCHED: Final = {FlavorMode.RECLAIM: 3, FlavorMode.PREEMPT: 2, FlavorMode.NO_CANDIDATES: 1}
_RANK: Final = {FlavorMode.FIT: 4, **_SEARCHED, FlavorMode.NO_FIT: 0}


class CoreWay(NamedTuple):
    """One way of serving a request: how, and how far up the tree quota is borrowed from."""

    mode: FlavorMode
    level: int


BEST: Final = CoreWay(FlavorMode.FIT, 0)
WORST: Final = CoreWay(FlavorMode.NO_FIT, 0)


def is_better(way: CoreWay, other: CoreWay, preference: FlavorPreference) -> bool:
    """Whether one way is better than another (KQ-550, KQ-560).

    >>> is_better(CoreWay(FlavorMode.FIT, 1), BEST, FlavorPreference.BORROWING_OVER_PREEMPTION)
    False
    """
    return _rank(way, preference) > _rank(other, preference)


def _rank(way: CoreWay, preference: FlavorPreference) -> tuple[int, ...]:
    if way.mode == FlavorMode.NO_FIT:
        return (0,)
    hopeful = 1 if way.mode == FlavorMode.NO_CANDIDATES else 2
    if preference == FlavorPreference.PREEMPTION_OVER_BORROWING:
        return hopeful, -way.level, _RANK[way.mode]
    return hopeful, _RANK[way.mode], -way.level


def is_higher(mode: FlavorMode, other: FlavorMode) -> bool:
    """Whether a mode is higher than another, whatever is preferred."""
    return _RANK[mode] > _RANK[other]


def tries_next(way: CoreWay, fungibility: FlavorFungibility) -> bool:
    """Whether the search goes on to the next flavor (KQ-570)."""
    if way.mode in (FlavorMode.NO_FIT, FlavorMode.NO_CANDIDATES):
        return True
    if way.level and fungibility.when_can_borrow == Fungibility.TRY_NEXT_FLAVOR:
        return True
    return way.mode != FlavorMode.FIT and fungibility.when_can_preempt == Fungibility.TRY_NEXT_FLAVOR


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
    requests = dict(pod_set.requests)
    if pod_set.count not in (0, count):
        requests = {name: amount // pod_set.count * count for name, amount in requests.items()}
    if group_of(queue, PODS) is not None:
        requests[PODS] = count
    return requests


def may_use(pod_set: PodSet, flavor: ResourceFlavor) -> bool:
    """Whether a pod set's pods could run on the nodes of a flavor: taints, selector and affinity."""
    tolerations = (*pod_set.tolerations, *flavor.tolerations)
    if any(not any(_tolerates(toleration, taint) for toleration in tolerations) for taint in flavor.taints):
        return False
    labels = flavor.labels
    if any(labels.get(label, value) != value for label, value in pod_set.node_selector.items()):
        return False
    terms = [
        [requirement for requirement in term if requirement.key in labels] for term in pod_set.node_affinity
    ]
    return not terms or any(
        all(_meets(requirement, labels[requirement.key]) for requirement in term) for term in terms
    )


def _tolerates(toleration: Toleration, taint: Taint) -> bool:
    return (
        toleration.effect in (None, taint.effect)
        and toleration.key in (None, taint.key)
        and (toleration.exists or toleration.value == taint.value)
    )


def _meets(requirement: NodeRequirement, value: str) -> bool:
    """Whether a label meets an expression of a required node affinity (KQ-590)."""
    if not _are_label_values(requirement.values):
        return False
    if requirement.operator in (NodeOperator.GREATER, NodeOperator.LESS):
        return _compares(requirement, value)
    present = requirement.operator in (NodeOperator.IN, NodeOperator.EXISTS)
    if requirement.operator in (NodeOperator.EXISTS, NodeOperator.DOES_NOT_EXIST):
        return present
    return (value in requirement.values) == present


def _compares(requirement: NodeRequirement, value: str) -> bool:
    if len(requirement.values) != 1:
        return False
    mine, other = _whole(value), _whole(requirement.values[0])
    if mine is None or other is None:
        return False
    return mine > other if requirement.operator == NodeOperator.GREATER else mine < other


def _are_label_values(texts: Iterable[str]) -> bool:
    return all(text == "" or _is_label_value(text) for text in texts)


def _is_label_value(text: str) -> bool:
    inner, ends = text.translate(_SEPARATORS), text[0] + text[-1]
    return len(text) <= _LONGEST_LABEL and inner.isascii() and inner.isalnum() and ends.isalnum()


def _whole(text: str) -> int | None:
    """A whole number of 64 bits as Go reads it; None for anything else."""
    digits = text.removeprefix("-") if text.startswith("-") else text.removeprefix("+")
    if not (digits.isascii() and digits.isdigit()):
        return None
    number = int(text)
    return number if -(2**63) <= number < 2**63 else None
