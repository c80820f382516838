"""A PodGroup of KAI-Scheduler: its fields, and how its sub-groups stand to each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tenure.manifests.served import Anything, Fields, Flag, Items, Number, Text, Word
from tenure.manifests.structure import entries
from tenure.validation.faults import Fault, Subject, duplicate, invalid, not_supported, text

_TOPOLOGY: Final = Fields(
    dict.fromkeys(("preferredTopologyLevel", "requiredTopologyLevel", "topology"), Text())
)
_SUB_GROUP: Final = Fields(
    {
        "minMember": Number(least=1),
        "name": Text(shortest=1),
        "parent": Text(),
        "topologyConstraint": _TOPOLOGY,
    },
    required=("name",),
)
_SPEC: Final = Fields(
    {
        **dict.fromkeys(("backoffLimit", "completions", "parallelism", "schedulingBackoff"), Number()),
        "markUnschedulable": Flag(),
        "minMember": Number(least=1),
        "preemptibility": Word(("preemptible", "non-preemptible")),
        "priorityClassName": Text(),
        "queue": Text(),
        "subGroups": Items(_SUB_GROUP),
        "topologyConstraint": _TOPOLOGY,
    }
)
POD_GROUP: Final = Fields(
    {**dict.fromkeys(("apiVersion", "kind", "metadata", "status"), Anything()), "spec": _SPEC}
)
"""Its shape. Source: KAI-Scheduler, the CustomResourceDefinition of `scheduling.run.ai/v2alpha2`."""


def sub_groups(subject: Subject) -> Iterator[Fault]:
    """Names in small letters, each once; parents that are there and lead to no circle.

    Source: KAI-Scheduler, PodGroup webhook, `validateSubGroups`.

    >>> groups = [{"name": "a", "parent": "b"}, {"name": "b", "parent": "a"}, {"name": "A"}, {"name": "a"}]
    >>> for fault in sub_groups(Subject("PodGroup", {"spec": {"subGroups": groups}})):
    ...     print(fault.field, fault.type)
    spec.subGroups[2].name FieldValueInvalid
    spec.subGroups[3].name FieldValueDuplicate
    spec.subGroups[0].parent FieldValueInvalid
    """
    parents: dict[str, str | None] = {}
    path = "spec.subGroups"
    for i, group in entries(subject.get("spec", "subGroups")):
        name, parent = group.get("name"), group.get("parent")
        if not isinstance(name, str):
            continue
        if name != name.lower():
            yield invalid(f"{path}[{i}].name", name, "small letters")
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


def _leads_back(name: str, parents: dict[str, str | None]) -> bool:
    """Whether the parents of a sub-group lead to it again."""
    walked: set[str] = set()
    above = parents.get(name)
    while above is not None and above not in walked:
        walked.add(above)
        above = parents.get(above)
    return name in walked
