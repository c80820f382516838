"""Candidates of kept removals, found as they are needed among rows that are sorted."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tenure.fast.compiled import compiled
from tenure.fast.grounds import key_of, offers
from tenure.fast.tables import ADVANTAGE, ELSEWHERE, OWN, Array, Ask, Order, Policy, Rows, Work

_GROUPS, _BUCKETS = 3, 6
"""Groups of candidates, and the same for evicted and for running ones."""


class Supply(NamedTuple):
    """Candidates that are found as they are needed.

    Args:
        offered: rows by their keys, evicted ones first, int32[n].
        most: the first node behind the tree.
        stage: how far they are looked through, int64[3]; see `draw`.
    """

    offered: Array
    most: int
    stage: Array


def supply_of(offered: Array, most: int) -> Supply:
    """A supply of which nothing is drawn yet."""
    return Supply(offered, most, np.zeros(3, np.int64))


@compiled
def draw(supply: Supply, rows: Rows, ask: Ask, policy: Policy, work: Work, wanted: int) -> int:
    """Find candidates until as many are known as are wanted, or all; how many are known.

    Evicted ones come before running ones, and of both each group by itself (KQ-230), so the offered rows are
    looked through once for each. None of them may stand elsewhere than where its key says, as equals of the
    preemptor do that have exceeded their time.

    Args:
        work: gets the candidates as `rows`, in their order; `group` is that of every node.
    """
    bucket, cursor, known = supply.stage
    top = ask.path[len(ask.path) - 1]
    while bucket < _BUCKETS and known < wanted:
        if cursor == 0 and not _is_anywhere(work, top, supply.most, bucket % _GROUPS):
            bucket += 1
            continue
        evicted = bucket < _GROUPS
        while cursor < len(supply.offered) and known < wanted:
            row = supply.offered[cursor]
            if evicted and not rows.evicted[row]:
                cursor = len(supply.offered)
                break
            cursor += 1
            stands_here = rows.evicted[row] == evicted and work.group[rows.queue[row]] == bucket % _GROUPS
            if stands_here and offers(rows, row, ask, policy, work, top, supply.most):
                work.rows[known] = row
                known += 1
        if cursor == len(supply.offered):
            bucket, cursor = bucket + 1, 0
    supply.stage[0], supply.stage[1], supply.stage[2] = bucket, cursor, known
    return int(known)


@compiled
def _is_anywhere(work: Work, top: int, most: int, group: int) -> bool:
    for node in range(top, most):
        if work.group[node] == group:
            return True
    return False


@compiled
def offered_elsewhere(supply: Supply, rows: Rows, ask: Ask, policy: Policy, work: Work) -> tuple[bool, bool]:
    """Whether anybody outside the preemptor's queue is a candidate, and whether with advantage."""
    top, elsewhere, advantaged = ask.path[len(ask.path) - 1], False, False
    open_still = _is_anywhere(work, top, supply.most, ADVANTAGE)
    if not open_still and not _is_anywhere(work, top, supply.most, ELSEWHERE):
        return False, False
    for row in supply.offered:
        if offers(rows, row, ask, policy, work, top, supply.most):
            group = work.group[rows.queue[row]]
            elsewhere = elsewhere or group != OWN
            advantaged = advantaged or group == ADVANTAGE
            if advantaged or (elsewhere and not open_still):
                break
    return elsewhere, advantaged


@compiled
def gather_keys(supply: Supply, rows: Rows, ask: Ask, policy: Policy, order: Order, work: Work) -> int:
    """All candidates with their keys, for whom these have to be sorted; how many."""
    top, count = ask.path[len(ask.path) - 1], 0
    for row in supply.offered:
        if offers(rows, row, ask, policy, work, top, supply.most):
            work.keys[count] = key_of(rows, row, work.group[rows.queue[row]], policy, order)
            work.rows[count] = row
            count += 1
    return count
