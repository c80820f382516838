"""The heads of a cycle, and in which order it handles them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cmp_to_key
from itertools import groupby
from typing import Any

from tenure.model import Amounts, Head, Instant, Outcome
from tenure.oracle.decide import Decision
from tenure.oracle.heroes.effective import charged_usage
from tenure.oracle.shares import SharesOf
from tenure.oracle.snapshot import Snapshot
from tenure.oracle.tree import NO_QUOTA, Tree, Usage
from tenure.rules.hero_rank import has_turn_before
from tenure.rules.share import Share, borrowed_amount, compare_shares
from tenure.timeline.actors import Actor
from tenure.timeline.world import Snapshots, World


@dataclass(slots=True)
class Entry:
    """The head of one ClusterQueue in a cycle; its decision may be made anew.

    Args:
        actor: the workload.
        decision: what was decided for it.
        queued_from: the time that it queues from.
        is_preemptor: whether it waits for the victims of an earlier cycle.
        goes_first: that, where gate PrioritizePreemptorWorkloads is on.
    """

    actor: Actor
    decision: Decision
    queued_from: Instant
    is_preemptor: bool = False
    goes_first: bool = False

    @property
    def usage(self) -> Amounts:
        """What it would add."""
        return self.decision.assignment.usage

    @property
    def outcome(self) -> Outcome:
        """What was decided."""
        return self.decision.outcome


def in_turn(world: World, entries: list[Entry], snapshots: Snapshots) -> Iterator[Entry]:
    """The entries in the order in which the cycle handles them; the next one is chosen when it is drawn.

    Args:
        world: whose cycle it is.
        entries: the heads.
        snapshots: what the cycle has charged so far; fair sharing looks at it again for every entry.

    UCQ-030 says who comes before whom; where it says nothing, Kueue's order stands.

    Source: KEP-8826, Goals, Hierarchical Protection; Kueue main of August 2026, iterators of a scheduling
        cycle. Where Kueue leaves the order to chance, entries stand by the name of their ClusterQueue.
    """
    before = sorted(entries, key=_turn_of)
    for _, equals in groupby(before, key=_turn_of):
        yield from _in_kueue_order(world, list(equals), snapshots)


def _compare_turns(mine: Head, theirs: Head) -> int:
    if has_turn_before(mine, theirs):
        return -1
    return int(has_turn_before(theirs, mine))


_key_of_turn = cmp_to_key(_compare_turns)


def _turn_of(entry: Entry) -> Any:
    """What sorts by UCQ-030; equal where neither comes before the other."""
    decision = entry.decision
    cohorts = len(decision.snapshot.tree.nodes[decision.snapshot.place].path) - 1
    return _key_of_turn(Head(decision.terms.hero, cohorts, decision.preemptor.priority, entry.queued_from))


def _in_kueue_order(world: World, entries: list[Entry], snapshots: Snapshots) -> Iterator[Entry]:
    if world.cluster.settings.fair_sharing is None:
        yield from sorted(entries, key=lambda entry: _classical_place(world, entry))
        return
    left = {entry.actor.queue: entry for entry in sorted(entries, key=lambda entry: entry.actor.queue)}
    while left:
        entry = _fairest(world, left, snapshots)
        del left[entry.actor.queue]
        yield entry


def _classical_place(world: World, entry: Entry) -> tuple[object, ...]:
    """Who borrows less goes first, then the higher priority, then who queues from earlier."""
    by_priority = world.cluster.settings.priority_sorting_within_cohort
    return (
        not entry.goes_first,
        entry.decision.assignment.borrowing,
        -entry.decision.preemptor.priority if by_priority else 0,
        entry.queued_from,
        entry.actor.queue,
    )


def _fairest(world: World, left: Mapping[str, Entry], snapshots: Snapshots) -> Entry:
    first = next(iter(left.values()))
    snapshot = snapshots.of(first.actor.queue)
    if snapshot.tree.nodes[snapshot.place].parent is None:
        return first
    here = {snapshot.tree.places[name]: entry for name, entry in left.items() if name in snapshot.tree.places}
    winner = _Tournament(world, snapshot, here).winner(0)
    assert winner is not None
    return winner


class _Tournament:
    """Fair sharing's tournament: at each cohort the child with the lowest share, its head included, wins."""

    def __init__(self, world: World, snapshot: Snapshot, entries: Mapping[int, Entry]) -> None:
        self._by_priority = world.cluster.settings.priority_sorting_within_cohort
        self._tree: Tree = snapshot.tree
        self._entries = entries
        self._charged: dict[str, Usage] = {
            entry.actor.key: charged_usage(snapshot.tree, snapshot.usage, place, entry.usage)
            for place, entry in entries.items()
        }
        self._shares = SharesOf(snapshot.tree)

    def winner(self, cohort: int) -> Entry | None:
        """Who wins below a cohort; None where nobody is left."""
        node = self._tree.nodes[cohort]
        best: tuple[Entry, int] | None = None
        for child in (*node.cohorts, *node.queues):
            entry = self._entries.get(child) if child in node.queues else self.winner(child)
            if entry is not None and (best is None or self._goes_before(entry, child, *best)):
                best = entry, child
        return None if best is None else best[0]

    def _goes_before(self, entry: Entry, child: int, other: Entry, beside: int) -> bool:
        if entry.goes_first != other.goes_first:
            return entry.goes_first
        borrows, other_borrows = self._borrows(entry, child), self._borrows(other, beside)
        if borrows != other_borrows:
            return not borrows
        compared = compare_shares(self._share(entry, child), self._share(other, beside))
        if compared != 0:
            return compared < 0
        priorities = entry.decision.preemptor.priority, other.decision.preemptor.priority
        if self._by_priority and priorities[0] != priorities[1]:
            return priorities[0] > priorities[1]
        return entry.queued_from < other.queued_from

    def _borrows(self, entry: Entry, place: int) -> bool:
        """Whether the child borrows what the entry asks for, were it admitted."""
        used, quotas = self._charged[entry.actor.key][place], self._tree.nodes[place].quotas
        return any(
            amount > 0 and borrowed_amount(used.get(asked, 0), quotas.get(asked, NO_QUOTA).subtree) > 0
            for asked, amount in entry.usage.items()
        )

    def _share(self, entry: Entry, place: int) -> Share:
        return self._shares.of(self._charged[entry.actor.key], place)
