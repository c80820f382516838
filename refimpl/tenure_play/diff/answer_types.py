"""What `tenure diff` answers. Times are RFC 3339; workloads are `namespace/name`."""

from __future__ import annotations

from dataclasses import dataclass

from tenure.as_json import KueueVersion, Moment
from tenure.explanation.shapes import WorkloadWithReason
from tenure.joint import JointDifference


@dataclass(frozen=True, slots=True)
class PendingChange:
    """A pending workload that is decided otherwise."""

    workload: str
    """The workload."""
    cluster_queue: str | None
    """Where it waits after, or before where it does not afterwards."""
    before: str
    """The decision; `absent` where it does not wait there, `not decided` where it cannot be decided about."""
    after: str
    """The decision afterwards, likewise."""
    gained: tuple[WorkloadWithReason, ...]
    """Those whom it preempts afterwards only, or for another reason."""
    lost: tuple[WorkloadWithReason, ...]
    """Those whom it preempts before only, or for another reason."""


@dataclass(frozen=True, slots=True)
class RunningChange:
    """A running workload that is preempted for a pending workload on one side only."""

    workload: str
    """The workload."""
    cluster_queue: str | None
    """Whose quota it holds."""
    runs_before: bool
    """Whether it runs before."""
    runs_after: bool
    """Whether it runs afterwards."""
    preemptors: tuple[WorkloadWithReason, ...]
    """The pending workloads that would preempt it, each decided about alone, on the side where any would."""
    protected_before: Moment | None
    """Until when no equal of its ClusterQueue may preempt it, before; null where nothing protects it now."""
    protected_after: Moment | None
    """The same afterwards."""
    until: Moment | None
    """The last instant at which it is still a victim afterwards, or still none, of those who wait now, if
    nothing but time passes; null where it does not run, or where no such instant was found."""
    looked_until: Moment | None
    """Until when that was looked for; null where it was found, or where nothing can change later."""


@dataclass(frozen=True, slots=True)
class DiffAnswer:
    """What is decided otherwise in one cluster than in another, at one instant."""

    before: str
    """What BEFORE is."""
    after: str
    """What AFTER is."""
    now: Moment
    """The clock of both."""
    reading: str
    """The reading of both, by its name."""
    pending_count: int
    """How many workloads wait on either side."""
    running_count: int
    """How many run on either side."""
    pending: tuple[PendingChange, ...]
    """Those that are decided otherwise, by name."""
    gained_victims: tuple[RunningChange, ...]
    """Running workloads that a pending one preempts afterwards only, by name."""
    lost_victims: tuple[RunningChange, ...]
    """Running workloads that a pending one preempts before only, by name."""
    kueue: KueueVersion
    """The target release of Kueue, `0.19`; `0.19+proposals` with all that the proposals add."""
    notes: tuple[str, ...]
    """What follows from the change and is easily overlooked, in sentences."""
    premises: tuple[str, ...] = ()
    """What is assumed on either side of how Kueue is configured, because no object shows it, in words."""
    topology: str | None = None
    """`not modelled` where Kueue also needs a place in a topology for any decision, so that the answer is by
    quota alone; null where no topology takes part."""
    not_known: tuple[str, ...] = ()
    """What decides on either side and is not modelled, in words: what it touches is not decided."""
    warnings: tuple[str, ...] = ()
    """About the input."""
    joint: JointDifference | None = None
    """What the change does to the pending workloads of the trees that it reaches, all together."""
