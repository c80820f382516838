"""The Kubernetes objects of a scenario: as they are at the start, and after each edit."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tenure.errors import InputError, Problem
from tenure.manifests import (
    Loaded,
    SourcedObject,
    build,
    read_objects,
    read_priority_class,
    read_workload,
    show,
)
from tenure.manifests.conversion import API_VERSION
from tenure.manifests.structure import dig, has_condition
from tenure.model import Cluster, Workload

EDITED = ("ClusterQueue", "Cohort", "ResourceFlavor", "WorkloadPriorityClass")
"""The kinds that an event may change."""


@dataclass(slots=True)
class Objects:
    """The objects as they were written, and what they come to.

    Args:
        file: the scenario's file.
        raw: every object, with the file it came from.
    """

    file: str
    raw: list[SourcedObject] = field(default_factory=list)

    def take(self, objects: list[Any], files: list[str]) -> None:
        """Take the objects that the scenario holds, and those in the files that it names.

        Raises:
            InputError: files that cannot be read; an object that is no map.
        """
        for number, each in enumerate(objects):
            if not isinstance(each, dict):
                place = f"objects[{number}]"
                raise InputError([Problem(place, show(each), "a Kubernetes object", file=self.file)])
            self.raw.append(SourcedObject(self.file, {"apiVersion": API_VERSION, **each}))
        folder = Path() if self.file in ("", "stdin") else Path(self.file).parent
        if files:
            self.raw.extend(read_objects([folder / name for name in files]))

    def loaded(self) -> Loaded:
        """What the objects come to now.

        Raises:
            InputError: everything that is wrong with them, or needs what is not modelled.
        """
        found = build(self.raw)
        if found.set_aside:
            raise InputError([problem for each in found.set_aside.values() for problem in each])
        return found

    def edited(self, patch: dict[str, Any], place: str) -> tuple[str, Cluster]:
        """Merge a patch into an object, or add a new one.

        Args:
            patch: with kind and metadata.name; maps are merged, everything else is replaced.
            place: path of the patch in the scenario.

        Returns:
            what changed in words, and all objects without workloads.

        Raises:
            InputError: a kind that no event may change; what is wrong with the result.
        """
        kind, name = patch.get("kind"), dig(patch, "metadata", "name")
        if kind not in EDITED:
            raise InputError(
                [Problem(f"{place}.kind", show(kind), f"one of {', '.join(EDITED)}", file=self.file)]
            )
        for number, each in enumerate(self.raw):
            if each.object.get("kind") == kind and dig(each.object, "metadata", "name") == name:
                self.raw[number] = SourcedObject(each.file, _merged(each.object, patch))
                break
        else:
            self.raw.append(SourcedObject(self.file, {"apiVersion": API_VERSION, **patch}))
        changes = [
            f"{path} is {value}" for path, value in _leaves(patch) if path.startswith(("spec", "value"))
        ]
        return f"{kind} {name}: {', '.join(changes)}", without_workloads(self.loaded().cluster)

    def class_priority(self, name: str) -> int | None:
        """The priority of a WorkloadPriorityClass at the start; None where there is no such class."""
        for each in self.raw:
            if each.object.get("kind") == "WorkloadPriorityClass":
                found = read_priority_class(each.object)
                if found.name == name:
                    return found.base
        return None

    def asking(self, workload: Workload) -> Workload:
        """A workload that holds quota, with what its pods ask for when it is evicted."""
        raw = self.workload(workload)
        if not has_condition(raw, "QuotaReserved"):
            return workload
        bare = {key: value for key, value in raw.items() if key != "status"}
        return with_pods(workload, read_workload(bare, holds_quota=False))

    def workload(self, workload: Workload) -> dict[str, Any]:
        """The manifest of a workload that is there at the start."""
        for each in self.raw:
            metadata = each.object.get("metadata")
            names = dig(metadata, "namespace") or "", dig(metadata, "name")
            if each.object.get("kind") == "Workload" and names == (workload.namespace, workload.name):
                return each.object
        return {}

    def shown(self) -> tuple[dict[str, Any], ...]:
        """The objects as they are now, without workloads."""
        return tuple(each.object for each in self.raw if each.object.get("kind") != "Workload")


def with_pods(workload: Workload, asking: Workload) -> Workload:
    """The workload with another's pod sets."""
    return dataclasses.replace(workload, pod_sets=asking.pod_sets)


def without_workloads(cluster: Cluster) -> Cluster:
    """The objects alone."""
    return dataclasses.replace(cluster, admitted=(), pending=())


def _merged(old: Any, patch: Any) -> Any:
    """A merge patch.

    >>> _merged({"a": {"b": 1, "c": 2}}, {"a": {"b": None, "d": [3]}})
    {'a': {'c': 2, 'd': [3]}}
    """
    if not isinstance(old, dict) or not isinstance(patch, dict):
        return copy.deepcopy(patch)
    result = dict(old)
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = _merged(old.get(key), value)
    return result


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _leaves(each, f"{path}.{key}" if path else str(key))
    else:
        yield path, show(value)
