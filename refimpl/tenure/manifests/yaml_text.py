"""YAML text to plain objects: whole, or item by item where it is a long List as kubectl writes it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from tenure.errors import Problem
from tenure.manifests.limits import MAX_OBJECT, too_large
from tenure.manifests.plain_yaml import NotPlainError, PlainReader, plain_documents
from tenure.manifests.structure import Document, is_list_kind

_ITEM = re.compile(r"^- ", re.MULTILINE)
_AFTER = re.compile(r"^[^ \-\n]", re.MULTILINE)
_AROUND: Final = 10_000
"""Characters that may stand before and after the items; kubectl writes less than two hundred."""


def parse_yaml(text: str, file: str) -> tuple[list[Document], list[Problem]]:
    """The documents of a YAML text, up to the first syntax error, and what is wrong with it.

    Args:
        text: one or more documents.
        file: what problems call the text.

    >>> documents, problems = parse_yaml("quota: 0.50", "a.yaml")
    >>> documents[0].content, problems
    ({'quota': 0.50}, [])
    >>> print(parse_yaml("a: 1\\nb: {a: 2, a: 3}", "a.yaml")[1][0])
    a.yaml: b.a: found the key 'a' a second time, in line 2, expected each key once
    """
    plain = plain_documents(text)
    if plain is not None:
        return [Document(content, line) for content, line in plain], []
    try:
        # Imported here: what kubectl writes needs no PyYAML, which is not everywhere where Python is.
        from tenure.manifests.yaml_events import parse_events
    except ModuleNotFoundError:
        found = "more of YAML than kubectl writes, or YAML that is wrong"
        return [], [Problem("", found, "one key or value a line, or PyYAML to be installed", file=file)]
    return parse_events(text, file)


def iterate_yaml_list(
    text: str, file: str, problems: list[Problem]
) -> Iterator[tuple[dict[str, Any], object]] | None:
    """As `json_text.iterate_list`, for a List in YAML.

    >>> found = iterate_yaml_list("items:\\n- a: 1\\n- b: [2]\\nkind: List\\n", "a.yaml", [])
    >>> [item for _, item in found or ()]
    [{'a': 1}, {'b': [2]}]
    """
    parts = _parts(text)
    if parts is None:
        return None
    around, start, end = parts
    return _items(text, file, problems, around, start, end)


def _parts(text: str) -> tuple[dict[str, Any], int, int] | None:
    """What stands around the items, and where they begin and end."""
    head = re.search(r"^items:\n(?=- )", text[:_AROUND], re.MULTILINE)
    if head is None:
        return None
    tail = _AFTER.search(text, head.end())
    end = tail.start() if tail else len(text)
    # Another document may follow, and then what stands behind the items is not about them.
    more = any(text.find(mark, head.end()) >= 0 for mark in ("\n---", "\n..."))
    if more or len(text) - end > _AROUND:
        return None
    documents, problems = parse_yaml(text[: head.start()] + text[end:], "")
    around = documents[0].content if len(documents) == 1 and not problems else None
    if not isinstance(around, dict) or "items" in around:
        return None
    return (around, head.end(), end) if is_list_kind(around.get("kind")) else None


def _items(
    text: str, file: str, problems: list[Problem], around: dict[str, Any], start: int, end: int
) -> Iterator[tuple[dict[str, Any], object]]:
    count = 0
    here, reader = start, PlainReader()
    while here < end:
        found = _ITEM.search(text, here + 1, end)
        following = found.start() if found else end
        if following - here > MAX_OBJECT:
            problems.append(too_large("an object", MAX_OBJECT, file, f"items[{count}]"))
            return
        found_items = _read(reader, text[here:following], file)
        if len(found_items) != 1:
            yield from _rest(text, file, problems, around, count)
            return
        yield around, found_items[0]
        count += 1
        here = following


def _read(reader: PlainReader, text: str, file: str) -> list[Any]:
    """The one item that a text holds; none where it cannot be read by itself."""
    try:
        content = reader.read(text.removesuffix("\n").split("\n"))
    except NotPlainError:
        documents, wrong = parse_yaml(text, file)
        content = documents[0].content if len(documents) == 1 and not wrong else None
    return content if isinstance(content, list) else []


def _rest(
    text: str, file: str, problems: list[Problem], around: dict[str, Any], count: int
) -> Iterator[tuple[dict[str, Any], object]]:
    """The items that have not been read yet, from the whole text; its problems have the right lines."""
    documents, wrong = parse_yaml(text, file)
    problems.extend(wrong)
    for document in documents[:1]:
        items = document.content.get("items") if isinstance(document.content, dict) else None
        yield from ((around, item) for item in (items[count:] if isinstance(items, list) else ()))
