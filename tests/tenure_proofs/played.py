"""A play of the timeline that is watched: whatever it does to a workload must be a step of the relations.

Hypothesis submits, lets time pass, finishes, restarts the controller, and so on; the player goes from one
instant to the next, and every difference that shows between two looks has to be one of the steps of
`trusted.transitions`, for the workloads as they were and are.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from tenure.model import (
    MINUTE,
    SECOND,
    Basis,
    Duration,
    Evidence,
    Instant,
    Kin,
    PodSet,
    Reason,
    Workload,
)
from tenure.readings import Wake, preset
from tenure.rules.cycle import persisted
from tenure_play import parse_scenario
from tenure_play.actors import Phase
from tenure_play.engine import Player
from tenure_play.event_loop import TaskKind
from tenure_play.record import HeadResult, Preemption, Result
from tenure_play.scenario import Edit, Event, Finish, Restart, Scenario, Submission, Submit, Tick
from tests.tenure_proofs.relations import says

DURATION = MINUTE
QUEUE = "q"
DELAY = 15 * SECOND
"""From the moment when a place can be had to the reservation: pods that end, a controller that is away."""

Seen = tuple[Phase, Workload]
Asked = tuple[str, dict[str, Any], bool]
"""A part of the relation, what it was asked about, and what it must say."""


def one_queue(places: int, eviction: int) -> Scenario:
    """A ClusterQueue with a few places, and no workload there yet."""
    flavor = {"name": "f", "resources": [{"name": "cpu", "nominalQuota": str(places)}]}
    preemption = {
        "withinClusterQueue": "LowerOrNewerEqualPriority",
        "withinClusterQueueConfig": {"minAdmitDuration": "1m"},
    }
    groups = [{"coveredResources": ["cpu"], "flavors": [flavor]}]
    spec = {"preemption": preemption, "resourceGroups": groups}
    return parse_scenario(
        {
            "until": "48h",
            "timing": {"eviction": f"{eviction}s"},
            "objects": [
                {"kind": "ResourceFlavor", "metadata": {"name": "f"}},
                {"kind": "ClusterQueue", "metadata": {"name": QUEUE}, "spec": spec},
            ],
        }
    )


class Watched(Player):
    """A player that is looked at before and after each of its cycles."""

    watch: Watch

    def _cycle(self) -> None:
        self.watch.look()
        self.watch.heap = {key: actor.workload for key, actor in self.world.queues[QUEUE].active.items()}
        before = len(self.journal.preemptions)
        super()._cycle()
        (head,) = self.journal.cycles[-1].heads
        self.watch.cycle(head, self.journal.preemptions[before:])
        self.watch.look()


@dataclass
class Watch:
    """What was seen of a play, and what must be true of what is seen next.

    Args:
        player: who plays.
        steps: collects what was asked of the relations, where a test wants to ask again.
        seen: every workload as it was at the last look.
        heap: who could be head of the cycle that is looked at.
        ran: who has been evicted, as it was and when, until its pods are gone.
        by_time: whether that was for the time that it had run.
        since: from when on a workload could have had a place, without a reservation since.
        equals: whether all priorities are equal.
    """

    player: Watched
    steps: list[Asked] | None = None
    seen: dict[str, Seen] = field(default_factory=dict)
    heap: dict[str, Workload] = field(default_factory=dict)
    ran: dict[str, tuple[Workload, Instant]] = field(default_factory=dict)
    by_time: dict[str, bool] = field(default_factory=dict)
    since: Instant | None = None
    equals: bool = True

    @property
    def reading(self) -> str:
        return self.player.world.reading.name

    @property
    def clock(self) -> Instant:
        return self.player.world.clock

    def ask(self, part: str, want: bool = True, **values: Any) -> None:
        """The relation must say this of these values."""
        values["terms"] = self.player.world.terms(QUEUE)
        if self.steps is not None:
            self.steps.append((part, values, want))
        assert says(part, self.reading, **values) == want, f"{part}: not {want} of {values}"

    def look(self) -> None:
        """Every difference since the last look is a step; in time, where a cycle is promised."""
        for key, actor in self.player.world.actors.items():
            before = self.seen.get(key)
            self._changed(key, before, (actor.phase, actor.workload))
            self.seen[key] = (actor.phase, actor.workload)
        self._in_time()

    def _changed(self, key: str, before: Seen | None, after: Seen) -> None:
        now = persisted(self.clock)
        match (before and before[0], after[0]):
            case (_, Phase.DONE):
                return
            case (None, Phase.WAITING):
                self.ask("waits", before=after[1])
                self._joins(key, after[1], self.clock)
            case (Phase.WAITING, Phase.RUNNING):
                assert before is not None
                self.ask("is reserved", before=before[1], after=after[1], now=now)
                self.ask("is reserved", want=False, before=before[1], after=after[1], now=now + SECOND)
                self.ask("holds", before=after[1])
                self.since = None
            case (Phase.RUNNING, Phase.TERMINATING):
                assert key in self.ran, f"{key} is evicted, and no workload has preempted it"
            case (Phase.RUNNING | Phase.TERMINATING, Phase.WAITING):
                self._gone(key, after[1])
            case (old, new) if old == new:
                assert before is not None
                assert before[1] == after[1], f"{key} changes without a step"
            case phases:
                raise AssertionError(f"{key}: no step leads from {phases[0]} to {phases[1]}")

    def _gone(self, key: str, after: Workload) -> None:
        """The pods of a victim have ended."""
        ran, at = self.ran.pop(key)
        by_time = self.by_time[key]
        step: dict[str, Any] = {"before": ran, "after": after, "now": persisted(at)}
        self.ask("is evicted", by_time=by_time, **step)
        self.ask("is evicted", want=False, by_time=not by_time, **step)
        self.ask("waits", before=after)
        self._joins(key, after, at)

    def _joins(self, key: str, workload: Workload, at: Instant) -> None:
        """Whoever is created or evicted at an instant comes after those who queue from an earlier second.

        That is what `one_fewer_is_ahead` rests on. A victim whose pods take their time joins later than that,
        and comes before who came meanwhile.
        """
        if self.reading != "guaranteed" or not self.equals:
            return
        for other, (phase, waiting) in self.seen.items():
            queued = waiting.time_based_preempted_at or waiting.created_at
            if other != key and phase == Phase.WAITING and queued < persisted(at):
                self.ask("is ahead", want=False, before=workload, after=waiting)

    def cycle(self, head: HeadResult, preemptions: list[Preemption]) -> None:
        """What a cycle has done to its head, and who was preempted for it."""
        mine = self.heap[head.workload]
        for key, other in self.heap.items():
            if key != head.workload and not head.sticky:
                self.ask("heads", before=mine, after=other)
                self.ask("is ahead", before=mine, after=other)
        for preemption in preemptions:
            victim = self.seen[preemption.victim][1]
            self.ran[preemption.victim] = (victim, self.clock)
            self.by_time[preemption.victim] = preemption.reason == Reason.IN_CLUSTER_QUEUE_TIME_BASED.label
            self._taken(mine, victim, by_time=self.by_time[preemption.victim])
        if head.result == Result.PARKED:
            for phase, holder in self.seen.values():
                if phase == Phase.RUNNING:
                    self._kept(mine, holder)

    def _taken(self, preemptor: Workload, victim: Workload, *, by_time: bool) -> None:
        """The door opens for the basis that the reason tells of, and for no other."""
        lower = victim.priority < preemptor.priority
        own = Basis.TIME_EXPIRED if by_time else Basis.LOWER_PRIORITY if lower else Basis.NEWER_EQUAL
        for basis in (Basis.LOWER_PRIORITY, Basis.NEWER_EQUAL, Basis.TIME_EXPIRED):
            self._door(preemptor, victim, basis, opens=basis == own)

    def _kept(self, preemptor: Workload, holder: Workload) -> None:
        """Nobody stays whom the head could have had: each holds as much as it asks for."""
        for basis in (Basis.LOWER_PRIORITY, Basis.NEWER_EQUAL, Basis.TIME_EXPIRED):
            self._door(preemptor, holder, basis, opens=False)

    def _door(self, preemptor: Workload, target: Workload, basis: Basis, *, opens: bool) -> None:
        evidence = Evidence(basis)
        asked = {"before": preemptor, "after": target, "evidence": evidence, "now": self.clock, "kin": Kin()}
        self.ask("takes", want=opens, **asked)

    def _in_time(self) -> None:
        """Whoever heads the queue is served before a delay has passed, where the reading says so."""
        waiting = [workload for phase, workload in self.seen.values() if phase == Phase.WAITING]
        if self.player.world.reading.wake != Wake.AT_EXPIRY or not waiting:
            self.since = None
            return
        possible = self._can_be_had(waiting)
        if not possible:
            self.since = None
            return
        self.since = self.clock if self.since is None else self.since
        asked: dict[str, Any] = {"delay": DELAY, "possible": possible, "since": self.since}
        self.ask("is served in time", now=self.clock, **asked)
        self.ask("is served in time", want=False, now=self.since + DELAY, **asked)

    def _can_be_had(self, waiting: list[Workload]) -> bool:
        """Whether the head could take a place now: one that is free, or one whose time has passed."""
        world = self.player.world
        terms = world.terms(QUEUE)
        ahead = [
            workload
            for workload in waiting
            if not any(
                says("is ahead", self.reading, before=other, after=workload, terms=terms)
                for other in waiting
                if other is not workload
            )
        ]
        (quota,) = world.cluster.cluster_queues[QUEUE].nominal().values()
        held = sum(sum(actor.workload.usage.values()) for actor in world.holders())
        fixed: dict[str, Any] = {"now": self.clock, "kin": Kin(), "terms": terms}
        evidence = Evidence(Basis.TIME_EXPIRED)
        return held < quota or any(
            says("takes", self.reading, before=ahead[0], after=holder, evidence=evidence, **fixed)
            for phase, holder in self.seen.values()
            if phase == Phase.RUNNING
        )


class PlayedQueue(RuleBasedStateMachine):
    """One ClusterQueue, played by the timeline."""

    reading = "guaranteed"
    steps: list[Asked] | None = None

    @initialize(places=st.integers(1, 2), eviction=st.sampled_from([0, 3]), equals=st.booleans())
    def start(self, places: int, eviction: int, equals: bool) -> None:
        self.player = Watched(one_queue(places, eviction), preset(self.reading))
        self.watch = self.player.watch = Watch(self.player, self.steps, equals=equals)
        self.player.begin()
        self.now: Instant = self.player.world.now
        self.number = 0
        self.equals = equals

    @rule(after=st.sampled_from([1, 7]), high=st.booleans())
    def submit(self, after: int, high: bool) -> None:
        """Somebody comes."""
        self.number += 1
        self.let_pass(after * SECOND)
        workload = Workload(
            "default",
            f"w{self.number:02}",
            f"u{self.number:02}",
            priority=int(high and not self.equals),
            created_at=persisted(self.now),
            pod_sets=(PodSet("main", 1, {"cpu": 1000}),),
        )
        self.happens(Submit(self.now, Submission(workload, QUEUE)))

    @rule(seconds=st.sampled_from([1, 20, 61, 90]))
    def time_passes(self, seconds: int) -> None:
        """Nothing comes from outside."""
        self.let_pass(seconds * SECOND)

    @precondition(lambda self: self.running())
    @rule(choice=st.integers(0, 1))
    def finish(self, choice: int) -> None:
        """Somebody has done its work."""
        running = self.running()
        self.happens(Finish(self.now, running[choice % len(running)]))

    @rule()
    def tick(self) -> None:
        """Something happens that concerns no workload."""
        self.happens(Tick(self.now))

    @rule(down=st.sampled_from([0, 5]))
    def restart(self, down: int) -> None:
        """The controller ends, and comes back."""
        self.happens(Restart(self.now, down * SECOND))

    @rule()
    def write_the_same_quota(self) -> None:
        """Somebody edits an object, and changes nothing."""
        self.happens(Edit(self.now, "nothing is changed", self.player.world.cluster))

    def running(self) -> list[str]:
        """Who runs."""
        actors = getattr(self, "player", None)
        if actors is None:
            return []
        return [key for key, actor in actors.world.alive.items() if actor.phase == Phase.RUNNING]

    def happens(self, event: Event) -> None:
        """An event, and all of its instant and the second after it."""
        self.player.agenda.plan(event.at, TaskKind.EVENT, event=event)
        self.let_pass(SECOND)

    def let_pass(self, duration: Duration) -> None:
        """The player goes on from one instant to the next, and is looked at after each."""
        until = self.now + duration
        while (at := self.player.next_at()) is not None and at <= until:
            self.player.go_on_until(at)
            self.watch.look()
        self.now = self.player.world.now = until
        self.watch.look()
