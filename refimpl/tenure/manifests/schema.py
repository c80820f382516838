"""The shape of the Kueue objects that are read: types, ranges, allowed words, known fields.

Where a field decides who is preempted, a name that the API does not have is an error: a typing mistake
must not silently mean "not set". Elsewhere unknown names pass, because every release adds counters.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    StrictBool,
    StrictInt,
    StringConstraints,
)
from pydantic.alias_generators import to_camel

from tenure.errors import InputError, Problem, not_modelled
from tenure.manifests.durations import parse_duration
from tenure.manifests.instants import parse_instant
from tenure.manifests.quantities import parse_quantity
from tenure.manifests.showing import NumberText, show


def _quantity(value: object) -> Fraction:
    return parse_quantity(value)


def _amount(value: object) -> Fraction:
    exact = parse_quantity(value)
    if exact < 0:
        raise InputError([Problem("", show(value), "a quantity that is not negative")])
    return exact


def _instant(value: object) -> int:
    return parse_instant(value)


def _duration(value: object) -> int:
    return parse_duration(value)


def _text(value: object) -> object:
    if isinstance(value, NumberText):
        raise InputError([Problem("", show(value), "a string")])
    # Names are printed by everything that follows: no escape sequences for a terminal, no lone surrogates.
    if isinstance(value, str) and not value.isprintable():
        raise InputError([Problem("", show(value), "a string without control characters")])
    return value


def _absent_if_empty(value: object) -> object:
    """Go writes an unset policy as an empty string, which the API server replaces by the default."""
    return None if value == "" else value


def _not_held(value: str | None) -> str | None:
    if value not in (None, "None"):
        raise not_modelled("", show(value), "a queue that is held")
    return value


def _no_hero(value: str | None) -> str | None:
    if value == "UberClusterQueueRules":
        raise not_modelled("", show(value), "a hero queue (KEP-8826)")
    return value


def _no_topology(value: str | None) -> str | None:
    if value:
        raise not_modelled("", show(value), "topology-aware scheduling")
    return value


def _no_pod_level_resources(value: object) -> object:
    if isinstance(value, dict) and any(value.values()):
        raise not_modelled("", show(value), "a request of the pod as a whole")
    return value


def _no_claims(value: object) -> object:
    if value:
        raise not_modelled("", show(value), "dynamic resource allocation")
    return value


Text: TypeAlias = Annotated[str, BeforeValidator(_text)]
Name: TypeAlias = Annotated[Text, StringConstraints(min_length=1)]
Quantity: TypeAlias = Annotated[Fraction, PlainValidator(_quantity)]
NonNegative: TypeAlias = Annotated[Fraction, PlainValidator(_amount)]
InstantText: TypeAlias = Annotated[int, PlainValidator(_instant)]
DurationText: TypeAlias = Annotated[int, PlainValidator(_duration)]
Int32: TypeAlias = Annotated[StrictInt, Field(ge=-(2**31), lt=2**31)]
Count: TypeAlias = Annotated[StrictInt, Field(ge=0, lt=2**31)]
_Optional = BeforeValidator(_absent_if_empty)


class _Known(BaseModel):
    """Fields that the API does not have are errors."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, alias_generator=to_camel)


class _Open(BaseModel):
    """Fields that are not listed are ignored."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True, alias_generator=to_camel)


class Metadata(_Open):
    name: Name
    namespace: Text | None = None
    uid: Text | None = None
    creation_timestamp: InstantText | None = None


class _Object(_Known):
    api_version: Any = None
    kind: Any = None
    metadata: Metadata
    status: Any = None


class BorrowWithinCohort(_Known):
    policy: Annotated[Literal["Never", "LowerPriority"] | None, _Optional] = None
    max_priority_threshold: Int32 | None = None


class WithinClusterQueueConfig(_Known):
    """Source: KEP-8522, API Changes."""

    min_admit_duration: DurationText | None = None


class Preemption(_Known):
    """Source: Kueue v1beta2 API, ClusterQueuePreemption; KEP-8522 and KEP-8826, API."""

    within_cluster_queue: Annotated[
        Literal["Never", "LowerPriority", "LowerOrNewerEqualPriority"] | None, _Optional
    ] = None
    within_cluster_queue_config: WithinClusterQueueConfig | None = None
    reclaim_within_cohort: Annotated[Literal["Never", "LowerPriority", "Any"] | None, _Optional] = None
    borrow_within_cohort: BorrowWithinCohort | None = None
    rules: Annotated[
        Literal["DefaultPreemptionRules", "UberClusterQueueRules"] | None, _Optional, AfterValidator(_no_hero)
    ] = None


class ResourceQuota(_Known):
    name: Name
    nominal_quota: NonNegative
    borrowing_limit: Quantity | None = None
    lending_limit: Quantity | None = None


class FlavorQuotas(_Known):
    name: Name
    resources: list[ResourceQuota] | None = None


class ResourceGroup(_Known):
    covered_resources: list[Name] | None = None
    flavors: list[FlavorQuotas] | None = None


class FlavorFungibility(_Known):
    when_can_borrow: Annotated[Literal["MayStopSearch", "TryNextFlavor"] | None, _Optional] = None
    when_can_preempt: Annotated[Literal["MayStopSearch", "TryNextFlavor"] | None, _Optional] = None
    preference: Annotated[Literal["BorrowingOverPreemption", "PreemptionOverBorrowing"] | None, _Optional] = (
        None
    )


class FairSharing(_Known):
    weight: Quantity | None = None


class AdmissionScope(_Known):
    admission_mode: Text | None = None


StopPolicy: TypeAlias = Annotated[
    Literal["None", "Hold", "HoldAndDrain"] | None, _Optional, AfterValidator(_not_held)
]


class ClusterQueueSpec(_Known):
    """Source: Kueue v1beta2 API, ClusterQueueSpec."""

    resource_groups: list[ResourceGroup] | None = None
    preemption: Preemption | None = None
    cohort_name: Text | None = None
    queueing_strategy: Annotated[Literal["StrictFIFO", "BestEffortFIFO"] | None, _Optional] = None
    namespace_selector: dict[str, Any] | None = None
    flavor_fungibility: FlavorFungibility | None = None
    fair_sharing: FairSharing | None = None
    admission_scope: AdmissionScope | None = None
    stop_policy: StopPolicy = None
    admission_checks: Any = None
    admission_checks_strategy: Any = None
    concurrent_admission_policy: Any = None


class ClusterQueueObject(_Object):
    spec: ClusterQueueSpec | None = None


class Taint(_Open):
    """Source: Kubernetes core/v1."""

    effect: Text | None = None


class ResourceFlavorSpec(_Known):
    """Source: Kueue v1beta2 API, ResourceFlavorSpec."""

    node_labels: dict[str, Any] | None = None
    node_taints: list[Taint] | None = None
    tolerations: Any = None
    topology_name: Annotated[Text | None, AfterValidator(_no_topology)] = None


class ResourceFlavorObject(_Object):
    spec: ResourceFlavorSpec | None = None


class LocalQueueSpec(_Known):
    """Source: Kueue v1beta2 API, LocalQueueSpec."""

    cluster_queue: Name
    stop_policy: StopPolicy = None
    fair_sharing: FairSharing | None = None


class LocalQueueObject(_Object):
    spec: LocalQueueSpec


class PodSet(_Known):
    name: Name = "main"
    count: Count | None = None
    min_count: Count | None = None
    template: Any = None
    topology_request: Any = None


class WorkloadSpec(_Known):
    """Source: Kueue v1beta2 API, WorkloadSpec."""

    pod_sets: list[PodSet] | None = None
    queue_name: Text | None = None
    priority: Int32 | None = None
    priority_class_ref: dict[str, Any] | None = None
    active: StrictBool | None = None
    maximum_execution_time_seconds: Int32 | None = None
    preemption_gates: list[Any] | None = None


class Condition(_Known):
    """Source: Kubernetes metav1.Condition."""

    type: Name
    status: Literal["True", "False", "Unknown"]
    reason: Text | None = None
    message: Any = None
    last_transition_time: InstantText | None = None
    observed_generation: Any = None


class ReclaimablePod(_Known):
    name: Name
    count: Count


class WorkloadStatus(_Open):
    conditions: list[Condition] | None = None
    reclaimable_pods: list[ReclaimablePod] | None = None


class WorkloadObject(_Known):
    api_version: Any = None
    kind: Any = None
    metadata: Metadata
    spec: WorkloadSpec | None = None
    status: WorkloadStatus | None = None


class PodSetAssignment(_Known):
    name: Name = "main"
    flavors: dict[Name, Text] | None = None
    resource_usage: dict[Name, NonNegative] | None = None
    count: Count | None = None
    topology_assignment: Any = None
    delayed_topology_request: Any = None


class Admission(_Known):
    """`status.admission`, checked only for a workload that holds quota. Source: Kueue v1beta2 API."""

    cluster_queue: Name
    pod_set_assignments: list[PodSetAssignment] | None = None


class Resources(_Known):
    requests: dict[Name, Quantity] | None = None
    limits: Any = None
    claims: Annotated[Any, AfterValidator(_no_claims)] = None


class Container(_Open):
    resources: Resources | None = None
    restart_policy: Text | None = None


class PodSpec(_Open):
    containers: list[Container] | None = None
    init_containers: list[Container] | None = None
    overhead: dict[Name, Quantity] | None = None
    resources: Annotated[Any, AfterValidator(_no_pod_level_resources)] = None
    resource_claims: Annotated[Any, AfterValidator(_no_claims)] = None
    node_selector: dict[str, Any] | None = None
    affinity: dict[str, Any] | None = None


class PodTemplate(_Open):
    """`spec.podSets[].template`, checked only for a workload that is pending. Source: Kubernetes core/v1."""

    spec: PodSpec | None = None
