"""Classical preemption for a standard queue where lending limits follow who has left."""

from __future__ import annotations

from tenure.fast.classical import attempts, classify, gather, stands
from tenure.fast.compiled import compiled
from tenure.fast.grounds import classical_ground
from tenure.fast.heroes.effective import NOBODY, leave, start
from tenure.fast.heroes.tables import Books
from tenure.fast.nodes import fits
from tenure.fast.sampling import NO_DIVIDER
from tenure.fast.sorting import settle
from tenure.fast.tables import Array, Ask, Forest, Order, Policy, Rows, Work


@compiled
def fill_back(
    seen: Forest,
    books: Books,
    rows: Rows,
    usage: Array,
    ask: Ask,
    may_borrow: bool,
    count: int,
    work: Work,
) -> int:
    """Give back, from the second last removed to the first, whoever need not leave; how many stay removed."""
    kept = count - 1
    for index in range(count - 2, -1, -1):
        row = work.out[index]
        leave(books, rows, NOBODY, row, ask, True)
        if not fits(seen, usage, ask, may_borrow):
            leave(books, rows, NOBODY, row, ask, False)
            kept -= 1
            work.out[kept], work.ground[kept], work.share[kept] = row, work.ground[index], work.share[index]
    return count - kept


@compiled
def select(
    rows: Rows,
    forest: Forest,
    seen: Forest,
    books: Books,
    before: Array,
    usage: Array,
    ask: Ask,
    policy: Policy,
    order: Order,
    work: Work,
) -> tuple[int, int, bool]:
    """Find targets, quotas counted anew after each removal.

    Args:
        forest: the trees while everybody holds its quota, where heroes offer nobody.
        seen: the trees with the quotas of the books.
        books: at the end without those who are taken.
        before, usage: amounts of every node while everybody holds its quota, and of them what is in use.
        work: its `usage` is that of the books.

    Returns:
        as `tenure.fast.classical.search`.
    """
    classify(forest, usage, ask, policy, work, work.log[0, : len(ask.at)])
    end = forest.end[ask.path[len(ask.path) - 1]]
    count, elsewhere, advantaged, _ = gather(rows, ask, policy, order, work, end, NO_DIVIDER)
    may_borrow, again = attempts(forest, usage, ask, policy, elsewhere, advantaged)
    work.ends[0], top, settled = count, 0, 0
    while True:
        start(books, before, ask, NOBODY)
        taken, position = 0, 0
        while position < count:
            if position >= settled:
                top, settled = settle(work.keys, work.rows, work.ends, top, position)
            row = work.rows[position]
            position += 1
            node = rows.queue[row]
            ground = classical_ground(rows, row, work.group[node], policy)
            if not stands(seen, node, ground, ask, may_borrow, work):
                continue
            leave(books, rows, NOBODY, row, ask, False)
            work.out[taken], work.ground[taken], work.share[taken] = row, ground, 0
            taken += 1
            if fits(seen, work.usage, ask, may_borrow):
                kept = fill_back(seen, books, rows, work.usage, ask, may_borrow, taken, work)
                return taken - kept, taken, may_borrow
        if not again:
            return 0, 0, may_borrow
        may_borrow, again = not may_borrow, False
