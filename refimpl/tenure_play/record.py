"""What happened when a scenario was played: what `tenure_play.play` answers, `tenure simulate -o json`
prints, and charts are drawn from.

Durations are ns, and times ns since the epoch, on the scenario's own clock, which never jumps. Where a
scenario moves the controller's clock, `Cycle.clock` has its time. JSON has times as RFC 3339 writes
them, and durations as Go does.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from enum import StrEnum
from typing import Annotated, Any, TypeAlias

from pydantic import Field, PlainSerializer

from tenure.as_json import KueueRelease, Moment, Span, as_json


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
    MAY_BE_PREEMPTED = "may be preempted"
    """The plugin lets it be preempted, and no job preempts it."""
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

    >>> RunSpan("a/b", "q", 0, 7, 9, Ending.PREEMPTED, None, "a/c", 7, 7).length
    7
    """

    workload: str
    """`namespace/name`."""
    cluster_queue: str
    """The ClusterQueue whose quota it holds."""
    start: Moment
    """When the quota was reserved."""
    stopped: Moment
    """When it stopped working: the eviction of a workload that was preempted, else `end`. Between the two its
    pods terminate, and it still holds quota."""
    end: Moment
    """When the quota was given back, or the play ended."""
    ended_by: Ending
    """Running, if the play ended first."""
    protected_until: Moment | None = None
    """The last instant at which minAdmitDuration protects it, by its persisted stamp; null where no duration
    is in force."""
    preemptor: str | None = None
    """The workload that preempted it; null unless preempted."""
    work_lost: Span = 0
    """How much of all its work was lost when this stay ended."""
    work_done: Annotated[Span, Field(exclude=True)] = 0
    """How much it worked in this stay; JSON leaves it out."""

    @property
    def length(self) -> Span:
        """How long it worked, ns."""
        return self.stopped - self.start


@dataclass(frozen=True, slots=True)
class WaitSpan:
    """One wait of a workload, from when it joined its queue to its reservation."""

    workload: str
    """`namespace/name`."""
    cluster_queue: str
    """The ClusterQueue it waits for."""
    start: Moment
    """When it began."""
    end: Moment
    """When it ended, or the play did."""
    admitted: bool
    """Whether it ended with a reservation."""


@dataclass(frozen=True, slots=True)
class Preemption:
    """One victim of one preemption."""

    at: Moment
    """When."""
    cycle: int
    """Number of the scheduling cycle, or of KAI-Scheduler's session."""
    preemptor: str
    """`namespace/name`."""
    preemptor_queue: str
    """The preemptor's ClusterQueue."""
    victim: str
    """`namespace/name`."""
    cluster_queue: str
    """The victim's ClusterQueue."""
    reason: str
    """Of the victim's Preempted condition, such as `InClusterQueueTimeBased`."""
    rules: tuple[str, ...]
    """The rules that allowed it, outermost first."""
    ran: Span
    """How long the victim had held quota."""
    cut_short: Span
    """How much of minAdmitDuration was missing to that; 0 where no duration is in force, and for a victim of
    another queue or of lower priority, which no duration protects."""


@dataclass(frozen=True, slots=True)
class PriorityStep:
    """A workload's effective priority from an instant on, where its class lets it grow."""

    at: Moment
    """The first instant."""
    workload: str
    """`namespace/name`."""
    priority: int
    """The effective priority."""


@dataclass(frozen=True, slots=True)
class StoryLine:
    """One line of the story."""

    at: Moment
    """When."""
    what: Happening
    """What kind of thing happened."""
    workload: str
    """`namespace/name`; empty where no workload is concerned."""
    cluster_queue: str
    """The ClusterQueue; empty where none is concerned."""
    text: str
    """What happened and why, in words."""
    rules: tuple[str, ...] = ()
    """The rules by which it happened."""


def _all_lines(story: Sequence[StoryLine]) -> tuple[StoryLine, ...]:
    return tuple(story)


StoryAsWritten: TypeAlias = Annotated[
    Sequence[StoryLine], PlainSerializer(_all_lines, return_type=tuple[StoryLine, ...])
]
"""Lines of a story; those that are not made yet are made when they are written."""


@dataclass(frozen=True, slots=True)
class HeadResult:
    """What became of the head of one ClusterQueue in a cycle."""

    workload: str
    """`namespace/name`."""
    cluster_queue: str
    """The ClusterQueue."""
    decision: str
    """Fit, Preempt, NoCandidates or NoFit."""
    result: Result
    """What came of it."""
    targets: tuple[str, ...] = ()
    """The workloads that were preempted, in order."""
    sticky: bool = False
    """Whether it was the head as its queue's preemptor, which waits for its victims."""


@dataclass(frozen=True, slots=True)
class Cycle:
    """One scheduling cycle."""

    number: int
    """From 1."""
    at: Moment
    """When."""
    clock: Moment
    """What the controller's clock showed."""
    heads: tuple[HeadResult, ...]
    """In the order in which they were handled."""


@dataclass(frozen=True, slots=True)
class RecordParts:
    """Which parts of a record are kept beside runs, waits and preemptions; the others are left empty.

    Args:
        heads: what became of the heads of every cycle; without them a cycle has none.
        story: what happened, in words.
        loop: whether a state has come back. Of expectations about a loop it is looked for in any case.
    """

    heads: bool = True
    story: bool = True
    loop: bool = True


EVERY_PART = RecordParts()


@dataclass(frozen=True, slots=True)
class VictimAnswer:
    """What KAI-Scheduler's MinRuntime plugin answered about one victim."""

    victim: str
    """`namespace/name`."""
    action: str
    """Preempt or reclaim."""
    may_be_preempted: bool
    """Whether the filter passes it and the validator lets its pods go."""
    pods: tuple[str, ...]
    """The pods in question."""
    protected: bool | None
    """Whether it is protected; null where that is not checked."""
    remembered: bool
    """Whether an earlier answer of the session counted."""
    min_runtime: Span | None
    """What counts; null where an earlier answer counted or nothing was checked."""
    until: Moment | None
    """The end of its protection; null where it has none, or an earlier answer counted."""
    verdict: str
    """Why, in a clause."""


@dataclass(frozen=True, slots=True)
class KaiQuestion:
    """A call of KAI-Scheduler's plugin about a job's victims."""

    at: Moment
    """When."""
    session: int
    """Number of the session."""
    pending: str
    """`namespace/name` of the job."""
    preempts: bool
    """Whether the victims that may be preempted are."""
    victims: tuple[VictimAnswer, ...]
    """The answers, in the order of asking."""


@dataclass(frozen=True, slots=True)
class SessionSpan:
    """A session of KAI-Scheduler: what it sees of the cluster is what there was at its start."""

    number: int
    """From 1."""
    start: Moment
    """When it began."""
    end: Moment
    """When it ended, or the play did."""


@dataclass(frozen=True, slots=True)
class PreemptionPair:
    """Which workload preempts which."""

    preemptor: str
    """`namespace/name`."""
    victim: str
    """`namespace/name`."""


@dataclass(frozen=True, slots=True)
class Loop:
    """A state that came back: from there on the same repeats for as long as nothing from outside happens."""

    start: Moment
    """The state's first appearance."""
    period: Span
    """Until it came back."""
    times: int
    """How often it came back in the play."""
    preemptions: tuple[PreemptionPair, ...]
    """Of one turn, in order."""
    workloads: tuple[str, ...]
    """Those that are preempted in every turn."""
    stuck: tuple[str, ...]
    """Those of them that lose what they work: they are evicted for ever, and never finish."""
    work_done: Span
    """What is kept of all the work of one turn."""
    futile: bool
    """Whether that is nothing."""


@dataclass(frozen=True, slots=True)
class ExpectationResult:
    """What became of one expectation."""

    field: str
    """Its path in the scenario, `expect[0].running`."""
    at: Moment | None = dataclasses.field(default=None, kw_only=True)
    """The instant it is about; null where it is about the whole play."""
    holds: bool
    """Whether it holds."""
    expected: str
    """In words."""
    found: str
    """In words."""


@dataclass(frozen=True, slots=True)
class Summary:
    """The whole play of one workload."""

    workload: str
    """`namespace/name`."""
    cluster_queue: str
    """Its ClusterQueue."""
    submitted: Moment
    """When it joined its queue first."""
    runs: int
    """How often it was admitted."""
    preempted: int
    """How often it was preempted."""
    ran: Span
    """How long it worked in all."""
    kept: Span
    """How much of that was not lost."""
    longest_wait: Span
    """Its longest wait."""
    finished: Moment | None = None
    """When it finished; null when it did not."""


@dataclass(frozen=True, slots=True)
class Record:
    """One play of one scenario under one reading."""

    scenario: str
    """Its name."""
    title: str
    """What it is about, in a sentence."""
    file: str = dataclasses.field(default="", kw_only=True)
    """Where the scenario was read; empty where it was made in Python."""
    reading: str
    """Name of the reading that it was played under."""
    start: Moment
    """Of the window."""
    end: Moment
    """Of the window."""
    _: KW_ONLY
    holds: bool = True
    """Whether every expectation does."""
    expectations: tuple[ExpectationResult, ...] = ()
    """Those that speak of this reading."""
    workloads: tuple[Summary, ...] = ()
    """Every workload's play, in the order of their submission."""
    runs: tuple[RunSpan, ...] = ()
    """Stays with quota, in the order of their start."""
    waits: tuple[WaitSpan, ...] = ()
    """In the order of their start."""
    preemptions: tuple[Preemption, ...] = ()
    """In the order of time."""
    priority_steps: tuple[PriorityStep, ...] = ()
    """In the order of time."""
    story: StoryAsWritten = ()
    """Everything that happened, in the order of time."""
    cycles: tuple[Cycle, ...] = ()
    """Every scheduling cycle."""
    loop: Loop | None = None
    """The first state that came back; null where none did."""
    sessions: tuple[SessionSpan, ...] = ()
    """Of KAI-Scheduler; empty for Kueue."""
    questions: tuple[KaiQuestion, ...] = ()
    """The calls of KAI-Scheduler's plugin; empty for Kueue."""
    warnings: tuple[str, ...] = ()
    """About the scenario's objects."""
    kueue: KueueRelease | None = None
    """The release of Kueue that is played, `0.19+proposals` with all that the proposals add; null for
    KAI-Scheduler."""
    kai: str | None = None
    """The KAI-Scheduler that is played; null for Kueue."""


@dataclass(frozen=True, slots=True)
class PlayAnswer:
    """Simulations, by scenario and reading."""

    holds: bool
    """Whether every expectation of all of them holds."""
    simulations: tuple[Record, ...]
    """One for each scenario and reading."""


def written_plays(records: Iterable[Record]) -> Any:
    """Records as `tenure simulate -o json` prints them.

    >>> written_plays([Record("s", "", "guaranteed", 0, 10**9)])["simulations"][0]["end"]
    '1970-01-01T00:00:01Z'
    """
    plays = tuple(records)
    return as_json(PlayAnswer(all(record.holds for record in plays), plays))
