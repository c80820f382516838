"""Objects that are valid, for tests that change one thing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tenure.manifests import SourcedObject
from tenure.readings import parse_reading
from tenure.validation import Notice, ValidationReport, validate

KUEUE = "kueue.x-k8s.io/v1beta2"


def thing(kind: str, name: str, spec: Mapping[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """An object of Kueue."""
    metadata = {"name": name}
    return {"apiVersion": KUEUE, "kind": kind, "metadata": metadata, "spec": dict(spec or {}), **more}


def group(flavor: str = "a100", **quota: Any) -> dict[str, Any]:
    """A resource group of one flavor with GPUs."""
    gpu = {"name": "nvidia.com/gpu", "nominalQuota": 8, **quota}
    return {"coveredResources": ["nvidia.com/gpu"], "flavors": [{"name": flavor, "resources": [gpu]}]}


def queue(name: str = "team-a", **spec: Any) -> dict[str, Any]:
    """A ClusterQueue of eight GPUs."""
    return thing("ClusterQueue", name, {"resourceGroups": [group()], **spec})


def workload(name: str = "train", **more: Any) -> dict[str, Any]:
    """A pending Workload of two pods with two GPUs each."""
    container = {"name": "main", "resources": {"requests": {"nvidia.com/gpu": 2}}}
    pods = {"name": "main", "count": 2, "template": {"spec": {"containers": [container]}}}
    return thing("Workload", name, {"podSets": [pods]}, **more)


def holding(usage: int = 4, **status: Any) -> dict[str, Any]:
    """A Workload that holds quota."""
    assignment = {
        "name": "main",
        "count": 2,
        "flavors": {"nvidia.com/gpu": "a100"},
        "resourceUsage": {"nvidia.com/gpu": usage},
    }
    reserved = {"type": "QuotaReserved", "status": "True"}
    admission = {"clusterQueue": "team-a", "podSetAssignments": [assignment]}
    return workload(status={"conditions": [reserved], "admission": admission, **status})


def report(*objects: dict[str, Any], reading: Any = None, **options: Any) -> ValidationReport:
    """What validation says about some objects."""
    old = [SourcedObject("", item) for item in options.pop("old", [])]
    given = [SourcedObject("", object_) for object_ in objects]
    return validate(given, old=old, reading=parse_reading(reading), **options)


def errors(*objects: dict[str, Any], **options: Any) -> list[tuple[str, str]]:
    """Type and field of every error."""
    return [place(notice) for notice in report(*objects, **options).errors]


def warnings(*objects: dict[str, Any], **options: Any) -> list[tuple[str, str]]:
    """Type and field of every warning about objects without error."""
    found = report(*objects, **options)
    assert not found.errors, found.errors
    return [place(notice) for notice in found.warnings]


def place(notice: Notice) -> tuple[str, str]:
    """Type and field."""
    return notice.type.removeprefix("FieldValue"), notice.field
