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
from tenure.fast.tables import Array, Forest, SearchInput


@compiled
def fill_back(given: SearchInput, seen: Forest, books: Books, may_borrow: bool, count: int) -> int:
    """Give back, from the second last removed to the first, whoever need not leave; how many stay removed."""
    rows, _, _, ask, _, _, work = given
    kept = count - 1
    for index in range(count - 2, -1, -1):
        row = work.out[index]
        leave(books, rows, NOBODY, row, ask, True)
        if not fits(seen, work.usage, ask, may_borrow):
            leave(books, rows, NOBODY, row, ask, False)
            kept -= 1
            work.out[kept], work.ground[kept], work.share[kept] = row, work.ground[index], work.share[index]
    return count - kept


@compiled
def select(given: SearchInput, seen: Forest, books: Books, before: Array) -> tuple[int, int, bool]:
    """Find targets, quotas counted anew after each removal.

    Args:
        given: its `forest` are the trees while everybody holds its quota, where heroes offer nobody; the
            `usage` of its `work` is that of the books.
        seen: the trees with the quotas of the books.
        books: at the end without those who are taken.
        before: amounts of every node while everybody holds its quota.

    Returns:
        as `tenure.fast.classical.select`.
    """
    rows, _, _, ask, policy, _, work = given
    classify(given)
    count, elsewhere, advantaged, _ = gather(given, NO_DIVIDER)
    may_borrow, again = attempts(given, elsewhere, advantaged)
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
                kept = fill_back(given, seen, books, may_borrow, taken)
                return taken - kept, taken, may_borrow
        if not again:
            return 0, 0, may_borrow
        may_borrow, again = not may_borrow, False
