"""Fair sharing for a standard queue where lending limits, and so shares, follow who has left.

The rounds are those of `tenure.fast.fair`, but what is charged has quotas of its own, counted anew each time.
"""

from __future__ import annotations

from tenure.fast.compiled import compiled
from tenure.fast.fair import against, beside_common, count_share, find_winner
from tenure.fast.fair import claims_nominal as claims_within
from tenure.fast.grounds import own_ground
from tenure.fast.heroes.effective import NOBODY, leave, pass_up, start
from tenure.fast.heroes.tables import Books
from tenure.fast.nodes import fits
from tenure.fast.rounds import NO_NODE, Rounds
from tenure.fast.shares import compare, count_lendable, ratio_of, weigh
from tenure.fast.tables import (
    FINAL_SHARE,
    INITIAL_SHARE,
    NONE,
    WITHIN_NOMINAL,
    Array,
    Ask,
    Forest,
    Order,
    Policy,
    Rows,
    Work,
)
from tenure.fast.waiting import classify, gather, reject, sort_next

OVER = -2
"""In the place of a row: no queue is left to visit."""


@compiled
def _count_lendable(seen: Forest, rounds: Rounds, most: Array) -> None:
    """What every node could have of each resource, now."""
    for node in range(rounds.lendable.shape[0]):
        for resource in range(rounds.lendable.shape[1]):
            rounds.lendable[node, resource] = 0
    count_lendable(seen, most, rounds.lendable)


@compiled
def _charge(charged: Books, ask: Ask, adding: bool) -> None:
    """Count the request beside what runs, or no longer; no bill takes notice of it."""
    for index in range(len(ask.at)):
        pass_up(charged, ask.own, ask.at[index], ask.amount[index], adding)


@compiled
def _change(
    seen: Forest,
    charged: Books,
    rows: Rows,
    row: int,
    ask: Ask,
    every: Ask,
    rounds: Rounds,
    most: Array,
    adding: bool,
) -> None:
    """Let a workload leave or come back, as far as shares go."""
    _charge(charged, ask, False)
    leave(charged, rows, NOBODY, row, every, adding)
    _charge(charged, ask, True)
    _count_lendable(seen, rounds, most)


@compiled
def _look(seen: Forest, rows: Rows, order: Order, ask: Ask, work: Work, rounds: Rounds) -> None:
    """Shares and winners of the whole tree."""
    top = ask.path[len(ask.path) - 1]
    for node in range(seen.end[top] - 1, top - 1, -1):
        count_share(seen, rounds, node)
        sort_next(work, rounds, node)
        find_winner(seen, rows, order, work, rounds, node)


@compiled
def _visit(
    seen: Forest,
    charged: Books,
    rows: Rows,
    ask: Ask,
    every: Ask,
    work: Work,
    rounds: Rounds,
    most: Array,
    node: int,
    initial: bool,
) -> tuple[int, int, int]:
    """The first candidate of a queue that the first strategy allows: row, ground and share; -1 for none."""
    mine, theirs = beside_common(seen, ask, rounds, node)
    share = against(rounds, mine, theirs)
    while rounds.next[node] < rounds.end[node]:
        sort_next(work, rounds, node)
        row, allowed = work.rows[rounds.next[node]], share < 0
        _change(seen, charged, rows, row, ask, every, rounds, most, False)
        if not initial:
            left = ratio_of(seen, rounds.charged, rounds.lendable, theirs, rounds.borrowed)
            share = compare(rounds.share[mine], rounds.ratio[mine], weigh(left, seen.weight[theirs]), left)
            allowed = share <= 0
        if allowed:
            rounds.next[node] += 1
            return row, INITIAL_SHARE if initial else FINAL_SHARE, share
        _change(seen, charged, rows, row, ask, every, rounds, most, True)
        reject(work, rounds, node)
    return -1, NONE, 0


@compiled
def play(
    rows: Rows,
    seen: Forest,
    charged: Books,
    ask: Ask,
    every: Ask,
    policy: Policy,
    order: Order,
    work: Work,
    rounds: Rounds,
    most: Array,
    claims: bool,
    initial: bool,
) -> tuple[int, int, int]:
    """One round by the first strategy: who is taken, on which ground and share; -2 where no queue is left."""
    _look(seen, rows, order, ask, work, rounds)
    node = rounds.winner[ask.path[len(ask.path) - 1]]
    if node == NO_NODE:
        return OVER, NONE, 0
    if node != ask.own and not claims:
        return _visit(seen, charged, rows, ask, every, work, rounds, most, node, initial)
    row = work.rows[rounds.next[node]]
    ground = own_ground(rows, row, policy) if node == ask.own else WITHIN_NOMINAL
    _change(seen, charged, rows, row, ask, every, rounds, most, False)
    rounds.next[node] += 1
    return row, ground, 0


@compiled
def play_again(
    rows: Rows,
    seen: Forest,
    charged: Books,
    ask: Ask,
    every: Ask,
    order: Order,
    work: Work,
    rounds: Rounds,
    most: Array,
) -> tuple[int, int, int]:
    """One round by the second strategy, as `play`; a queue is visited once."""
    _look(seen, rows, order, ask, work, rounds)
    node = rounds.winner[ask.path[len(ask.path) - 1]]
    if node == NO_NODE:
        return OVER, NONE, 0
    row = work.rows[rounds.next[node]]
    rounds.next[node] = rounds.end[node]
    mine, theirs = beside_common(seen, ask, rounds, node)
    share = against(rounds, mine, theirs)
    if share >= 0:
        return -1, NONE, 0
    _change(seen, charged, rows, row, ask, every, rounds, most, False)
    return row, INITIAL_SHARE, share


@compiled
def prepare(
    rows: Rows,
    forest: Forest,
    seen: Forest,
    charged: Books,
    before: Array,
    usage: Array,
    ask: Ask,
    every: Ask,
    policy: Policy,
    order: Order,
    work: Work,
    rounds: Rounds,
    most: Array,
) -> int:
    """Find candidates, and count the request; how many candidates there are.

    Args:
        forest: the trees while everybody holds its quota, where heroes offer nobody.
        seen: the trees with the quotas of `charged`.
        charged: books that the request is counted in.
        before, usage: as for `tenure.fast.heroes.classical.select`.
        every: the question, every column watched.
        most: room, int64[nodes, columns].
    """
    classify(forest, usage, ask, policy, work)
    for node in range(len(rounds.end)):
        rounds.rejected[node] = 0
        rounds.on_path[node] = False
    for node in ask.path:
        rounds.on_path[node] = True
    start(charged, before, every, NOBODY)
    _charge(charged, ask, True)
    _count_lendable(seen, rounds, most)
    return gather(forest, rows, ask, policy, order, work, rounds)


@compiled
def claims_nominal(seen: Forest, ask: Ask, rounds: Rounds) -> bool:
    """Whether the queue stays within its nominal quota, the request included."""
    return claims_within(seen, ask, rounds.charged)


@compiled
def wait_again(seen: Forest, ask: Ask, rounds: Rounds) -> None:
    """Let those who were rejected wait again."""
    root = ask.path[len(ask.path) - 1]
    for node in range(root, seen.end[root]):
        rounds.next[node] = rounds.start[node]
        rounds.end[node] = rounds.settled[node] = rounds.start[node] + rounds.rejected[node]


@compiled
def take(
    seen: Forest,
    books: Books,
    rows: Rows,
    row: int,
    ask: Ask,
    work: Work,
    count: int,
    ground: int,
    share: int,
) -> bool:
    """Take a candidate; whether the request fits now.

    Args:
        seen: the trees with the quotas of the books.
        work: its `usage` is that of the books.
        count: how many were taken before.
    """
    leave(books, rows, NOBODY, row, ask, False)
    work.out[count], work.ground[count], work.share[count] = row, ground, share
    return fits(seen, work.usage, ask, True)
