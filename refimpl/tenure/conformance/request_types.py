"""What the oracle reads: the types of which the published schema is made.

Nothing is read by these: `tenure.conformance.requests` says more precisely what is wrong. The objects are the
types that they are read by, with a header, and for older versions with the fields of these.
"""

# ruff: noqa: N815 - fields of the API, as it writes them

from __future__ import annotations

from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import ConfigDict, Field, StrictBool, WithJsonSchema, with_config

from tenure.as_json import Shape
from tenure.conformance.answer_types import CHOICE, PRESET
from tenure.manifests import fields, preemption_configs, preemption_limits, schema, topologies
from tenure.manifests import workload_schema as workloads
from tenure.manifests.feature_gates import known_gates, refused_gates

_BETA = Literal["", "kueue.x-k8s.io/v1beta2", "kueue.x-k8s.io/v1beta1"] | None
_NEWEST = Literal["", "kueue.x-k8s.io/v1beta2"] | None


def _without(*names: str) -> ConfigDict:
    """A shape that has not all fields of the one it is made from."""

    def drop(made: dict[str, Any]) -> None:
        for name in names:
            made["properties"].pop(name)

    return ConfigDict(json_schema_extra=drop)


class NewestClusterQueue(schema.ClusterQueueObject):
    """A ClusterQueue of v1beta2, or without version."""

    api_version: _NEWEST = None
    kind: Literal["", "ClusterQueue"] | None = None


class OlderFlavorFungibility(schema.FlavorFungibilitySpec):
    """The words of v1beta1 beside those of v1beta2."""

    when_can_borrow: Literal["", "Borrow", "MayStopSearch", "TryNextFlavor"] | None = None  # type: ignore[assignment]  # more words
    when_can_preempt: Literal["", "Preempt", "MayStopSearch", "TryNextFlavor"] | None = None  # type: ignore[assignment]  # more words


class OlderClusterQueueSpec(schema.ClusterQueueSpec):
    """The spec of v1beta1."""

    model_config = _without("cohortName")
    cohort: fields.Text | None = None
    admission_checks: list[Any] | None = None
    flavor_fungibility: OlderFlavorFungibility | None = None


class OlderClusterQueue(schema.ClusterQueueObject):
    """A ClusterQueue of v1beta1."""

    api_version: Literal["kueue.x-k8s.io/v1beta1"]
    kind: Literal["", "ClusterQueue"] | None = None
    spec: OlderClusterQueueSpec | None = None


class NewestCohort(schema.CohortObject):
    """A Cohort of v1beta2 or v1beta1, or without version."""

    api_version: _BETA = None
    kind: Literal["", "Cohort"] | None = None


class OlderCohortSpec(schema.CohortSpec):
    """The spec of v1alpha1, whose last releases have the new name of the parent."""

    parent: fields.Text | None = None


class OlderCohort(schema.CohortObject):
    """A Cohort of v1alpha1."""

    api_version: Literal["kueue.x-k8s.io/v1alpha1"]
    kind: Literal["", "Cohort"] | None = None
    spec: OlderCohortSpec | None = None


class GivenResourceFlavor(schema.ResourceFlavorObject):
    """A ResourceFlavor."""

    api_version: _BETA = None
    kind: Literal["", "ResourceFlavor"] | None = None


class GivenTopology(topologies.TopologyObject):
    """A Topology."""

    api_version: (
        Literal["", "kueue.x-k8s.io/v1beta2", "kueue.x-k8s.io/v1beta1", "kueue.x-k8s.io/v1alpha1"] | None
    ) = None
    kind: Literal["", "Topology"] | None = None


class GivenLocalQueue(schema.LocalQueueObject):
    """A LocalQueue."""

    api_version: _BETA = None
    kind: Literal["", "LocalQueue"] | None = None


class GivenWorkloadPriorityClass(schema.WorkloadPriorityClassObject):
    """A WorkloadPriorityClass."""

    api_version: _BETA = None
    kind: Literal["", "WorkloadPriorityClass"] | None = None


class GivenPreemptionConfig(preemption_configs.PreemptionConfigObject):
    """A PreemptionConfig."""

    api_version: Literal["", "kueue.x-k8s.io/v1alpha1"] | None = None
    kind: Literal["", "PreemptionConfig"] | None = None


class GivenPreemptionLimit(preemption_limits.PreemptionLimitObject):
    """A PreemptionLimit of KEP-13396's FUTURE_WORK, a proposal."""

    api_version: Literal["", "kueue.x-k8s.io/v1alpha1"] | None = None
    kind: Literal["", "PreemptionLimit"] | None = None


class PendingPodSet(workloads.PodSetSpec):
    """A pod set that is measured by its template."""

    template: workloads.PodTemplate | None = None


@with_config(fields.KNOWN | _without("priorityClassRef"))
class OlderWorkloadSpec(workloads.WorkloadSpec, total=False):
    """The spec of v1beta1."""

    priorityClassName: str | None
    priorityClassSource: (
        Literal["", "kueue.x-k8s.io/workloadpriorityclass", "scheduling.k8s.io/priorityclass"] | None
    )


class PendingSpec(workloads.WorkloadSpec, total=False):
    """The spec of a workload that waits."""

    podSets: list[PendingPodSet] | None  # type: ignore[misc]  # a narrower shape of the same


class OlderPendingSpec(OlderWorkloadSpec, total=False):
    """The spec of a workload of v1beta1 that waits."""

    podSets: list[PendingPodSet] | None  # type: ignore[misc]  # as above


class HoldingStatus(workloads.WorkloadStatus):
    """The status of a workload that holds quota."""

    admission: workloads.Admission  # type: ignore[misc]  # as above


class _Workload(workloads.WorkloadObject):
    api_version: _NEWEST = None
    kind: Literal["", "Workload"] | None = None


class HoldingWorkload(_Workload):
    """A Workload that holds quota."""

    status: HoldingStatus  # type: ignore[assignment]  # what must be there


class PendingWorkload(_Workload):
    """A Workload that waits."""

    spec: PendingSpec | None = None  # type: ignore[assignment]  # as its pod sets


class OlderHoldingWorkload(HoldingWorkload):
    """A Workload of v1beta1 that holds quota."""

    api_version: Literal["kueue.x-k8s.io/v1beta1"]  # type: ignore[assignment]  # another version
    spec: OlderWorkloadSpec | None = None


class OlderPendingWorkload(PendingWorkload):
    """A Workload of v1beta1 that waits."""

    api_version: Literal["kueue.x-k8s.io/v1beta1"]  # type: ignore[assignment]  # another version
    spec: OlderPendingSpec | None = None


ClusterQueues = list[NewestClusterQueue | OlderClusterQueue]
Cohorts = list[NewestCohort | OlderCohort]
Holding = list[HoldingWorkload | OlderHoldingWorkload]

_SWITCHES = {
    name: {"const": False} if name in refused_gates(fair_sharing=False) else {"type": "boolean"}
    for name in sorted(known_gates())
}

Gates = Annotated[
    dict[str, StrictBool],
    WithJsonSchema({"type": "object", "additionalProperties": False, "properties": _SWITCHES}),
]
"""Feature gates; those that would switch on what is not modelled may only be off."""

AnyGates = Annotated[
    dict[str, StrictBool],
    WithJsonSchema(
        {
            "type": "object",
            "additionalProperties": {"type": "boolean"},
            "propertyNames": {"enum": sorted(known_gates())},
        }
    ),
]
"""Feature gates, whatever they switch on."""

ReadingGiven = Annotated[
    str | dict[str, str],
    WithJsonSchema(
        {
            "anyOf": [
                PRESET,
                {"type": "object", "additionalProperties": False, "properties": {"preset": PRESET, **CHOICE}},
            ]
        }
    ),
]
"""A preset's name, or some choices."""


class GivenProtectionRule(Shape):
    """A rule of preemptionProtection."""

    min_admit_duration: fields.DurationText | None = None
    """How long a workload is protected; longer than 0s."""


class GivenProtection(Shape):
    """Protection from preemption by other ClusterQueues."""

    fair_sharing: GivenProtectionRule | None = None
    """From rebalancing by shares."""
    reclaim_within_cohort: GivenProtectionRule | None = None
    """From reclaim."""


class GivenFairSharing(Shape):
    """Fair sharing is on."""

    preemption_strategies: (
        Annotated[
            list[str],
            WithJsonSchema(
                {
                    "enum": [
                        [],
                        ["LessThanOrEqualToFinalShare"],
                        ["LessThanInitialShare"],
                        ["LessThanOrEqualToFinalShare", "LessThanInitialShare"],
                    ]
                }
            ),
        ]
        | None
    ) = None
    """In their order; an empty list is Kueue's default pair."""


class _OpenShape(fields.Open):
    model_config = ConfigDict(use_attribute_docstrings=True)


class GivenFlavorResource(_OpenShape):
    """A resource of a flavor."""

    flavor: str
    """The flavor."""
    resource: str
    """The resource."""


class Used(GivenFlavorResource):
    """What the workload would add."""

    amount: Annotated[int, Field(ge=0)]
    """In base units, milli-CPU for cpu."""


class GivenFlavor(_OpenShape):
    """The flavor that a resource of a pod set would get."""

    flavor: str
    """The flavor."""
    mode: str
    """Its mode; NoFit makes the decision NoFit."""


class AssignedPodSet(_OpenShape):
    """A pod set and its flavors."""

    name: str
    """Of the pod set."""
    count: Annotated[int, Field(ge=0)] = 0
    """How many pods."""
    flavors: dict[str, GivenFlavor] | None = None
    """The flavors, by resource."""


class GivenAssignment(_OpenShape):
    """The flavors that the pending workload would get."""

    usage: list[Used] | None = None
    """What the workload would add."""
    frs_need_preemption: list[GivenFlavorResource] | None = None
    """What is short; where it is empty the decision is Fit."""
    pod_sets: list[AssignedPodSet] | None = None
    """The pod sets."""
    representative_mode: Any = None
    """NoFit makes the decision NoFit."""


class ClusterInput(Shape):
    """A cluster, and how it is read."""

    now: fields.InstantText
    """The scheduling cycle's clock."""
    cluster_queues: ClusterQueues | None
    """The ClusterQueues."""
    admitted: Holding | None
    """The Workloads that hold quota, whatever their conditions say."""
    cohorts: Cohorts | None = None
    """The Cohorts; one that is only named exists without quota of its own."""
    resource_flavors: list[GivenResourceFlavor] | None = None
    """The ResourceFlavors; without the list, flavors exist and have neither labels nor taints."""
    topologies: list[GivenTopology] | None = None
    """The Topologies; without any, each flavor's is there and has all levels."""
    fair_sharing: GivenFairSharing | None = None
    """Null for classical preemption."""
    local_queues: list[GivenLocalQueue] | None = None
    """The LocalQueues."""
    workload_priority_classes: list[GivenWorkloadPriorityClass] | None = None
    """The WorkloadPriorityClasses; one with a policy decides the priority of the workloads that name it."""
    preemption_configs: list[GivenPreemptionConfig] | None = None
    """The PreemptionConfigs; without the list, a ClusterQueue that names one is not decided."""
    preemption_limits: list[GivenPreemptionLimit] | None = None
    """The PreemptionLimits, a proposal; no preemption has counted yet."""
    jobs: dict[str, fields.InstantText] | None = None
    """Creation times of the workloads' Jobs, by namespace/name."""
    assignment: GivenAssignment | None = None
    """The flavors that the pending workload would get; null derives them."""
    reading: ReadingGiven | None = None
    """A preset's name, or choices on top of a preset; null for the default preset."""
    feature_gates: Gates | None = None
    """On top of Kueue's defaults; those that would switch on what is not modelled may only be off."""
    preemption_protection: GivenProtection | None = None
    """preemptionProtection of the Configuration (KEP-9876), with feature gate PreemptionProtection."""
    requeuing_timestamp: Literal["", "Creation", "Eviction"] = "Eviction"
    """waitForPodsReady.requeuingStrategy.timestamp; empty means Creation."""
    engine: Literal["reference", "fast", "auto"] = "reference"
    """The engine that decides; what the optimized core does not cover the reference does."""
    explain: StrictBool = False
    """Whether the answer has the trace."""
    suite: Any = None
    name: Any = None
    test: Any = None
    call: Any = None
    tas: Any = None
    admission_fair_sharing: Any = None
    node_usage: Any = None
    want: Any = None
    got: Any = None
    derived: Any = None
    decision: Any = None


class DecideInput(ClusterInput):
    """A cluster, a workload that waits in it, and how to decide."""

    incoming: PendingWorkload | OlderPendingWorkload
    """The pending Workload."""
    target_cq: str = Field(alias="targetCQ")
    """Name of its ClusterQueue."""


class AccessibleInput(ClusterInput):
    """A cluster, whatever its pending workloads."""

    target_cq: str | None = Field(default=None, alias="targetCQ")
    """Takes no part."""


class ValidateInput(Shape):
    """Objects that an API server has not seen yet."""

    objects: list[Any]
    """Kueue's and KAI's objects; what is wrong with them is in the answer."""
    old: list[Any] | None = None
    """The same objects before a change."""
    reading: ReadingGiven | None = None
    """As for decide."""
    feature_gates: AnyGates | None = None
    """On top of Kueue's defaults."""


class PriorityInput(Shape):
    """A WorkloadPriorityClass, and when to ask it."""

    workload_priority_class: GivenWorkloadPriorityClass
    """The class, as released or as KEP-754 proposes it."""
    created: fields.InstantText
    """When the Job was created."""
    now: fields.InstantText
    """The clock."""
    reading: ReadingGiven | None = None
    """As for decide."""


class MinRuntimeInput(_OpenShape):
    """One case for KAI-Scheduler's MinRuntime plugin; its other fields depend on the operation."""

    op: Literal["config", "queueField", "resolve", "path", "filter", "validate", "delay", "sequence"]
    """The operation."""


_Call = TypeVar("_Call")
_Input = TypeVar("_Input")


class _Request(_OpenShape, Generic[_Call, _Input]):
    id: Any = None
    """The answer repeats it."""
    protocol: Literal["tenure-oracle/1"] = "tenure-oracle/1"
    """The version of the protocol that is meant; another one is refused."""
    call: _Call
    """The call."""
    input: _Input
    """The input of the call."""


class DecideCall(_Request[Literal["decide"], DecideInput]):
    """Requests a decision: which workloads are preempted."""


class AccessibleCall(_Request[Literal["accessible"], AccessibleInput]):
    """Requests what is accessible to every ClusterQueue while heroes run."""


class ValidateCall(_Request[Literal["validate"], ValidateInput]):
    """Requests the validation of objects."""


class PriorityCall(_Request[Literal["priority"], PriorityInput]):
    """Requests the priority that a WorkloadPriorityClass gives."""


class MinRuntimeCall(_Request[Literal["minruntime"], MinRuntimeInput]):
    """Requests an answer of KAI-Scheduler's MinRuntime plugin."""


class VersionCall(_OpenShape):
    """Requests the version of the program and of the schedulers."""

    id: Any = None
    """The answer repeats it."""
    protocol: Literal["tenure-oracle/1"] = "tenure-oracle/1"
    """As of any other call."""
    call: Literal["version"]
    """The call."""


Request = DecideCall | AccessibleCall | ValidateCall | PriorityCall | MinRuntimeCall | VersionCall
"""One line of standard input."""
