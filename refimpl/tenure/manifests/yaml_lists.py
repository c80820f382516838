"""The items of a long List in YAML, as kubectl writes it, without an event for each of its words.

kubectl writes a small part of YAML: one key or value a line, sequences of maps, plain or quoted text. That
part is read here. An item that holds anything else goes to `yaml_text` by itself, and a List of which an item
cannot stand by itself goes there as a whole: what is read is the same, and only the time differs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, TypeAlias

from tenure.errors import Problem
from tenure.manifests.limits import MAX_OBJECT, too_large
from tenure.manifests.structure import is_list_kind
from tenure.manifests.yaml_text import parse_yaml, resolve

_ITEM = re.compile(r"^- ", re.MULTILINE)
_AFTER = re.compile(r"^[^ \-\n]", re.MULTILINE)
# Indentation, dash, key and value; or indentation, dash and a value alone.
_LINE = re.compile(r"^( *)(- )?(?:([A-Za-z][A-Za-z0-9_./-]*):(?: (\S.*))?|(\S.*))$", re.MULTILINE)
_PLAIN: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/_.+(")
_DOUBLE = re.compile(r'"((?:[^"\\]|\\["\\])*)"')
_SINGLE = re.compile(r"'((?:[^']|'')*)'")
_ESCAPED = re.compile(r"\\(.)")
_EMPTY: Final[dict[str, type[Any]]] = {"{}": dict, "[]": list}
_DEEPEST = 60
_AROUND = 10_000
"""Characters that may stand before and after the items; kubectl writes less than two hundred."""

_Line: TypeAlias = tuple[int, bool, str, str]
"""Column, whether a dash stands before it, key, value; the key of a value alone is empty."""


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
    here = start
    while here < end:
        found = _ITEM.search(text, here + 1, end)
        following = found.start() if found else end
        if following - here > MAX_OBJECT:
            problems.append(too_large("an object", MAX_OBJECT, file, f"items[{count}]"))
            return
        item = _read(text[here:following])
        if item is None:
            documents, wrong = parse_yaml(text[here:following], file)
            content = documents[0].content if len(documents) == 1 and not wrong else None
            if not isinstance(content, list) or len(content) != 1:
                yield from _rest(text, file, problems, around, count)
                return
            item = content[0]
        yield around, item
        count += 1
        here = following


def _rest(
    text: str, file: str, problems: list[Problem], around: dict[str, Any], count: int
) -> Iterator[tuple[dict[str, Any], object]]:
    """The items that have not been read yet, from the whole text; its problems have the right lines."""
    documents, wrong = parse_yaml(text, file)
    problems.extend(wrong)
    for document in documents[:1]:
        items = document.content.get("items") if isinstance(document.content, dict) else None
        yield from ((around, item) for item in (items[count:] if isinstance(items, list) else ()))


class _NotPlainError(Exception):
    """The text is more than the part of YAML that is read here."""


def _read(text: str) -> dict[str, Any] | None:
    """The map of one item, or None where it takes the whole of YAML to read it."""
    if not text.replace("\n", "").isprintable():
        return None
    found = _LINE.findall(text)
    if len(found) != text.count("\n") + (not text.endswith("\n")):
        return None
    try:
        lines = [(len(indent), bool(dash), key, value or alone) for indent, dash, key, value, alone in found]
        content, after = _sequence(lines, 0, 0, 0)
    except (_NotPlainError, RecursionError):
        return None
    return content[0] if after == len(lines) and len(content) == 1 and isinstance(content[0], dict) else None


def _sequence(lines: list[_Line], at: int, column: int, depth: int) -> tuple[list[Any], int]:
    content: list[Any] = []
    while at < len(lines) and lines[at][0] == column and lines[at][1]:
        _, _, key, value = lines[at]
        if key:
            lines[at] = (column + 2, False, key, value)
            item, at = _mapping(lines, at, column + 2, depth + 1)
            content.append(item)
        else:
            content.append(_scalar(value))
            at += 1
    return content, at


def _mapping(lines: list[_Line], at: int, column: int, depth: int) -> tuple[dict[str, Any], int]:
    if depth > _DEEPEST:
        raise _NotPlainError
    content: dict[str, Any] = {}
    size = len(lines)
    while at < size:
        indent, dash, key, value = lines[at]
        if indent != column or dash:
            break
        if not key or key in content:
            raise _NotPlainError
        at += 1
        if value:
            content[key] = _scalar(value)
        else:
            content[key], at = _below(lines, at, column, depth)
    # What is deeper than this map and belongs to none of its keys continues a text.
    if at < size and lines[at][0] > column:
        raise _NotPlainError
    return content, at


def _below(lines: list[_Line], at: int, column: int, depth: int) -> tuple[Any, int]:
    """The value of a key that stands alone on its line."""
    if at == len(lines) or lines[at][0] < column:
        return None, at
    indent, dash, key, _ = lines[at]
    if dash:
        return _sequence(lines, at, indent, depth + 1)
    if indent == column:
        return None, at
    if not key:
        raise _NotPlainError
    return _mapping(lines, at, indent, depth + 1)


def _scalar(text: str) -> object:
    if text[0] in _PLAIN or (text[0] == "-" and text[1:2].strip()):
        if ": " in text or " #" in text or text[-1] in ": ":
            raise _NotPlainError
        return resolve(text)
    if quoted := _DOUBLE.fullmatch(text):
        return _ESCAPED.sub(r"\1", quoted[1]) if "\\" in text else quoted[1]
    if quoted := _SINGLE.fullmatch(text):
        return quoted[1].replace("''", "'")
    if text in _EMPTY:
        return _EMPTY[text]()
    raise _NotPlainError
