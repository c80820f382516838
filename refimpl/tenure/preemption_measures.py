"""Measures of PreemptionConfigs: numbers of a workload that fall from every preemptor to its victim.

A *measure* is a row of numbers, such as (priority, nodes), of which the first that differs decides. Where
every rule lets one measure fall, no workload is preempted, in however many steps, by one that it preempted:
the measure of the last would be below its own. A measure is found from the rules themselves.

A measure excludes cycles of who preempts whom. It does not exclude every loop in time: a victim may be
admitted again before its preemptor.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from typing import Final, TypeAlias

from tenure.model import (
    CandidateSelector,
    ClusterQueue,
    Comparison,
    PreemptionConfig,
    PriorityMode,
    ReclaimWithinCohort,
    WithinClusterQueue,
)

_FALLING: Final = (Comparison.LESS, Comparison.AT_MOST)
_MOST_IN_PAIRS: Final = 200
"""So many different ways of preempting are searched for two that have no measure."""


class MeasureKind(StrEnum):
    """What a component of a measure is."""

    BASE = "priority"
    BOOSTED = "boosted priority"
    LABEL = "label"
    QUEUED = "time in the queue"


@dataclass(frozen=True, slots=True)
class MeasureComponent:
    """A number of a workload.

    Args:
        kind: what it is; of QUEUED the earlier time is the greater one.
        key: of the label; empty for other kinds.
        fallback: the number of a workload whose label is no 32-bit integer; None where no rule has one: then
            no rule compares such a workload.
    """

    kind: MeasureKind
    key: str = ""
    fallback: int | None = None

    @property
    def words(self) -> str:
        """The same in words.

        >>> MeasureComponent(MeasureKind.LABEL, "nodes", 1).words
        'label nodes (1 without it)'
        """
        if self.kind != MeasureKind.LABEL:
            return self.kind.value
        return f"label {self.key}" + ("" if self.fallback is None else f" ({self.fallback} without it)")


Falls: TypeAlias = tuple[tuple[MeasureComponent, Comparison], ...]
"""What falls from a preemptor to its victim (LESS), or does not rise (AT_MOST)."""


@dataclass(frozen=True, slots=True)
class PreemptionStep:
    """One way in which a workload may preempt another: a candidate selector, or a policy of a ClusterQueue.

    Args:
        object, field: where it is configured, such as `PreemptionConfig/hero` and
            `spec.rules[0].candidateSelectors[0]`.
        falls: what falls; whatever is not named may rise.
    """

    object: str
    field: str
    falls: Falls = ()

    @property
    def words(self) -> str:
        """What falls, in words.

        >>> PreemptionStep("", "").words
        'any victim, whatever its numbers'
        """
        found = (f"{component.words} {comparison.label}" for component, comparison in self.falls)
        return " and ".join(found) or "any victim, whatever its numbers"

    def compared(self, component: MeasureComponent) -> Comparison | None:
        """How the victim's number compares with the preemptor's: LESS, AT_MOST; None where it may rise.

        A selector without a fallback compares only workloads that have the label. These have the same number
        whatever the fallback of others is, so that it counts for each; one with another fallback does not.

        >>> nodes = MeasureComponent(MeasureKind.LABEL, "nodes")
        >>> step = PreemptionStep("PreemptionConfig/c", "", ((nodes, Comparison.LESS),))
        >>> step.compared(MeasureComponent(MeasureKind.LABEL, "nodes", 8)).label
        'LessThan'
        """
        found = {comparison for named, comparison in self.falls if _counts_for(named, component)}
        return min(found, default=None)


def _counts_for(named: MeasureComponent, component: MeasureComponent) -> bool:
    same = (named.kind, named.key) == (component.kind, component.key)
    return same and named.fallback in (None, component.fallback)


@dataclass(frozen=True, slots=True)
class PreemptionMeasure:
    """The measure of some steps, or the fewest of them that have none.

    Args:
        components: the measure, its first component first; empty without steps, and where there is none.
        unmeasured: steps that have no measure together, while any fewer of them have one; else empty.
    """

    components: tuple[MeasureComponent, ...]
    unmeasured: tuple[PreemptionStep, ...] = ()

    @property
    def words(self) -> str:
        """The measure in words, its first component first.

        >>> PreemptionMeasure((MeasureComponent(MeasureKind.BASE),)).words
        'priority'
        """
        return ", then ".join(component.words for component in self.components)


def measure_of(steps: Iterable[PreemptionStep]) -> PreemptionMeasure:
    """The measure that falls at every one of some steps, or the fewest steps that have none together.

    The next component is any that no remaining step lets rise and one lets fall; the steps in which it falls
    are done. This finds a measure if there is one. For a measure of all steps is one of those that remain,
    whatever was chosen before; and its first component that falls in one of these rises in none of them. So
    there is a next choice until no step remains.

    Args:
        steps: all ways of preempting that count.

    >>> priority, nodes = MeasureComponent(MeasureKind.BASE), MeasureComponent(MeasureKind.LABEL, "nodes", 1)
    >>> lower = PreemptionStep("PreemptionConfig/c", "first", ((priority, Comparison.LESS),))
    >>> smaller = PreemptionStep(
    ...     "PreemptionConfig/c", "second", ((priority, Comparison.AT_MOST), (nodes, Comparison.LESS))
    ... )
    >>> measure_of([smaller, lower]).words
    'priority, then label nodes (1 without it)'
    >>> large = PreemptionStep("PreemptionConfig/c", "second", ((nodes, Comparison.LESS),))
    >>> [step.field for step in measure_of([large, lower]).unmeasured]
    ['second', 'first']
    """
    # Of steps with the same falls the first speaks for all.
    different = tuple({frozenset(step.falls): step for step in reversed([*steps])}.values())[::-1]
    chosen, left = _greedy(different)
    return PreemptionMeasure((), _fewest(left)) if left else PreemptionMeasure(chosen)


def _greedy(
    steps: Sequence[PreemptionStep],
) -> tuple[tuple[MeasureComponent, ...], tuple[PreemptionStep, ...]]:
    """The components that can be taken in turn, and the steps in which none of them falls."""
    chosen: list[MeasureComponent] = []
    components, left = components_of(steps), tuple(steps)
    while left:
        for component in components:
            compared = [step.compared(component) for step in left]
            if None not in compared and Comparison.LESS in compared:
                chosen.append(component)
                left = tuple(
                    step for step, found in zip(left, compared, strict=True) if found != Comparison.LESS
                )
                break
        else:
            break
    return tuple(chosen), left


def components_of(steps: Iterable[PreemptionStep]) -> tuple[MeasureComponent, ...]:
    """The components that a measure of some steps may have: all that one of them lets fall.

    Of a label one for each fallback; without a fallback only where no step has one.
    """
    named = sorted(
        {component for step in steps for component, _ in step.falls},
        key=lambda found: ([*MeasureKind].index(found.kind), found.key, found.fallback or 0),
    )
    with_fallback = {found.key for found in named if found.fallback is not None}
    return tuple(found for found in named if found.fallback is not None or found.key not in with_fallback)


def _fewest(steps: tuple[PreemptionStep, ...]) -> tuple[PreemptionStep, ...]:
    """Of steps without a measure one alone, or two, or else some of which none can be left out."""
    sizes = (1, 2) if len(steps) <= _MOST_IN_PAIRS else (1,)
    for size in sizes:
        for some in combinations(steps, size):
            if _greedy(some)[1]:
                return some
    kept = steps
    for step in steps:
        fewer = tuple(other for other in kept if other is not step)
        if _greedy(fewer)[1]:
            kept = fewer
    return kept


def steps_of_config(config: PreemptionConfig, *, boosts: bool) -> Iterator[PreemptionStep]:
    """The steps of a PreemptionConfig: one for each candidate selector of each rule, whatever its scope.

    An invalid selector has no candidates (PCF-080), nor has a rule without selectors.

    Args:
        config: see there.
        boosts: whether priorities are boosted (gate PriorityBoost); else both modes compare one priority.

    >>> list(steps_of_config(PreemptionConfig("c"), boosts=True))
    []
    """
    return (step for _, step in selector_steps(config, boosts=boosts))


def selector_steps(
    config: PreemptionConfig, *, boosts: bool
) -> Iterator[tuple[CandidateSelector, PreemptionStep]]:
    """The steps of a PreemptionConfig, each with its candidate selector; otherwise as `steps_of_config`."""
    for index, rule in enumerate(config.rules):
        for number, selector in enumerate(() if rule.preemptors.fault else rule.candidates):
            if selector.fault:
                continue
            falls: list[tuple[MeasureComponent, Comparison]] = []
            if selector.mode is not None and selector.comparison in _FALLING:
                falls.append((_priority(selector.mode, boosts=boosts), selector.comparison))
            for label in selector.numbers:
                if label.comparison in _FALLING:
                    component = MeasureComponent(MeasureKind.LABEL, label.key, label.fallback)
                    falls.append((component, label.comparison))
            field = f"spec.rules[{index}].candidateSelectors[{number}]"
            yield selector, PreemptionStep(f"PreemptionConfig/{config.name}", field, tuple(falls))


def steps_within_queue(queue: ClusterQueue, *, boosts: bool) -> Iterator[PreemptionStep]:
    """The steps that `spec.preemption.withinClusterQueue` allows between workloads of a ClusterQueue.

    An equal is preempted when it has queued later; with minAdmitDuration whenever that has passed.

    Args:
        queue: see there.
        boosts: see `steps_of_config`.

    >>> queue = ClusterQueue("a", within_cluster_queue=WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY)
    >>> measure_of(steps_within_queue(queue, boosts=False)).words
    'priority, then time in the queue'
    """
    policy, priority = queue.within_cluster_queue, _priority(PriorityMode.BOOSTED, boosts=boosts)
    where = f"ClusterQueue/{queue.name}", "spec.preemption.withinClusterQueue"
    if policy != WithinClusterQueue.NEVER:
        yield PreemptionStep(*where, ((priority, Comparison.LESS),))
    if policy == WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY:
        newer = (MeasureComponent(MeasureKind.QUEUED), Comparison.LESS)
        equal = (priority, Comparison.AT_MOST)
        yield PreemptionStep(*where, (equal, newer) if queue.min_admit_duration is None else (equal,))


def steps_across_queues(queue: ClusterQueue, *, boosts: bool) -> Iterator[PreemptionStep]:
    """The steps that `spec.preemption` allows from a ClusterQueue to others of its cohort.

    With reclaimWithinCohort LowerPriority a victim has a lower priority, by classical preemption, while
    borrowing and by fair sharing alike (PO-ANY-330).

    Args:
        queue: see there; no hero (KEP-8826).
        boosts: see `steps_of_config`.

    >>> queue = ClusterQueue("a", reclaim_within_cohort=ReclaimWithinCohort.ANY)
    >>> [step.falls for step in steps_across_queues(queue, boosts=False)]
    [()]
    """
    where = f"ClusterQueue/{queue.name}", "spec.preemption.reclaimWithinCohort"
    if queue.reclaim_within_cohort == ReclaimWithinCohort.ANY:
        yield PreemptionStep(*where)
    elif queue.reclaim_within_cohort != ReclaimWithinCohort.NEVER:
        priority = _priority(PriorityMode.BOOSTED, boosts=boosts)
        yield PreemptionStep(*where, ((priority, Comparison.LESS),))


def _priority(mode: PriorityMode, *, boosts: bool) -> MeasureComponent:
    boosted = boosts and mode == PriorityMode.BOOSTED
    return MeasureComponent(MeasureKind.BOOSTED if boosted else MeasureKind.BASE)
