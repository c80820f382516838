"""Workloads as API objects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tenure.lab.campaign.draws.written_queues import toleration_object
from tenure.lab.strategies.objects import API, BOOST, Object, assigned, pod_set
from tenure.model import Amount, Amounts, Instant, NodeOperator, NodeRequirement, PodSet, Workload
from tenure.units import format_instant

OPERATORS = {
    NodeOperator.IN: "In",
    NodeOperator.NOT_IN: "NotIn",
    NodeOperator.EXISTS: "Exists",
    NodeOperator.DOES_NOT_EXIST: "DoesNotExist",
    NodeOperator.GREATER: "Gt",
    NodeOperator.LESS: "Lt",
}


def workload_object(workload: Workload) -> Object:
    """A Workload that holds quota, or waits for it.

    >>> workload_object(Workload("ml", "train", "u1", priority=7, created_at=0))["spec"]
    {'active': True, 'podSets': [], 'priority': 7}
    """
    metadata: Object = {
        "name": workload.name,
        "namespace": workload.namespace,
        "uid": workload.uid,
        "creationTimestamp": format_instant(workload.created_at),
    }
    if workload.priority_boost:
        metadata["annotations"] = {BOOST: str(workload.priority_boost)}
    spec: Object = {"active": True, "podSets": [_pod_set(each) for each in workload.pod_sets]}
    spec["priority"] = workload.priority
    if workload.priority_class:
        spec["priorityClassRef"] = {
            "group": "kueue.x-k8s.io",
            "kind": "WorkloadPriorityClass",
            "name": workload.priority_class,
        }
    status: Object = {"conditions": list(_conditions(workload))}
    if workload.cluster_queue is not None:
        held = list(_held(workload.usage))
        spec["podSets"] = [{"name": each["name"], "count": 1} for each in held]
        status["admission"] = {"clusterQueue": workload.cluster_queue, "podSetAssignments": held}
    spare = [each for each in workload.pod_sets if each.full_count is not None]
    if spare:
        status["reclaimablePods"] = [
            {"name": each.name, "count": (each.full_count or 0) - each.count} for each in spare
        ]
    return {"apiVersion": API, "kind": "Workload", "metadata": metadata, "spec": spec, "status": status}


def _held(usage: Amounts) -> Iterator[Object]:
    """A pod set for every flavor: within one, a resource has one flavor."""
    by_flavor: dict[str, dict[str, Amount]] = {}
    for at, amount in usage.items():
        by_flavor.setdefault(at.flavor, {})[at.resource] = amount
    for number, (flavor, amounts) in enumerate(by_flavor.items()):
        yield assigned(f"set{number}", 1, dict.fromkeys(amounts, flavor), amounts)


def _pod_set(pods: PodSet) -> Object:
    count = pods.count if pods.full_count is None else pods.full_count
    each = {resource: amount // pods.count for resource, amount in pods.requests.items()}
    written = pod_set(pods.name, count, each, **_constraints(pods))
    return written if pods.min_count is None else {**written, "minCount": pods.min_count}


def _constraints(pods: PodSet) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    if pods.node_selector:
        fields["nodeSelector"] = dict(pods.node_selector)
    if pods.node_affinity:
        terms = [{"matchExpressions": [_expression(each) for each in term]} for term in pods.node_affinity]
        required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
        fields["affinity"] = {"nodeAffinity": required}
    if pods.tolerations:
        fields["tolerations"] = [toleration_object(each) for each in pods.tolerations]
    return fields


def _expression(requirement: NodeRequirement) -> Mapping[str, Any]:
    written: Object = {"key": requirement.key, "operator": OPERATORS[requirement.operator]}
    return {**written, "values": list(requirement.values)} if requirement.values else written


def _conditions(workload: Workload) -> Iterator[Object]:
    if workload.quota_reserved_at is not None:
        yield _condition("QuotaReserved", "QuotaReserved", workload.quota_reserved_at)
    if workload.evicted:
        reason, at = "Preempted", workload.created_at
        if workload.pods_ready_evicted_at is not None:
            reason, at = "PodsReadyTimeout", workload.pods_ready_evicted_at
        elif workload.admission_check_evicted_at is not None:
            reason, at = "AdmissionCheck", workload.admission_check_evicted_at
        yield _condition("Evicted", reason, at)
    if workload.time_based_preempted_at is not None:
        yield _condition("Preempted", "InClusterQueueTimeBased", workload.time_based_preempted_at)
    elif workload.preempted_while_borrowing_at is not None:
        yield _condition("Preempted", "InCohortReclaimWhileBorrowing", workload.preempted_while_borrowing_at)


def _condition(kind: str, reason: str, at: Instant) -> Object:
    return {
        "type": kind,
        "status": "True",
        "lastTransitionTime": format_instant(at),
        "reason": reason,
        "message": "",
    }
