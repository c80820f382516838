"""The given assignment of a request: flavors chosen elsewhere, such as by the scheduler itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tenure.manifests.showing import refused
from tenure.model import Assignment, FlavorResource, PodSetFlavors
from tenure.rules.amounts import plus


def read_assignment(raw: object) -> Assignment | None:
    """A given assignment, None to derive one.

    Raises:
        InputError: a malformed entry, with its path below `assignment`.
    """
    if raw is None:
        return None
    if not isinstance(raw, Mapping):
        raise refused("assignment", raw, "an object, or null to derive the assignment")
    usage: dict[FlavorResource, int] = {}
    for index, entry in enumerate(read_list(raw, "usage", "assignment.usage")):
        path = f"assignment.usage[{index}]"
        place = _flavor_resource(entry, path)
        amount = entry["amount"] if isinstance(entry, Mapping) and "amount" in entry else None
        if not isinstance(amount, int) or isinstance(amount, bool) or amount < 0:
            expected = "an integer of at least 0 in base units, or milli-CPU for cpu"
            raise refused(f"{path}.amount", amount, expected)
        usage[place] = plus(usage.get(place, 0), amount)
    needed = frozenset(
        _flavor_resource(entry, f"assignment.frsNeedPreemption[{index}]")
        for index, entry in enumerate(read_list(raw, "frsNeedPreemption", "assignment.frsNeedPreemption"))
    )
    pod_sets = read_list(raw, "podSets", "assignment.podSets")
    read = [_pod_set(entry, f"assignment.podSets[{index}]") for index, entry in enumerate(pod_sets)]
    modes = [raw.get("representativeMode"), *(mode for _, found in read for mode in found)]
    return Assignment(
        usage=usage,
        needs_preemption=needed,
        fits="NoFit" not in modes,
        pod_sets=tuple(pod_set for pod_set, _ in read),
    )


def _pod_set(entry: object, path: str) -> tuple[PodSetFlavors, list[str]]:
    """The flavors of one pod set, and their modes."""
    if not isinstance(entry, Mapping):
        raise refused(path, entry, "an object with name, count and flavors")
    name, count = entry.get("name"), entry.get("count", 0)
    flavors = {} if entry.get("flavors") is None else entry["flavors"]
    if not isinstance(name, str):
        raise refused(f"{path}.name", name, "a name")
    if not isinstance(count, int) or isinstance(count, bool) or count < 0:
        raise refused(f"{path}.count", count, "an integer of at least 0")
    if not isinstance(flavors, Mapping):
        raise refused(f"{path}.flavors", flavors, "an object of flavors by resource")
    for resource, given in flavors.items():
        for key in ("flavor", "mode"):
            if not isinstance(given, Mapping) or not isinstance(given.get(key), str):
                expected = "an object with flavor and mode"
                raise refused(f"{path}.flavors[{resource}]", given, expected)
    chosen = {resource: given["flavor"] for resource, given in flavors.items()}
    return PodSetFlavors(name, count, chosen), [given["mode"] for given in flavors.values()]


def read_list(raw: Mapping[str, Any], key: str, path: str) -> list[Any]:
    """A list of a request; empty where it is absent.

    Raises:
        InputError: it is no list.
    """
    value = raw.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise refused(path, value, "a list")
    return value


def _flavor_resource(entry: object, path: str) -> FlavorResource:
    if not isinstance(entry, Mapping):
        raise refused(path, entry, "an object with flavor and resource")
    for key in ("flavor", "resource"):
        if not isinstance(entry.get(key), str):
            raise refused(f"{path}.{key}", entry.get(key), "a name")
    return FlavorResource(entry["flavor"], entry["resource"])
