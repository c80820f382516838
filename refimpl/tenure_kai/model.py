"""What the MinRuntime plugin looks at: queues, jobs with sub-groups and pods, and its arguments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum

from tenure.model import Action, Duration, Instant, ResolveMethod

DEFAULT_SUB_GROUP = "default"
"""The sub-group of a job that names none."""


class PodStatus(Enum):
    """The state of a pod as the scheduler sees it.

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
    """

    name: str = DEFAULT_SUB_GROUP
    min_available: int = 1
    pods: tuple[Pod, ...] = ()

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
    """

    name: str
    queue: str
    started_at: Instant | None = None
    sub_groups: tuple[SubGroup, ...] = (SubGroup(),)

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


@dataclass(frozen=True, slots=True)
class Victim:
    """A job of a scenario, and its pods that would go.

    Args:
        job: its name.
        pods: names of pods of the job; one that appears twice counts twice.
    """

    job: str
    pods: tuple[str, ...]
