"""A PodGroup of KAI-Scheduler: its fields, and how its sub-groups stand to each other, in each version."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from tenure.manifests.served import Anything, Duration, Fields, Flag, Items, Number, Shape, Text, Word
from tenure.manifests.structure import entries
from tenure.readings import KaiVersion
from tenure.validation.faults import (
    Fault,
    Subject,
    WarningType,
    duplicate,
    forbidden,
    invalid,
    not_supported,
    required,
    text,
)

_TOPOLOGY: Final = Fields(
    dict.fromkeys(("preferredTopologyLevel", "requiredTopologyLevel", "topology"), Text())
)
_NAME = Text(shortest=1, pattern="^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")


def _shape(sub_group: Mapping[str, Shape], of_version: Mapping[str, Shape]) -> Fields:
    parts = Fields({"topologyConstraint": _TOPOLOGY, **sub_group}, required=("name",))
    spec = {
        "markUnschedulable": Flag(),
        "minMember": Number(least=1),
        "preemptibility": Word(("preemptible", "non-preemptible")),
        "priorityClassName": Text(),
        "queue": Text(),
        "schedulingBackoff": Number(),
        "subGroups": Items(parts),
        "topologyConstraint": _TOPOLOGY,
        **of_version,
    }
    header = dict.fromkeys(("apiVersion", "kind", "metadata", "status"), Anything())
    return Fields({**header, "spec": Fields(spec)})


POD_GROUP: Final[Mapping[KaiVersion, Fields]] = {
    KaiVersion.MARCH_2026: _shape(
        {"minMember": Number(least=1), "name": Text(shortest=1), "parent": Text()},
        dict.fromkeys(("backoffLimit", "completions", "parallelism"), Number()),
    ),
    KaiVersion.V0_17: _shape(
        {**dict.fromkeys(("minMember", "minSubGroup"), Number(least=0)), "name": _NAME, "parent": _NAME},
        {
            "minSubGroup": Number(least=1),
            **dict.fromkeys(("preemptionDelay", "stalenessGracePeriod"), Duration()),
        },
    ),
}
"""Its shape. Source: KAI-Scheduler, the CustomResourceDefinition of `scheduling.run.ai/v2alpha2`."""


def sub_groups(subject: Subject) -> Iterator[Fault]:
    """Names, each once; parents that are there and lead to no circle.

    Source: KAI-Scheduler, PodGroup webhook, `validateSubGroups`.

    >>> groups = [{"name": "a", "parent": "b"}, {"name": "b", "parent": "a"}, {"name": "a"}]
    >>> for fault in sub_groups(Subject("PodGroup", {"spec": {"subGroups": groups}})):
    ...     print(fault.field, fault.type)
    spec.subGroups[2].name FieldValueDuplicate
    spec.subGroups[0].parent FieldValueInvalid
    """
    parents: dict[str, str | None] = {}
    path = "spec.subGroups"
    for i, group in entries(subject.get("spec", "subGroups")):
        name, parent = group.get("name"), group.get("parent")
        if not isinstance(name, str):
            continue
        if name in parents:
            yield duplicate(f"{path}[{i}].name", name)
        parents.setdefault(name, parent if isinstance(parent, str) else None)
    for i, group in entries(subject.get("spec", "subGroups")):
        parent = group.get("parent")
        if isinstance(parent, str) and parent not in parents:
            yield not_supported(f"{path}[{i}].parent", parent, [text(name) for name in parents])
    circle = next((name for name in parents if _leads_back(name, parents)), None)
    for i, group in entries(subject.get("spec", "subGroups")):
        if circle is not None and group.get("name") == circle:
            yield invalid(f"{path}[{i}].parent", group.get("parent"), "a parent that is not below it")
            return


def minimums(subject: Subject) -> Iterator[Fault]:
    """Members or sub-groups have a minimum, not both: members of a leaf, sub-groups of all else.

    Source: KAI-Scheduler v0.17.0, PodGroup webhook, `validatePodGroupSpec`; the revision of March 2026 has
    nothing of it. A minimum of members of a sub-group that has others is refused of a new PodGroup alone.

    >>> groups = [{"name": "a"}, {"name": "b", "parent": "a"}]
    >>> from tenure.readings import parse_reading
    >>> reading = parse_reading({"kai_version": "v0_17"})
    >>> fault, = minimums(Subject("PodGroup", {"spec": {"subGroups": groups}}, reading=reading))
    >>> fault.field, fault.message
    ('spec.subGroups[1].minMember', 'found nothing, expected the minimum of a sub-group without others in it')
    """
    if subject.reading.kai_version < KaiVersion.V0_17:
        return
    below = _below(subject)
    spec = subject.get("spec")
    if isinstance(spec, dict) and _both(spec):
        yield forbidden("spec.minSubGroup", spec["minSubGroup"], "nothing beside minMember")
    for i, group in entries(subject.get("spec", "subGroups")):
        path, inner = f"spec.subGroups[{i}]", below[text(group.get("name"))] > 0
        if _both(group):
            yield forbidden(f"{path}.minSubGroup", group["minSubGroup"], "nothing beside minMember")
        elif inner and group.get("minMember") is not None and subject.old is None:
            expected = "nothing: it has sub-groups, and minSubGroup is their minimum"
            yield forbidden(f"{path}.minMember", group["minMember"], expected)
        elif not inner and group.get("minSubGroup") is not None:
            yield forbidden(f"{path}.minSubGroup", group["minSubGroup"], "nothing: it has no sub-groups")
        elif not inner and group.get("minMember") is None:
            yield required(f"{path}.minMember", "the minimum of a sub-group without others in it")


def unreachable_minimums(subject: Subject) -> Iterator[Fault]:
    """A minimum of more sub-groups than there are is accepted, and never met.

    Source: KAI-Scheduler v0.17.0, PodGroup webhook, `minSubGroupExceedsChildCountError`.
    """
    if subject.reading.kai_version < KaiVersion.V0_17:
        return
    below = _below(subject)
    places = [("spec", subject.get("spec"), "")] + [
        (f"spec.subGroups[{i}]", group, text(group.get("name")))
        for i, group in entries(subject.get("spec", "subGroups"))
    ]
    for path, owner, name in places:
        wanted = owner.get("minSubGroup") if isinstance(owner, dict) else None
        if isinstance(wanted, int) and wanted > below[name]:
            message = f"it waits for {wanted} sub-groups and has {below[name]}: it is never scheduled"
            yield Fault(WarningType.NOTHING_FITS, f"{path}.minSubGroup", message)


def _both(owner: Mapping[str, Any]) -> bool:
    return owner.get("minMember") is not None and owner.get("minSubGroup") is not None


def _below(subject: Subject) -> Counter[str]:
    """How many sub-groups name each as their parent; those that name none count for the empty name."""
    return Counter(text(group.get("parent") or "") for _, group in entries(subject.get("spec", "subGroups")))


def _leads_back(name: str, parents: dict[str, str | None]) -> bool:
    """Whether the parents of a sub-group lead to it again."""
    walked: set[str] = set()
    above = parents.get(name)
    while above is not None and above not in walked:
        walked.add(above)
        above = parents.get(above)
    return name in walked
