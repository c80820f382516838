"""The record in the making: what happens is written down as it happens."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from typing import Protocol

from tenure.explanation.remarks import BASIS_RULES, CONFIG_RULES
from tenure.model import Duration, Instant, SelectedBy, Target
from tenure.readings import Reading
from tenure.units import format_duration
from tenure_play.actors import Actor, Phase
from tenure_play.record import (
    EVERY_PART,
    Cycle,
    Ending,
    Happening,
    HeadResult,
    Preemption,
    PriorityStep,
    Record,
    RecordParts,
    RunSpan,
    StoryLine,
    Summary,
    WaitSpan,
)
from tenure_play.scenario import MILLISECOND, Story
from tenure_play.state import PlayState
from tenure_play.story import PARKED, MovedTogether, StoryLines


class Participant(Protocol):
    """A workload of Kueue, or a job of KAI-Scheduler. See `tenure_play.actors.Actor`."""

    @property
    def key(self) -> str:
        """`namespace/name`."""

    @property
    def queue(self) -> str:
        """Its queue."""

    @property
    def phase(self) -> Phase:
        """What it does."""

    @property
    def since(self) -> Instant:
        """Since when."""

    @property
    def submitted(self) -> Instant:
        """When it joined."""

    @property
    def reserved(self) -> Instant:
        """When its stay began."""

    @property
    def stopped(self) -> Instant:
        """When it was evicted."""

    @property
    def preempted_by(self) -> str | None:
        """Who took it last."""


class Stage(Protocol):
    """What a ledger looks at."""

    @property
    def now(self) -> Instant:
        """The instant that the play has come to."""

    @property
    def actors(self) -> Mapping[str, Participant]:
        """Every actor, in the order of joining."""


class PlayLedger:
    """The parts of a record that every scheduler has.

    Args:
        stage: the play.
        parts: what is written down beside runs, waits and preemptions.
    """

    def __init__(self, stage: Stage, parts: RecordParts = EVERY_PART) -> None:
        self._stage = stage
        self.parts = parts
        self.runs: list[RunSpan] = []
        self.waits: list[WaitSpan] = []
        self.preemptions: list[Preemption] = []
        self.story = StoryLines()
        self.finished: dict[str, Instant] = {}

    def add(
        self, what: Happening, text: str, actor: Participant | None = None, rules: tuple[str, ...] = ()
    ) -> None:
        """Add a line to the story."""
        if not self.parts.story:
            return
        key, queue = (actor.key, actor.queue) if actor else ("", "")
        self.story.append(StoryLine(self._stage.now, what, key, queue, text, rules))

    def waited(self, actor: Participant, *, admitted: bool) -> None:
        """A wait ends now."""
        self.waits.append(WaitSpan(actor.key, actor.queue, actor.since, self._stage.now, admitted))

    def ran(self, actor: Participant, ended_by: Ending, lost: Duration = 0) -> None:
        """A stay ends now."""
        now, until = self._stage.now, self.protected_until(actor)
        stopped = actor.stopped if actor.phase == Phase.TERMINATING else now
        by = actor.preempted_by if ended_by == Ending.PREEMPTED else None
        done = stopped - actor.reserved
        self.runs.append(
            RunSpan(actor.key, actor.queue, actor.reserved, stopped, now, ended_by, until, by, lost, done)
        )

    def protected_until(self, actor: Participant) -> Instant | None:
        """The last instant of the protection of a stay; None for none."""
        raise NotImplementedError

    def ended(self, actor: Participant, how: Ending) -> None:
        """A workload is finished or deleted now."""
        if actor.phase == Phase.WAITING:
            self.waited(actor, admitted=False)
        else:
            self.ran(actor, how)
        if how == Ending.FINISHED:
            self.finished[actor.key] = self._stage.now
        what = Happening.FINISHED if how == Ending.FINISHED else Happening.DELETED
        self.add(what, how.value, actor)

    def close(self) -> None:
        """The play ends: what still runs or waits is written down as far as it got."""
        for actor in self._stage.actors.values():
            if actor.phase == Phase.WAITING:
                self.waited(actor, admitted=False)
            elif actor.phase == Phase.RUNNING:
                self.ran(actor, Ending.RUNNING)
            elif actor.phase == Phase.TERMINATING:
                self.ran(actor, Ending.PREEMPTED)
        self.runs.sort(key=lambda run: (run.start, run.workload))
        self.waits.sort(key=lambda wait: (wait.start, wait.workload))

    def record(self, story: Story, reading: Reading) -> Record:
        """What the record of every scheduler's play holds, now that the play is over.

        Args:
            story: what was played.
            reading: under which.
        """
        self.close()
        return Record(
            scenario=story.name,
            title=story.title,
            reading=reading.name,
            start=story.start,
            end=story.end,
            workloads=self.summaries(),
            runs=tuple(self.runs),
            waits=tuple(self.waits),
            preemptions=tuple(self.preemptions),
            story=self.story,
            warnings=story.warnings,
            file=story.file,
        )

    def clock_moved(self, whose: str, by: Duration) -> None:
        """A clock is moved, forward or back."""
        way = "forward" if by >= 0 else "back"
        self.add(Happening.CLOCK, f"the {whose}'s clock goes {way} by {format_duration(abs(by))}")

    def summaries(self) -> tuple[Summary, ...]:
        """Every actor's play, in the order of joining."""
        runs: dict[str, list[RunSpan]] = {}
        waits: dict[str, Duration] = {}
        for run in self.runs:
            runs.setdefault(run.workload, []).append(run)
        for wait in self.waits:
            waits[wait.workload] = max(waits.get(wait.workload, 0), wait.end - wait.start)
        taken = Counter(preemption.victim for preemption in self.preemptions)
        return tuple(
            self._summary(actor, runs.get(actor.key, []), taken[actor.key], waits.get(actor.key, 0))
            for actor in self._stage.actors.values()
        )

    def _summary(self, actor: Participant, runs: list[RunSpan], preempted: int, wait: Duration) -> Summary:
        ran = sum(run.work_done for run in runs)
        return Summary(
            workload=actor.key,
            cluster_queue=actor.queue,
            submitted=actor.submitted,
            runs=len(runs),
            preempted=preempted,
            ran=ran,
            kept=ran - sum(run.work_lost for run in runs),
            longest_wait=wait,
            finished=self.finished.get(actor.key),
        )


def to_the_millisecond(duration: Duration) -> str:
    """A duration to the millisecond.

    >>> to_the_millisecond(1_234_567_890)
    '1.234s'
    """
    return format_duration(duration - duration % MILLISECOND)


class KueueJournal(PlayLedger):
    """Everything that a record of Kueue holds, for one play.

    Args:
        world: the play.
        parts: see `PlayLedger`.
    """

    def __init__(self, world: PlayState, parts: RecordParts = EVERY_PART) -> None:
        super().__init__(world, parts)
        self._world = world
        self.steps: list[PriorityStep] = []
        self.cycles: list[Cycle] = []
        self._priorities: dict[str, int] = {}

    def priority(self, actor: Actor) -> None:
        """Note the effective priority that an actor has from now on, where it is another one."""
        priority = self._world.priority(actor)
        known = self._priorities.get(actor.key)
        if known != priority:
            self._priorities[actor.key] = priority
            self.steps.append(PriorityStep(self._world.now, actor.key, priority))
            if known is not None:
                text = f"its priority is {priority}, and was {known}"
                self.add(Happening.PRIORITY, text, actor, ("DYN-050",))

    def parked(self, actors: list[Actor], why: str) -> None:
        """A head is parked, and those like it.

        Args:
            actors: it first.
            why: in words.
        """
        self._moved(Happening.PARKED, actors, f"{PARKED}{why}", alike=True)

    def woken(self, actors: list[Actor], why: str) -> None:
        """Workloads of one ClusterQueue are tried again.

        Args:
            actors: in order.
            why: in words.
        """
        self._moved(Happening.WOKEN, actors, f"is tried again: {why}")

    def _moved(self, what: Happening, actors: list[Actor], text: str, *, alike: bool = False) -> None:
        if self.parts.story and actors:
            names = tuple(actor.key for actor in actors)
            text = sys.intern(text)
            self.story.extend(MovedTogether(self._world.now, what, names, actors[0].queue, text, alike))

    def cycle(self, heads: tuple[HeadResult, ...]) -> None:
        """A scheduling cycle was run."""
        world = self._world
        self.cycles.append(Cycle(len(self.cycles) + 1, world.now, world.clock, heads))

    def protected_until(self, actor: Participant) -> Instant | None:
        """The last instant at which minAdmitDuration protects a stay, by its persisted stamp."""
        duration = self._world.protection(actor.queue)
        stamp = self._world.actors[actor.key].workload.quota_reserved_at
        return None if duration is None or stamp is None else stamp + duration - self._world.offset

    def preempted(
        self,
        preemptor: Actor,
        actor: Actor,
        target: Target,
        *,
        equal: bool,
        selected: SelectedBy | None = None,
    ) -> None:
        """A workload is preempted now.

        Args:
            preemptor, actor: the two.
            target: why.
            equal: whether both are of one ClusterQueue and one effective priority.
            selected: what of a PreemptionConfig selects it; None where `spec.preemption` names it.
        """
        now = self._world.now
        ran = now - actor.reserved
        duration = self._world.protection(actor.queue) if equal else None
        rules = BASIS_RULES[target.evidence.basis] if selected is None else CONFIG_RULES
        cut = 0 if duration is None else max(0, duration - ran)
        self.preemptions.append(
            Preemption(
                at=now,
                preemptor=preemptor.key,
                victim=actor.key,
                preemptor_queue=preemptor.queue,
                cluster_queue=actor.queue,
                reason=target.reason.label,
                rules=rules,
                ran=ran,
                cut_short=cut,
                cycle=len(self.cycles) + 1,
            )
        )
        text = f"preempted for {preemptor.key} after {to_the_millisecond(ran)}: {target.reason.label}"
        if selected is not None:
            text += f" ({selected.config} rule {selected.words})"
        if cut:
            text += f", {to_the_millisecond(cut)} short of its minAdmitDuration"
        self.add(Happening.PREEMPTED, text, actor, rules)
