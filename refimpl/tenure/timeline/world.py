"""All that there is at an instant of a play: objects, workloads, queues, the clock, and timers."""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from tenure.api import HeapPlace, heap_place
from tenure.engines import Engine, Sitting
from tenure.manifests.history import PreemptionMessage, path_of, preemption_message
from tenure.model import Cluster, ClusterQueue, Duration, Instant, Reason, Workload
from tenure.oracle.ageing import grown_priority
from tenure.oracle.snapshot import Snapshot, with_effective_priority
from tenure.readings import Reading
from tenure.rules.cycle import protection_ended_at
from tenure.rules.dynamic_priority import next_step_at
from tenure.rules.reservation import quota_reservation_time
from tenure.rules.terms import PreemptionTerms, terms_of
from tenure.rules.time_based import duration_in_force, requeue_timestamp
from tenure.timeline.actors import Actor, shape_of
from tenure.timeline.queues import PendingQueue
from tenure.timeline.record import KaiQuestion
from tenure.timeline.scenario import Scenario

_SEARCHES = 2
"""A decision searches about so often: for the way in which a flavor could serve, and for the targets."""


class World:
    """The state of a play; it changes.

    Args:
        scenario: what is played.
        reading: what is decided under.

    `actors` are all workloads in the order of joining, `alive` those of them that are not done.

    >>> from tenure.readings import preset
    >>> World(Scenario("s", "", 5, 9, Cluster({})), preset("guaranteed")).clock
    5
    """

    def __init__(self, scenario: Scenario, reading: Reading) -> None:
        self.scenario = scenario
        self.reading = reading
        self.now: Instant = scenario.start
        self.offset: Duration = 0
        self.actors: dict[str, Actor] = {}
        self.alive: dict[str, Actor] = {}
        self.queues: dict[str, PendingQueue] = {}
        self.cluster = scenario.cluster
        self._terms: dict[str, PreemptionTerms] = {}
        self._last: Sitting | None = None
        self.take_objects(scenario.cluster)

    @property
    def clock(self) -> Instant:
        """What the controller's clock shows."""
        return self.now + self.offset

    def take_objects(self, cluster: Cluster) -> None:
        """The objects are these from now on; a queue keeps the strategy with which its heap was made."""
        self.cluster = cluster
        self._terms.clear()
        for name, queue in cluster.cluster_queues.items():
            known = self.queues.setdefault(
                name, PendingQueue(name, queue.queueing, equivalence=self.scenario.gates.equivalence)
            )
            known.strategy = queue.queueing

    def terms(self, queue: str) -> PreemptionTerms:
        """What holds in a ClusterQueue."""
        known = self._terms.get(queue)
        if known is None:
            known = terms_of(self.cluster.cluster_queues[queue], self.cluster.settings, self.reading)
            self._terms[queue] = known
        return known

    def add(self, actor: Actor) -> None:
        """A workload joins the play."""
        self.actors[actor.key] = self.alive[actor.key] = actor

    def protection(self, queue: str) -> Duration | None:
        """The minAdmitDuration in force in a ClusterQueue, ns."""
        return duration_in_force(self.terms(queue))

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
        return key in queue.parked or key in queue.resting

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
        return (actor for actor in self.alive.values() if actor.holds)

    def root_of(self, queue: ClusterQueue) -> str:
        """Name of the tree of a ClusterQueue: its root cohort, or itself."""
        name, above = queue.name, queue.cohort
        while above is not None:
            name = f"cohort {above}"
            cohort = self.cluster.cohorts.get(above)
            above = cohort.parent if cohort else None
        return name

    def message(self, preemptor: Actor, victim: Actor, reason: Reason) -> str:
        """What the condition Preempted of a victim says."""
        told = PreemptionMessage(
            preemptor.workload.uid,
            preemptor.workload.job_uid,
            preemptor_path=path_of(self.cluster, preemptor.queue),
            victim_path=path_of(self.cluster, victim.queue),
        )
        return preemption_message(reason.label, told)

    def tree_of(self, queue: str) -> list[PendingQueue]:
        """The queues that share a tree with one, itself included."""
        mine = self.cluster.cluster_queues.get(queue)
        if mine is None:
            return []
        root = self.root_of(mine)
        every = self.cluster.cluster_queues.values()
        return [
            self.queues[cluster_queue.name] for cluster_queue in every if self.root_of(cluster_queue) == root
        ]

    def snapshots(self) -> Snapshots:
        """What the decisions of one cycle look at."""
        admitted = tuple(actor.workload for actor in self.holders())
        cluster = dataclasses.replace(self.cluster, admitted=admitted, pending=())
        heads = sum(1 for queue in self.queues.values() if queue.active)
        expected = _SEARCHES * heads * len(admitted)
        searched = self._last is not None and self._last.has_searched
        asked = Engine.AUTO, cluster, self.clock, self.reading
        self._last = Sitting(*asked, expected=expected, searched=searched)
        return Snapshots(self._last)


class Snapshots:
    """One snapshot for each tree, shared by the ClusterQueues in it, with what the cycle has charged so far.

    Args:
        sitting: decides on the snapshots as they are before anything is charged.
    """

    def __init__(self, sitting: Sitting) -> None:
        self.sitting = sitting
        self._charged: dict[str, Snapshot] = {}

    def of(self, queue: str) -> Snapshot:
        """The snapshot around a ClusterQueue."""
        charged = self._charged.get(queue)
        return self.sitting.snapshot(queue) if charged is None else charged.around(queue)

    def charge(self, changed: Snapshot) -> None:
        """From now on the tree looks like this."""
        self._charged.update(dict.fromkeys(changed.tree.places, changed))


@dataclass(frozen=True, slots=True)
class Timer:
    """An instant at which something runs out.

    Args:
        at: on the scenario's clock; the first instant at which the decision may be another one.
        actor: whose duration ends, or whose priority takes a step.
        is_step: whether it is the priority.
        falls: whether the priority is lower from then on.
    """

    at: Instant
    actor: Actor
    is_step: bool
    falls: bool = False


def timers_after(world: World, mark: Instant) -> list[Timer]:
    """The earliest instant after another at which anything runs out, with all that does.

    Args:
        world: the play.
        mark: on the scenario's clock; what ran out until then has been looked at.
    """
    found = [timer for timer in _every(world, mark) if timer.at > mark]
    first = min((timer.at for timer in found), default=0)
    return [timer for timer in found if timer.at == first]


def _every(world: World, mark: Instant) -> Iterator[Timer]:
    protections = {name: world.protection(name) for name in world.cluster.cluster_queues}
    if not world.cluster.growing and all(duration is None for duration in protections.values()):
        return
    for actor in world.alive.values():
        duration = protections.get(actor.queue)
        if actor.holds and duration is not None:
            end = protection_ended_at(quota_reservation_time(actor.workload, world.clock), duration)
            yield Timer(end - world.offset, actor, is_step=False)
        if actor.workload.priority_class in world.cluster.growing:
            yield from _step(world, actor, mark)


def _step(world: World, actor: Actor, mark: Instant) -> Iterator[Timer]:
    growing, reading = world.cluster.growing[actor.workload.priority_class], world.reading
    if growing.policy is None or growing.policy.step == 0:
        return
    workload, policy, clock = actor.workload, growing.policy, mark + world.offset
    before = grown_priority(workload, world.cluster, clock, reading)
    at = next_step_at(workload, policy, clock, reading.priority_steps)
    after = grown_priority(workload, world.cluster, at, reading)
    assert before is not None
    assert after is not None
    if after != before:
        yield Timer(at - world.offset, actor, is_step=True, falls=after < before)
