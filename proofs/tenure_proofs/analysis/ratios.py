"""Shares under fair sharing, compared in whole numbers: each is the largest of its ratios."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import z3

NEAR = 2**45
"""Shares that differ by less than one part in this may compare either way: Kueue counts them in floats of 53
bits, and no comparison takes more than a dozen roundings."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """One resource's part in a share: borrowed divided by what can be lent, and by the weight.

    Args:
        borrowed: a term.
        lendable: what the cohort can lend; of nothing the ratio is zero.
        weight: in billionths; at zero the share is infinite while anything is borrowed.
    """

    borrowed: Any
    lendable: int
    weight: int

    def at_most(self, other: Ratio) -> z3.BoolRef:
        """Whether it is at most another one, or so close that floats may say so."""
        if self.lendable <= 0:
            return z3.BoolVal(True)
        if other.lendable <= 0 or (self.weight == 0 and other.weight != 0):
            return self.borrowed <= 0
        if other.weight == 0 and self.weight != 0:
            return z3.Or(other.borrowed > 0, self.borrowed <= 0)
        mine, theirs = (ratio.lendable * (ratio.weight or 1) for ratio in (self, other))
        return self.borrowed * (theirs * NEAR) <= other.borrowed * (mine * (NEAR + 1))
