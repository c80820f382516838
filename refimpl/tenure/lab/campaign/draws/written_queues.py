"""ClusterQueues, Cohorts, ResourceFlavors and WorkloadPriorityClasses as API objects."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tenure.lab.strategies.amounts import written as quantity
from tenure.lab.strategies.objects import API, Object, object_of
from tenure.model import (
    BorrowWithinCohort,
    ClusterQueue,
    Cohort,
    FlavorFungibility,
    FlavorPreference,
    FlavorQuotas,
    Fungibility,
    PreemptionRules,
    ReclaimWithinCohort,
    ResourceFlavor,
    ResourceGroup,
    WithinClusterQueue,
    WorkloadPriorityClass,
)
from tenure.units import format_duration

WITHIN = {
    WithinClusterQueue.NEVER: "Never",
    WithinClusterQueue.LOWER_PRIORITY: "LowerPriority",
    WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY: "LowerOrNewerEqualPriority",
}
RECLAIM = {
    ReclaimWithinCohort.NEVER: "Never",
    ReclaimWithinCohort.LOWER_PRIORITY: "LowerPriority",
    ReclaimWithinCohort.ANY: "Any",
}
BORROW = {BorrowWithinCohort.NEVER: "Never", BorrowWithinCohort.LOWER_PRIORITY: "LowerPriority"}
SEARCHES = {Fungibility.MAY_STOP_SEARCH: "MayStopSearch", Fungibility.TRY_NEXT_FLAVOR: "TryNextFlavor"}
PREFERENCES = {
    FlavorPreference.BORROWING_OVER_PREEMPTION: "BorrowingOverPreemption",
    FlavorPreference.PREEMPTION_OVER_BORROWING: "PreemptionOverBorrowing",
}


def cluster_queue_object(queue: ClusterQueue) -> Object:
    """A ClusterQueue.

    >>> cluster_queue_object(ClusterQueue("a", cohort="c"))["spec"]["cohortName"]
    'c'
    """
    spec: Object = {
        "resourceGroups": _groups(queue.resource_groups),
        "namespaceSelector": {},
        "queueingStrategy": "BestEffortFIFO",
        "preemption": _preemption(queue),
        "flavorFungibility": _fungibility(queue.fungibility),
        "fairSharing": _weight(queue.weight),
    }
    if queue.cohort is not None:
        spec["cohortName"] = queue.cohort
    return object_of("ClusterQueue", queue.name, spec)


def cohort_object(cohort: Cohort) -> Object:
    """A Cohort.

    >>> cohort_object(Cohort("c"))["spec"]
    {'fairSharing': {'weight': '1000000000n'}}
    """
    spec: Object = {"fairSharing": _weight(cohort.weight)}
    if cohort.parent is not None:
        spec["parentName"] = cohort.parent
    if cohort.resource_groups:
        spec["resourceGroups"] = _groups(cohort.resource_groups)
    return object_of("Cohort", cohort.name, spec)


def flavor_object(flavor: ResourceFlavor) -> Object:
    """A ResourceFlavor.

    >>> flavor_object(ResourceFlavor("spot", {"pool": "spot"}))["spec"]
    {'nodeLabels': {'pool': 'spot'}}
    """
    spec: Object = {}
    if flavor.labels:
        spec["nodeLabels"] = dict(flavor.labels)
    if flavor.taints:
        spec["nodeTaints"] = [
            {"key": each.key, "value": each.value, "effect": each.effect} for each in flavor.taints
        ]
    if flavor.tolerations:
        spec["tolerations"] = [toleration_object(each) for each in flavor.tolerations]
    return object_of("ResourceFlavor", flavor.name, spec)


def toleration_object(toleration: Any) -> Object:
    """A toleration of a pod or of a flavor.

    >>> from tenure.model import Toleration
    >>> toleration_object(Toleration(exists=True))
    {'operator': 'Exists'}
    """
    written: Object = {"operator": "Exists" if toleration.exists else "Equal"}
    for field in ("key", "value", "effect"):
        if getattr(toleration, field):
            written[field] = getattr(toleration, field)
    return written


def priority_class_object(each: WorkloadPriorityClass) -> Object:
    """A WorkloadPriorityClass with its policy.

    >>> priority_class_object(WorkloadPriorityClass("high", 7))["value"]
    7
    """
    written: Object = {"apiVersion": API, "kind": "WorkloadPriorityClass", "metadata": {"name": each.name}}
    if each.policy is None:
        return {**written, "value": each.base}
    policy: Object = {"step": each.policy.step, "delayForStep": format_duration(each.policy.delay_for_step)}
    if each.policy.max is not None:
        policy["max"] = each.policy.max
    if each.policy_path.startswith("spec."):
        return {**written, "spec": {"priority": each.base, "dynamicPriorityPolicy": policy}}
    return {**written, "value": each.base, "dynamicPriorityPolicy": policy}


def _groups(groups: Iterable[ResourceGroup]) -> list[Object]:
    return [
        {
            "coveredResources": list(group.covered_resources),
            "flavors": [_quotas(each) for each in group.flavors],
        }
        for group in groups
    ]


def _quotas(quotas: FlavorQuotas) -> Object:
    resources = []
    for resource, nominal in quotas.nominal.items():
        quota: Object = {"name": resource, "nominalQuota": quantity(nominal, resource)}
        if resource in quotas.borrowing_limits:
            quota["borrowingLimit"] = quantity(quotas.borrowing_limits[resource], resource)
        if resource in quotas.lending_limits:
            quota["lendingLimit"] = quantity(quotas.lending_limits[resource], resource)
        resources.append(quota)
    return {"name": quotas.flavor, "resources": resources}


def _preemption(queue: ClusterQueue) -> Object:
    borrow: Object = {"policy": BORROW[queue.borrow_within_cohort]}
    if queue.max_priority_threshold is not None:
        borrow["maxPriorityThreshold"] = queue.max_priority_threshold
    written: Object = {
        "withinClusterQueue": WITHIN[queue.within_cluster_queue],
        "borrowWithinCohort": borrow,
    }
    if queue.reclaim_within_cohort in RECLAIM:
        written["reclaimWithinCohort"] = RECLAIM[queue.reclaim_within_cohort]
    if queue.min_admit_duration is not None:
        duration = format_duration(queue.min_admit_duration)
        written["withinClusterQueueConfig"] = {"minAdmitDuration": duration}
    if queue.rules == PreemptionRules.UBER_CLUSTER_QUEUE:
        written["rules"] = "UberClusterQueueRules"
    return written


def _fungibility(fungibility: FlavorFungibility) -> Object:
    return {
        "whenCanBorrow": SEARCHES[fungibility.when_can_borrow],
        "whenCanPreempt": SEARCHES[fungibility.when_can_preempt],
        "preference": PREFERENCES[fungibility.preference],
    }


def _weight(weight: int) -> Object:
    return {"weight": f"{weight}n"}
