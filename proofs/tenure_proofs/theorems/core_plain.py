"""The optimized core, short ways: plain trees, where the root alone decides, and who is looked into."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import z3

from tenure.fast import nodes, paths, rounds
from tenure.fast.tables import ELSEWHERE, NONE, OWN, Ask, Policy, Work
from tenure.model import Ground, WithinClusterQueue
from tenure.rules import amounts, quota
from tenure_proofs.theorems.core_search import ONE_ROW, ROW, WORK, given_search
from tenure_proofs.theorems.core_tree import COLUMN, ENDS, EXCEEDS, exceeding
from tenure_proofs.theorems.core_world import (
    ARRAYS,
    ASK,
    COLUMNS,
    FOREST,
    NODES,
    PATH,
    REQUESTED,
    ROWS,
    SIZES,
    TOP,
    USAGE,
    answering,
    between,
    flag,
    handed,
    number,
    numbers,
    of,
    said,
    says_of_all,
    seeing,
    so_far,
    used,
)
from tenure_proofs.theorems.registry import BELIEVED, theorem
from tenure_proofs.trusted.ast_lifter import Made
from tenure_proofs.trusted.induction import Labelled, Part
from tenure_proofs.trusted.kernels import MOST, POINT, Invariant, Law, Room, read_kernel
from tenure_proofs.trusted.loops import State, Way
from tenure_proofs.trusted.symbols import SymBool, SymInt, as_term

FAR = nodes.FAR
SMALL = between("small usage", 0, FAR, NODES, COLUMNS)
"""What is in use in a plain tree."""

SMALL_ASK = Made(Ask, {**ASK.fields, "amount": between("small amount", 1, FAR, REQUESTED)})
AMOUNTS = {"subtree": between("amounts.subtree", 0, MOST + 1, NODES, COLUMNS)}
FOREST_OF_AMOUNTS = Made(FOREST.cls, {**FOREST.fields, **AMOUNTS})


@theorem(
    "PO-ANY-520",
    about=(nodes.fits_plainly, nodes._cannot_return),
    size="any number of columns, in plain trees",
    assumes={**ARRAYS, "nothing that is in use is below zero": BELIEVED},
)
def in_a_plain_tree_a_request_fits_as_the_rules_say_of_what_the_root_has_left(
    fits_plainly: Any = nodes.fits_plainly, cannot_return: Any = nodes._cannot_return
) -> Iterator[Part]:
    """KQ-190 of every column, where KQ-180 says what the root has left; who cannot return holds more."""
    may_borrow, own = flag("may borrow"), ASK.fields["own"].term

    def left(index: Any) -> Any:
        """KQ-180 of the root."""
        at = of(ASK, "at", index)
        usage, subtree = SMALL.at(TOP, at), AMOUNTS["subtree"].at(TOP, at)
        return said(amounts.minus, first=subtree, second=usage)

    def one(index: Any) -> Any:
        at, amount = of(ASK, "at", index), SMALL_ASK.fields["amount"].at(index)
        nominal = SymInt(of(FOREST, "nominal", own, at))
        borrows = z3.Not(said(quota.fits_quota, usage=SMALL.at(own, at), request=amount, quota=nominal))
        return said(
            quota.fits_request,
            request=amount,
            free=SymInt(left(index)),
            borrows=SymBool(borrows),
            may_borrow=may_borrow,
        )

    given = {"forest": FOREST_OF_AMOUNTS, "usage": SMALL, "ask": SMALL_ASK, "may_borrow": may_borrow}
    yield from read_kernel(
        fits_plainly,
        given,
        lambda way: says_of_all(REQUESTED, one, way),
        facts=SIZES,
        loops=[so_far(one)],
    )
    place, count = number("place", 0, 2**31), z3.Int("room for what is held")
    held = numbers("what is held", COLUMNS, count)

    def has_room(index: Any) -> Any:
        """That what the root has left beside the request is as much as it holds."""
        amount = SMALL_ASK.fields["amount"].at(index)
        rest = said(amounts.minus, first=SymInt(left(index)), second=amount)
        return rest >= held.at(index, place.term).term

    def says(way: Way) -> Labelled:
        fits = SymBool(z3.Not(as_term(way.value, bool)))
        return says_of_all(REQUESTED, has_room, Way(way.path, way.ends, way.names, fits))

    work = Made(Work, {"usage": SMALL, "held": held})
    yield from read_kernel(
        cannot_return,
        {"forest": FOREST_OF_AMOUNTS, "place": place, "ask": SMALL_ASK, "work": work},
        says,
        facts=(*SIZES, REQUESTED <= COLUMNS, place.term < count),
        loops=[so_far(has_room)],
    )


@theorem(
    "PO-ANY-525",
    about=(nodes.is_plain,),
    size="any tree, any number of columns",
    assumes={**ARRAYS, "whether a tree is simple, and every needed column requested": "PO-ANY-440"},
)
def a_tree_is_taken_for_plain_exactly_if_it_is_simple_and_its_numbers_are_far_from_64_bits(
    is_plain: Any = nodes.is_plain,
) -> Iterator[Part]:
    """So no sum or difference of two of them overflows."""
    asks, simple = flag("asks for all that is needed"), flag("is simple")
    count = ENDS - TOP
    in_tree, in_request = z3.And(POINT >= 0, POINT < REQUESTED), z3.And(COLUMN >= 0, count > COLUMN)

    def small(index: Any) -> Any:
        return of(ASK, "amount", index) < FAR

    def near(index: Any, node: Any) -> Any:
        usage = used(TOP + node, of(ASK, "at", index))
        return z3.And(usage > -FAR, usage < FAR)

    def columns(steps: Any, _: State, __: State, point: Any) -> Labelled:
        before = z3.And(point >= 0, point < steps)
        return [
            ("amounts so far", z3.Implies(before, small(point))),
            ("usage so far", z3.Implies(z3.And(before, in_request), near(point, COLUMN))),
        ]

    def nodes_of(steps: Any, _: State, here: State, __: Any) -> Labelled:
        before = z3.And(COLUMN >= 0, steps > COLUMN)
        return [("usage of the column so far", z3.Implies(before, near(here["#0"].term, COLUMN)))]

    def says(way: Way) -> Labelled:
        found, column = as_term(way.value, bool), way.names["#0"].term
        both = z3.And(asks.term, simple.term, z3.Implies(in_tree, small(POINT)))
        usage = z3.Implies(z3.And(in_tree, in_request), near(POINT, COLUMN))
        goals = [("true: all of it holds", z3.Implies(found, z3.And(both, usage)))]
        if "#1" in way.names:
            return [
                *goals,
                ("false: too much is in use", z3.Not(z3.Or(found, near(column, way.names["#1"].term)))),
            ]
        much = z3.And(column < REQUESTED, z3.Not(small(column)))
        why = z3.Or(much, z3.Not(z3.And(asks.term, simple.term)))
        return [*goals, ("false: one does not", z3.Implies(z3.Not(found), why))]

    laws = {"asks_for_needed": answering(asks, ASK), "is_simple": answering(simple, FOREST, ASK)}
    yield from read_kernel(
        seeing(is_plain, **laws),
        {"forest": FOREST, "usage": USAGE, "ask": ASK},
        says,
        facts=(*SIZES, TOP < ENDS, ENDS <= NODES),
        loops=[Invariant(columns), Invariant(nodes_of)],
    )


GROUPS = z3.Array("groups before", z3.IntSort(), z3.IntSort())


@theorem(
    "PO-ANY-530",
    about=(rounds.classify_fairly, rounds._offers),
    size="any tree",
    assumes={
        **ARRAYS,
        "who exceeds its quota": "PO-ANY-415",
        "no node of the tree has a group at first": "PO-ANY-485",
        "on what ground, and whether it may be reclaimed": "PO-ANY-420",
    },
)
def under_fair_sharing_queues_are_looked_into_that_exceed_their_quota_and_the_preemptors_own(
    classify: Any = rounds.classify_fairly, offers: Any = rounds._offers
) -> Iterator[Part]:
    """And their workloads are candidates where the policy allows it and they hold a needed column."""
    own = ASK.fields["own"].term
    within, reclaim = number("within", 0, 3), flag("anything may be reclaimed")
    cleared = z3.Function("groups once cleared", GROUPS.sort(), GROUPS.sort())

    def active(node: Any) -> Any:
        return FOREST.fields["active"].at(node).term

    def group(node: Any, done: Any) -> Any:
        """By node: its group, the nodes of the tree up to some being done."""
        mine = z3.And(within.term != int(WithinClusterQueue.NEVER), active(own))
        first = z3.If(z3.And(node == own, mine), OWN, cleared(GROUPS)[node])
        looked = z3.And(node >= TOP, node < TOP + done, node != own, active(node), EXCEEDS(node))
        return z3.If(looked, ELSEWHERE, first)

    def holds(steps: Any, _: State, here: State, point: Any) -> Labelled:
        return [("groups so far", here["@groups"].term[point] == group(point, steps))]

    def says(way: Way) -> Labelled:
        done = z3.If(reclaim.term, ENDS - TOP, 0)
        return [("groups", way.names["@groups"].term[POINT] == group(POINT, done))]

    policy = Made(Policy, {"within": within})
    work = Made(Work, {"group": Room("groups", (NODES,))})

    def clear(held: State, forest: Any, path: Any, groups: Any) -> dict[str, Any]:
        handed((forest, FOREST), (path, PATH), (groups, work.fields["group"]))
        return {"groups": cleared(held["@groups"].term)}

    laws = {
        "clear_groups": Law(lambda *_: 0, clear),
        "may_reclaim_any": answering(reclaim, policy),
        "exceeds": Law(exceeding),
    }
    yield from read_kernel(
        seeing(classify, **laws),
        {"given": given_search(policy=policy, work=work)},
        says,
        rooms={"groups": GROUPS},
        facts=(*SIZES, TOP < ENDS, ENDS <= NODES),
        loops=[Invariant(holds)],
    )
    ground, allowed, uses = number("ground", 0, len(Ground)), flag("may be reclaimed"), flag("uses")
    node = of(ROWS, "queue", ROW.term)
    there = of(WORK, "group", node)
    may = z3.If(there == OWN, ground.term != NONE, allowed.term)
    inside = z3.And(node >= TOP, node < ENDS, there >= 0)
    want = z3.And(inside, may, z3.Or(ASK.fields["common"].term == 1, uses.term))
    search = given_search()

    laws = {
        "own_ground": answering(ground, ROWS, ROW, search.fields["policy"]),
        "may_reclaim": answering(allowed, ROWS, ROW, search.fields["policy"]),
        "uses_any": answering(uses, ROWS, ROW, ASK.fields["is_needed"]),
    }
    yield from read_kernel(
        seeing(offers, **laws),
        {"given": search, "row": ROW},
        lambda way: [("exactly those", as_term(way.value, bool) == want)],
        facts=(*ONE_ROW, ENDS <= NODES),
    )


STEPS = z3.Int("removals")


@theorem(
    "PO-ANY-535",
    about=(paths._has_room, paths.stop),
    size="any number of removals and columns",
    assumes={
        **ARRAYS,
        "what is free grows with every removal": "PO-KQ-230",
    },
)
def where_a_request_stops_is_the_first_removal_after_which_all_of_it_fits(
    has_room: Any = paths._has_room, stop: Any = paths.stop
) -> Iterator[Part]:
    """By bisection, of every column of the request behind the one before it."""
    free = numbers("free after removals", REQUESTED, STEPS)
    amount = numbers("amounts asked for", REQUESTED)
    taken = number("taken", 0, STEPS + 1)

    def enough(index: Any, step: Any) -> Any:
        return free.at(index, step).term >= amount.at(index).term

    all_fit = z3.Function("all columns fit after it", z3.IntSort(), z3.BoolSort())

    def grows(index: Any, step: Any, later: Any) -> Any:
        inside = z3.And(step >= 0, step <= later, later < taken.term)
        return z3.Implies(
            z3.And(inside, index >= 0, index < REQUESTED),
            z3.Implies(enough(index, step), enough(index, later)),
        )

    def first_of(found: Any, count: Any, point: Any) -> Labelled:
        """That it is the first removal after which so many columns fit."""
        column = z3.And(COLUMN >= 0, count > COLUMN)
        return [
            ("one of them, or none", z3.And(found >= 0, found <= taken.term)),
            ("all fit then", z3.Implies(z3.And(column, found < taken.term), enough(COLUMN, found))),
            ("not all before", z3.Implies(z3.And(point >= 0, point < found), z3.Not(all_fit(point)))),
        ]

    def outer(steps: Any, _: State, here: State, point: Any) -> Labelled:
        return first_of(as_term(here["found"], int), steps, point)

    def inner(_: Any, first: State, here: State, __: Any) -> Labelled:
        low, high = (as_term(here[name], int) for name in ("low", "high"))
        index, begun = here["#0"].term, as_term(first["low"], int)
        return [
            ("between", z3.And(begun <= low, low <= high, high <= taken.term)),
            ("enough at the end", z3.Implies(high < taken.term, enough(index, high))),
            ("not enough before", z3.Implies(low > begun, z3.Not(enough(index, low - 1)))),
        ]

    def growing(point: Any, here: State) -> list[Any]:
        """Of the column whose turn it is, and of one before it; and what it is that all fit."""
        low, index = as_term(here["low"], int), here["#0"].term
        meaning = z3.Implies(z3.And(all_fit(point), index >= 0, index < REQUESTED), enough(index, point))
        return [grows(COLUMN, as_term(here["found"], int), low), grows(index, point, low - 1), meaning]

    yield from read_kernel(
        stop,
        {"steps": Made(paths.Steps, {"free": free}), "taken": taken, "amount": amount},
        lambda way: first_of(as_term(way.value, int), REQUESTED, POINT),
        facts=(*SIZES, STEPS >= 0, STEPS < 2**31),
        loops=[Invariant(outer), Invariant(inner, everywhere=growing)],
    )
    which, place, count = number("which", 0, 2), number("place", 0, 2**31), z3.Int("room for what is held")
    held = numbers("what is held", REQUESTED, count)
    room = numbers("what room there is", z3.IntVal(2), REQUESTED)

    def one(index: Any) -> Any:
        return held.at(index, place.term).term <= room.at(which.term, index).term

    yield from read_kernel(
        has_room,
        {"held": held, "place": place, "room": room, "which": which},
        lambda way: says_of_all(REQUESTED, one, way),
        facts=(*SIZES, place.term < count),
        loops=[so_far(one)],
    )
