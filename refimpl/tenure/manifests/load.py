"""Many untrusted objects to one cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tenure.errors import ErrorCode, InputError, Problem
from tenure.manifests import convert
from tenure.manifests.convert import API_VERSION, out_of_play, place_of
from tenure.manifests.showing import Place, listed, printable, show
from tenure.manifests.structure import dig, flavor_references, has_condition
from tenure.manifests.yaml_files import SourcedObject, gather_objects
from tenure.model import Cluster, ClusterQueue, ResourceFlavor, Settings, Workload

_GROUP: Final = "kueue.x-k8s.io"
_DEFAULTS: Final = Settings()


@dataclass(frozen=True, slots=True)
class Loaded:
    """What was read from a set of manifests.

    Args:
        cluster: the queues and workloads.
        warnings: what was assumed, and what Kueue itself would stumble over; one sentence each.
        ignored: objects that play no part, and why; one sentence each.
        set_aside: queues and pending workloads that need what is not modelled, by `ClusterQueue/name`,
            `LocalQueue/namespace/name` or `Workload/namespace/name`: nobody else's decision depends on
            them, and whoever asks about one of them gets these problems.
    """

    cluster: Cluster
    warnings: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    set_aside: Mapping[str, tuple[Problem, ...]] = field(default_factory=dict)


def load(paths: Sequence[str | Path], settings: Settings = _DEFAULTS) -> Loaded:
    """A cluster from files, folders and standard input.

    Args:
        paths: files, folders (searched for `*.yaml`, `*.yml` and `*.json`), or `-` for standard input.
        settings: the scheduler's configuration.

    Raises:
        InputError: everything that is wrong in any of the files and objects.

    Source: the output of `kubectl get -o yaml`; Kueue v1beta2 API.

    >>> load(["absent.yaml"])
    Traceback (most recent call last):
    tenure.errors.InputError: absent.yaml: found no such file or folder, expected a file or folder to read
    """
    objects, problems = gather_objects(paths)
    return _Builder(settings, problems).build(objects)


def build(objects: Iterable[SourcedObject], settings: Settings = _DEFAULTS) -> Loaded:
    """A cluster from objects that have been read already.

    Args:
        objects: ClusterQueues, ResourceFlavors, LocalQueues and Workloads; other kinds are ignored.
        settings: the scheduler's configuration.

    Raises:
        InputError: everything that is wrong with any of the objects.

    Source: Kueue v1beta2 API.

    >>> queue = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ClusterQueue", "metadata": {"name": "a"}}
    >>> list(build([SourcedObject("a.yaml", queue)]).cluster.cluster_queues)
    ['a']
    """
    return _Builder(settings, []).build(objects)


@dataclass(slots=True)
class _Builder:
    settings: Settings
    problems: list[Problem]
    warnings: list[str] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    cluster_queues: dict[str, ClusterQueue] = field(default_factory=dict)
    workloads: list[tuple[Place, Workload]] = field(default_factory=list)
    local_queues: dict[tuple[str, str], str] = field(default_factory=dict)
    flavors: dict[str, ResourceFlavor] = field(default_factory=dict)
    seen: dict[tuple[str, str, str], str] = field(default_factory=dict)
    queues_seen: list[tuple[Place, object]] = field(default_factory=list)
    set_aside: dict[str, tuple[Problem, ...]] = field(default_factory=dict)

    def build(self, objects: Iterable[SourcedObject]) -> Loaded:
        # What could not be read may have held what other objects refer to.
        complete = not self.problems
        for sourced in objects:
            self._take(sourced)
        if complete:
            for place, raw in self.queues_seen:
                self._check_flavors(raw, place)
        if self.problems:
            raise InputError(self.problems)
        self._check_cluster_queues()
        return Loaded(self._cluster(), tuple(self.warnings), tuple(self.ignored), self.set_aside)

    def add_cluster_queue(self, raw: object, place: Place) -> None:
        self.queues_seen.append((place, raw))
        queue = convert.cluster_queue(raw, place, self.problems)
        if queue is not None:
            self.cluster_queues[queue.name] = queue

    def add_resource_flavor(self, raw: object, place: Place) -> None:
        flavor = convert.resource_flavor(raw, place, self.problems)
        if flavor is not None:
            self.flavors[flavor.name] = flavor

    def add_local_queue(self, raw: object, place: Place) -> None:
        queue = convert.local_queue(raw, place, self.problems)
        if queue is not None:
            self.local_queues[queue.namespace, queue.name] = queue.cluster_queue

    def add_workload(self, raw: object, place: Place) -> None:
        reasons = " and ".join(f"{path} says {found}" for path, found in out_of_play(raw))
        if reasons:
            self.ignored.append(f"{_said(place)}: neither holds quota nor waits for it: {reasons}")
            return
        workload = convert.workload(raw, place, self.problems)
        if workload is None:
            return
        self.workloads.append((place, workload))
        if dig(raw, "metadata", "creationTimestamp") is None:
            self._warn(place, "metadata.creationTimestamp is absent, counted as the epoch")

    def _take(self, sourced: SourcedObject) -> None:
        raw: Any = sourced.object
        kind = dig(raw, "kind")
        place = place_of(raw, kind if isinstance(kind, str) else "", file=sourced.file)
        if not self._has_header(raw, place):
            return
        add = _ADD.get(kind)
        group, slash, _ = raw["apiVersion"].partition("/")
        if add is None or (slash and group != _GROUP):
            self.ignored.append(f"{_said(place)}: not a kind that is read")
        elif raw["apiVersion"] != API_VERSION:
            self.problems.append(place.problem("apiVersion", show(raw["apiVersion"]), API_VERSION))
        elif self._is_new(raw, kind, place):
            known = len(self.problems)
            add(self, raw, place)
            self._set_aside(raw, kind, place, known)

    def _set_aside(self, raw: object, kind: str, place: Place, known: int) -> None:
        """Keep an object that is right but not modelled from refusing everybody else."""
        own = tuple(self.problems[known:])
        holds = kind == "Workload" and has_condition(raw, "QuotaReserved")
        beyond = all(problem.code == ErrorCode.NOT_MODELLED for problem in own)
        if own and beyond and kind != "ResourceFlavor" and not holds:
            del self.problems[known:]
            self.set_aside[place.object] = own
            self._warn(place, f"set aside: {own[0].field} needs what is not modelled")

    def _has_header(self, raw: object, place: Place) -> bool:
        if not isinstance(raw, dict):
            self.problems.append(place.problem("", show(raw), "a Kubernetes object (a map)"))
            return False
        known = len(self.problems)
        for name, example in (("apiVersion", API_VERSION), ("kind", "ClusterQueue")):
            found = raw.get(name)
            if not isinstance(found, str) or not found:
                shown = show(found) if name in raw else "nothing"
                self.problems.append(place.problem(name, shown, f"a string such as {example}"))
        return len(self.problems) == known

    def _is_new(self, raw: object, kind: str, place: Place) -> bool:
        namespace, name = (dig(raw, "metadata", part) for part in ("namespace", "name"))
        if not isinstance(name, str):
            return True
        key = (kind, namespace if isinstance(namespace, str) else "", name)
        if key not in self.seen:
            self.seen[key] = place.file
            return True
        first = self.seen[key]
        expected = f"each object once; {first} has it too" if first else "each object once"
        self.problems.append(place.problem("metadata.name", f"{show(name)} a second time", expected))
        return False

    def _check_flavors(self, raw: object, place: Place) -> None:
        given = sorted(name for kind, _, name in self.seen if kind == "ResourceFlavor")
        missing = [(path, name) for path, name in flavor_references(raw) if name not in given]
        if given:
            expected = f"the name of a ResourceFlavor that is given: {listed(given)}"
            self.problems.extend(place.problem(path, show(name), expected) for path, name in missing)
        elif missing:
            names = listed(name for _, name in missing)
            self._warn(place, f"no ResourceFlavor was given; Kueue needs {names} for this queue to be active")

    def _check_cluster_queues(self) -> None:
        for place, workload in self.workloads:
            name = workload.cluster_queue
            if name is not None and name not in self.cluster_queues:
                self._warn(place, f"holds quota of the ClusterQueue {printable(name)}, which was not given")

    def _warn(self, place: Place, text: str) -> None:
        self.warnings.append(f"{_said(place)}: {text}")

    def _cluster(self) -> Cluster:
        workloads = [workload for _, workload in self.workloads]
        return Cluster(
            cluster_queues=self.cluster_queues,
            admitted=tuple(workload for workload in workloads if workload.cluster_queue is not None),
            pending=tuple(workload for workload in workloads if workload.cluster_queue is None),
            flavors=self.flavors,
            local_queues=self.local_queues,
            settings=self.settings,
        )


_ADD: dict[object, Callable[[_Builder, object, Place], None]] = {
    "ClusterQueue": _Builder.add_cluster_queue,
    "ResourceFlavor": _Builder.add_resource_flavor,
    "LocalQueue": _Builder.add_local_queue,
    "Workload": _Builder.add_workload,
}


def _said(place: Place) -> str:
    return ": ".join(part for part in (place.file, place.object) if part)
