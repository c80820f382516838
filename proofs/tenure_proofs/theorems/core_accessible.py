"""The optimized core, a hero's search: what the hero may use, and who may offer it something."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import z3

from tenure.fast.heroes import search
from tenure.fast.heroes.tables import (
    ACTIVE,
    AFTER,
    END,
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
    Quest,
)
from tenure.fast.tables import ELSEWHERE, NONE, OWN, Policy, Work
from tenure.model import Ground, Kin, NodeQuota, WithinClusterQueue
from tenure.readings import HeroClamp, HeroLending, HeroPrecedence
from tenure.rules import hero_fit, hero_rank, quota
from tenure_proofs.theorems.core_books import (
    ABOVE,
    AT_FIRST,
    AVAILABLE,
    BEFORE,
    BOOKED,
    BOOKS,
    COUNT_ON_GIVEN,
    HONOUR,
    OUTER,
    ROOT,
    SMALL,
    SUM,
    WHOLE,
    Fold,
    Terms,
    ends,
    given,
    length,
    only,
    put,
    subtree,
    tree,
    whether,
    wide,
)
from tenure_proofs.theorems.core_search import ROW, given_search
from tenure_proofs.theorems.core_world import (
    ARRAYS,
    ASK,
    AT,
    FAR,
    NODES,
    ROWS,
    SIZE,
    answering,
    flag,
    handed,
    number,
    of,
    said,
    seeing,
)
from tenure_proofs.theorems.registry import theorem
from tenure_proofs.trusted.ast_lifter import Made
from tenure_proofs.trusted.induction import Part
from tenure_proofs.trusted.kernels import MOST, Law, Room, read_kernel
from tenure_proofs.trusted.loops import State
from tenure_proofs.trusted.symbols import SymBool, SymInt

NODE = number("node", 0, NODES)


def _real(state: Any, node: Any, at: Any, limit_of: Any = 0) -> Made:
    """A node's quota, as rules are given it; nothing is borrowed from outside the branch."""
    told = {"subtree": SymInt(state[SUBTREE][node][at]), "local": SymInt(state[LOCAL][node][at])}
    return Made(NodeQuota, {**told, "borrowing_limit": limit_of})


@theorem(
    "PO-ANY-750",
    about=(search.accessible,),
    size="any tree",
    assumes={
        **ARRAYS,
        **SMALL,
        "the sum over a subtree": "PO-ANY-702",
        "what a hero may count on": "PO-ANY-706",
    },
)
def what_is_accessible_to_a_hero_is_its_own_quota_and_what_others_of_the_subtree_lend_at_most_its_clamp(
    accessible: Any = search.accessible,
) -> Iterator[Part]:
    """UCQ-210 and UCQ-220; where bills are those of the letter, nominal quotas of cohorts do not count."""
    at, root, node, alone = AT.term, ROOT.term, NODE.term, flag("alone")

    def counts(count: Any, then: Terms) -> Terms:
        index = root + count
        own = z3.If(z3.Or(tree(IS_QUEUE, index) != 0, z3.Not(WHOLE)), given(NOMINAL, index, at).term, 0)
        return {"@room": put(then["@room"], own, z3.IntVal(WEIGHT), index)}

    weights = Fold("what counts", lambda: only(AT_FIRST, "@room"), counts, lambda: subtree(root))
    room = weights.end()["@room"]
    own, others = room[WEIGHT][node], {"@room": put(room, z3.IntVal(0), z3.IntVal(WEIGHT), node)}
    lends = whether(HONOUR, only(COUNT_ON_GIVEN.after(others, at, root), "@room"), others)
    most = SymInt(own + SUM.value(lends, WEIGHT, tree(PLACE, root), tree(AFTER, root)).term)
    borrows, nominal = given(LIMIT, node, at), given(NOMINAL, node, at)
    clamped = [
        said(
            hero_fit.accessible_to_hero,
            subtree=most,
            clamp=SymInt(said(hero_fit.clamp_of_hero, nominal=nominal, borrowing_limit=borrows, clamp=clamp)),
        )
        for clamp in (HeroClamp.LIMIT, HeroClamp.NOMINAL_PLUS_LIMIT)
    ]
    unclamped = said(hero_fit.accessible_to_hero, subtree=most, clamp=None)
    expected = z3.If(borrows.term == MOST, unclamped, z3.If(alone.term, *clamped))
    yield from read_kernel(
        seeing(accessible, count_on=COUNT_ON_GIVEN.law(), sum_over=SUM.law()),
        {"books": BOOKS, "node": NODE, "root": ROOT, "at": AT, "alone": alone},
        lambda way: ends(way, lends, expected),
        rooms=BEFORE,
        facts=(*BOOKED, own >= 0, own < 2**62, *weights.begins()),
        loops=[weights.invariant()],
    )


@theorem(
    "PO-ANY-752",
    about=(search.room_of,),
    size="any tree",
    assumes={**ARRAYS, "what is available above the branch": "PO-ANY-500"},
)
def the_room_for_a_hero_is_what_its_branch_has_without_borrowing_and_what_nodes_inside_keep_and_do_not_use(
    room_of: Any = search.room_of,
) -> Iterator[Part]:
    """UCQ-230 of every node of the branch where something is left; or of the hero alone."""
    at, root, now = AT.term, ROOT.term, BEFORE["now"]
    top = said(quota.available, quota=_real(now, root, at), usage=SymInt(now[USAGE][root][at]), above=None)
    free = AVAILABLE.value(AT_FIRST, at)
    inner = said(quota.available, quota=_real(now, root, at), usage=SymInt(now[USAGE][root][at]), above=free)
    first = z3.If(OUTER > 0, inner, top)

    def beside(room: Any, node: Any, own: bool, lending: HeroLending) -> Any:
        left = said(quota.local_available, quota=_real(now, node, at), usage=SymInt(now[USAGE][node][at]))
        told = {"room": SymInt(room), "locally_available": SymInt(left)}
        return said(hero_fit.room_beside, **told, own=own, lending=lending)

    def step(count: Any, then: Terms) -> Terms:
        return {"room": beside(then["room"], root + 1 + count, False, HeroLending.IGNORE)}

    rooms = Fold("room beside", lambda: {"room": first}, step, lambda: length(root + 1, tree(END, root)))
    honoured = beside(first, NODE.term, True, HeroLending.HONOUR)

    def numbers_of(node: Any) -> list[Any]:
        return [wide(now[kind][node][at]) for kind in (SUBTREE, USAGE, LOCAL)]

    def known(count: Any, _: State) -> list[Any]:
        return [*numbers_of(root + 1 + count), wide(rooms.at(count)["room"])]

    yield from read_kernel(
        seeing(room_of, _available=AVAILABLE.law()),
        {"books": BOOKS, "node": NODE, "root": ROOT, "above": ABOVE, "at": AT},
        lambda way: ends(way, {}, z3.If(HONOUR, honoured, rooms.end()["room"])),
        rooms=BEFORE,
        facts=(*BOOKED, OUTER >= 0, OUTER < FAR, *numbers_of(root), *numbers_of(NODE.term), *rooms.begins()),
        loops=[rooms.invariant(known)],
    )


GROUPS = z3.Array("groups before", z3.IntSort(), z3.IntSort())


@theorem(
    "PO-ANY-754",
    about=(search._offers, search._ground, search.classify),
    size="any tree, any workload",
    assumes={
        **ARRAYS,
        "who is above whom": "PO-ANY-505",
        "the ground in the preemptor's ClusterQueue": "PO-ANY-420",
    },
)
def a_queue_may_offer_candidates_and_a_workload_may_be_preempted_by_a_hero_where_the_rules_say_so(
    offers: Any = search._offers, ground: Any = search._ground, classify: Any = search.classify
) -> Iterator[Part]:
    """UCQ-020 of a workload of lower priority; UCQ-310 and UCQ-340 of one of a queue that may offer some."""
    own, first = ASK.fields["own"], flag("rank first")
    quest = Made(Quest, {"root": ROOT, "rank_first": first})
    above = z3.Function("the hero is above", z3.IntSort(), z3.BoolSort())
    may_offer = z3.Function("may offer", z3.IntSort(), z3.BoolSort())

    def is_above(_: State, books: Any, mine: Any, node: Any) -> SymBool:
        handed((books, BOOKS), (mine, own))
        return SymBool(above(node.term))

    def takes(node: Any, lower: Any) -> Any:
        """UCQ-020, and for any queue that is no hero's."""
        peer = SymBool(tree(PARENT, own.term) == tree(PARENT, node))
        kin = Made(Kin, {"hero": True, "in_scope": True, "above": SymBool(above(node)), "peer": peer})
        how = [
            said(hero_rank.may_take_from_hero, kin=kin, lower_priority=SymBool(lower), precedence=precedence)
            for precedence in (HeroPrecedence.RANK_FIRST, HeroPrecedence.EITHER)
        ]
        return z3.Or(tree(HERO, node) == 0, z3.If(first.term, *how))

    law = Law(is_above)
    yield from read_kernel(
        seeing(offers, _is_above=law),
        {"books": BOOKS, "own": own, "node": NODE, "quest": quest},
        lambda way: ends(way, {}, takes(NODE.term, z3.BoolVal(True))),
        rooms=BEFORE,
        facts=BOOKED,
    )
    policy = Made(Policy, {"priority": number("priority"), "within": number("within", 0, 3)})
    asked = given_search(policy=policy, work=Made(Work, {"group": Room("groups", (NODES,))}))
    node, mine = of(ROWS, "queue", ROW.term), number("ground", 0, len(Ground))
    lower = of(ROWS, "priority", ROW.term) < policy.fields["priority"].term
    found = z3.If(takes(node, lower), int(Ground.HERO), NONE)
    yield from read_kernel(
        seeing(ground, _is_above=law, own_ground=answering(mine, ROWS, ROW, policy)),
        {"given": asked, "books": BOOKS, "row": ROW},
        lambda way: ends(way, {}, z3.If(node == own.term, mine.term, found)),
        rooms=BEFORE,
        facts=(*BOOKED, SIZE > 0, node >= 0, takes(node, z3.BoolVal(True))),
    )

    def offering(_: State, books: Any, mine: Any, node: Any, how: Any) -> SymBool:
        handed((books, BOOKS), (mine, own), (how, quest))
        return SymBool(may_offer(node.term))

    def group(count: Any, then: Terms) -> Terms:
        index = ROOT.term + count
        there = z3.And(tree(ACTIVE, index) != 0, may_offer(index))
        return {"@groups": z3.Store(then["@groups"], index, z3.If(there, ELSEWHERE, -1))}

    groups = Fold("groups for a hero", lambda: {"@groups": GROUPS}, group, lambda: subtree(ROOT.term))
    within = policy.fields["within"].term
    is_own = z3.And(within != int(WithinClusterQueue.NEVER), tree(ACTIVE, own.term) != 0)
    end = z3.Store(groups.end()["@groups"], own.term, z3.If(is_own, OWN, -1))
    yield from read_kernel(
        seeing(classify, _offers=Law(offering)),
        {"given": asked, "books": BOOKS, "quest": quest},
        lambda way: [*ends(way, {}), ("groups", way.names["@groups"].term == end)],
        rooms={**BEFORE, "groups": GROUPS},
        facts=(*BOOKED, *groups.begins()),
        loops=[groups.invariant()],
    )
