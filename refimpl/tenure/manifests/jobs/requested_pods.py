"""The pods that a job requests, and how they are found in an untrusted manifest."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from tenure.errors import ErrorCode, Problem
from tenure.manifests.checking import field_path
from tenure.manifests.showing import Place, show
from tenure.manifests.structure import dig

Path: TypeAlias = tuple[str | int, ...]

_ANNOTATION: Final = "kueue.x-k8s.io/podset-"
_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,19}")
_TRUE: Final = ("1", "t", "T", "true", "TRUE", "True")


@dataclass(frozen=True, slots=True)
class RequestedPods:
    """Pods of one template, which become a pod set.

    Args:
        name: of the pod set.
        count: number of pods.
        template: the pod template, untrusted.
        path: where the template is in the job, for problems.
        least: the number of pods with which the job may be admitted in part; None for all.
        labels: of the topology request: which labels hold the indices of the pods.
    """

    name: str
    count: int
    template: object
    path: Path
    least: int | None = None
    labels: Mapping[str, object] = field(default_factory=dict)

    def pod_set(self) -> dict[str, Any]:
        """The pod set of a Workload.

        >>> RequestedPods("Worker", 2, {"spec": {}}, ("spec", "template")).pod_set()
        {'name': 'worker', 'count': 2, 'template': {'spec': {}}}
        """
        made: dict[str, Any] = {"name": self.name.lower(), "count": self.count, "template": self.template}
        if self.least is not None:
            made["minCount"] = self.least
        request = topology_request(dig(self.template, "metadata", "annotations"), self.labels)
        if request is not None:
            made["topologyRequest"] = request
        return made


def topology_request(annotations: object, labels: Mapping[str, object]) -> dict[str, object] | None:
    """The topology request of a pod set, None without one.

    Args:
        annotations: of the pod template, untrusted.
        labels: which labels hold the indices of the pods; a request of these alone is not for a topology.

    Source: Kueue v0.19.2, pkg/controller/jobframework/tas.go.

    >>> topology_request({"kueue.x-k8s.io/podset-required-topology": "rack"}, {"podIndexLabel": "i"})
    {'required': 'rack', 'podIndexLabel': 'i'}
    """

    def annotation(name: str) -> Any:
        return dig(annotations, f"{_ANNOTATION}{name}")

    made: dict[str, object] = {}
    if (required := annotation("required-topology")) is not None:
        made["required"] = required
    elif (preferred := annotation("preferred-topology")) is not None:
        made["preferred"] = preferred
    elif (unconstrained := annotation("unconstrained-topology")) is not None:
        made["unconstrained"] = unconstrained in _TRUE
    layers, size = annotation("slice-required-topology-constraints"), annotation("slice-size")
    if isinstance(layers, str):
        made["podsetSliceRequiredTopologyConstraints"] = _json(layers)
    elif annotation("slice-required-topology") is not None and size is not None:
        made["podSetSliceRequiredTopology"] = annotation("slice-required-topology")
        made["podSetSliceSize"] = integer(size)
    if annotation("group-name") is not None and ("required" in made or "preferred" in made):
        made["podSetGroupName"] = annotation("group-name")
    return {**made, **labels} or None


def mapping(found: object) -> dict[str, Any]:
    """The map itself, empty where it is not a map."""
    return found if isinstance(found, dict) else {}


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return text


def integer(text: object) -> int | None:
    """The integer that an annotation or a label holds as text; None for anything else.

    >>> integer("12"), integer("1.5"), integer(None)
    (12, None, None)
    """
    return int(text) if isinstance(text, str) and _INTEGER.fullmatch(text) else None


@dataclass(frozen=True, slots=True)
class Manifest:
    """A job as it was written.

    Args:
        raw: the object, untrusted.
        place: the object, for the problems.
        problems: gets what is wrong with it.
        runtimes: the training runtimes that are given, by kind, name space and name.
        within: where the job is, if it is part of another object.
    """

    raw: object
    place: Place
    problems: list[Problem]
    runtimes: Mapping[tuple[str, str, str], object] = field(default_factory=dict)
    within: Path = ()

    def at(self, *path: str | int) -> Any:
        """What is under a path of keys and indices, None where it ends early."""
        found: Any = self.raw
        for part in path:
            if isinstance(part, int):
                found = found[part] if isinstance(found, list) and part < len(found) else None
            else:
                found = dig(found, part)
        return found

    def count(self, *path: str | int, default: int) -> int:
        """A number of pods or replicas; another value than one is a problem, and counts as the default."""
        found = self.at(*path)
        if found is None:
            return default
        if isinstance(found, int) and not isinstance(found, bool) and 0 <= found < 2**31:
            return found
        self.wrong(path, found, "an integer from 0 to 2147483647")
        return default

    def entries(self, *path: str | int) -> list[int]:
        """The indices of a list; anything else, and an entry that is no map, is a problem."""
        found = self.at(*path)
        if found is None:
            return []
        if not isinstance(found, list):
            self.wrong(path, found, "a list")
            return []
        for index, entry in enumerate(found):
            if not isinstance(entry, dict):
                self.wrong((*path, index), entry, "a map")
        return [index for index, entry in enumerate(found) if isinstance(entry, dict)]

    def text(self, *path: str | int, default: str = "") -> str:
        """A text; anything else is a problem, and counts as the default."""
        found = self.at(*path)
        if found is None:
            return default
        if not isinstance(found, str):
            self.wrong(path, found, "a string")
            return default
        return found

    def pods(
        self, name: str, count: int, *path: str | int, least: int | None = None, **labels: object
    ) -> RequestedPods:
        """The pods of the template at a path; one without a spec is a problem."""
        template = self.at(*path)
        if not isinstance(dig(template, "spec"), dict):
            self.wrong((*path, "spec"), dig(template, "spec"), "the spec of a pod")
        return RequestedPods(name, count, template, (*self.within, *path), least, labels)

    def wrong(self, path: Path, found: object, expected: str, code: ErrorCode | None = None) -> None:
        """Note a problem of the field at a path."""
        shown = "nothing" if found is None else show(found)
        at = field_path((*self.within, *path))
        self.problems.append(self.place.problem(at, shown, expected, code or ErrorCode.BAD_INPUT))

    def label(self, name: str) -> str:
        """A label of the job, empty without."""
        found = self.at("metadata", "labels", name)
        return found if isinstance(found, str) else ""

    def annotation(self, name: str) -> str:
        """An annotation of the job, empty without."""
        found = self.at("metadata", "annotations", name)
        return found if isinstance(found, str) else ""
