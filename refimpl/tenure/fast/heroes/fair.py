"""Fair sharing for a standard queue where lending limits, and so shares, follow who has left.

The rounds are those of `tenure.fast.fair`, but what is charged has quotas of its own, counted anew each time.
"""

from __future__ import annotations

from tenure.fast.compiled import compiled
from tenure.fast.fair import (
    NO_NODE,
    Rounds,
    _beside_common,
    _claims_nominal,
    _reject,
    _sort_next,
    classify,
    find_winner,
    gather,
)
from tenure.fast.grounds import own_ground
from tenure.fast.heroes.classical import fill_back
from tenure.fast.heroes.effective import NOBODY, leave, start
from tenure.fast.heroes.tables import Scene, Standing
from tenure.fast.nodes import change, fits
from tenure.fast.shares import compare, count_lendable, ratio_of
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
    Work,
)


@compiled
def _count_lendable(charged: Scene, rounds: Rounds, most: Array) -> None:
    """What every node could have of each resource, now."""
    for node in range(rounds.lendable.shape[0]):
        for resource in range(rounds.lendable.shape[1]):
            rounds.lendable[node, resource] = 0
    count_lendable(charged.seen, most, rounds.lendable)


@compiled
def _charge(charged: Scene, ask: Ask, log: Array) -> None:
    """Count the request beside what runs; no bill takes notice of it."""
    for index in range(len(ask.at)):
        change(charged.seen, charged.now.usage, ask.own, ask.at[index], ask.amount[index], True, log, 0)


@compiled
def _change(
    charged: Scene, row: int, ask: Ask, every: Ask, log: Array, rounds: Rounds, most: Array, adding: bool
) -> None:
    """Let a workload leave or come back, as far as shares go."""
    for index in range(len(ask.at)):
        change(charged.seen, charged.now.usage, ask.own, ask.at[index], ask.amount[index], False, log, 0)
    leave(charged, NOBODY, row, every, log, adding)
    _charge(charged, ask, log)
    _count_lendable(charged, rounds, most)


@compiled
def _look(charged: Scene, order: Order, ask: Ask, work: Work, rounds: Rounds) -> None:
    """Shares and winners of the whole tree."""
    seen, top = charged.seen, ask.path[len(ask.path) - 1]
    for node in range(seen.end[top] - 1, top - 1, -1):
        rounds.ratio[node] = ratio_of(seen, rounds.charged, rounds.lendable, node, rounds.borrowed)
        _sort_next(work, rounds, node)
        find_winner(seen, charged.rows, order, work, rounds, node)


@compiled
def _take(scene: Scene, row: int, ask: Ask, work: Work, count: int, ground: int, share: int) -> bool:
    """Take a candidate; whether the request fits now."""
    leave(scene, NOBODY, row, ask, work.log, False)
    work.out[count], work.ground[count], work.share[count] = row, ground, share
    return fits(scene.seen, scene.now.usage, ask, True)


@compiled
def _visit(
    charged: Scene, ask: Ask, every: Ask, work: Work, rounds: Rounds, most: Array, node: int, initial: bool
) -> tuple[int, int, int]:
    """The first candidate of a queue that the first strategy allows: row, ground and share; -1 for none."""
    seen = charged.seen
    mine, theirs = _beside_common(seen, ask, rounds, node)
    new, my_weight, their_weight = rounds.ratio[mine], seen.weight[mine], seen.weight[theirs]
    share = compare(new, my_weight, rounds.ratio[theirs], their_weight)
    while rounds.next[node] < rounds.end[node]:
        _sort_next(work, rounds, node)
        row, allowed = work.rows[rounds.next[node]], share < 0
        _change(charged, row, ask, every, work.log, rounds, most, False)
        if not initial:
            left = ratio_of(seen, rounds.charged, rounds.lendable, theirs, rounds.borrowed)
            share = compare(new, my_weight, left, their_weight)
            allowed = share <= 0
        if allowed:
            rounds.next[node] += 1
            return row, INITIAL_SHARE if initial else FINAL_SHARE, share
        _change(charged, row, ask, every, work.log, rounds, most, True)
        _reject(work, rounds, node)
    return -1, NONE, 0


@compiled
def _play(
    scene: Scene,
    charged: Scene,
    ask: Ask,
    every: Ask,
    policy: Policy,
    order: Order,
    work: Work,
    rounds: Rounds,
    most: Array,
    claims: bool,
    initial: bool,
) -> tuple[int, bool]:
    """Visit queues by the first strategy; how many are taken, and whether the request fits."""
    taken, root = 0, ask.path[len(ask.path) - 1]
    while True:
        _look(charged, order, ask, work, rounds)
        node = rounds.winner[root]
        if node == NO_NODE:
            return taken, False
        if node == ask.own or claims:
            row, share = work.rows[rounds.next[node]], 0
            ground = own_ground(scene.rows, row, policy) if node == ask.own else WITHIN_NOMINAL
            _change(charged, row, ask, every, work.log, rounds, most, False)
            rounds.next[node] += 1
        else:
            row, ground, share = _visit(charged, ask, every, work, rounds, most, node, initial)
        if row >= 0:
            taken += 1
            if _take(scene, row, ask, work, taken - 1, ground, share):
                return taken, True


@compiled
def _play_again(
    scene: Scene,
    charged: Scene,
    ask: Ask,
    every: Ask,
    order: Order,
    work: Work,
    rounds: Rounds,
    most: Array,
    taken: int,
) -> tuple[int, bool]:
    """Visit each queue of rejected candidates once, by the second strategy."""
    seen, root = charged.seen, ask.path[len(ask.path) - 1]
    for node in range(root, seen.end[root]):
        rounds.next[node] = rounds.start[node]
        rounds.end[node] = rounds.settled[node] = rounds.start[node] + rounds.rejected[node]
    while True:
        _look(charged, order, ask, work, rounds)
        node = rounds.winner[root]
        if node == NO_NODE:
            return taken, False
        row = work.rows[rounds.next[node]]
        rounds.next[node] = rounds.end[node]
        mine, theirs = _beside_common(seen, ask, rounds, node)
        share = compare(rounds.ratio[mine], seen.weight[mine], rounds.ratio[theirs], seen.weight[theirs])
        if share < 0:
            _change(charged, row, ask, every, work.log, rounds, most, False)
            taken += 1
            if _take(scene, row, ask, work, taken - 1, INITIAL_SHARE, share):
                return taken, True


@compiled
def select(
    scene: Scene,
    charged: Scene,
    before: Forest,
    base: Standing,
    ask: Ask,
    every: Ask,
    policy: Policy,
    order: Order,
    work: Work,
    rounds: Rounds,
    most: Array,
    gate: bool,
    initial: bool,
    again: bool,
) -> tuple[int, int, bool]:
    """Find targets under fair sharing, quotas counted anew after each removal.

    Args:
        scene: at the end without those who are taken.
        charged: room for the same with the request, of which `rounds.charged` is the usage.
        before: the trees with the quotas of `base`, where heroes offer nobody.
        base: while everybody holds its quota.
        every: the question, every column watched.
        most: room, int64[nodes, columns].
        gate, initial, again: as for `tenure.fast.fair.select`.

    Returns:
        as `tenure.fast.fair.select`.
    """
    rows = scene.rows
    classify(before, base.usage, ask, policy, work)
    if gather(before, rows, ask, policy, order, work, rounds) == 0:
        return 0, 0, False
    for node in range(len(rounds.end)):
        rounds.rejected[node] = 0
        rounds.on_path[node] = False
    for node in ask.path:
        rounds.on_path[node] = True
    start(scene, base.held, ask, NOBODY)
    start(charged, base.held, every, NOBODY)
    _charge(charged, ask, work.log)
    _count_lendable(charged, rounds, most)
    claims = gate and _claims_nominal(charged.seen, ask, rounds.charged)
    taken, fit = _play(scene, charged, ask, every, policy, order, work, rounds, most, claims, initial)
    if not fit and again:
        taken, fit = _play_again(scene, charged, ask, every, order, work, rounds, most, taken)
    if not fit:
        return 0, 0, claims
    return taken - fill_back(scene, ask, True, taken, work), taken, claims
