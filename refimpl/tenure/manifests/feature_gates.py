"""Feature gates: which names there are, and which of them decide."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Mapping
from typing import Any, Final

from tenure.errors import ErrorCode, Problem
from tenure.manifests.showing import Place, printable, show
from tenure.model import FairStrategy, RequeuingTimestamp, Settings

TIME_BASED: Final = "TimeBasedSamePriorityPreemption"
"""KEP-8522's gate, on by default."""

RECLAIMABLE_PODS: Final = "ReclaimablePods"
"""Whether `status.reclaimablePods` release quota; on by default."""

_KUEUE = [
    "AdmissionFairSharing",
    "AdmissionGatedBy",
    "AssignQueueLabelsForPods",
    "CleanupProvisioningRequestsOnEviction",
    "ConcurrentAdmission",
    "CustomMetricLabels",
    "DeferRayServiceFinalizationForRedisCleanup",
    "DisableWaitForPodsReady",
    "ElasticJobsViaWorkloadSlices",
    "ElasticJobsViaWorkloadSlicesWithTAS",
    "FailureRecoveryPolicy",
    "FairSharingPreemptWithinNominal",
    "FairSharingPrioritizeNonBorrowing",
    "FastQuotaReleaseInPodIntegration",
    "FinishOrphanedWorkloads",
    "FlavorFungibility",
    "FlavorFungibilityPreserveScanProgress",
    "KueueDRAIntegration",
    "KueueDRAIntegrationConsumableCapacity",
    "KueueDRAIntegrationExtendedResource",
    "KueueDRAIntegrationPartitionableDevices",
    "KueueDRARejectWorkloadsWhenDRADisabled",
    "LWSImmutableGroupSize",
    "LocalQueueMetrics",
    "ManagedJobsNamespaceSelectorAlwaysRespected",
    "MetricForWorkloadCreationLatency",
    "MetricsForCohorts",
    "MultiKueue",
    "MultiKueueAdaptersForCustomJobs",
    "MultiKueueClusterProfile",
    "MultiKueueIncrementalDispatcherConfig",
    "MultiKueueIncrementalDispatcherRespectConfigOrder",
    "MultiKueueKubeConfigPathValidation",
    "MultiKueueManagerQuotaAutomation",
    "MultiKueueOrchestratedPreemption",
    "MultiKueueRemoteSpecSync",
    "PartialAdmission",
    "PodIntegrationValidateGroupOwner",
    "PrioritizePreemptorWorkloads",
    "PriorityBoost",
    "PrioritySortingWithinCohort",
    "QuotaCheckStrategy",
    "ReclaimablePods",
    "RecomputeAssignmentUponPreemptionTargetsOverlap",
    "RejectUpdatesToCQWithInvalidOnFlavors",
    "RemoveFinalizersWithStrictPatch",
    "SchedulerLibraryIntegration",
    "SchedulingEquivalenceHashing",
    "ShortWorkloadNames",
    "SkipAncestorCheckForDeletedWorkloads",
    "SkipReassignmentForPodOwnedWorkloads",
    "SparkApplicationIntegration",
    "TASAssignmentsEncodingByHostnamePrefix",
    "TASBalancedPlacement",
    "TASCacheNodeMatchResults",
    "TASCacheTopologyTree",
    "TASCachingRemainingResources",
    "TASFailedNodeReplacement",
    "TASFailedNodeReplacementFailFast",
    "TASHandleOverlappingFlavors",
    "TASMultiLayerTopology",
    "TASProfileMixed",
    "TASRecomputeAssignmentWithinSchedulingCycle",
    "TASReplaceNodeDueToNotReadyOverFixedTime",
    "TASReplaceNodeOnNodeTaints",
    "TASReplaceNodeOnPodTermination",
    "TASRespectNodeAffinityPreferred",
    "TASValidateWorkloadSliceSize",
    "TLSOptions",
    "TopologyAwareScheduling",
    "UnadmittedWorkloadsExplicitStatus",
    "UnadmittedWorkloadsObservability",
    "ValidateRayAndSparkJobUpdates",
    "VectorizedResourceRequests",
    "VisibilityOnDemand",
    "WorkloadIdentifierAnnotations",
    "WorkloadPriorityClassDefaulting",
    "WorkloadRequestUseMergePatch",
    "WorkloadValidateResourcesAreNonNegative",
    "WorkloadValidationForPodSetMetadata",
]
# Source: Kueue at the commit whose decisions were recorded (August 2026).

_LOCKED = (
    "HierarchicalCohorts",
    "MultiKueueAllowInsecureKubeconfigs",
    "MultiKueueRedoAdmissionOnEvictionInWorker",
    "MultiKueueWaitForWorkloadAdmitted",
    "ObjectRetentionPolicies",
    "PropagateBatchJobLabelsToWorkload",
    "SchedulerLongRequeueInterval",
    "SkipFinalizersForPodsSuspendedByParent",
)
"""Gates that v0.19 still has and that decide nothing: most are locked there, and later removed."""

_RETIRED = ("SchedulerTimestampPreemptionBuffer",)
"""Gates of earlier releases that may still be in a Configuration, switched off."""

STAGES: Final = ("AllAlpha", "AllBeta")
"""Names that switch all gates of a stage. Source: Kubernetes, component-base/featuregate."""

KNOWN: Final = frozenset((*_KUEUE, *_LOCKED, *_RETIRED, TIME_BASED))
"""Every feature gate that may be named."""

SETTING_OF_GATE: Final[Mapping[str, str]] = {
    TIME_BASED: "time_based_preemption",
    "PriorityBoost": "priority_boost",
    "PrioritySortingWithinCohort": "priority_sorting_within_cohort",
    "FairSharingPreemptWithinNominal": "fair_sharing_preempt_within_nominal",
    "FlavorFungibility": "flavor_fungibility",
    "PartialAdmission": "partial_admission",
    "TopologyAwareScheduling": "topology_aware_scheduling",
}
"""The field of `Settings` that a gate sets."""

NOT_MODELLED: Final[Mapping[str, str]] = {
    "ConcurrentAdmission": "a workload that tries several flavors at once",
    "MultiKueueOrchestratedPreemption": "a preemption that another cluster has to allow",
    "SchedulerLibraryIntegration": "the scheduler library",
    "SchedulerTimestampPreemptionBuffer": "the buffer of five minutes between equal priorities",
}
"""Gates that decide when they are on, and what they would switch on."""


_ON_IN_TOURNAMENT: Final[Mapping[str, str]] = {
    "FairSharingPrioritizeNonBorrowing": "an order of heads that passes over whether they borrow",
}
"""Gates that are on by default and, under fair sharing, decide over several cycles when they are off."""

_OFF: Final = frozenset(("DisableWaitForPodsReady",))
"""Gates asked for by `is_on` that are off by default."""


def is_on(gate: str, gates: Mapping[str, bool]) -> bool:
    """Whether a gate is on, by its default in v0.19.2 where it is not set.

    >>> is_on("ReclaimablePods", {}), is_on("DisableWaitForPodsReady", {})
    (True, False)
    """
    return gates.get(gate, gate not in _OFF)


def over_time_problems(
    gates: Mapping[str, bool], place: Place, field: str = "featureGates", *, fair_sharing: bool
) -> list[Problem]:
    """The gates that change what happens over several cycles, and are not modelled so.

    Args:
        gates: by name, already checked.
        place: where they are, for the problems.
        field: path of the map.
        fair_sharing: whether fair sharing is on.

    Source: Kueue v0.19.2, `entryComparer.less`.

    >>> gates = {"FairSharingPrioritizeNonBorrowing": False}
    >>> over_time_problems(gates, Place(), fair_sharing=True)[0].found
    'False'
    """
    return [
        place.problem(f"{field}.{gate}", "False", f"true: {what} is not modelled", ErrorCode.NOT_MODELLED)
        for gate, what in _ON_IN_TOURNAMENT.items()
        if fair_sharing and not is_on(gate, gates)
    ]


def gate_problems(found: object, place: Place, field: str = "featureGates") -> list[Problem]:
    """What is wrong with a map of feature gates.

    Args:
        found: the map, untrusted; None is empty.
        place: where it is, for the problems.
        field: path of the map.

    Source: Kueue, the feature gates of its base and the code that asks for them.

    >>> problem, = gate_problems({"PriorityBost": True}, Place())
    >>> print(problem)
    featureGates.PriorityBost: found True, expected a feature gate of Kueue; did you mean PriorityBoost?
    """
    if found is None:
        return []
    if not isinstance(found, Mapping):
        return [place.problem(field, show(found), "a map of feature gates to true or false")]
    return [problem for name, value in found.items() if (problem := _problem(name, value, place, field))]


def _problem(name: object, value: object, place: Place, field: str) -> Problem | None:
    path = f"{field}.{printable(str(name))}"
    if name in STAGES and isinstance(value, bool):
        expected = "the gates themselves: a switch for all gates of a stage is not modelled"
        return place.problem(path, show(value), expected, ErrorCode.NOT_MODELLED)
    if name not in KNOWN:
        close = difflib.get_close_matches(str(name)[:100], sorted(KNOWN), n=1)
        hint = f"; did you mean {close[0]}?" if close else ""
        return place.problem(path, show(value), f"a feature gate of Kueue{hint}")
    if not isinstance(value, bool):
        return place.problem(path, show(value), "true or false")
    if value and name in NOT_MODELLED:
        expected = f"false: {NOT_MODELLED[str(name)]} is not modelled"
        return place.problem(path, "True", expected, ErrorCode.NOT_MODELLED)
    return None


def settings_of(
    gates: Mapping[str, bool],
    requeuing_timestamp: RequeuingTimestamp = RequeuingTimestamp.EVICTION,
    fair_sharing: tuple[FairStrategy, ...] | None = None,
) -> Settings:
    """The settings that some feature gates make; what is not named keeps Kueue's default.

    Args:
        gates: by name, already checked.
        requeuing_timestamp: see `RequeuingTimestamp`.
        fair_sharing: the preemption strategies; None for classical preemption.

    >>> settings_of({"PriorityBoost": True}).priority_boost
    True
    """
    named: dict[str, Any] = {field: gates[gate] for gate, field in SETTING_OF_GATE.items() if gate in gates}
    defaults = Settings(requeuing_timestamp=requeuing_timestamp, fair_sharing=fair_sharing)
    return dataclasses.replace(defaults, **named)
