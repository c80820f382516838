"""One scheduling cycle: a head of every queue, all decided on one snapshot, handled in Kueue's order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cmp_to_key, partial
from itertools import groupby
from typing import Any, TypeAlias

from tenure.choices import Outcome
from tenure.engines import Searches
from tenure.model import (
    Amount,
    Amounts,
    Contestant,
    CycleHead,
    FlavorResource,
    Head,
    Instant,
    ReclaimWithinCohort,
    TurnResult,
    Workload,
)
from tenure.oracle.decide import Decision, decide
from tenure.oracle.heroes.effective import charged_usage
from tenure.oracle.shares import SharesOf
from tenure.oracle.snapshot import Snapshot
from tenure.oracle.tree import NO_QUOTA, Tree, Usage, available_at, occupy, quota_at
from tenure.rules.cycle import (
    capacity_kept,
    has_earlier_turn,
    is_decided_again,
    keeps_capacity,
    must_still_fit,
    result_of_turn,
    wins_tournament,
)
from tenure.rules.hero_rank import has_turn_before
from tenure.rules.protection import can_always_reclaim
from tenure.rules.share import Share, borrowed_amount, compare_shares
from tenure_play.actors import Actor, Phase, admitted, evicted, phase_of
from tenure_play.queues import PendingQueue, preemptor_after
from tenure_play.state import PlayState, Snapshots

Named: TypeAlias = tuple[str, PendingQueue]
"""The pending workloads of a ClusterQueue, with its name."""

_CHARGED = (TurnResult.ADMITTED, TurnResult.PREEMPTING, TurnResult.WAITS_FOR_TARGETS)
"""What those are charged for who come later in the cycle."""


@dataclass(slots=True)
class Nominee:
    """The head of one ClusterQueue in a cycle; its decision may be made again.

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


def in_turn(world: PlayState, entries: list[Nominee], snapshots: Snapshots) -> Iterator[Nominee]:
    """The entries in the order in which the cycle handles them; the next one is chosen when it is drawn.

    Args:
        world: whose cycle it is.
        entries: the heads.
        snapshots: what the cycle has charged so far; fair sharing looks at it again for every entry.

    UCQ-030 orders heroes; for all others Kueue's order applies.

    Source: KEP-8826, Goals, Hierarchical Protection; Kueue main of August 2026, iterators of a scheduling
        cycle. Where Kueue leaves the order to chance, entries are ordered by the name of their ClusterQueue.
    """
    before = sorted(entries, key=_turn_of)
    for _, equals in groupby(before, key=_turn_of):
        yield from _in_kueue_order(world, list(equals), snapshots)


def _compare_turns(mine: Head, theirs: Head) -> int:
    if has_turn_before(mine, theirs):
        return -1
    return int(has_turn_before(theirs, mine))


_key_of_turn = cmp_to_key(_compare_turns)


def _turn_of(entry: Nominee) -> Any:
    """What sorts by UCQ-030; equal where neither comes before the other."""
    decision = entry.decision
    cohorts = len(decision.snapshot.tree.nodes[decision.snapshot.place].path) - 1
    return _key_of_turn(Head(decision.terms.hero, cohorts, decision.preemptor.priority, entry.queued_from))


def _in_kueue_order(world: PlayState, entries: list[Nominee], snapshots: Snapshots) -> Iterator[Nominee]:
    if world.cluster.settings.fair_sharing is None:
        yield from sorted(entries, key=_key_of_classical_turn)
        return
    left = {entry.actor.queue: entry for entry in sorted(entries, key=lambda entry: entry.actor.queue)}
    while left:
        entry = _fairest(world, left, snapshots)
        del left[entry.actor.queue]
        yield entry


def _compare_classical_turns(mine: Nominee, theirs: Nominee) -> int:
    if _has_earlier_turn(mine, theirs):
        return -1
    return int(_has_earlier_turn(theirs, mine))


_key_of_classical_turn = cmp_to_key(_compare_classical_turns)


def _has_earlier_turn(mine: Nominee, theirs: Nominee) -> bool:
    by_priority = mine.decision.snapshot.cluster.settings.priority_sorting_within_cohort
    return has_earlier_turn(_cycle_head(mine), _cycle_head(theirs), by_priority)


def _cycle_head(entry: Nominee) -> CycleHead:
    decision = entry.decision
    return CycleHead(
        entry.goes_first, decision.assignment.borrowing, decision.preemptor.priority, entry.queued_from
    )


def _fairest(world: PlayState, left: Mapping[str, Nominee], snapshots: Snapshots) -> Nominee:
    first = next(iter(left.values()))
    snapshot = snapshots.of(first.actor.queue)
    if snapshot.tree.nodes[snapshot.place].parent is None:
        return first
    here = {snapshot.tree.places[name]: entry for name, entry in left.items() if name in snapshot.tree.places}
    winner = _Tournament(world, snapshot, here).winner(0)
    assert winner is not None
    return winner


def _contestant(entry: Nominee, borrows: bool) -> Contestant:
    return Contestant(entry.goes_first, borrows, entry.decision.preemptor.priority, entry.queued_from)


class _Tournament:
    """Fair sharing's tournament: at each cohort the child with the lowest share, its head included, wins."""

    def __init__(self, world: PlayState, snapshot: Snapshot, entries: Mapping[int, Nominee]) -> None:
        self._by_priority = world.cluster.settings.priority_sorting_within_cohort
        self._tree: Tree = snapshot.tree
        self._entries = entries
        self._charged: dict[str, Usage] = {
            entry.actor.key: charged_usage(snapshot.tree, snapshot.usage, place, entry.usage)
            for place, entry in entries.items()
        }
        self._shares = SharesOf(snapshot.tree)

    def winner(self, cohort: int) -> Nominee | None:
        """The head that wins below a cohort; None where none is left."""
        node = self._tree.nodes[cohort]
        best: tuple[Nominee, int] | None = None
        for child in (*node.cohorts, *node.queues):
            entry = self._entries.get(child) if child in node.queues else self.winner(child)
            if entry is not None and (best is None or self._goes_before(entry, child, *best)):
                best = entry, child
        return None if best is None else best[0]

    def _goes_before(self, entry: Nominee, child: int, other: Nominee, beside: int) -> bool:
        borrows, other_borrows = self._borrows(entry, child), self._borrows(other, beside)
        # Shares cost more than all else here, and decide only where both borrow or neither does.
        share = 0
        if borrows == other_borrows:
            share = compare_shares(self._share(entry, child), self._share(other, beside))
        mine, theirs = _contestant(entry, borrows), _contestant(other, other_borrows)
        return wins_tournament(mine, theirs, share, self._by_priority)

    def _borrows(self, entry: Nominee, place: int) -> bool:
        """Whether the child would borrow what the entry requests."""
        used, quotas = self._charged[entry.actor.key][place], self._tree.nodes[place].quotas
        return any(
            amount > 0 and borrowed_amount(used.get(at, 0), quotas.get(at, NO_QUOTA).subtree) > 0
            for at, amount in entry.usage.items()
        )

    def _share(self, entry: Nominee, place: int) -> Share:
        return self._shares.of(self._charged[entry.actor.key], place)


@dataclass(frozen=True, slots=True)
class CycleCharge:
    """Quota that a cycle counts as used from a head's turn on.

    Args:
        entry: the head.
        amounts: how much; below 0 where its ClusterQueue uses more than its borrowing limit allows.
        reserved: whether it is only kept for a head without candidates (CYC-100).
    """

    entry: Nominee
    amounts: Amounts
    reserved: bool


@dataclass(frozen=True, slots=True)
class TargetOverlap:
    """A target of a head that an earlier head of the cycle preempts.

    Args:
        target: the workload, `namespace/name`.
        preemptor: the earlier head.
    """

    target: str
    preemptor: str


@dataclass(frozen=True, slots=True)
class Handled:
    """What became of one head.

    Args:
        entry: the head, with the decision that counted.
        result: what came of it.
        overlaps: its targets that earlier heads preempt, by the decision at the start of the cycle.
        decided_again: whether it was decided again for that (CYC-040).
        after: its tree when it had its turn, without the workloads that leave before it must fit (CYC-050):
            those preempted earlier in the cycle, and its own targets.
        earlier: what the cycle had charged by then.
    """

    entry: Nominee
    result: TurnResult
    overlaps: tuple[TargetOverlap, ...] = ()
    decided_again: bool = False
    after: Snapshot | None = None
    earlier: tuple[CycleCharge, ...] = ()

    def hindering(self) -> Iterator[tuple[CycleCharge, FlavorResource, Amount]]:
        """Which charges of earlier heads leave too little quota for a skipped head, of what, and how much.

        A charge counts where more would be available without it: one within quota that its ClusterQueue does
        not lend changes nothing for others.
        """
        after = self.after
        if after is None or self.result != TurnResult.SKIPPED:
            return
        for at, amount in sorted(self.entry.usage.items()):
            available = available_at(after.tree, after.usage, after.place, at)
            if available >= amount:
                continue
            for charge in self.earlier:
                place = after.tree.places.get(charge.entry.actor.queue)
                if place is None or charge.amounts.get(at, 0) <= 0:
                    continue
                more = _available_without(after, place, at, charge.amounts[at]) - max(0, available)
                if more > 0:
                    yield charge, at, min(more, charge.amounts[at])


def _available_without(after: Snapshot, place: int, at: FlavorResource, amount: Amount) -> Amount:
    """What would be available to a head of a flavor-resource, were less of it charged to another place."""
    tree, less = after.tree, {at: -amount}
    if after.heroes is None:
        # A cycle has thousands of such pairs: no snapshot is made for one.
        return available_at(tree, occupy(tree, after.usage, place, less), after.place, at)
    undone = after.around(tree.nodes[place].name).beside(less)
    return available_at(undone.tree, undone.usage, after.place, at)


def heads_of(queues: Sequence[Named], head_of: Callable[[Named], Nominee | None]) -> Iterable[Nominee | None]:
    """The heads of a cycle: one of every ClusterQueue, None where none is tried.

    Args:
        queues: the ClusterQueues with their pending workloads, in the order in which they are asked.
        head_of: takes the head out of one, and decides on it.
    """
    return tuple(head_of(named) for named in queues)


def head_of(world: PlayState, snapshots: Snapshots, named: Named) -> Nominee | None:
    """The head of a ClusterQueue, taken out of it, with the decision; None where none is tried.

    Args:
        world, snapshots: whose cycle it is, and what it looks at.
        named: the name of the ClusterQueue, and its pending workloads.
    """
    name, queue = named
    queue_named, pop, decided = world.cluster.cluster_queues.get, queue.pop, snapshots.batch.decide
    of_it = queue_named(name)
    actor = None if of_it is None or of_it.inactive else pop()
    if actor is None:
        return None
    queued_from, waits = world.queued_from, queue.preemptor == actor.key
    return Nominee(
        actor=actor,
        decision=decided(actor.workload, name),
        queued_from=queued_from(actor),
        is_preemptor=waits,
        goes_first=waits and world.scenario.gates.preemptors_first,
    )


def turn_of(
    outcome: Outcome, still_fits: Callable[[], bool], *, strict: bool, defers: bool, overlaps: bool
) -> TurnResult:
    """What becomes of a head on its turn.

    Args:
        outcome: of its decision.
        still_fits: whether it fits beside what the cycle has given to the heads before it, where that counts.
        strict: whether its queue is StrictFIFO.
        defers: whether it was decided again, and fits once those who were preempted have left.
        overlaps: whether one of its targets is preempted for an earlier head.
    """
    nothing_found = outcome == Outcome.NO_FIT or outcome == Outcome.NO_CANDIDATES
    fits = must_still_fit(nothing_found, defers, overlaps) and still_fits()
    return result_of_turn(nothing_found, strict, defers, fits, outcome == Outcome.PREEMPT)


def write_turn(handled: Handled, world: PlayState) -> None:
    """Write what a head's turn comes to: who is admitted or evicted, and who is the preemptor from now on.

    Args:
        handled: the head, and what became of it.
        world: the play.
    """
    result, head, decision = handled.result, handled.entry.actor, handled.entry.decision
    queue = world.queues[head.queue]
    queue.preemptor = preemptor_after(queue.preemptor, head.key, result)
    if result == TurnResult.ADMITTED:
        head.workload = admitted(head.workload, head.queue, decision.assignment, world.clock)
    if result == TurnResult.PREEMPTING:
        for target in decision.targets:
            victim = world.actors[target.workload.key]
            if phase_of(victim.workload) != Phase.TERMINATING:
                victim.workload = evicted(victim.workload, target.reason, world.clock)


@dataclass(slots=True)
class CycleRun:
    """A cycle in the making.

    Args:
        world: whose cycle it is; only its queues change, by the heads that are removed.
        preemptors: by the names of the workloads that the cycle has preempted so far, the heads that did.

    Source: Kueue main of August 2026, scheduling cycle.
    """

    world: PlayState
    preemptors: dict[str, str] = field(default_factory=dict)
    charges: list[CycleCharge] = field(default_factory=list)

    def handle_heads(self) -> list[Handled]:
        """Handle the heads, in their order."""
        snapshots = self.world.snapshots()
        entries = self._nominated(snapshots)
        return [self._handled(entry, snapshots) for entry in in_turn(self.world, entries, snapshots)]

    def _nominated(self, snapshots: Snapshots) -> list[Nominee]:
        heads = heads_of(sorted(self.world.queues.items()), partial(head_of, self.world, snapshots))
        return [head for head in heads if head is not None]

    def _handled(self, entry: Nominee, snapshots: Snapshots) -> Handled:
        queue, defers, overlaps = entry.actor.queue, False, tuple(self._overlapping(entry))
        again = is_decided_again(bool(overlaps), self.world.scenario.gates.recompute)
        if again:
            left, world = snapshots.left(queue), self.world
            question = left.cluster, entry.actor.workload, queue, world.clock, world.reading
            search = Searches(keep_all=False, listings=snapshots.batch.listings)
            entry.decision = decide(*question, snapshot=left, search=search)
            defers = entry.outcome == Outcome.FIT
        after = partial(self._after, entry, snapshots)
        result = self._result(entry, after, defers=defers)
        # What explains that a head is skipped.
        skipped = (after(), tuple(self.charges)) if result == TurnResult.SKIPPED else ()
        handled = Handled(entry, result, overlaps, again, *skipped)
        if result in (TurnResult.ADMITTED, TurnResult.PREEMPTING):
            self._take(entry, snapshots)
        if result in _CHARGED:
            self._charge(entry, snapshots)
        elif entry.outcome == Outcome.NO_CANDIDATES:
            self._reserve(entry, snapshots)
        return handled

    def _overlapping(self, entry: Nominee) -> Iterator[TargetOverlap]:
        for target in entry.decision.targets:
            key = target.workload.key
            if key in self.preemptors:
                yield TargetOverlap(key, self.preemptors[key])

    def _result(self, entry: Nominee, after: Callable[[], Snapshot], *, defers: bool) -> TurnResult:
        strict = self.world.queues[entry.actor.queue].is_strict
        still_fits = partial(_fits, entry, after)
        overlaps = any(target.workload.key in self.preemptors for target in entry.decision.targets)
        return turn_of(entry.outcome, still_fits, strict=strict, defers=defers, overlaps=overlaps)

    def _after(self, entry: Nominee, snapshots: Snapshots) -> Snapshot:
        """The tree once all who were preempted in this cycle, and the head's own targets, have left."""
        return snapshots.left(entry.actor.queue).without(self._own_targets(entry))

    def _own_targets(self, entry: Nominee) -> Iterator[Workload]:
        """The targets of a head that no earlier head of the cycle preempts."""
        targets = (target.workload for target in entry.decision.targets)
        return (target for target in targets if target.key not in self.preemptors)

    def _take(self, entry: Nominee, snapshots: Snapshots) -> None:
        """The targets of a head are preempted."""
        targets = tuple(self._own_targets(entry))
        snapshots.leave(entry.actor.queue, targets)
        self.preemptors.update((target.key, entry.actor.key) for target in targets)

    def _charge(self, entry: Nominee, snapshots: Snapshots) -> None:
        """Whoever comes later in the cycle sees the entry as if it held its quota already."""
        self._occupy(CycleCharge(entry, dict(entry.usage), reserved=False), snapshots)

    def _reserve(self, entry: Nominee, snapshots: Snapshots) -> None:
        """Reserve what a request without candidates could use, unless it can be reclaimed."""
        snapshot = snapshots.of(entry.actor.queue)
        # A hero takes what it is short of whenever that runs inside its subtree, so nothing is kept for it;
        # what is lent outside meanwhile it waits for (F-059).
        reclaims_any = can_always_reclaim(
            snapshot.queue.reclaim_within_cohort == ReclaimWithinCohort.ANY,
            snapshot.cluster.settings.reclaim_protection is not None,
        )
        if not keeps_capacity(reclaims_any, entry.decision.terms.hero, entry.goes_first):
            return
        tree, place, used = snapshot.tree, snapshot.place, snapshot.usage[snapshot.place]
        kept: dict[FlavorResource, Amount] = {}
        for at, amount in entry.usage.items():
            quota = quota_at(tree, place, at)
            kept[at] = capacity_kept(
                amount,
                used.get(at, 0),
                quota.nominal,
                quota.borrowing_limit is not None,
                quota.borrowing_limit or 0,
                entry.decision.assignment.borrowing > 0,
            )
        self._occupy(CycleCharge(entry, kept, reserved=True), snapshots)

    def _occupy(self, charge: CycleCharge, snapshots: Snapshots) -> None:
        self.charges.append(charge)
        snapshots.charge(charge.entry.actor.queue, charge.amounts)


def _fits(entry: Nominee, after: Callable[[], Snapshot]) -> bool:
    """Whether a head fits once workloads have left."""
    snapshot = after()
    if entry.decision.terms.hero:
        return all(snapshot.fits_hero(at, amount) for at, amount in entry.usage.items())
    return all(
        available_at(snapshot.tree, snapshot.usage, snapshot.place, at) >= amount
        for at, amount in entry.usage.items()
    )
