"""The shape of queues, cohorts, flavors and classes: types, ranges, allowed words, known fields.

Where a field decides who is preempted, a name that the API does not have is an error: a typing mistake
must not silently mean "not set". Elsewhere unknown names pass, because every release adds counters.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator

from tenure.errors import InputError, Problem
from tenure.manifests.fields import (
    DurationText,
    Int32,
    Known,
    KubernetesObject,
    Name,
    NonNegative,
    Text,
    Unset,
    Weight,
    refuse,
    refuse_any,
)
from tenure.manifests.showing import show


class BorrowWithinCohort(Known):
    policy: Annotated[Literal["Never", "LowerPriority"] | None, Unset] = None
    max_priority_threshold: Int32 | None = None


class WithinClusterQueueConfig(Known):
    """Source: KEP-8522, API Changes."""

    min_admit_duration: DurationText | None = None


class Preemption(Known):
    """Source: Kueue v1beta2 API, ClusterQueuePreemption; KEP-8522 and KEP-8826, API."""

    within_cluster_queue: Annotated[
        Literal["Never", "LowerPriority", "LowerOrNewerEqualPriority"] | None, Unset
    ] = None
    within_cluster_queue_config: WithinClusterQueueConfig | None = None
    reclaim_within_cohort: Annotated[Literal["Never", "LowerPriority", "Any"] | None, Unset] = None
    borrow_within_cohort: BorrowWithinCohort | None = None
    rules: Annotated[
        Literal["DefaultPreemptionRules", "UberClusterQueueRules"] | None,
        Unset,
    ] = None


class ResourceQuota(Known):
    name: Name
    nominal_quota: NonNegative
    borrowing_limit: NonNegative | None = None
    lending_limit: NonNegative | None = None


class FlavorQuotas(Known):
    name: Name
    resources: list[ResourceQuota] | None = None


class ResourceGroup(Known):
    covered_resources: list[Name] | None = None
    flavors: list[FlavorQuotas] | None = None


class FlavorFungibility(Known):
    when_can_borrow: Annotated[Literal["MayStopSearch", "TryNextFlavor"] | None, Unset] = None
    when_can_preempt: Annotated[Literal["MayStopSearch", "TryNextFlavor"] | None, Unset] = None
    preference: Annotated[Literal["BorrowingOverPreemption", "PreemptionOverBorrowing"] | None, Unset] = None


class FairSharing(Known):
    weight: Weight | None = None


class AdmissionScope(Known):
    admission_mode: Text | None = None


_Stop: TypeAlias = Literal["None", "Hold", "HoldAndDrain"] | None
_A_HELD_QUEUE = "a LocalQueue that is held"


class ClusterQueueSpec(Known):
    """Source: Kueue v1beta2 API, ClusterQueueSpec."""

    resource_groups: list[ResourceGroup] | None = None
    preemption: Preemption | None = None
    cohort_name: Text | None = None
    queueing_strategy: Annotated[Literal["StrictFIFO", "BestEffortFIFO"] | None, Unset] = None
    namespace_selector: dict[str, Any] | None = None
    flavor_fungibility: FlavorFungibility | None = None
    fair_sharing: FairSharing | None = None
    admission_scope: AdmissionScope | None = None
    stop_policy: Annotated[_Stop, Unset] = None
    admission_checks_strategy: Any = None
    concurrent_admission_policy: Any = None


class ClusterQueueObject(KubernetesObject):
    spec: ClusterQueueSpec | None = None


class CohortSpec(Known):
    """Source: Kueue v1beta2 API, CohortSpec."""

    parent_name: Text | None = None
    resource_groups: list[ResourceGroup] | None = None
    fair_sharing: FairSharing | None = None


class CohortObject(KubernetesObject):
    spec: CohortSpec | None = None


class Taint(Known):
    """Source: Kubernetes core/v1."""

    key: Name
    value: Text | None = None
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]
    time_added: Any = None


class CheckedToleration(Known):
    """Source: Kubernetes core/v1; the operators Lt and Gt of its newest release are not modelled."""

    key: Text | None = None
    operator: Annotated[
        Literal["Exists", "Equal", "Lt", "Gt"] | None,
        Unset,
        refuse("Lt", "a toleration that compares numbers"),
        refuse("Gt", "a toleration that compares numbers"),
    ] = None
    value: Text | None = None
    effect: Annotated[Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] | None, Unset] = None
    toleration_seconds: Any = None


def _sensible(value: CheckedToleration) -> CheckedToleration:
    """What Kubernetes requires of the fields of a toleration together."""
    if not value.key and value.operator != "Exists":
        raise InputError([Problem(".operator", show(value.operator), "Exists, because no key is named")])
    if value.value and value.operator == "Exists":
        raise InputError([Problem(".value", show(value.value), "nothing beside operator Exists")])
    return value


Toleration: TypeAlias = Annotated[CheckedToleration, AfterValidator(_sensible)]


class ResourceFlavorSpec(Known):
    """Source: Kueue v1beta2 API, ResourceFlavorSpec."""

    node_labels: dict[Name, Text] | None = None
    node_taints: list[Taint] | None = None
    tolerations: list[Toleration] | None = None
    topology_name: Annotated[Text | None, refuse_any("topology-aware scheduling")] = None


class ResourceFlavorObject(KubernetesObject):
    spec: ResourceFlavorSpec | None = None


class LocalQueueSpec(Known):
    """Source: Kueue v1beta2 API, LocalQueueSpec."""

    cluster_queue: Name
    stop_policy: Annotated[
        _Stop, Unset, refuse("Hold", _A_HELD_QUEUE), refuse("HoldAndDrain", _A_HELD_QUEUE)
    ] = None
    fair_sharing: FairSharing | None = None


class LocalQueueObject(KubernetesObject):
    spec: LocalQueueSpec


class DynamicPriorityPolicy(Known):
    """Source: KEP-754, WorkloadPriorityClass API; durations are text, as everywhere in Kubernetes."""

    step: Int32 | None = None
    max: Int32 | None = None
    delay_for_step: DurationText | None = None


class WorkloadPriorityClassSpec(Known):
    """Source: KEP-754, WorkloadPrioritySpec."""

    priority: Int32 | None = None
    dynamic_priority_policy: DynamicPriorityPolicy | None = None


class WorkloadPriorityClassObject(KubernetesObject):
    """Source: Kueue v1beta2 API, WorkloadPriorityClass; KEP-754, whose policy may stand in either place."""

    value: Int32 | None = None
    description: Any = None
    dynamic_priority_policy: DynamicPriorityPolicy | None = None
    spec: WorkloadPriorityClassSpec | None = None
