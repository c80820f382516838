"""What a branch's heroes bill to its nodes, one flavor-resource at a time."""

from __future__ import annotations

from tenure.fast.amounts import MOST, minus, plus
from tenure.fast.compiled import compiled, inlined
from tenure.fast.heroes.proportion import count_on, share_out, sum_over, times_over
from tenure.fast.heroes.tables import Plan, Singles, Standing
from tenure.fast.tables import Array, Forest, Rows


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
def amount_of(rows: Rows, row: int, at: int) -> int:
    """What a workload holds of a flavor-resource."""
    for entry in range(rows.first[row], rows.first[row] + rows.width[row]):
        if rows.at[entry] == at:
            return int(rows.amount[entry])
    return 0


@compiled
def bill_branch(
    forest: Forest,
    plan: Plan,
    rows: Rows,
    singles: Singles,
    now: Standing,
    branch: int,
    at: int,
    kept: bool,
    recording: bool,
) -> None:
    """Bill the nodes of one branch for its heroes, and carry it out.

    Args:
        forest: with the quotas as they are configured.
        now: as deeper branches left it.
        kept: whether this branch's bills stay as they were, where they were recorded.
        recording: whether to record them.
    """
    root = plan.root[branch]
    first, end, depth = plan.place[root], plan.after[root], plan.depth[root]
    if plan.whole:
        _whole_shares(forest, plan, rows, singles, now, branch, at)
    elif kept and now.is_frozen[depth, at]:
        for place in range(first, end):
            node = plan.by_name[place]
            now.share[node] = now.frozen[depth, node, at]
    else:
        _excess_shares(forest, plan, now, branch, at)
    some = False
    for place in range(first, end):
        some = some or now.share[plan.by_name[place]] != 0
    if not some:
        return
    if recording:
        now.is_frozen[depth, at] = True
        for place in range(first, end):
            node = plan.by_name[place]
            now.frozen[depth, node, at] = now.share[node]
    for node in range(root, forest.end[root]):
        now.weight[node] = now.subtree[node, at]
    _take_quota(plan, now, root, at)
    if plan.whole:
        _move_to_heroes(forest, plan, rows, singles, now, branch, at)
    else:
        _credit_heroes(forest, plan, now, branch, at)
    _count_quotas(forest, now, root, at)
    for node in range(root + 1, forest.end[root]):
        if now.limit[node, at] != MOST:
            fall = max(0, minus(now.weight[node], now.subtree[node, at]))
            now.limit[node, at] = plus(now.limit[node, at], fall)


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
def _whole_shares(
    forest: Forest, plan: Plan, rows: Rows, singles: Singles, now: Standing, branch: int, at: int
) -> None:
    root, bill = plan.root[branch], 0
    first, end = plan.place[root], plan.after[root]
    total = _whole_weights(forest, plan, root, at, now.weight)
    for index in range(_first_hero(plan, branch), plan.heroes_end[branch]):
        bill += now.held[plan.heroes[index], at]
    if not plan.floor:
        share_out(plan, bill, now.weight, first, end, False, now.share)
        return
    for place in range(first, end):
        now.share[plan.by_name[place]] = 0
    if total <= 0 or bill == 0:
        return
    for index in range(_first_hero(plan, branch), plan.heroes_end[branch]):
        hero = plan.heroes[index]
        for single in range(singles.first[hero], singles.end[hero]):
            row = singles.rows[single]
            amount = 0 if now.gone[row] else amount_of(rows, row, at)
            if amount:
                for place in range(first, end):
                    node = plan.by_name[place]
                    now.share[node] += times_over(amount, now.weight[node], total)


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
def _move_to_heroes(
    forest: Forest, plan: Plan, rows: Rows, singles: Singles, now: Standing, branch: int, at: int
) -> None:
    """Let billed quota stand at the heroes' queues; `now.share` is used up."""
    root = plan.root[branch]
    total = _whole_weights(forest, plan, root, at, now.share)
    for index in range(_first_hero(plan, branch), plan.heroes_end[branch]):
        hero, received = plan.heroes[index], 0
        if not plan.floor:
            received = now.held[hero, at]
        else:
            for single in range(singles.first[hero], singles.end[hero]):
                row = singles.rows[single]
                amount = 0 if now.gone[row] else amount_of(rows, row, at)
                for place in range(plan.place[root], plan.after[root]):
                    received += times_over(amount, now.share[plan.by_name[place]], total)
        now.nominal[hero, at] = plus(now.nominal[hero, at], received)


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
