"""The optimized core, heroes: sums over a subtree, and how a bill is shared out over it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import z3

from tenure.fast.heroes import billing
from tenure.fast.heroes.billing import SAFE
from tenure.fast.heroes.tables import BY_NAME, PLACE, SHARE, WEIGHT
from tenure.readings import AccessibleRounding
from tenure.rules import hero_billing
from tenure_proofs.theorems.core_books import (
    AT_FIRST,
    BEFORE,
    BOOKED,
    BOOKS,
    OVER,
    SMALL,
    SUM,
    THIS_BRANCH,
    Fold,
    at_place,
    ends,
    length,
    part,
    tree,
)
from tenure_proofs.theorems.core_world import ARRAYS, AT, NODES, number, said, seeing
from tenure_proofs.theorems.registry import BELIEVED, theorem
from tenure_proofs.trusted.induction import Labelled, Part
from tenure_proofs.trusted.kernels import POINT, Invariant, read_kernel
from tenure_proofs.trusted.loops import State, Way, every
from tenure_proofs.trusted.symbols import SymBool, SymInt, as_term

START, STOP = number("start", 0, NODES + 1), number("stop", 0, NODES + 1)
WEIGHT_OF, TOTAL = number("weight", 0, SAFE), number("total", 1, SAFE)


def over(amount: Any, weight: Any, total: Any) -> Any:
    """An amount times a weight over a total."""
    return OVER.value({}, amount, weight, total).term


def _is_share(amount: Any, weight: Any, total: Any) -> Any:
    return z3.And(amount >= 0, weight >= 0, weight <= total, total >= 1, total < SAFE)


def at_most(amount: Any, weight: Any, total: Any) -> Any:
    """By PO-ANY-700: it is at most the amount, and nothing of no weight."""
    found = over(amount, weight, total)
    bounds = z3.And(found >= 0, found <= amount, z3.Implies(weight == 0, found == 0))
    return z3.Implies(_is_share(amount, weight, total), bounds)


def quotient(amount: Any, weight: Any, total: Any) -> Any:
    """By PO-ANY-700: it is the quotient of the rules."""
    exact = over(amount, weight, total) == (amount * weight) / total
    return z3.Implies(_is_share(amount, weight, total), exact)


@theorem(
    "PO-ANY-702",
    about=(billing.sum_over, billing._first_hero, billing._floored),
    size="any tree, any number of heroes and of their workloads",
    assumes={**ARRAYS, **SMALL, "an amount times a weight over a total": BELIEVED},
)
def a_sum_over_a_subtree_and_what_a_heros_workloads_are_billed_is_the_sum_of_what_the_rules_say_of_each(
    sum_over: Any = billing.sum_over, first: Any = billing._first_hero, floored: Any = billing._floored
) -> Iterator[Part]:
    """Every node by name once; UCQ-150 of every workload, each share rounded down.

    A branch's heroes begin behind those of the branch before.
    """
    which = number("which", 0, 2)
    start = START.term
    total = Fold(
        "a sum",
        lambda: {"total": z3.IntVal(0)},
        lambda count, then: {"total": then["total"] + BEFORE["room"][which.term][at_place(start + count)]},
        lambda: length(start, STOP.term),
    )

    def small(name: str, fold: Fold) -> Any:
        return lambda count, _: [
            z3.And(fold.at(step)[name] > -(2**62), fold.at(step)[name] < 2**62) for step in (count, count + 1)
        ]

    yield from read_kernel(
        sum_over,
        {"books": BOOKS, "which": which, "first": START, "end": STOP},
        lambda way: ends(way, {}, total.end()["total"]),
        rooms=BEFORE,
        facts=(*BOOKED, *total.begins()),
        loops=[total.invariant(small("total", total))],
    )
    before = part("heroes_end", THIS_BRANCH.term - 1)
    yield from read_kernel(
        first,
        {"books": BOOKS, "branch": THIS_BRANCH},
        lambda way: [
            ("behind the branch before", as_term(way.value, int) == z3.If(THIS_BRANCH.term > 0, before, 0))
        ],
        rooms=BEFORE,
        facts=BOOKED,
    )
    hero, at = number("hero", 0, NODES), AT.term
    single = part("singles", z3.IntVal(0), hero.term)

    def bill(count: Any) -> Any:
        return said(
            hero_billing.bill_of_workload,
            amount=SymInt(BEFORE["amounts"][1][single + count][at]),
            weight=WEIGHT_OF,
            is_queue=True,
            total=TOTAL,
            rounding=AccessibleRounding.FLOOR,
        )

    billed = Fold(
        "bills of workloads",
        lambda: {"bill": z3.IntVal(0)},
        lambda count, then: {"bill": then["bill"] + bill(count)},
        lambda: length(single, part("singles", z3.IntVal(1), hero.term)),
    )

    def known(count: Any, _: State) -> list[Any]:
        amount = BEFORE["amounts"][1][single + count][at]
        exact = quotient(amount, WEIGHT_OF.term, TOTAL.term)
        return [
            exact,
            at_most(amount, WEIGHT_OF.term, TOTAL.term),
            amount >= 0,
            *small("bill", billed)(count, _),
        ]

    yield from read_kernel(
        seeing(floored, times_over=OVER.law()),
        {"books": BOOKS, "hero": hero, "at": AT, "weight": WEIGHT_OF, "total": TOTAL},
        lambda way: ends(way, {}, billed.end()["bill"]),
        rooms=BEFORE,
        facts=(*BOOKED, WEIGHT_OF.term <= TOTAL.term, *billed.begins()),
        loops=[billed.invariant(known)],
    )


WEIGHTS_BEFORE = z3.Function("the sum of weights before", z3.IntSort(), z3.IntSort())
"""By place, counted from the first node that shares."""


@theorem(
    "PO-ANY-704",
    about=(billing.share_out,),
    size="any tree, any bill",
    assumes={
        **ARRAYS,
        **SMALL,
        "an amount times a weight over a total": BELIEVED,
        "the sum over a subtree": "PO-ANY-702",
        "weights are at least zero": BELIEVED,
        "every node has one place by name": BELIEVED,
    },
)
def a_bill_is_shared_out_as_the_rules_say_of_every_node_and_nothing_else_is_written(
    share_out: Any = billing.share_out,
) -> Iterator[Part]:
    """UCQ-130, each share rounded down or the sums of them; the shares may take the place of the weights."""
    bill, floor, into = number("bill", 0, 2**62), SymBool(z3.Bool("floor")), number("into", 0, 2)
    start, stop, room = START.term, STOP.term, BEFORE["room"]
    total = SUM.value(AT_FIRST, z3.IntVal(WEIGHT), start, stop)

    def weight(count: Any) -> Any:
        return room[WEIGHT][at_place(start + count)]

    def share(weight: Any, before: Any) -> Any:
        down = over(bill.term, weight, total.term)
        upto = over(bill.term, before + weight, total.term)
        running = upto - over(bill.term, before, total.term)
        return z3.If(total.term > 0, z3.If(floor.term, down, running), 0)

    weight_of, before_it = z3.Ints(["its weight", "weights before it"])
    yield Part(
        "share",
        (
            z3.And(weight_of >= 0, before_it >= 0, before_it + weight_of <= total.term, total.term < SAFE),
            *(quotient(bill.term, by, total.term) for by in (weight_of, before_it, before_it + weight_of)),
        ),
        (
            (
                "what the rule says",
                share(weight_of, before_it) == _by_rule(bill, weight_of, before_it, total, floor),
            ),
        ),
    )

    def shares(now: Any, done: Any, point: Any) -> tuple[str, Any]:
        count = tree(PLACE, point) - start
        shared = z3.And(count >= 0, count < done, count < stop - start)
        rows = [
            now[row][point]
            == z3.If(
                z3.And(shared, into.term == row),
                share(weight(count), WEIGHTS_BEFORE(count)),
                room[row][point],
            )
            for row in (WEIGHT, SHARE)
        ]
        return "rows", z3.Implies(z3.And(point >= 0, point < NODES), every(rows))

    def holds(steps: Any, _: State, here: State, point: Any) -> Labelled:
        before, upto = (as_term(here[name], int) for name in ("before", "shared"))
        counted = z3.And(z3.Not(floor.term), total.term > 0)
        running = over(bill.term, WEIGHTS_BEFORE(steps), total.term)
        return [
            shares(here["@room"].term, steps, point),
            ("so far", z3.Implies(counted, z3.And(before == WEIGHTS_BEFORE(steps), upto == running))),
        ]

    def known(point: Any, here: State) -> list[Any]:
        """Every node has one place; weights add up to their sum, and none is below zero."""
        if point is not POINT:
            return []
        steps = here["#0"].term
        sums, more = WEIGHTS_BEFORE(steps), WEIGHTS_BEFORE(steps + 1)
        adds = (weight(steps) >= 0, more == sums + weight(steps), sums >= 0, more <= total.term)
        among = z3.And(steps >= 0, steps < length(start, stop))
        return [
            tree(PLACE, at_place(start + steps)) == start + steps,
            z3.Implies(z3.And(point >= 0, point < NODES), tree(BY_NAME, tree(PLACE, point)) == point),
            z3.Implies(among, z3.And(adds)),
            *(at_most(bill.term, by, total.term) for by in (weight(steps), sums, more)),
        ]

    def says(way: Way) -> Labelled:
        now = way.names["@room"].term
        return [shares(now, stop - start, POINT), *ends(way, {"@room": now})]

    yield from read_kernel(
        seeing(share_out, sum_over=SUM.law(), times_over=OVER.law()),
        {"books": BOOKS, "bill": bill, "first": START, "end": STOP, "floor": floor, "into": into},
        says,
        rooms=BEFORE,
        facts=(
            *BOOKED,
            WEIGHTS_BEFORE(0) == 0,
            total.term < SAFE,
            at_most(bill.term, WEIGHTS_BEFORE(0), total.term),
        ),
        loops=[Invariant(holds, points=lambda steps, _: [POINT, at_place(start + steps)], everywhere=known)],
    )


def _by_rule(bill: SymInt, weight: Any, before: Any, total: SymInt, floor: SymBool) -> Any:
    down, running = (
        said(
            hero_billing.share_of_bill,
            bill=bill,
            weight=SymInt(weight),
            before=SymInt(before),
            total=total,
            rounding=how,
        )
        for how in (AccessibleRounding.FLOOR, AccessibleRounding.CUMULATIVE)
    )
    return z3.If(floor.term, down, running)
