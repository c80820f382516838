"""What a branch's heroes bill to its nodes, one flavor-resource at a time."""

from __future__ import annotations

from tenure.fast.amounts import MOST, minus, plus
from tenure.fast.compiled import compiled, inlined
from tenure.fast.heroes.proportion import count_on, share_out, sum_over, times_over
from tenure.fast.heroes.tables import Plan, Scene, Standing
from tenure.fast.tables import Array, Forest


@inlined
def local_of(subtree: int, lending: int) -> int:
    """What a node keeps to itself (KQ-120)."""
    return max(0, minus(subtree, lending)) if lending != MOST else 0


@inlined
def passed(usage: int, local: int) -> int:
    """What of a node's usage counts above it (KQ-140)."""
    return max(0, minus(usage, local))


@inlined
def _first_hero(plan: Plan, branch: int) -> int:
    return plan.heroes_end[branch - 1] if branch > 0 else 0


@inlined
def _excess(forest: Forest, now: Standing, hero: int, at: int) -> int:
    """What a hero uses beyond its own quota (UCQ-100)."""
    return max(0, minus(now.held[hero, at], forest.nominal[hero, at]))


@compiled
def bill_branch(scene: Scene, branch: int, at: int, kept: bool, recording: bool) -> None:
    """Bill the nodes of one branch for its heroes, and carry it out.

    Args:
        scene: as deeper branches left it.
        kept: whether this branch's bills stay as they were, where they were recorded.
        recording: whether to record them.
    """
    forest, plan, now = scene.forest, scene.plan, scene.now
    root = plan.root[branch]
    if not _shares(scene, branch, at, kept):
        return
    if recording:
        now.is_frozen[plan.depth[root], at] = True
        for node in range(root, forest.end[root]):
            now.frozen[plan.depth[root], node, at] = now.share[node]
    for node in range(root, forest.end[root]):
        now.weight[node] = now.subtree[node, at]
    _take_quota(plan, now, root, at)
    if plan.whole:
        _move_to_heroes(scene, branch, at)
    else:
        _credit_heroes(forest, plan, now, branch, at)
    _count_quotas(forest, now, root, at)
    for node in range(root + 1, forest.end[root]):
        if now.limit[node, at] != MOST:
            fall = max(0, minus(now.weight[node], now.subtree[node, at]))
            now.limit[node, at] = plus(now.limit[node, at], fall)


@compiled
def _shares(scene: Scene, branch: int, at: int, kept: bool) -> bool:
    """What each node of a branch is billed, in `share`; whether any is."""
    forest, plan, now = scene.forest, scene.plan, scene.now
    root = plan.root[branch]
    depth, some = plan.depth[root], False
    if plan.whole:
        _whole_shares(scene, branch, at)
    elif kept and now.is_frozen[depth, at]:
        for node in range(root, forest.end[root]):
            now.share[node] = now.frozen[depth, node, at]
    else:
        _excess_shares(forest, plan, now, branch, at)
    for node in range(root, forest.end[root]):
        some = some or now.share[node] != 0
    return some


@compiled
def _excess_shares(forest: Forest, plan: Plan, now: Standing, branch: int, at: int) -> None:
    root, bill = plan.root[branch], 0
    first, end = plan.place[root], plan.after[root]
    for index in range(_first_hero(plan, branch), plan.heroes_end[branch]):
        bill += _excess(forest, now, plan.heroes[index], at)
    for place in range(first, end):
        node = plan.by_name[place]
        own = forest.nominal[node, at]
        if plan.hero[node]:
            own = minus(own, now.held[node, at])
        now.weight[node] = max(0, minus(own, now.bill[node, at])) if bill else 0
    if plan.honour:
        count_on(forest, plan, now.lending, at, root, now.weight)
    bill = min(bill, sum_over(plan, now.weight, first, end))
    share_out(plan, bill, now.weight, first, end, plan.floor, now.share)


@compiled
def _whole_weights(forest: Forest, plan: Plan, root: int, at: int, weights: Array) -> int:
    """The nominal quotas that bills by the letter are in proportion to; their sum."""
    for place in range(plan.place[root], plan.after[root]):
        node = plan.by_name[place]
        weights[node] = forest.nominal[node, at] if forest.is_queue[node] else 0
    if plan.honour:
        count_on(forest, plan, plan.lends, at, root, weights)
    return sum_over(plan, weights, plan.place[root], plan.after[root])


@compiled
def _whole_shares(scene: Scene, branch: int, at: int) -> None:
    forest, plan, now = scene.forest, scene.plan, scene.now
    root, bill = plan.root[branch], 0
    total = _whole_weights(forest, plan, root, at, now.weight)
    for index in range(_first_hero(plan, branch), plan.heroes_end[branch]):
        bill += now.held[plan.heroes[index], at]
    if not plan.floor:
        share_out(plan, bill, now.weight, plan.place[root], plan.after[root], False, now.share)
        return
    for node in range(root, forest.end[root]):
        now.share[node] = 0
    if total > 0 and bill > 0:
        for index in range(_first_hero(plan, branch), plan.heroes_end[branch]):
            _bill_singles(scene, plan.heroes[index], root, at, total)


@compiled
def _bill_singles(scene: Scene, hero: int, root: int, at: int, total: int) -> None:
    """Add what a hero's single workloads are billed, each rounded down (UCQ-150)."""
    singles, now = scene.singles, scene.now
    for single in range(singles.first[hero], singles.end[hero]):
        amount = _amount_left(scene, singles.rows[single], at)
        if amount:
            for node in range(root, scene.forest.end[root]):
                now.share[node] += times_over(amount, now.weight[node], total)


@compiled
def _amount_left(scene: Scene, row: int, at: int) -> int:
    """What a hero's workload holds of a flavor-resource, unless it has left."""
    rows = scene.rows
    if not scene.now.gone[row]:
        for entry in range(rows.first[row], rows.first[row] + rows.width[row]):
            if rows.at[entry] == at:
                return int(rows.amount[entry])
    return 0


@compiled
def _take_quota(plan: Plan, now: Standing, root: int, at: int) -> None:
    for place in range(plan.place[root], plan.after[root]):
        node = plan.by_name[place]
        now.bill[node, at] += now.share[node]
        now.nominal[node, at] = minus(now.nominal[node, at], now.share[node])
        if plan.honour and node != root and now.lending[node, at] != MOST:
            below = sum_over(plan, now.share, place, plan.after[node])
            now.lending[node, at] = max(0, minus(now.lending[node, at], below))


@compiled
def _credit_heroes(forest: Forest, plan: Plan, now: Standing, branch: int, at: int) -> None:
    """Let what others pay for leave the usage of heroes (UCQ-140, UCQ-170)."""
    root = plan.root[branch]
    rest = sum_over(plan, now.share, plan.place[root], plan.after[root])
    for index in range(_first_hero(plan, branch), plan.heroes_end[branch]):
        hero = plan.heroes[index]
        credit = min(rest, _excess(forest, now, hero, at))
        rest -= credit
        now.usage[hero, at] = minus(now.usage[hero, at], credit)


@compiled
def _move_to_heroes(scene: Scene, branch: int, at: int) -> None:
    """Let billed quota stand at the heroes' queues; `share` is used up."""
    forest, plan, now = scene.forest, scene.plan, scene.now
    root = plan.root[branch]
    total = _whole_weights(forest, plan, root, at, now.share)
    for index in range(_first_hero(plan, branch), plan.heroes_end[branch]):
        hero = plan.heroes[index]
        received = _floored(scene, hero, root, at, total) if plan.floor else now.held[hero, at]
        now.nominal[hero, at] = plus(now.nominal[hero, at], received)


@compiled
def _floored(scene: Scene, hero: int, root: int, at: int, total: int) -> int:
    """What all nodes together are billed for a hero's single workloads; the weights are in `share`."""
    singles, now, received = scene.singles, scene.now, 0
    for single in range(singles.first[hero], singles.end[hero]):
        amount = _amount_left(scene, singles.rows[single], at)
        for node in range(root, scene.forest.end[root]):
            received += times_over(amount, now.share[node], total)
    return received


@compiled
def _count_quotas(forest: Forest, now: Standing, root: int, at: int) -> None:
    """What the nodes of a branch, and those above it, have and keep, after their nominal quotas changed."""
    before = minus(now.subtree[root, at], now.local[root, at])
    for node in range(root, forest.end[root]):
        now.subtree[node, at] = now.nominal[node, at]
    for node in range(forest.end[root] - 1, root - 1, -1):
        now.local[node, at] = local_of(now.subtree[node, at], now.lending[node, at])
        if node != root:
            lent = minus(now.subtree[node, at], now.local[node, at])
            above = forest.parent[node]
            now.subtree[above, at] = plus(now.subtree[above, at], lent)
    # The nominal quota of a root counts in its own subtree already; only what it lends goes further up.
    more, node = minus(minus(now.subtree[root, at], now.local[root, at]), before), forest.parent[root]
    while node >= 0:
        before = minus(now.subtree[node, at], now.local[node, at])
        now.subtree[node, at] = plus(now.subtree[node, at], more)
        now.local[node, at] = local_of(now.subtree[node, at], now.lending[node, at])
        more = minus(minus(now.subtree[node, at], now.local[node, at]), before)
        node = forest.parent[node]
