"""Whether a request within a ClusterQueue's nominal quota always gets it: states in which it does not."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from tenure.choices import Outcome
from tenure.conformance.requests import DecideRequest
from tenure.model import Amount, Cluster, FlavorResource, PodSet
from tenure.oracle.decide import Decision
from tenure.readings import Reading
from tenure_check.analysis.matrix import trees_of
from tenure_check.analysis.states import PriorityLevel, States, decided, reread, still_in_scope
from tenure_check.choices import Scope

STATES: Final = 600
"""Random states that are decided."""
_SERVED: Final = (Outcome.FIT, Outcome.PREEMPT)


def unreached_state(
    cluster: Cluster, levels: Sequence[PriorityLevel], reading: Reading, queue: str, seed: int = 0
) -> DecideRequest | None:
    """A consistent state in which a request within nominal quota gets none, if a random one is found.

    Args:
        cluster: the configuration.
        levels: the priorities of its workloads.
        reading: see `tenure.readings`.
        queue: the ClusterQueue of the pending workload.
        seed: of the dice.

    Returns:
        a state that is decided so too when it is written as manifests and read again, as few as possible
        running; None where none was found, which proves nothing.
    """
    tree = next(known for known in trees_of(cluster) if queue in known.places)
    if not tree.nodes[tree.places[queue]].quotas:
        return None  # nothing can be requested
    states, dice = States(cluster, tree, reading, levels), random.Random(seed)
    for _ in range(STATES):
        request = _within_nominal(states.drawn(dice, queue))
        if request is not None and _is_unserved(states.decided(request)):
            small = _made_small(request, states, still_in_scope(tree, Scope.CONSISTENT))
            if _is_unserved(decided(reread(small))):
                return small
    return None


def _within_nominal(request: DecideRequest) -> DecideRequest | None:
    """The state that requests no more than is left of one flavor's quota; None where nothing is left."""
    cluster = request.cluster
    running = [workload for workload in cluster.admitted if workload.cluster_queue == request.queue]
    left: dict[str, Amount] = {}
    for group in cluster.cluster_queues[request.queue].resource_groups:
        for quotas in group.flavors[:1]:
            for resource, nominal in quotas.nominal.items():
                at = FlavorResource(quotas.flavor, resource)
                left[resource] = nominal - sum(workload.usage.get(at, 0) for workload in running)
    requested: dict[str, Amount] = {}
    for pod_set in request.preemptor.pod_sets:
        for resource, amount in pod_set.requests.items():
            requested[resource] = min(amount, left.get(resource, 0))
    requested = {resource: amount for resource, amount in requested.items() if amount > 0}
    if not requested:
        return None
    return replace(request, preemptor=replace(request.preemptor, pod_sets=(PodSet("set0", 1, requested),)))


def _is_unserved(decision: Decision) -> bool:
    return decision.outcome not in _SERVED


def _made_small(
    request: DecideRequest, states: States, is_state: Callable[[DecideRequest], bool]
) -> DecideRequest:
    """The state without the running workloads that it does not need."""
    for workload in request.cluster.admitted:
        running = tuple(other for other in request.cluster.admitted if other is not workload)
        smaller = replace(request, cluster=replace(request.cluster, admitted=running))
        # Without a workload of its own ClusterQueue the request stays within nominal quota.
        request = smaller if _is_unserved(states.decided(smaller)) and is_state(smaller) else request
    return request
