"""The optimized core, heroes: how a branch's bills are carried out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import z3

from tenure.fast.heroes import billing
from tenure.fast.heroes.tables import (
    AFTER,
    BILL,
    DEPTH,
    END,
    HELD,
    LENDING,
    LIMIT,
    LOCAL,
    NOMINAL,
    PARENT,
    PLACE,
    SHARE,
    SUBTREE,
    USAGE,
    WEIGHT,
)
from tenure.model import NodeQuota
from tenure.readings import HeroBilling, HeroLending
from tenure.rules import hero_billing, hero_tree, quota
from tenure_proofs.theorems.core_books import (
    AT_FIRST,
    BEFORE,
    BOOKED,
    BOOKS,
    COUNT_QUOTAS,
    CREDIT,
    FLOOR,
    FLOORED,
    GIVEN,
    HEROES_OF_BRANCH,
    HONOUR,
    IN_ORDER,
    LESS_LIMIT,
    MOVE,
    OF_BRANCH,
    ROOT,
    SHARES,
    SMALL,
    SUM,
    SUMS_SEEN,
    TAKE_QUOTA,
    THIS_BRANCH,
    WHOLE,
    WHOLE_WEIGHTS,
    Fold,
    Terms,
    below,
    ends,
    given,
    hero,
    length,
    limit,
    only,
    put,
    subtree,
    tree,
    whether,
    wide,
)
from tenure_proofs.theorems.core_world import ARRAYS, AT, MINUS, NODES, PLUS, SUMS, flag, said, seeing
from tenure_proofs.theorems.registry import theorem
from tenure_proofs.trusted.ast_lifter import Made
from tenure_proofs.trusted.induction import Labelled, Part
from tenure_proofs.trusted.kernels import MOST, read_kernel
from tenure_proofs.trusted.loops import State, Way
from tenure_proofs.trusted.symbols import SymInt, as_term


@theorem(
    "PO-ANY-714",
    about=(billing._take_quota, billing._credit_heroes),
    size="any tree, any number of heroes",
    assumes={**ARRAYS, **SMALL, **SUMS, "the sum over a subtree": "PO-ANY-702"},
)
def every_node_loses_what_it_is_billed_and_heroes_are_credited_that_in_order_of_name(
    take: Any = billing._take_quota, credit: Any = billing._credit_heroes
) -> Iterator[Part]:
    """UCQ-160 of every node, UCQ-190 of every one but the root; UCQ-140 and UCQ-170 of every hero."""
    at, share = AT.term, BEFORE["room"][SHARE]
    effective = seeing(hero_tree.effective_nominal, minus=MINUS)
    fallen = seeing(hero_tree.fallen_lending_limit, minus=MINUS)

    def billed(count: Any, then: Terms) -> Terms:
        node, now = ROOT.term + count, then["@now"]
        less = said(effective, nominal=SymInt(now[NOMINAL][node][at]), bill=SymInt(share[node]), received=0)
        below = SUM.value(AT_FIRST, SHARE, tree(PLACE, node), tree(AFTER, node))
        lends, same = (
            said(fallen, limit=SymInt(now[LENDING][node][at]), bill=below, lending=how)
            for how in (HeroLending.HONOUR, HeroLending.IGNORE)
        )
        honoured = z3.And(HONOUR, count > 0, now[LENDING][node][at] != MOST)
        now = put(now, now[BILL][node][at] + share[node], z3.IntVal(BILL), node, at)
        now = put(now, less, z3.IntVal(NOMINAL), node, at)
        return {"@now": put(now, z3.If(honoured, lends, same), z3.IntVal(LENDING), node, at)}

    taken = Fold("bills taken", lambda: only(AT_FIRST, "@now"), billed, lambda: subtree(ROOT.term))

    def small(count: Any, here: State) -> list[Any]:
        node, now = ROOT.term + count, here["@now"].term
        bills = (now[BILL][node][at], share[node], now[BILL][node][at] + share[node])
        return [*(z3.And(term >= 0, term < 2**62) for term in bills), wide(now[NOMINAL][node][at])]

    yield from read_kernel(
        seeing(take, **SUMS_SEEN, sum_over=SUM.law()),
        {"books": BOOKS, "root": ROOT, "at": AT},
        lambda way: ends(way, taken.end()),
        rooms=BEFORE,
        facts=(*BOOKED, *taken.begins()),
        loops=[taken.invariant(small)],
    )
    root = OF_BRANCH
    bill = SUM.value(AT_FIRST, SHARE, tree(PLACE, root), tree(AFTER, root)).term
    excess = seeing(hero_billing.billed_usage, minus=MINUS)
    uses = seeing(hero_tree.effective_usage, minus=MINUS)

    def credited(count: Any, then: Terms) -> Terms:
        now, mine = then["@now"], hero(count)
        beyond = said(
            excess,
            usage=SymInt(now[HELD][mine][at]),
            nominal=given(NOMINAL, mine, at),
            billing=HeroBilling.EXCESS,
        )
        part_of = said(hero_billing.credit_of_hero, rest=SymInt(then["rest"]), billed_usage=SymInt(beyond))
        used = said(uses, usage=SymInt(now[USAGE][mine][at]), credit=SymInt(part_of))
        return {"@now": put(now, used, z3.IntVal(USAGE), mine, at), "rest": then["rest"] - part_of}

    credited_so_far = Fold(
        "credits", lambda: {**only(AT_FIRST, "@now"), "rest": bill}, credited, lambda: HEROES_OF_BRANCH
    )
    yield from read_kernel(
        seeing(credit, **SUMS_SEEN, _excess=seeing(billing._excess, **SUMS_SEEN), sum_over=SUM.law()),
        GIVEN,
        lambda way: ends(way, only(credited_so_far.end(), "@now")),
        rooms=BEFORE,
        facts=(*BOOKED, *credited_so_far.begins()),
        loops=[credited_so_far.invariant(lambda count, _: below(credited_so_far, "rest", count))],
    )


@theorem(
    "PO-ANY-716",
    about=(billing._move_to_heroes,),
    size="any tree, any number of heroes and of their workloads",
    assumes={
        **ARRAYS,
        **SMALL,
        **SUMS,
        "what a hero's workloads are billed": "PO-ANY-702",
        "weights": "PO-ANY-706",
    },
)
def what_is_billed_by_the_letter_moves_to_the_heroes_queues_and_the_weights_are_put_back(
    move: Any = billing._move_to_heroes,
) -> Iterator[Part]:
    """UCQ-160: every hero receives all it holds, or the sum of UCQ-150 over the nodes, rounded down."""
    at, root = AT.term, OF_BRANCH

    effective = seeing(hero_tree.effective_nominal, plus=PLUS)

    def copied(label: str, into: int, first: Any) -> Fold:
        def step(count: Any, then: Terms) -> Terms:
            room, node = then["@room"], root + count
            return {"@room": put(room, room[1 - into][node], z3.IntVal(into), node)}

        return Fold(label, lambda: {"@room": first}, step, lambda: subtree(root))

    saved = copied("weights saved", SHARE, BEFORE["room"])
    weighed = WHOLE_WEIGHTS.after(saved.end(), root, at)["@room"]
    total = WHOLE_WEIGHTS.value(saved.end(), root, at).term
    restored = copied("weights put back", WEIGHT, weighed)

    def from_node(index: Any, count: Any, then: Terms) -> Terms:
        weight = weighed[WEIGHT][root + count]
        return {"received": then["received"] + FLOORED.value(AT_FIRST, hero(index), at, weight, total).term}

    received = Fold(
        "received from nodes", lambda _: {"received": z3.IntVal(0)}, from_node, lambda _: subtree(root)
    )

    def to_hero(count: Any, then: Terms) -> Terms:
        now, mine = then["@now"], hero(count)
        amount = z3.If(FLOOR, received.end(count)["received"], now[HELD][mine][at])
        nominal = SymInt(now[NOMINAL][mine][at])
        more = said(effective, nominal=nominal, bill=0, received=SymInt(amount))
        return {"@now": put(now, more, z3.IntVal(NOMINAL), mine, at)}

    def numbers(count: Any, here: State) -> list[Any]:
        return [wide(here["@now"].term[NOMINAL][hero(count)][at])]

    moved = Fold("quota moved", lambda: only(AT_FIRST, "@now"), to_hero, lambda: HEROES_OF_BRANCH)
    yield from read_kernel(
        seeing(move, **SUMS_SEEN, _whole_weights=WHOLE_WEIGHTS.law(), _floored=FLOORED.law()),
        GIVEN,
        lambda way: ends(way, {**moved.end(), **restored.end()}),
        rooms=BEFORE,
        facts=(*BOOKED, *saved.begins(), *restored.begins(), *moved.begins()),
        loops=[
            saved.invariant(),
            moved.invariant(numbers, inner=[received]),
            received.invariant(lambda index, count, _: below(received, "received", index, count), around=[1]),
            restored.invariant(),
        ],
    )


def _quota(now: Any, node: Any, at: Any) -> Made:
    return Made(NodeQuota, {"subtree": SymInt(now[SUBTREE][node][at]), "local": SymInt(now[LOCAL][node][at])})


def lent(now: Any, node: Any, at: Any) -> Any:
    """What of a node's quota is for those above it (KQ-130)."""
    return said(seeing(quota.quota_passed_up, minus=MINUS), quota=_quota(now, node, at))


def kept(now: Any, node: Any, at: Any) -> Any:
    """What a node keeps to itself (KQ-120)."""
    told = {"subtree": SymInt(now[SUBTREE][node][at]), "lending_limit": limit(now[LENDING][node][at])}
    return said(seeing(quota.local_quota, minus=LESS_LIMIT), **told)


def more_lent(now: Any, before: Any, node: Any, at: Any) -> Any:
    """By how much what a node lends has grown."""
    return MINUS(SymInt(lent(now, node, at)), SymInt(before)).term


@theorem(
    "PO-ANY-718",
    about=(billing._count_quotas,),
    size="any tree",
    assumes={**ARRAYS, **SUMS, **IN_ORDER},
)
def a_branchs_quotas_are_counted_again_from_the_last_node_to_the_root_and_what_more_is_lent_goes_up(
    count: Any = billing._count_quotas,
) -> Iterator[Part]:
    """KQ-120 and KQ-130 of every node of the branch, then of those above its root."""
    at, root = AT.term, ROOT.term

    def nominal(steps: Any, then: Terms) -> Terms:
        node = root + steps
        now = then["@now"]
        return {"@now": put(now, now[NOMINAL][node][at], z3.IntVal(SUBTREE), node, at)}

    begun = Fold("nominal quota", lambda: only(AT_FIRST, "@now"), nominal, lambda: subtree(root))

    def from_below(steps: Any, then: Terms) -> Terms:
        node, now = tree(END, root) - 1 - steps, then["@now"]
        above = tree(PARENT, node)
        now = put(now, kept(now, node, at), z3.IntVal(LOCAL), node, at)
        more = PLUS(SymInt(now[SUBTREE][above][at]), SymInt(lent(now, node, at))).term
        up = put(now, more, z3.IntVal(SUBTREE), above, at)
        return {"@now": z3.If(node == root, now, up)}

    counted = Fold("quota of subtrees", begun.end, from_below, lambda: subtree(root))

    def goes_up(_: Any, then: Terms) -> Terms:
        now, node = then["@now"], then["node"]
        before = lent(now, node, at)
        more = PLUS(SymInt(now[SUBTREE][node][at]), SymInt(then["more"])).term
        now = put(now, more, z3.IntVal(SUBTREE), node, at)
        now = put(now, kept(now, node, at), z3.IntVal(LOCAL), node, at)
        return {"@now": now, "more": more_lent(now, before, node, at), "node": tree(PARENT, node)}

    def at_root() -> Terms:
        more = more_lent(counted.end()["@now"], lent(BEFORE["now"], root, at), root, at)
        return {**counted.end(), "more": more, "node": tree(PARENT, root)}

    above = Fold("quota above", at_root, goes_up)

    def inside(steps: Any, _: State) -> list[Any]:
        node = tree(END, root) - 1 - steps
        return [z3.Implies(z3.And(node > root, node < NODES), tree(PARENT, node) >= 0)]

    def says(way: Way) -> Labelled:
        steps = way.names["#2"].term
        return [("up to the root", above.at(steps)["node"] < 0), *ends(way, only(above.at(steps), "@now"))]

    laws = {
        **SUMS_SEEN,
        "local_of": seeing(billing.local_of, minus=MINUS),
    }
    yield from read_kernel(
        seeing(count, **laws),
        {"books": BOOKS, "root": ROOT, "at": AT},
        says,
        rooms=BEFORE,
        facts=(*BOOKED, *begun.begins(), *counted.begins(), *above.begins()),
        loops=[
            begun.invariant(),
            counted.invariant(inside),
            above.invariant(lambda _, here: [as_term(here["node"], int) < NODES]),
        ],
    )


@theorem(
    "PO-ANY-720",
    about=(billing.bill_branch,),
    size="any tree, any number of heroes",
    assumes={
        **ARRAYS,
        **SMALL,
        "what nodes are billed": "PO-ANY-712",
        "nodes billed, heroes credited": "PO-ANY-714",
        "quota moved to heroes": "PO-ANY-716",
        "quotas counted again": "PO-ANY-718",
    },
)
def a_branchs_bills_are_counted_recorded_and_carried_out_and_borrowing_limits_are_widened(
    bill_branch: Any = billing.bill_branch,
) -> Iterator[Part]:
    """Where no node is billed, nothing changes but shares. UCQ-180 of every node below the branch's root."""
    at, root, keeps, recording = AT.term, OF_BRANCH, flag("kept"), flag("recording")
    depth = tree(DEPTH, root)
    some = SHARES.value(AT_FIRST, THIS_BRANCH.term, at, keeps.term).term
    shared = SHARES.after(AT_FIRST, THIS_BRANCH.term, at, keeps.term)
    is_frozen = BEFORE["is_frozen"]
    frozen = put(is_frozen, z3.Or(is_frozen[depth][at], recording.term), depth, at)

    def saved(count: Any, then: Terms) -> Terms:
        node, room = root + count, then["@room"]
        record = put(then["@frozen"], room[SHARE][node], depth, node, at)
        return {
            "@room": put(room, BEFORE["now"][SUBTREE][node][at], z3.IntVal(WEIGHT), node),
            "@frozen": z3.If(recording.term, record, then["@frozen"]),
        }

    before = Fold("quota before", lambda: only(shared, "@room", "@frozen"), saved, lambda: subtree(root))
    state = {**shared, **before.end(), "@is_frozen": frozen}
    state = TAKE_QUOTA.after(state, root, at)
    state = whether(WHOLE, MOVE.after(state, THIS_BRANCH.term, at), CREDIT.after(state, THIS_BRANCH.term, at))
    state = COUNT_QUOTAS.after(state, root, at)

    def limits(count: Any, then: Terms) -> Terms:
        node, now = root + 1 + count, then["@now"]
        wider = said(
            hero_tree.widened_borrowing_limit,
            limit=SymInt(now[LIMIT][node][at]),
            before=SymInt(state["@room"][WEIGHT][node]),
            after=SymInt(now[SUBTREE][node][at]),
        )
        return {"@now": z3.If(now[LIMIT][node][at] == MOST, now, put(now, wider, z3.IntVal(LIMIT), node, at))}

    widened = Fold(
        "limits widened", lambda: only(state, "@now"), limits, lambda: length(root + 1, tree(END, root))
    )

    def small(count: Any, here: State) -> list[Any]:
        node, now = root + 1 + count, here["@now"].term
        quotas = (now[SUBTREE][node][at], here["@room"].term[WEIGHT][node])
        return [wide(now[LIMIT][node][at]), *(z3.And(term > -(2**61), term < 2**61) for term in quotas)]

    laws = {
        "_shares": SHARES,
        "_take_quota": TAKE_QUOTA,
        "_move_to_heroes": MOVE,
        "_credit_heroes": CREDIT,
        "_count_quotas": COUNT_QUOTAS,
    }
    yield from read_kernel(
        seeing(bill_branch, **{name: step.law() for name, step in laws.items()}),
        {**GIVEN, "kept": keeps, "recording": recording},
        lambda way: ends(way, whether(some, {**state, **widened.end()}, shared)),
        rooms=BEFORE,
        facts=(*BOOKED, *before.begins(), *widened.begins()),
        loops=[before.invariant(), widened.invariant(small)],
    )
