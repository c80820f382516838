"""What a branch's heroes bill to its nodes, one flavor-resource at a time, in proportion to weights."""

from __future__ import annotations

from tenure.readings import HeroBilling, HeroLending
from tenure.rules import hero_billing, hero_tree, quota
from tenure_simulate.core.amounts import MOST, minus, plus
from tenure_simulate.core.compiled import compiled, compiled_rule, inlined
from tenure_simulate.core.heroes.tables import (
    AFTER,
    BILL,
    BY_NAME,
    DEPTH,
    END,
    HELD,
    HERO,
    IS_QUEUE,
    LENDING,
    LIMIT,
    LOCAL,
    NOMINAL,
    PARENT,
    PLACE,
    SHARE,
    SUBTREE,
    USAGE,
    WEIGHT,
    Books,
)
from tenure_simulate.core.tables import Array

WHOLE, IGNORE = int(HeroBilling.WHOLE), int(HeroLending.IGNORE)

bill_of_cohort = compiled_rule(hero_billing.bill_of_cohort)
billed_usage = compiled_rule(hero_billing.billed_usage, minus=minus)
credit_of_hero = compiled_rule(hero_billing.credit_of_hero)
effective_nominal = compiled_rule(hero_tree.effective_nominal, plus=plus, minus=minus)
effective_usage = compiled_rule(hero_tree.effective_usage, minus=minus)
fallen_lending_limit = compiled_rule(hero_tree.fallen_lending_limit, minus=minus)
left_to_bill = compiled_rule(hero_billing.left_to_bill, minus=minus)
lendable = compiled_rule(hero_billing.lendable)
local_quota = compiled_rule(quota.local_quota, minus=minus)
widened_borrowing_limit = compiled_rule(hero_tree.widened_borrowing_limit, plus=plus)

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
    """The sum of a row of `Books.room` over nodes that are together by name."""
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
    """Lower weights to what a hero may count on (UCQ-260).

    Args:
        amounts: of every node, `LENDING` among them.
        at: the column.
        root: of the branch.
    """
    tree = books.tree
    if books.lending == IGNORE:
        return
    for place in range(tree[AFTER, root] - 1, tree[PLACE, root], -1):
        node = tree[BY_NAME, place]
        limit = amounts[LENDING, node, at]
        below = sum_over(books, WEIGHT, place, tree[AFTER, node])
        counted = lendable(below, limit, books.lending)
        if counted < below:
            share_out(books, counted, place, tree[AFTER, node], False, WEIGHT)


@inlined
def _first_hero(books: Books, branch: int) -> int:
    return books.heroes_end[branch - 1] if branch > 0 else 0


@inlined
def _billed(books: Books, hero: int, at: int) -> int:
    """What of a hero's usage others are billed for."""
    billed: int = billed_usage(books.now[HELD, hero, at], books.given[NOMINAL, hero, at], books.billing)
    return billed


@compiled
def bill_branch(books: Books, branch: int, at: int, kept: bool, recording: bool) -> None:
    """Bill the nodes of one branch for its heroes, and carry it out.

    Args:
        books: as deeper branches left them.
        kept: whether this branch's bills stay as they were, where they were recorded.
        recording: whether to record them.
    """
    tree, now, room, root = books.tree, books.now, books.room, books.roots[branch]
    end, depth = tree[END, root], tree[DEPTH, root]
    some = _shares(books, branch, at, kept)
    if not some:
        return
    books.is_frozen[depth, at] = books.is_frozen[depth, at] or recording
    for node in range(root, end):
        room[WEIGHT, node] = now[SUBTREE, node, at]
        if recording:
            books.frozen[depth, node, at] = room[SHARE, node]
    _take_quota(books, root, at)
    if books.billing == WHOLE:
        _move_to_heroes(books, branch, at)
    else:
        _credit_heroes(books, branch, at)
    _count_quotas(books, root, at)
    for node in range(root + 1, end):
        limit, before = now[LIMIT, node, at], room[WEIGHT, node]
        now[LIMIT, node, at] = widened_borrowing_limit(limit, before, now[SUBTREE, node, at])


@compiled
def _shares(books: Books, branch: int, at: int, kept: bool) -> bool:
    """What each node of a branch is billed; whether any is."""
    room, root, some = books.room, books.roots[branch], False
    end, depth = books.tree[END, root], books.tree[DEPTH, root]
    if books.billing == WHOLE:
        _whole_shares(books, branch, at)
    elif kept and books.is_frozen[depth, at]:
        for node in range(root, end):
            room[SHARE, node] = books.frozen[depth, node, at]
    else:
        _excess_shares(books, branch, at)
    for node in range(root, end):
        some = some or room[SHARE, node] != 0
    return some


@compiled
def _excess_shares(books: Books, branch: int, at: int) -> None:
    tree, now, room = books.tree, books.now, books.room
    root, bill = books.roots[branch], 0
    first, end = tree[PLACE, root], tree[AFTER, root]
    for index in range(_first_hero(books, branch), books.heroes_end[branch]):
        bill += _billed(books, books.heroes[index], at)
    for node in range(root, tree[END, root]):
        nominal, hero = books.given[NOMINAL, node, at], tree[HERO, node] != 0
        room[WEIGHT, node] = left_to_bill(nominal, now[HELD, node, at], hero, now[BILL, node, at])
    count_on(books, now, at, root)
    bill = bill_of_cohort(bill, sum_over(books, WEIGHT, first, end))
    share_out(books, bill, first, end, books.floor, SHARE)


@compiled
def _whole_weights(books: Books, root: int, at: int) -> int:
    """The nominal quotas that bills by the letter are in proportion to; their sum."""
    tree = books.tree
    for node in range(root, tree[END, root]):
        books.room[WEIGHT, node] = books.given[NOMINAL, node, at] if tree[IS_QUEUE, node] else 0
    count_on(books, books.given, at, root)
    return sum_over(books, WEIGHT, tree[PLACE, root], tree[AFTER, root])


@compiled
def _whole_shares(books: Books, branch: int, at: int) -> None:
    tree, room = books.tree, books.room
    root, bill = books.roots[branch], 0
    total = _whole_weights(books, root, at)
    for index in range(_first_hero(books, branch), books.heroes_end[branch]):
        bill += _billed(books, books.heroes[index], at)
    if not books.floor:
        share_out(books, bill, tree[PLACE, root], tree[AFTER, root], False, SHARE)
        return
    for node in range(root, tree[END, root]):
        room[SHARE, node] = 0
        if total > 0:
            for index in range(_first_hero(books, branch), books.heroes_end[branch]):
                room[SHARE, node] += _floored(books, books.heroes[index], at, room[WEIGHT, node], total)


@compiled
def _floored(books: Books, hero: int, at: int, weight: int, total: int) -> int:
    """What a node is billed for a hero's single workloads, each share rounded down (UCQ-150)."""
    bill = 0
    for single in range(books.singles[0, hero], books.singles[1, hero]):
        bill += times_over(books.amounts[1, single, at], weight, total)
    return bill


@compiled
def _take_quota(books: Books, root: int, at: int) -> None:
    tree, now, room = books.tree, books.now, books.room
    for node in range(root, tree[END, root]):
        now[BILL, node, at] += room[SHARE, node]
        now[NOMINAL, node, at] = effective_nominal(now[NOMINAL, node, at], room[SHARE, node], 0)
        if books.lending != IGNORE and node != root and now[LENDING, node, at] != MOST:
            below = sum_over(books, SHARE, tree[PLACE, node], tree[AFTER, node])
            now[LENDING, node, at] = fallen_lending_limit(now[LENDING, node, at], below, books.lending)


@compiled
def _credit_heroes(books: Books, branch: int, at: int) -> None:
    """Let what others pay for leave the usage of heroes (UCQ-140, UCQ-170)."""
    root = books.roots[branch]
    rest = sum_over(books, SHARE, books.tree[PLACE, root], books.tree[AFTER, root])
    for index in range(_first_hero(books, branch), books.heroes_end[branch]):
        hero = books.heroes[index]
        credit = credit_of_hero(rest, _billed(books, hero, at))
        rest -= credit
        books.now[USAGE, hero, at] = effective_usage(books.now[USAGE, hero, at], credit)


@compiled
def _move_to_heroes(books: Books, branch: int, at: int) -> None:
    """Put billed quota at the heroes' queues; the shares are used up, the weights stay."""
    now, room, root = books.now, books.room, books.roots[branch]
    end = books.tree[END, root]
    for node in range(root, end):
        room[SHARE, node] = room[WEIGHT, node]
    total = _whole_weights(books, root, at)
    for index in range(_first_hero(books, branch), books.heroes_end[branch]):
        hero, received = books.heroes[index], 0
        if books.floor:
            for node in range(root, end):
                received += _floored(books, hero, at, room[WEIGHT, node], total)
        else:
            received = now[HELD, hero, at]
        now[NOMINAL, hero, at] = effective_nominal(now[NOMINAL, hero, at], 0, received)
    for node in range(root, end):
        room[WEIGHT, node] = room[SHARE, node]


@compiled
def _count_quotas(books: Books, root: int, at: int) -> None:
    """What the nodes of a branch, and those above it, have and keep, after their nominal quotas changed."""
    tree, now = books.tree, books.now
    before = minus(now[SUBTREE, root, at], now[LOCAL, root, at])
    for node in range(root, tree[END, root]):
        now[SUBTREE, node, at] = now[NOMINAL, node, at]
    for node in range(tree[END, root] - 1, root - 1, -1):
        now[LOCAL, node, at] = local_quota(now[SUBTREE, node, at], now[LENDING, node, at])
        if node != root:
            lent, above = minus(now[SUBTREE, node, at], now[LOCAL, node, at]), tree[PARENT, node]
            now[SUBTREE, above, at] = plus(now[SUBTREE, above, at], lent)
    more, node = minus(minus(now[SUBTREE, root, at], now[LOCAL, root, at]), before), tree[PARENT, root]
    while node >= 0:
        before = minus(now[SUBTREE, node, at], now[LOCAL, node, at])
        now[SUBTREE, node, at] = plus(now[SUBTREE, node, at], more)
        now[LOCAL, node, at] = local_quota(now[SUBTREE, node, at], now[LENDING, node, at])
        more = minus(minus(now[SUBTREE, node, at], now[LOCAL, node, at]), before)
        node = tree[PARENT, node]
