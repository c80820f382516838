"""What kubectl printed, with a story's instants, uids and names of Workloads in place of the recorded ones.

A live cluster chooses these itself. Nothing else changes, not even how kubectl writes it.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import yaml

_OF_THE_STORY: Final = uuid.UUID("74656e75-7265-4000-8000-6578616d706c")
_UID: Final = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")


Path: TypeAlias = tuple[str | int, ...]
Key: TypeAlias = tuple[str, str, str]
"""Kind, namespace and name of an object."""


@dataclass(frozen=True, slots=True)
class Instants:
    """When things happened to one object in the story, in RFC 3339.

    Attributes:
        created: its creation.
        conditions: the last transition of its conditions, by type.
        edited: when its spec was written last.
        reported: when its status was written last.
    """

    created: str
    conditions: Mapping[str, str]
    edited: str
    reported: str


@dataclass(frozen=True, slots=True)
class Retold:
    """An object's identity and instants in the story."""

    name: str
    uid: str
    owner: str | None
    instants: Instants


def story_uid(*words: str) -> str:
    """A uid that depends on the words only.

    >>> story_uid("Job", "team-a", "train") == story_uid("Job", "team-a", "train")
    True
    """
    return str(uuid.uuid5(_OF_THE_STORY, "/".join(words)))


def retell(text: str, retold: Mapping[Key, Retold]) -> str:
    """A list or an object with the story's instants, uids and names.

    Args:
        text: what `kubectl get -o yaml` printed.
        retold: by kind, namespace and recorded name.

    Raises:
        KeyError: an object, or the transition of a condition, that the story does not have.
    """
    spans = _scalars(yaml.compose(text, yaml.SafeLoader))
    changes: list[tuple[int, int, str]] = []
    words: dict[str, str] = {}
    for place, item in _objects(text):
        metadata = item["metadata"]
        said = retold[(item["kind"], metadata.get("namespace", ""), metadata["name"])]
        words |= _words(metadata, said)
        changes += [
            (*spans[(*place, *path)], f'"{instant}"') for path, instant in _instants(item, said.instants)
        ]
    for start, end, instant in sorted(changes, reverse=True):
        text = f"{text[:start]}{instant}{text[end:]}"
    for recorded, of_the_story in words.items():
        text = text.replace(recorded, of_the_story)
    unknown = set(_UID.findall(text)) - set(words.values())
    if unknown:
        raise KeyError(f"uids that the story does not have: {', '.join(sorted(unknown))}")
    return text


def _objects(text: str) -> list[tuple[Path, Any]]:
    """The objects of a list with their places, or the only one."""
    printed = yaml.safe_load(text)
    if printed["kind"] != "List":
        return [((), printed)]
    return [(("items", index), item) for index, item in enumerate(printed["items"])]


def _words(metadata: Mapping[str, Any], said: Retold) -> dict[str, str]:
    """An object's uids and name, and what the story has in their place."""
    words = {metadata["uid"]: said.uid}
    for owner in metadata.get("ownerReferences", []):
        words[owner["uid"]] = _known(said.owner)
    return {**words, metadata["name"]: said.name} if said.name != metadata["name"] else words


def _known(owner: str | None) -> str:
    if owner is None:
        raise KeyError("an owner that the story does not have")
    return owner


def _instants(item: Mapping[str, Any], instants: Instants) -> Iterator[tuple[Path, str]]:
    yield ("metadata", "creationTimestamp"), instants.created
    for index, entry in enumerate(item["metadata"].get("managedFields", [])):
        of_spec = instants.edited if entry["operation"] == "Apply" else instants.created
        written = instants.reported if entry.get("subresource") == "status" else of_spec
        yield ("metadata", "managedFields", index, "time"), written
    for index, condition in enumerate(item.get("status", {}).get("conditions", [])):
        yield (
            ("status", "conditions", index, "lastTransitionTime"),
            instants.conditions[condition["type"]],
        )


def _scalars(node: yaml.Node | None, path: Path = ()) -> dict[Path, tuple[int, int]]:
    """Where each scalar stands in the text."""
    if isinstance(node, yaml.MappingNode):
        return {
            place: span
            for key, value in node.value
            for place, span in _scalars(value, (*path, key.value)).items()
        }
    if isinstance(node, yaml.SequenceNode):
        return {
            place: span
            for index, value in enumerate(node.value)
            for place, span in _scalars(value, (*path, index)).items()
        }
    assert node is not None
    return {path: (node.start_mark.index, node.end_mark.index)}


def add_fields(text: str, kind: str, name: str, path: Sequence[str], fields: Mapping[str, Any]) -> str:
    """The list with further fields in one object's mapping, sorted in as kubectl sorts.

    Raises:
        KeyError: there is no such object, or no such mapping in it.
    """
    (items,) = [value for key, value in _mapping(yaml.compose(text, yaml.SafeLoader)) if key.value == "items"]
    for item in items.value:
        node: yaml.Node = item
        if _at(node, ("kind",)).value != kind or _at(node, ("metadata", "name")).value != name:
            continue
        for key, value in fields.items():
            keys = _mapping(_at(node, path))
            after = [value for before, value in keys if before.value < key]
            column = keys[0][0].start_mark.column
            end = (
                text.index("\n", after[-1].end_mark.index) + 1
                if _is_scalar(after[-1])
                else after[-1].end_mark.index
            )
            written = yaml.safe_dump({key: value}, default_flow_style=False)
            lines = "".join(f"{' ' * column}{line}\n" for line in written.splitlines())
            return f"{text[:end]}{lines}{text[end:]}"
    raise KeyError(f"{kind}/{name}")


def _mapping(node: yaml.Node | None) -> list[tuple[Any, Any]]:
    if not isinstance(node, yaml.MappingNode):
        raise KeyError("expected a mapping")
    pairs: list[tuple[Any, Any]] = node.value
    return pairs


def _at(node: yaml.Node, path: Sequence[str]) -> Any:
    for step in path:
        (node,) = [value for key, value in _mapping(node) if key.value == step]
    return node


def _is_scalar(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode)
