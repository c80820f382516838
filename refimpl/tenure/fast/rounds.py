"""A tournament's state in arrays, and its strategies."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tenure.fast.compiled import compiled
from tenure.fast.shares import count_lendable
from tenure.fast.tables import Array, Forest
from tenure.model import FairStrategy, Settings

NO_NODE = -1


class Rounds(NamedTuple):
    """State of the tournament, by node.

    Args:
        charged: what is in use after the removals, the request included, int64[nodes, columns].
        ratio, share: of every node on `charged`, without its weight and by it, float64[nodes] twice.
        lendable: see `ratio_of`, int64[nodes, resources].
        borrowed: room, int64[resources].
        start, next, end: of each queue's candidates in `Work.keys`: all, who waits, and behind them,
            int64[nodes].
        settled, top, ends: how far each queue is sorted, int64[nodes] twice and int64[nodes, ROOM].
        rejected: how many of each queue were rejected; they lie at its start, int64[nodes].
        winner: the queue that wins below each cohort, or a queue itself; `NO_NODE` for none, int32[nodes].
        on_path: whether the node stands above the preemptor or is its queue, bool[nodes].
        every: true for every column, bool[columns].
        lightest: what each workload of a queue holds at least, int64[nodes, columns]; 0 where not known.
    """

    charged: Array
    ratio: Array
    share: Array
    lendable: Array
    borrowed: Array
    start: Array
    next: Array
    end: Array
    settled: Array
    top: Array
    ends: Array
    rejected: Array
    winner: Array
    on_path: Array
    every: Array
    lightest: Array


class Strategies(NamedTuple):
    """Who may be preempted by share.

    Args:
        gate: feature gate FairSharingPreemptWithinNominal.
        initial: whether the first strategy is LessThanInitialShare.
        again: whether there is a second one.
        lowers: whether a share is never larger once somebody has left: nobody holds less than nothing, and no
            sum is out of range.
    """

    gate: bool
    initial: bool
    again: bool
    lowers: bool


def strategies_of(settings: Settings, *, lowers: bool) -> Strategies:
    """The strategies of a scheduler.

    >>> strategies_of(Settings(fair_sharing=(FairStrategy.LESS_THAN_INITIAL_SHARE,)), lowers=True)[1:3]
    (True, False)
    """
    chosen = settings.fair_sharing or tuple(FairStrategy)
    initial = chosen[0] == FairStrategy.LESS_THAN_INITIAL_SHARE
    return Strategies(settings.fair_sharing_preempt_within_nominal, initial, len(chosen) > 1, lowers)


@compiled
def find_lightest(
    queue: Array, first: Array, width: Array, at: Array, amount: Array, counts: Array, lightest: Array
) -> None:
    """Find what each workload of a queue holds at least.

    Args:
        queue, first, width, at, amount: as in `Rows`.
        counts: all zero, int64[nodes, columns + 1].
        lightest: the result, all zero before, int64[nodes, columns].
    """
    everybody = counts.shape[1] - 1
    for row in range(len(queue)):
        node = queue[row]
        if node < 0:
            continue
        counts[node, everybody] += 1
        for entry in range(first[row], first[row] + width[row]):
            column, held = at[entry], amount[entry]
            if counts[node, column] == 0 or held < lightest[node, column]:
                lightest[node, column] = held
            counts[node, column] += 1
    for node in range(len(lightest)):
        for column in range(everybody):
            if counts[node, column] < counts[node, everybody]:
                lightest[node, column] = 0


def rounds_for(forest: Forest, room: int) -> Rounds:
    """Room for one tournament.

    Args:
        forest: its trees.
        room: of `tenure.fast.sorting`.
    """
    nodes, columns = forest.nominal.shape
    resources = int(forest.resource.max(initial=-1)) + 1
    lendable = np.zeros((nodes, resources), np.int64)
    count_lendable(forest, np.empty((nodes, columns), np.int64), lendable)
    return Rounds(
        charged=np.empty((nodes, columns), np.int64),
        ratio=np.empty(nodes, np.float64),
        share=np.empty(nodes, np.float64),
        lendable=lendable,
        borrowed=np.empty(resources, np.int64),
        start=np.empty(nodes, np.int64),
        next=np.empty(nodes, np.int64),
        end=np.empty(nodes, np.int64),
        settled=np.empty(nodes, np.int64),
        top=np.empty(nodes, np.int64),
        ends=np.empty((nodes, room), np.int64),
        rejected=np.empty(nodes, np.int64),
        winner=np.full(nodes, NO_NODE, np.int32),
        on_path=np.zeros(nodes, np.bool_),
        every=np.ones(columns, np.bool_),
        lightest=np.zeros((nodes, columns), np.int64),
    )
