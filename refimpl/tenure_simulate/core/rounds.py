"""A tournament: its state in arrays, its strategies, and who waits in each ClusterQueue for its turn."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tenure.model import FairStrategy, Settings, WithinClusterQueue
from tenure_simulate.core.bases import key_of, may_reclaim, may_reclaim_any, own_basis, uses_any
from tenure_simulate.core.compiled import compiled
from tenure_simulate.core.nodes import clear_groups, exceeds
from tenure_simulate.core.shares import count_lendable
from tenure_simulate.core.sorting import settle
from tenure_simulate.core.tables import ELSEWHERE, NONE, OWN, Array, Forest, SearchInput, Work

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
        on_path: whether the node is above the preemptor or is its queue, bool[nodes].
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
        lowers: whether a share is never larger once a workload has left: none holds less than nothing, and no
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
    total = counts.shape[1] - 1
    for row in range(len(queue)):
        node = queue[row]
        if node < 0:
            continue
        counts[node, total] += 1
        for entry in range(first[row], first[row] + width[row]):
            column, held = at[entry], amount[entry]
            if counts[node, column] == 0 or held < lightest[node, column]:
                lightest[node, column] = held
            counts[node, column] += 1
    for node in range(len(lightest)):
        for column in range(total):
            if counts[node, column] < counts[node, total]:
                lightest[node, column] = 0


def rounds_for(forest: Forest, room: int) -> Rounds:
    """Room for one tournament.

    Args:
        forest: its trees.
        room: of `tenure_simulate.core.sorting`.
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


@compiled
def classify_fairly(given: SearchInput) -> None:
    """The group of every ClusterQueue that is looked into."""
    _, forest, usage, ask, policy, _, work = given
    top = ask.path[len(ask.path) - 1]
    clear_groups(forest, ask.path, work.group)
    if policy.within != WithinClusterQueue.NEVER and forest.active[ask.own]:
        work.group[ask.own] = OWN
    if not may_reclaim_any(policy):
        return
    for node in range(top, forest.end[top]):
        if node != ask.own and forest.active[node] and exceeds(forest, usage, node, ask.needed):
            work.group[node] = ELSEWHERE


@compiled
def _offers(given: SearchInput, row: int) -> bool:
    rows, forest, _, ask, policy, _, work = given
    node, top = rows.queue[row], ask.path[len(ask.path) - 1]
    if node < top or node >= forest.end[top] or work.group[node] < 0:
        return False
    if work.group[node] == OWN:
        allowed = own_basis(rows, row, policy) != NONE
    else:
        allowed = may_reclaim(rows, row, policy)
    return allowed and (ask.common == 1 or uses_any(rows, row, ask.is_needed))


@compiled
def gather_by_queue(given: SearchInput, rounds: Rounds) -> int:
    """Put each queue's candidates side by side; how many there are."""
    rows, _, _, _, policy, order, work = given
    for node in range(len(rounds.end)):
        rounds.end[node] = 0
    for row in range(rows.size):
        if _offers(given, row):
            rounds.end[rows.queue[row]] += 1
    count = 0
    for node in range(len(rounds.end)):
        rounds.start[node] = rounds.next[node] = count
        count += rounds.end[node]
        rounds.end[node] = rounds.start[node]
    for row in range(rows.size):
        if _offers(given, row):
            node = rows.queue[row]
            place = rounds.end[node]
            work.keys[place], work.rows[place] = key_of(rows, row, work.group[node], policy, order), row
            rounds.end[node] += 1
    for node in range(len(rounds.end)):
        rounds.ends[node, 0], rounds.top[node], rounds.settled[node] = rounds.end[node], 0, rounds.start[node]
    return count


@compiled
def sort_next(work: Work, rounds: Rounds, node: int) -> None:
    """Bring the next candidate of a queue to its place."""
    position = rounds.next[node]
    if rounds.settled[node] <= position < rounds.end[node]:
        rounds.top[node], rounds.settled[node] = settle(
            work.keys, work.rows, rounds.ends[node], rounds.top[node], position
        )


@compiled
def reject(work: Work, rounds: Rounds, node: int) -> None:
    """Keep the candidate whose turn it was for the second strategy, in its order."""
    place = rounds.start[node] + rounds.rejected[node]
    work.keys[place], work.rows[place] = work.keys[rounds.next[node]], work.rows[rounds.next[node]]
    rounds.rejected[node] += 1
    rounds.next[node] += 1
