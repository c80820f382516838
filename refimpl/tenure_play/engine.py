"""A play: from one instant at which something happens to the next, with a cycle where one is due."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from tenure.errors import InputError, Problem
from tenure.model import Instant
from tenure.readings import Reading, Wake
from tenure.rules.cycle import cycle_due_at, wants_cycle
from tenure.units import format_duration, format_instant
from tenure.versions import kueue_version
from tenure_play.actors import Phase
from tenure_play.changes import Changes, OutsideEvents
from tenure_play.cycle import CycleRun, Handled
from tenure_play.event_loop import EventLoop, Task
from tenure_play.expectations import Observed, judge
from tenure_play.loops import LoopWatch
from tenure_play.record import EVERY_PART, HeadResult, Record, RecordParts, Result
from tenure_play.recorder import KueueJournal
from tenure_play.resource_budget import BUDGET, PlayBudget
from tenure_play.scenario import Happens, Scenario
from tenure_play.state import PlayState
from tenure_play.timers import Timer, timers_after

if TYPE_CHECKING:
    from tenure_play.kai.scenario import KaiScenario


def play(
    scenario: Scenario | KaiScenario,
    reading: Reading,
    parts: RecordParts = EVERY_PART,
    budget: PlayBudget = BUDGET,
) -> Record:
    """Play a scenario. Of Kueue every head is decided as `tenure.decide` decides it.

    Args:
        scenario: what is played; `tenure_play.load_scenario` reads one.
        reading: see `tenure.readings`.
        parts: what the record of a play of Kueue has beside runs, waits and preemptions.
        budget: how much of the processor and of memory it may take.

    Returns:
        what happened, with the outcomes of the expectations that speak of this reading.

    Raises:
        InputError: more than the budget has; more scheduling cycles than the scenario allows; a class that
            the reading refuses.

    Source: Kueue main of August 2026, queues and scheduling cycles; KEP-8522, Integration tests.

    >>> from tenure.model import Cluster
    >>> from tenure.readings import preset
    >>> play(Scenario("idle", "No job comes.", 0, 9, Cluster({})), preset("guaranteed")).cycles
    ()
    """
    if isinstance(scenario, Scenario):
        return Player(scenario, reading, parts, budget).play()
    # What plays Kueue starts without KAI-Scheduler's rules.
    from tenure_play.kai.engine import KaiPlayer

    return KaiPlayer(scenario, reading, budget).play()


def world_at(scenario: Scenario, reading: Reading, at: Instant) -> PlayState:
    """All that there is at an instant of a play, once everything of that instant has happened.

    Args:
        scenario: what is played.
        reading: see `tenure.readings`.
        at: the instant, not after the end of the play.

    Raises:
        InputError: as of `play`.
    """
    player = Player(dataclasses.replace(scenario, end=at, expectations=()), reading)
    player.run_through(scenario.events)
    return player.world


class Player(EventLoop):
    """A play of Kueue that can be run step by step.

    Args:
        scenario: what is played.
        reading: see `tenure.readings`.
        parts: what is written down beside runs, waits and preemptions.
        budget: what it may take.

    >>> from tenure.model import Cluster
    >>> from tenure.readings import preset
    >>> player = Player(Scenario("idle", "No job comes.", 0, 9, Cluster({})), preset("guaranteed"))
    >>> player.next_at() is None
    True
    """

    def __init__(
        self,
        scenario: Scenario,
        reading: Reading,
        parts: RecordParts = EVERY_PART,
        budget: PlayBudget = BUDGET,
    ) -> None:
        super().__init__(scenario, reading, budget)
        self.scenario = scenario
        self.world = PlayState(scenario, reading, story=parts.story)
        self.journal = KueueJournal(self.world, parts)
        self.loops = LoopWatch(self.world, self.agenda)
        self.changes = Changes(self.world, self.agenda, self.journal)
        self.outside = OutsideEvents(self.world, self.agenda, self.journal, self.changes)
        self.last_cycle: Instant = scenario.start - scenario.timing.cycle
        self.mark: Instant = scenario.start - 1
        self.timers: list[Timer] = []
        self._looks_for_loop = parts.loop or any(
            expected.loop is not None for expected in scenario.expectations
        )
        self.handled: list[Handled] = []
        """The heads of the last cycle, in the order in which they were handled."""

    @property
    def observed(self) -> Observed:
        return self.world

    def play(self) -> Record:
        self.run_through(self.scenario.events)
        return self._record()

    def begin(self) -> None:
        for submission in self.scenario.present:
            self.changes.present(submission)

    def next_at(self) -> Instant | None:
        times = [self.agenda.next_at(), self._cycle_at()]
        self.timers = timers_after(self.world, self.mark) if self._heeds_time() else []
        times.extend(timer.at for timer in self.timers[:1])
        return min((at for at in times if at is not None), default=None)

    @property
    def is_at_rest(self) -> bool:
        """Whether nothing happens next but the end of a protection or a step of a priority, if anything."""
        return self.agenda.next_at() is None and self._cycle_at() is None

    def _heeds_time(self) -> bool:
        """Whether time alone changes anything; priorities are followed for the record in any case."""
        return (
            self.world.reading.wake == Wake.AT_EXPIRY
            or bool(self.world.cluster.growing)
            or self.world.has_active
            or bool(self.world.protections())
        )

    def _cycle_at(self) -> Instant | None:
        """When the next cycle is due: at once if there is anything new, but not sooner than cycles can be."""
        pending = self.world.has_active
        if not wants_cycle(self.changes.dirty, self.changes.is_down, pending):
            return None
        return cycle_due_at(self.world.now, self.last_cycle, self.scenario.timing.cycle)

    def pass_instant(self, now: Instant) -> None:
        for timer in self.timers:
            if timer.at <= now:
                self._run_out(timer)
        self.mark = max(self.mark, now)
        self.apply(self.agenda.due(now))
        due = self._cycle_at()
        if due is not None and due <= now:
            self._cycle()

    def follow(self, task: Task) -> None:
        self.changes.apply(task)

    def happen(self, event: Happens) -> None:
        self.loops.disturbed()
        self.outside.happen(event)

    def _run_out(self, timer: Timer) -> None:
        """Time has passed: active workloads are tried again; parked ones where they are woken."""
        world, actor = self.world, timer.actor
        if timer.is_step:
            self.journal.priority(actor)
        if world.has_active:
            self.changes.dirty = True
        if timer.across:  # KEP-9876 retries the tree of the ClusterQueue whatever the reading
            for queue in world.tree_of(actor.queue):
                self.changes.wake(queue.name, f"{actor.key} is not protected from others any more")
            return
        if world.reading.wake != Wake.AT_EXPIRY:
            return
        if not timer.is_step:
            tree = world.tree_of(actor.queue) if world.executions() else (world.queues[actor.queue],)
            for queue in tree:
                self.changes.wake(queue.name, f"{actor.key} has used up its protected time")
        elif actor.phase == Phase.WAITING:
            self.changes.wake(actor.queue, "its own priority takes a step", [actor.key])
        elif timer.falls:
            for queue in world.tree_of(actor.queue):
                self.changes.wake(queue.name, f"the priority of {actor.key} falls")

    def _cycle(self) -> None:
        world = self.world
        self.last_cycle = world.now
        most = self.scenario.max_cycles
        if most is not None and len(self.journal.cycles) >= most:
            raise self._too_many()
        self.changes.dirty = False
        for actor in world.alive.values() if world.cluster.growing else ():
            if actor.workload.priority_class in world.cluster.growing:
                self.journal.priority(actor)
        sticky = {queue.preemptor for queue in world.queues.values() if queue.preemptor_sticks}
        world.backoff.begin_cycle()
        heads = self.handled = CycleRun(world).handle_heads()
        before = len(self.journal.preemptions)
        for handled in heads:
            self.changes.settle(handled)
        listed = tuple(_head(handled, sticky) for handled in heads) if self.journal.parts.heads else ()
        self.journal.cycle(listed)
        if len(self.journal.preemptions) > before and self._looks_for_loop:
            self.loops.look(len(self.journal.preemptions))

    def _too_many(self) -> InputError:
        found = f"more than {self.scenario.max_cycles} scheduling cycles by {format_instant(self.world.now)}"
        expected = f"fewer; a higher maxCycles, an earlier until, or a timing.eviction above 0s{self.hint()}"
        place = f"Scenario/{self.scenario.name}"
        return InputError([Problem("maxCycles", found, expected, object=place, file=self.scenario.file)])

    def hint(self) -> str:
        loop = self.loops.loop(self.journal.runs, self.journal.preemptions)
        return "" if loop is None else f": a loop of {format_duration(loop.period)} was found"

    def _record(self) -> Record:
        journal = self.journal
        record = dataclasses.replace(
            journal.record(self.scenario, self.world.reading),
            priority_steps=tuple(journal.steps),
            cycles=tuple(journal.cycles),
            loop=self.loops.loop(journal.runs, journal.preemptions),
            kueue=kueue_version(self.scenario.cluster.settings.release),
        )
        return judge(self.scenario, record, self.outcomes)


def _head(handled: Handled, sticky: set[str | None]) -> HeadResult:
    entry = handled.entry
    return HeadResult(
        workload=entry.actor.key,
        cluster_queue=entry.actor.queue,
        decision=entry.outcome.value,
        result=Result[handled.result.name],
        targets=tuple(target.workload.key for target in entry.decision.targets),
        sticky=entry.actor.key in sticky,
    )
