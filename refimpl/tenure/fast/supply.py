"""Candidates of kept removals, found as they are needed among rows that are sorted."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tenure.fast.classical import attempts
from tenure.fast.compiled import compiled
from tenure.fast.grounds import key_of, offers
from tenure.fast.tables import ADVANTAGE, ELSEWHERE, OWN, Array, SearchInput

_GROUPS, _BUCKETS = 3, 6
"""Groups of candidates, and the same for evicted and for running ones."""


class Supply(NamedTuple):
    """Candidates that are found as they are needed.

    Args:
        offered: rows by their keys, evicted ones first, int32[n].
        stage: how far they are looked through, int64[3]; see `draw`.
    """

    offered: Array
    stage: Array


def supply_of(offered: Array) -> Supply:
    """A supply of which nothing is drawn yet."""
    return Supply(offered, np.zeros(3, np.int64))


@compiled
def draw(supply: Supply, given: SearchInput, wanted: int) -> int:
    """Find candidates until as many are known as are wanted, or all; how many are known.

    Evicted ones come before running ones, and of both each group by itself (KQ-230), so the offered rows are
    looked through once for each. None of them may be elsewhere than where its key says, as equals of the
    preemptor do that have exceeded their time.

    Args:
        given: `work` gets the candidates as `rows`, in their order; its `group` is that of every node.
    """
    rows, work = given.rows, given.work
    bucket, cursor, known = supply.stage
    while bucket < _BUCKETS and known < wanted:
        if cursor == 0 and not _is_anywhere(given, bucket % _GROUPS):
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
            if stands_here and offers(given, row):
                work.rows[known] = row
                known += 1
        if cursor == len(supply.offered):
            bucket, cursor = bucket + 1, 0
    supply.stage[0], supply.stage[1], supply.stage[2] = bucket, cursor, known
    return int(known)


@compiled
def _is_anywhere(given: SearchInput, group: int) -> bool:
    top = given.ask.path[len(given.ask.path) - 1]
    for node in range(top, given.forest.end[top]):
        if given.work.group[node] == group:
            return True
    return False


@compiled
def offered_elsewhere(supply: Supply, given: SearchInput) -> tuple[bool, bool]:
    """Whether a workload outside the preemptor's queue is a candidate, and whether with advantage."""
    elsewhere, advantaged = False, False
    open_still = _is_anywhere(given, ADVANTAGE)
    if not open_still and not _is_anywhere(given, ELSEWHERE):
        return False, False
    for row in supply.offered:
        if offers(given, row):
            group = given.work.group[given.rows.queue[row]]
            elsewhere = elsewhere or group != OWN
            advantaged = advantaged or group == ADVANTAGE
            if advantaged or (elsewhere and not open_still):
                break
    return elsewhere, advantaged


@compiled
def attempts_with(supply: Supply, given: SearchInput) -> tuple[bool, bool, bool]:
    """Whether a workload outside the preemptor's queue is a candidate, and what `attempts` says then.

    One call, because a call from Python looks at every array of the search.
    """
    elsewhere, advantaged = offered_elsewhere(supply, given)
    may_borrow, again = attempts(given, int(elsewhere), int(advantaged))
    return elsewhere, may_borrow, again


@compiled
def gather_keys(supply: Supply, given: SearchInput) -> int:
    """All candidates with their keys, for whom these have to be sorted; how many."""
    rows, _, _, _, policy, order, work = given
    count = 0
    for row in supply.offered:
        if offers(given, row):
            work.keys[count] = key_of(rows, row, work.group[rows.queue[row]], policy, order)
            work.rows[count] = row
            count += 1
    return count
