"""What must hold between the fields of a Workload, checked on the raw object, as in `quota_structure`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tenure.errors import ErrorCode, Problem
from tenure.manifests.showing import Place, listed, show
from tenure.manifests.structure import dig, entries, items, repeated

BOOST = "kueue.x-k8s.io/priority-boost"
"""The annotation that Kueue adds to a priority, with feature gate PriorityBoost."""

_REFUSED_ANNOTATIONS = {
    "kueue.x-k8s.io/workload-slice-replacement-for": "a workload that replaces a slice of its own",
    "kueue.x-k8s.io/workload-allowed-resource-flavors": "a variant of a workload (concurrent admission)",
    "kueue.x-k8s.io/admission-gated-by": "an admission gate",
}
_DEFAULT_POD_SET = "main"


def workload_problems(raw: object, place: Place, *, holds_quota: bool) -> Iterator[Problem]:
    """Names that stand twice, and what does not go together with holding quota or with waiting for it.

    Args:
        raw: a Workload.
        place: the object, for the problems.
        holds_quota: whether it needs a `status.admission`, or its pods are looked at.

    Source: Kueue v1beta2 API, WorkloadSpec and WorkloadStatus; Kueue, the annotations its scheduler reads.
    """
    pod_sets = items(dig(raw, "spec", "podSets"))
    status = dig(raw, "status")
    for path, found, key in (
        ("spec.podSets", pod_sets, "name"),
        ("status.reclaimablePods", items(dig(status, "reclaimablePods")), "name"),
        ("status.conditions", items(dig(status, "conditions")), "type"),
    ):
        # Nothing stands twice in a list of one, and this runs for every workload of a cluster.
        if len(found) > 1:
            yield from _repeated_names(found, path, key, place)
    yield from _counts(pod_sets, place)
    yield from _annotations(dig(raw, "metadata", "annotations"), place, waits=not holds_quota)
    admission = dig(status, "admission")
    if holds_quota or admission is not None:
        yield from _admission(admission, pod_sets, place)
    if not holds_quota:
        yield from _topology(pod_sets, place)


def _repeated_names(found: list[Any], path: str, key: str, place: Place) -> Iterator[Problem]:
    names = [
        name for entry in found if isinstance(entry, dict) and isinstance(name := _name(entry, key), str)
    ]
    # Paths are made only where they will be shown.
    if len(set(names)) < len(names):
        named = [(f"{path}[{i}].{key}", _name(entry, key)) for i, entry in entries(found)]
        yield from repeated(named, f"each {key} once", place)


def _name(entry: dict[str, Any], key: str) -> object:
    return entry.get(key, _DEFAULT_POD_SET if key == "name" else None)


def _counts(pod_sets: list[Any], place: Place) -> Iterator[Problem]:
    for i, pod_set in entries(pod_sets):
        least, count = pod_set.get("minCount"), pod_set.get("count")
        if (
            isinstance(least, int)
            and isinstance(count, int | None)
            and least > (1 if count is None else count)
        ):
            expected = f"at most count, {show(1 if count is None else count)}"
            yield place.problem(f"spec.podSets[{i}].minCount", show(least), expected)


def _annotations(annotations: object, place: Place, *, waits: bool) -> Iterator[Problem]:
    if not isinstance(annotations, dict):
        return
    if not isinstance(annotations.get(BOOST, ""), str):
        yield place.problem(f"metadata.annotations[{BOOST}]", show(annotations[BOOST]), "a string")
    for key, reason in _REFUSED_ANNOTATIONS.items():
        # They say how a workload gets its quota; one that holds it has been through that.
        if waits and annotations.get(key) not in (None, ""):
            yield _not_modelled(place, f"metadata.annotations[{key}]", annotations[key], reason)


def _admission(admission: object, pod_sets: list[Any], place: Place) -> Iterator[Problem]:
    if admission is None:
        expected = "the admission of a workload that holds quota"
        yield place.problem("status.admission", "nothing", expected)
        return
    path = "status.admission.podSetAssignments"
    assignments = items(dig(admission, "podSetAssignments"))
    yield from _repeated_names(assignments, path, "name", place)
    known = {_name(pod_set, "name") for _, pod_set in entries(pod_sets) if _is_named(pod_set)}
    for i, assignment in entries(assignments):
        name = _name(assignment, "name")
        if isinstance(name, str) and name not in known:
            expected = f"the name of one of spec.podSets: {listed(sorted(map(str, known)))}"
            yield place.problem(f"{path}[{i}].name", show(name), expected)


def _is_named(pod_set: dict[str, Any]) -> bool:
    return isinstance(pod_set.get("name", _DEFAULT_POD_SET), str)


def _topology(pod_sets: list[Any], place: Place) -> Iterator[Problem]:
    for i, pod_set in entries(pod_sets):
        found = pod_set.get("topologyRequest")
        if found is not None:
            reason = "topology-aware scheduling"
            yield _not_modelled(place, f"spec.podSets[{i}].topologyRequest", found, reason)


def _not_modelled(place: Place, field: str, found: object, reason: str) -> Problem:
    expected = f"nothing here: {reason} is not modelled"
    return place.problem(field, show(found), expected, ErrorCode.NOT_MODELLED)
