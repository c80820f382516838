"""How far a hero may go, and what there is for it now."""

from __future__ import annotations

from tenure.fast.amounts import MOST, minus, plus
from tenure.fast.compiled import compiled
from tenure.fast.heroes.proportion import count_on, sum_over
from tenure.fast.heroes.tables import Plan, Quest, Standing
from tenure.fast.nodes import available
from tenure.fast.tables import Array, Ask, Forest


@compiled
def accessible(forest: Forest, plan: Plan, node: int, root: int, at: int, limit: bool, weights: Array) -> int:
    """The most that a hero may use, whatever runs (UCQ-210, UCQ-220).

    Args:
        forest: with the quotas as they are configured.
        node, root: the hero, and the cohort of its branch.
        limit: whether its borrowing limit alone clamps it, without its nominal quota.
        weights: room, int64[nodes].
    """
    for place in range(plan.place[root], plan.after[root]):
        index = plan.by_name[place]
        weights[index] = 0 if plan.whole and not forest.is_queue[index] else forest.nominal[index, at]
    own = weights[node]
    weights[node] = 0
    if plan.honour:
        count_on(forest, plan, plan.lends, at, root, weights)
    most = own + sum_over(plan, weights, plan.place[root], plan.after[root])
    borrows = forest.limit[node, at]
    if borrows == MOST:
        return int(most)
    return int(min(most, borrows if limit else plus(forest.nominal[node, at], borrows)))


@compiled
def room_of(seen: Forest, plan: Plan, now: Standing, node: int, root: int, above: Array, at: int) -> int:
    """What there is for a hero; negative where its branch is in debt (UCQ-230).

    Args:
        seen: with the quotas of `now`.
        node, root: the hero, and the cohort of its branch.
        above: the nodes above that, up to the root of the tree.
    """
    used, local = now.usage[root, at], now.local[root, at]
    room = minus(now.subtree[root, at], used)
    if len(above):
        unused = minus(minus(now.subtree[root, at], local), max(0, minus(used, local)))
        room = plus(max(0, minus(local, used)), min(unused, available(seen, now.usage, above, at)))
    if plan.honour:
        return int(plus(room, max(0, minus(now.local[node, at], now.usage[node, at]))))
    for index in range(root + 1, seen.end[root]):
        if now.local[index, at] > now.usage[index, at]:
            room = plus(room, minus(now.local[index, at], now.usage[index, at]))
    return int(room)


@compiled
def fits(seen: Forest, plan: Plan, now: Standing, ask: Ask, quest: Quest) -> bool:
    """Whether the whole request fits (UCQ-240)."""
    for index in range(len(ask.at)):
        at, amount = ask.at[index], ask.amount[index]
        if plus(now.held[ask.own, at], amount) > quest.accessible[index]:
            return False
        if amount > room_of(seen, plan, now, ask.own, quest.root, quest.above, at):
            return False
    return True
