"""Classical preemption for a standard queue where lending limits follow who has left."""

from __future__ import annotations

from tenure.fast.classical import attempts, classify, gather, stands, take
from tenure.fast.compiled import compiled
from tenure.fast.heroes.effective import NOBODY, leave, start
from tenure.fast.heroes.tables import Plan, Singles, Standing
from tenure.fast.nodes import fits
from tenure.fast.sorting import settle
from tenure.fast.tables import Ask, Forest, Order, Policy, Rows, Work


@compiled
def fill_back(
    forest: Forest,
    seen: Forest,
    plan: Plan,
    rows: Rows,
    singles: Singles,
    now: Standing,
    ask: Ask,
    may_borrow: bool,
    work: Work,
    count: int,
) -> int:
    """Give back, from the second last removed to the first, whoever need not leave; how many stay removed."""
    kept = count - 1
    for index in range(count - 2, -1, -1):
        row = work.out[index]
        leave(forest, seen, plan, rows, singles, now, NOBODY, row, ask, work.log, True)
        if not fits(seen, now.usage, ask, may_borrow):
            leave(forest, seen, plan, rows, singles, now, NOBODY, row, ask, work.log, False)
            kept -= 1
            work.out[kept], work.ground[kept], work.share[kept] = row, work.ground[index], work.share[index]
    return count - kept


@compiled
def select(
    rows: Rows,
    forest: Forest,
    before: Forest,
    seen: Forest,
    plan: Plan,
    singles: Singles,
    base: Standing,
    now: Standing,
    ask: Ask,
    policy: Policy,
    order: Order,
    work: Work,
) -> tuple[int, int, bool]:
    """Find targets, quotas counted anew after each removal.

    Args:
        forest, before, seen: the same trees, with the quotas as configured, those of `base`, where heroes
            offer nobody, and those of `now`.
        base: while everybody holds its quota.
        now: room; at the end while those who are taken do not.
        work: its `usage` is that of `now`.

    Returns:
        as `tenure.fast.classical.search`.
    """
    classify(before, base.usage, ask, policy, work, work.log[0, : len(ask.at)])
    end = forest.end[ask.path[len(ask.path) - 1]]
    count, elsewhere, advantaged = gather(rows, ask, policy, order, work, end)
    may_borrow, again = attempts(before, base.usage, ask, policy, elsewhere, advantaged)
    work.ends[0], top, settled = count, 0, 0
    while True:
        start(forest, plan, rows, singles, base, now, ask, NOBODY)
        taken, position = 0, 0
        while position < count:
            if position >= settled:
                top, settled = settle(work.keys, work.rows, work.ends, top, position)
            row = work.rows[position]
            position += 1
            if not stands(seen, rows, row, ask, policy, may_borrow, work):
                continue
            leave(forest, seen, plan, rows, singles, now, NOBODY, row, ask, work.log, False)
            take(rows, row, policy, work, taken)
            taken += 1
            if fits(seen, now.usage, ask, may_borrow):
                kept = fill_back(forest, seen, plan, rows, singles, now, ask, may_borrow, work, taken)
                return taken - kept, taken, may_borrow
        if not again:
            return 0, 0, may_borrow
        may_borrow, again = not may_borrow, False
