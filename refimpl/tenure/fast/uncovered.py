"""What the optimized core leaves to the reference."""

from __future__ import annotations


class Uncovered(Exception):  # noqa: N818 - it says what the core answers, not that something is wrong
    """The core does not decide this; the reference does.

    Args:
        what: in a few words, the same for all cases of a kind: they are counted by it.
    """

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what
