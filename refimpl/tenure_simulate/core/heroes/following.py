"""Searches of a standard queue where lending limits, and so shares, follow who has left.

They are those of `classical` and `fair` of the core, but quotas are counted again each time.
"""

from __future__ import annotations

from typing import NamedTuple

from tenure_simulate.core.bases import classical_basis, own_basis
from tenure_simulate.core.classical import attempts, classify, gather, stands
from tenure_simulate.core.compiled import compiled
from tenure_simulate.core.fair import (
    against,
    beside_common,
    claims_nominal,
    count_share,
    find_winner,
    follow_path,
    passes_final_share,
    passes_initial_share,
    wait_again,
)
from tenure_simulate.core.heroes.effective import NO_BRANCH, leave, pass_up, start
from tenure_simulate.core.heroes.tables import Books
from tenure_simulate.core.nodes import fits
from tenure_simulate.core.rounds import (
    NO_NODE,
    Rounds,
    Strategies,
    classify_fairly,
    gather_by_queue,
    reject,
    sort_next,
)
from tenure_simulate.core.shares import compare, count_lendable, ratio_of, weigh
from tenure_simulate.core.sorting import settle
from tenure_simulate.core.tables import (
    FINAL_SHARE,
    INITIAL_SHARE,
    NONE,
    WITHIN_NOMINAL,
    Array,
    Ask,
    Forest,
    SearchInput,
)


@compiled
def fill_back(given: SearchInput, seen: Forest, books: Books, may_borrow: bool, count: int) -> int:
    """Give back, from the second last removed to the first, what is not needed; how many stay removed."""
    rows, _, _, ask, _, _, work = given
    kept = count - 1
    for index in range(count - 2, -1, -1):
        row = work.out[index]
        leave(books, rows, NO_BRANCH, row, ask, True)
        if not fits(seen, work.usage, ask, may_borrow):
            leave(books, rows, NO_BRANCH, row, ask, False)
            kept -= 1
            work.out[kept], work.basis[kept], work.share[kept] = row, work.basis[index], work.share[index]
    return count - kept


@compiled
def select_classically(
    given: SearchInput, seen: Forest, books: Books, before: Array
) -> tuple[int, int, bool]:
    """Find targets, quotas counted again after each removal.

    Args:
        given: its `forest` are the trees while every workload holds its quota, where heroes offer none; the
            `usage` of its `work` is that of the books.
        seen: the trees with the quotas of the books.
        books: at the end without those that are preempted.
        before: amounts of every node while every workload holds its quota.

    Returns:
        as `tenure_simulate.core.classical.select`.
    """
    rows, _, _, ask, policy, _, work = given
    classify(given)
    count, elsewhere, advantaged = gather(given)
    may_borrow, again = attempts(given, elsewhere, advantaged)
    work.ends[0], top, settled = count, 0, 0
    while True:
        start(books, before, ask, NO_BRANCH)
        taken, position = 0, 0
        while position < count:
            if position >= settled:
                top, settled = settle(work.keys, work.rows, work.ends, top, position)
            row = work.rows[position]
            position += 1
            node = rows.queue[row]
            basis = classical_basis(rows, row, work.group[node], policy)
            if not stands(seen, node, basis, ask, may_borrow, work):
                continue
            leave(books, rows, NO_BRANCH, row, ask, False)
            work.out[taken], work.basis[taken], work.share[taken] = row, basis, 0
            taken += 1
            if fits(seen, work.usage, ask, may_borrow):
                kept = fill_back(given, seen, books, may_borrow, taken)
                return taken - kept, taken, may_borrow
        if not again:
            return 0, 0, may_borrow
        may_borrow, again = not may_borrow, False


class Contest(NamedTuple):
    """A tournament where quotas follow who has left.

    Args:
        given: the search; the `usage` of its `work` is that of `books`, its `forest` is while every workload
            holds its quota.
        books, seen: what is in use, and the trees with those quotas.
        charged, dear: the same with the request counted.
        before: amounts of every node while every workload holds its quota.
        every: the question, every column watched.
        rounds: the tournament; what it calls charged is in use in `charged`.
        most: room, int64[nodes, columns].
    """

    given: SearchInput
    books: Books
    seen: Forest
    charged: Books
    dear: Forest
    before: Array
    every: Ask
    rounds: Rounds
    most: Array


@compiled
def _count_lendable(contest: Contest) -> None:
    """What every node could have of each resource, now."""
    lendable = contest.rounds.lendable
    for node in range(lendable.shape[0]):
        for resource in range(lendable.shape[1]):
            lendable[node, resource] = 0
    count_lendable(contest.dear, contest.most, lendable)


@compiled
def _charge(contest: Contest, adding: bool) -> None:
    """Count the request beside what runs, or no longer; no bill takes notice of it."""
    ask = contest.given.ask
    for index in range(len(ask.at)):
        pass_up(contest.charged, ask.own, ask.at[index], ask.amount[index], adding)


@compiled
def _change(contest: Contest, row: int, adding: bool) -> None:
    """Let a workload leave or come back, as far as shares go."""
    _charge(contest, False)
    leave(contest.charged, contest.given.rows, NO_BRANCH, row, contest.every, adding)
    _charge(contest, True)
    _count_lendable(contest)


@compiled
def _next_queue(contest: Contest) -> int:
    """The queue whose turn it is, by the shares of the whole tree as they are now."""
    given, rounds, dear = contest.given, contest.rounds, contest.dear
    top = given.ask.path[len(given.ask.path) - 1]
    for node in range(dear.end[top] - 1, top - 1, -1):
        count_share(dear, rounds, node)
        sort_next(given.work, rounds, node)
        find_winner(given, rounds, node)
    return int(rounds.winner[top])


@compiled
def _visit(contest: Contest, node: int, initial: bool) -> tuple[int, int, int]:
    """The first candidate of a queue that the first strategy allows: row, basis and share; -1 for none."""
    work, rounds, dear = contest.given.work, contest.rounds, contest.dear
    mine, theirs = beside_common(dear, contest.given.ask, rounds, node)
    share = against(rounds, mine, theirs)
    while rounds.next[node] < rounds.end[node]:
        sort_next(work, rounds, node)
        row, allowed = work.rows[rounds.next[node]], passes_initial_share(share)
        _change(contest, row, False)
        if not initial:
            left = ratio_of(dear, rounds.charged, rounds.lendable, theirs, rounds.borrowed)
            share = compare(rounds.share[mine], rounds.ratio[mine], weigh(left, dear.weight[theirs]), left)
            allowed = passes_final_share(share)
        if allowed:
            rounds.next[node] += 1
            return row, INITIAL_SHARE if initial else FINAL_SHARE, share
        _change(contest, row, True)
        reject(work, rounds, node)
    return -1, NONE, 0


@compiled
def _take(contest: Contest, row: int, count: int, basis: int, share: int) -> bool:
    """Take a candidate, the next behind as many; whether the request fits now."""
    rows, _, _, ask, _, _, work = contest.given
    leave(contest.books, rows, NO_BRANCH, row, ask, False)
    work.out[count], work.basis[count], work.share[count] = row, basis, share
    return fits(contest.seen, work.usage, ask, True)


@compiled
def _play(contest: Contest, claims: bool, initial: bool) -> tuple[int, bool]:
    """Visit queues by the first strategy; how many are preempted, and whether the request fits."""
    rows, _, _, ask, policy, _, work = contest.given
    rounds, taken = contest.rounds, 0
    while True:
        node = _next_queue(contest)
        if node == NO_NODE:
            return taken, False
        if node == ask.own or claims:
            row, share = work.rows[rounds.next[node]], 0
            basis = own_basis(rows, row, policy) if node == ask.own else WITHIN_NOMINAL
            _change(contest, row, False)
            rounds.next[node] += 1
        else:
            row, basis, share = _visit(contest, node, initial)
        if row >= 0:
            taken += 1
            if _take(contest, row, taken - 1, basis, share):
                return taken, True


@compiled
def _play_again(contest: Contest, taken: int) -> tuple[int, bool]:
    """Visit each queue of rejected candidates once, by the second strategy."""
    rounds = contest.rounds
    wait_again(contest.given, rounds)
    while True:
        node = _next_queue(contest)
        if node == NO_NODE:
            return taken, False
        row = contest.given.work.rows[rounds.next[node]]
        rounds.next[node] = rounds.end[node]
        mine, theirs = beside_common(contest.dear, contest.given.ask, rounds, node)
        share = against(rounds, mine, theirs)
        if passes_initial_share(share):
            _change(contest, row, False)
            taken += 1
            if _take(contest, row, taken - 1, INITIAL_SHARE, share):
                return taken, True


@compiled
def select_fairly(contest: Contest, how: Strategies) -> tuple[int, int, bool]:
    """Find targets, as `tenure_simulate.core.fair.select`."""
    given, rounds, ask = contest.given, contest.rounds, contest.given.ask
    classify_fairly(given)
    follow_path(ask, rounds)
    start(contest.charged, contest.before, contest.every, NO_BRANCH)
    _charge(contest, True)
    _count_lendable(contest)
    if gather_by_queue(given, rounds) == 0:
        return 0, 0, False
    start(contest.books, contest.before, ask, NO_BRANCH)
    claims = how.gate and claims_nominal(contest.dear, ask, rounds.charged)
    taken, fit = _play(contest, claims, how.initial)
    if not fit and how.again:
        taken, fit = _play_again(contest, taken)
    if not fit:
        return 0, 0, claims
    kept = fill_back(given, contest.seen, contest.books, True, taken)
    return taken - kept, taken, claims
