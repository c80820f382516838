"""What `tenure next` answers. Times are RFC 3339; workloads are `namespace/name`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from tenure.as_json import Moment, Span
from tenure.explanation.shapes import AssignedPods, PreemptedWorkload
from tenure.joint import PreemptionInVain
from tenure.versions import kueue_version
from tenure_play.record import Result


class LookEnd(StrEnum):
    """Why the answer ends."""

    QUIET = "quiet"
    """Nothing happens any more, as far as is known."""
    ADMITTED = "admitted"
    """The workload in question is admitted."""
    REPEATS = "repeats"
    """A state has come back: what has happened since happens again and again."""
    CYCLES = "cycles"
    """The bound on cycles, and there would be more."""
    UNTIL = "until"
    """The bound on time, and something would happen later."""


@dataclass(frozen=True, slots=True)
class ComingHead:
    """What becomes of the head of one ClusterQueue in a coming cycle."""

    workload: str
    """The workload."""
    cluster_queue: str
    """Its ClusterQueue."""
    decision: str
    """Fit, Preempt, NoCandidates or NoFit."""
    topology: str | None
    """`not modelled` where Kueue also needs a place in a topology, so that the answer is by quota alone; null
    where no topology takes part."""
    result: Result
    """What comes of it."""
    assignment: tuple[AssignedPods, ...]
    """What it is admitted with; empty where it is not admitted."""
    preempts: tuple[PreemptedWorkload, ...]
    """Those whom it preempts in this cycle, in order."""
    awaits: tuple[str, ...]
    """Workloads that were preempted before, and whose pods it waits for."""
    why: str
    """Why it is not admitted, in words; empty where it is."""
    note: str = ""
    """That it was decided again on its turn, and by which gate, in words; empty where it was not."""


@dataclass(frozen=True, slots=True)
class ComingCycle:
    """One coming scheduling cycle."""

    number: int
    """From 1."""
    at: Moment
    """When."""
    changes: bool
    """Whether any workload is admitted or preempted in it."""
    heads: tuple[ComingHead, ...]
    """The heads of the ClusterQueues, in the order in which they are handled."""


@dataclass(frozen=True, slots=True)
class ComingEvent:
    """What happens between cycles."""

    at: Moment
    """When."""
    what: str
    """Evicted: its queue is drained; released: its pods are gone and it waits again; woken: it is tried
    again; priority: that changes."""
    workload: str
    """The workload."""
    text: str
    """What happens, in words."""


@dataclass(frozen=True, slots=True)
class LackOfQuota:
    """Quota that a workload waits for."""

    flavor: str
    """The flavor."""
    resource: str
    """The resource."""
    asked: str
    """How much it requests."""
    available: str
    """How much is available without preemption."""
    short: str
    """The difference."""
    node: str
    """The node of the tree that bounds it, as `Cohort research`."""
    held_by: tuple[str, ...]
    """The running workloads that hold it below that node; those that hold the most first."""


@dataclass(frozen=True, slots=True)
class LaterChance:
    """What would be decided when time alone has passed, if the workload is tried then."""

    at: Moment
    """The first instant at which the decision is another one."""
    decision: str
    """The decision then."""
    preempts: tuple[PreemptedWorkload, ...]
    """Those whom it would preempt then, in order."""
    because: str
    """What has run out by then, in words."""


@dataclass(frozen=True, slots=True)
class StillWaiting:
    """A workload that waits when the answer ends."""

    workload: str
    """The workload."""
    cluster_queue: str
    """Its ClusterQueue."""
    decision: str | None
    """What was decided when it was last tried; null where its turn did not come."""
    why: str
    """Why it waits, in words."""
    lacks: tuple[LackOfQuota, ...]
    """The quota that it waits for; empty where no quota would help, or where its turn did not come."""
    later: LaterChance | None
    """When time alone changes its decision; null where it does not, or where that was not looked at."""


@dataclass(frozen=True, slots=True)
class InLine:
    """A workload ahead of another one in its ClusterQueue."""

    workload: str
    """The workload."""
    priority: int
    """Its effective priority."""
    queued_from: Moment
    """The time that it queues from."""


@dataclass(frozen=True, slots=True)
class ComingTurn:
    """A cycle in which the workload in question is the head of its ClusterQueue."""

    cycle: int
    """The number of the cycle."""
    at: Moment
    """When."""
    decision: str
    """Fit, Preempt, NoCandidates or NoFit."""
    result: Result
    """What comes of it."""
    before: tuple[ComingHead, ...]
    """Heads of other ClusterQueues of its tree that are handled before it in this cycle."""
    preempts: tuple[PreemptedWorkload, ...]
    """Those whom it preempts in this cycle."""
    awaits: tuple[str, ...]
    """Workloads that were preempted before, and whose pods it waits for."""
    why: str
    """Why it is not admitted, in words; empty where it is."""
    note: str = ""
    """That it was decided again on its turn, and by which gate, in words; empty where it was not."""


@dataclass(frozen=True, slots=True)
class ProtectedEqual:
    """A running workload that is protected from the one in question, by minAdmitDuration."""

    workload: str
    """The running workload."""
    until: Moment
    """The last instant of its protection."""


@dataclass(frozen=True, slots=True)
class LimitedRun:
    """A run that ends before the workload starts, if each job runs exactly to its limit."""

    workload: str
    """The workload."""
    until: Moment
    """When it has released its quota."""
    by: str
    """What limits it: `spec.maximumExecutionTimeSeconds`, or `--runtime`."""


@dataclass(frozen=True, slots=True)
class StartBefore:
    """A pending workload that starts before the other one, if each job runs exactly to its limit."""

    workload: str
    """The workload."""
    at: Moment
    """When."""


@dataclass(frozen=True, slots=True)
class LatestStart:
    """When a workload starts at the latest, if no job runs longer than its limit and none arrives."""

    latest: Moment | None
    """The latest start, whenever jobs end within their limits and in whichever order others start; null where
    no bound is known."""
    preemptions: int
    """So many preemptions in its tree until then are counted in `latest`: those of the forecast."""
    per_preemption: Span | None
    """How much later it may start for each further preemption; null where its tree allows none."""
    why: str
    """Why no bound is known, in words; empty where one is."""
    if_exact: Moment | None
    """When it starts if each job runs exactly to its limit, and those without one go on; null where the play
    ends earlier."""
    ends: tuple[LimitedRun, ...]
    """The runs that end before that, in order."""
    starts: tuple[StartBefore, ...]
    """The pending workloads that start before that, in order."""
    unlimited: tuple[str, ...]
    """The running workloads without a limit that hold what it needs."""
    runtime: Span | None
    """How long a workload that declares no limit is assumed to run in all; null without an assumption."""


@dataclass(frozen=True, slots=True)
class AskedWorkload:
    """What comes next for one workload."""

    workload: str
    """The workload."""
    cluster_queue: str
    """Its ClusterQueue."""
    strict: bool
    """Whether its ClusterQueue is StrictFIFO: its head lets no other pass."""
    place: int | None
    """Its place in its ClusterQueue at the start, from 1; null in back-off and of a held LocalQueue."""
    waiting: int
    """How many wait in its ClusterQueue."""
    ahead: tuple[InLine, ...]
    """Those that are ahead of it there, the head first."""
    not_before: Moment | None
    """When its back-off ends; null where it is queued already."""
    turns: tuple[ComingTurn, ...]
    """The cycles in which it is tried."""
    admitted_at: Moment | None
    """When quota is reserved for it; null where it is not within the forecast."""
    waits: StillWaiting | None
    """Why it waits at the end; null where it is admitted."""
    protected: tuple[ProtectedEqual, ...]
    """Running workloads of its ClusterQueue and its priority that are protected from it, as it is at the end,
    those whose protection ends first."""
    at_latest: LatestStart | None
    """When it starts at the latest; null where it is admitted without the end of any job."""


@dataclass(frozen=True, slots=True)
class NotDecided:
    """A workload that waits and cannot be decided, so that the answer leaves it out."""

    workload: str
    """The workload."""
    cluster_queue: str | None
    """Where it waits; null where that is not known."""
    why: str
    """Why, in words."""
    in_short: str
    """The same in few words."""


@dataclass(frozen=True, slots=True)
class NextAnswer:
    """What comes next in a cluster as it is."""

    now: Moment
    """The clock at the start."""
    reading: str | dict[str, str]
    """A preset's name, or every choice."""
    reading_text: str
    """The same in words: a preset's name, and what differs from it."""
    summary: str
    """The answer in one line."""
    topology: str | None
    """`not modelled` where Kueue needs a place in a topology for any head: it is tried by quota alone, and so
    is everything after that; null where no topology takes part."""
    assumed: tuple[str, ...]
    """What the answer assumes, in sentences."""
    eviction: Span
    """How long the pods of an evicted workload are assumed to take to end."""
    ended: LookEnd
    """Why the answer ends where it does."""
    ended_text: str
    """The same in words."""
    cycles: tuple[ComingCycle, ...]
    """The coming cycles, in order."""
    events: tuple[ComingEvent, ...]
    """What happens between them, in the order of time."""
    waiting_count: int
    """How many wait at the end, without those that cannot be decided."""
    not_decided: tuple[NotDecided, ...]
    """Those that wait and cannot be decided, by name."""
    waiting: tuple[StillWaiting, ...]
    """Those that wait at the end and were tried, or whose LocalQueue is held or ClusterQueue inactive, in the
    order of their ClusterQueues."""
    asked: AskedWorkload | None
    """The workload in question; null for the whole cluster."""
    in_vain: tuple[PreemptionInVain, ...] = ()
    """Preemptions whose preemptor does not get the quota; not looked for in a forecast for one workload that
    ends with its admission."""
    warnings: tuple[str, ...] = ()
    """About the input."""
    kueue: str = kueue_version(None)
    """The target release of Kueue, `0.19`; `0.19+proposals` with all that the proposals add."""
