"""Sharing amounts in proportion to weights, without a number beyond 64 bits on the way."""

from __future__ import annotations

from tenure.fast.compiled import compiled, inlined
from tenure.fast.heroes.tables import Plan
from tenure.fast.tables import Array, Forest

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


@inlined
def sum_over(plan: Plan, weights: Array, first: int, end: int) -> int:
    """The sum over nodes that stand together by name."""
    total = 0
    for place in range(first, end):
        total += weights[plan.by_name[place]]
    return total


@compiled
def share_out(
    plan: Plan, bill: int, weights: Array, first: int, end: int, floor: bool, shares: Array
) -> None:
    """Share a bill in proportion to weights (UCQ-130), each share rounded down or the sums of them.

    Args:
        first, end: the nodes that share it, by name.
        shares: the result, int64[nodes]; may be the weights themselves.
    """
    total = sum_over(plan, weights, first, end)
    before, shared = 0, 0
    for place in range(first, end):
        node = plan.by_name[place]
        if total <= 0:
            shares[node] = 0
        elif floor:
            shares[node] = times_over(bill, weights[node], total)
        else:
            before += weights[node]
            upto = times_over(bill, before, total)
            shares[node] = upto - shared
            shared = upto


@compiled
def count_on(forest: Forest, plan: Plan, lending: Array, at: int, root: int, weights: Array) -> None:
    """Lower weights to what a hero may count on, where lending limits are honoured (UCQ-260)."""
    first = plan.place[root]
    for place in range(plan.after[root] - 1, first, -1):
        node = plan.by_name[place]
        limit = lending[node, at]
        if forest.is_queue[node]:
            weights[node] = min(weights[node], limit)
            continue
        end = plan.after[node]
        if limit < sum_over(plan, weights, place, end):
            share_out(plan, limit, weights, place, end, False, weights)
