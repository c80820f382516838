"""The order of candidates: a packed key for each row, and sorting by it only as far as is needed."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

import numpy as np

from tenure.model import SECOND
from tenure_simulate.core.compiled import compiled
from tenure_simulate.core.tables import Array, Order
from tenure_simulate.core.uncovered import Uncovered

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
        the keys, int64[n], and where things are in them.

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
    keys = laid_out(low, age, tie, recent, ties)
    return keys.astype(np.int64), order_of(_width(int(low.max(initial=0))), recent, ties)


def order_of(low: int, recent: int, ties: int) -> Order:
    """Where things are in keys of which priority, reservation and tie may have so many bits.

    >>> order_of(1, 2, 1)
    Order(group=5, expired=14, tie=1)
    """
    return Order(group=ties + recent + 1 + low, expired=expired_mask(recent, ties), tie=ties)


def field_beside(key: Any, bit: Any, value: Any) -> Any:
    """A key with one more field, above what it has.

    >>> field_beside(0b11, 2, 0b10)
    11
    """
    return key | (value << bit)


def flip(key: Any, mask: Any) -> Any:
    """A key where all bits of a mask are the other way."""
    return key ^ mask


def laid_out(low: Any, age: Any, tie: Any, recent: Any, ties: Any) -> Any:
    """The fields of a key that no decision sets, of a workload that has not exceeded its time.

    Args:
        low, age: priority and reservation, above the lowest.
        tie: the rank of uid and name.
        recent, ties: how many bits `age` and `tie` may have.
    """
    later = field_beside(tie, ties, (1 << recent) - 1 - age)
    return field_beside(field_beside(later, ties + recent, 1), ties + recent + 1, low)


def expired_mask(recent: Any, ties: Any) -> Any:
    """What is flipped where a workload has exceeded its time: that it has not, and what is the later."""
    return field_beside(((1 << recent) - 1) << ties, ties + recent, 1)


def _above_least(values: Array) -> Array:
    return values - values.min() if len(values) else values


def _ranks(values: Array) -> Array:
    return np.unique(values, return_inverse=True)[1].astype(np.int64)


def _sum_of_widths(low: Array, age: Array) -> int:
    return _width(int(low.max(initial=0))) + _width(int(age.max(initial=0)))


def _width(most: int) -> int:
    return most.bit_length()


ROOM = 256
"""How many halves may wait for their turn; a sequence that would need more is sorted at once."""

_SHORT = 24


@compiled
def settle(keys: Array, rows: Array, ends: Array, top: int, position: int) -> tuple[int, int]:
    """Bring the least of what is at a position and behind it to that position.

    Args:
        keys: different numbers, sorted up to `position`, int64[n].
        rows: what goes with each, int32[n].
        ends: the last first, positions whose elements are in their places, int64[ROOM]; `ends[0]` is the end.
        top: index of the last one.
        position: where.

    Returns:
        the new `top`, and the end of what is sorted now.
    """
    while True:
        end = ends[top]
        if end == position:
            return top - 1, position + 1
        if end - position <= _SHORT:
            _insert(keys, rows, position, end)
            return top, end
        if top + 1 == len(ends):
            _sort(keys, rows, position, end)
            return top, end
        top += 1
        ends[top] = _split(keys, rows, position, end)


@compiled
def _insert(keys: Array, rows: Array, start: int, end: int) -> None:
    for index in range(start + 1, end):
        key, row, to = keys[index], rows[index], index - 1
        while to >= start and keys[to] > key:
            keys[to + 1], rows[to + 1] = keys[to], rows[to]
            to -= 1
        keys[to + 1], rows[to + 1] = key, row


@compiled
def _sort(keys: Array, rows: Array, start: int, end: int) -> None:
    """Sort a whole range, by a heap: no sequence makes it slow, and it takes no room."""
    for root in range((end - start) // 2 - 1, -1, -1):
        _sink(keys, rows, start, root, end - start)
    for last in range(end - start - 1, 0, -1):
        _swap(keys, rows, start, start + last)
        _sink(keys, rows, start, 0, last)


@compiled
def _sink(keys: Array, rows: Array, start: int, root: int, size: int) -> None:
    while 2 * root + 1 < size:
        child = 2 * root + 1
        if child + 1 < size and keys[start + child] < keys[start + child + 1]:
            child += 1
        if keys[start + root] >= keys[start + child]:
            return
        _swap(keys, rows, start + root, start + child)
        root = child


@compiled
def _swap(keys: Array, rows: Array, one: int, other: int) -> None:
    key, row = keys[one], rows[one]
    keys[one], rows[one] = keys[other], rows[other]
    keys[other], rows[other] = key, row


@compiled
def _split(keys: Array, rows: Array, start: int, end: int) -> int:
    """Put one element in its place, smaller ones before it; the place."""
    last, middle = end - 1, (start + end) // 2
    if keys[middle] < keys[start]:
        _swap(keys, rows, middle, start)
    if keys[last] < keys[start]:
        _swap(keys, rows, last, start)
    if keys[last] < keys[middle]:
        _swap(keys, rows, last, middle)
    _swap(keys, rows, start, middle)
    pivot, place = keys[start], start + 1
    for index in range(start + 1, end):  # without a branch, which would be guessed wrong every other time
        key, row = keys[index], rows[index]
        keys[index], rows[index] = keys[place], rows[place]
        keys[place], rows[place] = key, row
        place += int(key < pivot)
    _swap(keys, rows, start, place - 1)
    return place - 1
