"""Objects of Kueue's API as dictionaries, one function a kind, and the errors that they meet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from tenure.errors import ErrorCode, InputError
from tenure.manifests import read_workload

API = "kueue.x-k8s.io/v1beta2"
CREATED = "2026-01-01T00:00:00Z"
RESERVED = "2026-01-01T01:00:00Z"

Object = dict[str, Any]


def an_object(kind: str, name: str, spec: Any = None, namespace: str | None = None, **more: Any) -> Object:
    metadata = {"name": name} if namespace is None else {"name": name, "namespace": namespace}
    found = {"apiVersion": API, "kind": kind, "metadata": metadata, **more}
    return found if spec is None else {**found, "spec": spec}


def a_group(*flavors: str, resource: str = "cpu", quota: object = 4, **limits: object) -> Object:
    quotas = [{"name": resource, "nominalQuota": quota, **limits}]
    return {
        "coveredResources": [resource],
        "flavors": [{"name": flavor, "resources": quotas} for flavor in flavors],
    }


def a_queue(name: str = "team-a", *groups: Object, **spec: Any) -> Object:
    found = {"resourceGroups": list(groups) or [a_group("default")], **spec}
    return an_object("ClusterQueue", name, found)


def a_local_queue(name: str, namespace: str, cluster_queue: str) -> Object:
    return an_object("LocalQueue", name, {"clusterQueue": cluster_queue}, namespace)


def condition(kind: str, reason: str = "x", at: str | None = RESERVED, status: str = "True") -> Object:
    return {"type": kind, "status": status, "reason": reason, "message": "", "lastTransitionTime": at}


def assignment(name: str = "main", *, resource: str = "cpu", usage: object = "4", **more: Any) -> Object:
    return {"name": name, "flavors": {resource: "default"}, "resourceUsage": {resource: usage}, **more}


def admitted(*assignments: Object, pod_sets: Any = None, conditions: Any = (), **status: Any) -> Object:
    found = an_object("Workload", "w", {"podSets": pod_sets or [{"name": "main", "count": 4}]}, "ml")
    found["metadata"]["creationTimestamp"] = CREATED
    found["status"] = {
        "admission": {"clusterQueue": "team-a", "podSetAssignments": list(assignments) or [assignment()]},
        "conditions": [condition("QuotaReserved"), *conditions],
        **status,
    }
    return found


def pending(*, name: str = "w", count: int = 1, pod: Any = None, **spec: Any) -> Object:
    pod_set = {"name": "main", "count": count, "template": {"spec": pod if pod is not None else {}}}
    found = an_object("Workload", name, {"podSets": [pod_set], **spec}, "ml")
    found["metadata"]["creationTimestamp"] = CREATED
    return found


def a_workload(
    name: str, requests: Mapping[str, object], namespace: str = "ml", created: str = CREATED, **spec: Any
) -> Object:
    """A pending Workload of one pod; its UID is its name."""
    pods = {"containers": [{"name": "main", "image": "i", "resources": {"requests": dict(requests)}}]}
    found = pending(name=name, pod=pods, **spec)
    found["metadata"] = {"namespace": namespace, "name": name, "uid": name, "creationTimestamp": created}
    return found


def admitted_to(
    cluster_queue: str, workload: Object, flavor: str, at: str = RESERVED, **assigned: Any
) -> Object:
    """A Workload of one pod that holds its requests' quota of one flavor."""
    (pods,) = workload["spec"]["podSets"]
    requests = pods["template"]["spec"]["containers"][0]["resources"]["requests"]
    usage = {"flavors": dict.fromkeys(requests, flavor), "resourceUsage": requests, "count": pods["count"]}
    admission = {
        "clusterQueue": cluster_queue,
        "podSetAssignments": [{"name": pods["name"], **usage, **assigned}],
    }
    conditions = [condition("QuotaReserved", "QuotaReserved", at)]
    return {**workload, "status": {"admission": admission, "conditions": conditions}}


def a_list(objects: Iterable[Object]) -> Object:
    """Objects as `kubectl get -o json` writes them."""
    return {"apiVersion": "v1", "kind": "List", "items": list(objects)}


def container(restart: str | None = None, **requests: object) -> Object:
    found: Object = {"name": "c", "image": "i", "resources": {"requests": requests}}
    return found if restart is None else {**found, "restartPolicy": restart}


def requests_of(pod: Object, count: int = 1) -> dict[str, int]:
    return dict(read_workload(pending(pod=pod, count=count)).pod_sets[0].requests)


def refused(call: Any, *args: Any, **keywords: Any) -> list[str]:
    with pytest.raises(InputError) as caught:
        call(*args, **keywords)
    return [str(problem) for problem in caught.value.problems]


def only_code(call: Any, *args: Any, **keywords: Any) -> ErrorCode:
    with pytest.raises(InputError) as caught:
        call(*args, **keywords)
    (problem,) = caught.value.problems
    return problem.code
