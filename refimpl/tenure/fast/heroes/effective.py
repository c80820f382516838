"""The effective tree: quotas and usage with all bills carried out, counted anew for one flavor-resource."""

from __future__ import annotations

from tenure.fast.amounts import MOST, minus, plus
from tenure.fast.compiled import compiled
from tenure.fast.heroes.billing import bill_branch, local_of, passed
from tenure.fast.heroes.tables import Plan, Scene, Standing
from tenure.fast.nodes import change
from tenure.fast.tables import Array, Ask, Forest, Rows

NOBODY = -1
"""In the place of a branch whose heroes search: nobody's bills are kept."""


@compiled
def hold(rows: Rows, held: Array) -> None:
    """Sum up what the workloads of every ClusterQueue hold; `held` is all zero."""
    for row in range(rows.size):
        node = rows.queue[row]
        if node >= 0:
            for entry in range(rows.first[row], rows.first[row] + rows.width[row]):
                at = rows.at[entry]
                held[node, at] = plus(held[node, at], rows.amount[entry])


@compiled
def settle(scene: Scene, top: int, mine: int, at: int, recording: bool) -> None:
    """Count quotas and usage of a tree, given what is held there.

    Args:
        top: the root of the tree.
        mine: the cohort of the branch whose hero searches; bills above it are kept once they are recorded.
        at: the column.
        recording: whether to record them now.
    """
    forest, plan, now = scene.forest, scene.plan, scene.now
    in_use = _clear(forest, plan, now, top, at)
    if in_use:
        for branch in range(plan.first[top], plan.end[top]):
            above = plan.root[branch] < mine < forest.end[plan.root[branch]]
            bill_branch(scene, branch, at, above and not recording, above and recording)
    for node in range(forest.end[top] - 1, top, -1):
        above_it = forest.parent[node]
        up = passed(now.usage[node, at], now.local[node, at])
        now.usage[above_it, at] = plus(now.usage[above_it, at], up)
    if in_use:
        for branch in range(plan.first[top], plan.end[top] if plan.unlocks[top] else 0):
            _unlock(forest, plan, now, branch, at)
        _cover(forest, now, top, at)


@compiled
def _clear(forest: Forest, plan: Plan, now: Standing, top: int, at: int) -> bool:
    """Let nobody be billed; whether any hero uses something."""
    in_use = False
    for node in range(top, forest.end[top]):
        now.nominal[node, at], now.subtree[node, at] = forest.nominal[node, at], forest.subtree[node, at]
        now.local[node, at], now.limit[node, at] = forest.local[node, at], forest.limit[node, at]
        now.lending[node, at], now.covered[node, at] = plan.lends[node, at], forest.covered[node, at]
        now.usage[node, at], now.bill[node, at] = now.held[node, at], 0
        in_use = in_use or (plan.hero[node] and now.held[node, at] > 0)
    return bool(in_use)


@compiled
def _cover(forest: Forest, now: Standing, top: int, at: int) -> None:
    """A node that others' bills have given something has a quota."""
    for node in range(top, forest.end[top]):
        some = now.nominal[node, at] != 0 or now.subtree[node, at] != 0 or now.local[node, at] != 0
        now.covered[node, at] = now.covered[node, at] or some


@compiled
def _unlock(forest: Forest, plan: Plan, now: Standing, branch: int, at: int) -> None:
    """Raise lending limits as far as a branch's heroes use what is kept behind them (UCQ-200)."""
    root, allowance = plan.root[branch], 0
    for node in range(root, forest.end[root]):
        if plan.hero[node]:
            allowance += now.held[node, at]
    for place in range(plan.place[root] + 1, plan.after[root]):
        lacking = min(allowance, minus(now.usage[root, at], now.subtree[root, at]))
        if lacking <= 0:
            return
        node = plan.by_name[place]
        idle = max(0, minus(now.local[node, at], now.usage[node, at]))
        if idle > 0:
            allowance -= min(lacking, idle)
            _raise(forest, now, node, root, at, min(lacking, idle))


@compiled
def _raise(forest: Forest, now: Standing, node: int, root: int, at: int, rise: int) -> None:
    """Raise the lending limits of a node and of those above it in its branch; what that passes up goes up."""
    more_quota, more_usage, inside = 0, 0, True
    while node >= 0:
        inside = inside and node != root
        local = now.local[node, at]
        quota, usage = minus(now.subtree[node, at], local), passed(now.usage[node, at], local)
        now.subtree[node, at] = plus(now.subtree[node, at], more_quota)
        now.usage[node, at] = plus(now.usage[node, at], more_usage)
        if inside and now.lending[node, at] != MOST:
            now.lending[node, at] = plus(now.lending[node, at], rise)
        local = now.local[node, at] = local_of(now.subtree[node, at], now.lending[node, at])
        more_quota = minus(minus(now.subtree[node, at], local), quota)
        more_usage = minus(passed(now.usage[node, at], local), usage)
        node = forest.parent[node]


@compiled
def start(scene: Scene, held: Array, ask: Ask, mine: int) -> None:
    """Let everybody of the tree hold its quota, as a search begins.

    Args:
        held: what every ClusterQueue holds then, int64[nodes, columns].
        mine: as for `settle`.
    """
    forest, singles, now = scene.forest, scene.singles, scene.now
    top = ask.path[len(ask.path) - 1]
    for depth in range(now.is_frozen.shape[0]):
        for at in range(now.is_frozen.shape[1]):
            now.is_frozen[depth, at] = False
    for node in range(top, forest.end[top]):
        for single in range(singles.first[node], singles.end[node]):
            now.gone[singles.rows[single]] = False
        for at in range(len(ask.watched)):
            now.held[node, at] = held[node, at]
    for at in range(len(ask.watched)):
        if ask.watched[at]:
            settle(scene, top, mine, at, mine >= 0)


@compiled
def leave(scene: Scene, mine: int, row: int, ask: Ask, log: Array, adding: bool) -> bool:
    """Let a workload leave or come back; whether quotas may have changed, and not only what is in use.

    Args:
        mine: as for `settle`.
        log: room, as for `tenure.fast.nodes.change`.
        adding: whether it comes back.
    """
    rows, now = scene.rows, scene.now
    node, top = rows.queue[row], ask.path[len(ask.path) - 1]
    hero = scene.plan.hero[node]
    anew = hero or scene.plan.unlocks[top]
    if hero:
        now.gone[row] = not adding
    for entry in range(rows.first[row], rows.first[row] + rows.width[row]):
        at, amount = rows.at[entry], rows.amount[entry]
        if ask.watched[at]:
            held = now.held[node, at]
            now.held[node, at] = plus(held, amount) if adding else minus(held, amount)
            if anew:
                settle(scene, top, mine, at, False)
            else:
                change(scene.seen, now.usage, node, at, amount, adding, log, 0)
    return bool(anew)
