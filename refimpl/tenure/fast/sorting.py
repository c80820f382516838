"""Sorting only as far as somebody asks: quicksort that stops at the position in question."""

from __future__ import annotations

from tenure.fast.compiled import compiled
from tenure.fast.tables import Array

ROOM = 256
"""How many halves may wait for their turn; a sequence that would need more is sorted at once."""

_SHORT = 24


@compiled
def settle(keys: Array, rows: Array, ends: Array, top: int, position: int) -> tuple[int, int]:
    """Bring the least of what stands at a position and behind it to that position.

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


@compiled
def by_node(rows: Array, queue: Array, starts: Array, into: Array) -> None:
    """Put rows of the same node side by side, in the order in which they come.

    Args:
        rows: int32[n].
        queue: the node of each row.
        starts: of each node, where its first one stands at the end, int64[nodes + 1]; all zero before.
        into: the result, int32[n].
    """
    for row in rows:
        starts[queue[row] + 1] += 1
    for node in range(1, len(starts)):
        starts[node] += starts[node - 1]
    for row in rows:
        into[starts[queue[row]]] = row
        starts[queue[row]] += 1
    for node in range(len(starts) - 1, 0, -1):
        starts[node] = starts[node - 1]
    starts[0] = 0
