"""What a hero may use, and its search for targets: one attempt, the order found again after each removal."""

from __future__ import annotations

from typing import NamedTuple

from tenure.model import WithinClusterQueue
from tenure.readings import HeroPrecedence
from tenure.rules import hero_fit, hero_rank, hero_targets
from tenure_simulate.core.amounts import MOST, plus
from tenure_simulate.core.bases import holder, key_of, own_basis, preemptor_in, uses_any
from tenure_simulate.core.compiled import compiled, compiled_rule, inlined
from tenure_simulate.core.heroes.billing import WHOLE, count_on, sum_over
from tenure_simulate.core.heroes.effective import leave, start
from tenure_simulate.core.heroes.tables import (
    ACTIVE,
    AFTER,
    END,
    HELD,
    HERO,
    IS_QUEUE,
    LIMIT,
    LOCAL,
    NOMINAL,
    PARENT,
    PLACE,
    SUBTREE,
    USAGE,
    WEIGHT,
    Books,
    Quest,
)
from tenure_simulate.core.nodes import KernelQuota, available_at, left_of_local
from tenure_simulate.core.rounds import Rounds, sort_next
from tenure_simulate.core.tables import ELSEWHERE, HERO_TAKES, NONE, OWN, Array, Ask, SearchInput

accessible_to_hero = compiled_rule(hero_fit.accessible_to_hero)
clamp_of_hero = compiled_rule(hero_fit.clamp_of_hero, plus=plus)
hero_request_fits = compiled_rule(hero_fit.hero_request_fits, plus=plus)
room_beside = compiled_rule(hero_fit.room_beside, plus=plus)


@compiled
def accessible(books: Books, node: int, root: int, at: int, clamp: int) -> int:
    """The most that a hero may use, whatever runs (UCQ-210, UCQ-220).

    Args:
        node, root: the hero, and the cohort of its branch.
        clamp: the choice of reading `hero_clamp`.
    """
    tree, given, room = books.tree, books.given, books.room
    for index in range(root, tree[END, root]):
        counts = tree[IS_QUEUE, index] != 0 or books.billing != WHOLE
        room[WEIGHT, index] = given[NOMINAL, index, at] if counts else 0
    own = room[WEIGHT, node]
    room[WEIGHT, node] = 0
    count_on(books, given, at, root)
    most = own + sum_over(books, WEIGHT, tree[PLACE, root], tree[AFTER, root])
    limit = clamp_of_hero(given[NOMINAL, node, at], given[LIMIT, node, at], clamp)
    return int(accessible_to_hero(most, limit))


@inlined
def _quota(now: Array, node: int, at: int, limit: int) -> KernelQuota:
    return KernelQuota(now[NOMINAL, node, at], now[SUBTREE, node, at], now[LOCAL, node, at], limit)


@compiled
def _available(books: Books, path: Array, at: int) -> int:
    """What is available at the first node of a path."""
    now, top = books.now, path[len(path) - 1]
    free = available_at(_quota(now, top, at, MOST), now[USAGE, top, at], None)
    for step in range(len(path) - 2, -1, -1):
        node = path[step]
        free = available_at(_quota(now, node, at, now[LIMIT, node, at]), now[USAGE, node, at], free)
    return int(free)


@compiled
def room_of(books: Books, node: int, root: int, above: Array, at: int) -> int:
    """What there is for a hero; negative where its branch is in debt (UCQ-230).

    Args:
        node, root: the hero, and the cohort of its branch.
        above: the nodes above that, up to the root of the tree.
    """
    now, used = books.now, books.now[USAGE, root, at]
    room = available_at(_quota(now, root, at, MOST), used, None)
    if len(above):
        room = available_at(_quota(now, root, at, 0), used, _available(books, above, at))
    for index in range(root + 1, books.tree[END, root]):
        if now[LOCAL, index, at] != 0:
            idle = left_of_local(now[LOCAL, index, at], now[USAGE, index, at])
            room = room_beside(room, idle, index == node, books.lending)
    return int(room)


@compiled
def fits(books: Books, ask: Ask, quest: Quest) -> bool:
    """Whether the whole request fits (UCQ-240)."""
    for index in range(len(ask.at)):
        at, amount = ask.at[index], ask.amount[index]
        room = room_of(books, ask.own, quest.root, quest.above, at)
        if not hero_request_fits(books.now[HELD, ask.own, at], amount, quest.accessible[index], room):
            return False
    return True


@compiled
def classify(given: SearchInput, books: Books, quest: Quest) -> None:
    """The group of every ClusterQueue that is looked into, also where priority has to be lower."""
    policy, work, own, root = given.policy, given.work, given.ask.own, quest.root
    for node in range(root, books.tree[END, root]):
        offers = books.tree[ACTIVE, node] != 0 and _offers(books, own, node, quest)
        work.group[node] = ELSEWHERE if offers else -1
    active = books.tree[ACTIVE, own] != 0
    work.group[own] = OWN if policy.within != WithinClusterQueue.NEVER and active else -1


class KernelKin(NamedTuple):
    """As `tenure.model.Kin`."""

    hero: bool
    in_scope: bool
    above: bool
    peer: bool


class HeroTerms(NamedTuple):
    """As `tenure.rules.terms.PreemptionTerms`, as far as UCQ-310 reads them."""

    hero: bool
    hero_precedence: int


EITHER, RANK_FIRST = int(HeroPrecedence.EITHER), int(HeroPrecedence.RANK_FIRST)

basis_for_hero = compiled_rule(hero_targets.basis_for_hero)
kinship = compiled_rule(hero_rank.kinship, Kin=KernelKin)
may_take_from_hero = compiled_rule(hero_rank.may_take_from_hero)


@inlined
def _kin(books: Books, own: int, node: int) -> KernelKin:
    """How a queue in the subtree of the pending hero is related to it (UCQ-060)."""
    mine, theirs = books.tree[PARENT, own], books.tree[PARENT, node]
    contains = mine < node < books.tree[END, mine]
    kin: KernelKin = kinship(True, books.tree[HERO, node] != 0, True, contains, mine == theirs, own == node)
    return kin


@compiled
def _offers(books: Books, own: int, node: int, quest: Quest) -> bool:
    """Whether a queue may offer candidates, whatever their priority (UCQ-020)."""
    if books.tree[HERO, node] == 0:
        return True
    precedence = RANK_FIRST if quest.rank_first else EITHER
    return bool(may_take_from_hero(_kin(books, own, node), True, precedence))


@compiled
def _basis(given: SearchInput, books: Books, row: int, rank_first: bool) -> int:
    """On what basis a workload of a queue that offers may be preempted (UCQ-310)."""
    rows, ask, policy = given.rows, given.ask, given.policy
    node = rows.queue[row]
    if node == ask.own:
        return own_basis(rows, row, policy)
    terms = HeroTerms(True, RANK_FIRST if rank_first else EITHER)
    target = holder(rows, row, ELSEWHERE)
    basis: int = basis_for_hero(preemptor_in(policy), target, terms, _kin(books, ask.own, node))
    return basis


@compiled
def _count(given: SearchInput, books: Books, rounds: Rounds, quest: Quest) -> None:
    """The basis of every row, in `work.basis`, and how many candidates each queue has."""
    rows, ask, work = given.rows, given.ask, given.work
    root, end = quest.root, books.tree[END, quest.root]
    for node in range(root, end):
        rounds.end[node] = 0
    for row in range(rows.size):
        node, work.basis[row] = rows.queue[row], NONE
        if root <= node < end and work.group[node] >= 0 and uses_any(rows, row, ask.is_needed):
            work.basis[row] = _basis(given, books, row, quest.rank_first)
        if work.basis[row] != NONE:
            rounds.end[node] += 1


@compiled
def gather(given: SearchInput, books: Books, rounds: Rounds, quest: Quest) -> int:
    """Put each queue's candidates side by side; how many queues have any."""
    rows, _, _, ask, policy, order, work = given
    root, end, count, some = quest.root, books.tree[END, quest.root], 0, 0
    _count(given, books, rounds, quest)
    for node in range(root, end):
        rounds.start[node] = rounds.next[node] = count
        count += rounds.end[node]
        if rounds.end[node] > 0:
            quest.queues[some] = node
            some += 1
        rounds.end[node] = rounds.start[node]
    for row in range(rows.size):
        if work.basis[row] != NONE:
            node = rows.queue[row]
            place, group = rounds.end[node], OWN if node == ask.own else 0
            work.keys[place], work.rows[place] = key_of(rows, row, group, policy, order), row
            rounds.end[node] += 1
    for node in range(root, end):
        rounds.ends[node, 0], rounds.top[node], rounds.settled[node] = rounds.end[node], 0, rounds.start[node]
    return some


@compiled
def _look(given: SearchInput, books: Books, rounds: Rounds, quest: Quest, node: int) -> None:
    """Record the position of a queue's next candidate (UCQ-320)."""
    key, over = given.work.keys[rounds.next[node]], node == given.ask.own
    for at in given.ask.needed:
        over = over or books.now[USAGE, node, at] > books.now[SUBTREE, node, at]
    quest.heads[node] = key if over else key + (1 << given.order.group)


@compiled
def _turn(quest: Quest, waiting: int) -> int:
    """Whose turn it is: the place in `quest.queues`."""
    best = 0
    for place in range(1, waiting):
        if quest.heads[quest.queues[place]] < quest.heads[quest.queues[best]]:
            best = place
    return best


@compiled
def fill_back(given: SearchInput, books: Books, quest: Quest, count: int) -> int:
    """Give back, from the second last removed to the first, what is not needed; how many stay removed."""
    rows, ask, work = given.rows, given.ask, given.work
    kept = count - 1
    for index in range(count - 2, -1, -1):
        row = work.out[index]
        leave(books, rows, quest.root, row, ask, True)
        if not fits(books, ask, quest):
            leave(books, rows, quest.root, row, ask, False)
            kept -= 1
            work.out[kept], work.basis[kept] = row, work.basis[index]
    return count - kept


@compiled
def select(given: SearchInput, books: Books, before: Array, rounds: Rounds, quest: Quest) -> tuple[int, int]:
    """Find targets for a workload of a hero.

    Args:
        books: at the end without those that are preempted.
        before: amounts of every node while every workload holds its quota, int64[8, nodes, columns].

    Returns:
        start and end in `work.out` of the victims, in the order of removal.
    """
    rows, _, _, ask, policy, _, work = given
    classify(given, books, quest)
    waiting, taken = gather(given, books, rounds, quest), 0
    start(books, before, ask, quest.root)
    for place in range(waiting):
        sort_next(work, rounds, quest.queues[place])
        _look(given, books, rounds, quest, quest.queues[place])
    while waiting > 0:
        turn = _turn(quest, waiting)
        node = quest.queues[turn]
        row = work.rows[rounds.next[node]]
        work.out[taken], work.share[taken] = row, 0
        work.basis[taken] = own_basis(rows, row, policy) if node == ask.own else HERO_TAKES
        taken += 1
        recounted = leave(books, rows, quest.root, row, ask, False)
        if fits(books, ask, quest):
            return taken - fill_back(given, books, quest, taken), taken
        rounds.next[node] += 1
        if rounds.next[node] == rounds.end[node]:
            waiting -= 1
            quest.queues[turn] = quest.queues[waiting]
        else:
            sort_next(work, rounds, node)
        for place in range(waiting):
            if recounted or quest.queues[place] == node:
                _look(given, books, rounds, quest, quest.queues[place])
    return 0, 0
