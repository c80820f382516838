"""Fair sharing over arrays: the tournament among ClusterQueues, and the strategies.

Each queue's candidates lie side by side and are sorted only as far as its turn comes. What wins below a
cohort is kept, and found again only on the path of the queue that changed.
"""

from __future__ import annotations

from tenure.rules import share as share_rules
from tenure_simulate.core.bases import own_basis
from tenure_simulate.core.compiled import compiled, compiled_rule, inlined
from tenure_simulate.core.nodes import (
    change,
    copy_tree,
    fill_back,
    fits,
    is_within_quota,
    move,
    note_held,
    undo,
)
from tenure_simulate.core.rounds import (
    NO_NODE,
    Rounds,
    Strategies,
    classify_fairly,
    gather_by_queue,
    reject,
    sort_next,
)
from tenure_simulate.core.shares import NOT_BORROWING, compare, ratio_of, weigh
from tenure_simulate.core.tables import (
    FINAL_SHARE,
    INITIAL_SHARE,
    NONE,
    WITHIN_NOMINAL,
    Array,
    Ask,
    Forest,
    SearchInput,
    TierTables,
)
from tenure_simulate.core.tiers import go_on

cohort_wins = compiled_rule(share_rules.cohort_wins)
queue_wins = compiled_rule(share_rules.queue_wins)
passes_final_share = compiled_rule(share_rules.passes_final_share)
passes_initial_share = compiled_rule(share_rules.passes_initial_share)
stays_in_tournament = compiled_rule(share_rules.stays_in_tournament)


@inlined
def _stays(rounds: Rounds, node: int) -> bool:
    return bool(stays_in_tournament(rounds.ratio[node] != NOT_BORROWING, rounds.on_path[node]))


@inlined
def count_share(forest: Forest, rounds: Rounds, node: int) -> None:
    """Find the share of a node again."""
    ratio = ratio_of(forest, rounds.charged, rounds.lendable, node, rounds.borrowed)
    rounds.ratio[node], rounds.share[node] = ratio, weigh(ratio, forest.weight[node])


@inlined
def against(rounds: Rounds, node: int, other: int) -> int:
    """How the shares of two nodes compare."""
    return compare(rounds.share[node], rounds.ratio[node], rounds.share[other], rounds.ratio[other])


@compiled
def find_winner(given: SearchInput, rounds: Rounds, node: int) -> None:
    """The queue whose turn it is among those below a node (KQ-490, KQ-500)."""
    forest = given.forest
    if forest.is_queue[node]:
        rounds.winner[node] = node if rounds.next[node] < rounds.end[node] else NO_NODE
        return
    queue, cohort, child = NO_NODE, NO_NODE, node + 1
    while child < forest.end[node]:
        if rounds.winner[child] != NO_NODE and _stays(rounds, child):
            if forest.is_queue[child]:
                if queue == NO_NODE or _queue_wins(given, rounds, child, queue):
                    queue = child
            elif cohort == NO_NODE or cohort_wins(against(rounds, child, cohort)):
                cohort = child
        child = forest.end[child]
    if cohort != NO_NODE and (queue == NO_NODE or cohort_wins(against(rounds, cohort, queue))):
        queue = rounds.winner[cohort]
    rounds.winner[node] = queue


@inlined
def _without_tie(key: int, tie: int) -> int:
    return key >> tie


@inlined
def _queue_wins(given: SearchInput, rounds: Rounds, queue: int, best: int) -> bool:
    work, tie, mine, other = given.work, given.order.tie, rounds.next[queue], rounds.next[best]
    key, other_key = _without_tie(work.keys[mine], tie), _without_tie(work.keys[other], tie)
    stands_before = key < other_key
    if key == other_key:  # of workloads that differ in their names only, none comes before the other here
        stands_before = given.rows.twin[work.rows[mine]] < given.rows.twin[work.rows[other]]
    return bool(queue_wins(against(rounds, queue, best), stands_before))


@compiled
def refresh(given: SearchInput, rounds: Rounds, node: int, changed: bool) -> None:
    """Find winners again from a queue up to its root, and shares where what is in use has changed."""
    sort_next(given.work, rounds, node)
    while node >= 0:
        if changed:
            count_share(given.forest, rounds, node)
        find_winner(given, rounds, node)
        node = given.forest.parent[node]


@compiled
def follow_path(ask: Ask, rounds: Rounds) -> None:
    """Note which nodes are on the preemptor's path; none is rejected yet."""
    for node in range(len(rounds.end)):
        rounds.rejected[node] = 0
        rounds.on_path[node] = False
    for node in ask.path:
        rounds.on_path[node] = True


@compiled
def start(given: SearchInput, rounds: Rounds) -> None:
    """Before the first round: shares and winners of the whole tree, and none rejected."""
    forest, top = given.forest, given.ask.path[len(given.ask.path) - 1]
    follow_path(given.ask, rounds)
    for node in range(forest.end[top] - 1, top - 1, -1):
        count_share(forest, rounds, node)
        sort_next(given.work, rounds, node)
        find_winner(given, rounds, node)


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
def _take(given: SearchInput, row: int, count: int, basis: int, share: int) -> bool:
    """Take a candidate that has left what is charged already; whether the request fits now."""
    rows, forest, _, ask, _, _, work = given
    move(forest, rows, row, ask.watched, work.usage, work.log, False)
    work.out[count], work.basis[count], work.share[count] = row, basis, share
    note_held(rows, row, ask, work.held, count)
    return fits(forest, work.usage, ask, True)


@compiled
def _lowers_all(given: SearchInput, rounds: Rounds, node: int, mine: int, theirs: int) -> bool:
    """Whether a share falls below the preemptor's own whoever leaves a queue, the lightest one included."""
    forest, work, known = given.forest, given.work, 0
    for at in range(rounds.lightest.shape[1]):
        least = rounds.lightest[node, at]
        known = change(forest, rounds.charged, node, at, least, False, work.log, known)
    left = ratio_of(forest, rounds.charged, rounds.lendable, theirs, rounds.borrowed)
    undo(rounds.charged, work.log, known)
    share = compare(rounds.share[mine], rounds.ratio[mine], weigh(left, forest.weight[theirs]), left)
    return not passes_final_share(share)


@compiled
def _visit(given: SearchInput, rounds: Rounds, node: int, how: Strategies) -> tuple[int, int, int]:
    """The first candidate of a queue that the first strategy allows: row, basis and share; -1 for none."""
    rows, forest, work = given.rows, given.forest, given.work
    mine, theirs = beside_common(forest, given.ask, rounds, node)
    before = against(rounds, mine, theirs)
    rejects_all = how.initial and not passes_initial_share(before)
    if how.lowers and not how.initial:
        rejects_all = _lowers_all(given, rounds, node, mine, theirs)
    if rejects_all:
        # The second strategy looks at the first one only.
        reject(work, rounds, node)
        rounds.next[node] = rounds.end[node]
        return -1, NONE, 0
    while rounds.next[node] < rounds.end[node]:
        row = work.rows[rounds.next[node]]
        known = move(forest, rows, row, rounds.every, rounds.charged, work.log, False)
        if how.initial:
            share, allowed = before, passes_initial_share(before)
        else:
            left = ratio_of(forest, rounds.charged, rounds.lendable, theirs, rounds.borrowed)
            share = compare(rounds.share[mine], rounds.ratio[mine], weigh(left, forest.weight[theirs]), left)
            allowed = passes_final_share(share)
        if allowed:
            rounds.next[node] += 1
            return row, INITIAL_SHARE if how.initial else FINAL_SHARE, share
        undo(rounds.charged, work.log, known)
        reject(work, rounds, node)
        sort_next(given.work, rounds, node)
    return -1, NONE, 0


@compiled
def play(given: SearchInput, rounds: Rounds, claims: bool, how: Strategies) -> tuple[int, bool]:
    """Visit queues by the first strategy; how many workloads are removed, and whether the request fits."""
    rows, forest, _, ask, policy, _, work = given
    taken, root = 0, ask.path[len(ask.path) - 1]
    while True:
        node = rounds.winner[root]
        if node == NO_NODE:
            return taken, False
        if node == ask.own or claims:
            row, share = work.rows[rounds.next[node]], 0
            basis = own_basis(rows, row, policy) if node == ask.own else WITHIN_NOMINAL
            move(forest, rows, row, rounds.every, rounds.charged, work.log, False)
            rounds.next[node] += 1
        else:
            row, basis, share = _visit(given, rounds, node, how)
        if row >= 0:
            done = _take(given, row, taken, basis, share)
            taken += 1
            if done:
                return taken, True
        refresh(given, rounds, node, row >= 0)


@compiled
def wait_again(given: SearchInput, rounds: Rounds) -> None:
    """Let those who were rejected wait again."""
    root = given.ask.path[len(given.ask.path) - 1]
    for node in range(root, given.forest.end[root]):
        rounds.next[node] = rounds.start[node]
        rounds.end[node] = rounds.settled[node] = rounds.start[node] + rounds.rejected[node]


@compiled
def play_again(given: SearchInput, rounds: Rounds, taken: int) -> tuple[int, bool]:
    """Visit each queue of rejected candidates once, by the second strategy."""
    rows, forest, _, ask, _, _, work = given
    wait_again(given, rounds)
    root = ask.path[len(ask.path) - 1]
    for node in range(forest.end[root] - 1, root - 1, -1):
        find_winner(given, rounds, node)
    while True:
        node = rounds.winner[root]
        if node == NO_NODE:
            return taken, False
        row, allowed = work.rows[rounds.next[node]], False
        rounds.next[node] = rounds.end[node]
        mine, theirs = beside_common(forest, ask, rounds, node)
        share = against(rounds, mine, theirs)
        if passes_initial_share(share):
            move(forest, rows, row, rounds.every, rounds.charged, work.log, False)
            done = _take(given, row, taken, INITIAL_SHARE, share)
            taken, allowed = taken + 1, True
            if done:
                return taken, True
        refresh(given, rounds, node, allowed)


@compiled
def claims_nominal(forest: Forest, ask: Ask, charged: Array) -> bool:
    for at in ask.needed:
        if not is_within_quota(charged[ask.own, at], forest.nominal[ask.own, at]):
            return False
    return True


@compiled
def select(given: SearchInput, rounds: Rounds, how: Strategies) -> tuple[int, int, bool]:
    """Find targets under fair sharing.

    Args:
        given: the search.
        rounds: room for the tournament.
        how: who may be preempted by share.

    Returns:
        start and end in `work.out` of the victims, in the order of removal, and whether the preemptor
        claimed its nominal quota.
    """
    classify_fairly(given)
    count = gather_by_queue(given, rounds)
    if count == 0:
        copy_tree(given.forest, given.usage, given.ask.path, given.work.usage)
        return 0, 0, False
    return hold(given, rounds, how)


@compiled
def select_beside_config(
    given: SearchInput, rounds: Rounds, how: Strategies, tiers: TierTables
) -> tuple[int, int, bool]:
    """As `select`; the strategies go on with the tiers of a PreemptionConfig (PCF-080)."""
    classify_fairly(given)
    taken, fit, claims = 0, False, False
    if gather_by_queue(given, rounds) > 0:
        taken, fit, claims = _played(given, rounds, how)
    else:
        copy_tree(given.forest, given.usage, given.ask.path, given.work.usage)
    if not fit:
        taken, fit = go_on(given, tiers, taken, True)
    return _ended(given, taken, fit, claims)


@compiled
def hold(given: SearchInput, rounds: Rounds, how: Strategies) -> tuple[int, int, bool]:
    """Hold the tournament among candidates that are in `rounds`; see `select`."""
    taken, fit, claims = _played(given, rounds, how)
    return _ended(given, taken, fit, claims)


@inlined
def _played(given: SearchInput, rounds: Rounds, how: Strategies) -> tuple[int, bool, bool]:
    """How many workloads the strategies remove, whether the request fits, and whether quota was claimed."""
    _, forest, usage, ask, _, _, work = given
    copy_tree(forest, usage, ask.path, work.usage)
    copy_tree(forest, usage, ask.path, rounds.charged)
    for index in range(len(ask.at)):
        change(forest, rounds.charged, ask.own, ask.at[index], ask.amount[index], True, work.log, 0)
    claims = how.gate and claims_nominal(forest, ask, rounds.charged)
    start(given, rounds)
    taken, fit = play(given, rounds, claims, how)
    if not fit and how.again:
        taken, fit = play_again(given, rounds, taken)
    return taken, fit, claims


@inlined
def _ended(given: SearchInput, taken: int, fit: bool, claims: bool) -> tuple[int, int, bool]:
    """Start and end of the victims, as `select` returns them."""
    rows, forest, usage, ask, _, _, work = given
    if not fit:
        copy_tree(forest, usage, ask.path, work.usage)
        return 0, 0, claims
    kept = fill_back(forest, rows, ask, True, taken, work)
    return taken - kept, taken, claims
