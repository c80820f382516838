"""Requests as JSON text, decoded in pieces: a list that stood in an earlier request is not decoded again."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from typing import Any, Final, TypeAlias

Scan: TypeAlias = Callable[[str, int], tuple[Any, int]]
"""Decodes the JSON value that begins at an index; the value, and where it ends."""

LISTS: Final = frozenset(("clusterQueues", "cohorts", "resourceFlavors", "localQueues", "admitted"))
"""The fields of a request's `input` that are worth remembering."""

_KEY: Final = re.compile(r'[ \t\n\r]*"([A-Za-z]+)"[ \t\n\r]*:[ \t\n\r]*')
_BEHIND: Final = re.compile(r"[ \t\n\r]*([,}])")
_BLANK: Final = " \t\n\r"
_SHORTEST: Final = 2**9
"""How long a list is at least that is remembered; so much of it tells most lists apart."""
_LONGEST: Final = 2**18
_MOST: Final = 2**21
"""How many characters are remembered together."""


class Piece(list[Any]):
    """A list of a request, and what was made of it.

    Args:
        entries: what stands in it; never changed.

    >>> piece = Piece([1])
    >>> piece.made[len] = 1
    """

    __slots__ = ("made",)

    def __init__(self, entries: list[Any]) -> None:
        super().__init__(entries)
        self.made: dict[Hashable, Any] = {}


class Pieces:
    """Decodes requests, and remembers their lists by their text; the oldest is forgotten first.

    Args:
        scan: decodes a value.

    >>> import json
    >>> pieces = Pieces(json.JSONDecoder().raw_decode)
    >>> pieces.decoded('{"id": 1, "input": {"now": 0}}')
    {'id': 1, 'input': {'now': 0}}
    """

    def __init__(self, scan: Scan) -> None:
        self._scan = scan
        self._free = _MOST
        self._known: dict[str, Piece] = {}
        self._texts: dict[str, list[str]] = {}

    def decoded(self, text: str) -> Any:
        """What a text says.

        Raises:
            ValueError, RecursionError: it is no object in the usual form, or no JSON at all.
                A decoder for all JSON has to say.
        """
        made, end = self._object(text, len(text) - len(text.lstrip(_BLANK)), self._outer)
        if text[end:].strip(_BLANK):
            raise ValueError("something stands behind the request")
        return made

    def _object(
        self, text: str, at: int, value: Callable[[str, str, int], tuple[Any, int]]
    ) -> tuple[dict[str, Any], int]:
        if not text.startswith("{", at):
            raise ValueError("no object")
        made: dict[str, Any] = {}
        behind = None
        while behind is None or behind[1] == ",":
            key = _KEY.match(text, at + 1)
            if key is None or key[1] in made:
                raise ValueError("no usual key")
            made[key[1]], at = value(key[1], text, key.end())
            behind = _BEHIND.match(text, at)
            if behind is None:
                raise ValueError("no usual end of a value")
            at = behind.end() - 1
        return made, at + 1

    def _outer(self, name: str, text: str, at: int) -> tuple[Any, int]:
        if name == "input" and text.startswith("{", at):
            return self._object(text, at, self._inner)
        return self._scan(text, at)

    def _inner(self, name: str, text: str, at: int) -> tuple[Any, int]:
        if name not in LISTS or not text.startswith("[", at):
            return self._scan(text, at)
        # A whole list is never the beginning of another one.
        for known in self._texts.get(text[at : at + _SHORTEST], ()):
            if text.startswith(known, at):
                return self._known[known], at + len(known)
        entries, end = self._scan(text, at)
        if not _SHORTEST <= end - at <= _LONGEST:
            return entries, end
        piece = Piece(entries)
        self._remember(text[at:end], piece)
        return piece, end

    def _remember(self, text: str, piece: Piece) -> None:
        self._known[text] = piece
        self._texts.setdefault(text[:_SHORTEST], []).append(text)
        self._free -= len(text)
        while self._free < 0:
            oldest = next(iter(self._known))
            del self._known[oldest]
            self._free += len(oldest)
            alike = self._texts[oldest[:_SHORTEST]]
            alike.remove(oldest)
            if not alike:
                del self._texts[oldest[:_SHORTEST]]
