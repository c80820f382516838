"""The search along one field."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import TypeAlias

from tenure.telling.flips.knob import Range, Value

Flips: TypeAlias = Callable[[int], bool]
"""Whether a value changes the answer."""


def by_distance(values: Iterable[Value], old: Value) -> list[Value]:
    """Some values other than a field's own, the nearest first; not being set is the furthest.

    >>> by_distance([None, 9, 5, 4, 1], 4)
    [5, 1, 9, None]
    """
    fresh = {value for value in values if value != old}

    def distance(value: Value) -> tuple[bool, int, int]:
        if value is None or old is None:
            return (value is None, value or 0, 0)
        return (False, abs(value - old), value)

    return sorted(fresh, key=distance)


def first_flipping(nearest: Sequence[Value], flips: Callable[[Value], bool]) -> Iterator[Value]:
    """The first of some values that changes the answer, if one does; all before it are tried.

    >>> list(first_flipping([5, 1, 9, None], lambda value: value != 5))
    [1]
    """
    return itertools.islice(filter(flips, nearest), 1)


def some_flipping(nearest: Sequence[Value], flips: Callable[[Value], bool]) -> Iterator[Value]:
    """One of many values that changes the answer, found by doubling and halving; the one before it does not.

    >>> list(some_flipping(list(range(1000)), lambda value: value > 700))
    [701]
    """
    along = Range(start=0, low=0, high=len(nearest), granule=1)
    return (nearest[place - 1] for place in flips_along(along, lambda place: flips(nearest[place - 1])))


def flips_along(where: Range, flips: Flips) -> Iterator[int]:
    """The nearest value found in each direction that changes the answer; one step nearer does not.

    From the start the steps double; between the last step that changes nothing and the first one that does,
    they are halved.

    >>> list(flips_along(Range(start=10, low=0, high=99, granule=1), lambda value: value >= 37 or value < 4))
    [37, 3]
    >>> list(flips_along(Range(start=10, low=0, high=99, granule=10), lambda value: value >= 30))
    [30]
    """
    known = cache(flips)
    for sign, most in ((1, where.high - where.start), (-1, where.start - where.low)):

        def beyond(distance: int, sign: int = sign) -> bool:
            return known(where.start + sign * distance)

        found = _first_distance(most, where.granule, beyond)
        if found is not None:
            yield where.start + sign * found


def _first_distance(most: int, granule: int, beyond: Flips) -> int | None:
    """A distance beyond which the answer changes, and one unit before which it does not."""
    before = 0
    for step in _doubling(most, granule):
        if beyond(step):
            return _halved(before, step, granule, beyond)
        before = step
    return None


def _doubling(most: int, granule: int) -> Iterator[int]:
    if most >= 1 and granule > 1:
        yield 1
    step = granule
    while step < most:
        yield step
        step *= 2
    if most >= 1:
        yield most


def _halved(before: int, after: int, granule: int, beyond: Flips) -> int:
    """The boundary between a distance that changes nothing and one that changes the answer."""
    # Nearly all amounts are multiples of the granule, and so are most boundaries.
    while after - before > granule:
        middle = before + max((after - before) // granule // 2, 1) * granule
        if beyond(middle):
            after = middle
        else:
            before = middle
    if not beyond(after - 1):
        return after
    if beyond(before + 1):
        return before + 1
    while after - before > 1:
        middle = (before + after) // 2
        before, after = (before, middle) if beyond(middle) else (middle, after)
    return after
