"""What the MinRuntime plugin looks at: queues, jobs with sub-groups and pods, and its arguments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

from tenure.model import Action, Duration, Instant, ResolveMethod
from tenure.readings import KaiVersion
from tenure.rules.min_runtime import least_members
from tenure.units import FIRST_INSTANT

DEFAULT_SUB_GROUP = "default"
"""The sub-group of a job that names none."""


class PodStatus(Enum):
    """The state of a pod as the scheduler sees it; `StuckInReleasing` since v0.17.0.

    >>> PodStatus("Running").holds_a_place, PodStatus.PENDING.holds_a_place
    (True, False)
    """

    PENDING = "Pending"
    GATED = "Gated"
    ALLOCATED = "Allocated"
    PIPELINED = "Pipelined"
    BINDING = "Binding"
    BOUND = "Bound"
    RUNNING = "Running"
    RELEASING = "Releasing"
    STUCK_IN_RELEASING = "StuckInReleasing"
    SUCCEEDED = "Succeeded"
    FAILED = "Failed"
    UNKNOWN = "Unknown"

    @property
    def holds_a_place(self) -> bool:
        """Whether the scheduler counts the pod as one that the job has (KMR-100)."""
        return self in _HOLDING


_HOLDING = frozenset(
    (
        PodStatus.ALLOCATED,
        PodStatus.PIPELINED,
        PodStatus.BINDING,
        PodStatus.BOUND,
        PodStatus.RUNNING,
        PodStatus.RELEASING,
        PodStatus.STUCK_IN_RELEASING,
    )
)


@dataclass(frozen=True, slots=True)
class Queue:
    """A queue of the tree.

    Args:
        name: its identity.
        parent: name of the queue above it; empty at the top.
        preempt_min_runtime: its own value, ns, possibly negative; None where it is not set.
        reclaim_min_runtime: the same for reclaims.
    """

    name: str
    parent: str = ""
    preempt_min_runtime: Duration | None = None
    reclaim_min_runtime: Duration | None = None

    def own(self, action: Action) -> Duration | None:
        """The queue's own value for an action, ns; None where it is not set.

        >>> Queue("prod", reclaim_min_runtime=30).own(Action.RECLAIM)
        30
        """
        return self.preempt_min_runtime if action == Action.PREEMPT else self.reclaim_min_runtime


@dataclass(frozen=True, slots=True)
class Pod:
    """A pod of a job."""

    name: str
    status: PodStatus = PodStatus.RUNNING


@dataclass(frozen=True, slots=True)
class SubGroup:
    """The pods of a job that share one minimum.

    Args:
        name: of the sub-group.
        min_available: how many pods it must have.
        pods: every pod of it, whatever its state.
        declared: whether that is minMember of a PodGroup's sub-group, whose least depends on the version
            (KMR-140).
    """

    name: str = DEFAULT_SUB_GROUP
    min_available: int = 1
    pods: tuple[Pod, ...] = ()
    declared: bool = False

    @property
    def active(self) -> int:
        """How many of its pods hold a place.

        >>> SubGroup(pods=(Pod("a"), Pod("b", PodStatus.PENDING))).active
        1
        """
        return sum(pod.status.holds_a_place for pod in self.pods)


@dataclass(frozen=True, slots=True)
class Job:
    """A pod group.

    Args:
        name: its identity, `namespace/name` where it comes from a manifest.
        queue: name of its queue, which need not exist.
        started_at: the last start, ns since the epoch; None where there is no stamp, or the zero time.
        sub_groups: at least one.
        created: ns since the epoch; where nothing is known, Go's zero time.
        evicted_at: the last eviction, ns since the epoch; None where there was none.
        preemption_delay: how long it evicts no workload, ns; None where it is not set. Since v0.17.0.
    """

    name: str
    queue: str
    started_at: Instant | None = None
    sub_groups: tuple[SubGroup, ...] = (SubGroup(),)
    created: Instant = FIRST_INSTANT
    evicted_at: Instant | None = None
    preemption_delay: Duration | None = None

    def pods(self) -> Iterator[tuple[str, Pod]]:
        """Every pod, with the name of its sub-group.

        >>> list(Job("a/b", "q").pods())
        []
        """
        for group in self.sub_groups:
            for pod in group.pods:
                yield group.name, pod


@dataclass(frozen=True, slots=True)
class Arguments:
    """The plugin's arguments, after their fallbacks (KMR-020).

    Args:
        default_preempt: what counts where no queue sets a value, ns.
        default_reclaim: the same for reclaims.
        method: how values for reclaims are resolved.
    """

    default_preempt: Duration = 0
    default_reclaim: Duration = 0
    method: ResolveMethod = ResolveMethod.LCA

    def default(self, action: Action) -> Duration:
        """The default for an action, ns."""
        return self.default_preempt if action == Action.PREEMPT else self.default_reclaim


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything that a session looks at.

    Args:
        queues: by name.
        jobs: by name.
        arguments: of the plugin.
        warnings: what the scheduler would log and go on with, in words.
    """

    queues: Mapping[str, Queue] = field(default_factory=dict)
    jobs: Mapping[str, Job] = field(default_factory=dict)
    arguments: Arguments = Arguments()
    warnings: tuple[str, ...] = ()

    def as_seen_by(self, version: KaiVersion) -> Scene:
        """The scene with the minimum that a version of the scheduler gives each sub-group (KMR-140).

        >>> Scene().as_seen_by(KaiVersion.V0_17) == Scene()
        True
        """
        jobs = {name: _job_seen(job, version) for name, job in self.jobs.items()}
        return replace(self, jobs=jobs, warnings=(*self.warnings, *_unknown_delays(jobs, version)))


def _unknown_delays(jobs: Mapping[str, Job], version: KaiVersion) -> Iterator[str]:
    for job in jobs.values():
        if job.preemption_delay is not None and version == KaiVersion.MARCH_2026:
            yield f"PodGroup {job.name}: spec.preemptionDelay has no effect before v0.17.0: see kai_version"


def _job_seen(job: Job, version: KaiVersion) -> Job:
    groups = (
        replace(group, min_available=least_members(group.min_available, True, version))
        if group.declared
        else group
        for group in job.sub_groups
    )
    return replace(job, sub_groups=tuple(groups))


@dataclass(frozen=True, slots=True)
class Victim:
    """A job of a scenario, and its pods that would go.

    Args:
        job: its name.
        pods: names of pods of the job; one that appears twice counts twice.
    """

    job: str
    pods: tuple[str, ...]
