"""A Workload's pod sets, and the quota that it holds, as Kueue's webhook and schema check them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tenure.errors import InputError
from tenure.manifests.quantities import amount_of
from tenure.manifests.showing import comma_separated, printable
from tenure.manifests.structure import dig, entries, has_condition, items, whole
from tenure.manifests.workload_schema import BOOST
from tenure.validation.faults import (
    ErrorType,
    Fault,
    Subject,
    forbidden,
    invalid,
    not_supported,
    quantity,
    required,
    text,
)
from tenure.validation.labels import annotation_faults, key_faults, label_faults

_POD_SETS = "spec.podSets"
_ADMISSION = "status.admission"
_ELASTIC = "kueue.x-k8s.io/elastic-job"
_CLASSES = {"kueue.x-k8s.io": "WorkloadPriorityClass", "scheduling.k8s.io": "PriorityClass"}


def pod_counts(subject: Subject) -> Iterator[Fault]:
    """At most one pod set may shrink, and none of an elastic job; the least is at most the count.

    Source: Kueue, Workload webhook; validation rule of PodSet in its schema.

    >>> sets = [{"count": 2, "minCount": 3}, {"name": "b", "count": 2, "minCount": 1}]
    >>> [fault.field for fault in pod_counts(Subject("Workload", {"spec": {"podSets": sets}}))]
    ['spec.podSets[0]', 'spec.podSets']
    """
    shrinking = 0
    for i, pod_set in entries(subject.get("spec", "podSets")):
        least, count = whole(pod_set.get("minCount")), whole(pod_set.get("count", 1))
        shrinking += pod_set.get("minCount") is not None
        if least is not None and count is not None and least > count:
            yield invalid(f"{_POD_SETS}[{i}]", least, f"minCount of at most count, {count}")
    if shrinking > 1:
        yield invalid(_POD_SETS, shrinking, "minCount in at most one pod set")
    if shrinking and _is_elastic(subject):
        yield invalid(_POD_SETS, shrinking, "no minCount in an elastic job")


def requested_resources(subject: Subject) -> Iterator[Fault]:
    """No request or limit is negative, and none is of `pods`, which Kueue counts itself.

    Source: Kueue, Workload webhook.
    """
    for i, pod_set in entries(subject.get("spec", "podSets")):
        path = f"{_POD_SETS}[{i}].template.spec"
        for field in ("initContainers", "containers"):
            for j, container in entries(dig(pod_set, "template", "spec", field)):
                yield from _resources(container.get("resources"), f"{path}.{field}[{j}].resources")
        yield from _resources(dig(pod_set, "template", "spec", "resources"), f"{path}.resources")


def pod_metadata(subject: Subject) -> Iterator[Fault]:
    """Labels and annotations of pods are those of any object.

    Source: Kueue, Workload webhook, with feature gate WorkloadValidationForPodSetMetadata, on by default.
    """
    if not subject.gates.get("WorkloadValidationForPodSetMetadata", True):
        return
    for i, pod_set in entries(subject.get("spec", "podSets")):
        path = f"{_POD_SETS}[{i}].template.metadata"
        yield from label_faults(dig(pod_set, "template", "metadata", "labels"), f"{path}.labels")
        annotations = dig(pod_set, "template", "metadata", "annotations")
        yield from annotation_faults(annotations, f"{path}.annotations")


def topology_slices(subject: Subject) -> Iterator[Fault]:
    """A slice has a topology and a size, or neither.

    Source: Kueue, Workload webhook, with feature gate TASValidateWorkloadSliceSize, on by default.

    >>> sets = [{"topologyRequest": {"podSetSliceSize": 2}}]
    >>> [fault.field for fault in topology_slices(Subject("Workload", {"spec": {"podSets": sets}}))]
    ['spec.podSets[0].topologyRequest.podSetSliceSize']
    """
    if not subject.gates.get("TASValidateWorkloadSliceSize", True):
        return
    for i, pod_set in entries(subject.get("spec", "podSets")):
        path = f"{_POD_SETS}[{i}].topologyRequest.podSetSliceSize"
        required_topology = dig(pod_set, "topologyRequest", "podSetSliceRequiredTopology")
        size = dig(pod_set, "topologyRequest", "podSetSliceSize")
        if required_topology is None and size is not None:
            yield forbidden(path, size, "nothing without podSetSliceRequiredTopology")
        elif required_topology is not None and size is None:
            yield required(path, "the size of a slice beside podSetSliceRequiredTopology")
        elif (positive := whole(size)) is not None and positive <= 0:
            yield invalid(path, size, "at least 1")


def priority_reference(subject: Subject) -> Iterator[Fault]:
    """A workload that names a class has its priority, and names a class of the right kind.

    Source: Kueue v1beta2 API, validation rules of WorkloadSpec and PriorityClassRef.
    """
    reference = subject.get("spec", "priorityClassRef")
    if reference is None:
        return
    if subject.get("spec", "priority") is None:
        yield invalid("spec", "no priority", "a priority beside priorityClassRef")
    group, kind = dig(reference, "group"), dig(reference, "kind")
    if isinstance(group, str) and group in _CLASSES and kind != _CLASSES[group]:
        yield invalid("spec.priorityClassRef", kind, f"kind {_CLASSES[group]} of the group {group}")


def priority_boost(subject: Subject) -> Iterator[Fault]:
    """Source: Kueue, Workload webhook, with feature gate PriorityBoost."""
    boost = subject.get("metadata", "annotations", BOOST)
    if boost is not None and subject.gates.get("PriorityBoost", False) and not _is_signed(boost):
        yield invalid(f"metadata.annotations[{BOOST}]", boost, 'a whole number as text, such as "0"')


def admission(subject: Subject) -> Iterator[Fault]:
    """A workload that holds quota has an assignment for each of its pod sets, in multiples of the count.

    Source: Kueue, Workload webhook; validation rule of Workload in its schema.

    >>> conditions = [{"type": "QuotaReserved", "status": "True"}]
    >>> [fault.field for fault in admission(Subject("Workload", {"status": {"conditions": conditions}}))]
    ['status.admission']
    """
    if not has_condition(subject.raw, "QuotaReserved"):
        return
    found = subject.get("status", "admission")
    if found is None:
        before = subject.old is not None and has_condition(subject.old, "QuotaReserved")
        if not (before and dig(subject.old, "status", "admission") is None):
            yield required(_ADMISSION, "the admission of a workload that holds quota")
        return
    pod_sets = items(subject.get("spec", "podSets"))
    assignments = items(dig(found, "podSetAssignments"))
    path = f"{_ADMISSION}.podSetAssignments"
    if len(assignments) != len(pod_sets):
        yield invalid(path, len(assignments), f"as many as there are pod sets, {len(pod_sets)}")
    names = [text(pod_set.get("name", "main")) for _, pod_set in entries(subject.get("spec", "podSets"))]
    for i, assignment in entries(assignments):
        name = text(assignment.get("name", "main"))
        if name not in names:
            expected = f"found {printable(name)}, expected one of {comma_separated(names)}"
            yield Fault(ErrorType.NOT_FOUND, f"{path}[{i}].name", expected)
        yield from _multiples(assignment, f"{path}[{i}].resourceUsage")


def condition_types(subject: Subject) -> Iterator[Fault]:
    """Source: Kueue, Workload webhook; Kubernetes API machinery, validation.ValidateConditions."""
    for i, condition in entries(subject.get("status", "conditions")):
        yield from key_faults(condition.get("type"), f"status.conditions[{i}].type")


def reclaimable_pods(subject: Subject) -> Iterator[Fault]:
    """Reclaimable pods are of a pod set that there is, and no more than it has.

    Source: Kueue, Workload webhook; it names the entry, not its index.
    """
    counts = {
        text(pod_set.get("name", "main")): whole(pod_set.get("count", 1))
        for _, pod_set in entries(subject.get("spec", "podSets"))
    }
    for _, entry in entries(subject.get("status", "reclaimablePods")):
        name, count = text(entry.get("name")), whole(entry.get("count"))
        path = f"status.reclaimablePods[{printable(name)}]"
        most = counts.get(name)
        if name not in counts:
            yield not_supported(f"{path}.name", name, counts)
        elif count is not None and most is not None and count > most and not _stale(subject, entry):
            yield invalid(f"{path}.count", count, f"at most {most}")


def _is_elastic(subject: Subject) -> bool:
    on = subject.gates.get("ElasticJobsViaWorkloadSlices", True)
    return on and subject.get("metadata", "annotations", _ELASTIC) == "true"


def _stale(subject: Subject, entry: dict[str, Any]) -> bool:
    """An elastic job that has shrunk may keep an older count until it is computed again."""
    before = [old for _, old in entries(dig(subject.old, "status", "reclaimablePods"))]
    return _is_elastic(subject) and any(
        old.get("name") == entry.get("name") and old.get("count") == entry.get("count") for old in before
    )


def _resources(resources: object, path: str) -> Iterator[Fault]:
    for field in ("requests", "limits"):
        named = dig(resources, field)
        for name, written in named.items() if isinstance(named, dict) else ():
            at = f"{path}.{field}[{printable(text(name))}]"
            amount = quantity(written)
            if name == "pods":
                yield invalid(at, name, "no request of pods: Kueue counts them itself")
            if amount is not None and amount < 0:
                yield invalid(at, written, "a quantity that is not negative")


def _multiples(assignment: dict[str, Any], path: str) -> Iterator[Fault]:
    count, usage = whole(assignment.get("count")), assignment.get("resourceUsage")
    if not count or count < 0 or not isinstance(usage, dict):
        return
    for name, written in usage.items():
        try:
            amount = amount_of(text(name), written)
        except InputError:
            continue
        if amount % count:
            yield invalid(f"{path}[{printable(text(name))}]", written, f"a multiple of count, {count}")


def _is_signed(boost: object) -> bool:
    # No 32-bit number has more digits than these.
    signed = boost if isinstance(boost, str) and re.fullmatch("[+-]?[0-9]{1,19}", boost) else ""
    return bool(signed) and -(2**31) <= int(signed) < 2**31
