"""Requests of the oracle's call `decide`, as the tests of this folder write them."""

from __future__ import annotations

from typing import Any

API = "kueue.x-k8s.io/v1beta2"
CREATED = "2026-03-02T08:00:00Z"
Object = dict[str, Any]


def a_queue(name: str = "q", quota: str = "2", duration: str | None = "4h") -> Object:
    """A ClusterQueue of some CPUs."""
    preemption: Object = {"withinClusterQueue": "LowerOrNewerEqualPriority"}
    if duration is not None:
        preemption["withinClusterQueueConfig"] = {"minAdmitDuration": duration}
    flavor = {"name": "default", "resources": [{"name": "cpu", "nominalQuota": quota}]}
    group = {"coveredResources": ["cpu"], "flavors": [flavor]}
    spec = {"preemption": preemption, "resourceGroups": [group]}
    return {"apiVersion": API, "kind": "ClusterQueue", "metadata": {"name": name}, "spec": spec}


def a_workload(name: str, priority: int = 100, cpu: str = "1", reserved: str | None = None) -> Object:
    """A Workload; one with a reservation holds quota of queue q."""
    container = {"name": "main", "resources": {"requests": {"cpu": cpu}}}
    pod_set = {"name": "main", "count": 1, "template": {"spec": {"containers": [container]}}}
    made: Object = {
        "apiVersion": API,
        "kind": "Workload",
        "metadata": {
            "namespace": "ml",
            "name": name,
            "uid": name,
            "creationTimestamp": "2026-03-02T08:00:00Z",
        },
        "spec": {"priority": priority, "podSets": [pod_set]},
    }
    if reserved is not None:
        usage = {"name": "main", "flavors": {"cpu": "default"}, "resourceUsage": {"cpu": cpu}}
        stamp = {"type": "QuotaReserved", "status": "True", "reason": "x", "lastTransitionTime": reserved}
        made["status"] = {
            "admission": {"clusterQueue": "q", "podSetAssignments": [usage]},
            "conditions": [{**stamp, "message": ""}],
        }
    return made


def an_input(**fields: Any) -> Object:
    """An input whose answer is that `ml/long`, past its four hours, is preempted."""
    return {
        "now": "2026-03-02T14:00:00Z",
        "clusterQueues": [a_queue()],
        "admitted": [
            a_workload("long", reserved="2026-03-02T09:00:00Z"),
            a_workload("short", reserved="2026-03-02T13:00:00Z"),
        ],
        "incoming": a_workload("preemptor"),
        "targetCQ": "q",
        **fields,
    }


def a_request(identifier: object = 1, **fields: Any) -> Object:
    """A request with other fields of its input."""
    return {"id": identifier, "call": "decide", "input": an_input(**fields)}
