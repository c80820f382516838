"""The record in the making: what happens is written down as it happens."""

from __future__ import annotations

from collections import Counter

from tenure.explain import GROUND_RULES
from tenure.model import Duration, Instant, Target
from tenure.timeline.actors import Actor, Phase
from tenure.timeline.record import (
    Cycle,
    Ending,
    Entry,
    Happening,
    HeadResult,
    Preemption,
    PriorityStep,
    RunSpan,
    Summary,
    WaitSpan,
)
from tenure.timeline.scenario import MILLISECOND
from tenure.timeline.world import World
from tenure.units import format_duration


class Journal:
    """Everything that a record holds, for one play.

    Args:
        world: the play.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self.runs: list[RunSpan] = []
        self.waits: list[WaitSpan] = []
        self.preemptions: list[Preemption] = []
        self.steps: list[PriorityStep] = []
        self.story: list[Entry] = []
        self.cycles: list[Cycle] = []
        self.finished: dict[str, Instant] = {}
        self._priorities: dict[str, int] = {}

    def tell(
        self, what: Happening, text: str, actor: Actor | None = None, rules: tuple[str, ...] = ()
    ) -> None:
        """Add a line to the story."""
        key, queue = (actor.key, actor.queue) if actor else ("", "")
        self.story.append(Entry(self._world.now, what, text, key, queue, rules))

    def priority(self, actor: Actor) -> None:
        """Note the effective priority that an actor has from now on, where it is another one."""
        priority = self._world.priority(actor)
        known = self._priorities.get(actor.key)
        if known != priority:
            self._priorities[actor.key] = priority
            self.steps.append(PriorityStep(self._world.now, actor.key, priority))
            if known is not None:
                text = f"its priority is {priority}, and was {known}"
                self.tell(Happening.PRIORITY, text, actor, ("DYN-050",))

    def cycle(self, heads: tuple[HeadResult, ...]) -> None:
        """A scheduling cycle was run."""
        world = self._world
        self.cycles.append(Cycle(len(self.cycles) + 1, world.now, world.clock, heads))

    def waited(self, actor: Actor, *, admitted: bool) -> None:
        """A wait ends now."""
        self.waits.append(WaitSpan(actor.key, actor.queue, actor.since, self._world.now, admitted))

    def ran(self, actor: Actor, ended_by: Ending, lost: Duration = 0) -> None:
        """A stay with quota ends now."""
        now = self._world.now
        stopped = actor.stopped if actor.phase == Phase.TERMINATING else now
        duration = self._world.protection(actor.queue)
        stamp = actor.workload.quota_reserved_at
        until = None if duration is None or stamp is None else stamp + duration - self._world.offset
        by = actor.preemptor if ended_by == Ending.PREEMPTED else None
        done = stopped - actor.reserved
        self.runs.append(
            RunSpan(actor.key, actor.queue, actor.reserved, now, ended_by, stopped, until, by, done, lost)
        )

    def preempted(self, preemptor: Actor, actor: Actor, target: Target, *, equal: bool) -> None:
        """A workload is taken now.

        Args:
            preemptor, actor: the two.
            target: why.
            equal: whether both are of one ClusterQueue and one effective priority.
        """
        now = self._world.now
        ran = now - actor.reserved
        duration = self._world.protection(actor.queue) if equal else None
        rules = GROUND_RULES[target.evidence.ground]
        cut = 0 if duration is None else max(0, duration - ran)
        self.preemptions.append(
            Preemption(
                at=now,
                preemptor=preemptor.key,
                victim=actor.key,
                preemptor_queue=preemptor.queue,
                queue=actor.queue,
                reason=target.reason.label,
                rules=rules,
                ran=ran,
                cut_short=cut,
                cycle=len(self.cycles) + 1,
            )
        )
        text = f"taken for {preemptor.key} after {_told(ran)}: {target.reason.label}"
        if cut:
            text += f", {_told(cut)} short of its minAdmitDuration"
        self.tell(Happening.PREEMPTED, text, actor, rules)

    def close(self) -> None:
        """The play ends: what still runs or waits is written down as far as it got."""
        for actor in self._world.actors.values():
            if actor.phase == Phase.WAITING:
                self.waited(actor, admitted=False)
            elif actor.phase == Phase.RUNNING:
                self.ran(actor, Ending.RUNNING)
            elif actor.phase == Phase.TERMINATING:
                self.ran(actor, Ending.PREEMPTED)
        self.runs.sort(key=lambda run: (run.start, run.workload))
        self.waits.sort(key=lambda wait: (wait.start, wait.workload))

    def summaries(self) -> tuple[Summary, ...]:
        """Every workload's play, in the order of joining."""
        runs: dict[str, list[RunSpan]] = {}
        waits: dict[str, Duration] = {}
        for run in self.runs:
            runs.setdefault(run.workload, []).append(run)
        for wait in self.waits:
            waits[wait.workload] = max(waits.get(wait.workload, 0), wait.end - wait.start)
        taken = Counter(each.victim for each in self.preemptions)
        return tuple(
            self._summary(actor, runs.get(actor.key, []), taken[actor.key], waits.get(actor.key, 0))
            for actor in self._world.actors.values()
        )

    def _summary(self, actor: Actor, runs: list[RunSpan], preempted: int, wait: Duration) -> Summary:
        ran = sum(run.work_done for run in runs)
        return Summary(
            workload=actor.key,
            queue=actor.queue,
            submitted=actor.submitted,
            runs=len(runs),
            preempted=preempted,
            ran=ran,
            kept=ran - sum(run.work_lost for run in runs),
            longest_wait=wait,
            finished=self.finished.get(actor.key),
        )


def _told(duration: Duration) -> str:
    """A duration to the millisecond."""
    return format_duration(duration - duration % MILLISECOND)
