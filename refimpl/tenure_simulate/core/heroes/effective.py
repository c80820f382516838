"""The effective tree: quotas and usage with all bills carried out, counted again for one flavor-resource."""

from __future__ import annotations

from tenure.rules import hero_tree
from tenure_simulate.core.amounts import MOST, minus, plus
from tenure_simulate.core.compiled import compiled, compiled_rule
from tenure_simulate.core.heroes.billing import bill_branch, local_quota
from tenure_simulate.core.heroes.tables import (
    AFTER,
    BILL,
    BY_NAME,
    END,
    FIRST,
    HELD,
    HERO,
    LENDING,
    LIMIT,
    LOCAL,
    NOMINAL,
    PARENT,
    PLACE,
    STOP,
    SUBTREE,
    UNLOCKS,
    USAGE,
    Books,
)
from tenure_simulate.core.nodes import is_within_quota, left_of_local, passed_up
from tenure_simulate.core.tables import Array, Ask, Rows

unlocked = compiled_rule(hero_tree.unlocked, minus=minus)

NO_BRANCH = -1
"""In the place of a branch whose heroes search: no bills are kept."""


@compiled
def hold(rows: Rows, books: Books) -> None:
    """Write down what every node holds; what is held is all zero before."""
    for row in range(rows.size):
        node = rows.queue[row]
        if node >= 0:
            for entry in range(rows.first[row], rows.first[row] + rows.width[row]):
                at, amount = rows.at[entry], rows.amount[entry]
                books.now[HELD, node, at] = plus(books.now[HELD, node, at], amount)
                if books.single_of[row] >= 0:
                    books.amounts[0, books.single_of[row], at] = amount
                    books.amounts[1, books.single_of[row], at] = amount


@compiled
def settle(books: Books, top: int, mine: int, at: int, recording: bool) -> None:
    """Count quotas and usage of a tree, given what is held there.

    Args:
        top: the root of the tree.
        mine: the cohort of the branch whose hero searches; bills above it are kept once they are recorded.
        at: the column.
        recording: whether to record them now.
    """
    tree, now = books.tree, books.now
    in_use = _clear(books, top, at)
    if in_use:
        for branch in range(tree[FIRST, top], tree[STOP, top]):
            above = books.roots[branch] < mine < tree[END, books.roots[branch]]
            bill_branch(books, branch, at, above and not recording, above and recording)
    for node in range(tree[END, top] - 1, top, -1):
        up, above_it = passed_up(now[LOCAL, node, at], now[USAGE, node, at]), tree[PARENT, node]
        now[USAGE, above_it, at] = plus(now[USAGE, above_it, at], up)
    if in_use:
        for branch in range(tree[FIRST, top], tree[STOP, top] if tree[UNLOCKS, top] else 0):
            _unlock(books, branch, at)
        _cover(books, top, at)


@compiled
def _clear(books: Books, top: int, at: int) -> bool:
    """Let no node be billed; whether any hero uses something."""
    tree, now, in_use = books.tree, books.now, False
    for node in range(top, tree[END, top]):
        for which in range(LENDING + 1):
            now[which, node, at] = books.given[which, node, at]
        now[USAGE, node, at], now[BILL, node, at] = now[HELD, node, at], 0
        books.covered[node, at] = books.covers[node, at]
        in_use = in_use or (tree[HERO, node] != 0 and now[HELD, node, at] > 0)
    return in_use


@compiled
def _cover(books: Books, top: int, at: int) -> None:
    """A node that others' bills have given something has a quota."""
    now = books.now
    for node in range(top, books.tree[END, top]):
        some = now[NOMINAL, node, at] != 0 or now[SUBTREE, node, at] != 0 or now[LOCAL, node, at] != 0
        books.covered[node, at] = books.covered[node, at] or some or now[LIMIT, node, at] != MOST


@compiled
def _unlock(books: Books, branch: int, at: int) -> None:
    """Raise lending limits as far as a branch's heroes use what is kept behind them (UCQ-200)."""
    tree, now = books.tree, books.now
    root, allowance = books.roots[branch], 0
    for node in range(root, tree[END, root]):
        if tree[HERO, node]:
            allowance += now[HELD, node, at]
    for place in range(tree[PLACE, root] + 1, tree[AFTER, root]):
        if is_within_quota(now[USAGE, root, at], now[SUBTREE, root, at]):
            return
        node = tree[BY_NAME, place]
        idle = left_of_local(now[LOCAL, node, at], now[USAGE, node, at])
        rise = unlocked(now[USAGE, root, at], now[SUBTREE, root, at], idle, allowance)
        if rise > 0:
            allowance -= rise
            _raise(books, node, root, at, rise)


@compiled
def _raise(books: Books, node: int, root: int, at: int, rise: int) -> None:
    """Raise the lending limits of a node and of those above it in its branch; what that passes up goes up."""
    now, more_quota, more_usage, inside = books.now, 0, 0, True
    while node >= 0:
        inside = inside and node != root
        local = now[LOCAL, node, at]
        quota, usage = minus(now[SUBTREE, node, at], local), passed_up(local, now[USAGE, node, at])
        now[SUBTREE, node, at] = plus(now[SUBTREE, node, at], more_quota)
        now[USAGE, node, at] = plus(now[USAGE, node, at], more_usage)
        if inside:
            now[LENDING, node, at] = plus(now[LENDING, node, at], rise)
        local = local_quota(now[SUBTREE, node, at], now[LENDING, node, at])
        now[LOCAL, node, at] = local
        more_quota = minus(minus(now[SUBTREE, node, at], local), quota)
        more_usage = minus(passed_up(local, now[USAGE, node, at]), usage)
        node = books.tree[PARENT, node]


@compiled
def start(books: Books, before: Array, ask: Ask, mine: int) -> None:
    """Let every workload of the tree hold its quota, as a search begins.

    Args:
        before: amounts of every node when every workload does, `HELD` among them.
        mine: as for `settle`.
    """
    tree, amounts, top = books.tree, books.amounts, ask.path[len(ask.path) - 1]
    for at in range(len(ask.watched)):
        if not ask.watched[at]:
            continue
        for depth in range(books.is_frozen.shape[0]):
            books.is_frozen[depth, at] = False
        for node in range(top, tree[END, top]):
            books.now[HELD, node, at] = before[HELD, node, at]
            for single in range(books.singles[0, node], books.singles[1, node]):
                amounts[1, single, at] = amounts[0, single, at]
        settle(books, top, mine, at, mine >= 0)


@compiled
def leave(books: Books, rows: Rows, mine: int, row: int, ask: Ask, adding: bool) -> bool:
    """Let a workload leave or come back; whether quotas may have changed, and not only what is in use.

    Args:
        mine: as for `settle`.
        adding: whether it comes back.
    """
    node, top, now = rows.queue[row], ask.path[len(ask.path) - 1], books.now
    single = books.single_of[row]
    recounted = single >= 0 or books.tree[UNLOCKS, top] != 0
    for entry in range(rows.first[row], rows.first[row] + rows.width[row]):
        at, amount = rows.at[entry], rows.amount[entry]
        if ask.watched[at]:
            held = now[HELD, node, at]
            now[HELD, node, at] = plus(held, amount) if adding else minus(held, amount)
            if single >= 0:
                books.amounts[1, single, at] = amount if adding else 0
            if recounted:
                settle(books, top, mine, at, False)
            else:
                pass_up(books, node, at, amount, adding)
    return bool(recounted)


@compiled
def pass_up(books: Books, node: int, at: int, amount: int, adding: bool) -> None:
    """Add an amount to what is in use at a node or take it away, and above it as far as it reaches."""
    now, rest = books.now, amount
    while rest != 0 and node >= 0:
        before, local = now[USAGE, node, at], now[LOCAL, node, at]
        after = plus(before, rest) if adding else minus(before, rest)
        now[USAGE, node, at] = after
        low, high = (before, after) if adding else (after, before)
        rest = minus(passed_up(local, high), passed_up(local, low))
        node = books.tree[PARENT, node]
