"""Records as JSON writes them: times as RFC 3339, durations as Go reads them.

`python -m tenure.timeline.answers spec/schemas` writes the schema anew.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tenure.telling.answers.written import schema_of, write_schema, written
from tenure.timeline.record import (
    Cycle,
    Loop,
    Outcome,
    Preemption,
    Question,
    Record,
    RunSpan,
    Summary,
    VictimAnswer,
)
from tenure.units import format_duration, format_instant


@dataclass(frozen=True, slots=True)
class ExpectationShape:
    """What became of one expectation.

    Args:
        field: its path in the scenario.
        at: the instant it speaks of; null where it speaks of the whole play.
        holds: whether it does.
        expected: in words.
        found: in words.
    """

    field: str
    at: str | None
    holds: bool
    expected: str
    found: str


@dataclass(frozen=True, slots=True)
class WorkloadShape:
    """The whole play of one workload.

    Args:
        workload: who.
        cluster_queue: whose quota it asks for.
        submitted: when it joined its queue first.
        runs: how often it was admitted.
        preempted: how often it was preempted.
        ran: how long it worked in all.
        kept: how much of that was not lost.
        longest_wait: its longest wait.
        finished: when it finished; null when it did not.
    """

    workload: str
    cluster_queue: str
    submitted: str
    runs: int
    preempted: int
    ran: str
    kept: str
    longest_wait: str
    finished: str | None


@dataclass(frozen=True, slots=True)
class RunShape:
    """One stay of a workload with quota.

    Args:
        workload: who.
        cluster_queue: whose quota it held.
        start: when the quota was reserved.
        stopped: when it stopped working.
        end: when the quota was given back, or the play ended.
        ended_by: finished, preempted, deleted, or running at the end of the play.
        protected_until: the last instant at which minAdmitDuration protected it; null where none is in force.
        preemptor: who took it; null unless preempted.
        work_lost: how much work was lost with it.
    """

    workload: str
    cluster_queue: str
    start: str
    stopped: str
    end: str
    ended_by: str
    protected_until: str | None
    preemptor: str | None
    work_lost: str


@dataclass(frozen=True, slots=True)
class WaitShape:
    """One wait of a workload.

    Args:
        workload: who.
        cluster_queue: for whose quota.
        start: when it began.
        end: when it ended, or the play did.
        admitted: whether it ended with a reservation.
    """

    workload: str
    cluster_queue: str
    start: str
    end: str
    admitted: bool


@dataclass(frozen=True, slots=True)
class PreemptionShape:
    """One victim of one preemption.

    Args:
        at: when.
        cycle: number of the scheduling cycle, or of KAI-Scheduler's session.
        preemptor: for whom.
        preemptor_queue: its ClusterQueue.
        victim: who was taken.
        cluster_queue: the victim's ClusterQueue.
        reason: of the Preempted condition.
        rules: the rules that allowed it, from the outermost in.
        ran: how long the victim had held quota.
        cut_short: how much of minAdmitDuration was missing to that, among equals of one queue.
    """

    at: str
    cycle: int
    preemptor: str
    preemptor_queue: str
    victim: str
    cluster_queue: str
    reason: str
    rules: tuple[str, ...]
    ran: str
    cut_short: str


@dataclass(frozen=True, slots=True)
class StepShape:
    """A workload's effective priority from an instant on, where its class lets it grow.

    Args:
        at: the first instant.
        workload: who.
        priority: the effective priority.
    """

    at: str
    workload: str
    priority: int


@dataclass(frozen=True, slots=True)
class EntryShape:
    """One line of the story.

    Args:
        at: when.
        what: what kind of thing happened.
        workload: whom it concerns; empty where nobody is.
        cluster_queue: which queue it concerns; empty where none is.
        text: what happened and why, in words.
        rules: the rules by which it happened.
    """

    at: str
    what: str
    workload: str
    cluster_queue: str
    text: str
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HeadShape:
    """What became of one head of a cycle.

    Args:
        workload: who.
        cluster_queue: whose head.
        decision: Fit, Preempt, NoCandidates or NoFit.
        result: what came of it.
        targets: who was preempted, in order.
        sticky: whether it stood at the head because it waited for its victims.
    """

    workload: str
    cluster_queue: str
    decision: str
    result: str
    targets: tuple[str, ...]
    sticky: bool


@dataclass(frozen=True, slots=True)
class CycleShape:
    """One scheduling cycle.

    Args:
        number: from 1.
        at: when.
        clock: what the controller's clock showed.
        heads: in the order in which they were handled.
    """

    number: int
    at: str
    clock: str
    heads: tuple[HeadShape, ...]


@dataclass(frozen=True, slots=True)
class SessionShape:
    """A session of KAI-Scheduler.

    Args:
        number: from 1.
        start: when it began.
        end: when it ended, or the play did.
    """

    number: int
    start: str
    end: str


@dataclass(frozen=True, slots=True)
class VictimShape:
    """What the MinRuntime plugin answered about one victim.

    Args:
        victim: who.
        action: preempt or reclaim.
        may_go: whether it may be taken.
        pods: which of its pods were meant.
        protected: whether it is protected; null where that is not asked.
        remembered: whether an earlier answer of the session counted.
        min_runtime: what counts; null where nothing was compared.
        until: the end of the protection; null where nothing was compared, or there is no start stamp.
        verdict: why, in a clause.
    """

    victim: str
    action: str
    may_go: bool
    pods: tuple[str, ...]
    protected: bool | None
    remembered: bool
    min_runtime: str | None
    until: str | None
    verdict: str


@dataclass(frozen=True, slots=True)
class QuestionShape:
    """A job of KAI-Scheduler asks for victims.

    Args:
        at: when.
        session: number of the session.
        pending: who asks.
        takes: whether those who may go are taken.
        victims: the answers.
    """

    at: str
    session: int
    pending: str
    takes: bool
    victims: tuple[VictimShape, ...]


@dataclass(frozen=True, slots=True)
class PairShape:
    """Who takes whom.

    Args:
        preemptor: for whom.
        victim: who is taken.
    """

    preemptor: str
    victim: str


@dataclass(frozen=True, slots=True)
class LoopShape:
    """A state that came back.

    Args:
        start: its first appearance.
        period: until it came back.
        times: how often it came back.
        preemptions: of one turn, in order.
        workloads: who is preempted in every turn.
        stuck: those of them who lose what they work, and never finish.
        work_done: what is kept of all the work of one turn.
        futile: whether that is nothing.
    """

    start: str
    period: str
    times: int
    preemptions: tuple[PairShape, ...]
    workloads: tuple[str, ...]
    stuck: tuple[str, ...]
    work_done: str
    futile: bool


@dataclass(frozen=True, slots=True)
class PlayShape:
    """One play of one scenario under one reading.

    Args:
        scenario: its name.
        title: what it shows.
        file: where it was read.
        reading: the reading that it was played under.
        start: of the window.
        end: of the window.
        holds: whether every expectation does.
        expectations: those that speak of this reading.
        workloads: every workload's play, in the order of their submission.
        runs: stays with quota, in the order of their start.
        waits: in the order of their start.
        preemptions: in the order of time.
        priority_steps: in the order of time.
        story: everything that happened, in the order of time.
        cycles: every scheduling cycle.
        loop: the first state that came back; null where none did.
        sessions: of KAI-Scheduler; empty for Kueue.
        questions: what KAI-Scheduler's plugin was asked; empty for Kueue.
        warnings: about the scenario's objects.
    """

    scenario: str
    title: str
    file: str
    reading: str
    start: str
    end: str
    holds: bool
    expectations: tuple[ExpectationShape, ...]
    workloads: tuple[WorkloadShape, ...]
    runs: tuple[RunShape, ...]
    waits: tuple[WaitShape, ...]
    preemptions: tuple[PreemptionShape, ...]
    priority_steps: tuple[StepShape, ...]
    story: tuple[EntryShape, ...]
    cycles: tuple[CycleShape, ...]
    loop: LoopShape | None
    sessions: tuple[SessionShape, ...]
    questions: tuple[QuestionShape, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlayAnswer:
    """Plays, by scenario and reading.

    Args:
        holds: whether every expectation of every play does.
        plays: one for each scenario and reading.
    """

    holds: bool
    plays: tuple[PlayShape, ...]


def written_plays(records: Iterable[Record]) -> Any:
    """Records as JSON has them.

    >>> written_plays([Record("s", "", "guaranteed", 0, 10**9)])["plays"][0]["end"]
    '1970-01-01T00:00:01Z'
    """
    plays = tuple(_play(record) for record in records)
    return written(PlayAnswer(all(each.holds for each in plays), plays))


def play_schema() -> dict[str, Any]:
    """The JSON Schema of what `tenure play -o json` prints.

    >>> play_schema()["title"]
    'tenure play -o json'
    """
    return schema_of(PlayAnswer, "tenure play -o json")


def _play(record: Record) -> PlayShape:
    return PlayShape(
        scenario=record.scenario,
        title=record.title,
        file=record.file,
        reading=record.reading,
        start=format_instant(record.start),
        end=format_instant(record.end),
        holds=record.holds,
        expectations=tuple(map(_outcome, record.outcomes)),
        workloads=tuple(map(_summary, record.summaries)),
        runs=tuple(map(_run, record.runs)),
        waits=tuple(
            WaitShape(
                each.workload, each.queue, format_instant(each.start), format_instant(each.end), each.admitted
            )
            for each in record.waits
        ),
        preemptions=tuple(map(_preemption, record.preemptions)),
        priority_steps=tuple(
            StepShape(format_instant(each.at), each.workload, each.priority) for each in record.steps
        ),
        story=tuple(
            EntryShape(
                format_instant(each.at), each.what.value, each.workload, each.queue, each.text, each.rules
            )
            for each in record.story
        ),
        cycles=tuple(map(_cycle, record.cycles)),
        loop=None if record.loop is None else _loop(record.loop),
        sessions=tuple(
            SessionShape(each.number, format_instant(each.start), format_instant(each.end))
            for each in record.sessions
        ),
        questions=tuple(map(_question, record.questions)),
        warnings=record.warnings,
    )


def _outcome(each: Outcome) -> ExpectationShape:
    at = None if each.at is None else format_instant(each.at)
    return ExpectationShape(each.field, at, each.holds, each.expected, each.found)


def _summary(each: Summary) -> WorkloadShape:
    return WorkloadShape(
        workload=each.workload,
        cluster_queue=each.queue,
        submitted=format_instant(each.submitted),
        runs=each.runs,
        preempted=each.preempted,
        ran=format_duration(each.ran),
        kept=format_duration(each.kept),
        longest_wait=format_duration(each.longest_wait),
        finished=None if each.finished is None else format_instant(each.finished),
    )


def _run(each: RunSpan) -> RunShape:
    return RunShape(
        workload=each.workload,
        cluster_queue=each.queue,
        start=format_instant(each.start),
        stopped=format_instant(each.stopped),
        end=format_instant(each.end),
        ended_by=each.ended_by.value,
        protected_until=None if each.protected_until is None else format_instant(each.protected_until),
        preemptor=each.preemptor,
        work_lost=format_duration(each.work_lost),
    )


def _preemption(each: Preemption) -> PreemptionShape:
    return PreemptionShape(
        at=format_instant(each.at),
        cycle=each.cycle,
        preemptor=each.preemptor,
        preemptor_queue=each.preemptor_queue,
        victim=each.victim,
        cluster_queue=each.queue,
        reason=each.reason,
        rules=each.rules,
        ran=format_duration(each.ran),
        cut_short=format_duration(each.cut_short),
    )


def _cycle(each: Cycle) -> CycleShape:
    heads = tuple(
        HeadShape(head.workload, head.queue, head.outcome, head.result.value, head.targets, head.sticky)
        for head in each.heads
    )
    return CycleShape(each.number, format_instant(each.at), format_instant(each.clock), heads)


def _question(each: Question) -> QuestionShape:
    victims = tuple(map(_victim, each.victims))
    return QuestionShape(format_instant(each.at), each.session, each.pending, each.takes, victims)


def _victim(each: VictimAnswer) -> VictimShape:
    return VictimShape(
        victim=each.victim,
        action=each.action,
        may_go=each.may_go,
        pods=each.pods,
        protected=each.protected,
        remembered=each.remembered,
        min_runtime=None if each.min_runtime is None else format_duration(each.min_runtime),
        until=None if each.until is None else format_instant(each.until),
        verdict=each.verdict,
    )


def _loop(each: Loop) -> LoopShape:
    return LoopShape(
        start=format_instant(each.start),
        period=format_duration(each.period),
        times=each.times,
        preemptions=tuple(PairShape(*pair) for pair in each.preemptions),
        workloads=each.workloads,
        stuck=each.stuck,
        work_done=format_duration(each.work_done),
        futile=each.is_futile,
    )


if __name__ == "__main__":
    write_schema(Path(sys.argv[1]), "play", play_schema())
