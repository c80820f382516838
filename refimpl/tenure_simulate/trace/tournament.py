"""Whose turn it is under fair sharing: the winner of a tournament in its tree, held again for every turn.

Shares are counted by the kernels of the optimized core, on what the cycle has charged so far.
"""

from __future__ import annotations

from typing import NamedTuple

from tenure.rules import cycle
from tenure_simulate.core.compiled import compiled, compiled_rule
from tenure_simulate.core.shares import borrowed_amount, compare, ratio_of, weigh
from tenure_simulate.core.tables import Forest
from tenure_simulate.trace.tables import (
    CHARGED,
    ENTRIES,
    NO_FIT,
    FairSharing,
    TracePlay,
    Trees,
    TreeTables,
    TurnContest,
)
from tenure_simulate.trace.trees import charge_held

wins_tournament = compiled_rule(cycle.wins_tournament)

_NONE = -1


@compiled
def _borrows(forest: Forest, tables: TreeTables, node: int, job: int) -> bool:
    """Whether a node borrows for a job; what it would get is charged."""
    for resource in range(tables.requests.shape[1]):
        at = tables.columns[job, resource]
        if at >= 0 and borrowed_amount(tables.charged[node, at], forest.subtree[node, at]) > 0:
            return True
    return False


@compiled
def _weigh_in(play: TracePlay, trees: Trees, sharing: FairSharing, node: int) -> None:
    """Count the share of a node with the head admitted that wins below it."""
    forest, tables = trees.forest, trees.tables
    rounds, contest = sharing.rounds, sharing.contest
    entry = contest.entry[node]
    job, may_fit = play.entries.job[entry], play.entries.outcome[entry] != NO_FIT
    place = play.jobs.queue[job]
    if may_fit:
        charge_held(trees, play.heroes, CHARGED, place, job, 1)
    ratio = ratio_of(forest, tables.charged, rounds.lendable, node, rounds.borrowed)
    contest.ratio[node], contest.share[node] = ratio, weigh(ratio, forest.weight[node])
    contest.borrows[node] = may_fit and _borrows(forest, tables, node, job)
    if may_fit:
        charge_held(trees, play.heroes, CHARGED, place, job, -1)


class _Contestant(NamedTuple):
    """As `tenure.model.Contestant`."""

    goes_first: bool
    borrows: bool
    priority: int
    queued_at: int


@compiled
def _contestant(play: TracePlay, contest: TurnContest, node: int) -> _Contestant:
    jobs, job = play.jobs, play.entries.job[contest.entry[node]]
    return _Contestant(False, contest.borrows[node], jobs.priority[job], jobs.queued[job])


@compiled
def _beats(play: TracePlay, contest: TurnContest, node: int, other: int) -> bool:
    """Whether the head that wins below a node beats that of a sibling."""
    share = compare(contest.share[node], contest.ratio[node], contest.share[other], contest.ratio[other])
    mine, theirs = _contestant(play, contest, node), _contestant(play, contest, other)
    return bool(wins_tournament(mine, theirs, share, True))


@compiled
def _winner_below(play: TracePlay, forest: Forest, contest: TurnContest, cohort: int) -> int:
    """The head that wins below a cohort; equals by name, cohorts before ClusterQueues."""
    best = _NONE
    for queues in (False, True):
        child = cohort + 1
        while child < forest.end[cohort]:
            waits = forest.is_queue[child] == queues and contest.entry[child] != _NONE
            if waits and (best == _NONE or _beats(play, contest, child, best)):
                best = child
            child = forest.end[child]
    return _NONE if best == _NONE else int(contest.entry[best])


@compiled
def _node_of(play: TracePlay, tables: TreeTables, entry: int) -> int:
    return int(tables.node[play.jobs.queue[play.entries.job[entry]]])


@compiled
def _enter(play: TracePlay, trees: Trees, contest: TurnContest, turn: int, top: int) -> None:
    """The heads of a tree that are left stand at the nodes of their ClusterQueues."""
    forest, tables = trees.forest, trees.tables
    for node in range(top, forest.end[top]):
        contest.entry[node] = _NONE
    for later in range(turn, play.state[ENTRIES]):
        node = _node_of(play, tables, play.turns[later])
        if top <= node < forest.end[top]:
            contest.entry[node] = play.turns[later]


@compiled
def _fairest(play: TracePlay, trees: Trees, sharing: FairSharing, turn: int) -> int:
    """The next head of the tree of the first ClusterQueue, by name, that has one left."""
    forest, tables, contest = trees.forest, trees.tables, sharing.contest
    first = play.turns[turn]
    for later in range(turn + 1, play.state[ENTRIES]):
        first = min(first, play.turns[later])
    top = forest.root[_node_of(play, tables, first)]
    if forest.is_queue[top]:
        return int(first)
    _enter(play, trees, contest, turn, top)
    for node in range(forest.end[top] - 1, top, -1):
        if not forest.is_queue[node]:
            contest.entry[node] = _winner_below(play, forest, contest, node)
        if contest.entry[node] != _NONE:
            _weigh_in(play, trees, sharing, node)
    return _winner_below(play, forest, contest, top)


@compiled
def bring_fairest(play: TracePlay, turn: int, sharing: FairSharing | None) -> None:
    """Let the fairest of the heads that are left have a turn, where there is fair sharing (CYC-030).

    Args:
        play: its heads before that turn have had theirs.
        turn: its number in the cycle.
        sharing: of its trees, by itself: the compiler leaves out the branch where it is None.
    """
    if sharing is not None:
        entry, turns = _fairest(play, play.trees, sharing, turn), play.turns
        for later in range(turn, play.state[ENTRIES]):
            if turns[later] == entry:
                turns[later], turns[turn] = turns[turn], entry
