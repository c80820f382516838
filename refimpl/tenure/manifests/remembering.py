"""What was made of a piece of plain data, remembered by the piece's content.

A cluster has a hundred thousand workloads and few different admissions; a campaign sends the same
ClusterQueue with every request. What is right about such a piece was found out the first time.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable
from typing import Any, Final, Generic, TypeVar

T = TypeVar("T")

_PLAIN: Final = 2
"""The last format of `marshal` in which equal data is always the same bytes: no references inside."""

_LARGEST_KEY: Final = 2**16


class Memory(Generic[T]):
    """Results by the content of what they were made of; the oldest is forgotten first.

    True, 1, 1.0 and "1" are different contents. The order of keys counts too, which costs a second making
    and nothing else. What is no plain data (`NumberText`), too deep or too large, is made anew each time.

    Args:
        size: how many results are kept.

    >>> lengths = Memory(size=100)
    >>> lengths.of([1, 2], len), lengths.of([1, 2], lambda _: "never called")
    (2, 2)
    """

    __slots__ = ("_made", "_size")

    def __init__(self, size: int) -> None:
        self._made: dict[bytes, T] = {}
        self._size = size

    def of(self, piece: Any, make: Callable[[Any], T]) -> T:
        """What `make` returns for this piece, now or before; what it raises is not remembered.

        Args:
            piece: plain data as JSON has it.
            make: a function of nothing but the piece, whose result nobody changes.
        """
        try:
            key = marshal.dumps(piece, _PLAIN)
        except ValueError:
            return make(piece)
        if key in self._made:
            return self._made[key]
        made = make(piece)
        if len(key) <= _LARGEST_KEY:
            if len(self._made) >= self._size:
                del self._made[next(iter(self._made))]
            self._made[key] = made
        return made
