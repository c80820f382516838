"""By which field something never happens: one without which it is found to happen.

A proof shows that no state has it, not why. So one field after another is loosened, and random states
of the configuration with that field otherwise are decided.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product

from tenure.model import (
    Amount,
    BorrowWithinCohort,
    Cluster,
    ClusterQueue,
    FlavorQuotas,
    Reason,
    ReclaimWithinCohort,
    ResourceGroup,
    WithinClusterQueue,
)
from tenure.oracle.tree import build_tree
from tenure.readings import Reading
from tenure_check.analysis.matrix_answer import MatrixCell
from tenure_check.analysis.states import CellQuery, PriorityLevel, States
from tenure_check.choices import Scope

TRIED = 600
"""Random states for each field."""
SEED = 7


@dataclass(frozen=True, slots=True)
class _Loosened:
    """A configuration with another value of one field, and its words."""

    words: str
    cluster: Cluster


def fields_in_the_way(cluster: Cluster, reading: Reading, scope: Scope, cell: MatrixCell) -> tuple[str, ...]:
    """The fields of which one alone, set otherwise, lets the preemptor preempt the victim.

    Args:
        cluster: the configuration.
        reading: see `tenure.readings`.
        scope: of which states it is never so.
        cell: what never happens.
    """
    names = cell.preemptor.cluster_queue, cell.victim.cluster_queue
    return tuple(
        loosened.words
        for loosened in _loosenings(cluster, *names)
        if loosened.cluster != cluster and _is_hit(loosened.cluster, reading, scope, cell)
    )


def _is_hit(cluster: Cluster, reading: Reading, scope: Scope, cell: MatrixCell) -> bool:
    names = cell.preemptor.cluster_queue, cell.victim.cluster_queue
    tree = build_tree(cluster, cluster.cluster_queues[names[0]])
    high, low = cell.preemptor.priority, cell.victim.priority
    levels = [PriorityLevel("", priority) for priority in sorted({low, high, low - 1})]
    states, dice = States(cluster, tree, reading, levels, scope), random.Random(SEED)
    wanted = CellQuery(names[0], high, names[1], low, Reason.IN_CLUSTER_QUEUE)
    return any(
        replace(hit, reason=wanted.reason) == wanted
        for _ in range(TRIED)
        for hit, _ in states.near(dice, wanted)
    )


def _loosenings(cluster: Cluster, preemptor: str, victim: str) -> Iterator[_Loosened]:
    for words, queue in _of_the_preemptor(cluster.cluster_queues[preemptor], own=preemptor == victim):
        yield _Loosened(f"{words}, of ClusterQueue/{preemptor}", _with_queue(cluster, queue))
    for name in dict.fromkeys((preemptor, victim)):
        known = cluster.cluster_queues[name]
        for field, change in _LIMITS.items():
            queue = replace(known, resource_groups=_changed(known.resource_groups, change))
            yield _Loosened(f"no {field}, of ClusterQueue/{name}", _with_queue(cluster, queue))
        active = _with_queue(cluster, replace(known, inactive="", stop_policy=""))
        yield _Loosened(f"no stopPolicy, of ClusterQueue/{name}", active)
    for (name, cohort), (field, change) in product(sorted(cluster.cohorts.items()), _LIMITS.items()):
        changed = replace(cohort, resource_groups=_changed(cohort.resource_groups, change))
        cohorts = {**cluster.cohorts, name: changed}
        yield _Loosened(f"no {field}, of Cohort/{name}", replace(cluster, cohorts=cohorts))


def _of_the_preemptor(queue: ClusterQueue, *, own: bool) -> Iterator[tuple[str, ClusterQueue]]:
    """Fields of its ClusterQueue that allow more, each with the least that does."""
    if own:
        for within in (WithinClusterQueue.LOWER_PRIORITY, WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY):
            yield f"withinClusterQueue: {within.label}", replace(queue, within_cluster_queue=within)
        yield "no minAdmitDuration", replace(queue, min_admit_duration=None)
    else:
        for reclaim in (ReclaimWithinCohort.LOWER_PRIORITY, ReclaimWithinCohort.ANY):
            yield (
                f"reclaimWithinCohort: {reclaim.label}",
                replace(queue, reclaim_within_cohort=reclaim),
            )
    borrowing = replace(queue, borrow_within_cohort=BorrowWithinCohort.LOWER_PRIORITY)
    yield "borrowWithinCohort.policy: LowerPriority", borrowing
    yield "no maxPriorityThreshold", replace(queue, max_priority_threshold=None)
    yield (
        "a larger nominalQuota",
        replace(queue, resource_groups=_changed(queue.resource_groups, _with_more)),
    )


def _with_queue(cluster: Cluster, queue: ClusterQueue) -> Cluster:
    return replace(cluster, cluster_queues={**cluster.cluster_queues, queue.name: queue})


_Change = Callable[[FlavorQuotas], FlavorQuotas]


def _changed(groups: tuple[ResourceGroup, ...], change: _Change) -> tuple[ResourceGroup, ...]:
    return tuple(replace(group, flavors=tuple(map(change, group.flavors))) for group in groups)


def _with_more(quotas: FlavorQuotas) -> FlavorQuotas:
    more: Mapping[str, Amount] = {name: 2 * amount + 4 for name, amount in quotas.nominal.items()}
    return replace(quotas, nominal=more)


_LIMITS: Mapping[str, _Change] = {
    "borrowingLimit": lambda quotas: replace(quotas, borrowing_limits={}),
    "lendingLimit": lambda quotas: replace(quotas, lending_limits={}),
}
