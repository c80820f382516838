"""Classical preemption for a standard queue where lending limits follow who has left."""

from __future__ import annotations

from tenure.fast.classical import attempts, classify, gather, stands, take
from tenure.fast.compiled import compiled
from tenure.fast.heroes.effective import NOBODY, leave, start
from tenure.fast.heroes.tables import Scene, Standing
from tenure.fast.nodes import fits
from tenure.fast.sorting import settle
from tenure.fast.tables import Ask, Forest, Order, Policy, Work


@compiled
def fill_back(scene: Scene, ask: Ask, may_borrow: bool, count: int, work: Work) -> int:
    """Give back, from the second last removed to the first, whoever need not leave; how many stay removed."""
    kept = count - 1
    for index in range(count - 2, -1, -1):
        row = work.out[index]
        leave(scene, NOBODY, row, ask, work.log, True)
        if not fits(scene.seen, scene.now.usage, ask, may_borrow):
            leave(scene, NOBODY, row, ask, work.log, False)
            kept -= 1
            work.out[kept], work.ground[kept], work.share[kept] = row, work.ground[index], work.share[index]
    return count - kept


@compiled
def select(
    scene: Scene, before: Forest, base: Standing, ask: Ask, policy: Policy, order: Order, work: Work
) -> tuple[int, int, bool]:
    """Find targets, quotas counted anew after each removal.

    Args:
        scene: at the end without those who are taken.
        before: the trees with the quotas of `base`, where heroes offer nobody.
        base: while everybody holds its quota.
        work: its `usage` is that of the scene.

    Returns:
        as `tenure.fast.classical.search`.
    """
    rows, seen, usage = scene.rows, scene.seen, scene.now.usage
    classify(before, base.usage, ask, policy, work, work.log[0, : len(ask.at)])
    end = before.end[ask.path[len(ask.path) - 1]]
    count, elsewhere, advantaged = gather(rows, ask, policy, order, work, end)
    may_borrow, again = attempts(before, base.usage, ask, policy, elsewhere, advantaged)
    work.ends[0], top, settled = count, 0, 0
    while True:
        start(scene, base.held, ask, NOBODY)
        taken, position = 0, 0
        while position < count:
            if position >= settled:
                top, settled = settle(work.keys, work.rows, work.ends, top, position)
            row = work.rows[position]
            position += 1
            if not stands(seen, rows, row, ask, policy, may_borrow, work):
                continue
            leave(scene, NOBODY, row, ask, work.log, False)
            take(rows, row, policy, work, taken)
            taken += 1
            if fits(seen, usage, ask, may_borrow):
                return taken - fill_back(scene, ask, may_borrow, taken, work), taken, may_borrow
        if not again:
            return 0, 0, may_borrow
        may_borrow, again = not may_borrow, False
