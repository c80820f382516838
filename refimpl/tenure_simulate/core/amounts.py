"""Sums and differences of 64 bits that stay within them, as KQ-100 and KQ-110 say."""

from __future__ import annotations

from tenure_simulate.core.compiled import compiled

MOST = 2**63 - 1
"""Unlimited."""

LEAST = -(2**63)


@compiled
def plus(first: int, second: int) -> int:
    """The sum; unlimited where one of both is.

    >>> plus(2, 3), plus(MOST, -5) == MOST
    (5, True)
    """
    if first == MOST or second == MOST:
        return MOST
    if second >= 0:
        return MOST if first > MOST - second else first + second
    return LEAST if first < LEAST - second else first + second


@compiled
def minus(first: int, second: int) -> int:
    """The difference; unlimited where the first is, the least where only the second is.

    >>> minus(5, 3), minus(MOST, 7) == MOST, minus(MOST, MOST), minus(7, MOST) == LEAST
    (2, True, 0, True)
    """
    if first == MOST:
        return 0 if second == MOST else MOST
    if second == MOST:
        return LEAST
    if second >= 0:
        return LEAST if first < LEAST + second else first - second
    return MOST if first > MOST + second else first - second
