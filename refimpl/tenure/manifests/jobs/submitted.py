"""The jobs among the objects of a load, and the Workloads that Kueue would make of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from tenure.errors import ErrorCode, Problem
from tenure.manifests.conversion import API_VERSION, GROUP, object_name
from tenure.manifests.jobs.integrations import INTEGRATIONS, Integration, integration_of
from tenure.manifests.jobs.requested_pods import Manifest, Path, RequestedPods, integer
from tenure.manifests.jobs.training import API as TRAINER
from tenure.manifests.jobs.training import KINDS as RUNTIMES
from tenure.manifests.limits import MAX_WORKLOADS_OF_JOB
from tenure.manifests.showing import Place, printable
from tenure.manifests.structure import dig, items

QUEUE: Final = f"{GROUP}/queue-name"
PRIORITY_CLASS: Final = f"{GROUP}/priority-class"
LONGEST: Final = f"{GROUP}/max-exec-time-seconds"
PREBUILT: Final = f"{GROUP}/prebuilt-workload-name"
POD_GROUP: Final = f"{GROUP}/pod-group-name"
GROUP_SIZE: Final = f"{GROUP}/pod-group-total-count"
FAST: Final = f"{GROUP}/pod-group-fast-admission"
ROLE: Final = f"{GROUP}/role-hash"
GATED: Final = f"{GROUP}/admission-gated-by"
MANAGED: Final = f"{GROUP}/managed"
DEFAULT_QUEUE: Final = "default"
"""The LocalQueue of jobs that name none, where a name space has one of this name."""
_POD: Final = ("v1", "Pod")
_MOST_POD_SETS: Final = 18
_OF_KUBERNETES: Final = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}
"""The PriorityClasses that every cluster has."""
_ROLE: Final = (
    "nodeSelector",
    "affinity",
    "tolerations",
    "runtimeClassName",
    "priority",
    "topologySpreadConstraints",
    "overhead",
    "resourceClaims",
)
"""What distinguishes the roles of a group's pods, beside the requests and ports of their containers."""
_WITHOUT_SPEC: Final = {"apiVersion", "kind", "metadata"}


@dataclass(frozen=True, slots=True)
class JobContext:
    """What else is given that decides about jobs.

    Args:
        owners: by `namespace/name`, the owner references of all Workloads, untrusted.
        local_queues: `(namespace, name)` of all LocalQueues.
        classes: value by name of all WorkloadPriorityClasses.
        frameworks: the integrations that are on; None for all.
        gates: the feature gates that are on.
        every_job: whether jobs that name no queue are Kueue's, too.
    """

    owners: Mapping[str, object]
    local_queues: Collection[tuple[str, str]]
    classes: Mapping[str, int]
    frameworks: Collection[str] | None = None
    gates: Collection[str] = ()
    every_job: bool = False


@dataclass(frozen=True, slots=True)
class MadeWorkload:
    """A Workload that Kueue would make.

    Args:
        raw: the Workload.
        job: where it comes from.
        problems: what is wrong with the job, or decides and is not known.
        paths: of each pod set, its template's path in the job.
        assumed: what was assumed about its priority; empty if nothing.
    """

    raw: dict[str, Any]
    job: Place
    problems: tuple[Problem, ...] = ()
    paths: tuple[str, ...] = ()
    assumed: str = ""

    def as_of_job(self, problem: Problem) -> Problem:
        """A problem of the Workload as one of the job that was written."""
        field_ = problem.field
        for index, path in enumerate(self.paths):
            begin = f"spec.podSets[{index}].template"
            if field_.startswith(begin):
                field_ = f"{path}{field_.removeprefix(begin)}".removeprefix(".")
        return replace(problem, object=self.job.object, file=self.job.file, field=field_)


@dataclass(frozen=True, slots=True)
class SkippedJob:
    """A job that waits for nothing, and why.

    Args:
        is_stored: whether an API server has stored it, so that it is not treated as newly created.
    """

    job: Place
    why: str
    is_stored: bool


@dataclass(slots=True)
class SubmittedJobs:
    """The jobs of a load, as they pass by."""

    jobs: list[tuple[dict[str, Any], Place]] = field(default_factory=list)
    runtimes: dict[tuple[str, str, str], object] = field(default_factory=dict)
    classes: dict[str, tuple[int, bool]] = field(default_factory=dict)
    """Value of each PriorityClass of Kubernetes, and whether it is the default."""

    def takes(self, raw: Any, place: Place) -> bool:
        """Keep an object that is a job, or that decides about one; whether it is."""
        version, kind = dig(raw, "apiVersion"), dig(raw, "kind")
        if integration_of(raw) is not None:
            # Of Pods there may be a hundred thousand, most of which are not Kueue's.
            if (version, kind) == _POD and not (_label(raw, QUEUE) or _label(raw, MANAGED)):
                return False
            self.jobs.append((raw, place))
        elif version == TRAINER and kind in RUNTIMES:
            namespace = "" if kind == RUNTIMES[0] else namespace_of(raw)
            self.runtimes[kind, namespace, str(dig(raw, "metadata", "name"))] = raw
        elif (version, kind) == ("scheduling.k8s.io/v1", "PriorityClass"):
            value, name = dig(raw, "value"), dig(raw, "metadata", "name")
            if isinstance(value, int) and isinstance(name, str) and -(2**31) <= value < 2**31:
                self.classes[name] = value, dig(raw, "globalDefault") is True
        else:
            return False
        return True

    def made(self, given: JobContext) -> Iterator[MadeWorkload | SkippedJob]:
        """The Workloads of all jobs, and the jobs that have none to come."""
        known = _Known.of(given.owners)
        groups: dict[tuple[str, str], list[tuple[dict[str, Any], Place]]] = {}
        for raw, place in self.jobs:
            why = next((why for why in _reasons(raw, given, known) if why), "")
            if why:
                yield SkippedJob(place, why, _is_stored(raw))
            elif group := _pod_group(raw):
                groups.setdefault((namespace_of(raw), group), []).append((raw, place))
            else:
                yield from self._of_job(raw, place, given)
        for (namespace, group), pods in groups.items():
            yield self._of_group(namespace, group, pods, given)

    def _of_job(
        self, raw: dict[str, Any], place: Place, given: JobContext
    ) -> Iterator[MadeWorkload | SkippedJob]:
        integration = INTEGRATIONS[raw["apiVersion"], raw["kind"]]
        problems: list[Problem] = []
        manifest = Manifest(raw, place, problems, self.runtimes)
        requested = integration.pods_of(manifest)
        parts = 1 if integration.parts is None else integration.parts(manifest)
        if parts > MAX_WORKLOADS_OF_JOB:
            expected = f"at most {MAX_WORKLOADS_OF_JOB} replicas, each of which is a Workload"
            manifest.wrong(("spec", "replicas"), parts, expected)
            parts = 1
        if (raw["apiVersion"], raw["kind"]) == ("apps/v1", "StatefulSet") and requested[0].count == 0:
            parts = 0
        if not parts:
            yield SkippedJob(place, "requests no replicas", _is_stored(raw))
        name = f"{(integration.named_after or raw['kind']).lower()}-{_name(raw)}"
        for part in range(parts):
            own = name if integration.parts is None else f"{name}-{part}"
            yield self._workload(own, raw, place, requested, problems, integration, given)

    def _of_group(
        self, namespace: str, group: str, pods: list[tuple[dict[str, Any], Place]], given: JobContext
    ) -> MadeWorkload:
        """The Workload of a group of pods: a pod set for each role.

        Source: Kueue v0.19.2, pkg/controller/jobs/pod, constructGroupPodSets, which sorts pod sets by a hash
        of the role; here they are in the order of their first pods.
        """
        raw, place = pods[0]
        problems: list[Problem] = []
        manifest = Manifest(raw, place, problems)
        size = integer(manifest.annotation(GROUP_SIZE)) or 0
        path = ("metadata", "annotations", GROUP_SIZE)
        if size < 1:
            manifest.wrong(path, manifest.at(*path), "text of the number of pods in the group")
        fast = manifest.annotation(FAST) == "true"
        if len(pods) < size and not fast:
            expected = f"that many pods of group {printable(group)}: {len(pods)} are given"
            manifest.wrong(path, str(size), expected)
        roles: dict[str, list[RequestedPods]] = {}
        for pod, at in pods[:1] if fast else pods[: max(1, size)]:
            one = INTEGRATIONS[_POD].pods_of(Manifest(pod, at, problems))
            roles.setdefault(_role(pod), []).extend(one)
        requested = [
            replace(alike[0], name=f"role-{number}", count=size if fast else len(alike))
            for number, alike in enumerate(roles.values())
        ]
        group_place = Place(object_name("Pod", namespace, _name(raw)), place.file)
        made = self._workload(group, raw, group_place, requested, problems, INTEGRATIONS[_POD], given)
        names = [_name(pod) for pod, _ in pods]
        made.raw["metadata"]["ownerReferences"] = [{"kind": "Pod", "name": name} for name in names]
        return made

    def _workload(
        self,
        name: str,
        raw: dict[str, Any],
        place: Place,
        requested: list[RequestedPods],
        problems: list[Problem],
        integration: Integration,
        given: JobContext,
    ) -> MadeWorkload:
        manifest = Manifest(raw, place, list(problems))
        if not _name(raw):
            manifest.wrong(("metadata", "name"), manifest.at("metadata", "name"), "a name")
        if not manifest.problems and not 0 < len(requested) <= _MOST_POD_SETS:
            expected = f"from 1 to {_MOST_POD_SETS} templates of pods, each of which is a pod set"
            manifest.wrong(("spec",), len(requested), expected)
        reference, value, assumed = self._priority(manifest, requested, integration, given)
        owner = {"apiVersion": raw["apiVersion"], "kind": raw["kind"], "name": _name(raw)}
        metadata: dict[str, Any] = {
            "name": name,
            "namespace": namespace_of(raw),
            "ownerReferences": [owner],
            "creationTimestamp": manifest.at("metadata", "creationTimestamp"),
        }
        if uid := manifest.text("metadata", "uid"):
            metadata["labels"] = {f"{GROUP}/job-uid": uid}
        if gated := manifest.annotation(GATED):
            metadata["annotations"] = {GATED: gated}
        spec: dict[str, Any] = {
            "queueName": queue_of(raw, given),
            "podSets": [pods.pod_set() for pods in requested],
            "priority": value,
        }
        if reference:
            spec["priorityClassRef"] = reference
        longest = integer(manifest.label(LONGEST)) or 0
        if 0 < longest < 2**31:
            spec["maximumExecutionTimeSeconds"] = longest
        made = {"apiVersion": API_VERSION, "kind": "Workload", "metadata": metadata, "spec": spec}
        paths = tuple(".".join(map(str, pods.path)) for pods in requested)
        return MadeWorkload(made, place, tuple(manifest.problems), paths, assumed)

    def _priority(
        self,
        manifest: Manifest,
        requested: Iterable[RequestedPods],
        integration: Integration,
        given: JobContext,
    ) -> tuple[dict[str, str] | None, int, str]:
        """The class that decides, its value, and what was assumed about it.

        Source: Kueue v0.19.2, pkg/controller/jobframework/reconciler.go, ExtractPriority.
        """
        name = manifest.label(PRIORITY_CLASS)
        if name:
            path = ("metadata", "labels", PRIORITY_CLASS)
            if name not in given.classes:
                expected = "the name of a WorkloadPriorityClass that is given: its value is the priority"
                manifest.wrong(path, name, expected, ErrorCode.NOT_MODELLED)
            reference = {"group": GROUP, "kind": "WorkloadPriorityClass", "name": name}
            return reference, given.classes.get(name, 0), ""
        at, name = self._class_reference(manifest, requested, integration)
        if not name:
            return self._default_priority()
        value = self.classes[name][0] if name in self.classes else _OF_KUBERNETES.get(name)
        if value is None:
            expected = "the name of a PriorityClass that is given: its value is the priority"
            manifest.wrong(at, name, expected, ErrorCode.NOT_MODELLED)
        return _reference(name), value or 0, ""

    def _class_reference(
        self, manifest: Manifest, requested: Iterable[RequestedPods], integration: Integration
    ) -> tuple[Path, str]:
        """Where a PriorityClass is named, and its name: by the job, or by the first of its templates."""
        own = manifest.at(*integration.priority_class) if integration.priority_class else None
        if isinstance(own, str) and own:
            return integration.priority_class, own
        for pods in requested:
            found = dig(pods.template, "spec", "priorityClassName")
            if isinstance(found, str) and found:
                return (*pods.path, "spec", "priorityClassName"), found
        return (), ""

    def _default_priority(self) -> tuple[dict[str, str] | None, int, str]:
        """The default PriorityClass; of several the one with the lowest value."""
        defaults = sorted((value, name) for name, (value, is_default) in self.classes.items() if is_default)
        if defaults:
            value, name = defaults[0]
            return _reference(name), value, ""
        assumed = "names no priority class, and no PriorityClass is given: its priority is counted as 0"
        return None, 0, "" if self.classes else assumed


@dataclass(frozen=True, slots=True)
class _Known:
    """The owners of the Workloads that are given: by uid, and by kind, name space and name."""

    uids: Mapping[str, str]
    names: Mapping[tuple[str, str, str], str]
    keys: Collection[str]

    @classmethod
    def of(cls, owners: Mapping[str, object]) -> _Known:
        uids: dict[str, str] = {}
        names: dict[tuple[str, str, str], str] = {}
        for key, references in owners.items():
            for reference in items(references):
                uid, kind, name = (dig(reference, field_) for field_ in ("uid", "kind", "name"))
                if isinstance(uid, str) and uid:
                    uids[uid] = key
                if isinstance(kind, str) and isinstance(name, str):
                    names[kind, key.partition("/")[0], name] = key
        return cls(uids, names, owners)

    def workload_of(self, raw: dict[str, Any]) -> str | None:
        """The Workload of a job, by what it is called; None where it has none."""
        uid = dig(raw, "metadata", "uid")
        if isinstance(uid, str) and uid in self.uids:
            return self.uids[uid]
        group = f"{namespace_of(raw)}/{_pod_group(raw)}"
        if _pod_group(raw) and group in self.keys:
            return group
        # A name that is generated is never one that is there.
        return self.names.get((raw["kind"], namespace_of(raw), str(dig(raw, "metadata", "name"))))


def _reasons(raw: dict[str, Any], given: JobContext, known: _Known) -> Iterator[str]:
    integration = INTEGRATIONS[raw["apiVersion"], raw["kind"]]
    yield "has finished" if integration.ended(raw) else ""
    workload = known.workload_of(raw)
    yield "" if workload is None else f"its Workload {printable(workload)} is given"
    is_stored = _is_stored(raw)
    # `kubectl tenure dump` keeps no more of the Jobs from which ages are counted.
    yield "only its metadata is given" if is_stored and raw.keys() <= _WITHOUT_SPEC else ""
    yield _managed_otherwise(raw)
    is_deployment = raw["kind"] == "Deployment"
    yield "Kueue makes the Workloads of its pods" if is_deployment and is_stored else ""
    # A default LocalQueue is filled in when a job is created, never afterwards.
    queue = _label(raw, QUEUE) if is_stored else queue_of(raw, given)
    yield "" if queue or given.every_job else f"has no label {QUEUE}: Kueue leaves it alone"
    is_taken = given.frameworks is None or integration.framework in given.frameworks
    yield (
        ""
        if is_taken
        else f"integrations.frameworks of the Configuration does not have {integration.framework}"
    )
    is_on = integration.gate is None or integration.gate in given.gates
    yield "" if is_on else f"Kueue takes its kind with feature gate {integration.gate} only"


def _managed_otherwise(raw: dict[str, Any]) -> str:
    """What has the Workload of a job instead of the job itself; empty where nothing has."""
    for owner in items(dig(raw, "metadata", "ownerReferences")):
        if dig(owner, "controller") is True and integration_of(owner) is not None:
            named = printable(f"{dig(owner, 'kind')}/{dig(owner, 'name')}")
            return f"belongs to {named}, of which Kueue makes the Workload"
    if prebuilt := _annotation(raw, PREBUILT) or _label(raw, PREBUILT):
        return f"its Workload is one that was made before: {printable(prebuilt)}"
    if raw["kind"] == "RayJob" and dig(raw, "spec", "clusterSelector"):
        return "runs in a RayCluster that is there: Kueue leaves it alone"
    return ""


def queue_of(raw: object, given: JobContext) -> str:
    """The LocalQueue of a job: the one that it names, or its name space's default one."""
    named = _label(raw, QUEUE)
    if named or (namespace_of(raw), DEFAULT_QUEUE) not in given.local_queues:
        return named
    return DEFAULT_QUEUE


def namespace_of(raw: object) -> str:
    """The name space of an object; `default` where it names none, as kubectl has it."""
    found = dig(raw, "metadata", "namespace")
    return found if isinstance(found, str) and found else "default"


def _is_stored(raw: object) -> bool:
    return isinstance(dig(raw, "metadata", "uid"), str)


def _name(raw: object) -> str:
    """The name of an object; the beginning of one that is generated."""
    name, begin = (dig(raw, "metadata", field_) for field_ in ("name", "generateName"))
    if isinstance(name, str) and name:
        return name
    return begin.rstrip("-.") if isinstance(begin, str) else ""


def _pod_group(raw: dict[str, Any]) -> str:
    if raw["kind"] != "Pod":
        return ""
    return _annotation(raw, POD_GROUP) or _label(raw, POD_GROUP)


def _label(raw: object, name: str) -> str:
    found = dig(raw, "metadata", "labels", name)
    return found if isinstance(found, str) else ""


def _annotation(raw: object, name: str) -> str:
    found = dig(raw, "metadata", "annotations", name)
    return found if isinstance(found, str) else ""


def _reference(name: str) -> dict[str, str]:
    return {"group": "scheduling.k8s.io", "kind": "PriorityClass", "name": name}


def _role(pod: object) -> str:
    """What distinguishes a pod of a group from pods of another role."""
    named = _annotation(pod, ROLE)
    if named:
        return named
    spec = dig(pod, "spec")
    containers = [
        [(dig(container, "resources", "requests"), dig(container, "ports")) for container in items(found)]
        for found in (dig(spec, "initContainers"), dig(spec, "containers"))
    ]
    return repr([containers, [dig(spec, name) for name in _ROLE], dig(spec, "resources", "requests")])
