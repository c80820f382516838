"""The optimized core, sums over trees: what leaves a plain one, what is in use, and what can be lent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import z3

from tenure.fast import nodes, shares
from tenure.fast.tables import Work
from tenure.rules import amounts, quota
from tenure_proofs.theorems import core_world as world
from tenure_proofs.theorems.core_steps import GRID, INT
from tenure_proofs.theorems.core_tree import BEFORE, COLUMN, ROOM
from tenure_proofs.theorems.core_world import (
    ARRAYS,
    ASK,
    COLUMNS,
    FOREST,
    MINUS,
    NODES,
    PLUS,
    REQUESTED,
    SIZES,
    SUMS,
    between,
    number,
    numbers,
    of,
    said,
    seeing,
)
from tenure_proofs.theorems.registry import BELIEVED, theorem
from tenure_proofs.trusted.ast_lifter import Made
from tenure_proofs.trusted.induction import Labelled, Part
from tenure_proofs.trusted.kernels import LEAST, MOST, POINT, Invariant, Room, read_kernel
from tenure_proofs.trusted.loops import State
from tenure_proofs.trusted.symbols import SymInt, as_term

FAR = nodes.FAR
UP, STEPS_UP = between("the way up from here", 0, NODES, NODES), z3.Int("steps up to the root")
PLACE_OF = z3.Function("its place on the way up", INT, INT)
INDEX_OF = z3.Function("where a column is asked for", INT, INT)
PARENTS_FIRST = {"parents are before their children": BELIEVED}


def _cell(point: Any) -> tuple[Any, Any]:
    """A node and a column: the arbitrary ones, or two that are meant."""
    return point if isinstance(point, tuple) else (point, COLUMN)


def _inside(point: Any) -> Any:
    node, column = _cell(point)
    return z3.And(node >= 0, node < NODES, column >= 0, column < COLUMNS)


@theorem(
    "PO-ANY-594",
    about=(nodes.leave_plainly,),
    size="any way up, any number of columns",
    assumes={
        **ARRAYS,
        **PARENTS_FIRST,
        "a column is asked for once": BELIEVED,
        "in a plain tree numbers are far from 64 bits": "PO-ANY-525",
    },
)
def in_a_plain_tree_all_that_a_workload_holds_is_taken_away_at_every_node_of_its_way_up(
    leave_plainly: Any = nodes.leave_plainly,
) -> Iterator[Part]:
    """KQ-140 where no node keeps local quota: all of each requested column, and nothing of any other."""
    count = z3.Int("room for what is held")
    place = number("place", 0, count)
    held = between("small amount held", 0, FAR, COLUMNS, count)

    def up(step: Any) -> Any:
        return UP.at(step).term

    def without(point: Any, steps: Any, index: Any) -> Any:
        """What is in use of a cell after so many nodes, and so many columns of the next."""
        node, column = _cell(point)
        step, asked = PLACE_OF(node), INDEX_OF(column)
        on_way = z3.And(step >= 0, step <= STEPS_UP, up(step) == node)
        is_asked = z3.And(asked >= 0, asked < REQUESTED, of(ASK, "at", asked) == column)
        done = z3.Or(step < steps, z3.And(step == steps, asked < index))
        less = BEFORE[node][column] - held.at(asked, place.term).term
        return z3.If(z3.And(on_way, is_asked, done), less, BEFORE[node][column])

    def cell(here: State, point: Any, steps: Any, index: Any) -> Labelled:
        node, column = _cell(point)
        return [("what is in use", here["@usage"].term[node][column] == without(point, steps, index))]

    def outer(steps: Any, _: State, here: State, point: Any) -> Labelled:
        node = as_term(here["node"], int)
        goes = z3.If(steps <= STEPS_UP, node == up(steps), node < 0)
        return [("it goes up", z3.And(goes, steps <= STEPS_UP + 1)), *cell(here, point, steps, z3.IntVal(0))]

    def inner(steps: Any, _: State, here: State, point: Any) -> Labelled:
        return cell(here, point, here["#0"].term, steps)

    def facts(_: Any, here: State) -> list[Any]:
        step = here["#0"].term
        index = here["#1"].term if "#1" in here else z3.IntVal(0)
        at, above = of(ASK, "at", index), of(FOREST, "parent", up(step))
        small = BEFORE[up(step)][at]
        return [
            z3.Implies(z3.And(step >= 0, step <= STEPS_UP), PLACE_OF(up(step)) == step),
            z3.If(step < STEPS_UP, above == up(step + 1), above < 0),
            z3.Implies(z3.And(index >= 0, index < REQUESTED), INDEX_OF(at) == index),
            z3.And(small > -FAR, small < FAR),
        ]

    def here_and_there(steps: Any, here: State) -> list[Any]:
        return [POINT, (up(here["#0"].term), of(ASK, "at", steps))]

    yield from read_kernel(
        leave_plainly,
        {
            "forest": FOREST,
            "ask": ASK,
            "work": Made(Work, {"usage": ROOM, "held": held}),
            "node": SymInt(up(z3.IntVal(0))),
            "place": place,
        },
        lambda way: cell(way.names, POINT, STEPS_UP + 1, z3.IntVal(0)),
        rooms={"usage": BEFORE},
        facts=(*SIZES, count > 0, REQUESTED <= COLUMNS, STEPS_UP >= 0, STEPS_UP < NODES),
        loops=[
            Invariant(outer, everywhere=facts),
            Invariant(inner, points=here_and_there, everywhere=facts),
        ],
    )


SUMMED = z3.Function("in use once some nodes are summed up", INT, GRID)
ENTERED = z3.Function("in use once some amounts are entered", INT, GRID)


@theorem(
    "PO-ANY-596",
    about=(nodes.sum_up,),
    size="any trees, any number of amounts",
    assumes={**ARRAYS, **SUMS, **PARENTS_FIRST},
)
def what_is_held_is_added_at_its_queue_and_passes_up_from_each_node_to_the_one_above(
    sum_up: Any = nodes.sum_up,
) -> Iterator[Part]:
    """KQ-100 and KQ-110: from the last node to the first each passes up what exceeds its local quota."""
    count = z3.Int("how many amounts")
    places, at = (
        between(f"{what} of an amount", 0, most, count)
        for what, most in (("node", NODES), ("column", COLUMNS))
    )
    held = numbers("amounts", count)
    passed_up = seeing(quota.usage_passed_up, minus=MINUS)

    def entering(index: Any, _: State) -> list[Any]:
        node, column, now = places.at(index).term, at.at(index).term, ENTERED(index)
        total = PLUS(SymInt(now[node][column]), held.at(index)).term
        return [ENTERED(index + 1) == z3.Store(now, node, z3.Store(now[node], column, total))]

    def above(step: Any) -> Any:
        return of(FOREST, "parent", NODES - 1 - step)

    def summed(point: Any, step: Any) -> Any:
        """What is in use of a cell once a node has passed up too."""
        (node, column), below, now = _cell(point), NODES - 1 - step, SUMMED(step)
        passed = said(passed_up, quota=world.quota(below, column), usage=SymInt(now[below][column]))
        more = PLUS(SymInt(now[node][column]), SymInt(passed)).term
        return z3.If(z3.And(node == above(step), above(step) >= 0), more, now[node][column])

    def facts(point: Any, here: State) -> list[Any]:
        step = here["#1"].term
        node, column = _cell(point)
        then = SUMMED(step + 1)[node][column] == summed(point, step)
        first = z3.Implies(step < NODES, above(step) < NODES - 1 - step)
        return [z3.Implies(_inside(point), then), first]

    def outer(steps: Any, _: State, here: State, point: Any) -> Labelled:
        node, column = _cell(point)
        right = here["@usage"].term[node][column] == SUMMED(steps)[node][column]
        return [("what is in use", z3.Implies(_inside(point), right))]

    def inner(steps: Any, _: State, here: State, point: Any) -> Labelled:
        (node, column), step = _cell(point), here["#1"].term
        now = z3.If(column < steps, SUMMED(step + 1)[node][column], SUMMED(step)[node][column])
        return [("what is in use", z3.Implies(_inside(point), here["@usage"].term[node][column] == now))]

    def cells(steps: Any, here: State) -> list[Any]:
        step = here["#1"].term
        return [POINT, (NODES - 1 - step, steps), (above(step), steps)]

    yield from read_kernel(
        seeing(sum_up, plus=PLUS, minus=MINUS),
        {"forest": FOREST, "usage": ROOM, "nodes": places, "at": at, "amounts": held},
        lambda way: outer(NODES, {}, way.names, POINT),
        rooms={"usage": BEFORE},
        facts=(*SIZES, count >= 0, ENTERED(0) == BEFORE, SUMMED(0) == ENTERED(count)),
        loops=[
            Invariant(
                lambda steps, _, here, __: [("entered", here["@usage"].term == ENTERED(steps))],
                points=lambda steps, _: [steps],
                everywhere=entering,
            ),
            Invariant(outer, everywhere=facts),
            Invariant(inner, points=cells, everywhere=facts),
        ],
    )


REACH = z3.Function("the most that a node could have", INT, INT, INT)
LENT = z3.Function("of a resource, over some first columns", INT, INT, INT, INT)


@theorem(
    "PO-ANY-598",
    about=(shares.count_lendable,),
    size="any trees, any number of columns",
    assumes={**ARRAYS, **PARENTS_FIRST},
)
def what_a_node_could_lend_of_a_resource_is_the_most_that_it_could_have_over_all_flavors_of_its_tree(
    count_lendable: Any = shares.count_lendable,
) -> Iterator[Part]:
    """KQ-160 of every node and column; of those of the resource that the root has a quota of, the sum."""
    resources = z3.Int("resources")
    room = {"most": Room("most", (NODES, COLUMNS)), "lendable": Room("lendable", (NODES, resources))}
    before = {name: z3.Const(f"{name} before", GRID) for name in room}

    def reach(node: Any, column: Any) -> Any:
        above = of(FOREST, "parent", node)
        told = world.quota(node, column)
        top = said(quota.potential_available, quota=told, above=None)
        below = said(quota.potential_available, quota=told, above=SymInt(REACH(above, column)))
        return REACH(node, column) == z3.If(above < 0, top, below)

    def counts(node: Any, column: Any, resource: Any) -> Any:
        covered = FOREST.fields["covered"].at(of(FOREST, "root", node), column).term
        mine = z3.And(covered, of(FOREST, "resource", column) == resource)
        now = LENT(node, column, resource)
        more = said(amounts.plus, first=SymInt(now), second=SymInt(REACH(node, column)))
        return LENT(node, column + 1, resource) == z3.If(mine, more, now)

    def cells(here: State, point: Any, node: Any, column: Any) -> Labelled:
        """Of a node and a column, and of a node and a resource, once some nodes and columns are done."""
        (at, which), most, lendable = _cell(point), here["@most"].term, here["@lendable"].term
        done = z3.And(
            at >= 0, which >= 0, which < COLUMNS, z3.Or(at < node, z3.And(at == node, which < column))
        )
        lent = z3.If(at < node, LENT(at, COLUMNS, which), z3.If(at == node, LENT(at, column, which), 0))
        inside = z3.And(at >= 0, at < NODES, which >= 0, which < resources)
        return [
            ("the most", z3.Implies(done, most[at][which] == REACH(at, which))),
            ("what it could lend", z3.Implies(inside, lendable[at][which] == lent)),
        ]

    def outer(steps: Any, _: State, here: State, point: Any) -> Labelled:
        return cells(here, point, steps, z3.IntVal(0))

    def inner(steps: Any, _: State, here: State, point: Any) -> Labelled:
        return cells(here, point, here["#0"].term, steps)

    def places(steps: Any, here: State) -> list[Any]:
        node = here["#0"].term
        resource = of(FOREST, "resource", steps)
        return [POINT, (of(FOREST, "parent", node), steps), (node, resource)]

    def facts(point: Any, here: State) -> list[Any]:
        node, column = here["#0"].term, here["#1"].term if "#1" in here else z3.IntVal(0)
        (_, which), above = _cell(point), of(FOREST, "parent", node)
        return [
            reach(node, column),
            counts(node, column, which),
            LENT(node, 0, which) == 0,
            z3.And(
                [
                    z3.And(term >= LEAST, term <= MOST)
                    for term in (LENT(node, column, which), REACH(node, column), REACH(above, column))
                ]
            ),
            z3.And(above < node, of(FOREST, "resource", column) < resources),
        ]

    yield from read_kernel(
        count_lendable,
        {"forest": FOREST, **room},
        lambda way: cells(way.names, POINT, NODES, z3.IntVal(0)),
        rooms=before,
        facts=(*SIZES, resources >= 0, before["lendable"][POINT][COLUMN] == 0, LENT(POINT, 0, COLUMN) == 0),
        loops=[Invariant(outer, everywhere=facts), Invariant(inner, points=places, everywhere=facts)],
    )
