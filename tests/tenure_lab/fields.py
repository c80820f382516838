"""The fields that a drawn input may have.

Most are in the recorded decisions of the real scheduler (`../shared/kueue`); the others are fields of the
Kueue v1beta2 and Kubernetes core/v1 APIs. A list of objects is `[]`, a map of names is `*`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

MAPS = frozenset(
    {"annotations", "featureGates", "flavors", "nodeLabels", "nodeSelector", "requests", "resourceUsage"}
)

FIELDS = {
    "admitted": (),
    "admitted[]": (
        "apiVersion",
        "kind",
        "metadata.annotations.*",
        "metadata.creationTimestamp",
        "metadata.name",
        "metadata.namespace",
        "metadata.uid",
        "spec.active",
        "spec.podSets[].count",
        "spec.podSets[].name",
        "spec.podSets[].template.spec.containers[].image",
        "spec.podSets[].template.spec.containers[].name",
        "spec.podSets[].template.spec.containers[].resources.requests.*",
        "spec.podSets[].template.spec.restartPolicy",
        "spec.priority",
        "status.admission.clusterQueue",
        "status.admission.podSetAssignments[].count",
        "status.admission.podSetAssignments[].flavors.*",
        "status.admission.podSetAssignments[].name",
        "status.admission.podSetAssignments[].resourceUsage.*",
        "status.conditions",
        "status.conditions[].lastTransitionTime",
        "status.conditions[].message",
        "status.conditions[].reason",
        "status.conditions[].status",
        "status.conditions[].type",
        "status.reclaimablePods[].count",
        "status.reclaimablePods[].name",
    ),
    "assignment": (),
    "clusterQueues[]": (
        "apiVersion",
        "kind",
        "metadata.name",
        "spec.cohortName",
        "spec.fairSharing.weight",
        "spec.flavorFungibility.preference",
        "spec.flavorFungibility.whenCanBorrow",
        "spec.flavorFungibility.whenCanPreempt",
        "spec.namespaceSelector",
        "spec.preemption.borrowWithinCohort.maxPriorityThreshold",
        "spec.preemption.borrowWithinCohort.policy",
        "spec.preemption.reclaimWithinCohort",
        "spec.preemption.withinClusterQueue",
        "spec.queueingStrategy",
        "spec.resourceGroups[].coveredResources[]",
        "spec.resourceGroups[].flavors[].name",
        "spec.resourceGroups[].flavors[].resources[].borrowingLimit",
        "spec.resourceGroups[].flavors[].resources[].lendingLimit",
        "spec.resourceGroups[].flavors[].resources[].name",
        "spec.resourceGroups[].flavors[].resources[].nominalQuota",
        "spec.stopPolicy",
    ),
    "cohorts": (),
    "cohorts[]": (
        "apiVersion",
        "kind",
        "metadata.name",
        "spec",
        "spec.fairSharing.weight",
        "spec.parentName",
        "spec.resourceGroups[].coveredResources[]",
        "spec.resourceGroups[].flavors[].name",
        "spec.resourceGroups[].flavors[].resources[].borrowingLimit",
        "spec.resourceGroups[].flavors[].resources[].lendingLimit",
        "spec.resourceGroups[].flavors[].resources[].name",
        "spec.resourceGroups[].flavors[].resources[].nominalQuota",
    ),
    "fairSharing": (
        "preemptionStrategies",
        "preemptionStrategies[]",
    ),
    "featureGates": ("*",),
    "incoming": (
        "apiVersion",
        "kind",
        "metadata.annotations.*",
        "metadata.creationTimestamp",
        "metadata.name",
        "metadata.namespace",
        "metadata.uid",
        "spec.active",
        "spec.podSets[].count",
        "spec.podSets[].minCount",
        "spec.podSets[].name",
        "spec.podSets[].template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[].matchExpressions[].key",
        "spec.podSets[].template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[].matchExpressions[].operator",
        "spec.podSets[].template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[].matchExpressions[].values[]",
        "spec.podSets[].template.spec.containers[].image",
        "spec.podSets[].template.spec.containers[].name",
        "spec.podSets[].template.spec.containers[].resources.requests.*",
        "spec.podSets[].template.spec.nodeSelector.*",
        "spec.podSets[].template.spec.restartPolicy",
        "spec.podSets[].template.spec.tolerations[].effect",
        "spec.podSets[].template.spec.tolerations[].key",
        "spec.podSets[].template.spec.tolerations[].operator",
        "spec.podSets[].template.spec.tolerations[].value",
        "spec.priority",
        "status.conditions",
        "status.conditions[].lastTransitionTime",
        "status.conditions[].message",
        "status.conditions[].reason",
        "status.conditions[].status",
        "status.conditions[].type",
        "status.reclaimablePods[].count",
        "status.reclaimablePods[].name",
    ),
    "now": (),
    "requeuingTimestamp": (),
    "resourceFlavors[]": (
        "apiVersion",
        "kind",
        "metadata.name",
        "spec",
        "spec.nodeLabels.*",
        "spec.nodeTaints[].effect",
        "spec.nodeTaints[].key",
        "spec.nodeTaints[].value",
        "spec.tolerations[].effect",
        "spec.tolerations[].key",
        "spec.tolerations[].operator",
        "spec.tolerations[].value",
    ),
    "targetCQ": (),
}
"""Paths below each field of the input."""


def paths(value: Any, at: str = "") -> Iterator[str]:
    """The path of every leaf and of every empty container."""
    name = at.rpartition(".")[2]
    if isinstance(value, dict) and name in MAPS:
        yield f"{at}.*"
    elif isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from paths(inner, f"{at}.{key}" if at else key)
    elif isinstance(value, list) and value:
        for inner in value:
            yield from paths(inner, f"{at}[]")
    else:
        yield at


def allowed() -> frozenset[str]:
    """Every path that there may be."""
    return frozenset(
        f"{head}.{rest}" if rest else head for head, rests in FIELDS.items() for rest in (*rests, "")
    )
