"""Cheap draws: one byte each, in sections that do not move, the simplest choice first.

A scenario takes a hundred draws and more. Drawn one by one, Hypothesis would spend most of its time on
copying parts of one scenario into another. All of them together are one string of bytes instead; since
every part of a scenario has its section of it, a part that shrinks leaves the others as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

_Option = TypeVar("_Option")

_BYTE = 256


class Dice:
    """Draws of one scenario, or of a part of it. Where the bytes end, every draw is the simplest one.

    Args:
        drawn: random bytes; a smaller byte is a simpler draw.

    >>> Dice(b"").up_to(9), Dice(bytes([255])).up_to(9)
    (0, 9)
    """

    __slots__ = ("_at", "_drawn")

    def __init__(self, drawn: bytes) -> None:
        self._drawn = drawn
        self._at = 0

    def section(self, size: int) -> Dice:
        """The next so many draws as dice of their own; what they leave over is not used elsewhere.

        >>> dice = Dice(bytes([255, 255, 128]))
        >>> first = dice.section(2)
        >>> dice.up_to(9), first.up_to(9), first.up_to(9), first.up_to(9)
        (5, 9, 9, 0)
        """
        start, self._at = self._at, self._at + size
        return Dice(self._drawn[start : self._at])

    def up_to(self, most: int) -> int:
        """A whole number from 0 to `most` (at most 255), 0 being the simplest.

        >>> Dice(bytes([100])).up_to(99)
        39
        """
        assert most < _BYTE
        if self._at >= len(self._drawn):
            return 0
        self._at += 1
        return self._drawn[self._at - 1] * (most + 1) // _BYTE

    def pick(self, options: Sequence[_Option]) -> _Option:
        """One of at most 256 options, the simplest first; one that stands twice comes twice as often.

        >>> Dice(bytes([130])).pick("ab")
        'b'
        """
        return options[self.up_to(len(options) - 1)]

    def chance(self, percent: int) -> bool:
        """True in so many of a hundred draws; False is the simplest.

        >>> Dice(bytes([129])).chance(50), Dice(bytes([126])).chance(50)
        (True, False)
        """
        return self.up_to(99) > 99 - percent
