"""Shares under fair sharing, compared in whole numbers: each is the largest of its ratios."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import z3

ROUNDINGS = 7
"""Of one share: the amount borrowed, its thousandths, what can be lent, the ratio, the weight (first to 64
bits, then to 53), and the division by it. Each changes a number by at most one part in 2^53, as IEEE 754
rounds; nothing overflows or underflows with amounts below 2^63 and weights from a billionth on."""

FARTHEST = ((1 + Fraction(1, 2**53)) / (1 - Fraction(1, 2**53))) ** ROUNDINGS
"""A share of which floats say that it is at most another one is at most so many times the other. Four of the
roundings are above the line and three below it: with u for one part in 2^53, what is computed is at worst
(1 - u)^4 / (1 + u)^3 times the one and (1 + u)^4 / (1 - u)^3 times the other."""

NEAR = 2**45
"""Shares that differ by less than one part in this may compare either way. Floats never go so far."""


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
