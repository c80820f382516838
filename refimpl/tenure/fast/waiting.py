"""Who waits in each ClusterQueue for its turn in a tournament, sorted or found only as far as it comes."""

from __future__ import annotations

from tenure.fast.compiled import compiled
from tenure.fast.grounds import key_of, may_reclaim, may_reclaim_any, own_ground, uses_any
from tenure.fast.nodes import clear_groups, copy_part, exceeds
from tenure.fast.rounds import Rounds
from tenure.fast.sorting import settle
from tenure.fast.tables import ELSEWHERE, NONE, OWN, Array, SearchInput, Work
from tenure.model import WithinClusterQueue


@compiled
def classify(given: SearchInput) -> None:
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
        allowed = own_ground(rows, row, policy) != NONE
    else:
        allowed = may_reclaim(rows, row, policy)
    return allowed and (ask.common == 1 or uses_any(rows, row, ask.is_needed))


@compiled
def gather(given: SearchInput, rounds: Rounds) -> int:
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
def line_up(by_queue: Array, starts: Array, given: SearchInput, rounds: Rounds) -> None:
    """Instead of `gather`: all workloads of each queue in their order, of which candidates are found in turn.

    Only equals of the preemptor in its own queue that have exceeded their time may stand elsewhere than where
    their keys say; where there may be any, `gather`.

    Args:
        by_queue: rows by their keys, evicted ones first, each queue's side by side, int32[n].
        starts: where each node's begin there, int64[nodes + 1].
    """
    forest, ask, work = given.forest, given.ask, given.work
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
def find_next(given: SearchInput, rounds: Rounds, node: int) -> None:
    """Bring the next candidate of a queue to its place, or pass over whoever is none."""
    work = given.work
    sort_next(work, rounds, node)
    while rounds.next[node] < rounds.end[node]:
        position = rounds.next[node]
        row = work.rows[position]
        if _offers(given, row):
            work.keys[position] = key_of(given.rows, row, work.group[node], given.policy, given.order)
            return
        rounds.next[node] += 1


@compiled
def reject(work: Work, rounds: Rounds, node: int) -> None:
    """Keep the candidate whose turn it was for the second strategy, in its order."""
    place = rounds.start[node] + rounds.rejected[node]
    work.keys[place], work.rows[place] = work.keys[rounds.next[node]], work.rows[rounds.next[node]]
    rounds.rejected[node] += 1
    rounds.next[node] += 1
