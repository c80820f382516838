"""A Workload in its usual shape, without the full check: the same result in a quarter of the time.

Here stands only what differs from workload to workload: names, times, conditions, priority. What many have in
common, their pod sets and admissions, goes through the full check once and is remembered. Whatever is unusual
or wrong is left to the full check altogether, which also says what is wrong; a property test compares both.
"""

from __future__ import annotations

from collections.abc import Callable
from sys import intern
from typing import Any, Final, TypeAlias

from tenure.errors import InputError
from tenure.manifests.conversion import API_VERSION
from tenure.manifests.instants import parse_instant
from tenure.manifests.limits import MAX_NAME, MAX_TEXT
from tenure.manifests.remembering import Memory
from tenure.model import Amounts, Instant, PodSet, Workload

_OBJECT: Final = frozenset(("apiVersion", "kind", "metadata", "spec", "status"))
_SPEC: Final = frozenset(("active", "podSets", "priority", "priorityClassRef", "queueName"))
_REFERENCE: Final = frozenset(("group", "kind", "name"))
_CONDITION: Final = frozenset(
    ("type", "status", "reason", "message", "lastTransitionTime", "observedGeneration")
)
_CONTAINER: Final = ("resources", "restartPolicy")
_POD: Final = (
    "initContainers",
    "overhead",
    "resources",
    "resourceClaims",
    "nodeSelector",
    "affinity",
    "tolerations",
)
_OWN_GROUP: Final = "kueue.x-k8s.io/"
_JOB_UID: Final = "kueue.x-k8s.io/job-uid"
_STATUSES: Final = frozenset(("True", "False", "Unknown"))

Raw: TypeAlias = dict[str, Any]
FullCheck: TypeAlias = Callable[[Raw, bool, bool], Workload | None]
"""The full check of an object, `holds` and `reclaimable`; None where something is wrong."""

_Common: TypeAlias = tuple[str | None, Amounts, tuple[PodSet, ...]]
_REMEMBERED: Final = 2**14
_common: Memory[_Common | None] = Memory(_REMEMBERED)


class _UnusualError(Exception):
    """The workload is in no usual shape, which does not say that it is wrong."""


def usual_workload(raw: object, *, holds: bool, reclaimable: bool, full: FullCheck) -> Workload | None:
    """The workload that the full check makes, or None where it takes the full check to say.

    Args:
        raw: the object, untrusted.
        holds: whether it holds quota.
        reclaimable: feature gate ReclaimablePods.
        full: the full check.

    Source: as `workloads.read_workload`.

    >>> made = Workload("", "w", "", 0, 0)
    >>> raw = {"metadata": {"name": "a"}, "spec": {"queueName": "jobs"}}
    >>> usual_workload(raw, holds=False, reclaimable=True, full=lambda *_: made).queue_name
    'jobs'
    >>> usual_workload({**raw, "speck": {}}, holds=False, reclaimable=True, full=lambda *_: made)
    """
    try:
        return _made(raw, holds, reclaimable, full)
    except (_UnusualError, InputError):
        return None


def _made(raw: object, holds: bool, reclaimable: bool, full: FullCheck) -> Workload | None:
    whole = _map(raw, _OBJECT)
    if whole.get("apiVersion", API_VERSION) != API_VERSION or whole.get("kind", "Workload") != "Workload":
        return None
    metadata = _map(whole.get("metadata"))
    spec = _map(whole.get("spec", {}), _SPEC)
    status = _map(whole.get("status", {}))
    since = _conditions(status.get("conditions"))
    common = _in_common(spec.get("podSets"), status, holds, reclaimable, full)
    name = _text(metadata.get("name"))
    if common is None or not 0 < len(name) <= MAX_NAME or not _is_usual(metadata, spec):
        return None
    cluster_queue, usage, pod_sets = common
    evicted, why_evicted = since.get("Evicted", (None, None))
    preempted, why_preempted = since.get("Preempted", (None, None))
    return Workload(
        namespace=intern(_text(metadata.get("namespace", ""))),
        name=name,
        uid=_text(metadata.get("uid", "")),
        priority=_priority(spec.get("priority", 0)),
        created_at=_instant(metadata.get("creationTimestamp")) or 0,
        quota_reserved_at=since.get("QuotaReserved", (None, None))[0] if holds else None,
        evicted="Evicted" in since,
        pods_ready_evicted_at=evicted if why_evicted == "PodsReadyTimeout" else None,
        admission_check_evicted_at=evicted if why_evicted == "AdmissionCheck" else None,
        time_based_preempted_at=preempted if why_preempted == "InClusterQueueTimeBased" else None,
        preempted_while_borrowing_at=preempted if why_preempted == "InCohortReclaimWhileBorrowing" else None,
        priority_class=_priority_class(spec.get("priorityClassRef", {})),
        job_uid=_text(_map(metadata.get("labels", {})).get(_JOB_UID, "")),
        queue_name=intern(_text(spec.get("queueName", ""))),
        cluster_queue=cluster_queue,
        usage=usage,
        pod_sets=pod_sets,
    )


def _priority_class(reference: object) -> str:
    named = _map(reference, _REFERENCE)
    _, kind, name = (_text(named.get(key, "")) for key in ("group", "kind", "name"))
    return intern(name) if kind == "WorkloadPriorityClass" else ""


def _is_usual(metadata: Raw, spec: Raw) -> bool:
    annotations = metadata.get("annotations", {})
    return (
        type(annotations) is dict and all(map(_is_foreign, annotations)) and spec.get("active", True) is True
    )


def _is_foreign(annotation: object) -> bool:
    """Kueue's own annotations decide, or are refused."""
    return type(annotation) is str and annotation.isascii() and not annotation.startswith(_OWN_GROUP)


def _in_common(
    pod_sets: object, status: Raw, holds: bool, reclaimable: bool, full: FullCheck
) -> _Common | None:
    """What the pod sets and the admission come to; they stand alone in a workload of their own for that."""
    listed = [_pod_set(each, holds) for each in _list(pod_sets)]
    piece: Raw = {"metadata": {"name": "w"}, "spec": {"podSets": listed}, "status": {}}
    for key in ("admission", "reclaimablePods"):
        if status.get(key) is not None:
            piece["status"][key] = status[key]

    def make(_: object) -> _Common | None:
        found = full(piece, holds, reclaimable)
        return None if found is None else (found.cluster_queue, found.usage, found.pod_sets)

    return _common.of((listed, piece["status"], holds, reclaimable), make)


def _pod_set(raw: object, holds: bool) -> Raw:
    """The pod set, with as much of its template as decides."""
    found = _map(raw)
    if "template" not in found:
        return found
    reduced = dict(found)
    template = reduced.pop("template")
    if not holds and template is not None:
        spec = _map(template).get("spec", {})
        reduced["template"] = {"spec": _pod(_map(spec))}
    return reduced


def _pod(spec: Raw) -> Raw:
    reduced: Raw = {key: spec[key] for key in _POD if key in spec}
    containers = _list(spec.get("containers"))
    reduced["containers"] = [
        {key: each[key] for key in _CONTAINER if key in each} for each in map(_map, containers)
    ]
    if "initContainers" in reduced and reduced["initContainers"] is not None:
        raise _UnusualError
    return reduced


def _conditions(raw: object) -> dict[str, tuple[Instant | None, str | None]]:
    """Time and reason of every condition that is True."""
    true: dict[str, tuple[Instant | None, str | None]] = {}
    seen = set()
    listed = _list(raw)
    for each in listed:
        condition = _map(each, _CONDITION)
        kind, status = _text(condition.get("type")), condition.get("status")
        reason = _text(condition.get("reason", ""))
        since = _instant(condition.get("lastTransitionTime"))
        if not kind or type(status) is not str or status not in _STATUSES:
            raise _UnusualError
        seen.add(kind)
        if status == "True":
            true[kind] = since, reason
    if len(seen) < len(listed):
        raise _UnusualError
    return true


def _map(raw: object, known: frozenset[str] | None = None) -> Raw:
    if type(raw) is not dict or (known is not None and not known.issuperset(raw)):
        raise _UnusualError
    return raw


def _list(raw: object) -> list[Any]:
    if raw is None:
        return []
    if type(raw) is not list:
        raise _UnusualError
    return raw


def _text(raw: object) -> str:
    # A number that was kept as text is a kind of `str` too, and no text.
    if type(raw) is not str or len(raw) > MAX_TEXT or not raw.isprintable():
        raise _UnusualError
    return raw


def _instant(raw: object) -> Instant | None:
    return None if raw is None else parse_instant(raw)


def _priority(raw: object) -> int:
    if type(raw) is not int or not -(2**31) <= raw < 2**31:
        raise _UnusualError
    return raw
