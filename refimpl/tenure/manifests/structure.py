"""What must hold between the fields of one object, checked on the raw object.

Raw, so that a mistake in one field does not hide another: whatever has the wrong shape is passed over
here, because `checking` reports it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from tenure.errors import ErrorCode, Problem
from tenure.manifests.showing import Place, listed, printable, show

_DEFAULT_POD_SET = "main"


def dig(raw: object, *path: str) -> Any:
    """What stands under a path of keys, None where it ends early.

    >>> dig({"spec": {"active": False}}, "spec", "active"), dig({"spec": []}, "spec", "active")
    (False, None)
    """
    for key in path:
        raw = raw.get(key) if isinstance(raw, dict) else None
    return raw


def has_condition(raw: object, kind: str) -> bool:
    """Whether a condition of this type is True.

    >>> has_condition({"status": {"conditions": [{"type": "Finished", "status": "True"}]}}, "Finished")
    True
    """
    conditions = _entries(dig(raw, "status", "conditions"))
    return any(entry.get("type") == kind and entry.get("status") == "True" for _, entry in conditions)


def flavor_references(raw: object) -> list[tuple[str, str]]:
    """The flavors that a ClusterQueue names, each with the path of its name.

    >>> flavor_references({"spec": {"resourceGroups": [{"flavors": [{"name": "a100"}]}]}})
    [('spec.resourceGroups[0].flavors[0].name', 'a100')]
    """
    return [
        (f"spec.resourceGroups[{i}].flavors[{j}].name", flavor["name"])
        for i, group in _entries(dig(raw, "spec", "resourceGroups"))
        for j, flavor in _entries(group.get("flavors"))
        if isinstance(flavor.get("name"), str)
    ]


def cluster_queue_problems(raw: object, place: Place) -> Iterator[Problem]:
    """Flavors named twice, resources covered twice, flavors that do not list what the group covers.

    Source: Kueue v1beta2 API, ResourceGroup; Kueue's ClusterQueue webhook.

    >>> group = {"coveredResources": ["cpu", "cpu"]}
    >>> problem, = cluster_queue_problems({"spec": {"resourceGroups": [group]}}, Place("ClusterQueue/a"))
    >>> problem.field, problem.found
    ('spec.resourceGroups[0].coveredResources[1]', "'cpu' a second time")
    """
    resources: list[tuple[str, object]] = []
    flavors: list[tuple[str, object]] = []
    for i, group in _entries(dig(raw, "spec", "resourceGroups")):
        path = f"spec.resourceGroups[{i}]"
        covered = _list(group.get("coveredResources"))
        resources += [(f"{path}.coveredResources[{j}]", name) for j, name in enumerate(covered)]
        for j, flavor in _entries(group.get("flavors")):
            flavors.append((f"{path}.flavors[{j}].name", flavor.get("name")))
            yield from _covered(flavor, covered, f"{path}.flavors[{j}].resources", place)
    yield from _repeated(resources, "each resource in one place", place)
    yield from _repeated(flavors, "each flavor in one place", place)


def _covered(flavor: dict[str, Any], covered: list[Any], path: str, place: Place) -> Iterator[Problem]:
    named: list[tuple[int, Any]] = [(i, entry.get("name")) for i, entry in _entries(flavor.get("resources"))]
    names = [name for _, name in named]
    if names == covered or not all(isinstance(name, str) for name in names + covered):
        return
    if sorted(names) != sorted(covered):
        expected = f"the group's coveredResources: {listed(covered)}"
        yield place.problem(path, show(names), expected)
        return
    for (i, name), right in zip(named, covered, strict=True):
        if name != right:
            yield place.problem(
                f"{path}[{i}].name", show(name), f"{printable(right)}, in the order of coveredResources"
            )


def workload_problems(raw: object, place: Place, *, holds_quota: bool) -> Iterator[Problem]:
    """Names that stand twice, and what does not go together with holding quota or with waiting for it.

    Args:
        raw: a Workload.
        place: the object, for the problems.
        holds_quota: whether its `status.admission` counts, or its pod templates.

    Source: Kueue v1beta2 API, WorkloadSpec and WorkloadStatus.
    """
    pod_sets = _named(raw, "spec", "podSets")
    expected = "each name once"
    yield from _repeated(pod_sets, expected, place)
    yield from _repeated(_named(raw, "status", "reclaimablePods"), expected, place)
    conditions = _entries(dig(raw, "status", "conditions"))
    types = [(f"status.conditions[{i}].type", entry.get("type")) for i, entry in conditions]
    yield from _repeated(types, "each type once", place)
    if holds_quota:
        yield from _admission(raw, {name for _, name in pod_sets if isinstance(name, str)}, place)
    else:
        yield from _beyond_the_model(raw, place)


def _admission(raw: object, pod_sets: set[str], place: Place) -> Iterator[Problem]:
    if dig(raw, "status", "admission") is None:
        expected = "the admission of a workload that holds quota"
        yield place.problem("status.admission", "nothing", expected)
        return
    assignments = _named(raw, "status", "admission", "podSetAssignments")
    yield from _repeated(assignments, "each name once", place)
    for path, name in assignments:
        if isinstance(name, str) and name not in pod_sets:
            yield place.problem(
                path, show(name), f"the name of one of spec.podSets: {listed(sorted(pod_sets))}"
            )


def _beyond_the_model(raw: object, place: Place) -> Iterator[Problem]:
    refused = (("minCount", "partial admission"), ("topologyRequest", "topology-aware scheduling"))
    for i, pod_set in _entries(dig(raw, "spec", "podSets")):
        for field, reason in refused:
            if pod_set.get(field) is not None:
                yield place.problem(
                    f"spec.podSets[{i}].{field}",
                    show(pod_set[field]),
                    f"nothing here: {reason} is not modelled",
                    ErrorCode.NOT_MODELLED,
                )


def _named(raw: object, *path: str) -> list[tuple[str, object]]:
    entries = _entries(dig(raw, *path))
    return [(f"{'.'.join(path)}[{i}].name", entry.get("name", _DEFAULT_POD_SET)) for i, entry in entries]


def _repeated(named: Iterable[tuple[str, object]], expected: str, place: Place) -> Iterator[Problem]:
    seen: set[str] = set()
    for path, name in named:
        if not isinstance(name, str):
            continue
        if name in seen:
            yield place.problem(path, f"{show(name)} a second time", expected)
        seen.add(name)


def _entries(raw: object) -> list[tuple[int, dict[str, Any]]]:
    return [(i, entry) for i, entry in enumerate(_list(raw)) if isinstance(entry, dict)]


def _list(raw: object) -> list[Any]:
    return raw if isinstance(raw, list) else []
