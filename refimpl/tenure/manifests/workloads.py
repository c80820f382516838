"""One untrusted Workload to the model, or everything that is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from sys import intern

from tenure.errors import Problem
from tenure.manifests import workload_schema as schema
from tenure.manifests.checking import check
from tenure.manifests.headers import as_v1beta2, or_raise, place_of
from tenure.manifests.limits import MAX_DEVIATIONS
from tenure.manifests.placement import node_affinity
from tenure.manifests.pods import set_requests
from tenure.manifests.showing import Place
from tenure.manifests.structure import dig, has_condition
from tenure.manifests.tolerations import tolerations_of
from tenure.manifests.usage import Assigned, assigned_of, remaining, usage_of
from tenure.manifests.usual_workloads import usual_workload
from tenure.manifests.workload_structure import BOOST, workload_problems
from tenure.model import Instant, PodSet, Workload

_INTEGER = re.compile(r"[+-]?[0-9]+")


def read_workload(
    raw: object, *, where: str = "", holds_quota: bool | None = None, reclaimable: bool = True
) -> Workload:
    """A Workload of `kueue.x-k8s.io/v1beta2` or `v1beta1`.

    Args:
        raw: the object, untrusted; `apiVersion` and `kind` may be left out.
        where: path to put before the path of every field in an error, such as `admitted[3]`.
        holds_quota: True: it does, whatever its conditions say; False: it is pending, and what
            `status.admission` may say is what it asks for; None: its conditions decide.
        reclaimable: feature gate ReclaimablePods: whether `status.reclaimablePods` release quota.

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
    if holds_quota is not None:
        usual = usual_workload(raw, holds=holds_quota, reclaimable=reclaimable, full=_alone)
        if usual is not None:
            return usual
    problems: list[Problem] = []
    place = place_of(raw, "Workload", where=where)
    if holds_quota is None:
        problems += [
            place.problem(field, found, "a workload that holds quota or waits for it")
            for field, found in out_of_play(raw)
        ]
        holds_quota = has_condition(raw, "QuotaReserved")
    made = fully_checked(raw, place, problems, holds_quota=holds_quota, reclaimable=reclaimable)
    return or_raise(made, problems)


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


def priority_boost(annotations: Mapping[str, object] | None) -> int | None:
    """The priority boost that an object's annotations ask for, 0 without; None when it is no 32-bit integer.

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


def workload(
    raw: object,
    place: Place,
    problems: list[Problem],
    *,
    holds_quota: bool | None = None,
    reclaimable: bool = True,
) -> Workload | None:
    """As `read_workload`; what is wrong is added to `problems`, and the result is None."""
    holds = has_condition(raw, "QuotaReserved") if holds_quota is None else holds_quota
    usual = usual_workload(raw, holds=holds, reclaimable=reclaimable, full=_alone)
    return usual or fully_checked(raw, place, problems, holds_quota=holds, reclaimable=reclaimable)


def usually(raw: object, *, holds_quota: bool) -> Workload | None:
    """As `workload` where the object is right and in its usual shape; otherwise None, and nothing is told."""
    return usual_workload(raw, holds=holds_quota, reclaimable=True, full=_alone)


def fully_checked(
    raw: object, place: Place, problems: list[Problem], *, holds_quota: bool, reclaimable: bool = True
) -> Workload | None:
    """As `workload`, whatever shape the object has."""
    known = len(problems)
    raw, place = as_v1beta2(raw, "Workload", place, problems)
    checked = check(schema.WorkloadObject, raw, place, problems)
    problems.extend(islice(workload_problems(raw, place, holds_quota=holds_quota), MAX_DEVIATIONS))
    admission = _admission(raw, place, problems)
    specs = None if holds_quota else _templates(raw, place, problems)
    if checked is None or len(problems) > known:
        return None
    return _workload(checked, admission, specs, reclaimable=reclaimable)


def _alone(raw: object, holds: bool, reclaimable: bool) -> Workload | None:
    """Checked without telling anybody what is wrong."""
    return fully_checked(raw, Place(), [], holds_quota=holds, reclaimable=reclaimable)


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
    specs: list[schema.PodSpec] | None,
    *,
    reclaimable: bool,
) -> Workload:
    """The workload; `specs` is None for one that holds quota, whose templates do not matter."""
    metadata = checked.metadata
    spec = checked.spec or schema.WorkloadSpec()
    status = checked.status or schema.WorkloadStatus()
    conditions = _Conditions(status.conditions or ())
    pod_sets = spec.pod_sets or ()
    reclaimed = {pods.name: pods.count for pods in status.reclaimable_pods or ()} if reclaimable else {}
    assigned = list(assigned_of(admission, pod_sets, reclaimed)) if admission else []
    held = admission if specs is None else None
    return Workload(
        namespace=intern(metadata.namespace or ""),
        name=metadata.name,
        uid=metadata.uid or "",
        priority=spec.priority or 0,
        created_at=metadata.creation_timestamp or 0,
        quota_reserved_at=conditions.since("QuotaReserved") if held else None,
        evicted=conditions.is_true("Evicted"),
        pods_ready_evicted_at=conditions.since("Evicted", "PodsReadyTimeout"),
        admission_check_evicted_at=conditions.since("Evicted", "AdmissionCheck"),
        time_based_preempted_at=conditions.since("Preempted", "InClusterQueueTimeBased"),
        preempted_while_borrowing_at=conditions.since("Preempted", "InCohortReclaimWhileBorrowing"),
        priority_boost=priority_boost(metadata.annotations) or 0,
        priority_class=_priority_class(spec.priority_class_ref),
        job_uid=(metadata.labels.job_uid if metadata.labels else None) or "",
        queue_name=intern(spec.queue_name or ""),
        cluster_queue=intern(held.cluster_queue) if held else None,
        usage=usage_of(assigned) if held else {},
        pod_sets=() if specs is None else _pod_sets(pod_sets, specs, reclaimed, assigned),
    )


def _priority_class(reference: schema.PriorityClassRef | None) -> str:
    """Kueue's own class; a PriorityClass of Kubernetes has no policy."""
    if reference is None or reference.kind != "WorkloadPriorityClass":
        return ""
    return intern(reference.name or "")


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


def _full_count(pod_set: schema.PodSet, reclaimed: Mapping[str, int]) -> int | None:
    if not reclaimed.get(pod_set.name):
        return None
    return 1 if pod_set.count is None else pod_set.count


def _pod_sets(
    pod_sets: Sequence[schema.PodSet],
    specs: Iterable[schema.PodSpec],
    reclaimed: Mapping[str, int],
    assigned: Iterable[Assigned],
) -> tuple[PodSet, ...]:
    """What is asked for; where there is an admission already, by that, as Kueue does."""
    left = remaining(pod_sets, reclaimed)
    settled = {each.name: each for each in assigned}
    made = []
    for pod_set, spec in zip(pod_sets, specs, strict=True):
        name = pod_set.name
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
            )
        )
    return tuple(made)
