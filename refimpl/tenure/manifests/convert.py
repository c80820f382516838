"""One untrusted object to one object of the model, or to everything that is wrong with it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from tenure.errors import InputError, Problem
from tenure.manifests import schema
from tenure.manifests.checking import check
from tenure.manifests.pods import node_constraint, set_requests
from tenure.manifests.quantities import amount_of, quota_of, saturated
from tenure.manifests.showing import Place, printable, show
from tenure.manifests.structure import cluster_queue_problems, dig, has_condition, workload_problems
from tenure.model import (
    Amount,
    ClusterQueue,
    FlavorQuotas,
    FlavorResource,
    Instant,
    PodSet,
    ResourceFlavor,
    ResourceGroup,
    WithinClusterQueue,
    Workload,
)

API_VERSION: Final = "kueue.x-k8s.io/v1beta2"

_POLICIES = {
    None: WithinClusterQueue.NEVER,
    "Never": WithinClusterQueue.NEVER,
    "LowerPriority": WithinClusterQueue.LOWER_PRIORITY,
    "LowerOrNewerEqualPriority": WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY,
}

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class LocalQueueEntry:
    """A LocalQueue: `namespace` and `name`, and the name of the ClusterQueue behind it."""

    namespace: str
    name: str
    cluster_queue: str


def read_cluster_queue(raw: object, *, where: str = "") -> ClusterQueue:
    """A ClusterQueue of `kueue.x-k8s.io/v1beta2`.

    Args:
        raw: the object, untrusted; `apiVersion` and `kind` may be left out.
        where: path to put before the path of every field in an error, such as `clusterQueues[0]`.

    Returns:
        The queue; quotas in milli-CPU or base units, `min_admit_duration` in nanoseconds.

    Raises:
        InputError: everything that is wrong with it, or decides and is not modelled.

    Source: Kueue v1beta2 API, ClusterQueueSpec; KEP-8522, API Changes.

    >>> read_cluster_queue({"metadata": {"name": "a"}, "spec": {"cohortName": "c"}}).cohort
    'c'
    """
    problems: list[Problem] = []
    place = place_of(raw, "ClusterQueue", where=where)
    return _or_raise(cluster_queue(raw, place, problems), problems)


def read_workload(raw: object, *, where: str = "", holds_quota: bool | None = None) -> Workload:
    """A Workload of `kueue.x-k8s.io/v1beta2`.

    Args:
        raw: the object, untrusted; `apiVersion` and `kind` may be left out.
        where: path to put before the path of every field in an error, such as `admitted[3]`.
        holds_quota: True: it does, whatever its conditions say; False: it is pending, and
            `status.admission` is ignored; None: its conditions decide.

    Returns:
        The workload. A name space, uid or priority that is absent is empty or 0, and so is the creation
        time. Annotations are not read: the gate for `kueue.x-k8s.io/priority-boost` is off by default.

    Raises:
        InputError: everything that is wrong with it, or decides and is not modelled; with `holds_quota`
            None also that it has finished or is not active.

    Source: Kueue v1beta2 API, WorkloadSpec and WorkloadStatus; KEP-8522, metric reasons.

    >>> read_workload({"metadata": {"name": "b1"}, "spec": {"priority": 7}}).priority
    7
    >>> read_workload({"metadata": {"name": "b1"}, "spec": {"priority": "7"}}, where="incoming")
    Traceback (most recent call last):
    tenure.errors.InputError: Workload/b1: incoming.spec.priority: found '7', expected an integer
    """
    problems: list[Problem] = []
    place = place_of(raw, "Workload", where=where)
    if holds_quota is None:
        problems += [
            place.problem(field, found, "a workload that holds quota or waits for it")
            for field, found in out_of_play(raw)
        ]
    return _or_raise(workload(raw, place, problems, holds_quota=holds_quota), problems)


def read_resource_flavor(raw: object, *, where: str = "") -> ResourceFlavor:
    """A ResourceFlavor of `kueue.x-k8s.io/v1beta2`.

    Args:
        raw: the object, untrusted; `apiVersion` and `kind` may be left out.
        where: path to put before the path of every field in an error.

    Raises:
        InputError: everything that is wrong with it, or decides and is not modelled.

    Source: Kueue v1beta2 API, ResourceFlavorSpec; a taint of effect PreferNoSchedule keeps nobody away.

    >>> read_resource_flavor({"metadata": {"name": "a100"}})
    ResourceFlavor(name='a100', labelled=False, tainted=False)
    """
    problems: list[Problem] = []
    place = place_of(raw, "ResourceFlavor", where=where)
    return _or_raise(resource_flavor(raw, place, problems), problems)


def read_local_queue(raw: object, *, where: str = "") -> LocalQueueEntry:
    """A LocalQueue of `kueue.x-k8s.io/v1beta2`.

    Args:
        raw: the object, untrusted; `apiVersion` and `kind` may be left out.
        where: path to put before the path of every field in an error.

    Raises:
        InputError: everything that is wrong with it, or decides and is not modelled.

    Source: Kueue v1beta2 API, LocalQueueSpec.

    >>> queue = {"metadata": {"namespace": "ml", "name": "jobs"}, "spec": {"clusterQueue": "team-a"}}
    >>> read_local_queue(queue).cluster_queue
    'team-a'
    """
    problems: list[Problem] = []
    place = place_of(raw, "LocalQueue", where=where)
    return _or_raise(local_queue(raw, place, problems), problems)


def place_of(raw: object, kind: str, *, file: str = "", where: str = "") -> Place:
    """How problems name an object: kind, name space if it has one, name.

    >>> place_of({"metadata": {"namespace": "ml", "name": "train"}}, "Workload").object
    'Workload/ml/train'
    """
    names = (dig(raw, "metadata", "namespace"), dig(raw, "metadata", "name"))
    parts = [kind, *(name for name in names if isinstance(name, str) and name)]
    return Place("/".join(printable(part) for part in parts if part), file, where)


def out_of_play(raw: object) -> list[tuple[str, str]]:
    """Why a workload neither holds quota nor waits for it: fields and what they say; empty if it does.

    Source: Kueue, workloads with an active quota reservation, admissible workloads.
    """
    reasons = []
    if has_condition(raw, "Finished"):
        reasons.append(("status.conditions", "Finished=True"))
    if dig(raw, "spec", "active") is False:
        reasons.append(("spec.active", "False"))
    return reasons


def cluster_queue(raw: object, place: Place, problems: list[Problem]) -> ClusterQueue | None:
    """As `read_cluster_queue`; what is wrong is added to `problems`, and the result is None."""
    known = len(problems)
    _check_header(raw, "ClusterQueue", place, problems)
    checked = check(schema.ClusterQueueObject, raw, place, problems)
    problems.extend(cluster_queue_problems(raw, place))
    if checked is None or len(problems) > known:
        return None
    spec = checked.spec or schema.ClusterQueueSpec()
    preemption = spec.preemption or schema.Preemption()
    config = preemption.within_cluster_queue_config
    return ClusterQueue(
        name=checked.metadata.name,
        resource_groups=tuple(_group(group) for group in spec.resource_groups or ()),
        within_cluster_queue=_POLICIES[preemption.within_cluster_queue],
        min_admit_duration=config.min_admit_duration if config else None,
        cohort=spec.cohort_name or None,
    )


def resource_flavor(raw: object, place: Place, problems: list[Problem]) -> ResourceFlavor | None:
    """As `read_resource_flavor`; what is wrong is added to `problems`, and the result is None."""
    known = len(problems)
    _check_header(raw, "ResourceFlavor", place, problems)
    checked = check(schema.ResourceFlavorObject, raw, place, problems)
    if checked is None or len(problems) > known:
        return None
    spec = checked.spec or schema.ResourceFlavorSpec()
    return ResourceFlavor(
        name=checked.metadata.name,
        labelled=bool(spec.node_labels),
        tainted=any(taint.effect in ("NoSchedule", "NoExecute") for taint in spec.node_taints or ()),
    )


def local_queue(raw: object, place: Place, problems: list[Problem]) -> LocalQueueEntry | None:
    """As `read_local_queue`; what is wrong is added to `problems`, and the result is None."""
    known = len(problems)
    _check_header(raw, "LocalQueue", place, problems)
    checked = check(schema.LocalQueueObject, raw, place, problems)
    if checked is None or len(problems) > known:
        return None
    metadata = checked.metadata
    return LocalQueueEntry(metadata.namespace or "", metadata.name, checked.spec.cluster_queue)


def workload(
    raw: object, place: Place, problems: list[Problem], *, holds_quota: bool | None = None
) -> Workload | None:
    """As `read_workload`; what is wrong is added to `problems`, and the result is None."""
    known = len(problems)
    holds = has_condition(raw, "QuotaReserved") if holds_quota is None else holds_quota
    _check_header(raw, "Workload", place, problems)
    checked = check(schema.WorkloadObject, raw, place, problems)
    problems.extend(workload_problems(raw, place, holds_quota=holds))
    admission = _admission(raw, place, problems) if holds else None
    specs = [] if holds else _templates(raw, place, problems)
    if checked is None or len(problems) > known:
        return None
    return _workload(checked, admission, specs)


def _or_raise(result: T | None, problems: list[Problem]) -> T:
    if problems or result is None:
        raise InputError(problems)
    return result


def _check_header(raw: object, kind: str, place: Place, problems: list[Problem]) -> None:
    for field, right in (("apiVersion", API_VERSION), ("kind", kind)):
        found = dig(raw, field)
        # Go leaves both empty when it writes an object whose type is known.
        if found not in (None, "", right):
            problems.append(place.problem(field, show(found), right))


def _group(group: schema.ResourceGroup) -> ResourceGroup:
    flavors = tuple(
        FlavorQuotas(
            flavor=flavor.name,
            nominal={
                quota.name: quota_of(quota.name, quota.nominal_quota) for quota in flavor.resources or ()
            },
        )
        for flavor in group.flavors or ()
    )
    return ResourceGroup(covered_resources=tuple(group.covered_resources or ()), flavors=flavors)


def _admission(raw: object, place: Place, problems: list[Problem]) -> schema.Admission | None:
    found = dig(raw, "status", "admission")
    if found is None:
        return None
    return check(schema.Admission, found, place, problems, prefix="status.admission")


def _templates(raw: object, place: Place, problems: list[Problem]) -> list[schema.PodSpec]:
    """What each pod set's pods look like, in order; only a pending workload is measured by them."""
    pod_sets = dig(raw, "spec", "podSets")
    specs = []
    for i, pod_set in enumerate(pod_sets if isinstance(pod_sets, list) else ()):
        found = dig(pod_set, "template")
        path = f"spec.podSets[{i}].template"
        template = None if found is None else check(schema.PodTemplate, found, place, problems, prefix=path)
        specs.append((template and template.spec) or schema.PodSpec())
    return specs


def _workload(
    checked: schema.WorkloadObject,
    admission: schema.Admission | None,
    specs: list[schema.PodSpec],
) -> Workload:
    metadata = checked.metadata
    spec = checked.spec or schema.WorkloadSpec()
    status = checked.status or schema.WorkloadStatus()
    conditions = _Conditions(status.conditions or ())
    reclaimed = {pods.name: pods.count for pods in status.reclaimable_pods or ()}
    return Workload(
        namespace=metadata.namespace or "",
        name=metadata.name,
        uid=metadata.uid or "",
        priority=spec.priority or 0,
        created_at=metadata.creation_timestamp or 0,
        quota_reserved_at=conditions.since("QuotaReserved") if admission else None,
        evicted=conditions.is_true("Evicted"),
        pods_ready_evicted_at=conditions.since("Evicted", "PodsReadyTimeout"),
        admission_check_evicted_at=conditions.since("Evicted", "AdmissionCheck"),
        time_based_preempted_at=conditions.since("Preempted", "InClusterQueueTimeBased"),
        queue_name=spec.queue_name or "",
        cluster_queue=admission.cluster_queue if admission else None,
        usage=_usage(admission, spec.pod_sets or (), reclaimed) if admission else {},
        pod_sets=() if admission else _pod_sets(spec.pod_sets or (), specs, reclaimed),
    )


class _Conditions:
    """The conditions that are True."""

    def __init__(self, conditions: Iterable[schema.Condition]) -> None:
        self._true = {condition.type: condition for condition in conditions if condition.status == "True"}

    def is_true(self, kind: str) -> bool:
        return kind in self._true

    def since(self, kind: str, reason: str | None = None) -> Instant | None:
        condition = self._true.get(kind)
        if condition is None or reason not in (None, condition.reason):
            return None
        return condition.last_transition_time


def _count(pod_set: schema.PodSet) -> int:
    return 1 if pod_set.count is None else pod_set.count


def _remaining(pod_sets: Iterable[schema.PodSet], reclaimed: dict[str, int]) -> dict[str, int]:
    return {pod_set.name: max(0, _count(pod_set) - reclaimed.get(pod_set.name, 0)) for pod_set in pod_sets}


def _pod_sets(
    pod_sets: Sequence[schema.PodSet], specs: Iterable[schema.PodSpec], reclaimed: dict[str, int]
) -> tuple[PodSet, ...]:
    remaining = _remaining(pod_sets, reclaimed)
    return tuple(
        PodSet(
            name=pod_set.name,
            count=remaining[pod_set.name],
            requests=set_requests(spec, remaining[pod_set.name]),
            node_constraint=node_constraint(spec),
        )
        for pod_set, spec in zip(pod_sets, specs, strict=True)
    )


def _usage(
    admission: schema.Admission, pod_sets: Sequence[schema.PodSet], reclaimed: dict[str, int]
) -> dict[FlavorResource, Amount]:
    """What the workload holds; a flavor that was assigned is a key even where nothing is used of it."""
    counts = {pod_set.name: _count(pod_set) for pod_set in pod_sets}
    remaining = _remaining(pod_sets, reclaimed)
    usage: dict[FlavorResource, Amount] = {}
    for assignment in admission.pod_set_assignments or ():
        assigned = counts[assignment.name] if assignment.count is None else assignment.count
        used: dict[str, Any] = dict(assignment.resource_usage or {})
        for resource, flavor in (assignment.flavors or {}).items():
            if not flavor:
                continue
            key = FlavorResource(flavor, resource)
            amount = _scaled(amount_of(resource, used.get(resource, 0)), assigned, remaining[assignment.name])
            usage[key] = saturated(usage.get(key, 0) + amount)
    return usage


def _scaled(amount: Amount, assigned: int, remaining: int) -> Amount:
    """Fewer pods than were assigned hold less: whole amounts per pod, as Kueue divides them.

    More than were assigned hold the same, because such a pod set was admitted in part.
    """
    return saturated(amount // assigned * remaining) if remaining < assigned else amount
