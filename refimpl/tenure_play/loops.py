"""A state that comes back, so that the same repeats for ever.

Two states are the same when everything that later decisions can depend on is: who waits where and in which
order, who holds quota, how much longer each is protected, and how all their times compare. Times themselves
do not count, only how they are related to each other and to now, in seconds; nor does how much work is left.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Iterator

from tenure.model import SECOND, Duration, Instant
from tenure_play.actors import Actor
from tenure_play.event_loop import TaskKind, TaskQueue
from tenure_play.record import Loop, Preemption, PreemptionPair, RunSpan
from tenure_play.state import PlayState
from tenure_play.timers import timers_after


class LoopWatch:
    """Looks at the state after every cycle that preempts.

    Args:
        world, agenda: of the play.

    >>> from tenure.model import Cluster
    >>> from tenure.readings import preset
    >>> from tenure_play.scenario import Scenario
    >>> watch = LoopWatch(PlayState(Scenario("s", "", 0, 9, Cluster({})), preset("guaranteed")), TaskQueue())
    >>> watch.loop([], []) is None
    True
    """

    def __init__(self, world: PlayState, agenda: TaskQueue) -> None:
        self._world = world
        self._agenda = agenda
        # A digest each: the states of a long play would fill the memory.
        self._seen: dict[bytes, list[tuple[Instant, int]]] = {}
        self._found: list[tuple[Instant, int]] | None = None

    @property
    def found(self) -> bool:
        """Whether a state has come back."""
        return self._found is not None

    def disturbed(self) -> None:
        """Something happened from outside: what comes after is no repetition of what was before."""
        self._seen.clear()

    def look(self, preemptions: int) -> None:
        """A cycle has preempted a workload.

        Args:
            preemptions: how many there have been so far.
        """
        state = hashlib.sha256(repr(self._state()).encode()).digest()
        times = self._seen.setdefault(state, [])
        times.append((self._world.now, preemptions))
        if len(times) > 1 and self._found is None:
            self._found = times

    @property
    def is_found(self) -> bool:
        """Whether a state has come back."""
        return self._found is not None

    def loop(self, runs: Iterable[RunSpan], preemptions: list[Preemption]) -> Loop | None:
        """The first state that came back, and what happens in one turn.

        Args:
            runs: all that have ended.
            preemptions: all of the play.
        """
        if self._found is None:
            return None
        (start, first), (again, last) = self._found[:2]
        turn = preemptions[first:last]
        victims = tuple(dict.fromkeys(preemption.victim for preemption in turn))
        concerned = {*victims, *(preemption.preemptor for preemption in turn)}
        kept = self._kept(runs, concerned, start, again)
        return Loop(
            start=start,
            period=again - start,
            times=len(self._found) - 1,
            preemptions=tuple(PreemptionPair(preemption.preemptor, preemption.victim) for preemption in turn),
            workloads=victims,
            stuck=tuple(key for key in victims if not self._world.actors[key].keeps),
            work_done=kept,
            futile=kept == 0,
        )

    def _kept(self, runs: Iterable[RunSpan], concerned: set[str], start: Instant, end: Instant) -> Duration:
        """What those concerned work and do not lose between two instants."""
        kept = 0
        for run in runs:
            if run.workload in concerned and self._world.actors[run.workload].keeps:
                kept += max(0, min(run.stopped, end) - max(run.start, start))
        return kept

    def _state(self) -> Hashable:
        world = self._world
        actors = list(world.alive.values())
        return (
            tuple(sorted(self._queue_states())),
            tuple((actor.key, actor.phase.value) for actor in actors),
            self._ranks(actors),
            tuple(self._protected(actors)),
            tuple(
                (task.kind, task.key, _seconds(task.at - world.now))
                for kind in (TaskKind.RELEASE, TaskKind.WAKE, TaskKind.COOLDOWN, TaskKind.LIMIT)
                for task in self._agenda.planned(kind)
            ),
            self._growing(actors),
            self._cooldowns(),
        )

    def _cooldowns(self) -> Hashable:
        world, settings = self._world, self._world.cluster.settings.reclaim_backoff
        return () if settings is None else world.backoff.state(world.clock, settings.reset)

    def _queue_states(self) -> Iterable[tuple[object, ...]]:
        """Who is in each queue; their order follows from the ranks of their times and their priorities."""
        for queue in self._world.queues.values():
            head = queue.preemptor if queue.preemptor_sticks else ""
            parked = tuple(sorted([*queue.parked, *queue.resting]))
            yield queue.name, tuple(sorted(queue.active)), parked, head or ""

    def _ranks(self, actors: list[Actor]) -> Hashable:
        """How all the times that rules compare are related to each other, those of each actor in turn."""
        times: list[Instant | None] = []
        for actor in actors:
            workload = actor.workload
            times += workload.created_at, self._world.queued_from(actor), workload.quota_reserved_at
        ranks: dict[Instant | None, int] = {
            at: rank for rank, at in enumerate(sorted({at for at in times if at is not None}))
        }
        return tuple(map(ranks.get, times))

    def _protected(self, actors: list[Actor]) -> Iterator[tuple[int, ...]]:
        """How much longer each that holds quota is, from equals and from other ClusterQueues."""
        world = self._world
        executions, protections = world.executions(), world.protections()
        for actor in actors:
            if not actor.holds:
                continue
            workload, stamp = actor.workload, actor.workload.quota_reserved_at
            if stamp is None:
                yield (0,)
                continue
            duration = world.protection(actor.queue)
            ends = [] if duration is None else [stamp + duration + 1]
            start = world.execution_start(workload) if executions else None
            if start is not None:
                ends.extend(start + least for least in executions)
            if workload.admission_delay is not None:
                since = stamp + workload.admission_delay
                ends.extend(since + across for across in protections)
            yield tuple(_seconds(max(0, end - world.clock)) for end in ends)

    def _growing(self, actors: list[Actor]) -> Hashable:
        world = self._world
        growing = [actor for actor in actors if actor.workload.priority_class in world.cluster.growing]
        steps = [timer for timer in timers_after(world, world.now) if timer.is_step] if growing else []
        return (
            tuple((actor.key, world.priority(actor)) for actor in growing),
            tuple((timer.actor.key, _seconds(timer.at - world.now)) for timer in steps),
        )


def _seconds(duration: Duration) -> int:
    """Whole seconds, rounded up."""
    return -(-duration // SECOND)
