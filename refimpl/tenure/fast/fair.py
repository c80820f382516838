"""Fair sharing over arrays: the tournament among ClusterQueues, and the strategies.

Each queue's candidates lie side by side and are sorted only as far as its turn comes. What wins below a
cohort is kept, and found anew only on the path of the queue that changed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tenure.fast.compiled import compiled, inlined
from tenure.fast.grounds import key_of, may_reclaim, own_ground, uses_any
from tenure.fast.nodes import (
    change,
    clear_groups,
    copy_part,
    copy_tree,
    exceeds,
    fill_back,
    fits,
    move,
    note_held,
    undo,
)
from tenure.fast.shares import NOT_BORROWING, compare, count_lendable, ratio_of, weigh
from tenure.fast.sorting import settle
from tenure.fast.tables import (
    ELSEWHERE,
    FINAL_SHARE,
    INITIAL_SHARE,
    NONE,
    OWN,
    WITHIN_NOMINAL,
    Array,
    Ask,
    Forest,
    Order,
    Policy,
    Rows,
    Work,
)
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
    """Who may be taken by share.

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
def classify(forest: Forest, usage: Array, ask: Ask, policy: Policy, work: Work) -> None:
    """The group of every ClusterQueue that is looked into."""
    top = ask.path[len(ask.path) - 1]
    clear_groups(forest, ask.path, work.group)
    if policy.within != NONE and forest.active[ask.own]:
        work.group[ask.own] = OWN
    if policy.reclaim not in (1, 2):
        return
    for node in range(top, forest.end[top]):
        if node != ask.own and forest.active[node] and exceeds(forest, usage, node, ask.needed):
            work.group[node] = ELSEWHERE


@compiled
def _offers(forest: Forest, rows: Rows, row: int, ask: Ask, policy: Policy, work: Work) -> bool:
    node, top = rows.queue[row], ask.path[len(ask.path) - 1]
    if node < top or node >= forest.end[top] or work.group[node] < 0:
        return False
    if work.group[node] == OWN:
        allowed = own_ground(rows, row, policy) != NONE
    else:
        allowed = may_reclaim(rows, row, policy)
    return allowed and uses_any(rows, row, ask.is_needed)


@compiled
def gather(
    forest: Forest, rows: Rows, ask: Ask, policy: Policy, order: Order, work: Work, rounds: Rounds
) -> int:
    """Put each queue's candidates side by side; how many there are."""
    for node in range(len(rounds.end)):
        rounds.end[node] = 0
    for row in range(rows.size):
        if _offers(forest, rows, row, ask, policy, work):
            rounds.end[rows.queue[row]] += 1
    count = 0
    for node in range(len(rounds.end)):
        rounds.start[node] = rounds.next[node] = count
        count += rounds.end[node]
        rounds.end[node] = rounds.start[node]
    for row in range(rows.size):
        if _offers(forest, rows, row, ask, policy, work):
            node = rows.queue[row]
            place = rounds.end[node]
            work.keys[place], work.rows[place] = key_of(rows, row, work.group[node], policy, order), row
            rounds.end[node] += 1
    for node in range(len(rounds.end)):
        rounds.ends[node, 0], rounds.top[node], rounds.settled[node] = rounds.end[node], 0, rounds.start[node]
    return count


@compiled
def line_up(by_queue: Array, starts: Array, forest: Forest, ask: Ask, work: Work, rounds: Rounds) -> None:
    """Instead of `gather`: all workloads of each queue in their order, of which candidates are found in turn.

    Only equals of the preemptor in its own queue that have exceeded their time may stand elsewhere than where
    their keys say; where there may be any, `gather`.

    Args:
        by_queue: rows by their keys, evicted ones first, each queue's side by side, int32[n].
        starts: where each node's begin there, int64[nodes + 1].
    """
    top = ask.path[len(ask.path) - 1]
    first, end = starts[top], starts[forest.end[top]]
    copy_part(by_queue, first, end, work.rows, first)
    for node in range(len(rounds.end)):
        rounds.start[node] = rounds.next[node] = starts[node]
        rounds.end[node] = (
            starts[node + 1] if top <= node < forest.end[top] and work.group[node] >= 0 else starts[node]
        )
        rounds.settled[node] = rounds.end[node]


@compiled
def sort_next(work: Work, rounds: Rounds, node: int) -> None:
    """Bring the next candidate of a queue to its place."""
    position = rounds.next[node]
    if rounds.settled[node] <= position < rounds.end[node]:
        rounds.top[node], rounds.settled[node] = settle(
            work.keys, work.rows, rounds.ends[node], rounds.top[node], position
        )


@compiled
def find_next(
    forest: Forest, rows: Rows, ask: Ask, policy: Policy, order: Order, work: Work, rounds: Rounds, node: int
) -> None:
    """Bring the next candidate of a queue to its place, or pass over whoever is none."""
    sort_next(work, rounds, node)
    while rounds.next[node] < rounds.end[node]:
        position = rounds.next[node]
        row = work.rows[position]
        if _offers(forest, rows, row, ask, policy, work):
            work.keys[position] = key_of(rows, row, work.group[node], policy, order)
            return
        rounds.next[node] += 1


@inlined
def _stays(rounds: Rounds, node: int) -> bool:
    return bool(rounds.ratio[node] != NOT_BORROWING or rounds.on_path[node])


@inlined
def count_share(forest: Forest, rounds: Rounds, node: int) -> None:
    """Find the share of a node anew."""
    ratio = ratio_of(forest, rounds.charged, rounds.lendable, node, rounds.borrowed)
    rounds.ratio[node], rounds.share[node] = ratio, weigh(ratio, forest.weight[node])


@inlined
def against(rounds: Rounds, node: int, other: int) -> int:
    """How the shares of two nodes compare."""
    return compare(rounds.share[node], rounds.ratio[node], rounds.share[other], rounds.ratio[other])


@compiled
def find_winner(forest: Forest, rows: Rows, order: Order, work: Work, rounds: Rounds, node: int) -> None:
    """The queue whose turn it is among those below a node (KQ-490, KQ-500)."""
    if forest.is_queue[node]:
        rounds.winner[node] = node if rounds.next[node] < rounds.end[node] else NO_NODE
        return
    queue, cohort, child = NO_NODE, NO_NODE, node + 1
    while child < forest.end[node]:
        if rounds.winner[child] != NO_NODE and _stays(rounds, child):
            if forest.is_queue[child]:
                if queue == NO_NODE or _queue_wins(rows, order, work, rounds, child, queue):
                    queue = child
            elif cohort == NO_NODE or against(rounds, child, cohort) >= 0:
                cohort = child
        child = forest.end[child]
    if cohort != NO_NODE and (queue == NO_NODE or against(rounds, cohort, queue) >= 0):
        queue = rounds.winner[cohort]
    rounds.winner[node] = queue


@inlined
def _queue_wins(rows: Rows, order: Order, work: Work, rounds: Rounds, queue: int, best: int) -> bool:
    share = against(rounds, queue, best)
    if share != 0:
        return bool(share > 0)
    mine, other = rounds.next[queue], rounds.next[best]
    key, other_key = work.keys[mine] >> order.tie, work.keys[other] >> order.tie
    if key != other_key:
        return bool(key < other_key)
    # Of workloads that differ in their names only, none stands before the other here.
    return bool(rows.twin[work.rows[mine]] < rows.twin[work.rows[other]])


@compiled
def _refresh(
    forest: Forest,
    rows: Rows,
    ask: Ask,
    policy: Policy,
    order: Order,
    work: Work,
    rounds: Rounds,
    node: int,
    changed: bool,
) -> None:
    """Find winners anew from a queue up to its root, and shares where what is in use has changed."""
    find_next(forest, rows, ask, policy, order, work, rounds, node)
    while node >= 0:
        if changed:
            count_share(forest, rounds, node)
        find_winner(forest, rows, order, work, rounds, node)
        node = forest.parent[node]


@compiled
def start(
    forest: Forest, rows: Rows, ask: Ask, policy: Policy, order: Order, work: Work, rounds: Rounds
) -> None:
    """Before the first round: shares and winners of the whole tree, and nobody rejected."""
    top = ask.path[len(ask.path) - 1]
    for node in range(len(rounds.end)):
        rounds.rejected[node] = 0
        rounds.on_path[node] = False
    for node in ask.path:
        rounds.on_path[node] = True
    for node in range(forest.end[top] - 1, top - 1, -1):
        count_share(forest, rounds, node)
        find_next(forest, rows, ask, policy, order, work, rounds, node)
        find_winner(forest, rows, order, work, rounds, node)


@compiled
def beside_common(forest: Forest, ask: Ask, rounds: Rounds, node: int) -> tuple[int, int]:
    """The two nodes below the lowest common cohort, on the preemptor's side and on the target's."""
    theirs = node
    while not rounds.on_path[forest.parent[theirs]]:
        theirs = forest.parent[theirs]
    mine = ask.own
    while forest.parent[mine] != forest.parent[theirs]:
        mine = forest.parent[mine]
    return mine, theirs


@compiled
def _take(
    forest: Forest, rows: Rows, row: int, ask: Ask, work: Work, count: int, ground: int, share: int
) -> bool:
    """Take a candidate that has left what is charged already; whether the request fits now."""
    move(forest, rows, row, ask.watched, work.usage, work.log, False)
    work.out[count], work.ground[count], work.share[count] = row, ground, share
    note_held(rows, row, ask, work.held, count)
    return fits(forest, work.usage, ask, True)


@compiled
def reject(work: Work, rounds: Rounds, node: int) -> None:
    """Keep the candidate whose turn it was for the second strategy, in its order."""
    place = rounds.start[node] + rounds.rejected[node]
    work.keys[place], work.rows[place] = work.keys[rounds.next[node]], work.rows[rounds.next[node]]
    rounds.rejected[node] += 1
    rounds.next[node] += 1


@compiled
def _lowers_all(forest: Forest, work: Work, rounds: Rounds, node: int, mine: int, theirs: int) -> bool:
    """Whether a share falls below the preemptor's own whoever leaves a queue, the lightest one included."""
    known = 0
    for at in range(rounds.lightest.shape[1]):
        least = rounds.lightest[node, at]
        known = change(forest, rounds.charged, node, at, least, False, work.log, known)
    left = ratio_of(forest, rounds.charged, rounds.lendable, theirs, rounds.borrowed)
    undo(rounds.charged, work.log, known)
    return bool(compare(rounds.share[mine], rounds.ratio[mine], weigh(left, forest.weight[theirs]), left) > 0)


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


@compiled
def _visit(
    forest: Forest,
    rows: Rows,
    ask: Ask,
    policy: Policy,
    order: Order,
    work: Work,
    rounds: Rounds,
    node: int,
    how: Strategies,
) -> tuple[int, int, int]:
    """The first candidate of a queue that the first strategy allows: row, ground and share; -1 for none."""
    mine, theirs = beside_common(forest, ask, rounds, node)
    before = against(rounds, mine, theirs)
    if before >= 0 if how.initial else how.lowers and _lowers_all(forest, work, rounds, node, mine, theirs):
        # The second strategy looks at the first one only.
        reject(work, rounds, node)
        rounds.next[node] = rounds.end[node]
        return -1, NONE, 0
    while rounds.next[node] < rounds.end[node]:
        row = work.rows[rounds.next[node]]
        known = move(forest, rows, row, rounds.every, rounds.charged, work.log, False)
        if how.initial:
            share, allowed = before, before < 0
        else:
            left = ratio_of(forest, rounds.charged, rounds.lendable, theirs, rounds.borrowed)
            share = compare(rounds.share[mine], rounds.ratio[mine], weigh(left, forest.weight[theirs]), left)
            allowed = share <= 0
        if allowed:
            rounds.next[node] += 1
            return row, INITIAL_SHARE if how.initial else FINAL_SHARE, share
        undo(rounds.charged, work.log, known)
        reject(work, rounds, node)
        find_next(forest, rows, ask, policy, order, work, rounds, node)
    return -1, NONE, 0


@compiled
def play(
    forest: Forest,
    rows: Rows,
    ask: Ask,
    policy: Policy,
    order: Order,
    work: Work,
    rounds: Rounds,
    claims: bool,
    how: Strategies,
) -> tuple[int, bool]:
    """Visit queues by the first strategy; how many are taken, and whether the request fits."""
    taken, root = 0, ask.path[len(ask.path) - 1]
    while True:
        node = rounds.winner[root]
        if node == NO_NODE:
            return taken, False
        if node == ask.own or claims:
            row, share = work.rows[rounds.next[node]], 0
            ground = own_ground(rows, row, policy) if node == ask.own else WITHIN_NOMINAL
            move(forest, rows, row, rounds.every, rounds.charged, work.log, False)
            rounds.next[node] += 1
        else:
            row, ground, share = _visit(forest, rows, ask, policy, order, work, rounds, node, how)
        done = row >= 0 and _take(forest, rows, row, ask, work, taken, ground, share)
        taken += int(row >= 0)
        if done:
            return taken, True
        _refresh(forest, rows, ask, policy, order, work, rounds, node, row >= 0)


@compiled
def play_again(
    forest: Forest,
    rows: Rows,
    ask: Ask,
    policy: Policy,
    order: Order,
    work: Work,
    rounds: Rounds,
    taken: int,
) -> tuple[int, bool]:
    """Visit each queue of rejected candidates once, by the second strategy."""
    root = ask.path[len(ask.path) - 1]
    for node in range(forest.end[root] - 1, root - 1, -1):
        rounds.next[node] = rounds.start[node]
        rounds.end[node] = rounds.settled[node] = rounds.start[node] + rounds.rejected[node]
        find_winner(forest, rows, order, work, rounds, node)
    while True:
        node = rounds.winner[root]
        if node == NO_NODE:
            return taken, False
        row, allowed = work.rows[rounds.next[node]], False
        rounds.next[node] = rounds.end[node]
        mine, theirs = beside_common(forest, ask, rounds, node)
        share = against(rounds, mine, theirs)
        if share < 0:
            move(forest, rows, row, rounds.every, rounds.charged, work.log, False)
            done = _take(forest, rows, row, ask, work, taken, INITIAL_SHARE, share)
            taken, allowed = taken + 1, True
            if done:
                return taken, True
        _refresh(forest, rows, ask, policy, order, work, rounds, node, allowed)


@compiled
def claims_nominal(forest: Forest, ask: Ask, charged: Array) -> bool:
    for at in ask.needed:
        if charged[ask.own, at] > forest.nominal[ask.own, at]:
            return False
    return True


@compiled
def select(
    rows: Rows,
    forest: Forest,
    usage: Array,
    ask: Ask,
    policy: Policy,
    order: Order,
    work: Work,
    rounds: Rounds,
    how: Strategies,
) -> tuple[int, int, bool]:
    """Find targets under fair sharing.

    Args:
        usage: what is in use at every node; it stays as it is.
        how: who may be taken by share.

    Returns:
        start and end in `work.out` of who is taken, in the order of removal, and whether the preemptor
        claimed its nominal quota.
    """
    classify(forest, usage, ask, policy, work)
    if gather(forest, rows, ask, policy, order, work, rounds) == 0:
        copy_tree(forest, usage, ask.path, work.usage)
        return 0, 0, False
    return hold(rows, forest, usage, ask, policy, order, work, rounds, how)


@compiled
def select_sorted(
    by_queue: Array,
    starts: Array,
    rows: Rows,
    forest: Forest,
    usage: Array,
    ask: Ask,
    policy: Policy,
    order: Order,
    work: Work,
    rounds: Rounds,
    how: Strategies,
) -> tuple[int, int, bool]:
    """As `select`, where the rows are sorted already, see `line_up`."""
    classify(forest, usage, ask, policy, work)
    line_up(by_queue, starts, forest, ask, work, rounds)
    return hold(rows, forest, usage, ask, policy, order, work, rounds, how)


@compiled
def hold(
    rows: Rows,
    forest: Forest,
    usage: Array,
    ask: Ask,
    policy: Policy,
    order: Order,
    work: Work,
    rounds: Rounds,
    how: Strategies,
) -> tuple[int, int, bool]:
    """Hold the tournament among candidates that stand in `rounds`; see `select`."""
    copy_tree(forest, usage, ask.path, work.usage)
    copy_tree(forest, usage, ask.path, rounds.charged)
    for index in range(len(ask.at)):
        change(forest, rounds.charged, ask.own, ask.at[index], ask.amount[index], True, work.log, 0)
    claims = how.gate and claims_nominal(forest, ask, rounds.charged)
    start(forest, rows, ask, policy, order, work, rounds)
    taken, fit = play(forest, rows, ask, policy, order, work, rounds, claims, how)
    if not fit and how.again:
        taken, fit = play_again(forest, rows, ask, policy, order, work, rounds, taken)
    if not fit:
        copy_tree(forest, usage, ask.path, work.usage)
        return 0, 0, claims
    kept = fill_back(forest, rows, ask, True, taken, work)
    return taken - kept, taken, claims


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
