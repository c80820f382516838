"""What a workload may count on: how long nothing preempts it, and whether within its nominal quota.

Cells of the matrix that can are settled again under conditions: random states first, then proofs.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Protocol

from tenure.conformance.requests import DecideRequest
from tenure.model import Cluster, Duration, Instant, Workload
from tenure.oracle.decide import Decision
from tenure.oracle.tree import Tree, quota_at
from tenure.oracle.unmodelled import with_known_configs
from tenure.readings import Reading
from tenure.rules.terms import terms_of
from tenure.rules.time_based import duration_in_force
from tenure_check.analysis.decided_states import Deciding, Replays
from tenure_check.analysis.matrix import CellResult, CellVerdict, Effort, Matrix
from tenure_check.analysis.states import (
    CellQuery,
    Example,
    States,
    hits_of,
    made_small,
    still_in_scope,
)
from tenure_check.choices import Scope


class Narrowing(StrEnum):
    """A condition on the victim of a cell."""

    AT_ONCE = "at once"
    """Its quota was reserved at the very instant of the decision."""
    PROTECTED = "protected"
    """It has run for no longer than a time: its ClusterQueue's minAdmitDuration, or what a file asserts."""
    WITHIN = "within nominal quota"
    """Its ClusterQueue uses no more than its nominal quota of anything."""


@dataclass(frozen=True, slots=True)
class NarrowCell:
    """A cell with a condition on the victim.

    Args:
        cell: the cell.
        narrowing: the condition.
        duration: the victim's minAdmitDuration in force, or a time that is asserted, ns; None where
            there is none.
    """

    cell: CellQuery
    narrowing: Narrowing
    duration: Duration | None

    @property
    def longest(self) -> Duration | None:
        """The longest that the victim has run, ns; None for any time."""
        return {Narrowing.AT_ONCE: 0, Narrowing.PROTECTED: self.duration}.get(self.narrowing)

    def is_shown(self, example: Example, tree: Tree) -> bool:
        """Whether an example of the cell meets the condition; see `is_met`."""
        running = example.request.cluster.admitted
        victim = next(workload for workload in running if workload.key == example.victim)
        return self.is_met(victim, running, example.request.now, tree)

    def is_met(self, victim: Workload, running: Sequence[Workload], now: Instant, tree: Tree) -> bool:
        """Whether a victim meets the condition.

        Args:
            victim: the workload that is preempted.
            running: all that run.
            now: the clock, ns since the epoch.
            tree: the tree of its ClusterQueue.
        """
        if self.longest is not None:
            return now - (victim.quota_reserved_at or 0) <= self.longest
        place = tree.places[self.cell.victim]
        own = [workload for workload in running if workload.cluster_queue == self.cell.victim]
        held = {at for workload in own for at in workload.usage}
        return all(
            sum(workload.usage.get(at, 0) for workload in own) <= quota_at(tree, place, at).nominal
            for at in held
        )


@dataclass(frozen=True, slots=True)
class Reached:
    """Whether a request within a ClusterQueue's nominal quota always gets it.

    Args:
        state: in which it does not; None where none was found.
        why: why it is not proved, where no state was found; empty where it is.
    """

    state: DecideRequest | None
    why: str


class Narrower(Protocol):
    """Settles what random states have not hit."""

    def never_narrowed(self, narrow: NarrowCell) -> CellResult | None:
        """That a cell with a condition never can, where a small question proves it; else nothing."""

    def narrowed(self, narrow: NarrowCell) -> CellResult:
        """What is proved of a cell with a condition, or found by a solver's values."""


@dataclass(slots=True)
class Guarantees:
    """What is known of every cell that can, under each condition.

    Args:
        matrix: all cells.
        durations: minAdmitDuration in force, by ClusterQueue.
        narrowed: by cell and condition.
    """

    matrix: Matrix
    durations: Mapping[str, Duration | None]
    narrowed: dict[NarrowCell, CellResult] = field(default_factory=dict)

    def of(self, cell: CellQuery, narrowing: Narrowing) -> CellResult | None:
        """What is known of a cell under a condition; None where the condition has no meaning."""
        return self.narrowed.get(NarrowCell(cell, narrowing, self.durations[cell.victim]))


def find_guarantees(
    cluster: Cluster,
    matrix: Matrix,
    reading: Reading,
    narrowers: Mapping[str, tuple[Tree, Narrower]],
    effort: Effort,
) -> Guarantees:
    """Settle every condition of every cell that can.

    Args:
        cluster: the configuration.
        matrix: its cells.
        reading: see `tenure.readings`.
        narrowers: the tree of each ClusterQueue, and what proves of it; none of trees that are not covered.
        effort: how long is looked for examples.
    """
    durations = {
        name: duration_in_force(terms_of(queue, cluster.settings, reading))
        for name, queue in cluster.cluster_queues.items()
    }
    wanted = {
        cell: list(conditions_on(cell, durations[cell.victim]))
        for cell, settled in matrix.settled.items()
        if settled.example is not None
    }
    narrowed = settle_conditions(cluster, matrix, reading, narrowers, effort, wanted)
    return Guarantees(matrix, durations, narrowed)


def settle_conditions(
    cluster: Cluster,
    matrix: Matrix,
    reading: Reading,
    narrowers: Mapping[str, tuple[Tree, Narrower]],
    effort: Effort,
    wanted: Mapping[CellQuery, Sequence[NarrowCell]],
) -> dict[NarrowCell, CellResult]:
    """Settle some conditions of some cells.

    Args:
        cluster, matrix, reading, effort: as `find_guarantees` has them.
        narrowers: for the ClusterQueues of all preemptors.
        wanted: the conditions of each cell, the one that implies another first.
    """
    cluster = with_known_configs(cluster)  # no cell in question is touched
    shown = _Shown()
    found = shown.found
    dice = random.Random(effort.seed)
    for cell, conditions in wanted.items():
        example = matrix.settled[cell].example
        if example is not None:
            shown.note_young(conditions, example, narrowers[cell.preemptor][0])
    still_open: set[str] = set()
    for cell in sorted(wanted, key=lambda known: (known.preemptor, known.victim)):
        for narrow in (each for each in wanted[cell] if each not in found):
            never = narrowers[cell.preemptor][1].never_narrowed(narrow)
            if never is None:
                still_open.add(cell.preemptor)
            else:
                found[narrow] = never
    for queue, (tree, _) in sorted(narrowers.items()):
        if queue not in still_open:
            continue
        states = States(cluster, tree, reading, matrix.levels, matrix.scope)
        for _ in range(effort.fewest):
            for cell, example in states.hits(dice, queue):
                shown.note(wanted.get(cell, ()), example, tree)
    for cell in sorted(wanted, key=lambda known: (known.preemptor, known.victim)):
        _settle(found, wanted[cell], narrowers[cell.preemptor][1])
    return found


def conditions_on(cell: CellQuery, duration: Duration | None) -> Iterator[NarrowCell]:
    """The conditions under which a cell is settled, the one that implies another first."""
    if duration is not None:
        yield NarrowCell(cell, Narrowing.PROTECTED, duration)
    yield NarrowCell(cell, Narrowing.AT_ONCE, duration)
    yield NarrowCell(cell, Narrowing.WITHIN, duration)


class _Shown:
    """Conditions that examples meet, each when written as manifests too; trees are built once for all."""

    def __init__(self) -> None:
        self.found: dict[NarrowCell, CellResult] = {}
        self._decide_one = Deciding().decided
        self._replays = Replays()

    def note_young(self, conditions: Sequence[NarrowCell], example: Example, tree: Tree) -> None:
        """Note what an example shows, as it is and with a victim of each age of a condition."""
        self.note(conditions, example, tree)
        for narrow in conditions:
            for young in self._with_young_victim(narrow, example):
                self.note([narrow], young, tree)

    def _with_young_victim(self, narrow: NarrowCell, example: Example) -> Iterator[Example]:
        """What an example becomes where its victim has run no longer than a condition allows."""
        request = example.request
        if narrow.longest is None or narrow in self.found:
            return
        at = request.now - narrow.longest

        def younger(workload: Workload) -> Workload:
            if workload.key != example.victim or (workload.quota_reserved_at or 0) >= at:
                return workload
            return replace(workload, quota_reserved_at=at)

        running = tuple(map(younger, request.cluster.admitted))
        young = replace(request, cluster=replace(request.cluster, admitted=running))
        hits = hits_of(young, self._decide_one(young))
        yield from (found for cell, found in hits if cell == narrow.cell)

    def note(self, conditions: Iterable[NarrowCell], example: Example, tree: Tree) -> None:
        """Note which conditions an example meets."""
        is_state = still_in_scope(tree, Scope.CONSISTENT)
        for narrow in conditions if is_state(example.request) else ():
            if narrow not in self.found and narrow.is_shown(example, tree):
                small = smaller_shown(narrow, example, tree, self._decide_one, is_state)
                if self._replays.is_replayed(narrow.cell, small):
                    self.found[narrow] = CellResult(CellVerdict.CAN, "by an example", small)


def smaller_shown(
    narrow: NarrowCell,
    example: Example,
    tree: Tree,
    decide_one: Callable[[DecideRequest], Decision],
    is_state: Callable[[DecideRequest], bool],
) -> Example:
    """An example made small, as long as it still meets the condition.

    Args:
        narrow: the cell, and the condition that the example meets.
        example: the example.
        tree: the tree of its ClusterQueues.
        decide_one, is_state: see `tenure_check.analysis.states.made_small`.
    """
    small = made_small(narrow.cell, example, decide_one, is_state)
    return small if narrow.is_shown(small, tree) else example


def _settle(
    found: dict[NarrowCell, CellResult], conditions: Iterable[NarrowCell], narrower: Narrower
) -> None:
    """Prove what no example has shown; what never happens in a long time does not happen at once either."""
    protected: CellResult | None = None
    for narrow in conditions:
        if narrow not in found:
            implied = protected if narrow.narrowing == Narrowing.AT_ONCE else None
            found[narrow] = implied or narrower.narrowed(narrow)
        settled = found[narrow]
        if narrow.narrowing == Narrowing.PROTECTED and settled.verdict == CellVerdict.NEVER:
            protected = settled
