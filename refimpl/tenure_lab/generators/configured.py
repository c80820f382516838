"""Draws of PreemptionConfigs, and of labels, names and boosts that their rules read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar

from tenure.conformance.requests import DecideRequest
from tenure.manifests.kueue_api import PREEMPTION_CONFIG, unmodelled_in
from tenure.manifests.preemption_configs import LabelSelectorSpec, label_selector
from tenure.model import (
    BorrowWithinCohort,
    CandidateScope,
    CandidateSelector,
    ClassNames,
    ClusterQueue,
    Comparison,
    LabelSelector,
    NodeOperator,
    NodeRequirement,
    NumericLabel,
    PreemptionConfig,
    PreemptionRule,
    PriorityMode,
    ReclaimWithinCohort,
    Selectable,
    Trigger,
    WithinClusterQueue,
    Workload,
)
from tenure_lab.generators.dice import Dice
from tenure_lab.generators.preemption_configs import INVALID

_Made = TypeVar("_Made")

NAME: Final = "config"
"""Of the PreemptionConfig of most ClusterQueues; another one is missing."""

TRIGGERS: Final = (*(Trigger.ALWAYS, Trigger.INSUFFICIENT_QUOTA) * 3, Trigger.INSUFFICIENT_TOPOLOGY)
SCOPES: Final = (CandidateScope.COHORT_TREE, *CandidateScope, CandidateScope.ANYWHERE)
TEAMS: Final = ("a", "b", "c")
NUMBERS: Final = ("1", "2", "4", "0", "02", "3.14", "many", "2147483647", "2147483648")
CLASSES: Final = ("batch", "prod", "spot")
BOUNDS: Final = (1, 0, 2, 4)
FALLBACKS: Final = (1, 2, 0, -1)
BOOSTS: Final = (1, -1, 2, -2)
FAULTY: Final = label_selector(LabelSelectorSpec.model_validate(INVALID))


def with_configs(request: DecideRequest, dice: Dice) -> DecideRequest:
    """A scenario whose target names a PreemptionConfig, mostly one that exists.

    Args:
        request: a scenario without heroes.
        dice: see there.

    >>> from tenure_lab.generators.scenarios import draw_for_core
    >>> found = with_configs(draw_for_core(8522, 0, heroes=0), Dice())
    >>> sorted(found.cluster.preemption_configs)
    ['config']
    """
    cluster, target = request.cluster, request.queue
    boosted = dice.chance(35)
    queues = {
        name: _queue(queue, dice, is_target=name == target) for name, queue in cluster.cluster_queues.items()
    }
    preemptor = _workload(request.preemptor, dice, boosted=boosted)
    admitted = tuple(_workload(workload, dice, boosted=boosted) for workload in cluster.admitted)
    made = replace(
        cluster,
        cluster_queues=queues,
        settings=replace(cluster.settings, priority_boost=boosted or cluster.settings.priority_boost),
        admitted=admitted,
        pending=(preemptor,),
        preemption_configs={NAME: draw_config(dice, NAME)},
    )
    return replace(request, cluster=made, preemptor=preemptor)


def draw_config(dice: Dice, name: str) -> PreemptionConfig:
    """A PreemptionConfig.

    >>> draw_config(Dice(), "c").rules[0].trigger.label
    'Always'
    """
    return PreemptionConfig(
        name, tuple(_rule(dice, f"r{index}") for index in range(dice.pick((1, 1, 2, 2, 3, 4))))
    )


def _queue(queue: ClusterQueue, dice: Dice, *, is_target: bool) -> ClusterQueue:
    labels = {"tier": dice.pick(TEAMS)} if dice.chance(60) else {}
    if not is_target and not dice.chance(15):
        return replace(queue, labels=labels)
    named = "missing" if dice.chance(5) else NAME
    if dice.chance(45):  # so that rules alone decide
        queue = replace(
            queue,
            within_cluster_queue=WithinClusterQueue.NEVER,
            reclaim_within_cohort=ReclaimWithinCohort.NEVER,
            borrow_within_cohort=BorrowWithinCohort.NEVER,
            max_priority_threshold=None,
        )
    raw = {"metadata": {"annotations": {PREEMPTION_CONFIG: named}}}
    found = (*queue.unmodelled, *unmodelled_in(raw, "ClusterQueue", queue.name))
    return replace(queue, labels=labels, preemption_config=named, unmodelled=found)


def _workload(workload: Workload, dice: Dice, *, boosted: bool) -> Workload:
    labels = {}
    for key, values, percent in (("team", TEAMS, 60), ("nodes", NUMBERS, 70), ("size", NUMBERS, 40)):
        if dice.chance(percent):
            labels[key] = dice.pick(values)
    named = workload.priority_class or (dice.pick(CLASSES) if dice.chance(50) else "")
    changed: dict[str, Any] = {"priority_boost": dice.pick(BOOSTS)} if boosted and dice.chance(50) else {}
    return replace(
        workload,
        namespace="ns2" if dice.chance(15) else workload.namespace,
        queue_name=dice.pick(("main", "main", "side", "")),
        priority_class=named,
        selectable=Selectable(labels, named, workload.priority),
        **changed,
    )


def _rule(dice: Dice, name: str) -> PreemptionRule:
    return PreemptionRule(
        name,
        dice.pick(TRIGGERS),
        _labels(dice, ("team", "nodes"), 25),
        _names(dice, 15),
        _some(dice, (1, 1, 2, 3, 0), _selector),
    )


def _selector(dice: Dice) -> CandidateSelector:
    compared = dice.chance(50)
    return CandidateSelector(
        dice.pick(SCOPES),
        _labels(dice, ("tier",), 25),
        _labels(dice, ("team", "nodes", "size"), 35),
        _some(dice, (0, 0, 0, 1, 1, 2), _number),
        dice.pick(tuple(PriorityMode)) if compared else None,
        dice.pick(tuple(Comparison)) if compared else None,
        _names(dice, 20),
    )


def _number(dice: Dice) -> NumericLabel:
    low = dice.pick(BOUNDS) if dice.chance(35) else None
    high = dice.pick(BOUNDS) if dice.chance(35) else None
    if low is not None and high is not None and low > high:
        low, high = high, low
    return NumericLabel(
        dice.pick(("nodes", "size")),
        dice.pick(tuple(Comparison)) if dice.chance(60) else None,
        low,
        high,
        dice.pick(FALLBACKS) if dice.chance(50) else None,
    )


def _labels(dice: Dice, keys: Sequence[str], percent: int) -> LabelSelector:
    """A label selector that is not empty in so many of a hundred draws; a few cannot be built."""
    if not dice.chance(percent):
        return LabelSelector()
    if dice.chance(8):
        return FAULTY
    return LabelSelector(_some(dice, (1, 1, 2), lambda part: _requirement(part, dice.pick(keys))))


def _requirement(dice: Dice, key: str) -> NodeRequirement:
    listed = (NodeOperator.IN, NodeOperator.NOT_IN)
    operator = dice.pick((*listed, NodeOperator.EXISTS, NodeOperator.DOES_NOT_EXIST))
    values = NUMBERS if key in ("nodes", "size") else TEAMS
    chosen = _some(dice, (1, 2, 2), lambda part: part.pick(values)) if operator in listed else ()
    return NodeRequirement(key, operator, chosen)


def _names(dice: Dice, percent: int) -> ClassNames:
    def names() -> tuple[str, ...]:
        return _some(dice, (1, 1, 2), lambda part: part.pick(CLASSES)) if dice.chance(percent) else ()

    return ClassNames(names(), names())


def _some(dice: Dice, counts: Sequence[int], make: Callable[[Dice], _Made]) -> tuple[_Made, ...]:
    return tuple(make(dice) for _ in range(dice.pick(counts)))
