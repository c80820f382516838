"""The Kubernetes objects of a scenario of Kueue: given ones, edited ones, workloads in short form."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any

from tenure.manifests import Loaded, Place, build, did_you_mean, read_priority_class, read_workload, show
from tenure.manifests.conversion import API_VERSION
from tenure.manifests.releases import TargetKueue
from tenure.manifests.selectable import KIND as PREEMPTION_CONFIG
from tenure.manifests.selectable import (
    LIMIT_KIND,
    PREEMPTION_CONFIG_VERSIONS,
    PREEMPTION_LIMIT_VERSIONS,
    selectable_of,
)
from tenure.manifests.structure import dig, has_condition
from tenure.model import SECOND, Cluster, Duration, Instant, PodSet, Workload
from tenure.rules.cycle import persisted
from tenure.units import format_instant
from tenure_play.parsing import Written
from tenure_play.scenario import Submission, Submit

if TYPE_CHECKING:  # a forecast reads no scenario file
    from tenure_play.scenario_file import Defaults, GenerateShape, SubmitShape

EDITED = ("ClusterQueue", "Cohort", "ResourceFlavor", "WorkloadPriorityClass", PREEMPTION_CONFIG)
"""The kinds that an event may change."""


@dataclass(slots=True)
class Objects(Written):
    """The objects of a scenario of Kueue, and what they come to.

    Args:
        strict: whether what would be left out is refused.
        kueue: the target Kueue.
    """

    strict: bool = False
    kueue: TargetKueue = field(default_factory=TargetKueue)

    def api_version(self, kind: object) -> str:
        """Kueue's."""
        alpha = {PREEMPTION_CONFIG: PREEMPTION_CONFIG_VERSIONS, LIMIT_KIND: PREEMPTION_LIMIT_VERSIONS}
        return alpha.get(str(kind), (API_VERSION,))[0]

    def loaded(self) -> Loaded:
        """What the objects come to now.

        Raises:
            InputError: everything that is wrong with them, or needs what is not modelled.
        """
        # An event may have set what the release does not have.
        self.raw = list(self.kueue.passing(self.raw))
        return self.kueue.stamped(build(self.raw, strict=self.strict))

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
        return self.patch(patch, place, EDITED), without_workloads(self.loaded().cluster)

    def class_priority(self, name: str) -> int | None:
        """The priority of a WorkloadPriorityClass at the start; None where there is no such class."""
        for found_object in self.raw:
            if found_object.object.get("kind") == "WorkloadPriorityClass":
                found = read_priority_class(found_object.object)
                if found.name == name:
                    return found.base
        return None

    def asking(self, workload: Workload) -> Workload:
        """A workload that holds quota, with its requests once it is evicted."""
        return asking(workload, self.workload(workload))

    def workload(self, workload: Workload) -> dict[str, Any]:
        """The manifest of a workload that is there at the start."""
        for found_object in self.raw:
            metadata = found_object.object.get("metadata")
            names = dig(metadata, "namespace") or "", dig(metadata, "name")
            if found_object.object.get("kind") == "Workload" and names == (workload.namespace, workload.name):
                return found_object.object
        return {}

    def shown(self) -> tuple[dict[str, Any], ...]:
        """The objects as they are now, without workloads."""
        return tuple(
            found_object.object for found_object in self.raw if found_object.object.get("kind") != "Workload"
        )


def asking(workload: Workload, raw: Mapping[str, Any]) -> Workload:
    """A workload that holds quota, with its requests once it is evicted.

    Args:
        workload: as it was read; how much it holds is all that is known of its pods.
        raw: its manifest.

    Raises:
        InputError: what is wrong with its pods, or is not modelled.

    >>> asking(Workload("ml", "a", "u", priority=0, created_at=0), {}).pod_sets
    ()
    """
    if not has_condition(raw, "QuotaReserved"):
        return workload
    bare = {key: value for key, value in raw.items() if key != "status"}
    return dataclasses.replace(workload, pod_sets=read_workload(bare, holds_quota=False).pod_sets)


def without_workloads(cluster: Cluster) -> Cluster:
    """The objects alone."""
    return dataclasses.replace(cluster, admitted=(), pending=())


NAMESPACE = "default"
_CLASS_GROUP, _CLASS_KIND = "kueue.x-k8s.io", "WorkloadPriorityClass"
MOST_GENERATED = 100_000
"""Workloads that one entry of `generate` may make."""


@dataclass(frozen=True, slots=True)
class Maker:
    """Makes workloads of their descriptions in a scenario.

    Args:
        objects: of the scenario.
        cluster: what they come to at the start.
        defaults: of all workloads.
        place: the scenario, for problems.
        has_configs: whether there are PreemptionConfigs, which read labels of workloads.

    Workloads in short form with the same requests share them: a trace has many of a few kinds.
    """

    objects: Objects
    cluster: Cluster
    defaults: Defaults
    place: Place
    has_configs: bool = False
    _specs: dict[str, dict[str, Any]] = field(default_factory=dict)
    _pods: dict[int, tuple[PodSet, ...]] = field(default_factory=dict)
    """By the identity of a spec that is shared; nothing as long as none was read."""

    def submission(self, shape: SubmitShape, at: Instant, path: str) -> Submission:
        """One workload that is submitted.

        Args:
            shape: its description.
            at: when.
            path: of the description.

        Raises:
            InputError: what is wrong with it.
        """
        if shape.manifest is None:
            manifest = self._made(shape, shape.name, at, path)
        else:
            manifest = self._manifest(shape.manifest, at, path)
            path = f"{path}.manifest"
        work = self._said(shape, "work")
        return self._submission(shape, manifest, work, path)

    def queue_of(self, workload: Workload, path: str) -> str:
        """The ClusterQueue that a workload waits for: where its LocalQueue points, or the only one there is.

        Raises:
            InputError: there is no such LocalQueue or ClusterQueue.
        """
        known, queues = self.cluster.local_queues, self.cluster.cluster_queues
        if not known and len(queues) == 1:
            return next(iter(queues))
        names = {name: queue for (namespace, name), queue in known.items() if namespace == workload.namespace}
        found = names.get(workload.queue_name)
        if found is None:
            expected = f"one of the LocalQueues of {workload.namespace}: {', '.join(sorted(names)) or 'none'}"
            hint = did_you_mean(workload.queue_name, names)
            raise self.place.error(f"{path}.queue", show(workload.queue_name), expected + hint)
        if found not in queues:
            raise self.place.error(f"{path}.queue", show(found), f"one of {', '.join(sorted(queues))}")
        return found

    def generated(self, shape: GenerateShape, start: Instant, end: Instant, path: str) -> Iterator[Submit]:
        """The submissions of some users.

        Each begins at a time of its own within the first interval; `jitter` moves every one of its
        submissions by up to that much, either way. The same seed gives the same submissions everywhere.

        Args:
            shape: their description.
            start, end: between these.
            path: of the description.

        Raises:
            InputError: an interval of nothing, or too many workloads.
        """
        self._check_generated(shape, start, end, path)
        draw = _Draw(shape.seed)
        width = len(str(shape.users))
        for user in range(1, shape.users + 1):
            at, number = start + draw.up_to(shape.every), 0
            while at < end:
                number += 1
                moved = at + draw.around(shape.jitter or 0)
                work = self._said(shape, "work")
                if shape.work_between:
                    low, high = shape.work_between
                    work = low + draw.up_to(high - low + SECOND)
                name = f"{shape.name}-{user:0{width}}-{number:03}"
                if start <= moved < end:
                    manifest = self._made(shape, name, moved, path)
                    yield Submit(moved, self._submission(shape, manifest, work, path))
                at += shape.every

    def _check_generated(self, shape: GenerateShape, start: Instant, end: Instant, path: str) -> None:
        if shape.every < SECOND:
            raise self.place.error(f"{path}.every", f"{shape.every}ns", "at least 1s")
        if shape.users * max(0, end - start) // shape.every > MOST_GENERATED:
            raise self.place.error(f"{path}.every", f"more than {MOST_GENERATED} workloads", "fewer")
        between = shape.work_between
        if between is not None and (len(between) != 2 or between[0] > between[1]):
            raise self.place.error(
                f"{path}.workBetween", show(between), "two durations, the shorter one first"
            )

    def _submission(
        self, shape: Defaults, manifest: dict[str, Any], work: Duration | None, path: str
    ) -> Submission:
        workload = read_workload(manifest, where=path, holds_quota=False)
        known = self._pods.get(id(manifest.get("spec")))
        if known is not None:
            pods = self._pods[id(manifest["spec"])] = known or workload.pod_sets
            workload = dataclasses.replace(workload, pod_sets=pods)
        if self.has_configs:
            workload = dataclasses.replace(workload, selectable=selectable_of(manifest, workload))
        return Submission(
            workload=workload,
            queue=self.queue_of(workload, path),
            work=work,
            keeps=self._said(shape, "progress") != "lost",
            eviction=self._said(shape, "eviction"),
            manifest=manifest,
        )

    def _said(self, shape: Defaults, name: str) -> Any:
        own = getattr(shape, name)
        return getattr(self.defaults, name) if own is None else own

    def _made(self, shape: Defaults, name: str | None, at: Instant, path: str) -> dict[str, Any]:
        if name is None:
            raise self.place.error(f"{path}.name", "nothing", "a name, or a manifest")
        namespace = self._said(shape, "namespace") or NAMESPACE
        requests: Mapping[str, Any] = self._said(shape, "requests") or {}
        container = {"resources": {"requests": dict(requests)}}
        pods = {"name": "main", "count": self._said(shape, "count") or 1}
        spec: dict[str, Any] = {"podSets": [{**pods, "template": {"spec": {"containers": [container]}}}]}
        spec["queueName"] = self._said(shape, "queue") or ""
        spec.update(self._priority(shape, path))
        spec = self._specs.setdefault(repr(spec), spec)
        self._pods.setdefault(id(spec), ())
        metadata = {"namespace": namespace, "name": name, "uid": f"{namespace}/{name}"}
        metadata["creationTimestamp"] = format_instant(persisted(at))
        return {"apiVersion": API_VERSION, "kind": "Workload", "metadata": metadata, "spec": spec}

    def _priority(self, shape: Defaults, path: str) -> dict[str, Any]:
        named = self._said(shape, "priority_class")
        if named is None:
            return {"priority": self._said(shape, "priority") or 0}
        value = self.objects.class_priority(named)
        if value is None:
            raise self.place.error(
                f"{path}.priorityClass", show(named), "the name of a given WorkloadPriorityClass"
            )
        own = shape.priority
        reference = {"group": _CLASS_GROUP, "kind": _CLASS_KIND, "name": named}
        return {"priority": value if own is None else own, "priorityClassRef": reference}

    def _manifest(self, raw: dict[str, Any], at: Instant, path: str) -> dict[str, Any]:
        metadata = raw.get("metadata")
        if not isinstance(metadata, dict):
            raise self.place.error(
                f"{path}.manifest.metadata", show(metadata), "a map with the workload's name"
            )
        namespace = metadata.get("namespace", NAMESPACE)
        own = {
            "uid": f"{namespace}/{metadata.get('name')}",
            "namespace": NAMESPACE,
            "creationTimestamp": format_instant(persisted(at)),
        }
        header = {"apiVersion": API_VERSION, "kind": "Workload"}
        return {**header, **raw, "metadata": {**own, **metadata}}


class _Draw:
    """Numbers by chance, whole seconds; the same for the same seed in every release of Python."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def up_to(self, length: Duration) -> Duration:
        """From 0 to just below a duration."""
        seconds = length // SECOND
        return self._random.getrandbits(64) % seconds * SECOND if seconds > 0 else 0

    def around(self, length: Duration) -> Duration:
        """Up to a duration, either way."""
        return self.up_to(2 * length + SECOND) - length if length else 0
