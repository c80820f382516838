"""Where in a file an object or a field stands: looked up for what is told alone, reading goes without."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import yaml

from tenure.manifests.file_bytes import read_file
from tenure.manifests.headers import object_name
from tenure.manifests.limits import MAX_DEPTH, MAX_VALUES
from tenure.manifests.structure import is_list_kind
from tenure.manifests.yaml_files import files_of

LONGEST: Final = 8 * 2**20
"""Bytes of a file whose lines are looked up."""

_PART = re.compile(r"\[([^\]]*)\]|([^.\[\]]+)")
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(slots=True)
class Node:
    """A value of a document.

    Args:
        line: of its key, or of itself in a list; from 1.
        value: of a scalar.
        children: by key, or by index as text.
    """

    line: int
    value: str = ""
    children: dict[str, Node] = field(default_factory=dict)

    def text(self, *path: str) -> str:
        """The scalar under a path; empty where there is none."""
        found: Node | None = self
        for key in path:
            found = found.children.get(key) if found is not None else None
        return found.value if found is not None else ""


@dataclass(slots=True)
class SourceLines:
    """The lines of some files, each read when it is first asked about.

    >>> SourceLines().of_field("absent.yaml", "Cohort/a", "spec")
    0
    """

    _known: dict[str, list[Node]] = field(default_factory=dict)

    def of_field(self, file: str, name: str, path: str) -> int:
        """The line of a field of an object.

        Args:
            file: as the user named it.
            name: `ClusterQueue/team-a` or `Workload/ns/name`.
            path: as Kubernetes writes it; where it ends in nothing, the last part of it that there is counts.

        Returns:
            from 1; 0 where the file, or the object in it, is not found.
        """
        found = next((node for called, node in self._objects(file) if called == name), None)
        return 0 if found is None else _deepest(found, path).line

    def of_object(self, paths: Sequence[str | Path], name: str) -> tuple[str, int]:
        """The file and line of an object.

        Args:
            paths: files and folders, as they are read.
            name: as for `of_field`.

        Returns:
            an empty text and 0 where it is not found, or stands in standard input.
        """
        for file in (str(each) for path in paths for each in files_of(path, [])):
            line = self.of_field(file, name, "")
            if line:
                return file, line
        return "", 0

    def in_document(self, file: str, number: int, path: str) -> int:
        """The line of a field of a whole document.

        Args:
            file: as the user named it.
            number: from 0, of the documents that are not empty.
            path: as for `of_field`.
        """
        documents = self._documents(file)
        return _deepest(documents[number], path).line if number < len(documents) else 0

    def in_scenario(self, file: str, name: str, path: str) -> int:
        """The line of a field of a scenario, which has its name under `scenario`, or that of its file.

        Args:
            file: as the user named it.
            name: of the scenario; several of one file are called by their number where they have no name.
            path: as for `of_field`.
        """
        named = [number for number, each in enumerate(self._documents(file)) if each.text("scenario") == name]
        counted = name.removeprefix(f"{Path(file).stem}-")
        last = int(counted) - 1 if counted.isdecimal() and counted != "0" else 0
        return self.in_document(file, named[0] if named else last, path)

    def _objects(self, file: str) -> Iterator[tuple[str, Node]]:
        for document in self._documents(file):
            yield from _named(document, "")

    def _documents(self, file: str) -> list[Node]:
        if file not in self._known:
            raw = read_file(file, file, []) if Path(file).is_file() else None
            small = raw is not None and len(raw) <= LONGEST
            self._known[file] = outline(raw.decode("utf-8-sig", "replace")) if raw and small else []
        return self._known[file]


def outline(text: str) -> list[Node]:
    """The documents of a YAML or JSON text that are not empty, up to the first thing that is not understood.

    >>> document, = outline("a:\\n- b: 1\\n- c: 2\\n")
    >>> document.children["a"].children["1"].children["c"].line
    3
    """
    builder, loader = _Outline(), _Loader(text)
    try:
        while builder.left and loader.check_event():
            builder.take(loader.get_event())
    except yaml.YAMLError:
        pass
    finally:
        loader.dispose()
    return builder.documents


@dataclass(slots=True)
class _Outline:
    """As `yaml_text` without its answers: no recursion, and bounds on depth and size."""

    documents: list[Node] = field(default_factory=list)
    left: int = 2 * MAX_VALUES
    _open: list[tuple[Node, bool]] = field(default_factory=list)
    _keys: list[tuple[str, int] | None] = field(default_factory=list)

    def take(self, event: yaml.Event) -> None:
        self.left -= 1
        handler = _HANDLERS.get(type(event))
        if handler is not None:
            handler(self, event)

    def scalar(self, event: Any) -> None:
        if self._open and self._open[-1][1] and self._keys[-1] is None:
            self._keys[-1] = event.value, _line(event)
        elif self._open or event.value:
            self._add(Node(_line(event), event.value))

    def alias(self, event: Any) -> None:
        self.scalar(yaml.ScalarEvent(None, None, (True, True), "", event.start_mark, event.end_mark))

    def start(self, event: Any) -> None:
        if len(self._open) >= MAX_DEPTH:
            self.left = 0
            return
        node = Node(_line(event))
        self._add(node)
        self._open.append((node, isinstance(event, yaml.MappingStartEvent)))
        self._keys.append(None)

    def end(self, _event: Any) -> None:
        self._open.pop()
        self._keys.pop()

    def _add(self, node: Node) -> None:
        if not self._open:
            self.documents.append(node)
            return
        above, is_map = self._open[-1]
        if not is_map:
            above.children[str(len(above.children))] = node
            return
        key = self._keys[-1]
        self._keys[-1] = None
        if key is not None:
            node.line = key[1]
            above.children[key[0]] = node


_HANDLERS: dict[type[yaml.Event], Callable[[_Outline, Any], None]] = {
    yaml.ScalarEvent: _Outline.scalar,
    yaml.AliasEvent: _Outline.alias,
    yaml.MappingStartEvent: _Outline.start,
    yaml.SequenceStartEvent: _Outline.start,
    yaml.MappingEndEvent: _Outline.end,
    yaml.SequenceEndEvent: _Outline.end,
}


def _named(node: Node, inherited: str) -> Iterator[tuple[str, Node]]:
    """The objects of a document by name; lists of lists are read as they are loaded."""
    stack = [(node, inherited)]
    while stack:
        here, kind = stack.pop()
        kind = here.text("kind") or kind
        items = here.children.get("items")
        if is_list_kind(kind) and items is not None:
            inner = "" if kind == "List" else kind.removesuffix("List")
            stack.extend((each, inner) for each in reversed(items.children.values()))
        else:
            names = here.text("metadata", "namespace"), here.text("metadata", "name")
            yield object_name(kind, *names), here


def _deepest(node: Node, path: str) -> Node:
    for inside, key in _PART.findall(path):
        found = node.children.get(inside or key)
        if found is None:
            break
        node = found
    return node


def _line(event: Any) -> int:
    return int(event.start_mark.line) + 1
