"""Kueue objects in v1beta2 form, with the values that the API server would fill in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from tenure.lab.strategies.amounts import written
from tenure.model import Amount

Object = dict[str, Any]

API = "kueue.x-k8s.io/v1beta2"
NOW = datetime(2026, 8, 22, 12, tzinfo=UTC)
"""The clock of every drawn scenario."""

BOOST = "kueue.x-k8s.io/priority-boost"


def stamp(minutes_ago: int) -> str:
    """A time, that many minutes before the scenario's clock.

    >>> stamp(30)
    '2026-08-22T11:30:00Z'
    """
    return (NOW - timedelta(minutes=minutes_ago)).isoformat().replace("+00:00", "Z")


def condition(kind: str, reason: str, minutes_ago: int, *, holds: bool = True) -> Object:
    """A condition of a Workload.

    >>> condition("Evicted", "Preempted", 5)["lastTransitionTime"]
    '2026-08-22T11:55:00Z'
    """
    return {
        "type": kind,
        "status": "True" if holds else "False",
        "lastTransitionTime": stamp(minutes_ago),
        "reason": reason,
        "message": "",
    }


def pod_set(name: str, count: int, requests: Mapping[str, Amount], **pod: Any) -> Object:
    """A pod set; `requests` is one pod's, in milli-CPU for cpu and base units else, `pod` more of its spec.

    >>> pod_set("main", 2, {"cpu": 500})["template"]["spec"]["containers"][0]["resources"]
    {'requests': {'cpu': '500m'}}
    """
    asked = {resource: written(amount, resource) for resource, amount in requests.items()}
    container = {"name": "c", "image": "pause", "resources": {"requests": asked}}
    spec = {"containers": [container], "restartPolicy": "Never", **pod}
    return {"name": name, "count": count, "template": {"spec": spec}}


def assigned(name: str, count: int, flavors: Mapping[str, str], usage: Mapping[str, Amount]) -> Object:
    """A pod set's part of `status.admission`; `usage` is that of all its pods.

    >>> assigned("main", 1, {"cpu": "f0"}, {"cpu": 1000})["resourceUsage"]
    {'cpu': '1'}
    """
    amounts = {resource: written(amount, resource) for resource, amount in usage.items()}
    return {"name": name, "count": count, "flavors": dict(flavors), "resourceUsage": amounts}


def workload(name: str, uid: str, created: int, priority: int | None, pod_sets: Sequence[Object]) -> Object:
    """A pending Workload of namespace `ns`; `created` is minutes before the clock.

    >>> workload("w0", "u0", 5, 1, [])["spec"]
    {'active': True, 'podSets': [], 'priority': 1}
    """
    metadata = {"name": name, "namespace": "ns", "uid": uid, "creationTimestamp": stamp(created)}
    spec: Object = {"active": True, "podSets": list(pod_sets)}
    if priority is not None:
        spec["priority"] = priority
    return {"apiVersion": API, "kind": "Workload", "metadata": metadata, "spec": spec, "status": {}}


def object_of(kind: str, name: str, spec: Object) -> Object:
    """An object without namespace.

    >>> object_of("Cohort", "c0", {})["kind"]
    'Cohort'
    """
    return {"apiVersion": API, "kind": kind, "metadata": {"name": name}, "spec": spec}
