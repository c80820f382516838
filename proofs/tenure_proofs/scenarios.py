"""Two workloads and a clock as manifests, and as a story."""

from __future__ import annotations

from typing import Any

from tenure.model import Instant, PreemptionRules, Workload
from tenure.readings import Reading
from tenure.rules.terms import PreemptionTerms
from tenure.units import format_duration, format_instant

QUEUE = "cluster-queue"
FLAVOR = "default-flavor"


def object_of(kind: str, name: str, **more: Any) -> dict[str, Any]:
    """An object of Kueue's API."""
    return {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": kind, "metadata": {"name": name}, **more}


RESOURCE_FLAVOR = object_of("ResourceFlavor", FLAVOR)


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
    below = {} if cohort is None else {"cohortName": cohort}
    groups = [resource_group(FLAVOR, {"name": "cpu", "nominalQuota": str(nominal)})]
    spec = {**below, "namespaceSelector": {}, "preemption": preemption, "resourceGroups": groups}
    return object_of("ClusterQueue", name, spec=spec)


def resource_group(flavor: str, quota: dict[str, Any]) -> dict[str, Any]:
    """One resource of one flavor, with its quota."""
    return {"coveredResources": [quota["name"]], "flavors": [{"name": flavor, "resources": [quota]}]}


def workload_manifest(workload: Workload, queue: str | None) -> dict[str, Any]:
    """A Workload's manifest; one that holds quota holds it of this ClusterQueue."""
    metadata = {"namespace": workload.namespace, "name": workload.name, "uid": workload.uid}
    manifest = requesting(metadata, workload.created_at, workload.priority, {"cpu": "1"})
    manifest["status"] = {"conditions": list(_conditions(workload, queue is not None))}
    if queue is not None:
        manifest["status"]["admission"] = admission_of(queue, FLAVOR, {"cpu": "1"})
    return manifest


def requesting(
    metadata: dict[str, str], created: Instant, priority: int, requests: dict[str, Any]
) -> dict[str, Any]:
    """A Workload of one pod."""
    container = {"name": "main", "resources": {"requests": requests}}
    pods = {"name": "main", "count": 1, "template": {"spec": {"containers": [container]}}}
    made = object_of("Workload", metadata["name"], spec={"priority": priority, "podSets": [pods]})
    made["metadata"] = {**metadata, "creationTimestamp": format_instant(created)}
    return made


def admission_of(queue: str, flavor: str, requests: dict[str, Any]) -> dict[str, Any]:
    """What a Workload of one pod holds of a ClusterQueue."""
    flavors = dict.fromkeys(requests, flavor)
    pods = {"name": "main", "count": 1, "flavors": flavors, "resourceUsage": requests}
    return {"clusterQueue": queue, "podSetAssignments": [pods]}


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
