"""JSON text to plain objects: whole, or item by item where it is a long List."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from tenure.errors import Problem
from tenure.manifests.limits import (
    MAX_DEPTH,
    MAX_DOCUMENT,
    MAX_OBJECT,
    MAX_REPEATED_KEYS,
    too_large,
)
from tenure.manifests.showing import NumberText, printable, show
from tenure.manifests.structure import Document, is_list_kind

_LONGEST_INTEGER = 40
_BLANK: Final = " \t\n\r"
_BLANKS: Final = re.compile(f"[{_BLANK}]*")
_WINDOW: Final = 4 * MAX_OBJECT
_NEAR: Final = 64
"""Characters before its end in which a text that is cut off stops making sense."""
_CLOSES: Final = {
    ("Expecting property name enclosed in double quotes", "}"): "object",
    ("Expecting value", "]"): "array",
}
"""The message of Python before 3.13 about a comma that nothing follows, and what it finds there."""
_PLAIN: Final = json.JSONDecoder()


def decoded_json(text: str, decoder: json.JSONDecoder = _PLAIN) -> Any:
    """The value of a JSON text.

    Args:
        text: JSON.
        decoder: what makes objects of it.

    Raises:
        json.JSONDecodeError: it is no JSON; the words are the same under every version of Python.
        ValueError: the decoder refuses something.
        RecursionError: it is nested too deeply.

    >>> decoded_json("[1, 2,]")
    Traceback (most recent call last):
    json.decoder.JSONDecodeError: Illegal trailing comma before end of array: line 1 column 6 (char 5)
    """
    try:
        return decoder.decode(text)
    except json.JSONDecodeError as error:
        raise in_common_words(error) from None


def in_common_words(error: json.JSONDecodeError) -> json.JSONDecodeError:
    """A syntax error as Python 3.13 and later word it: they name a trailing comma, and point at it."""
    text, before = error.doc, error.pos - 1
    closed = _CLOSES.get((error.msg, text[error.pos : error.pos + 1]))
    while closed and before >= 0 and text[before] in _BLANK:
        before -= 1
    if not closed or text[before : before + 1] != ",":
        return error
    return json.JSONDecodeError(f"Illegal trailing comma before end of {closed}", text, before)


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
    if len(text) > MAX_DOCUMENT:
        return [], [too_large("JSON that is no List", MAX_DOCUMENT, file)]
    try:
        content = decoded_json(text, _decoder(file, problems))
    except (json.JSONDecodeError, RecursionError) as error:
        return [], [_unreadable(error, file)]
    return [Document(content, 1)], problems


def iterate_list(
    text: str, file: str, problems: list[Problem]
) -> Iterator[tuple[dict[str, Any], object]] | None:
    """The items of a Kubernetes List one by one, so that a long one need not be held as objects at once.

    Args:
        text: JSON.
        file: what problems call the text.
        problems: gets what is wrong, while the items are drawn.

    Returns:
        Each item with `apiVersion` and `kind` of the list around it; None where the text does not look like
        a List, and has to be parsed as a whole.

    >>> found = iterate_list('{"items": [{"a": 1}, 2], "kind": "List"}', "a.json", [])
    >>> [item for _, item in found or ()]
    [{'a': 1}, 2]
    """
    around = _outer_fields(text)
    if around is None:
        return None
    return _Items(text, file, problems, around).read()


class _TooLargeError(Exception):
    """One value is longer than an object may be."""


@dataclass(slots=True)
class _Items:
    text: str
    file: str
    problems: list[Problem]
    around: dict[str, Any]
    at: int = 0
    window: str = ""
    start: int = 0
    seen: dict[str, object] = field(default_factory=dict)

    def read(self) -> Iterator[tuple[dict[str, Any], object]]:
        decoder = _decoder(self.file, self.problems)
        self._look_from_here()
        try:
            yield from self._fields(decoder)
        except _TooLargeError:
            self.problems.append(too_large("an object", MAX_OBJECT, self.file))
            return
        except (json.JSONDecodeError, RecursionError) as error:
            self.problems.append(_unreadable(error, self.file))
            return
        if any(self.seen.get(key) != value for key, value in self.around.items()):
            found = f"kind {show(self.seen.get('kind'))}"
            self.problems.append(Problem("kind", found, f"{self.around['kind']}", file=self.file))

    def _fields(self, decoder: json.JSONDecoder) -> Iterator[tuple[dict[str, Any], object]]:
        self._expect("{")
        while True:
            key = self._value(decoder)
            self._expect(":")
            if not isinstance(key, str) or key in self.seen:
                found = f"the key {show(key)} a second time"
                self.problems.append(Problem(printable(str(key)), found, "each key once", file=self.file))
            self.seen[str(key)] = None
            if key == "items":
                yield from ((self.around, item) for item in self._items(decoder))
            else:
                self.seen[str(key)] = self._value(decoder)
            if self._expect(",}") == "}":
                break
        self._expect("")

    def _items(self, decoder: json.JSONDecoder) -> Iterator[object]:
        self._expect("[")
        if self._next() == "]":
            self.at += 1
            return
        while True:
            yield self._value(decoder)
            if self._expect(",]") == "]":
                return

    def _value(self, decoder: json.JSONDecoder) -> object:
        """The next value, from a part of the text, so that a single one does not fill the memory."""
        self._next()
        if self.at > self.start + _WINDOW - MAX_OBJECT:
            self._look_from_here()
        value, end = self._decoded(decoder)
        self.at = self.start + end
        return value

    def _look_from_here(self) -> None:
        self.start, self.window = self.at, self.text[self.at : self.at + _WINDOW]

    def _decoded(self, decoder: json.JSONDecoder) -> tuple[object, int]:
        here = self.at - self.start
        cut = self.start + len(self.window) < len(self.text)
        try:
            value, end = decoder.raw_decode(self.window, here)
        except json.JSONDecodeError as error:
            # What is cut off by the window's end has had room for a whole object.
            if cut and (len(self.window) - error.pos < _NEAR or error.msg.startswith("Unterminated")):
                raise _TooLargeError from None
            there = json.JSONDecodeError(error.msg, self.text, self.start + error.pos)
            raise in_common_words(there) from None
        if end - here > MAX_OBJECT:
            raise _TooLargeError
        return value, end

    def _next(self) -> str:
        self.at = at = _BLANKS.match(self.text, self.at).end()  # type: ignore[union-attr]  # none is a match
        return self.text[at : at + 1]

    def _expect(self, allowed: str) -> str:
        found = self._next()
        if (found not in allowed or not found) and (found or allowed):
            wanted = " or ".join(f"'{name}'" for name in allowed) if allowed else "the end"
            raise json.JSONDecodeError(f"Expecting {wanted}", self.text, self.at)
        self.at += 1
        return found


def _outer_fields(text: str) -> dict[str, Any] | None:
    """`apiVersion` and `kind` of a List: they may come on either side of its items."""
    start = text.find('"items"')
    if start < 0 or not text[:start].lstrip().startswith("{"):
        return None
    before = text[:start].rstrip().rstrip(",")
    after = text[text.rfind("]") + 1 :].lstrip().lstrip(",")
    found: dict[str, Any] = {}
    for part in (before + "}", "{" + after):
        try:
            content = json.loads(part)
        except (ValueError, RecursionError):
            return None
        found |= {key: content[key] for key in ("apiVersion", "kind") if key in content}
    return found if is_list_kind(found.get("kind")) else None


def _decoder(file: str, problems: list[Problem]) -> json.JSONDecoder:
    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        content = dict(pairs)
        if len(content) < len(pairs):
            problems.extend(_repeated_keys(pairs, file, MAX_REPEATED_KEYS - len(problems)))
        return content

    return json.JSONDecoder(
        parse_float=NumberText, parse_int=_integer, parse_constant=NumberText, object_pairs_hook=unique
    )


def _repeated_keys(pairs: list[tuple[str, object]], file: str, most: int) -> Iterator[Problem]:
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen and most > 0:
            most -= 1
            found = f"the key {show(key)} a second time"
            yield Problem(printable(key), found, "each key once", file=file)
        seen.add(key)


def _unreadable(error: json.JSONDecodeError | RecursionError, file: str) -> Problem:
    if isinstance(error, RecursionError):
        return Problem("", "deeper nesting", f"at most {MAX_DEPTH} levels of nesting", file=file)
    found = f"a syntax error ({error.msg.lower()}) in line {error.lineno}"
    return Problem("", found, "JSON", file=file, line=error.lineno)


def _integer(digits: str) -> object:
    return int(digits) if len(digits) <= _LONGEST_INTEGER else NumberText(digits)
