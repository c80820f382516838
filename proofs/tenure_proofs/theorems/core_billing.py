"""The optimized core, heroes: what a branch's heroes bill to its nodes."""

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
    HERO,
    IS_QUEUE,
    LENDING,
    NOMINAL,
    PLACE,
    SHARE,
    WEIGHT,
)
from tenure.readings import HeroBilling, HeroLending
from tenure.rules import hero_billing
from tenure_proofs.theorems.core_books import (
    AT_FIRST,
    BEFORE,
    BOOKED,
    BOOKS,
    COUNT_ON_GIVEN,
    COUNT_ON_NOW,
    EXCESS_SHARES,
    FLOOR,
    FLOORED,
    GIVEN,
    HEROES_OF_BRANCH,
    HONOUR,
    OF_BRANCH,
    ROOT,
    SHARE_OUT,
    SMALL,
    SUM,
    SUMS_SEEN,
    THIS_BRANCH,
    WHOLE,
    WHOLE_SHARES,
    WHOLE_WEIGHTS,
    Fold,
    Terms,
    also,
    at_place,
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
from tenure_proofs.theorems.core_world import ARRAYS, AT, MINUS, SUMS, flag, said, seeing
from tenure_proofs.theorems.registry import theorem
from tenure_proofs.trusted.induction import Labelled, Part
from tenure_proofs.trusted.kernels import POINT, Invariant, read_kernel
from tenure_proofs.trusted.loops import State
from tenure_proofs.trusted.symbols import SymBool, SymInt, as_term


@theorem(
    "PO-ANY-706",
    about=(billing.count_on, billing._whole_weights),
    size="any tree",
    assumes={**ARRAYS, "the sum over a subtree": "PO-ANY-702", "how a bill is shared out": "PO-ANY-704"},
)
def what_a_hero_may_count_on_is_what_every_node_lends_by_the_rules_from_the_last_to_the_root(
    count_on: Any = billing.count_on, whole: Any = billing._whole_weights
) -> Iterator[Part]:
    """UCQ-260: of a ClusterQueue what it has; of a cohort what is below, shared out where it lends less.

    Bills by the letter are in proportion to nominal quotas of ClusterQueues, as far as they are lent.
    """
    root, at = ROOT.term, AT.term
    yield from _counted(count_on, "now")
    yield from _counted(count_on, "given")

    def weight(count: Any, then: Terms) -> Terms:
        node = root + count
        nominal = z3.If(tree(IS_QUEUE, node) != 0, given(NOMINAL, node, at).term, 0)
        return {"@room": put(then["@room"], nominal, z3.IntVal(WEIGHT), node)}

    weights = Fold("weights", lambda: only(AT_FIRST, "@room"), weight, lambda: subtree(root))
    end = weights.end()
    end = whether(HONOUR, only(COUNT_ON_GIVEN.after(end, at, root), "@room"), end)
    total = SUM.value(end, WEIGHT, tree(PLACE, root), tree(AFTER, root)).term
    yield from read_kernel(
        seeing(whole, count_on=COUNT_ON_GIVEN.law(), sum_over=SUM.law()),
        {"books": BOOKS, "root": ROOT, "at": AT},
        lambda way: ends(way, end, total),
        rooms=BEFORE,
        facts=(*BOOKED, *weights.begins()),
        loops=[weights.invariant()],
    )


def _counted(kernel: Any, name: str) -> Iterator[Part]:
    root, at = ROOT.term, AT.term

    def limit_of(node: Any) -> Any:
        return BEFORE["now"][LENDING][node][at] if name == "now" else given(LENDING, node, at).term

    def lent(amount: Any, node: Any) -> Any:
        lends = limit(limit_of(node))
        return said(
            hero_billing.lendable, amount=SymInt(amount), lending_limit=lends, lending=HeroLending.HONOUR
        )

    def lowered(count: Any, then: Terms) -> Terms:
        place = tree(AFTER, root) - 1 - count
        node, room = at_place(place), then["@room"]
        below = SUM.value(then, WEIGHT, place, tree(AFTER, node)).term
        shared = SHARE_OUT.after(then, lent(below, node), place, tree(AFTER, node), False, WEIGHT)
        queue = put(room, lent(room[WEIGHT][node], node), z3.IntVal(WEIGHT), node)
        cohort = z3.If(lent(below, node) == below, room, shared["@room"])
        return {"@room": z3.If(tree(IS_QUEUE, node) != 0, queue, cohort)}

    def known(count: Any, here: State) -> list[Any]:
        node = at_place(tree(AFTER, root) - 1 - count)
        return [wide(here["@room"].term[WEIGHT][node]), wide(limit_of(node))]

    fold = Fold(
        f"counted on: {name}",
        lambda: only(AT_FIRST, "@room"),
        lowered,
        lambda: length(tree(PLACE, root), tree(AFTER, root) - 1),
    )
    yield from read_kernel(
        seeing(kernel, sum_over=SUM.law(), share_out=SHARE_OUT.law()),
        {"books": BOOKS, "amounts": BOOKS.fields[name], "at": AT, "root": ROOT},
        lambda way: ends(way, fold.end()),
        rooms=BEFORE,
        facts=(*BOOKED, *fold.begins()),
        loops=[fold.invariant(known)],
    )


@theorem(
    "PO-ANY-708",
    about=(billing._excess_shares,),
    size="any tree, any number of heroes",
    assumes={
        **ARRAYS,
        **SMALL,
        **SUMS,
        "the sum over a subtree": "PO-ANY-702",
        "how a bill is shared out": "PO-ANY-704",
        "what a hero may count on": "PO-ANY-706",
    },
)
def what_heroes_use_beyond_their_quota_is_billed_to_every_node_by_what_it_can_still_be_billed(
    shares: Any = billing._excess_shares,
) -> Iterator[Part]:
    """UCQ-100 of every hero, UCQ-110 of every node, UCQ-120 of the branch, UCQ-130."""
    at, root, now = AT.term, OF_BRANCH, BEFORE["now"]
    excess = seeing(hero_billing.billed_usage, minus=MINUS)
    left = seeing(hero_billing.left_to_bill, minus=MINUS)

    def billed(count: Any) -> Any:
        held = SymInt(now[HELD][hero(count)][at])
        return said(excess, usage=held, nominal=given(NOMINAL, hero(count), at), billing=HeroBilling.EXCESS)

    def weight(count: Any, then: Terms) -> Terms:
        node = root + count
        can = said(
            left,
            nominal=given(NOMINAL, node, at),
            usage=SymInt(now[HELD][node][at]),
            hero=SymBool(tree(HERO, node) != 0),
            billed=SymInt(now[BILL][node][at]),
        )
        return {"@room": put(then["@room"], can, z3.IntVal(WEIGHT), node)}

    bill = Fold(
        "excess",
        lambda: {"bill": z3.IntVal(0)},
        lambda count, then: {"bill": then["bill"] + billed(count)},
        lambda: HEROES_OF_BRANCH,
    )
    weights = Fold("left to bill", lambda: only(AT_FIRST, "@room"), weight, lambda: subtree(root))
    first, end = tree(PLACE, root), tree(AFTER, root)
    counted = whether(HONOUR, only(COUNT_ON_NOW.after(also(weights.end()), at, root), "@room"), weights.end())
    most = SUM.value(counted, WEIGHT, first, end)
    of_cohort = said(hero_billing.bill_of_cohort, billed_usage=SymInt(bill.end()["bill"]), left=most)
    shared = SHARE_OUT.after(counted, of_cohort, first, end, FLOOR, SHARE)
    yield from read_kernel(
        seeing(
            shares,
            **SUMS_SEEN,
            _excess=seeing(billing._excess, **SUMS_SEEN),
            count_on=COUNT_ON_NOW.law(),
            share_out=SHARE_OUT.law(),
            sum_over=SUM.law(),
        ),
        GIVEN,
        lambda way: ends(way, shared),
        rooms=BEFORE,
        facts=(*BOOKED, *bill.begins(), *weights.begins()),
        loops=[bill.invariant(lambda count, _: below(bill, "bill", count)), weights.invariant()],
    )


@theorem(
    "PO-ANY-710",
    about=(billing._whole_shares,),
    size="any tree, any number of heroes and of their workloads",
    assumes={
        **ARRAYS,
        **SMALL,
        "what a hero's workloads are billed": "PO-ANY-702",
        "weights": "PO-ANY-706",
        "how a bill is shared out": "PO-ANY-704",
    },
)
def by_the_letter_all_that_heroes_hold_is_billed_to_every_node_in_proportion_to_its_nominal_quota(
    shares: Any = billing._whole_shares,
) -> Iterator[Part]:
    """UCQ-100 and UCQ-130; where shares are rounded down UCQ-150 of every hero, if there are weights."""
    at, root, now = AT.term, OF_BRANCH, BEFORE["now"]
    weighed = only(WHOLE_WEIGHTS.after(AT_FIRST, root, at), "@room")
    total = WHOLE_WEIGHTS.value(AT_FIRST, root, at).term

    def billed(count: Any) -> Any:
        held = SymInt(now[HELD][hero(count)][at])
        return said(
            hero_billing.billed_usage,
            usage=held,
            nominal=given(NOMINAL, hero(count), at),
            billing=HeroBilling.WHOLE,
        )

    def share(node_at: Any, count: Any, then: Terms) -> Terms:
        room, node = then["@room"], root + node_at
        bill = FLOORED.value(AT_FIRST, hero(count), at, room[WEIGHT][node], total).term
        return {"@room": put(room, room[SHARE][node] + bill, z3.IntVal(SHARE), node)}

    def of_node(count: Any, _: Terms) -> Terms:
        return whether(total > 0, of_heroes.end(count), cleared(count))

    def cleared(count: Any) -> Terms:
        return {"@room": put(nodes.at(count)["@room"], z3.IntVal(0), z3.IntVal(SHARE), root + count)}

    bill = Fold(
        "all that is held",
        lambda: {"bill": z3.IntVal(0)},
        lambda count, then: {"bill": then["bill"] + billed(count)},
        lambda: HEROES_OF_BRANCH,
    )
    nodes = Fold("bills by the letter", lambda: weighed, of_node, lambda: subtree(root))
    of_heroes = Fold("bills of a node", cleared, share, lambda _: HEROES_OF_BRANCH)
    first, end = tree(PLACE, root), tree(AFTER, root)
    together = SHARE_OUT.after(weighed, bill.end()["bill"], first, end, False, SHARE)

    def small(node_at: Any, count: Any, _: Any) -> list[Any]:
        node = root + node_at
        sums = [of_heroes.at(node_at, then)["@room"][SHARE][node] for then in (count, count + 1)]
        return [z3.And(term > -(2**62), term < 2**62) for term in sums]

    yield from read_kernel(
        seeing(
            shares,
            _whole_weights=WHOLE_WEIGHTS.law(),
            _floored=FLOORED.law(),
            share_out=SHARE_OUT.law(),
        ),
        GIVEN,
        lambda way: ends(way, whether(FLOOR, nodes.end(), together)),
        rooms=BEFORE,
        facts=(*BOOKED, *bill.begins(), *nodes.begins()),
        loops=[
            bill.invariant(lambda count, _: below(bill, "bill", count)),
            nodes.invariant(inner=[of_heroes]),
            of_heroes.invariant(small, around=[1]),
        ],
    )


@theorem(
    "PO-ANY-712",
    about=(billing._shares,),
    size="any tree",
    assumes={**ARRAYS, "shares of the excess": "PO-ANY-708", "shares by the letter": "PO-ANY-710"},
)
def the_nodes_of_a_branch_are_billed_what_was_recorded_where_bills_are_kept_or_else_what_is_counted(
    shares: Any = billing._shares,
) -> Iterator[Part]:
    """And it is said whether any node is billed something. Bills by the letter are always counted."""
    at, root, kept, room = AT.term, OF_BRANCH, flag("kept"), BEFORE["room"]
    depth = tree(DEPTH, root)
    some, one = z3.Bool("some node is billed"), z3.Int("one that is billed")

    def copied(count: Any, then: Terms) -> Terms:
        node = root + count
        return {"@room": put(then["@room"], BEFORE["frozen"][depth][node][at], z3.IntVal(SHARE), node)}

    restored = Fold("bills as recorded", lambda: {"@room": room}, copied, lambda: subtree(root))
    recorded = z3.And(kept.term, BEFORE["is_frozen"][depth][at])
    counted = {
        law: only(law.after(AT_FIRST, THIS_BRANCH.term, at), "@room") for law in (WHOLE_SHARES, EXCESS_SHARES)
    }
    billed = whether(WHOLE, counted[WHOLE_SHARES], whether(recorded, restored.end(), counted[EXCESS_SHARES]))[
        "@room"
    ]

    def meaning(point: Any, _: State) -> list[Any]:
        """Some node is billed: there is one; otherwise none is."""
        inside = z3.And(point >= root, point < tree(END, root))
        there = z3.And(one >= root, one < tree(END, root), billed[SHARE][one] != 0)
        none = z3.Implies(inside, billed[SHARE][point] == 0)
        return [z3.If(some, there, none)]

    def holds(steps: Any, _: State, here: State, point: Any) -> Labelled:
        found = as_term(here["some"], bool)
        before = z3.And(point >= root, point < root + steps)
        none = z3.Implies(before, billed[SHARE][point] == 0)
        return [
            ("some: so far", z3.If(found, some, none)),
            ("the bills", here["@room"].term == billed),
        ]

    yield from read_kernel(
        seeing(shares, _whole_shares=WHOLE_SHARES.law(), _excess_shares=EXCESS_SHARES.law()),
        {**GIVEN, "kept": kept},
        lambda way: ends(way, {"@room": billed}, some),
        rooms=BEFORE,
        facts=(*BOOKED, *restored.begins()),
        loops=[
            restored.invariant(),
            Invariant(holds, points=lambda steps, _: [POINT, one, root + steps], everywhere=meaning),
        ],
    )
