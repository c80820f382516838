"""The Kubernetes objects of a scenario of any scheduler, as they were written and edited."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tenure.errors import InputError, Problem
from tenure.manifests import SourcedObject, read_objects, show
from tenure.manifests.structure import dig


@dataclass(slots=True)
class Written:
    """The objects.

    Args:
        file: the scenario's file.
        raw: every object, with the file it came from.
    """

    file: str
    raw: list[SourcedObject] = field(default_factory=list)

    def api_version(self, kind: object) -> str:
        """What an object is taken for that does not say it."""
        raise NotImplementedError

    def take(self, objects: list[Any], files: list[str]) -> None:
        """Take the objects that the scenario holds, and those in the files that it names.

        Raises:
            InputError: files that cannot be read; an object that is no map.
        """
        for number, each in enumerate(objects):
            if not isinstance(each, dict):
                place = f"objects[{number}]"
                raise InputError([Problem(place, show(each), "a Kubernetes object", file=self.file)])
            self.raw.append(SourcedObject(self.file, self._versioned(each)))
        folder = Path() if self.file in ("", "stdin") else Path(self.file).parent
        if files:
            self.raw.extend(read_objects([folder / name for name in files]))

    def patch(self, patch: dict[str, Any], place: str, kinds: tuple[str, ...]) -> str:
        """Merge a patch into an object, or add a new one.

        Args:
            patch: with kind and metadata.name; maps are merged, everything else is replaced.
            place: path of the patch in the scenario.
            kinds: which may be changed.

        Returns:
            what changed in words.

        Raises:
            InputError: another kind.
        """
        kind, name = patch.get("kind"), dig(patch, "metadata", "name")
        if kind not in kinds:
            raise InputError(
                [Problem(f"{place}.kind", show(kind), f"one of {', '.join(kinds)}", file=self.file)]
            )
        for number, each in enumerate(self.raw):
            if each.object.get("kind") == kind and dig(each.object, "metadata", "name") == name:
                self.raw[number] = SourcedObject(each.file, _merged(each.object, patch))
                break
        else:
            self.raw.append(SourcedObject(self.file, self._versioned(patch)))
        changes = [
            f"{path} is {value}" for path, value in _leaves(patch) if path.startswith(("spec", "value"))
        ]
        return f"{kind} {name}: {', '.join(changes)}"

    def _versioned(self, raw: dict[str, Any]) -> dict[str, Any]:
        return {"apiVersion": self.api_version(raw.get("kind")), **raw}


def _merged(old: Any, patch: Any) -> Any:
    """A merge patch.

    >>> _merged({"a": {"b": 1, "c": 2}}, {"a": {"b": None, "d": [3]}})
    {'a': {'c': 2, 'd': [3]}}
    """
    if not isinstance(old, dict) or not isinstance(patch, dict):
        return copy.deepcopy(patch)
    result = dict(old)
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = _merged(old.get(key), value)
    return result


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _leaves(each, f"{path}.{key}" if path else str(key))
    else:
        yield path, show(value)
