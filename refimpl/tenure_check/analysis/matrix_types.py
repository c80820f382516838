"""What `tenure analyze matrix` answers."""

from __future__ import annotations

from dataclasses import dataclass

from tenure.as_json import KueueVersion, Moment


@dataclass(frozen=True, slots=True)
class MatrixRole:
    """Workloads of one ClusterQueue and one priority."""

    cluster_queue: str
    """The ClusterQueue."""
    priority_class: str
    """The WorkloadPriorityClass, or the region of priorities where no class is given."""
    priority: int
    """Its value, or a priority of the region."""


@dataclass(frozen=True, slots=True)
class ExampleWorkload:
    """A running workload of an example."""

    workload: str
    """The workload."""
    cluster_queue: str
    """Whose quota it holds."""
    priority: int
    """Its priority."""
    usage: dict[str, int]
    """What it holds, in base units or milli-CPU, by flavor and resource: `a100/nvidia.com/gpu`."""
    quota_reserved_at: Moment | None
    """Since when."""
    preempted: bool
    """Whether it is preempted."""
    priority_boost: int
    """What is added to its priority (annotation `kueue.x-k8s.io/priority-boost`)."""
    job_created_at: Moment | None
    """Creation of its Job, from which the age counts that its class grows with; null for its own."""


@dataclass(frozen=True, slots=True)
class MatrixExample:
    """A state in which a victim of the cell is preempted; `tenure decide` decides so from its manifests."""

    now: Moment
    """The clock."""
    asked: tuple[dict[str, int], ...]
    """What each pod set of the pending workload asks for, by resource."""
    created_at: Moment
    """Creation of the pending workload."""
    priority_boost: int
    """What is added to its priority."""
    job_created_at: Moment | None
    """Creation of its Job, from which the age counts that its class grows with; null for its own."""
    victim: str
    """The victim that the cell is about."""
    running: tuple[ExampleWorkload, ...]
    """All that run."""
    why: tuple[str, ...]
    """Why the victim is preempted, as `tenure why` says it: in a sentence, then by rule."""


@dataclass(frozen=True, slots=True)
class MatrixReason:
    """A cell for one reason of condition Preempted."""

    reason: str
    """The reason."""
    verdict: str
    """`never`, `can` or `?`."""
    why: str
    """What the verdict rests on."""
    example: MatrixExample | None
    """Where it can: the smallest state found."""
    fewest_victims: int | None
    """Where it can: how many workloads are preempted in it, this one included."""
    is_fewest: bool | None
    """Where it can: whether it is proved that no state of the scope has fewer; one is always the fewest."""


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """Whether workloads of one ClusterQueue and priority may ever preempt those of another."""

    preemptor: MatrixRole
    """The pending workload."""
    victim: MatrixRole
    """The running workload."""
    verdict: str
    """`can` where it can for any reason, else `?` where that is not known of any, else `never`."""
    reasons: tuple[MatrixReason, ...]
    """By reason; those that no rule gives between the two are left out."""
    why: str
    """Why never, or why it is not known; empty where it can."""


@dataclass(frozen=True, slots=True)
class MatrixCounts:
    """How many cells have which verdict."""

    never: int
    """Proved by both solvers, or by the rules alone."""
    can: int
    """With an example."""
    unknown: int
    """Neither."""


@dataclass(frozen=True, slots=True)
class MatrixAnswer:
    """Which workloads may ever preempt which others, in every state of a scope."""

    scope: str
    """`consistent`: all states that admission alone can produce; `edited`: also those after edits."""
    premises: tuple[str, ...]
    """What every verdict assumes."""
    reading: str
    """The reading, by its name."""
    kueue: KueueVersion
    """The target release of Kueue, `0.19`; `0.19+proposals` with all that the proposals add."""
    fair_sharing: bool
    """Whether fair sharing is configured."""
    seed: int
    """Of the random states."""
    states: int
    """How many random states were decided."""
    solvers: dict[str, str]
    """Who proved, by version."""
    counts: MatrixCounts
    """The number of cells of each verdict."""
    cells: tuple[MatrixCell, ...]
    """Every cell, by preemptor and victim."""
    warnings: tuple[str, ...]
    """What the files say and cannot mean, and what was assumed."""
