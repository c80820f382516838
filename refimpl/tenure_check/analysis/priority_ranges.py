"""Priorities that are not one number: those that grow with age (KEP-754), and priority boosts.

Inside a decision every workload has one priority (DYN-070), and no rule compares it with anything but other
priorities and maxPriorityThreshold. So a cell of two classes is settled by the cells of the regions in which
their priorities can be, lower, equal or higher: *never* if all of these are, and *can* by an example in which
workloads of these classes have such ages or boosts at one instant.

Beside boosts, rules of PreemptionConfigs that compare Base priorities compare other numbers than the rest, in
an order of their own: in the cells of the regions a label that only they read stands for these numbers.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, product
from typing import Protocol, TypeAlias, overload

from tenure.conformance.requests import DecideRequest
from tenure.model import (
    CandidateSelector,
    Cluster,
    Instant,
    NumericLabel,
    PolicyFault,
    PreemptionConfig,
    PreemptionRule,
    PriorityMode,
    Reason,
    Selectable,
    Workload,
    WorkloadPriorityClass,
)
from tenure.oracle.ageing import grown_priority
from tenure.oracle.configured import is_class_named, number_of
from tenure.oracle.tree import Tree
from tenure.readings import Reading
from tenure.rules.dynamic_priority import policy_fault
from tenure.rules.preemption_config import compares
from tenure_check.analysis.decided_states import Replays, why_preempted
from tenure_check.analysis.matrix import CellResult, CellVerdict, Matrix, trees_of
from tenure_check.analysis.priority_levels import HIGHEST_PRIORITY, regions_of, thresholds_of
from tenure_check.analysis.selections import Selections
from tenure_check.analysis.states import (
    NOW,
    STAMPS,
    CellQuery,
    Example,
    PriorityLevel,
    is_in_scope_by_stamps,
)
from tenure_check.choices import Scope

MOST_STEPS_COMPARED = 10_000
"""How many steps of a class are compared with another's, to find a priority that both can have."""

NOT_BESIDE = "is not modelled beside priorities that grow with age, in every state"
MOST_NUMBERS = 32
"""So many numeric labels a selector has at most."""
_INT32 = range(-(2**31), 2**31)
NO_AGES = (
    "the priorities that the classes can have allow it, but no example with such ages or boosts was found"
)


@dataclass(frozen=True)
class Ranges:
    """The priorities that workloads of each class can have.

    Args:
        cluster: the configuration.
        levels: its classes, or regions of priorities.
        reading: see `tenure.readings`.

    >>> from tenure.model import DynamicPriorityPolicy
    >>> from tenure.readings import preset
    >>> hourly = DynamicPriorityPolicy(step=40, max=100, delay_for_step=3600)
    >>> cluster = Cluster({}, growing={"ages": WorkloadPriorityClass("ages", 0, hourly)})
    >>> levels = PriorityLevel("ages", 0), PriorityLevel("stays", 80)
    >>> ranges = Ranges(cluster, levels, preset("guaranteed"))
    >>> list(ranges.values(levels[0])), list(ranges.values(levels[1]))
    ([0, 40, 80, 100], [80])
    >>> ranges.kinds(*levels)
    {(0, 1): (0, 80), (1, 0): (100, 80), (0, 0): (80, 80)}
    """

    cluster: Cluster
    levels: tuple[PriorityLevel, ...]
    reading: Reading

    @property
    def plain(self) -> Cluster:
        """The configuration as if every priority were one number."""
        settings = replace(self.cluster.settings, priority_boost=False)
        configs = self.cluster.preemption_configs
        if configs is not None:
            configs = {name: self._by_one_priority(config) for name, config in configs.items()}
        # A priority in a decision is not that of the class.
        return replace(
            self.cluster, growing={}, settings=settings, preemption_configs=configs, class_names={}
        )

    def _by_one_priority(self, config: PreemptionConfig) -> PreemptionConfig:
        """A config in which a label stands for Base priorities; in decisions both are orders, and no more."""
        selectors = [selector for rule in config.rules for selector in rule.candidates]
        full = any(is_base(selector) and len(selector.numbers) >= MOST_NUMBERS for selector in selectors)
        if self.cluster.growing or full:
            return replace(config, unread=config.unread or NOT_BESIDE)

        def by_label(selector: CandidateSelector) -> CandidateSelector:
            if not is_base(selector):
                return selector
            numbers = (*selector.numbers, NumericLabel(self._base, selector.comparison))
            return replace(selector, numbers=numbers, mode=None, comparison=None)

        def changed(rule: PreemptionRule) -> PreemptionRule:
            return replace(rule, candidates=tuple(map(by_label, rule.candidates)))

        return replace(config, rules=tuple(map(changed, config.rules)))

    @cached_property
    def _base(self) -> str:
        """The label that stands for Base priorities, which no rule reads."""
        key = "base-priority"
        while key in self._selections.values:
            key += "-"
        return key

    @cached_property
    def _selections(self) -> Selections:
        return Selections(self.cluster)

    @cached_property
    def regions(self) -> tuple[PriorityLevel, ...]:
        """A lower and a higher priority of each region between thresholds."""
        return regions_of(self.cluster)

    @cached_property
    def _replays(self) -> Replays:
        return Replays()

    @property
    def is_needed(self) -> bool:
        """Whether any priority is not one number, and all that are not are covered."""
        boosts = self.cluster.settings.priority_boost
        growing = self.cluster.growing
        return bool(growing or boosts) and all(map(self._is_covered, growing.values()))

    def _is_covered(self, found: WorkloadPriorityClass) -> bool:
        """A class that every reading accepts; a cell is known by its value, which is no other's."""
        policy = found.policy
        assert policy is not None
        fault = policy_fault(found.base, policy, self.reading.invalid_class)
        alone = sum(level.priority == found.base for level in self.levels) == 1
        return fault == PolicyFault.NONE and policy.max is not None and policy.step >= 0 and alone

    def values(self, level: PriorityLevel) -> Sequence[int]:
        """The priorities that workloads of a class can have without a boost, the lowest first."""
        found = self.cluster.growing.get(level.name)
        policy = None if found is None else found.policy
        if found is None or policy is None or policy.max is None:
            return (level.priority,)
        return _Steps(found.base, policy.step or 1, policy.max if policy.step else found.base)

    def kinds(self, high: PriorityLevel, low: PriorityLevel) -> dict[tuple[int, int], tuple[int, int]]:
        """How priorities of two classes can be to each other and to thresholds.

        Returns:
            by the priorities of `regions` that stand for it, priorities that two workloads of the classes can
            have at one instant; without the boosts that they have.
        """
        if self.cluster.settings.priority_boost:
            every = [level.priority for level in self.regions]
            return {(one, other): (one, other) for one, other in product(every, repeat=2)}
        found: dict[tuple[int, int], tuple[int, int]] = {}
        for pair in self._pairs(self.values(high), self.values(low)):
            found.setdefault(self._stands_for(*pair), pair)
        return found

    def _pairs(self, mine: Sequence[int], theirs: Sequence[int]) -> Iterator[tuple[int, int]]:
        yield from product(self._some(mine), self._some(theirs))
        few = theirs if len(theirs) < len(mine) else mine
        compared = few[:MOST_STEPS_COMPARED]
        both = {self._region(value): value for value in compared if value in mine and value in theirs}
        yield from ((value, value) for value in both.values())
        if len(few) > MOST_STEPS_COMPARED:  # not all were compared; the search for an example may be in vain
            yield from ((value, value) for value in self._some(few))

    def _some(self, values: Sequence[int]) -> Iterator[int]:
        """Of each region the lowest two and the highest: enough for one to be lower than another's."""
        ends = [*self._thresholds, None]
        start = 0
        for end in ends:
            stop = len(values) if end is None else bisect_right(values, end)
            if start < stop:
                yield from dict.fromkeys((values[start], values[min(start + 1, stop - 1)], values[stop - 1]))
            start = stop

    @cached_property
    def _thresholds(self) -> list[int]:
        return thresholds_of([self.cluster])

    def _region(self, value: int) -> int:
        return bisect_left(self._thresholds, value)

    def _stands_for(self, high: int, low: int) -> tuple[int, int]:
        mine, theirs = (2 * self._region(value) for value in (high, low))
        if mine == theirs:
            mine, theirs = mine + (high > low), theirs + (high < low)
        return self.regions[mine].priority, self.regions[theirs].priority

    def example(
        self,
        cell: CellQuery,
        pair: tuple[int, int],
        old: CellQuery,
        example: Example,
        tree: Tree,
        scope: Scope,
    ) -> Example | None:
        """An example of the cell of regions, with workloads of the two classes, if it is decided so.

        Args:
            cell: the cell; its priorities are the classes' own.
            pair: the priorities that preemptor and victim are to have.
            old, example: the cell of regions, and its example.
            tree: the tree of both.
            scope: which states there are.
        """
        by_value = {level.priority: level for level in self.levels}
        request, moved = _at_noon(example.request), _Moved((old.high, old.low), pair)
        bases = self._bases(cell, example)
        running = []
        for workload in request.cluster.admitted:
            if workload.key == example.victim:
                running.append(self._dressed(workload, by_value[cell.low], pair[1], request.now))
            else:
                running.append(self._moved(workload, moved.priority(workload.priority), bases))
        preemptor = self._dressed(request.preemptor, by_value[cell.high], pair[0], request.now)
        cluster = replace(self.cluster, admitted=tuple(running), pending=(preemptor,))
        moved_request = replace(request, cluster=cluster, preemptor=preemptor)
        if not is_in_scope_by_stamps(moved_request, tree, scope):
            return None
        decision = self._replays.decided(moved_request)
        targets = {target.workload.key: target for target in decision.targets}
        victim = targets.get(example.victim)
        if victim is None or victim.reason != cell.reason or victim.workload.priority != pair[1]:
            return None
        why = tuple(why_preempted(decision, example.victim))
        return replace(example, request=moved_request, preempted=frozenset(targets), why=why)

    def _dressed(self, workload: Workload, level: PriorityLevel, value: int, now: Instant) -> Workload:
        """The workload as one of a class, of such an age or with such a boost that it has a priority now."""
        found = self.cluster.growing.get(level.name)
        named = replace(workload, priority=level.priority, priority_class="" if found is None else level.name)
        if self.cluster.settings.priority_boost:
            grown = grown_priority(named, self.cluster, now, self.reading)
            return self._boosted(named, level.priority if grown is None else grown, value)
        if found is None or found.policy is None:
            return named
        return self._aged(named, found, value, now)

    def _bases(self, cell: CellQuery, example: Example) -> _Moved | None:
        """From labels that stand for Base priorities to such priorities; None where they are in no order."""
        victim = next(each for each in example.request.cluster.admitted if each.key == example.victim)
        mine, theirs = (
            number_of(NumericLabel(self._base), each) for each in (example.request.preemptor, victim)
        )
        if mine is None or theirs is None or _order(mine, theirs) != _order(cell.high, cell.low):
            return None
        return _Moved((mine, theirs), (cell.high, cell.low))

    def _moved(self, workload: Workload, value: int, bases: _Moved | None) -> Workload:
        """Another workload with a priority, and with the Base priority that its label stands for."""
        label = number_of(NumericLabel(self._base), workload)
        base = value if bases is None or label is None else bases.priority(label)
        if not self.cluster.settings.priority_boost:
            return workload.with_priority(value)
        is_possible = base in _INT32 and value - base in _INT32
        own = base if is_possible else value
        return self._boosted(workload.with_priority(own), own, value)

    def _boosted(self, workload: Workload, base: int, value: int) -> Workload:
        """A workload with a boost by which it has a priority, and with what rules may read of it.

        Args:
            workload: it, with its own priority.
            base: what the boost is added to.
            value: the priority.
        """
        boosted = replace(workload, priority_boost=value - base)
        known = workload.selectable
        if known is None:
            return boosted
        named = self._selections.class_names(workload.priority)
        name = known.priority_class if known.priority_class in named else named[0]
        labels = {key: text for key, text in known.labels.items() if key != self._base}
        return replace(boosted, selectable=Selectable(labels, name, workload.priority))

    def may_select(self, cell: CellQuery) -> bool:
        """Whether Base priorities and names of classes let a rule select the victim of a cell."""
        config = self.cluster.config_of(self.cluster.cluster_queues[cell.preemptor])
        names = self._selections.class_names
        return config is None or any(
            any(is_class_named(rule.preemptor_classes, _named(name)) for name in names(cell.high))
            and any(is_class_named(selector.classes, _named(name)) for name in names(cell.low))
            and (
                not is_base(selector)
                or selector.comparison is None
                or compares(selector.comparison, cell.low, cell.high)
            )
            for rule in config.rules
            for selector in rule.candidates
        )

    def _aged(self, workload: Workload, found: WorkloadPriorityClass, value: int, now: Instant) -> Workload:
        grown = grown_priority(workload, self.cluster, now, self.reading)
        if grown == value or found.policy is None:
            return workload
        steps = 0 if found.policy.step == 0 else -(-(value - found.base) // found.policy.step)
        age = steps * found.policy.delay_for_step
        if age > now - workload.created_at:  # its Job is older than the workload
            return replace(workload, job_created_at=max(0, now - age))
        reserved = workload.quota_reserved_at
        return replace(
            workload,
            created_at=now - age,
            quota_reserved_at=None if reserved is None else max(reserved, now - age),
        )


def is_base(selector: CandidateSelector) -> bool:
    """Whether a selector compares Base priorities."""
    return selector.mode == PriorityMode.BASE and selector.comparison is not None


def _order(one: int, other: int) -> int:
    return (one > other) - (one < other)


def _named(name: str) -> Workload:
    return Workload("", "", "", 0, created_at=0, selectable=Selectable({}, name))


PairCells: TypeAlias = tuple[tuple[str, str], dict[CellQuery, CellResult]]
"""Two ClusterQueues of one tree, and what is known of the cells of regions of both."""


class RangedCells:
    """Settles cells of classes by those of regions, pair by pair.

    Args:
        ranges: the priorities that workloads of the classes can have.
        scope: which states there are.
    """

    def __init__(self, ranges: Ranges, scope: Scope) -> None:
        self.ranges, self.scope = ranges, scope
        self.trees = trees_of(ranges.plain)
        self._tree_of = {name: tree for tree in self.trees for name in tree.places}
        self._kinds = {pair: ranges.kinds(*pair) for pair in product(ranges.levels, repeat=2)}

    def of_pair(self, known: PairCells) -> Iterator[tuple[CellQuery, CellResult]]:
        """What is known of the cells of two ClusterQueues that rules might allow."""
        (preemptor, victim), settled = known
        for (high, low), kinds in self._kinds.items():
            for reason in Reason:
                cell = CellQuery(preemptor, high.priority, victim, low.priority, reason)
                found = _of_kinds(self.ranges, settled, self.scope, cell, kinds, self._tree_of[preemptor])
                if found is not None:
                    yield cell, found


class SpreadRanges(Protocol):
    """Settles pairs in other processes."""

    def __call__(
        self, ranged: RangedCells, pairs: Sequence[PairCells]
    ) -> Iterable[tuple[CellQuery, CellResult]]:
        """The cells of all pairs."""


def matrix_of_ranges(ranges: Ranges, inner: Matrix, spread: SpreadRanges | None = None) -> Matrix:
    """The matrix of classes.

    Args:
        ranges: the priorities that their workloads can have.
        inner: the matrix of `ranges.plain` and `ranges.regions`.
        spread: settles pairs in other processes; without it all is done here.
    """
    ranged = RangedCells(ranges, inner.scope)
    known: dict[tuple[str, str], dict[CellQuery, CellResult]] = {
        (one, other): {} for tree in ranged.trees for one, other in product(sorted(tree.places), repeat=2)
    }
    for cell, settled in inner.settled.items():
        known[cell.preemptor, cell.victim][cell] = settled
    pairs = [*known.items()]
    found = chain.from_iterable(map(ranged.of_pair, pairs)) if spread is None else spread(ranged, pairs)
    return Matrix(
        inner.queues,
        ranges.levels,
        dict(found),
        apart=inner.apart,
        states=inner.states,
        scope=inner.scope,
        premises=inner.premises,
    )


def _of_kinds(
    ranges: Ranges,
    inner: Mapping[CellQuery, CellResult],
    scope: Scope,
    cell: CellQuery,
    kinds: Mapping[tuple[int, int], tuple[int, int]],
    tree: Tree,
) -> CellResult | None:
    """A cell of classes: never if it is so for all their priorities; None where no rule allows it."""
    known: CellResult | None = None
    for (high, low), pair in kinds.items():
        old = replace(cell, high=high, low=low)
        settled = inner.get(old)
        if settled is not None and settled.example is not None:
            example = ranges.example(cell, pair, old, settled.example, tree, scope)
            if example is not None:
                return replace(settled, example=example, is_fewest=example.victims == 1)
            settled = CellResult(CellVerdict.UNKNOWN, NO_AGES)
        if settled is not None and (known is None or known.verdict == CellVerdict.NEVER):
            known = settled
    by_config = cell.reason == Reason.CONFIGURABLE_PREEMPTION and known is not None and known.why == NO_AGES
    if by_config and not ranges.may_select(cell):
        name = ranges.cluster.cluster_queues[cell.preemptor].preemption_config
        such = f"no rule of PreemptionConfig {name} selects such a workload"
        return CellResult(CellVerdict.NEVER, f"{such}, whatever boosts and labels both have")
    return known


def _at_noon(request: DecideRequest) -> DecideRequest:
    """The same state later where a solver has put it near the epoch, before which no Job is created."""
    after = NOW - request.now
    if after <= 0:
        return request

    def later(workload: Workload) -> Workload:
        stamps = {name: getattr(workload, name) for name in STAMPS}
        moved = {name: at + after for name, at in stamps.items() if at is not None}
        return replace(workload, **moved)

    running = tuple(map(later, request.cluster.admitted))
    cluster = replace(request.cluster, admitted=running)
    return replace(request, cluster=cluster, preemptor=later(request.preemptor), now=NOW)


class _Steps(Sequence[int]):
    """The priorities of a class that grows: from the base in steps up to the highest."""

    def __init__(self, base: int, step: int, highest: int) -> None:
        self._below, self._highest = range(base, highest, step), highest

    def __len__(self) -> int:
        return len(self._below) + 1

    @overload
    def __getitem__(self, at: int) -> int: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[int]: ...

    def __getitem__(self, at: int | slice) -> int | Sequence[int]:
        if isinstance(at, slice):
            return [self[number] for number in range(*at.indices(len(self)))]
        return self._highest if at == len(self._below) else self._below[at]

    def __contains__(self, value: object) -> bool:
        return value == self._highest or value in self._below


@dataclass(frozen=True, slots=True)
class _Moved:
    """Moves priorities so that two become others and all keep their order.

    Args:
        old, new: the two, before and after.
    """

    old: tuple[int, int]
    new: tuple[int, int]

    def priority(self, value: int) -> int:
        """What becomes of a priority."""
        if value in self.old:
            return self.new[self.old.index(value)]
        if value > max(self.old):
            return min(HIGHEST_PRIORITY, max(self.new) + value - max(self.old))
        if value < min(self.old):
            return min(self.new) - min(self.old) + value
        return min(self.new) + 1
