"""The domain: what a preemption decision is about. Frozen objects, integers only.

Amounts are integers in base units (bytes, devices, pods), for `cpu` in milli-CPU. Times are
nanoseconds since the Unix epoch, durations nanoseconds. Nothing here reads a manifest; nothing here
decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import NamedTuple, TypeAlias

SECOND = 1_000_000_000
"""One second in nanoseconds."""

MINUTE = 60 * SECOND
"""One minute in nanoseconds."""

Instant: TypeAlias = int
"""Nanoseconds since the Unix epoch."""

Duration: TypeAlias = int
"""Nanoseconds."""

Amount: TypeAlias = int
"""Base units, or milli-CPU for `cpu`."""


class FlavorResource(NamedTuple):
    """A resource on a flavor: the unit in which Kueue counts quota.

    >>> FlavorResource("a100", "nvidia.com/gpu").resource
    'nvidia.com/gpu'
    """

    flavor: str
    resource: str


Amounts: TypeAlias = Mapping[FlavorResource, Amount]
"""An amount per flavor-resource; what is absent is zero."""


class WithinClusterQueue(IntEnum):
    """`spec.preemption.withinClusterQueue` of a ClusterQueue (Kueue v1beta2)."""

    NEVER = 0
    LOWER_PRIORITY = 1
    LOWER_OR_NEWER_EQUAL_PRIORITY = 2


class RequeuingTimestamp(IntEnum):
    """`waitForPodsReady.requeuingStrategy.timestamp` of Kueue's Configuration."""

    EVICTION = 0
    CREATION = 1


@dataclass(frozen=True, slots=True)
class PodSet:
    """A homogeneous set of pods of a pending workload.

    Args:
        name: name of the pod set.
        count: number of pods asked for.
        requests: amount per resource name for the whole set (`count` pods).
        node_constraint: the field that ties its pods to nodes (`nodeSelector`, `affinity`); empty if none.
    """

    name: str
    count: int
    requests: Mapping[str, Amount]
    node_constraint: str = ""


@dataclass(frozen=True, slots=True)
class Workload:
    """A Kueue Workload, as far as it decides who may preempt whom.

    Args:
        namespace, name, uid: identity; `uid` breaks the last tie.
        priority: effective priority, higher is more important.
        created_at: `metadata.creationTimestamp`, ns.
        quota_reserved_at: last transition of condition QuotaReserved=True, ns; None when it has no stamp.
        evicted: whether condition Evicted is True.
        pods_ready_evicted_at: last transition of Evicted=True with reason PodsReadyTimeout, ns, else None.
        admission_check_evicted_at: the same for reason AdmissionCheck.
        time_based_preempted_at: last transition of Preempted=True with reason InClusterQueueTimeBased, ns.
        queue_name: `spec.queueName`, the LocalQueue it waits in.
        cluster_queue: the ClusterQueue whose quota it holds; None while it is pending.
        usage: what it holds, per flavor-resource; empty while it is pending.
        pod_sets: what it asks for.

    >>> Workload(namespace="ml", name="train", uid="u1", priority=100, created_at=0).key
    'ml/train'
    """

    namespace: str
    name: str
    uid: str
    priority: int
    created_at: Instant
    quota_reserved_at: Instant | None = None
    evicted: bool = False
    pods_ready_evicted_at: Instant | None = None
    admission_check_evicted_at: Instant | None = None
    time_based_preempted_at: Instant | None = None
    queue_name: str = ""
    cluster_queue: str | None = None
    usage: Amounts = field(default_factory=dict)
    pod_sets: tuple[PodSet, ...] = ()

    @property
    def key(self) -> str:
        """`namespace/name`, as the oracle's protocol writes a workload."""
        return f"{self.namespace}/{self.name}"


@dataclass(frozen=True, slots=True)
class ResourceFlavor:
    """A kind of node that quota is counted on.

    Args:
        name: its name.
        labelled: whether `spec.nodeLabels` is set, so that a pod's node constraints may exclude it.
        tainted: whether `spec.nodeTaints` is set, so that only pods that tolerate it may use it.
    """

    name: str
    labelled: bool = False
    tainted: bool = False


@dataclass(frozen=True, slots=True)
class FlavorQuotas:
    """One flavor of a resource group, with the nominal quota of each resource."""

    flavor: str
    nominal: Mapping[str, Amount]


@dataclass(frozen=True, slots=True)
class ResourceGroup:
    """Resources that are assigned the same flavor together, and the flavors in order of preference."""

    covered_resources: tuple[str, ...]
    flavors: tuple[FlavorQuotas, ...]


@dataclass(frozen=True, slots=True)
class ClusterQueue:
    """A Kueue ClusterQueue.

    Args:
        name: its name.
        resource_groups: quotas.
        within_cluster_queue: which of its own workloads a workload of this queue may preempt.
        min_admit_duration: KEP-8522's `withinClusterQueueConfig.minAdmitDuration` as configured, ns.
        cohort: name of the parent cohort; None when it stands alone.
    """

    name: str
    resource_groups: tuple[ResourceGroup, ...] = ()
    within_cluster_queue: WithinClusterQueue = WithinClusterQueue.NEVER
    min_admit_duration: Duration | None = None
    cohort: str | None = None

    def nominal(self) -> dict[FlavorResource, Amount]:
        """The nominal quota of every flavor-resource that the queue covers."""
        return {
            FlavorResource(quotas.flavor, resource): amount
            for group in self.resource_groups
            for quotas in group.flavors
            for resource, amount in quotas.nominal.items()
        }


@dataclass(frozen=True, slots=True)
class Settings:
    """What the scheduler itself is configured with, as far as it decides.

    Args:
        time_based_preemption: feature gate TimeBasedSamePriorityPreemption (KEP-8522, on by default).
        requeuing_timestamp: see `RequeuingTimestamp`; the product's default is Eviction.
    """

    time_based_preemption: bool = True
    requeuing_timestamp: RequeuingTimestamp = RequeuingTimestamp.EVICTION


@dataclass(frozen=True, slots=True)
class Cluster:
    """A snapshot of a cluster's queues and workloads.

    Args:
        cluster_queues: by name.
        admitted: the workloads that hold quota.
        pending: the workloads that wait for it.
        flavors: the ResourceFlavors that exist, by name.
        local_queues: ClusterQueue name by (namespace, LocalQueue name).
        settings: the scheduler's configuration.
    """

    cluster_queues: Mapping[str, ClusterQueue]
    admitted: tuple[Workload, ...] = ()
    pending: tuple[Workload, ...] = ()
    flavors: Mapping[str, ResourceFlavor] = field(default_factory=dict)
    local_queues: Mapping[tuple[str, str], str] = field(default_factory=dict)
    settings: Settings = field(default_factory=Settings)


@dataclass(frozen=True, slots=True)
class Assignment:
    """The flavors a pending workload would get.

    Args:
        usage: what it would add, per flavor-resource.
        needs_preemption: the flavor-resources that lack quota.
        fits: whether every flavor-resource could be had at all (mode Fit or Preempt, never NoFit).
    """

    usage: Amounts
    needs_preemption: frozenset[FlavorResource]
    fits: bool = True


class Ground(IntEnum):
    """Why a workload may be taken within its ClusterQueue."""

    NONE = 0
    LOWER_PRIORITY = 1
    NEWER_EQUAL = 2
    TIME_EXPIRED = 3


class Reason(IntEnum):
    """The reason of the Preempted condition, and the `reason` label of Kueue's metric."""

    IN_CLUSTER_QUEUE = 0
    IN_CLUSTER_QUEUE_TIME_BASED = 1

    @property
    def label(self) -> str:
        """The reason as the API writes it.

        >>> Reason.IN_CLUSTER_QUEUE_TIME_BASED.label
        'InClusterQueueTimeBased'
        """
        return _REASON_LABELS[self]


_REASON_LABELS = {
    Reason.IN_CLUSTER_QUEUE: "InClusterQueue",
    Reason.IN_CLUSTER_QUEUE_TIME_BASED: "InClusterQueueTimeBased",
}


@dataclass(frozen=True, slots=True)
class Evidence:
    """What allows a workload to be taken: the ground that a rule found for it."""

    ground: Ground


@dataclass(frozen=True, slots=True)
class Target:
    """A workload that is to be preempted. Only `tenure.oracle.door.take_target` constructs one.

    Args:
        workload: who loses its quota.
        reason: see `Reason`.
        evidence: what allowed it.
    """

    workload: Workload
    reason: Reason
    evidence: Evidence


class Outcome(StrEnum):
    """The result of one decision, in the words of the JSON-lines protocol."""

    FIT = "Fit"
    PREEMPT = "Preempt"
    NO_CANDIDATES = "NoCandidates"
    NO_FIT = "NoFit"
