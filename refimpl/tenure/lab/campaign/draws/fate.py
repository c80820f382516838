"""Draws without end, of one seed."""

from __future__ import annotations

from random import Random

from tenure.lab.strategies.dice import Dice


class Fate(Dice):
    """Dice of any number of draws, which shrink to nothing simpler: what is found is made small otherwise.

    Args:
        seed: what they are drawn from; the same draws for the same seed, in any process.

    >>> Fate("8522/0").up_to(99) == Fate("8522/0").up_to(99)
    True
    """

    __slots__ = ("_random",)

    def __init__(self, seed: str) -> None:
        super().__init__(b"")
        self._random = Random(seed).random

    def section(self, size: int) -> Dice:
        """These dice: no part needs draws of its own."""
        del size
        return self

    def up_to(self, most: int) -> int:
        """A whole number from 0 to `most`.

        >>> Fate("1").up_to(0)
        0
        """
        return int(self._random() * (most + 1))
