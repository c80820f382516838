"""Files, folders and standard input to the Kubernetes objects in them, each with where it came from."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tenure.errors import InputError, Problem
from tenure.manifests.showing import NumberText, printable, show
from tenure.manifests.yaml_text import MAX_DEPTH, Document, parse_yaml

_SUFFIXES = (".yaml", ".yml", ".json")
_STDIN = "-"
_LONGEST_INTEGER = 40


@dataclass(frozen=True, slots=True)
class SourcedObject:
    """A Kubernetes object as it was read, untrusted.

    Args:
        file: the file as the user named it, `stdin` for standard input; empty if it came from no file.
        object: the document, or one item of a List. Fractional numbers are `str` (`NumberText`).
    """

    file: str
    object: dict[str, Any]


def read_objects(paths: Sequence[str | Path]) -> tuple[SourcedObject, ...]:
    """Every Kubernetes object in some files, with the items of a List one by one.

    Args:
        paths: files, folders (searched for `*.yaml`, `*.yml` and `*.json`, in the order of their names),
            or `-` for standard input, which may be YAML or JSON.

    Raises:
        InputError: all of the paths, files and documents that cannot be read.

    Source: the output of `kubectl get -o yaml` and `-o json`.

    >>> read_objects(["absent.yaml"])
    Traceback (most recent call last):
    tenure.errors.InputError: absent.yaml: found no such file or folder, expected a file or folder to read
    """
    objects, problems = gather_objects(paths)
    if problems:
        raise InputError(problems)
    return tuple(objects)


def gather_objects(paths: Sequence[str | Path]) -> tuple[list[SourcedObject], list[Problem]]:
    """As `read_objects`, but what can be read is returned beside the problems of what cannot."""
    objects: list[SourcedObject] = []
    problems: list[Problem] = []
    for path in paths:
        _read_path(path, objects, problems)
    return objects, problems


def _read_path(path: str | Path, objects: list[SourcedObject], problems: list[Problem]) -> None:
    name = "stdin" if str(path) == _STDIN else printable_path(path)
    known_problems = len(problems)
    files = _files(path, problems)
    documents = [found for file in files for found in _read_file(file, problems)]
    for file, document in documents:
        _flatten(document, file, objects, problems)
    if not documents and len(problems) == known_problems:
        found = "no document" if files else "no file named *.yaml, *.yml or *.json"
        problems.append(Problem("", found, "at least one Kubernetes object", file=name))


def printable_path(path: str | Path) -> str:
    """The path as the user named it; bytes that are no text are escaped.

    >>> printable_path("team-a/queue.yaml")
    'team-a/queue.yaml'
    """
    text = str(path)
    return text if text.isprintable() else ascii(text)[1:-1]


def _reason(error: OSError | ValueError) -> str:
    if isinstance(error, FileNotFoundError):
        return "no such file or folder"
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return printable((reason or type(error).__name__).lower())


def _files(path: str | Path, problems: list[Problem]) -> Sequence[str | Path]:
    if str(path) == _STDIN or not Path(path).is_dir():
        return [path]

    def refuse(error: OSError) -> None:
        folder = printable_path(error.filename or path)
        problems.append(Problem("", _reason(error), "a folder to read", file=folder))

    found = [
        Path(parent, name)
        for parent, _, names in os.walk(path, onerror=refuse)
        for name in names
        if name.lower().endswith(_SUFFIXES)
    ]
    return sorted(found)


def _read_file(path: str | Path, problems: list[Problem]) -> Iterator[tuple[str, Document]]:
    from_stdin = str(path) == _STDIN
    file = "stdin" if from_stdin else printable_path(path)
    try:
        raw = _standard_input() if from_stdin else Path(path).read_bytes()
    except (OSError, ValueError) as error:
        problems.append(Problem("", _reason(error), "a file or folder to read", file=file))
        return
    text = _decode(raw, file, problems)
    if text is None:
        return
    found, wrong = _parse(text, file, Path(path).suffix.lower())
    problems.extend(wrong)
    for document in found:
        if document.content is not None:
            yield file, document


def _standard_input() -> bytes:
    # A caller may have put a text buffer in place of the real standard input.
    buffer = getattr(sys.stdin, "buffer", None)
    return buffer.read() if buffer is not None else sys.stdin.read().encode()


def _decode(raw: bytes, file: str, problems: list[Problem]) -> str | None:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        found = f"byte 0x{raw[error.start]:02x} in line {line}"
        problems.append(Problem("", found, "text in UTF-8", file=file))
        return None


def _parse(text: str, file: str, suffix: str) -> tuple[list[Document], list[Problem]]:
    if suffix == ".json":
        return parse_json(text, file)
    if suffix not in _SUFFIXES and text.lstrip().startswith("{"):
        documents, problems = parse_json(text, file)
        # YAML may start with a brace as well, and may then hold what is no JSON.
        if documents:
            return documents, problems
    return parse_yaml(text, file)


def parse_json(text: str, file: str) -> tuple[list[Document], list[Problem]]:
    """The one document of a JSON text, with fractions kept as text, and what is wrong with it.

    Args:
        text: JSON.
        file: what problems call the text.

    >>> documents, problems = parse_json('{"quota": 0.50}', "a.json")
    >>> documents[0].content
    {'quota': 0.50}
    """
    problems: list[Problem] = []

    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        content: dict[str, object] = {}
        for key, value in pairs:
            if key in content:
                found = f"the key {show(key)} a second time"
                problems.append(Problem(printable(key), found, "each key once", file=file))
            content[key] = value
        return content

    try:
        content = json.loads(
            text,
            parse_float=NumberText,
            parse_int=_integer,
            parse_constant=NumberText,
            object_pairs_hook=unique,
        )
    except json.JSONDecodeError as error:
        found = f"a syntax error ({error.msg.lower()}) in line {error.lineno}"
        return [], [Problem("", found, "JSON", file=file)]
    except RecursionError:
        expected = f"at most {MAX_DEPTH} levels of nesting"
        return [], [Problem("", "deeper nesting", expected, file=file)]
    return [Document(content, 1)], problems


def _integer(digits: str) -> object:
    return int(digits) if len(digits) <= _LONGEST_INTEGER else NumberText(digits)


def _flatten(document: Document, file: str, objects: list[SourcedObject], problems: list[Problem]) -> None:
    stack: list[tuple[str, object]] = [("", document.content)]
    while stack:
        path, content = stack.pop()
        if not isinstance(content, dict):
            found = f"{show(content)} in the document of line {document.line}"
            problems.append(Problem(path, found, "a Kubernetes object (a map)", file=file))
        elif _is_list(content):
            stack.extend(reversed(_items(path, content, file, problems)))
        else:
            objects.append(SourcedObject(file, content))


def _is_list(content: dict[str, Any]) -> bool:
    kind = content.get("kind")
    return kind == "List" or (isinstance(kind, str) and kind.endswith("List") and "items" in content)


def _items(
    path: str, content: dict[str, Any], file: str, problems: list[Problem]
) -> list[tuple[str, object]]:
    items = content.get("items")
    inner = f"{path}.items" if path else "items"
    if items is None and "items" in content:
        return []
    if not isinstance(items, list):
        found = show(items) if "items" in content else "nothing"
        problems.append(Problem(inner, found, "a list of Kubernetes objects", file=file))
        return []
    return [(f"{inner}[{index}]", _typed(item, content)) for index, item in enumerate(items)]


def _typed(item: object, container: dict[str, Any]) -> object:
    """The API server leaves kind and version out of the items of a typed list."""
    if not isinstance(item, dict) or container["kind"] == "List":
        return item
    inherited = {"apiVersion": container.get("apiVersion"), "kind": container["kind"].removesuffix("List")}
    return {**inherited, **item}
