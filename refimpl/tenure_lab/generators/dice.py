"""Dice: what every scenario is drawn with, whoever throws them. The simplest draw always comes first."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

_Option = TypeVar("_Option")

_BYTE = 256


class Dice:
    """Draws of one scenario, each of them the simplest; the descendants draw others.

    >>> Dice().up_to(9), Dice().pick("ab"), Dice().chance(99)
    (0, 'a', False)
    """

    __slots__ = ()

    def up_to(self, most: int) -> int:
        """A whole number from 0 to `most`, 0 being the simplest."""
        del most
        return 0

    def section(self, size: int) -> Dice:
        """Dice for a part of the scenario that takes at most so many draws: these, unless they shrink."""
        del size
        return self

    def pick(self, options: Sequence[_Option]) -> _Option:
        """One of the options, the simplest first; one that is named twice comes twice as often."""
        return options[self.up_to(len(options) - 1)]

    def chance(self, percent: int) -> bool:
        """True in so many of a hundred draws; False is the simplest."""
        return self.up_to(99) > 99 - percent


class SeededDice(Dice):
    """Draws without end, of one seed; they shrink to nothing simpler.

    Args:
        seed: what they are drawn from; the same draws for the same seed, in any process.

    >>> SeededDice("8522/0").up_to(99) == SeededDice("8522/0").up_to(99)
    True
    """

    __slots__ = ("_random",)

    def __init__(self, seed: str) -> None:
        self._random = Random(seed).random

    def up_to(self, most: int) -> int:
        """A whole number from 0 to `most`."""
        return int(self._random() * (most + 1))


class ByteDice(Dice):
    """Draws of one byte each, in sections that do not move: a part that shrinks leaves the others alone.

    Args:
        drawn: random bytes; a smaller byte is a simpler draw, and where they end every draw is the simplest.

    >>> ByteDice(b"").up_to(9), ByteDice(bytes([255])).up_to(9), ByteDice(bytes([100])).up_to(99)
    (0, 9, 39)
    """

    __slots__ = ("_at", "_drawn")

    def __init__(self, drawn: bytes) -> None:
        self._drawn = drawn
        self._at = 0

    def section(self, size: int) -> ByteDice:
        """The next so many draws as dice of their own; what they leave over is not used elsewhere.

        >>> dice = ByteDice(bytes([255, 255, 128]))
        >>> first = dice.section(2)
        >>> dice.up_to(9), first.up_to(9), first.up_to(9), first.up_to(9)
        (5, 9, 9, 0)
        """
        start, self._at = self._at, self._at + size
        return ByteDice(self._drawn[start : self._at])

    def up_to(self, most: int) -> int:
        """A whole number from 0 to `most` (at most 255)."""
        assert most < _BYTE
        if self._at >= len(self._drawn):
            return 0
        self._at += 1
        return self._drawn[self._at - 1] * (most + 1) // _BYTE
