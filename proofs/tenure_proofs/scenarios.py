"""Two workloads and a clock as manifests, and as a story."""

from __future__ import annotations

from typing import Any

from tenure.model import Instant, PreemptionRules, Workload
from tenure.readings import Reading
from tenure.rules.terms import PreemptionTerms
from tenure.units import format_duration, format_instant

QUEUE = "cluster-queue"
FLAVOR = "default-flavor"
API = "kueue.x-k8s.io/v1beta2"
RESOURCE_FLAVOR = {"apiVersion": API, "kind": "ResourceFlavor", "metadata": {"name": FLAVOR}}


def scenario_of(
    preemptor: Workload, target: Workload, terms: PreemptionTerms, now: Instant, reading: Reading
) -> dict[str, Any]:
    """An oracle request: the target runs in a queue with room for one, and the preemptor asks for it."""
    return {
        "id": "counterexample",
        "call": "decide",
        "input": {
            "now": format_instant(now),
            "featureGates": _feature_gates(terms),
            "requeuingTimestamp": terms.requeuing_timestamp.label,
            "clusterQueues": [cluster_queue(terms, cohort="cohort" if terms.hero else None)],
            "resourceFlavors": [RESOURCE_FLAVOR],
            "admitted": [workload_manifest(target, QUEUE)],
            "incoming": workload_manifest(preemptor, None),
            "targetCQ": QUEUE,
            "assignment": None,
            "reading": reading.written(),
        },
    }


def _feature_gates(terms: PreemptionTerms) -> dict[str, bool]:
    gates = {"TimeBasedSamePriorityPreemption": terms.time_based_preemption}
    if not terms.priority_sorting_within_cohort:
        gates["PrioritySortingWithinCohort"] = False
    return gates


def story_of(
    preemptor: Workload, target: Workload, terms: PreemptionTerms, now: Instant, said: dict[str, Any]
) -> tuple[str, ...]:
    """What happens, in the order in which it happens; `said` is the oracle's answer."""
    reserved = target.quota_reserved_at if target.quota_reserved_at is not None else now
    events = [
        (preemptor.created_at, f"preemptor is created with priority {preemptor.priority}, and waits"),
        (target.created_at, f"target is created with priority {target.priority}"),
        (reserved, "quota is reserved for target: the queue is full"),
    ]
    lines = [f"{format_instant(at)}  {what}" for at, what in sorted(events, key=lambda event: event[0])]
    taken = _taken(said)
    set_to = terms.min_admit_duration
    kept = f", minAdmitDuration is {format_duration(set_to)}" if set_to else ""
    lines.append(f"{format_instant(now)}  target has run {format_duration(now - reserved)}{kept}")
    lines.append(f"{format_instant(now)}  {taken}")
    return tuple(lines)


def _taken(said: dict[str, Any]) -> str:
    preempted = said.get("output", {}).get("preempted", [])
    if not preempted:
        return "target is kept"
    return f"target is preempted: {preempted[0]['reason']}, by {', '.join(preempted[0]['rules'])}"


def cluster_queue(
    terms: PreemptionTerms, name: str = QUEUE, nominal: int = 1, cohort: str | None = None
) -> dict[str, Any]:
    """A ClusterQueue's manifest, with what its terms say of its own workloads, and whether it is a hero."""
    preemption: dict[str, Any] = {"withinClusterQueue": terms.within_cluster_queue.label}
    if terms.min_admit_duration is not None:
        duration = format_duration(terms.min_admit_duration)
        preemption["withinClusterQueueConfig"] = {"minAdmitDuration": duration}
    if terms.hero:
        preemption["rules"] = PreemptionRules.UBER_CLUSTER_QUEUE.label
    return {
        "apiVersion": API,
        "kind": "ClusterQueue",
        "metadata": {"name": name},
        "spec": {
            **({} if cohort is None else {"cohortName": cohort}),
            "namespaceSelector": {},
            "preemption": preemption,
            "resourceGroups": [
                {
                    "coveredResources": ["cpu"],
                    "flavors": [
                        {"name": FLAVOR, "resources": [{"name": "cpu", "nominalQuota": str(nominal)}]}
                    ],
                }
            ],
        },
    }


def workload_manifest(workload: Workload, queue: str | None) -> dict[str, Any]:
    """A Workload's manifest; one that holds quota holds it of this ClusterQueue."""
    holds_quota = queue is not None
    manifest: dict[str, Any] = {
        "apiVersion": API,
        "kind": "Workload",
        "metadata": {
            "namespace": workload.namespace,
            "name": workload.name,
            "uid": workload.uid,
            "creationTimestamp": format_instant(workload.created_at),
        },
        "spec": {
            "priority": workload.priority,
            "podSets": [
                {
                    "name": "main",
                    "count": 1,
                    "template": {
                        "spec": {"containers": [{"name": "main", "resources": {"requests": {"cpu": "1"}}}]}
                    },
                }
            ],
        },
        "status": {"conditions": list(_conditions(workload, holds_quota))},
    }
    if holds_quota:
        manifest["status"]["admission"] = {
            "clusterQueue": queue,
            "podSetAssignments": [
                {"name": "main", "count": 1, "flavors": {"cpu": FLAVOR}, "resourceUsage": {"cpu": "1"}}
            ],
        }
    return manifest


def _conditions(workload: Workload, holds_quota: bool) -> list[dict[str, str]]:
    conditions: list[dict[str, str]] = []

    def add(kind: str, reason: str, at: Instant | None) -> None:
        stamp = {} if at is None else {"lastTransitionTime": format_instant(at)}
        conditions.append({"type": kind, "status": "True", "reason": reason, "message": "", **stamp})

    if holds_quota:
        add("QuotaReserved", "QuotaReserved", workload.quota_reserved_at)
    if workload.pods_ready_evicted_at is not None:
        add("Evicted", "PodsReadyTimeout", workload.pods_ready_evicted_at)
    elif workload.admission_check_evicted_at is not None:
        add("Evicted", "AdmissionCheck", workload.admission_check_evicted_at)
    elif workload.evicted:
        add("Evicted", "Preempted", None)
    if workload.time_based_preempted_at is not None:
        add("Preempted", "InClusterQueueTimeBased", workload.time_based_preempted_at)
    elif workload.preempted_while_borrowing_at is not None:
        add("Preempted", "InCohortReclaimWhileBorrowing", workload.preempted_while_borrowing_at)
    return conditions
