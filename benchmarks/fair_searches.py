"""Random fair-sharing clusters for searches: flat ones and trees, one or two resources, weights, strategies.

Every running workload was admitted where it fitted, so that usage is what a scheduler could have made.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from tenure.choices import Outcome
from tenure.conformance.requests import DecideRequest
from tenure.model import (
    NANO,
    SECOND,
    Cluster,
    ClusterQueue,
    Cohort,
    FairStrategy,
    FlavorQuotas,
    Instant,
    PodSet,
    ReclaimWithinCohort,
    ResourceFlavor,
    ResourceGroup,
    Settings,
    WithinClusterQueue,
    Workload,
)
from tenure.oracle.decide import decide
from tenure.readings import preset
from tenure_lab.generators.dice import Dice, SeededDice

FLAVOR: Final = "default"
NOW: Final[Instant] = 1_780_322_400 * SECOND
"""2026-06-01T14:00:00Z."""

_FINAL, _INITIAL = FairStrategy
_STRATEGIES = ((_FINAL, _INITIAL),) * 5 + ((_FINAL,), (_INITIAL,))
"""Kueue's validation refuses the two in the other order."""

_WITHIN = (WithinClusterQueue.LOWER_PRIORITY,) * 4 + (
    WithinClusterQueue.NEVER,
    WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY,
)
_RECLAIM = (ReclaimWithinCohort.ANY,) * 4 + (ReclaimWithinCohort.LOWER_PRIORITY,)
_WEIGHTS = (NANO,) * 4 + (NANO // 2, 2 * NANO, 3 * NANO)
_NOMINAL = (0, 0, 0, 1, 2, 4)
_LENT = (6, 8, 10, 12)
_SIZES = (1, 2, 3, 4, 5, 6, 7)
_PRIORITIES = (0, 0, 10, 20)
_MOST_RUNNING: Final = 8
_ALONE: Final = 40
"""Where all have two resources, so many of a hundred workloads request one of them alone."""


def draw_fair_search(seed: int, index: int, *, two: bool = False) -> DecideRequest:
    """A pending workload in a cluster with fair sharing, decided as released.

    Args:
        seed, index: of the scenario.
        two: whether there are two resources, of which a workload may request one alone; else there are one or
            two, and each workload requests all.

    >>> len(draw_fair_search(14543, 0).cluster.admitted) <= 8
    True
    """
    dice = SeededDice(f"fair-search{'/two' if two else ''}/{seed}/{index}")
    resources = ("cpu", "memory") if two else ("cpu", "memory")[: 1 + dice.chance(35)]
    cohorts, queues = _tree(dice, resources)
    strategies = dice.pick(_STRATEGIES)
    flavors = {FLAVOR: ResourceFlavor(FLAVOR)}
    settings = Settings(fair_sharing=strategies)
    cluster = Cluster(queues, flavors=flavors, settings=settings, cohorts=cohorts)
    released = preset("released")
    for number in range(2 + dice.up_to(_MOST_RUNNING - 2)):
        name = dice.pick(tuple(queues))
        waiting = _workload(dice, f"w{number}", number, _requested(dice, resources, alone=two))
        decision = decide(cluster, waiting, name, NOW, released)
        if decision.outcome == Outcome.FIT:
            held = replace(
                waiting,
                cluster_queue=name,
                quota_reserved_at=NOW - (100 - number) * SECOND,
                usage={at: amount for at, amount in decision.assignment.usage.items() if amount},
            )
            cluster = replace(cluster, admitted=(*cluster.admitted, held))
    preemptor = _workload(dice, "new", _MOST_RUNNING, _requested(dice, resources, alone=two))
    return DecideRequest(cluster, preemptor, dice.pick(tuple(queues)), NOW, released, None, explained=False)


def _tree(dice: Dice, resources: tuple[str, ...]) -> tuple[dict[str, Cohort], dict[str, ClusterQueue]]:
    nested = dice.chance(40)
    below = ("left", "right") if nested else ("all",)
    root = Cohort("all", None, _quotas(dice, resources, _LENT))
    inner = {
        name: Cohort(name, "all", _quotas(dice, resources, _NOMINAL), dice.pick(_WEIGHTS))
        for name in below
        if nested
    }
    names = "abcd"[: 2 + dice.up_to(2)]
    queues = {
        name: ClusterQueue(
            name,
            _quotas(dice, resources, _NOMINAL),
            dice.pick(_WITHIN),
            cohort=dice.pick((*below, "all")),
            reclaim_within_cohort=dice.pick(_RECLAIM),
            weight=dice.pick(_WEIGHTS),
        )
        for name in names
    }
    return {"all": root, **inner}, queues


def _quotas(dice: Dice, resources: tuple[str, ...], amounts: tuple[int, ...]) -> tuple[ResourceGroup, ...]:
    quotas = {resource: _amount(resource, dice.pick(amounts)) for resource in resources}
    return (ResourceGroup(resources, (FlavorQuotas(FLAVOR, quotas),)),)


def _requested(dice: Dice, resources: tuple[str, ...], *, alone: bool) -> tuple[str, ...]:
    return (dice.pick(resources),) if alone and dice.chance(_ALONE) else resources


def _workload(dice: Dice, name: str, number: int, resources: tuple[str, ...]) -> Workload:
    requests = {resource: _amount(resource, dice.pick(_SIZES)) for resource in resources}
    return Workload(
        "ns",
        name,
        name,
        priority=dice.pick(_PRIORITIES),
        created_at=NOW - (200 - number) * SECOND,
        pod_sets=(PodSet("main", 1, requests),),
    )


def _amount(resource: str, units: int) -> int:
    """Whole CPUs, or GiB."""
    return units * (1000 if resource == "cpu" else 2**30)
