"""All that there is at an instant of a play: objects, workloads, queues, the clock, and timers."""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Iterable, Iterator

from tenure.api import HeapPlace, heap_place
from tenure.choices import Engine
from tenure.engines import Batch, Detail
from tenure.manifests.history import PreemptionMessage, path_of, preemption_message
from tenure.model import (
    UNLIMITED,
    Amounts,
    Cluster,
    ClusterQueue,
    Duration,
    Instant,
    Reason,
    RulePreemption,
    SelectedBy,
    Workload,
)
from tenure.oracle.effects import configured_message
from tenure.oracle.snapshot import Snapshot, with_effective_priority
from tenure.readings import ExecutionStart, Reading
from tenure.rules.protection import admission_time
from tenure.rules.reservation import quota_reservation_time
from tenure.rules.terms import PreemptionTerms, terms_of
from tenure.rules.time_based import duration_in_force, requeue_timestamp
from tenure_play.actors import Actor, shape_of
from tenure_play.backoff import BackoffTracker
from tenure_play.queues import PendingQueue, QueueOrder
from tenure_play.record import KaiQuestion
from tenure_play.scenario import Scenario
from tenure_play.snapshot_cache import SnapshotCache
from tenure_play.timers import Ends

_SEARCHES = 2
"""A decision searches about so often: for the way in which a flavor could serve, and for the targets."""


class PlayState:
    """The state of a play; it changes.

    Args:
        scenario: what is played.
        reading: what is decided under.
        story: whether a story is kept.

    `actors` are all workloads in the order of joining, `alive` those of them that are not done.

    >>> from tenure.readings import preset
    >>> PlayState(Scenario("s", "", 5, 9, Cluster({})), preset("guaranteed")).clock
    5
    """

    def __init__(self, scenario: Scenario, reading: Reading, *, story: bool = True) -> None:
        self.scenario = scenario
        self._story = story
        self.reading = reading
        self.now: Instant = scenario.start
        self.offset: Duration = 0
        self.actors: dict[str, Actor] = {}
        self.alive: dict[str, Actor] = {}
        self.queues: dict[str, PendingQueue] = {}
        self.cluster = scenario.cluster
        self.holding = SnapshotCache(reading)
        self.ends = Ends()
        self.backoff = BackoffTracker()
        self.preempted: list[RulePreemption] = []
        """What PreemptionLimits count; in the memory of the controller."""
        self._terms: dict[str, PreemptionTerms] = {}
        self._roots: dict[str, str] = {}
        self._trees: dict[str, list[PendingQueue]] = {}
        self._executions: tuple[Duration, ...] | None = None
        self._last: Batch | None = None
        self._looked_at: tuple[int, Instant] = (0, 0)
        self.take_objects(scenario.cluster)

    @property
    def clock(self) -> Instant:
        """What the controller's clock shows."""
        return self.now + self.offset

    def take_objects(self, cluster: Cluster) -> None:
        """The objects are these from now on."""
        self.cluster = cluster
        self._executions = None
        for known in (self._terms, self._roots, self._trees):
            known.clear()
        order = QueueOrder(
            self.place,
            self.shape,
            equivalence=self.scenario.gates.equivalence,
            moves=bool(cluster.growing),
            in_order=self._story,
        )
        for name, queue in cluster.cluster_queues.items():
            if name not in self.queues:
                self.queues[name] = PendingQueue(name, queue.queueing, order)
            else:
                self.queues[name].reorder(queue.queueing, order)
        self.holding.forget_trees()
        self.ends = Ends()
        for actor in self.holding:
            self.ends.add(actor, self)

    def terms(self, queue: str) -> PreemptionTerms:
        """What holds in a ClusterQueue."""
        known = self._terms.get(queue)
        if known is None:
            known = terms_of(self.cluster.cluster_queues[queue], self.cluster.settings, self.reading)
            self._terms[queue] = known
        return known

    def add(self, actor: Actor) -> None:
        """A workload joins the play."""
        actor.number = len(self.actors)
        self.actors[actor.key] = self.alive[actor.key] = actor

    def took(self, actor: Actor) -> None:
        """A workload holds quota from now on."""
        self.holding.put(actor)
        self.ends.add(actor, self)

    def is_evicted(self, actor: Actor) -> None:
        """A workload that holds quota is evicted from now on."""
        self.holding.put(actor)

    def gave_back(self, actor: Actor) -> None:
        """A workload holds no quota any more."""
        self.holding.drop(actor)
        self.ends.drop(actor)

    def protection(self, queue: str) -> Duration | None:
        """The minAdmitDuration in force in a ClusterQueue, ns."""
        return duration_in_force(self.terms(queue))

    def protections(self) -> tuple[Duration, ...]:
        """The durations of `preemptionProtection` that are in force, ns; both may count for one workload."""
        settings = self.cluster.settings
        found = {settings.fair_sharing_protection, settings.reclaim_protection} - {None}
        return tuple(sorted(duration for duration in found if duration is not None))

    def executions(self) -> tuple[Duration, ...]:
        """The minExecutionDurations of PreemptionConfigs that count, ns."""
        if self._executions is None:
            self._executions = tuple(sorted(self.cluster.execution_minimums))
        return self._executions

    def execution_start(self, workload: Workload) -> Instant | None:
        """Since when a workload runs, by the reading; None where it does not (PCF-130)."""
        if self.reading.execution_start == ExecutionStart.QUOTA_RESERVED:
            return quota_reservation_time(workload, self.clock)
        return None if workload.admission_delay is None else admission_time(workload, self.clock)

    def effective(self, workload: Workload) -> Workload:
        """The workload with its effective priority at this instant."""
        return with_effective_priority(workload, self.cluster, self.clock, self.reading)

    def priority(self, actor: Actor) -> int:
        """An actor's effective priority at this instant."""
        return self.effective(actor.workload).priority

    @property
    def questions(self) -> list[KaiQuestion]:
        """None: those are KAI-Scheduler's."""
        return []

    def is_parked(self, key: str) -> bool:
        """Whether a workload that waits does so outside its queue's heap."""
        queue = self.queues[self.actors[key].queue]
        return key in queue.resting or queue.is_parked(key)

    def priority_of(self, key: str) -> int | None:
        """A workload's effective priority at this instant; None for one that is not there."""
        return self.priority(self.actors[key]) if key in self.actors else None

    def shape(self, actor: Actor) -> Hashable:
        """What the scheduler takes for equivalent, at this instant."""
        return shape_of(self.effective(actor.workload))

    def queued_from(self, actor: Actor) -> Instant:
        """The time that an actor queues from."""
        return requeue_timestamp(actor.workload, self.terms(actor.queue))

    def place(self, actor: Actor) -> HeapPlace:
        """An actor's position in its queue: the head is the lowest."""
        sticks = self.queues[actor.queue].sticky(actor.key)
        return heap_place(self.effective(actor.workload), self.terms(actor.queue), sticks=sticks)

    def holders(self) -> Iterator[Actor]:
        """Every workload that holds quota, in the order of joining."""
        return iter(self.holding)

    def root_of(self, queue: ClusterQueue) -> str:
        """Name of the tree of a ClusterQueue: its root cohort, or itself."""
        known = self._roots.get(queue.name)
        if known is not None:
            return known
        name, above = queue.name, queue.cohort
        while above is not None:
            name = f"cohort {above}"
            cohort = self.cluster.cohorts.get(above)
            above = cohort.parent if cohort else None
        self._roots[queue.name] = name
        return name

    def message(
        self, preemptor: Actor, victim: Actor, reason: Reason, selected: SelectedBy | None = None
    ) -> str:
        """The message of condition Preempted of a victim, which `selected` of a PreemptionConfig selects."""
        if selected is not None:
            return configured_message(preemptor.key, selected)
        parts = PreemptionMessage(
            preemptor.workload.uid,
            preemptor.workload.job_uid,
            preemptor_path=path_of(self.cluster, preemptor.queue),
            victim_path=path_of(self.cluster, victim.queue),
        )
        return preemption_message(reason.label, parts)

    def tree_of(self, queue: str) -> list[PendingQueue]:
        """The queues that share a tree with one, itself included."""
        mine = self.cluster.cluster_queues.get(queue)
        if mine is None:
            return []
        root = self.root_of(mine)
        if root not in self._trees:
            every = self.cluster.cluster_queues.values()
            self._trees[root] = [
                self.queues[cluster_queue.name]
                for cluster_queue in every
                if self.root_of(cluster_queue) == root
            ]
        return self._trees[root]

    @property
    def has_active(self) -> bool:
        """Whether any workload waits that is tried."""
        return any(queue.has_active for queue in self.queues.values())

    def snapshots(self) -> Snapshots:
        """What the decisions of one cycle look at; those of the last one while nothing has changed."""
        heads = sum(1 for queue in self.queues.values() if queue.has_active)
        expected = _SEARCHES * heads * len(self.holding)
        if self._last is None or not self._is_as_it_was():
            self._last = self._batch()
        self._last.go_on(self.clock, expected)
        self._looked_at = self.holding.version, self.clock
        return Snapshots(self._last)

    def _is_as_it_was(self) -> bool:
        """Whether every decision is what it was in the last cycle."""
        version, clock = self._looked_at
        remembers = self.cluster.settings.reclaim_backoff is not None or self.cluster.preemption_limits
        timeless = not self.cluster.growing and not remembers
        is_quiet = timeless and self.ends.is_quiet(clock, self.clock)
        return is_quiet and version == self.holding.version

    def _batch(self) -> Batch:
        """Who decides on what there is now."""
        clock = self.clock
        cooldowns = self.backoff.running(clock)
        cluster = dataclasses.replace(
            self.cluster,
            admitted=self.holding.workloads(),
            pending=(),
            cooldowns=cooldowns,
            preempted=tuple(self.preempted),
        )
        return Batch(
            Engine.AUTO,
            cluster,
            clock,
            self.reading,
            searched=0 if self._last is None else self._last.searched,
            detail=Detail.TARGETS,
            taken=lambda queue: self.holding.snapshot(cluster, queue, clock),
        )


class Snapshots:
    """One snapshot for each tree, shared by the ClusterQueues in it, with what the cycle has charged so far.

    Args:
        batch: decides on the snapshots as they are before anything is charged.
    """

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self._charged: dict[str, Snapshot] = {}
        self._left: dict[str, Snapshot] = {}
        self._leaving: list[Workload] = []

    def of(self, queue: str) -> Snapshot:
        """The snapshot around a ClusterQueue."""
        charged = self._charged.get(queue)
        return self.batch.snapshot(queue) if charged is None else charged.around(queue)

    def left(self, queue: str) -> Snapshot:
        """The same once all who were preempted in the cycle have left."""
        left = self._left.get(queue)
        return self.of(queue) if left is None else left.around(queue)

    def charge(self, queue: str, amounts: Amounts) -> None:
        """From now on a ClusterQueue uses so much more."""
        charged, left = self.of(queue).beside(amounts), self._left.get(queue)
        self._charged.update(dict.fromkeys(charged.tree.places, charged))
        if left is not None:
            # What is in use without bound stays so whoever leaves, so everything is charged before.
            is_bounded = all(amount < UNLIMITED for amount in charged.usage[0].values())
            self._leave(left.around(queue).beside(amounts) if is_bounded else charged.without(self._leaving))

    def leave(self, queue: str, workloads: Iterable[Workload]) -> None:
        """From now on these workloads are preempted, for the head of a ClusterQueue of their tree."""
        leaving = tuple(workloads)
        self._leaving.extend(leaving)
        self._leave(self.left(queue).without(leaving))

    def _leave(self, left: Snapshot) -> None:
        self._left.update(dict.fromkeys(left.tree.places, left))
