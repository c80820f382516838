"""A hero's search for targets: one attempt, and the order is found anew after each removal."""

from __future__ import annotations

from tenure.fast.compiled import compiled
from tenure.fast.fair import Rounds
from tenure.fast.grounds import key_of, own_ground, uses_any
from tenure.fast.heroes.effective import leave, start
from tenure.fast.heroes.fit import fits
from tenure.fast.heroes.tables import Plan, Quest, Scene, Standing
from tenure.fast.nodes import exceeds
from tenure.fast.sorting import settle
from tenure.fast.tables import ELSEWHERE, HERO, NONE, OWN, Array, Ask, Forest, Order, Policy, Rows, Work


@compiled
def classify(forest: Forest, plan: Plan, ask: Ask, policy: Policy, work: Work, quest: Quest) -> None:
    """The group of every ClusterQueue that is looked into, also where priority has to be lower."""
    own, root = ask.own, quest.root
    for node in range(root, forest.end[root]):
        work.group[node] = (
            ELSEWHERE if forest.active[node] and _offers(forest, plan, own, node, quest) else -1
        )
    work.group[own] = OWN if policy.within != NONE and forest.active[own] else -1


@compiled
def _is_above(forest: Forest, own: int, node: int) -> bool:
    """Whether the hero that asks is above another queue (UCQ-010)."""
    mine, theirs = forest.parent[own], forest.parent[node]
    return bool(mine != theirs and mine < node < forest.end[mine])


@compiled
def _offers(forest: Forest, plan: Plan, own: int, node: int, quest: Quest) -> bool:
    """Whether a queue may offer anybody (UCQ-020)."""
    if not plan.hero[node] or not quest.rank_first or _is_above(forest, own, node):
        return True
    return bool(forest.parent[own] == forest.parent[node])


@compiled
def _ground(forest: Forest, plan: Plan, rows: Rows, row: int, ask: Ask, policy: Policy, work: Work) -> int:
    """On what ground a workload of the branch may be taken (UCQ-310, UCQ-340)."""
    node = rows.queue[row]
    if work.group[node] < 0:
        return NONE
    if work.group[node] == OWN:
        return int(own_ground(rows, row, policy))
    if plan.hero[node] and rows.priority[row] >= policy.priority:
        return HERO if _is_above(forest, ask.own, node) else NONE
    return HERO


@compiled
def _count(scene: Scene, ask: Ask, policy: Policy, work: Work, rounds: Rounds, quest: Quest) -> None:
    """The ground of every row, in `work.ground`, and how many candidates each queue has."""
    rows, root, end = scene.rows, quest.root, scene.forest.end[quest.root]
    for node in range(root, end):
        rounds.end[node] = 0
    for row in range(rows.size):
        node, work.ground[row] = rows.queue[row], NONE
        if root <= node < end and work.group[node] >= 0 and uses_any(rows, row, ask.is_needed):
            work.ground[row] = _ground(scene.forest, scene.plan, rows, row, ask, policy, work)
        if work.ground[row] != NONE:
            rounds.end[node] += 1


@compiled
def gather(
    scene: Scene, ask: Ask, policy: Policy, order: Order, work: Work, rounds: Rounds, quest: Quest
) -> int:
    """Put each queue's candidates side by side; how many queues have any."""
    rows, root, end, count, some = scene.rows, quest.root, scene.forest.end[quest.root], 0, 0
    _count(scene, ask, policy, work, rounds, quest)
    for node in range(root, end):
        rounds.start[node] = rounds.next[node] = count
        count += rounds.end[node]
        if rounds.end[node] > 0:
            quest.queues[some] = node
            some += 1
        rounds.end[node] = rounds.start[node]
    for row in range(rows.size):
        if work.ground[row] != NONE:
            node = rows.queue[row]
            place, group = rounds.end[node], OWN if node == ask.own else 0
            work.keys[place], work.rows[place] = key_of(rows, row, group, policy, order), row
            rounds.end[node] += 1
    for node in range(root, end):
        rounds.ends[node, 0], rounds.top[node], rounds.settled[node] = rounds.end[node], 0, rounds.start[node]
    return some


@compiled
def _sort_next(work: Work, rounds: Rounds, node: int) -> None:
    """Bring the next candidate of a queue to its place."""
    if rounds.settled[node] <= rounds.next[node] < rounds.end[node]:
        rounds.top[node], rounds.settled[node] = settle(
            work.keys, work.rows, rounds.ends[node], rounds.top[node], rounds.next[node]
        )


@compiled
def _look(
    seen: Forest, now: Standing, ask: Ask, order: Order, work: Work, rounds: Rounds, quest: Quest, node: int
) -> None:
    """Write down where a queue's next candidate stands now (UCQ-320)."""
    key = work.keys[rounds.next[node]]
    if node != ask.own and not exceeds(seen, now.usage, node, ask.needed):
        key += 1 << order.group
    quest.heads[node] = key


@compiled
def _turn(quest: Quest, waiting: int) -> int:
    """Whose turn it is: the place in `quest.queues`."""
    best = 0
    for place in range(1, waiting):
        if quest.heads[quest.queues[place]] < quest.heads[quest.queues[best]]:
            best = place
    return best


@compiled
def fill_back(scene: Scene, ask: Ask, work: Work, quest: Quest, count: int) -> int:
    """Give back, from the second last removed to the first, whoever need not leave; how many stay removed."""
    kept = count - 1
    for index in range(count - 2, -1, -1):
        row = work.out[index]
        leave(scene, quest.root, row, ask, work.log, True)
        if not fits(scene.seen, scene.plan, scene.now, ask, quest):
            leave(scene, quest.root, row, ask, work.log, False)
            kept -= 1
            work.out[kept], work.ground[kept] = row, work.ground[index]
    return count - kept


@compiled
def select(
    scene: Scene,
    held: Array,
    ask: Ask,
    policy: Policy,
    order: Order,
    work: Work,
    rounds: Rounds,
    quest: Quest,
) -> tuple[int, int]:
    """Find targets for a workload of a hero.

    Args:
        scene: at the end without those who are taken.
        held: what every ClusterQueue holds, int64[nodes, columns].

    Returns:
        start and end in `work.out` of who is taken, in the order of removal.
    """
    seen, now = scene.seen, scene.now
    classify(scene.forest, scene.plan, ask, policy, work, quest)
    waiting, taken = gather(scene, ask, policy, order, work, rounds, quest), 0
    start(scene, held, ask, quest.root)
    for place in range(waiting):
        _sort_next(work, rounds, quest.queues[place])
        _look(seen, now, ask, order, work, rounds, quest, quest.queues[place])
    while waiting > 0:
        turn = _turn(quest, waiting)
        node = quest.queues[turn]
        row = work.rows[rounds.next[node]]
        work.out[taken], work.share[taken] = row, 0
        work.ground[taken] = own_ground(scene.rows, row, policy) if node == ask.own else HERO
        taken += 1
        anew = leave(scene, quest.root, row, ask, work.log, False)
        if fits(seen, scene.plan, now, ask, quest):
            return taken - fill_back(scene, ask, work, quest, taken), taken
        rounds.next[node] += 1
        if rounds.next[node] == rounds.end[node]:
            waiting -= 1
            quest.queues[turn] = quest.queues[waiting]
        else:
            _sort_next(work, rounds, node)
        for place in range(waiting):
            if anew or quest.queues[place] == node:
                _look(seen, now, ask, order, work, rounds, quest, quest.queues[place])
    return 0, 0
