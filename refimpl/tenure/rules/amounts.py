"""Rules about amounts: 64 bits that saturate instead of overflowing."""

from __future__ import annotations

from tenure.model import UNLIMITED, Amount
from tenure.rules.registry import rule

LOWEST: Amount = -(2**63)
"""The lowest amount; what is left of a bounded quota when an unlimited amount is subtracted from it."""


@rule("KQ-100")
def plus(first: Amount, second: Amount) -> Amount:
    """The sum of two amounts.

    > The sum of two amounts is unlimited when either of them is; otherwise
    > it saturates at the limits of 64 bits.

    Args:
        first, second: base units or milli-CPU; UNLIMITED for a quota without end.

    Source: Kueue main of August 2026, quota amounts.

    >>> plus(3, 4), plus(UNLIMITED, -4) == UNLIMITED
    (7, True)
    """
    if first == UNLIMITED or second == UNLIMITED:
        return UNLIMITED
    total = first + second
    if total > UNLIMITED:
        return UNLIMITED
    return LOWEST if total < LOWEST else total


@rule("KQ-110")
def minus(first: Amount, second: Amount) -> Amount:
    """The difference of two amounts.

    > Differences saturate at the limits of 64 bits, and:
    >
    > 1. unlimited minus a bounded amount is unlimited;
    > 2. unlimited minus unlimited is zero;
    > 3. a bounded amount minus unlimited is the lowest amount.

    Args:
        first, second: base units or milli-CPU; UNLIMITED for a quota without end.

    Source: Kueue main of August 2026, quota amounts.

    >>> minus(3, 4), minus(UNLIMITED, UNLIMITED)
    (-1, 0)
    """
    if first == UNLIMITED:
        return 0 if second == UNLIMITED else UNLIMITED
    if second == UNLIMITED:
        return LOWEST
    rest = first - second
    if rest > UNLIMITED:
        return UNLIMITED
    return LOWEST if rest < LOWEST else rest
