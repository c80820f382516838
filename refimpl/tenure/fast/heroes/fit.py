"""How far a hero may go, and what there is for it now."""

from __future__ import annotations

from tenure.fast.amounts import MOST, minus, plus
from tenure.fast.compiled import compiled, inlined
from tenure.fast.heroes.proportion import count_on, sum_over
from tenure.fast.heroes.tables import (
    AFTER,
    END,
    HELD,
    IS_QUEUE,
    LIMIT,
    LOCAL,
    NOMINAL,
    PLACE,
    SUBTREE,
    USAGE,
    WEIGHT,
    Books,
    Quest,
)
from tenure.fast.tables import Array, Ask


@compiled
def accessible(books: Books, node: int, root: int, at: int, alone: bool) -> int:
    """The most that a hero may use, whatever runs (UCQ-210, UCQ-220).

    Args:
        node, root: the hero, and the cohort of its branch.
        alone: whether its borrowing limit alone clamps it, without its nominal quota.
    """
    tree, given, room = books.tree, books.given, books.room
    for index in range(root, tree[END, root]):
        counts = tree[IS_QUEUE, index] or not books.whole
        room[WEIGHT, index] = given[NOMINAL, index, at] if counts else 0
    own = room[WEIGHT, node]
    room[WEIGHT, node] = 0
    if books.honour:
        count_on(books, given, at, root)
    most, limit = own + sum_over(books, WEIGHT, tree[PLACE, root], tree[AFTER, root]), given[LIMIT, node, at]
    if limit == MOST:
        return int(most)
    return int(min(most, limit if alone else plus(given[NOMINAL, node, at], limit)))


@compiled
def _available(books: Books, path: Array, at: int) -> int:
    """What is available at the first node of a path (KQ-150 to KQ-180)."""
    now, top = books.now, path[len(path) - 1]
    free = minus(now[SUBTREE, top, at], now[USAGE, top, at])
    for step in range(len(path) - 2, -1, -1):
        node = path[step]
        used, local, limit = now[USAGE, node, at], now[LOCAL, node, at], now[LIMIT, node, at]
        if limit != MOST:
            free = min(plus(_unused(books, node, at), limit), free)
        free = plus(max(0, minus(local, used)), free)
    return int(free)


@inlined
def _unused(books: Books, node: int, at: int) -> int:
    """What a node lends and does not use itself."""
    now = books.now
    used, local = now[USAGE, node, at], now[LOCAL, node, at]
    return minus(minus(now[SUBTREE, node, at], local), max(0, minus(used, local)))


@compiled
def room_of(books: Books, node: int, root: int, above: Array, at: int) -> int:
    """What there is for a hero; negative where its branch is in debt (UCQ-230).

    Args:
        node, root: the hero, and the cohort of its branch.
        above: the nodes above that, up to the root of the tree.
    """
    now = books.now
    used, local = now[USAGE, root, at], now[LOCAL, root, at]
    room = minus(now[SUBTREE, root, at], used)
    if len(above):
        free = min(_unused(books, root, at), _available(books, above, at))
        room = plus(max(0, minus(local, used)), free)
    if books.honour:
        return int(plus(room, max(0, minus(now[LOCAL, node, at], now[USAGE, node, at]))))
    for index in range(root + 1, books.tree[END, root]):
        if now[LOCAL, index, at] > now[USAGE, index, at]:
            room = plus(room, minus(now[LOCAL, index, at], now[USAGE, index, at]))
    return int(room)


@compiled
def fits(books: Books, ask: Ask, quest: Quest) -> bool:
    """Whether the whole request fits (UCQ-240)."""
    for index in range(len(ask.at)):
        at, amount = ask.at[index], ask.amount[index]
        if plus(books.now[HELD, ask.own, at], amount) > quest.accessible[index]:
            return False
        if amount > room_of(books, ask.own, quest.root, quest.above, at):
            return False
    return True
