"""Which fields differ between two configurations, and either with one field as the other has it."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from tenure.manifests import SourcedObject, place_of
from tenure.manifests.conversion import VERSIONS, name_of, to_v1beta2
from tenure.manifests.kueue_api import PREEMPTION_CONFIG, config_named
from tenure.manifests.showing import show
from tenure.manifests.source_lines import SourceLines
from tenure.manifests.structure import dig

_Path: TypeAlias = tuple[str | int, ...]

_PASSED: Final = frozenset(("apiVersion", "kind", "metadata", "status"))
"""What has no effect on preemption; a ConfigMap's Configuration is below `data`."""
_OTHERS: Final = frozenset(("Workload", "LocalQueue", "Namespace"))
"""Kinds that are no part of a configuration of queues."""
ABSENT: Final = "absent"


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A field that two configurations have otherwise."""

    object: str
    """The object, such as `ClusterQueue/a`."""
    field: str
    """Path of the field in v1beta2; empty where only one side has the object."""
    before: str
    """Its value before, in short; `absent` where there is none."""
    after: str
    """Its value after."""
    file: str
    """Where the object was read: of the side after, or of the side before where that alone has it."""
    line: int
    """The field's line there, from 1; 0 where it is not found, as in standard input."""

    @property
    def words(self) -> str:
        """What the field is called: its object and its path.

        >>> FieldChange("Cohort/c", "spec.parentName", "absent", "top", "", 0).words
        'Cohort/c spec.parentName'
        """
        return f"{self.object} {self.field}".rstrip()


class ConfigurationObjects:
    """The objects of one configuration, as v1beta2 has them, by name.

    Args:
        objects: as they were read and changed.
    """

    def __init__(self, objects: Sequence[SourcedObject]) -> None:
        self.by_name: dict[str, SourcedObject] = {}
        for sourced in objects:
            kind = str(dig(sourced.object, "kind") or "")
            if kind not in _OTHERS:
                self.by_name[name_of(sourced.object, kind)] = _converted(sourced, kind)
        self.names_a_config = any(config_named(sourced.object) for sourced in self.by_name.values())

    def with_field_of(self, other: ConfigurationObjects, change: FieldChange) -> list[SourcedObject]:
        """These objects, with one field as the other configuration has it."""
        mine, theirs = self.by_name.get(change.object), other.by_name.get(change.object)
        rest = [sourced for name, sourced in self.by_name.items() if name != change.object]
        if mine is None or theirs is None or not change.field:
            return [*rest, *([theirs] if theirs is not None else [])]
        raw = copy.deepcopy(mine.object)
        known = (*_changes_of_metadata(raw, theirs.object), *_changes(raw, theirs.object, ()))
        path = next(path for path, _, _ in known if spelt(path) == change.field)
        _put(raw, path, theirs.object)
        return [*rest, SourcedObject(mine.file, raw)]


def changed_fields(
    before: ConfigurationObjects, after: ConfigurationObjects, lines: SourceLines
) -> Iterator[FieldChange]:
    """The fields that differ, by object, each the deepest that both sides have a place for.

    Args:
        before, after: the two configurations.
        lines: of the files that they are of.

    >>> def queue(**preemption):
    ...     raw = {"kind": "Cohort", "metadata": {"name": "c"}, "spec": preemption}
    ...     return ConfigurationObjects([SourcedObject("", raw)])
    >>> [change] = changed_fields(queue(), queue(parentName="top"), SourceLines())
    >>> change.words, change.before, change.after
    ('Cohort/c spec.parentName', 'absent', "'top'")
    """
    labelled = before.names_a_config or after.names_a_config
    for name in sorted(before.by_name.keys() | after.by_name.keys()):
        one, other = before.by_name.get(name), after.by_name.get(name)
        holder = other or one
        assert holder is not None
        if one is None or other is None:
            was, now = (ABSENT if side is None else "there" for side in (one, other))
            yield FieldChange(name, "", was, now, holder.file, lines.of_field(holder.file, name, ""))
            continue
        changes = (*_changes_of_metadata(one.object, other.object), *_changes(one.object, other.object, ()))
        for path, old, new in changes if labelled else _changes(one.object, other.object, ()):
            field = spelt(path)
            line = lines.of_field(holder.file, name, field)
            yield FieldChange(name, field, _shown(old), _shown(new), holder.file, line)


_NOTHING: Final = object()


def _changes(one: Any, other: Any, path: _Path) -> Iterator[tuple[_Path, Any, Any]]:
    if one == other:
        return
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        for key in sorted({*one, *other} - (set() if path else _PASSED), key=str):
            yield from _changes(one.get(key, _NOTHING), other.get(key, _NOTHING), (*path, key))
    elif _are_lists_alike(one, other):
        for place, (was, now) in enumerate(zip(one, other, strict=True)):
            yield from _changes(was, now, (*path, place))
    else:
        yield path, one, other


def _changes_of_metadata(one: Any, other: Any) -> Iterator[tuple[_Path, Any, Any]]:
    """What differs of a ClusterQueue's labels, and which PreemptionConfig it names."""
    if not dig(one, "kind") == dig(other, "kind") == "ClusterQueue":
        return
    for path in (("metadata", "annotations", PREEMPTION_CONFIG), ("metadata", "labels")):
        was, now = (dig(raw, *path) or _NOTHING for raw in (one, other))
        if was != now:
            yield path, was, now


def _are_lists_alike(one: Any, other: Any) -> bool:
    """Whether two lists have the same items by name, whatever their contents."""
    if not (isinstance(one, list) and isinstance(other, list)):
        return False
    return [_named(item) for item in one] == [_named(item) for item in other]


def _named(item: Any) -> Any:
    return item.get("name") if isinstance(item, Mapping) else str(item)


def _put(raw: Any, path: _Path, source: Any) -> None:
    """Set what stands at a path to what another object has there, or remove it where that has nothing."""
    for step in path[:-1]:
        if isinstance(raw, dict):
            raw.setdefault(step, {})
        raw, source = raw[step], source.get(step, {}) if isinstance(source, dict) else source[step]
    last = path[-1]
    if isinstance(raw, dict) and last not in source:
        del raw[last]
    else:
        raw[last] = copy.deepcopy(source[last])


def spelt(path: Sequence[str | int]) -> str:
    """A path as Kubernetes writes it.

    >>> spelt(("spec", "resourceGroups", 0))
    'spec.resourceGroups[0]'
    """
    written = ""
    for part in path:
        written += f"[{part}]" if isinstance(part, int) else f".{part}" if written else part
    return written


def _shown(value: Any) -> str:
    return ABSENT if value is _NOTHING else show(value)


def _converted(sourced: SourcedObject, kind: str) -> SourcedObject:
    """The object as v1beta2 has it."""
    if kind not in VERSIONS:
        return sourced
    raw, _ = to_v1beta2(sourced.object, kind, place_of(sourced.object, kind, file=sourced.file), [])
    return SourcedObject(sourced.file, raw) if isinstance(raw, dict) else sourced
