"""Sharing amounts in proportion to weights, without a number beyond 64 bits on the way."""

from __future__ import annotations

from tenure.fast.compiled import compiled
from tenure.fast.heroes.tables import AFTER, BY_NAME, IS_QUEUE, LENDING, PLACE, WEIGHT, Books
from tenure.fast.tables import Array

SAFE = 2**58
"""What sums of quotas and of what is held stay below, so that no step here leaves 64 bits."""

_BITS = 61


@compiled
def times_over(amount: int, weight: int, total: int) -> int:
    """An amount times a weight over a total, rounded down; by long division where the product is too large.

    Args:
        amount: at least 0.
        weight: 0 up to the total.
        total: 1 up to `SAFE`.

    >>> times_over(10, 2, 3), times_over(2**57, 2**50 - 1, 2**50)
    (6, 144115188075855744)
    """
    if amount == 0 or weight == 0:
        return 0
    if amount <= (2**62) // weight:
        return amount * weight // total
    step = 0
    while total >> (_BITS - step - 1) == 0:
        step += 1
    left = 0
    while left <= _BITS and amount >> left:
        left += step
    quotient, rest = 0, 0
    while left > 0:
        left -= step
        rest = (rest << step) + ((amount >> left) & ((1 << step) - 1)) * weight
        quotient = (quotient << step) + rest // total
        rest %= total
    return quotient


@compiled
def sum_over(books: Books, which: int, first: int, end: int) -> int:
    """The sum of a row of `Books.room` over nodes that stand together by name."""
    total = 0
    for place in range(first, end):
        total += books.room[which, books.tree[BY_NAME, place]]
    return total


@compiled
def share_out(books: Books, bill: int, first: int, end: int, floor: bool, into: int) -> None:
    """Share a bill in proportion to weights (UCQ-130), each share rounded down or the sums of them.

    Args:
        first, end: the nodes that share it, by name.
        into: the row of `Books.room` for the shares; may be that of the weights.
    """
    room, total, before, shared = books.room, sum_over(books, WEIGHT, first, end), 0, 0
    for place in range(first, end):
        node = books.tree[BY_NAME, place]
        if total <= 0:
            room[into, node] = 0
        elif floor:
            room[into, node] = times_over(bill, room[WEIGHT, node], total)
        else:
            before += room[WEIGHT, node]
            upto = times_over(bill, before, total)
            room[into, node] = upto - shared
            shared = upto


@compiled
def count_on(books: Books, amounts: Array, at: int, root: int) -> None:
    """Lower weights to what a hero may count on, where lending limits are honoured (UCQ-260).

    Args:
        amounts: of every node, `LENDING` among them.
        at: the column.
        root: of the branch.
    """
    tree, room = books.tree, books.room
    for place in range(tree[AFTER, root] - 1, tree[PLACE, root], -1):
        node = tree[BY_NAME, place]
        limit = amounts[LENDING, node, at]
        if tree[IS_QUEUE, node]:
            room[WEIGHT, node] = min(room[WEIGHT, node], limit)
        elif limit < sum_over(books, WEIGHT, place, tree[AFTER, node]):
            share_out(books, limit, place, tree[AFTER, node], False, WEIGHT)
