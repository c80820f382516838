"""One untrusted Workload to the model, or everything that is wrong with it."""

from __future__ import annotations

import marshal
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from sys import intern
from typing import Any, Final, NamedTuple

from tenure.errors import InputError, Problem
from tenure.manifests import workload_schema as schema
from tenure.manifests.checking import check, fitting
from tenure.manifests.consistency import Caution, admission_cautions, deletion_caution, request_cautions
from tenure.manifests.conversion import as_v1beta2, or_raise, place_of
from tenure.manifests.instants import parse_instant
from tenure.manifests.limits import MAX_DEVIATIONS
from tenure.manifests.pods import node_affinity, set_requests, tolerations_of
from tenure.manifests.quantities import amount_of, saturated
from tenure.manifests.showing import Place, about_object
from tenure.manifests.structure import dig, has_condition
from tenure.manifests.workload_schema import (
    BOOST,
    HOLDS_QUOTA,
    in_common,
    workload_problems,
)
from tenure.model import Amount, Amounts, Duration, FlavorResource, Instant, PodSet, TopologyRequest, Workload

_INTEGER = re.compile(r"[+-]?[0-9]+")
_PLAIN: Final = 2
"""The last format of `marshal` in which equal data is always the same bytes: no references inside."""
_LONGEST_KEY: Final = 2**16
_MOST_KNOWN: Final = 2**14
_NO_TIME: Final = -1
"""The index of the time of a condition that there is not, or that is not True."""


def read_workload(
    raw: object, *, where: str = "", holds_quota: bool | None = None, reader: WorkloadReader | None = None
) -> Workload:
    """A Workload of `kueue.x-k8s.io/v1beta2` or `v1beta1`.

    Args:
        raw: the object, untrusted; `apiVersion` and `kind` may be left out.
        where: path to put before the path of every field in an error, such as `admitted[3]`.
        holds_quota: True: it does, whatever its conditions; False: it is pending, and what
            `status.admission` may have is what it requests; None: its conditions decide.
        reader: reads other workloads too; None for one of its own, with the feature gates' defaults.

    Returns:
        The workload. A name space, uid or priority that is absent is empty or 0, and so is the creation
        time. A priority boost that is no 32-bit integer is 0.

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
        holds_quota = has_condition(raw, "QuotaReserved")
    made = (reader or WorkloadReader()).read(raw, place, problems, holds_quota=holds_quota)
    return or_raise(made, problems)


def out_of_play(raw: object) -> list[tuple[str, str]]:
    """Why a workload neither holds quota nor waits for it: fields and their values; empty if it does.

    Source: Kueue, workloads with an active quota reservation, admissible workloads.
    """
    reasons = []
    if has_condition(raw, "Finished"):
        reasons.append(("status.conditions", "Finished=True"))
    if dig(raw, "spec", "active") is False:
        reasons.append(("spec.active", "False"))
    return reasons


def priority_boost(annotations: Mapping[str, object] | None) -> int | None:
    """The priority boost of an object's annotations, 0 without; None when it is no 32-bit integer.

    Source: Kueue, effective priority, which counts an invalid boost as 0.

    >>> priority_boost({BOOST: "-10"}), priority_boost({}), priority_boost({BOOST: "ten"})
    (-10, 0, None)
    """
    text = (annotations or {}).get(BOOST, "")
    if text == "":
        return 0
    # int() would read spaces, underscores and digits of other scripts too.
    if not isinstance(text, str) or len(text) > 64 or not _INTEGER.fullmatch(text):
        return None
    boost = int(text)
    return boost if -(2**31) <= boost < 2**31 else None


@dataclass(slots=True)
class WorkloadReader:
    """Reads the Workloads of one load: what many have in common is validated and made once.

    Args:
        reclaimable: feature gate ReclaimablePods: whether `status.reclaimablePods` release quota.
        warnings: receives contradictions in a workload.
    """

    reclaimable: bool = True
    warnings: list[str] = field(default_factory=list)
    _known: dict[bytes, _Common] = field(default_factory=dict)

    def read(
        self, raw: object, place: Place, problems: list[Problem], *, holds_quota: bool
    ) -> Workload | None:
        """As `read_workload`; problems are added to `problems`, and the result is None."""
        before = len(problems)
        raw, place = as_v1beta2(raw, "Workload", place, problems)
        key = _key(raw, holds_quota)
        common = self._known.get(key)
        own = None if common is None else _own(raw)
        checked = None
        if own is None:
            context = HOLDS_QUOTA if holds_quota else None
            checked = check(schema.WorkloadObject, raw, place, problems, context=context)
            own = None if checked is None else _Own(checked.metadata, _times(checked.status, _checked_time))
        if common is None or own is None or own.metadata.get("annotations"):
            wrong = workload_problems(raw, place, holds_quota=holds_quota)
            problems.extend(islice(wrong, MAX_DEVIATIONS))
        if own is None or len(problems) > before:
            return None
        if common is None:
            assert checked is not None
            common = _common(checked, holds_quota, self.reclaimable)
            if key and len(self._known) < _MOST_KNOWN:
                self._known[key] = common
        for caution in common.cautions:
            self.warnings.append(about_object(caution.warning(place), place.object))
        if not holds_quota and (since := dig(raw, "metadata", "deletionTimestamp")) is not None:
            warning = deletion_caution(since).warning(place)
            self.warnings.append(about_object(warning, place.object))
        return _workload(own, common)


class _Own(NamedTuple):
    """What a workload has of its own: its metadata, and the time of each condition.

    After these times comes one more, None, which is that of a condition that there is not.
    """

    metadata: schema.WorkloadMetadata
    times: list[Instant | None]


def _own(raw: Any) -> _Own | None:
    """Of a workload whose `in_common` was validated with another's; None where anything is wrong with it."""
    metadata = fitting(schema.WorkloadMetadata, raw["metadata"])
    try:
        return None if metadata is None else _Own(metadata, _times(raw.get("status"), _time))
    except InputError:
        return None


def _times(status: Any, time_of: Callable[[Any], Instant | None]) -> list[Instant | None]:
    conditions = (status.get("conditions") if status else None) or ()
    return [*map(time_of, conditions), None]


def _checked_time(condition: schema.Condition) -> Instant | None:
    return condition.get("lastTransitionTime")


def _time(condition: Mapping[str, Any]) -> Instant | None:
    time = condition.get("lastTransitionTime")
    return None if time is None else parse_instant(time)


class _Common(NamedTuple):
    """What workloads may have in common: where they hold quota, how much, what they request, what is odd.

    Its times are indices of `_Own.times`, those of conditions that are True.
    """

    cluster_queue: str | None
    usage: Amounts
    pod_sets: tuple[PodSet, ...]
    cautions: tuple[Caution, ...]
    queue_name: str
    priority: int
    priority_class: str
    requeue_at: Instant | None
    evicted: bool
    reserved: int
    admitted: int
    pods_ready: int
    admission_check: int
    time_based: int
    while_borrowing: int


def _key(raw: object, holds_quota: bool) -> bytes:
    """The content of what is in common; empty where it is too long, or holds a number kept as text."""
    try:
        key = marshal.dumps((holds_quota, in_common(raw, holds_quota=holds_quota)), _PLAIN)
    except ValueError:
        return b""
    return key if len(key) <= _LONGEST_KEY else b""


def _common(checked: schema.WorkloadObject, holds_quota: bool, reclaimable: bool) -> _Common:
    spec, status = checked.spec or {}, checked.status or {}
    pod_sets = spec.get("podSets") or ()
    released = (status.get("reclaimablePods") or ()) if reclaimable else ()
    reclaimed = {pods.name: pods.count for pods in released}
    admission = status.get("admission")
    assigned = list(assigned_of(admission, pod_sets, reclaimed)) if admission else []
    admitted = admission if holds_quota else None
    if admitted:
        counts = {pod_set.name: count_of(pod_set) for pod_set in pod_sets}
        cautions = tuple(admission_cautions(admitted, counts, reclaimed))
    else:
        cautions = tuple(request_cautions(pod_sets))
    true = {
        condition["type"]: (index, condition.get("reason"))
        for index, condition in enumerate(status.get("conditions") or ())
        if condition["status"] == "True"
    }

    def time_of(kind: str, reason: str | None = None) -> int:
        index, given = true.get(kind, (_NO_TIME, None))
        return index if reason in (None, given) else _NO_TIME

    return _Common(
        cluster_queue=intern(admitted.cluster_queue) if admitted else None,
        usage=usage_of(assigned) if admitted else {},
        pod_sets=() if admitted else _pod_sets(pod_sets, reclaimed, assigned),
        cautions=cautions,
        queue_name=intern(spec.get("queueName") or ""),
        priority=spec.get("priority") or 0,
        priority_class=_priority_class(spec.get("priorityClassRef")),
        requeue_at=_requeue_at(checked.status),
        evicted="Evicted" in true,
        reserved=time_of("QuotaReserved") if admitted else _NO_TIME,
        admitted=time_of("Admitted"),
        pods_ready=time_of("Evicted", "PodsReadyTimeout"),
        admission_check=time_of("Evicted", "AdmissionCheck"),
        time_based=time_of("Preempted", "InClusterQueueTimeBased"),
        while_borrowing=time_of("Preempted", "InCohortReclaimWhileBorrowing"),
    )


def _workload(own: _Own, common: _Common) -> Workload:
    metadata, times = own
    return Workload(
        namespace=intern(metadata.get("namespace") or ""),
        name=metadata["name"],
        uid=metadata.get("uid") or "",
        priority=common.priority,
        created_at=metadata.get("creationTimestamp") or 0,
        quota_reserved_at=times[common.reserved],
        evicted=common.evicted,
        pods_ready_evicted_at=times[common.pods_ready],
        admission_check_evicted_at=times[common.admission_check],
        time_based_preempted_at=times[common.time_based],
        preempted_while_borrowing_at=times[common.while_borrowing],
        priority_boost=priority_boost(metadata.get("annotations")) or 0,
        priority_class=common.priority_class,
        job_uid=(metadata.get("labels") or {}).get("kueue.x-k8s.io/job-uid") or "",
        queue_name=common.queue_name,
        requeue_at=common.requeue_at,
        cluster_queue=common.cluster_queue,
        usage=common.usage,
        pod_sets=common.pod_sets,
        admission_delay=_delay(times, common),
    )


def _delay(times: list[Instant | None], common: _Common) -> Duration | None:
    """From the reservation of quota to the admission; no time where one of them has no stamp."""
    if _NO_TIME in (common.reserved, common.admitted):
        return None
    since, until = times[common.reserved], times[common.admitted]
    return 0 if since is None or until is None else until - since


def _requeue_at(status: schema.WorkloadStatus | None) -> Instant | None:
    state = status.get("requeueState") if status else None
    return state.requeue_at if state else None


def _priority_class(reference: schema.PriorityClassRef | None) -> str:
    """Kueue's own class; a PriorityClass of Kubernetes has no policy."""
    if reference is None or reference.kind != "WorkloadPriorityClass":
        return ""
    return intern(reference.name or "")


def _full_count(pod_set: schema.PodSetSpec, reclaimed: Mapping[str, int]) -> int | None:
    if not reclaimed.get(pod_set.name):
        return None
    return 1 if pod_set.count is None else pod_set.count


def _pod_sets(
    pod_sets: Sequence[schema.PodSetSpec],
    reclaimed: Mapping[str, int],
    assigned: Iterable[AdmittedPods],
) -> tuple[PodSet, ...]:
    """The requests; with an admission those of the admission, as in Kueue."""
    left = remaining(pod_sets, reclaimed)
    settled = {pod_set.name: pod_set for pod_set in assigned}
    made = []
    for pod_set in pod_sets:
        name, spec = pod_set.name, (pod_set.template and pod_set.template.spec) or schema.PodSpec()
        own = settled.get(name)
        made.append(
            PodSet(
                name=name,
                count=own.pods if own else left[name],
                requests=own.amounts if own else set_requests(spec, left[name]),
                min_count=pod_set.min_count,
                full_count=_full_count(pod_set, reclaimed),
                node_selector=spec.node_selector or {},
                node_affinity=node_affinity(spec),
                tolerations=tolerations_of(spec.tolerations),
                settled=own.flavors if own else {},
                topology=_topology(pod_set.topology_request),
            )
        )
    return tuple(made)


def _topology(found: schema.TopologyRequestSpec | None) -> TopologyRequest | None:
    """The topology request; None for an empty one, as Kueue writes it for every batch Job."""
    if found is None:
        return None
    request = TopologyRequest(
        required=found.required,
        preferred=found.preferred,
        unconstrained=found.unconstrained,
        slice_level=found.pod_set_slice_required_topology,
        slice_size=found.pod_set_slice_size,
        layers=tuple(
            slices.topology or "" for slices in found.podset_slice_required_topology_constraints or ()
        ),
        group=found.pod_set_group_name,
    )
    return None if request == TopologyRequest() else request


class AdmittedPods(NamedTuple):
    """What an admission gives to one pod set.

    Args:
        name: of the pod set.
        pods: number of pods that still hold it.
        flavors: flavor by resource.
        amounts: amount by resource, for all these pods.
    """

    name: str
    pods: int
    flavors: dict[str, str]
    amounts: dict[str, Amount]


def count_of(pod_set: schema.PodSetSpec) -> int:
    """The requested number of pods; one by default."""
    return 1 if pod_set.count is None else pod_set.count


def remaining(pod_sets: Iterable[schema.PodSetSpec], reclaimed: Mapping[str, int]) -> dict[str, int]:
    """The pods of each pod set that still need their quota.

    Args:
        pod_sets: the requested ones.
        reclaimed: how many pods of a pod set have released theirs.

    Source: Kueue, reclaimable pods.
    """
    return {pod_set.name: max(0, count_of(pod_set) - reclaimed.get(pod_set.name, 0)) for pod_set in pod_sets}


def assigned_of(
    admission: schema.Admission, pod_sets: Sequence[schema.PodSetSpec], reclaimed: Mapping[str, int]
) -> Iterator[AdmittedPods]:
    """What an admission gives to each pod set, less what reclaimed pods have released.

    Args:
        admission: what the workload was admitted with.
        pod_sets: the requested ones.
        reclaimed: how many pods of a pod set have released theirs.

    Source: Kueue, requests of a workload that has an admission.
    """
    left = remaining(pod_sets, reclaimed)
    counts = {pod_set.name: count_of(pod_set) for pod_set in pod_sets}
    for pod_set_assignment in admission.pod_set_assignments or ():
        count = (
            counts[pod_set_assignment.name] if pod_set_assignment.count is None else pod_set_assignment.count
        )
        used = pod_set_assignment.resource_usage or {}
        flavors = {
            resource: flavor for resource, flavor in (pod_set_assignment.flavors or {}).items() if flavor
        }
        amounts = dict.fromkeys(flavors, 0)
        for resource, exact in used.items():
            amounts[resource] = _scaled(amount_of(resource, exact), count, left[pod_set_assignment.name])
        yield AdmittedPods(
            pod_set_assignment.name, min(count, left[pod_set_assignment.name]), flavors, amounts
        )


def usage_of(assigned: Iterable[AdmittedPods]) -> dict[FlavorResource, Amount]:
    """What a workload holds; a flavor that was assigned is a key even where nothing is used of it.

    >>> both = [AdmittedPods(name, 1, {"cpu": "spot"}, {"cpu": 500}) for name in ("main", "workers")]
    >>> usage_of(both)
    {FlavorResource(flavor='spot', resource='cpu'): 1000}
    """
    usage: dict[FlavorResource, Amount] = {}
    for pod_set in assigned:
        for resource, flavor in pod_set.flavors.items():
            key = _shared(flavor, resource)
            usage[key] = saturated(usage.get(key, 0) + pod_set.amounts[resource])
    return usage


@lru_cache(maxsize=2**12)
def _shared(flavor: str, resource: str) -> FlavorResource:
    """One object for the same flavor-resource of a hundred thousand workloads."""
    return FlavorResource(flavor, resource)


def _scaled(amount: Amount, assigned: int, left: int) -> Amount:
    """Fewer pods than were assigned hold less: whole amounts per pod, as Kueue divides them.

    More than were assigned hold the same, because such a pod set was admitted in part.
    """
    return saturated(amount // assigned * left) if left < assigned else amount
