"""Measures of PreemptionConfigs: numbers of a workload that fall from every preemptor to its victim.

A *measure* is a row of numbers, such as (priority, nodes), of which the first that differs decides. Where
every rule lets one measure fall, no workload is preempted, in however many steps, by one that it preempted:
the measure of the last would be below its own. A measure is found from the rules themselves. One of its
numbers may be whether a label, or the name of the priority class, has one of some values: 1 or 0.

A measure excludes cycles of who preempts whom. It does not exclude every loop in time: a victim may be
admitted again before its preemptor.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import combinations
from typing import Final, TypeAlias

from tenure.model import (
    CandidateSelector,
    ClusterQueue,
    Comparison,
    PreemptionConfig,
    PreemptionRule,
    PriorityMode,
    ReclaimWithinCohort,
    WithinClusterQueue,
)
from tenure.selected_values import (
    NO_SIDES,
    AlikeValues,
    SelectedSides,
    alike_values,
    keys_on_both_sides,
    sides_of,
    values_in_words,
)

_BACKWARDS: Final = {Comparison.GREATER: Comparison.LESS, Comparison.AT_LEAST: Comparison.AT_MOST}
_MOST_IN_PAIRS: Final = 200
"""So many different ways of preempting are searched for two that have no measure."""


class MeasureKind(StrEnum):
    """What a component of a measure is."""

    BASE = "priority"
    BOOSTED = "boosted priority"
    LABEL = "label"
    QUEUED = "time in the queue"
    SELECTED = "selected values"


@dataclass(frozen=True, slots=True)
class MeasureComponent:
    """A number of a workload.

    Args:
        kind: what it is; of QUEUED the earlier time is the greater one. SELECTED is 1 where a label has one
            of some values, and 0 where it has another one.
        key: of the label, or `PRIORITY_CLASS`; empty for other kinds.
        fallback: the number of a workload whose label is no 32-bit integer; None where no rule has one: then
            no rule compares such a workload.
        backwards: whether the lower number counts as the greater one, as of GreaterThan.
        members, others: of SELECTED the values of 1, and those of 0.
    """

    kind: MeasureKind
    key: str = ""
    fallback: int | None = None
    backwards: bool = False
    members: tuple[AlikeValues, ...] = ()
    others: tuple[AlikeValues, ...] = ()

    @property
    def words(self) -> str:
        """The same in words.

        >>> MeasureComponent(MeasureKind.LABEL, "nodes", 1).words
        'label nodes (1 without it)'
        """
        if self.kind == MeasureKind.SELECTED:
            return f"whether {values_in_words(self.key, self.members, self.others)}"
        return self.number + (" from low to high" if self.backwards else "")

    @property
    def number(self) -> str:
        """The number in words, whichever counts as the greater one."""
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
        sides: what is required of labels of preemptor and victim.
    """

    object: str
    field: str
    falls: Falls = ()
    sides: SelectedSides = NO_SIDES

    @property
    def words(self) -> str:
        """What falls, in words.

        >>> PreemptionStep("", "").words
        'any victim, whatever its numbers'
        """
        found = (f"{component.number} {_written(component, how).label}" for component, how in self.falls)
        numbers = " and ".join(found) or "any victim, whatever its numbers"
        return "; ".join(filter(None, (numbers, self.sides.words)))

    def compared(self, component: MeasureComponent) -> Comparison | None:
        """How the victim's number compares with the preemptor's: LESS, AT_MOST; None where it may rise.

        A selector without a fallback compares only workloads that have the label. These have the same number
        whatever the fallback of others is, so that it counts for each; one with another fallback does not.

        >>> nodes = MeasureComponent(MeasureKind.LABEL, "nodes")
        >>> step = PreemptionStep("PreemptionConfig/c", "", ((nodes, Comparison.LESS),))
        >>> step.compared(MeasureComponent(MeasureKind.LABEL, "nodes", 8)).label
        'LessThan'
        """
        if component.kind == MeasureKind.SELECTED:
            return self._selected(component)
        found = {comparison for named, comparison in self.falls if _counts_for(named, component)}
        return min(found, default=None)

    def _selected(self, component: MeasureComponent) -> Comparison | None:
        """LESS where every preemptor has one of the values and no victim has, AT_MOST where one holds."""
        key, sides = component.key, self.sides
        by_all = not any(sides.accepts_preemptor(key, found.example) for found in component.others)
        by_none = not any(sides.accepts_victim(key, found.example) for found in component.members)
        return Comparison.LESS if by_all and by_none else Comparison.AT_MOST if by_all or by_none else None


def _counts_for(named: MeasureComponent, component: MeasureComponent) -> bool:
    both = [(found.kind, found.key, found.backwards) for found in (named, component)]
    return both[0] == both[1] and named.fallback in (None, component.fallback)


def _written(component: MeasureComponent, falls: Comparison) -> Comparison:
    """The comparison that lets a component fall as a rule writes it."""
    written = {falling: comparison for comparison, falling in _BACKWARDS.items()}
    return written[falls] if component.backwards else falls


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
    # Of steps with the same falls and sides the first speaks for all.
    made = reversed([*_ever_made([*steps])])
    different = tuple({(frozenset(step.falls), step.sides): step for step in made}.values())[::-1]
    chosen, left = _greedy(different)
    return PreemptionMeasure((), _fewest(left)) if left else PreemptionMeasure(_needed(chosen, different))


def _ever_made(steps: Sequence[PreemptionStep]) -> Iterator[PreemptionStep]:
    """The steps for which labels can be found for a preemptor and for a victim."""
    sides = [step.sides for step in steps]
    values = {key: alike_values(key, sides) for key in keys_on_both_sides(sides)}
    for step in steps:
        accepts = (step.sides.accepts_preemptor, step.sides.accepts_victim)
        if all(any(by(key, found.example) for found in values[key]) for key in values for by in accepts):
            yield step


def _needed(
    components: tuple[MeasureComponent, ...], steps: Sequence[PreemptionStep]
) -> tuple[MeasureComponent, ...]:
    """The components of a measure without which it is none, of others the first."""
    for component in reversed(components):
        fewer = tuple(other for other in components if other != component)
        if all(_falls_in(fewer, step) for step in steps):
            components = fewer
    return components


def _falls_in(components: tuple[MeasureComponent, ...], step: PreemptionStep) -> bool:
    compared = [*map(step.compared, components)]
    return Comparison.LESS in compared and None not in compared[: compared.index(Comparison.LESS)]


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


def components_of(steps: Sequence[PreemptionStep]) -> tuple[MeasureComponent, ...]:
    """The components that a measure of some steps may have: all that one of them lets fall.

    Of a label one for each fallback; without a fallback only where no step has one. Of the labels that a step
    requires something else of on either side: the values that its preemptor may have, and all that its victim
    may not have.
    """
    named = sorted(
        {component for step in steps for component, _ in step.falls},
        key=lambda found: (
            [*MeasureKind].index(found.kind),
            found.key,
            found.backwards,
            found.fallback or 0,
        ),
    )
    with_fallback = {(found.key, found.backwards) for found in named if found.fallback is not None}
    numbers = (
        found
        for found in named
        if found.fallback is not None or (found.key, found.backwards) not in with_fallback
    )
    return (*numbers, *dict.fromkeys(_selected_of(steps)))


def _selected_of(steps: Sequence[PreemptionStep]) -> Iterator[MeasureComponent]:
    sides = [step.sides for step in steps]
    for key in keys_on_both_sides(sides):
        values = alike_values(key, sides)
        for one in sides:
            mine, theirs = (
                {found for found in values if accepts(key, found.example)}
                for accepts in (one.accepts_preemptor, one.accepts_victim)
            )
            if mine.isdisjoint(theirs):
                for members in (mine, {*values} - theirs):
                    yield MeasureComponent(
                        MeasureKind.SELECTED,
                        key,
                        members=tuple(found for found in values if found in members),
                        others=tuple(found for found in values if found not in members),
                    )


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
            field = f"spec.rules[{index}].candidateSelectors[{number}]"
            yield selector, _step(rule, selector, (f"PreemptionConfig/{config.name}", field), boosts=boosts)


def _step(
    rule: PreemptionRule, selector: CandidateSelector, where: tuple[str, str], *, boosts: bool
) -> PreemptionStep:
    compared: list[tuple[MeasureComponent, Comparison | None]] = [
        (MeasureComponent(MeasureKind.LABEL, label.key, label.fallback), label.comparison)
        for label in selector.numbers
    ]
    if selector.mode is not None:
        compared.insert(0, (_priority(selector.mode, boosts=boosts), selector.comparison))
    falls = tuple(
        (replace(component, backwards=how in _BACKWARDS), _BACKWARDS.get(how, how))
        for component, how in compared
        if how is not None
    )
    return PreemptionStep(*where, falls, sides_of(rule, selector))


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
