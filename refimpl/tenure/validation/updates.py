"""What an update may not change, as Kueue's webhooks and schemas check it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tenure.manifests.served import at
from tenure.manifests.showing import printable, show
from tenure.manifests.structure import dig, entries, has_condition, items, whole
from tenure.validation.faults import Fault, Subject, invalid, required, text
from tenure.validation.shapes import shape
from tenure.validation.walk import stored

_RECLAIMABLE = "status.reclaimablePods"


def concurrent_admission_stays(subject: Subject) -> Iterator[Fault]:
    """Source: Kueue, ClusterQueue webhook; whatever the value of feature gate ConcurrentAdmission.

    >>> old = {"spec": {"concurrentAdmissionPolicy": {"migration": {"mode": "RetainFirstAdmission"}}}}
    >>> [fault.field for fault in concurrent_admission_stays(Subject("ClusterQueue", {"spec": {}}, old=old))]
    ['spec.concurrentAdmissionPolicy']
    """
    yield from _stays(subject, "spec", "concurrentAdmissionPolicy")


def cluster_queue_stays(subject: Subject) -> Iterator[Fault]:
    """The name may be set and removed, and not be changed.

    Source: Kueue v1beta2 API, validation rule of LocalQueueSpec, which is about its value.
    """
    if None not in (dig(subject.old, "spec", "clusterQueue"), subject.get("spec", "clusterQueue")):
        yield from _stays(subject, "spec", "clusterQueue")


def topology_stays(subject: Subject) -> Iterator[Fault]:
    """A flavor with a topology keeps it, its node labels and its tolerations.

    Source: Kueue v1beta2 API, validation rules of ResourceFlavorSpec.

    >>> old = {"spec": {"topologyName": "racks", "nodeLabels": {"gpu": "a"}}}
    >>> new = {"spec": {"topologyName": "racks", "nodeLabels": {"gpu": "b"}}}
    >>> [fault.message for fault in topology_stays(Subject("ResourceFlavor", new, old=old))]
    ["found {'gpu': 'b'}, expected the nodeLabels as they were, {'gpu': 'a'}: the flavor has a topology"]
    """
    if dig(subject.old, "spec", "topologyName") is None:
        return
    for field in ("topologyName", "nodeLabels", "tolerations"):
        before, now = dig(subject.old, "spec", field), subject.get("spec", field)
        if now != before:
            were = "it was" if field == "topologyName" else "they were"
            yield invalid("spec", now, f"the {field} as {were}, {show(before)}: the flavor has a topology")


def workload_stays(subject: Subject) -> Iterator[Fault]:
    """What a workload may not change while it holds quota.

    Source: Kueue, Workload webhook, and validation rules of Workload in its schema.
    """
    if subject.old is None:
        return
    is_admitted = dig(subject.old, "status", "admission") and subject.get("status", "admission")
    # The topology is assigned later; everything else stays.
    if is_admitted and _assigned(subject.raw) != _assigned(subject.old):
        found = subject.get("status", "admission", "clusterQueue")
        yield invalid("status.admission", found, "the admission as it was: it cannot change")
    if not has_condition(subject.old, "QuotaReserved"):
        return
    yield from _pod_sets_stay(subject)
    yield from _priority_class_stays(subject)
    if has_condition(subject.raw, "QuotaReserved"):
        yield from _stays(subject, "spec", "queueName")
        yield from _never_fewer(subject)
    if has_condition(subject.old, "Admitted") and has_condition(subject.raw, "Admitted"):
        yield from _stays(subject, "spec", "maximumExecutionTimeSeconds")


def _priority_class_stays(subject: Subject) -> Iterator[Fault]:
    """Which class of Kueue's own may change, whether there is one and of which kind may not."""
    before, now = dig(subject.old, "spec", "priorityClassRef"), subject.get("spec", "priorityClassRef")
    if before is None or now is None:
        yield from _stays(subject, "spec", "priorityClassRef")
        return
    for field in ("group", "kind"):
        yield from _stays(subject, "spec", "priorityClassRef", field)
    if dig(now, "group") == "scheduling.k8s.io":
        yield from _stays(subject, "spec", "priorityClassRef", "name")


def _stays(subject: Subject, *path: str) -> Iterator[Fault]:
    if subject.old is None:
        return
    before, now = dig(subject.old, *path), subject.get(*path)
    if before != now:
        yield invalid(".".join(path), now, f"it as it was, {show(before)}: the field cannot change")


def _assigned(workload: object) -> object:
    admission = dig(workload, "status", "admission")
    later = ("topologyAssignment", "delayedTopologyRequest")
    assignments = [
        {key: value for key, value in entry.items() if key not in later}
        for _, entry in entries(dig(admission, "podSetAssignments"))
    ]
    return {**admission, "podSetAssignments": assignments} if isinstance(admission, dict) else admission


def _pod_sets_stay(subject: Subject) -> Iterator[Fault]:
    """Kueue names a pod set that changed with a dot before its index."""
    now, before = items(subject.get("spec", "podSets")), items(dig(subject.old, "spec", "podSets"))
    if len(now) != len(before):
        yield invalid("spec.podSets", len(now), f"{len(before)} pod sets as before: they cannot change")
        return
    for i, (new, old) in enumerate(zip(now, before, strict=True)):
        if _unchanging(_as_stored(new), _as_stored(old), subject) != _as_stored(old):
            expected = "the pod set as it was while quota is reserved for it"
            yield invalid(f"spec.podSets.{i}", dig(new, "name"), expected)


def _as_stored(pod_set: object) -> Any:
    return stored(at(shape("Workload"), "spec", "podSets", ""), pod_set)


def _unchanging(new: Any, old: Any, subject: Subject) -> Any:
    """The pod set with its old count, where fewer pods are allowed."""
    shrinks = subject.gates.get("ElasticJobsViaWorkloadSlices", True)
    if not (shrinks and isinstance(new, dict) and isinstance(old, dict)):
        return new
    # A count of 0 is left out of what is stored.
    count, before = whole(new.get("count", 0)), whole(old.get("count", 0))
    return new if count is None or before is None or count >= before else {**new, "count": before}


def _never_fewer(subject: Subject) -> Iterator[Fault]:
    """Kueue excuses the pod sets of an elastic job that have shrunk; those are not looked at here."""
    if subject.get("metadata", "annotations", "kueue.x-k8s.io/elastic-job") == "true":
        return
    now = {text(entry.get("name")): whole(entry.get("count")) for _, entry in _entries(subject.raw)}
    for _, entry in _entries(subject.old):
        name, before = text(entry.get("name")), whole(entry.get("count")) or 0
        path = f"{_RECLAIMABLE}[{printable(name)}]"
        if name not in now:
            yield required(path, "the entry as it was: it cannot be removed")
        elif (now[name] or 0) < before:
            yield invalid(f"{path}.count", now[name], f"at least {before}, as before")


def _entries(workload: object) -> list[tuple[int, dict[str, object]]]:
    return entries(dig(workload, "status", "reclaimablePods"))
