"""What must hold between the fields of a ClusterQueue or a Cohort, checked on the raw object.

Raw, so that a mistake in one field does not hide another: whatever has the wrong shape is passed over
here, because `checking` reports it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tenure.errors import Problem
from tenure.manifests.showing import Place, listed, printable, show
from tenure.manifests.structure import dig, entries, items, repeated

_LIMITS = ("borrowingLimit", "lendingLimit")


def cluster_queue_problems(raw: object, place: Place, *, defaulted: bool = True) -> Iterator[Problem]:
    """Quotas that do not go together, limits without cohort, policies that exclude each other.

    Args:
        raw: a ClusterQueue.
        place: the object, for the problems.
        defaulted: whether what only the API server refuses is refused.

    Source: Kueue v1beta2 API, ClusterQueueSpec and its validation rules; Kueue's ClusterQueue webhook.

    >>> group = {"coveredResources": ["cpu", "cpu"]}
    >>> problem, = cluster_queue_problems({"spec": {"resourceGroups": [group]}}, Place("ClusterQueue/a"))
    >>> problem.field, problem.found
    ('spec.resourceGroups[0].coveredResources[1]', "'cpu' a second time")
    """
    yield from _group_problems(raw, place, "cohortName", defaulted=defaulted)
    if defaulted:
        yield from _policy_problems(raw, place)


def cohort_problems(raw: object, place: Place, *, defaulted: bool = True) -> Iterator[Problem]:
    """As `cluster_queue_problems`, for a Cohort, whose limits need a parent.

    Source: Kueue v1beta2 API, CohortSpec; Kueue's Cohort webhook.
    """
    yield from _group_problems(raw, place, "parentName", defaulted=defaulted)


def _group_problems(raw: object, place: Place, parent: str, *, defaulted: bool) -> Iterator[Problem]:
    resources: list[tuple[str, object]] = []
    flavors: list[tuple[str, object]] = []
    alone = defaulted and dig(raw, "spec", parent) in (None, "")
    for i, group in entries(dig(raw, "spec", "resourceGroups")):
        path = f"spec.resourceGroups[{i}]"
        covered = items(group.get("coveredResources"))
        resources += [(f"{path}.coveredResources[{j}]", name) for j, name in enumerate(covered)]
        for j, flavor in entries(group.get("flavors")):
            flavors.append((f"{path}.flavors[{j}].name", flavor.get("name")))
            quotas = f"{path}.flavors[{j}].resources"
            if defaulted:
                yield from _covered(flavor, covered, quotas, place)
            if alone:
                yield from _limits(flavor, quotas, place, parent)
    yield from repeated(resources, "each resource in one place", place)
    yield from repeated(flavors, "each flavor in one place", place)


def _covered(flavor: dict[str, Any], covered: list[Any], path: str, place: Place) -> Iterator[Problem]:
    named: list[tuple[int, Any]] = [(i, entry.get("name")) for i, entry in entries(flavor.get("resources"))]
    names = [name for _, name in named]
    if names == covered or not all(isinstance(name, str) for name in names + covered):
        return
    if sorted(names) != sorted(covered):
        missing = sorted(set(covered) - set(names))
        told = f"; missing: {listed(missing)}" if missing else ""
        yield place.problem(path, show(names), f"the group's coveredResources: {listed(covered)}{told}")
        return
    for (i, name), right in zip(named, covered, strict=True):
        if name != right:
            expected = f"{printable(right)}, in the order of coveredResources"
            yield place.problem(f"{path}[{i}].name", show(name), expected)


def _limits(flavor: dict[str, Any], path: str, place: Place, parent: str) -> Iterator[Problem]:
    for i, quota in entries(flavor.get("resources")):
        for limit in _LIMITS:
            if quota.get(limit) is not None:
                own = place.own(f"spec.{parent}")
                yield place.problem(f"{path}[{i}].{limit}", show(quota[limit]), f"no limit without {own}")


def _policy_problems(raw: object, place: Place) -> Iterator[Problem]:
    preemption = dig(raw, "spec", "preemption")
    borrow = dig(preemption, "borrowWithinCohort", "policy")
    if dig(preemption, "reclaimWithinCohort") in (None, "", "Never") and borrow == "LowerPriority":
        expected = "Never, because reclaimWithinCohort is Never"
        yield place.problem("spec.preemption.borrowWithinCohort.policy", show(borrow), expected)
    fungibility = dig(raw, "spec", "flavorFungibility")
    preference = dig(fungibility, "preference")
    words = [dig(fungibility, key) for key in ("whenCanBorrow", "whenCanPreempt")]
    # An unset whenCanPreempt is TryNextFlavor by default.
    both = words[0] == "TryNextFlavor" and words[1] in (None, "", "TryNextFlavor")
    if preference not in (None, "") and not both:
        expected = "no preference unless whenCanBorrow and whenCanPreempt are TryNextFlavor"
        yield place.problem("spec.flavorFungibility.preference", show(preference), expected)
