"""Where in a file an object or a field is: looked up only for what is reported, not while reading."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tenure.manifests.conversion import name_of
from tenure.manifests.files import files_of, read_file
from tenure.manifests.structure import dig, is_list_kind, items
from tenure.manifests.yaml_events import ITSELF, Lines, parse_events

LONGEST: Final = 8 * 2**20
"""Bytes of a file whose lines are looked up."""

_PART = re.compile(r"\[([^\]]*)\]|([^.\[\]]+)")


@dataclass(frozen=True, slots=True)
class ReadLines:
    """The documents of a text that are not empty, up to the first thing that is not understood.

    Args:
        documents: each with the line in which it begins.
        lines: of everything in them.
    """

    documents: list[tuple[int, object]]
    lines: Lines

    def line_of(self, value: object, line: int, path: str) -> int:
        """The line of a field, or of the last part of its path that there is.

        Args:
            value: of a document.
            line: in which that begins.
            path: as Kubernetes writes it.
        """
        for inside, name in _PART.findall(path):
            key = inside or name
            at: Any = int(key) if isinstance(value, list) and key.isdecimal() and len(key) < 10 else key
            found = self.lines.get(id(value), {}).get(at)
            if found is None:
                break
            line, value = found, _inside(value, at)
        return line


def bytes_on_disk(file: str) -> bytes | None:
    """The contents of a file; None if it is no file, or cannot be read."""
    return read_file(file, file, []) if Path(file).is_file() else None


@dataclass(slots=True)
class SourceLines:
    """The lines of some files, each read on first use.

    Args:
        read: gives what is in a file by its name, and nothing where there is no such file.

    >>> SourceLines().of_field("absent.yaml", "Cohort/a", "spec")
    0
    """

    read: Callable[[str], bytes | None] = bytes_on_disk
    _known: dict[str, ReadLines] = field(default_factory=dict)

    def of_field(self, file: str, name: str, path: str) -> int:
        """The line of a field of an object.

        Args:
            file: as the user named it.
            name: `ClusterQueue/team-a` or `Workload/ns/name`.
            path: as Kubernetes writes it; where it ends in nothing, the last part of it that there is counts.

        Returns:
            from 1; 0 where the file, or the object in it, is not found.
        """
        read = self._lines_of(file)
        found = (read.line_of(item, line, path) for called, item, line in _objects(read) if called == name)
        return next(found, 0)

    def of_object(self, paths: Sequence[str | Path], name: str) -> tuple[str, int]:
        """The file and line of an object.

        Args:
            paths: files and folders, as they are read.
            name: as for `of_field`.

        Returns:
            an empty text and 0 where it is not found, or is in standard input.
        """
        for file in (str(file) for path in paths for file in files_of(path, [])):
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
        read = self._lines_of(file)
        if number >= len(read.documents):
            return 0
        line, content = read.documents[number]
        return read.line_of(content, line, path)

    def in_scenario(self, file: str, name: str, path: str) -> int:
        """The line of a field of a scenario, which has its name under `scenario`, or that of its file.

        Args:
            file: as the user named it.
            name: of the scenario; several of one file are called by their number where they have no name.
            path: as for `of_field`.
        """
        documents = self._lines_of(file).documents
        named = [number for number, (_, item) in enumerate(documents) if dig(item, "scenario") == name]
        counted = name.removeprefix(f"{Path(file).stem}-")
        last = int(counted) - 1 if counted.isdecimal() and counted != "0" else 0
        return self.in_document(file, named[0] if named else last, path)

    def _lines_of(self, file: str) -> ReadLines:
        if file not in self._known:
            raw = self.read(file)
            small = raw is not None and len(raw) <= LONGEST
            self._known[file] = read_lines(raw.decode("utf-8-sig", "replace") if raw and small else "")
        return self._known[file]


def read_lines(text: str) -> ReadLines:
    """Where everything in a YAML or JSON text is.

    >>> found = read_lines("a:\\n- b: 1\\n- c: 2\\n")
    >>> (line, content), = found.documents
    >>> found.line_of(content, line, "a[1].c")
    3
    """
    lines: Lines = {}
    documents, _ = parse_events(text, "", lines)
    contents = [document.content for document in documents if document.content is not None]
    return ReadLines([(lines.get(id(content), {}).get(ITSELF, 0), content) for content in contents], lines)


def _objects(read: ReadLines) -> Iterator[tuple[str, object, int]]:
    """The objects by name, and the line in which each begins; lists of lists are read as they are loaded."""
    stack = [(content, line, "") for line, content in reversed(read.documents)]
    while stack:
        here, line, inherited = stack.pop()
        kind = dig(here, "kind")
        kind = kind if isinstance(kind, str) and kind else inherited
        if is_list_kind(kind) and isinstance(here, dict) and "items" in here:
            inner = "" if kind == "List" else kind.removesuffix("List")
            within = items(here["items"])
            lines = read.lines.get(id(within), {})
            stack.extend((item, lines[at], inner) for at, item in reversed([*enumerate(within)]))
        else:
            yield name_of(here, kind), here, line


def _inside(value: object, key: Any) -> object:
    try:
        return value[key]  # type: ignore[index]  # a map or list, as it has lines
    except LookupError:
        return None
