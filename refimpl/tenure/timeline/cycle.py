"""One scheduling cycle: a head of every queue, decided on one snapshot, handled one after another."""

from __future__ import annotations

from dataclasses import dataclass, field

from tenure.engines import Searches
from tenure.model import (
    Amount,
    FlavorResource,
    Outcome,
    ReclaimWithinCohort,
    Workload,
)
from tenure.oracle.decide import Decision, decide
from tenure.oracle.snapshot import Snapshot
from tenure.oracle.tree import available_at, quota_at
from tenure.timeline.entries import Entry, in_turn
from tenure.timeline.queues import Requeue
from tenure.timeline.record import Result
from tenure.timeline.world import Snapshots, World


@dataclass(frozen=True, slots=True)
class Handled:
    """What became of one head.

    Args:
        entry: the head, with the decision that counted.
        result: what came of it.
        why: how it goes back to its queue; None for one that was admitted.
    """

    entry: Entry
    result: Result
    why: Requeue | None


@dataclass(slots=True)
class CycleRun:
    """A cycle in the making.

    Args:
        world: whose cycle it is; only its queues change, by the heads that are taken out.
        taken: whom the cycle has preempted so far, by name, with their ClusterQueues.

    Source: Kueue main of August 2026, scheduling cycle.
    """

    world: World
    taken: dict[str, Workload] = field(default_factory=dict)

    def run(self) -> list[Handled]:
        """Handle the heads, in their order."""
        snapshots = self.world.snapshots()
        entries = self._nominated(snapshots)
        return [self._handled(entry, snapshots) for entry in in_turn(self.world, entries, snapshots)]

    def _nominated(self, snapshots: Snapshots) -> list[Entry]:
        entries = []
        world = self.world
        for name, queue in sorted(world.queues.items()):
            if world.cluster.cluster_queues[name].inactive:
                continue
            actor = queue.pop(world.place)
            if actor is None:
                continue
            waits = queue.preemptor == actor.key
            entry = Entry(
                actor=actor,
                decision=self._decide(actor.workload, snapshots.of(name), name),
                queued_from=world.queued_from(actor),
                is_preemptor=waits,
                goes_first=waits and world.scenario.gates.preemptors_first,
            )
            entries.append(entry)
        return entries

    def _decide(self, workload: Workload, snapshot: Snapshot, queue: str) -> Decision:
        world = self.world
        asked = snapshot.cluster, workload, queue, world.clock, world.reading
        return decide(*asked, snapshot=snapshot, search=Searches())

    def _handled(self, entry: Entry, snapshots: Snapshots) -> Handled:
        snapshot = snapshots.of(entry.actor.queue)
        deferred = False
        if self._overlaps(entry) and self.world.scenario.gates.recompute:
            entry.decision = self._decide(entry.actor.workload, self._without(snapshot), entry.actor.queue)
            deferred = entry.outcome == Outcome.FIT
        if entry.outcome == Outcome.NO_FIT:
            return self._back(entry, Requeue.NO_FIT)
        if entry.outcome == Outcome.NO_CANDIDATES:
            self._reserve(entry, snapshot, snapshots)
            return self._back(entry, Requeue.NO_CANDIDATES)
        if deferred:
            self._charge(entry, snapshot, snapshots)
            return Handled(entry, Result.WAITS_FOR_TARGETS, Requeue.PENDING_PREEMPTION)
        if self._overlaps(entry) or not self._fits(entry, snapshot):
            return Handled(entry, Result.SKIPPED, Requeue.FAILED_AFTER_NOMINATION)
        self.taken.update({target.workload.key: target.workload for target in entry.decision.targets})
        self._charge(entry, snapshot, snapshots)
        if entry.outcome == Outcome.PREEMPT:
            return Handled(entry, Result.PREEMPTING, Requeue.PENDING_PREEMPTION)
        return Handled(entry, Result.ADMITTED, None)

    def _back(self, entry: Entry, why: Requeue) -> Handled:
        strict = self.world.queues[entry.actor.queue].is_strict
        return Handled(entry, Result.TRIED_AGAIN if strict else Result.PARKED, why)

    def _overlaps(self, entry: Entry) -> bool:
        return any(target.workload.key in self.taken for target in entry.decision.targets)

    def _fits(self, entry: Entry, snapshot: Snapshot) -> bool:
        """Whether it fits once all who were preempted in this cycle, and its own targets, have left."""
        leaving = {**self.taken, **{each.workload.key: each.workload for each in entry.decision.targets}}
        after = snapshot.without(leaving.values())
        if entry.decision.terms.hero:
            return all(after.fits_hero(asked, amount) for asked, amount in entry.usage.items())
        return all(
            available_at(after.tree, after.usage, after.place, asked) >= amount
            for asked, amount in entry.usage.items()
        )

    def _without(self, snapshot: Snapshot) -> Snapshot:
        """The snapshot once all who were preempted in this cycle have left."""
        return snapshot.without(self.taken.values())

    def _charge(self, entry: Entry, snapshot: Snapshot, snapshots: Snapshots) -> None:
        """Whoever comes later in the cycle sees the entry as if it held its quota already."""
        self._occupy(dict(entry.usage), snapshot, snapshots)

    def _reserve(self, entry: Entry, snapshot: Snapshot, snapshots: Snapshots) -> None:
        """What nobody can be taken for is kept from others of the tree, unless it can always be reclaimed."""
        # A hero takes what it is short of whenever that runs inside its subtree, so nothing is kept for it;
        # what is lent outside meanwhile it waits for (F-059).
        always = snapshot.queue.reclaim_within_cohort == ReclaimWithinCohort.ANY or entry.decision.terms.hero
        if always and not entry.goes_first:
            return
        tree, place, used = snapshot.tree, snapshot.place, snapshot.usage[snapshot.place]
        kept: dict[FlavorResource, Amount] = {}
        for asked, amount in entry.usage.items():
            quota, holds = quota_at(tree, place, asked), used.get(asked, 0)
            if entry.decision.assignment.borrowing == 0:
                kept[asked] = max(0, min(amount, quota.nominal - holds))
            elif quota.borrowing_limit is None:
                kept[asked] = amount
            else:
                kept[asked] = min(amount, quota.nominal + quota.borrowing_limit - holds)
        self._occupy(kept, snapshot, snapshots)

    @staticmethod
    def _occupy(amounts: dict[FlavorResource, Amount], snapshot: Snapshot, snapshots: Snapshots) -> None:
        snapshots.charge(snapshot.beside(amounts))
