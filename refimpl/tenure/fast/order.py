"""The packed key: one number of 64 bits that sorts candidates, made once for all rows of a store."""

from __future__ import annotations

from collections import Counter
from typing import Final

import numpy as np

from tenure.fast.tables import Array, Order
from tenure.fast.uncovered import Uncovered
from tenure.model import SECOND

_BITS: Final = 63
_AROUND: Final = 4
"""Bits of a key that a decision sets: running or evicted, two for the group, expired or not."""

WIDE: Final = "an order key of ranks"
"""Counted where priorities or instants lie too far apart for the key to hold them as they are."""


def make_keys(priority: Array, reserved: Array, tie: Array, counted: Counter[str]) -> tuple[Array, Order]:
    """A key for every row: lower priority, then later reservation, then lower tie sort first.

    From the top: two bits for the group and one for running (set for each decision), priority, one bit for
    equals that have not exceeded their time, reservation (the later the smaller), tie. Priorities and
    instants are counted from the lowest, in seconds where all are whole seconds apart; where that is still
    too wide, their ranks take their place.

    Args:
        priority, reserved, tie: int64[n], int64[n], int32[n].
        counted: the second way is counted here, as `WIDE`.

    Returns:
        the keys, int64[n], and where things stand in them.

    Raises:
        Uncovered: more workloads than the ranks of 64 bits can tell apart.

    >>> keys, _ = make_keys(np.array([5, 1, 1]), np.array([0, 0, 9]), np.array([0, 1, 2]), Counter())
    >>> np.argsort(keys).tolist()
    [2, 1, 0]
    """
    ties = _width(int(tie.max(initial=0)))
    low, age = _above_least(priority), _above_least(reserved)
    if len(age) and not (age % SECOND).any():
        age = age // SECOND
    if _sum_of_widths(low, age) + ties + _AROUND > _BITS:
        counted[WIDE] += 1
        low, age = _ranks(priority), _ranks(reserved)
    if _sum_of_widths(low, age) + ties + _AROUND > _BITS:
        raise Uncovered("too many workloads for an order key")
    recent = _width(int(age.max(initial=0)))
    most = (1 << recent) - 1
    unexpired = 1 << (ties + recent)
    keys = (low << (ties + recent + 1)) | unexpired | ((most - age) << ties) | tie
    group = ties + recent + 1 + _width(int(low.max(initial=0)))
    return keys.astype(np.int64), Order(group=group, expired=unexpired | (most << ties), tie=ties)


def _above_least(values: Array) -> Array:
    return values - values.min() if len(values) else values


def _ranks(values: Array) -> Array:
    return np.unique(values, return_inverse=True)[1].astype(np.int64)


def _sum_of_widths(low: Array, age: Array) -> int:
    return _width(int(low.max(initial=0))) + _width(int(age.max(initial=0)))


def _width(most: int) -> int:
    return most.bit_length()
