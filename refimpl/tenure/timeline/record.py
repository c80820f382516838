"""What happened when a scenario was played: what `tenure.timeline.play` answers, and charts are drawn from.

All times are ns since the epoch on the scenario's own clock, which never jumps. Where a scenario moves the
controller's clock, `Cycle.clock` says what that showed.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from tenure.model import Duration, Instant


class Ending(StrEnum):
    """How a run ended."""

    FINISHED = "finished"
    PREEMPTED = "preempted"
    DELETED = "deleted"
    RUNNING = "running"
    """It had not, when the play ended."""


class Happening(StrEnum):
    """Kinds of entries in the story of a play."""

    SUBMITTED = "submitted"
    ADMITTED = "admitted"
    PREEMPTED = "preempted"
    RELEASED = "released"
    """The pods of a preempted workload are gone; it gives its quota back and waits again."""
    PARKED = "parked"
    """No use in trying again before something happens: it waits outside the queue's heap."""
    WOKEN = "woken"
    FINISHED = "finished"
    DELETED = "deleted"
    PRIORITY = "priority"
    EDITED = "edited"
    RESTARTED = "restarted"
    CLOCK = "clock"
    SESSION = "session"
    PLACED = "placed"
    MAY_GO = "may go"
    """The plugin lets it be taken, and nobody takes it."""
    KEPT = "kept"
    NOTE = "note"


class Result(StrEnum):
    """What became of a head in its cycle."""

    ADMITTED = "admitted"
    PREEMPTING = "preempting"
    WAITS_FOR_TARGETS = "waits for targets"
    """Its targets leave already, by a preemption of this cycle; it fits when they are gone."""
    SKIPPED = "skipped"
    """An entry handled before it in the cycle took its targets or its quota; it is tried again at once."""
    PARKED = "parked"
    TRIED_AGAIN = "tried again"
    """Not admitted; it stays in the heap of its StrictFIFO queue."""


@dataclass(frozen=True, slots=True)
class RunSpan:
    """One stay of a workload with quota, from its reservation to its release.

    Args:
        workload: `namespace/name`.
        queue: the ClusterQueue whose quota it holds.
        start: when the quota was reserved.
        end: when it was given back; the end of the play for one that still runs.
        ended_by: see `Ending`.
        stopped: when it stopped working: the eviction of one that was preempted, else `end`. Between the two
            its pods terminate, and it still holds quota.
        protected_until: the last instant at which minAdmitDuration protects it, by its persisted stamp; None
            where no duration is in force.
        preemptor: who took it; None unless preempted.
        work_done: what it worked in this stay, ns.
        work_lost: how much of all its work was lost when this stay ended, ns.

    >>> RunSpan("a/b", "q", 0, 9, Ending.PREEMPTED, 7, None, "a/c", 7, 7).length
    7
    """

    workload: str
    queue: str
    start: Instant
    end: Instant
    ended_by: Ending
    stopped: Instant
    protected_until: Instant | None = None
    preemptor: str | None = None
    work_done: Duration = 0
    work_lost: Duration = 0

    @property
    def length(self) -> Duration:
        """How long it worked, ns."""
        return self.stopped - self.start


@dataclass(frozen=True, slots=True)
class WaitSpan:
    """One wait of a workload, from when it joined its queue to its reservation.

    Args:
        workload: `namespace/name`.
        queue: the ClusterQueue it waits for.
        start, end: when; the end of the play for one that still waits.
        admitted: whether it ended with a reservation.
    """

    workload: str
    queue: str
    start: Instant
    end: Instant
    admitted: bool


@dataclass(frozen=True, slots=True)
class Preemption:
    """One victim of one preemption.

    Args:
        at: when.
        preemptor, victim: `namespace/name`.
        preemptor_queue, queue: the ClusterQueues of the two.
        reason: of the victim's Preempted condition, such as `InClusterQueueTimeBased`.
        rules: identifiers of the rules that allowed it.
        ran: how long the victim had held quota, ns.
        cut_short: how much of minAdmitDuration was missing to that, ns; 0 where none is in force, for a
            victim in another queue and for one of lower priority, whom no duration protects.
        cycle: number of the scheduling cycle, or of KAI-Scheduler's session.
    """

    at: Instant
    preemptor: str
    victim: str
    preemptor_queue: str
    queue: str
    reason: str
    rules: tuple[str, ...]
    ran: Duration
    cut_short: Duration
    cycle: int


@dataclass(frozen=True, slots=True)
class PriorityStep:
    """A workload's effective priority from an instant on.

    Args:
        at: the first instant.
        workload: `namespace/name`.
        priority: the effective priority.
    """

    at: Instant
    workload: str
    priority: int


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the story.

    Args:
        at: when.
        what: see `Happening`.
        text: what happened and why, in words.
        workload: `namespace/name`; empty where none is concerned.
        queue: the ClusterQueue; empty where none is concerned.
        rules: identifiers of the rules by which it happened.
    """

    at: Instant
    what: Happening
    text: str
    workload: str = ""
    queue: str = ""
    rules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HeadResult:
    """What became of the head of one ClusterQueue in a cycle.

    Args:
        workload: `namespace/name`.
        queue: the ClusterQueue.
        outcome: what was decided: Fit, Preempt, NoCandidates or NoFit.
        result: what came of it.
        targets: who was preempted, in order.
        sticky: whether it stood at the head as its queue's preemptor.
    """

    workload: str
    queue: str
    outcome: str
    result: Result
    targets: tuple[str, ...] = ()
    sticky: bool = False


@dataclass(frozen=True, slots=True)
class Cycle:
    """One scheduling cycle.

    Args:
        number: from 1.
        at: when.
        clock: what the controller's clock showed.
        heads: the heads, in the order in which they were handled.
    """

    number: int
    at: Instant
    clock: Instant
    heads: tuple[HeadResult, ...]


@dataclass(frozen=True, slots=True)
class VictimAnswer:
    """What KAI-Scheduler's plugin answered about one victim.

    Args:
        victim: `namespace/name`.
        action: preempt or reclaim.
        may_go: whether the filter passes it and the validator lets its pods go.
        pods: what was asked about.
        protected: whether it is protected; None where that is not asked.
        remembered: whether an earlier answer of the session counted.
        min_runtime: what counts, ns; None where an earlier answer counted or nothing was asked.
        until: the end of its protection; None where it has none, or an earlier answer counted.
        verdict: why, in a clause.
    """

    victim: str
    action: str
    may_go: bool
    pods: tuple[str, ...]
    protected: bool | None
    remembered: bool
    min_runtime: Duration | None
    until: Instant | None
    verdict: str


@dataclass(frozen=True, slots=True)
class Question:
    """A job of KAI-Scheduler asks for victims.

    Args:
        at: when.
        session: number of the session.
        pending: `namespace/name` of the job.
        takes: whether those who may go are taken.
        victims: the answers, in the order of asking.
    """

    at: Instant
    session: int
    pending: str
    takes: bool
    victims: tuple[VictimAnswer, ...]


@dataclass(frozen=True, slots=True)
class SessionSpan:
    """A session of KAI-Scheduler: what it sees of the cluster is what there was at its start.

    Args:
        number: from 1.
        start, end: when; the end of the play for one that goes on.
    """

    number: int
    start: Instant
    end: Instant


@dataclass(frozen=True, slots=True)
class Loop:
    """A state that came back: from there on the same repeats for as long as nothing from outside happens.

    Args:
        start: the state's first appearance.
        period: until it came back, ns.
        times: how often it came back in the play.
        preemptions: `(preemptor, victim)` of one turn, in order.
        workloads: who is preempted in every turn.
        stuck: those of them that lose what they work: they are evicted for ever, and never finish.
        work_done: what is kept of all the work of one turn, ns; 0 means that the cluster works for nothing.

    >>> Loop(0, 60, 3, (("a/b", "a/c"),), ("a/c",), ("a/c",), 0).is_futile
    True
    """

    start: Instant
    period: Duration
    times: int
    preemptions: tuple[tuple[str, str], ...]
    workloads: tuple[str, ...]
    stuck: tuple[str, ...]
    work_done: Duration

    @property
    def is_futile(self) -> bool:
        """Whether no work is kept in any turn."""
        return self.work_done == 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one expectation.

    Args:
        field: its path in the scenario, `expect[0].running`.
        holds: whether it does.
        expected, found: in words.
        at: the instant it speaks of; None where it speaks of the whole play.
    """

    field: str
    holds: bool
    expected: str
    found: str
    at: Instant | None = None


@dataclass(frozen=True, slots=True)
class Summary:
    """The whole play of one workload.

    Args:
        workload: `namespace/name`.
        queue: its ClusterQueue.
        submitted: when it joined its queue first.
        runs: how often it was admitted.
        preempted: how often it was preempted.
        ran: how long it worked in all, ns.
        kept: how much of that was not lost, ns.
        longest_wait: ns.
        finished: when it finished; None when it did not.
    """

    workload: str
    queue: str
    submitted: Instant
    runs: int
    preempted: int
    ran: Duration
    kept: Duration
    longest_wait: Duration
    finished: Instant | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """All of a play.

    Args:
        scenario: its name.
        title: what it is about, in a sentence.
        reading: name of the reading that it was played under.
        start, end: the window.
        summaries: of every workload, in the order of their submission.
        runs, waits: spans, in the order of their start.
        preemptions, steps, story, cycles: in the order of time.
        loop: the first state that came back; None where none did.
        outcomes: of the expectations that hold for this reading.
        warnings: about the manifests.
        file: where the scenario was read; empty where it was made in Python.
        sessions, questions: of KAI-Scheduler, in the order of time; empty elsewhere.

    >>> Record("s", "", "guaranteed", 0, 9).holds
    True
    """

    scenario: str
    title: str
    reading: str
    start: Instant
    end: Instant
    summaries: tuple[Summary, ...] = ()
    runs: tuple[RunSpan, ...] = ()
    waits: tuple[WaitSpan, ...] = ()
    preemptions: tuple[Preemption, ...] = ()
    steps: tuple[PriorityStep, ...] = ()
    story: tuple[Entry, ...] = ()
    cycles: tuple[Cycle, ...] = ()
    loop: Loop | None = None
    outcomes: tuple[Outcome, ...] = ()
    warnings: tuple[str, ...] = ()
    file: str = ""
    sessions: tuple[SessionSpan, ...] = ()
    questions: tuple[Question, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether every expectation does."""
        return all(outcome.holds for outcome in self.outcomes)
