"""A thing made small while something stays true of it: one part after another goes, and stays away."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Minimiser(Generic[T]):
    """The smallest of what has been tried. What may go, and in which order, is its user's to say.

    Args:
        whole: where it begins; `holds` is true of it.
        holds: whether a smaller one still shows what is looked for; None if that is not known.
        most: how many are tried; None for all.

    >>> search = Minimiser("a loop", lambda text: "o" in text)
    >>> while any(search.tries(search.best[:at] + search.best[at + 1 :]) for at in range(len(search.best))):
    ...     pass
    >>> search.best
    'o'
    """

    def __init__(self, whole: T, holds: Callable[[T], bool | None], most: int | None = None) -> None:
        self.best = whole
        self._holds = holds
        self._left = most

    def tries(self, smaller: T) -> bool | None:
        """Whether it holds of a smaller one, which is the best from then on; False once no more are tried."""
        if self._left is not None:
            if not self._left:
                return False
            self._left -= 1
        holds = self._holds(smaller)
        if holds:
            self.best = smaller
        return holds
