"""Finding one's way in an untrusted object: what has the wrong shape counts as absent.

`checking` reports the wrong shape; here a mistake in one field must not hide another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from tenure.errors import Problem
from tenure.manifests.showing import Place, show


@dataclass(frozen=True, slots=True)
class Document:
    """One document of a file.

    Args:
        content: dicts, lists, strings, integers, booleans and None; a fraction is a `NumberText`.
        line: where it begins, counted from 1.
        path: where it is in a larger document; empty for a whole one.
    """

    content: object
    line: int
    path: str = ""


def whole(value: Any) -> int | None:
    """A whole number of 64 bits, or None.

    >>> whole(3), whole(True), whole("3")
    (3, None, None)
    """
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    # Beyond 64 bits the schema has refused it, and Python may refuse to print it.
    return value if is_whole and -(2**63) <= value < 2**63 else None


def dig(raw: object, *path: str) -> Any:
    """What is under a path of keys, None where it ends early.

    >>> dig({"spec": {"active": False}}, "spec", "active"), dig({"spec": []}, "spec", "active")
    (False, None)
    """
    for key in path:
        if not isinstance(raw, dict):
            return None
        raw = raw.get(key)
    return raw


def items(raw: object) -> list[Any]:
    """The list itself, empty where it is not a list."""
    return raw if isinstance(raw, list) else []


def entries(raw: object) -> list[tuple[int, dict[str, Any]]]:
    """The maps in a list, each with its index.

    >>> entries([{"a": 1}, None])
    [(0, {'a': 1})]
    """
    return [(i, entry) for i, entry in enumerate(items(raw)) if isinstance(entry, dict)]


def is_list_kind(kind: object) -> bool:
    """Whether objects of a kind hold others as their `items`.

    >>> is_list_kind("List"), is_list_kind("WorkloadList"), is_list_kind("Workload"), is_list_kind(None)
    (True, True, False, False)
    """
    return isinstance(kind, str) and kind.endswith("List")


class Parts(NamedTuple):
    """The parts of an object that are looked into more than once; empty where they have another shape."""

    metadata: dict[str, Any]
    spec: dict[str, Any]
    status: dict[str, Any]
    conditions: list[Any]


def parts_of(raw: object) -> Parts:
    """The parts of an untrusted object.

    >>> parts_of({"metadata": {"name": "a"}, "spec": []})
    Parts(metadata={'name': 'a'}, spec={}, status={}, conditions=[])
    """
    content = raw if isinstance(raw, dict) else {}
    metadata, spec, status = content.get("metadata"), content.get("spec"), content.get("status")
    known = status if isinstance(status, dict) else {}
    conditions = known.get("conditions")
    return Parts(
        metadata if isinstance(metadata, dict) else {},
        spec if isinstance(spec, dict) else {},
        known,
        conditions if isinstance(conditions, list) else [],
    )


def condition_types(conditions: Iterable[object]) -> tuple[set[str], set[str]]:
    """The types of some conditions, and of those that are True.

    >>> known, true = condition_types([{"type": "Evicted", "status": "False"}, None])
    >>> known, true
    ({'Evicted'}, set())
    """
    known: set[str] = set()
    true: set[str] = set()
    for condition in conditions:
        if isinstance(condition, dict) and isinstance(kind := condition.get("type"), str):
            known.add(kind)
            if condition.get("status") == "True":
                true.add(kind)
    return known, true


def true_conditions(raw: object) -> set[str]:
    """The types of the conditions that are True.

    >>> true_conditions({"status": {"conditions": [{"type": "Finished", "status": "True"}]}})
    {'Finished'}
    """
    return condition_types(items(dig(raw, "status", "conditions")))[1]


def has_condition(raw: object, kind: str) -> bool:
    """Whether a condition of this type is True.

    >>> has_condition({"status": {"conditions": [{"type": "Finished", "status": "True"}]}}, "Finished")
    True
    """
    return kind in true_conditions(raw)


def repeated(named: Iterable[tuple[str, object]], expected: str, place: Place) -> Iterator[Problem]:
    """A problem for every name that appears a second time.

    Args:
        named: the path of each name, and the name.
        expected: what would be right.
        place: the object, for the problems.
    """
    seen: set[str] = set()
    for path, name in named:
        if not isinstance(name, str):
            continue
        if name in seen:
            yield place.problem(path, f"{show(name)} a second time", expected)
        seen.add(name)
