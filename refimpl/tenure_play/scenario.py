"""What is played: the objects, what happens to them and when, and what is expected of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol, TypeAlias

from tenure.model import SECOND, Cluster, Duration, Instant, Workload
from tenure.versions import KUEUE

MILLISECOND: Duration = SECOND // 1000
CYCLES_CEILING = 1_000_000
"""The highest maxCycles that a file may set."""
MOST_EVENTS = 100_000
"""Events of a scenario, those of `generate` included."""


@dataclass(frozen=True, slots=True)
class Timing:
    """How long things take.

    Args:
        eviction: from a preemption to the release of the victim's quota, while its pods terminate, ns.
        cycle: the least time between two scheduling cycles, ns.
        retry: from an event to the moment when parked workloads are woken, ns; Kueue collects
            events for one second.
    """

    eviction: Duration = 0
    cycle: Duration = 10 * MILLISECOND
    retry: Duration = SECOND


@dataclass(frozen=True, slots=True)
class QueueGates:
    """Feature gates that decide what Kueue's queues and cycles do, and no single decision.

    Args:
        equivalence: SchedulingEquivalenceHashing: identical workloads are parked together.
        recompute: RecomputeAssignmentUponPreemptionTargetsOverlap: a workload whose targets another one has
            preempted looks for others.
        preemptors_first: PrioritizePreemptorWorkloads: who waits for its victims goes first in a cycle.

    Source: Kueue main of August 2026; the last one is off by default there.
    """

    equivalence: bool = True
    recompute: bool = True
    preemptors_first: bool = False


def gates_of(release: str | None) -> QueueGates:
    """The gates' defaults in a release of Kueue.

    Args:
        release: without its last number; None for Kueue main of August 2026.

    Source: Kueue v0.19.2, pkg/features: there RecomputeAssignmentUponPreemptionTargetsOverlap is off.
    Kueue v0.20.0, changelog: it is on.

    >>> gates_of("0.19").recompute, gates_of("0.20").recompute, gates_of(None).recompute
    (False, True, True)
    """
    return QueueGates(recompute=release != KUEUE)


PREEMPTORS_FIRST: Final = "PrioritizePreemptorWorkloads"
"""The gate by which who waits for its victims goes first in a cycle."""

_GATES: Final = {
    "SchedulingEquivalenceHashing": "equivalence",
    "RecomputeAssignmentUponPreemptionTargetsOverlap": "recompute",
    PREEMPTORS_FIRST: "preemptors_first",
}
"""Kueue's gates of queues and cycles, and what `QueueGates` calls them."""


def with_gates(gates: QueueGates, named: Mapping[str, bool]) -> QueueGates:
    """The gates of queues and cycles, some of them set.

    Args:
        gates: those that keep their value where they are not named.
        named: feature gates by their names; others are passed over.

    >>> with_gates(QueueGates(), {"SchedulingEquivalenceHashing": False, "PriorityBoost": True}).equivalence
    False
    """
    return replace(gates, **{_GATES[gate]: on for gate, on in named.items() if gate in _GATES})


@dataclass(frozen=True, slots=True)
class Submission:
    """A workload and what it has to do.

    Args:
        workload: as it is when it comes; one that holds quota already has run since its reservation.
        queue: its ClusterQueue.
        work: how long it must run to finish, ns; None for one that runs until it is stopped from outside.
        keeps: whether its progress survives a preemption.
        eviction: how long its pods take to end when it is evicted, ns; None for that of `timing`.
        manifest: the Workload as it was written, or would be.
    """

    workload: Workload
    queue: str
    work: Duration | None = None
    keeps: bool = True
    eviction: Duration | None = None
    manifest: Mapping[str, Any] = field(default_factory=dict)


class Happens(Protocol):
    """An event of a scenario, of any scheduler."""

    @property
    def at(self) -> Instant:
        """When."""


@dataclass(frozen=True, slots=True)
class Submit:
    """A workload joins its queue."""

    at: Instant
    submission: Submission


@dataclass(frozen=True, slots=True)
class Finish:
    """A workload finishes, whatever it still had to do."""

    at: Instant
    workload: str


@dataclass(frozen=True, slots=True)
class Delete:
    """A workload is deleted."""

    at: Instant
    workload: str


@dataclass(frozen=True, slots=True)
class Tick:
    """Something happens that concerns no workload; every cohort's workloads are tried again."""

    at: Instant


@dataclass(frozen=True, slots=True)
class Restart:
    """The controller ends and comes back after `down` ns; what it had in memory only is lost."""

    at: Instant
    down: Duration = 0


@dataclass(frozen=True, slots=True)
class ClockJump:
    """The controller's clock is moved by `by` ns."""

    at: Instant
    by: Duration


@dataclass(frozen=True, slots=True)
class Edit:
    """An object is changed or created.

    Args:
        at: when.
        text: what changed, in words.
        cluster: all objects from then on, without workloads.
        queues: the ClusterQueues whose trees look again; empty for all of them.
        objects: the same as manifests.
    """

    at: Instant
    text: str
    cluster: Cluster
    queues: tuple[str, ...] = ()
    objects: tuple[Mapping[str, Any], ...] = ()


Event: TypeAlias = Submit | Finish | Delete | Tick | Restart | ClockJump | Edit


@dataclass(frozen=True, slots=True)
class Between:
    """A number that is expected to lie between two others; None for no bound. Durations are in ns."""

    at_least: int | None = None
    at_most: int | None = None

    def holds(self, found: int) -> bool:
        """Whether a number lies between.

        >>> Between(at_least=2).holds(2), Between(at_most=2).holds(3)
        (True, False)
        """
        above = self.at_least is None or found >= self.at_least
        return above and (self.at_most is None or found <= self.at_most)


@dataclass(frozen=True, slots=True)
class WorkloadExpected:
    """What is expected of one workload over the whole play, or of every one.

    Args:
        ran, kept: how long it works in all, and how much of that is not lost.
        runs, preempted: how often it is admitted, and preempted.
        longest_wait: ns.
        finished: whether it finishes.
    """

    ran: Between | None = None
    kept: Between | None = None
    runs: Between | None = None
    preempted: Between | None = None
    longest_wait: Between | None = None
    finished: bool | None = None


@dataclass(frozen=True, slots=True)
class LoopExpected:
    """What is expected of a loop; None where nothing is expected of it.

    Args:
        exists: whether there is one.
        period: ns.
        stuck: who never gets anywhere, as `namespace/name`, sorted.
        futile: whether no work at all is kept.
    """

    exists: bool = True
    period: Between | None = None
    stuck: tuple[str, ...] | None = None
    futile: bool | None = None


@dataclass(frozen=True, slots=True)
class Expectation:
    """What is expected, at an instant or of the whole play.

    Args:
        where: its path in the scenario.
        readings: the presets that it holds for; empty for all.
        at: the instant; None for the whole play.
        running, waiting, evicted, parked: `namespace/name` of workloads that do that at the instant; evicted
            ones still hold their quota while their pods terminate, parked ones wait outside the heap.
        priority: effective priorities at the instant.
        workloads: by `namespace/name`, for the whole play.
        every: what every workload must do.
        preemptions: how many there are in all.
        cut_short: the longest time that protected time was cut short, ns.
        loop: see `LoopExpected`.
        asker: the job for which KAI-Scheduler's plugin was called at the instant; None for any.
        may_be_preempted, kept: who may be preempted by its answers at the instant, and who may not.
        min_runtime: what counts by its answers at the instant, ns.
    """

    where: str
    readings: tuple[str, ...] = ()
    at: Instant | None = None
    running: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()
    evicted: tuple[str, ...] = ()
    parked: tuple[str, ...] = ()
    priority: Mapping[str, int] = field(default_factory=dict)
    workloads: Mapping[str, WorkloadExpected] = field(default_factory=dict)
    every: WorkloadExpected | None = None
    preemptions: Between | None = None
    cut_short: Between | None = None
    loop: LoopExpected | None = None
    asker: str | None = None
    may_be_preempted: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    min_runtime: Mapping[str, Duration] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Story:
    """What a scenario of any scheduler is.

    Args:
        name: short, as in file names.
        title: what it shows, in a sentence.
        start, end: the window, ns since the epoch.
        expectations: see `Expectation`.
        source: where the story comes from.
        warnings: about its objects.
        file: where it was read; empty where it was made in Python.
    """

    name: str
    title: str
    start: Instant
    end: Instant
    expectations: tuple[Expectation, ...] = field(default=(), kw_only=True)
    source: str = field(default="", kw_only=True)
    warnings: tuple[str, ...] = field(default=(), kw_only=True)
    file: str = field(default="", kw_only=True)


@dataclass(frozen=True, slots=True)
class Scenario(Story):
    """A play of Kueue.

    Args:
        cluster: the objects at the start, without workloads.
        present: the workloads that are there at the start.
        events: in the order of time; of one instant in the order in which they were written.
        timing, gates: see there.
        max_cycles: how many scheduling cycles there may be; None where only the budget limits them.
        objects: the cluster as manifests, without workloads.

    >>> Scenario("idle", "", 0, 9, Cluster({})).events
    ()
    """

    cluster: Cluster
    present: tuple[Submission, ...] = ()
    events: tuple[Event, ...] = ()
    timing: Timing = field(default_factory=Timing)
    gates: QueueGates = field(default_factory=QueueGates)
    max_cycles: int | None = None
    objects: tuple[Mapping[str, Any], ...] = ()
