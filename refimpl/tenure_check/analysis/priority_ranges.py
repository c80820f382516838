"""Priorities that are not one number: those that grow with age (KEP-754), and priority boosts.

Inside a decision every workload has one priority (DYN-070), and no rule compares it with anything but other
priorities and maxPriorityThreshold. So a cell of two classes is settled by the cells of the regions in which
their priorities can be, lower, equal or higher: *never* if all of these are, and *can* by an example in which
workloads of these classes have such ages or boosts at one instant.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import overload

from tenure.conformance.requests import DecideRequest
from tenure.model import Cluster, Instant, PolicyFault, Reason, Workload, WorkloadPriorityClass
from tenure.oracle.ageing import grown_priority
from tenure.oracle.tree import Tree
from tenure.readings import Reading
from tenure.rules.dynamic_priority import policy_fault
from tenure_check.analysis.decided_states import Replays
from tenure_check.analysis.matrix import CellResult, CellVerdict, Matrix, trees_of
from tenure_check.analysis.priority_levels import HIGHEST_PRIORITY, regions_of, thresholds_of
from tenure_check.analysis.scopes import Scope
from tenure_check.analysis.states import (
    NOW,
    STAMPS,
    CellQuery,
    Example,
    PriorityLevel,
    is_in_scope,
)

MOST_STEPS_COMPARED = 10_000
"""How many steps of a class are compared with another's, to find a priority that both can have."""

NOT_BESIDE = "is not modelled beside priorities that grow with age and priority boosts, in every state"
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
        if configs is not None:  # Base and Boosted compare different priorities then
            configs = {name: replace(config, unread=NOT_BESIDE) for name, config in configs.items()}
        return replace(self.cluster, growing={}, settings=settings, preemption_configs=configs)

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
        running = []
        for workload in request.cluster.admitted:
            if workload.key == example.victim:
                running.append(self._dressed(workload, by_value[cell.low], pair[1], request.now))
            else:
                running.append(workload.with_priority(moved.priority(workload.priority)))
        preemptor = self._dressed(request.preemptor, by_value[cell.high], pair[0], request.now)
        cluster = replace(self.cluster, admitted=tuple(running), pending=(preemptor,))
        moved_request = replace(request, cluster=cluster, preemptor=preemptor)
        if not is_in_scope(moved_request, tree, scope):
            return None
        decision = self._replays.decided(moved_request)
        targets = {target.workload.key: target for target in decision.targets}
        victim = targets.get(example.victim)
        if victim is None or victim.reason != cell.reason or victim.workload.priority != pair[1]:
            return None
        return replace(example, request=moved_request, preempted=frozenset(targets))

    def _dressed(self, workload: Workload, level: PriorityLevel, value: int, now: Instant) -> Workload:
        """The workload as one of a class, of such an age or with such a boost that it has a priority now."""
        found = self.cluster.growing.get(level.name)
        named = replace(workload, priority=level.priority, priority_class="" if found is None else level.name)
        if self.cluster.settings.priority_boost:
            grown = grown_priority(named, self.cluster, now, self.reading)
            return replace(named, priority_boost=value - (level.priority if grown is None else grown))
        if found is None or found.policy is None:
            return named
        return self._aged(named, found, value, now)

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


def matrix_of_ranges(ranges: Ranges, inner: Matrix) -> Matrix:
    """The matrix of classes.

    Args:
        ranges: the priorities that their workloads can have.
        inner: the matrix of `ranges.plain` and `ranges.regions`.
    """
    matrix = Matrix(
        inner.queues,
        ranges.levels,
        apart=inner.apart,
        states=inner.states,
        scope=inner.scope,
        premises=inner.premises,
    )
    kinds = {pair: ranges.kinds(*pair) for pair in product(ranges.levels, repeat=2)}
    for tree in trees_of(ranges.plain):
        for preemptor, victim in product(sorted(tree.places), repeat=2):
            for (high, low), found in kinds.items():
                for reason in Reason:
                    cell = CellQuery(preemptor, high.priority, victim, low.priority, reason)
                    settled = _of_kinds(ranges, inner, cell, found, tree)
                    if settled is not None:
                        matrix.settled[cell] = settled
    return matrix


def _of_kinds(
    ranges: Ranges,
    inner: Matrix,
    cell: CellQuery,
    kinds: Mapping[tuple[int, int], tuple[int, int]],
    tree: Tree,
) -> CellResult | None:
    """A cell of classes: never if it is so for all their priorities; None where no rule allows it."""
    known: CellResult | None = None
    for (high, low), pair in kinds.items():
        old = replace(cell, high=high, low=low)
        settled = inner.settled.get(old)
        if settled is not None and settled.example is not None:
            example = ranges.example(cell, pair, old, settled.example, tree, inner.scope)
            if example is not None:
                return replace(settled, example=example, is_fewest=example.victims == 1)
            settled = CellResult(CellVerdict.UNKNOWN, NO_AGES)
        if settled is not None and (known is None or known.verdict == CellVerdict.NEVER):
            known = settled
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
