"""The optimized core, walks through the tree: who exceeds, what changes, and what is put back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import z3

from tenure.fast import nodes
from tenure.rules import quota
from tenure_proofs.theorems import core_world as world
from tenure_proofs.theorems.core_world import (
    ARRAYS,
    ASK,
    AT,
    COLUMNS,
    DEPTH,
    FOREST,
    LAID_OUT,
    MINUS,
    NEEDED,
    NODES,
    PLUS,
    REQUESTED,
    SIZES,
    SUMS,
    TOP,
    USAGE,
    answering,
    between,
    flag,
    handed,
    number,
    of,
    said,
    says_of_all,
    seeing,
    so_far,
)
from tenure_proofs.theorems.registry import BELIEVED, theorem
from tenure_proofs.trusted.induction import Labelled, Part
from tenure_proofs.trusted.kernels import LEAST, MOST, POINT, Invariant, Law, Room, read_kernel
from tenure_proofs.trusted.loops import State, Way, every
from tenure_proofs.trusted.symbols import SymBool, SymInt, as_term

COLUMN = z3.Int("any column of the request")
"""The second arbitrary point, where a loop is in a loop."""

ENDS = of(FOREST, "end", TOP)
EXCEEDS = z3.Function("exceeds", z3.IntSort(), z3.BoolSort())
UP, STEPS_UP = between("the way up", 0, NODES, NODES), z3.Int("steps up to the common node")


def exceeding(_: State, forest: Any, usage: Any, node: Any, needed: Any) -> SymBool:
    """PO-ANY-415, of what is in use at first."""
    handed((forest, FOREST), (usage, USAGE), (needed, ASK.fields["needed"]))
    return SymBool(EXCEEDS(node.term))


def _on_the_way(place: Any) -> Any:
    return z3.And(place >= 0, place < STEPS_UP)


def _up(place: Any) -> Any:
    return UP.at(place).term


@theorem(
    "PO-ANY-430",
    about=(nodes.exceeds_below,),
    size="any tree, any number of columns",
    assumes={**ARRAYS, "whether one node exceeds its quota": "PO-ANY-415"},
)
def a_node_exceeds_up_to_the_common_one_exactly_if_every_node_below_that_does(
    exceeds_below: Any = nodes.exceeds_below,
) -> Iterator[Part]:
    """KQ-380: its ClusterQueue and every cohort below the common one still use more than their quota."""
    common = number("common", 0, NODES)

    def one(place: Any) -> Any:
        return EXCEEDS(_up(place))

    def holds(steps: Any, _: State, here: State, point: Any) -> Labelled:
        node = as_term(here["node"], int)
        return [
            ("it goes up", z3.And(node == _up(steps), steps <= STEPS_UP)),
            ("those before exceed", z3.Implies(z3.And(point >= 0, point < steps), one(point))),
        ]

    def parents(place: Any, _: State) -> list[Any]:
        above = of(FOREST, "parent", _up(place)) == _up(place + 1)
        return [z3.Implies(_on_the_way(place), z3.And(above, _up(place) != common.term))]

    invariant = Invariant(holds, points=lambda steps, _: [POINT, steps], everywhere=parents)
    facts = (*SIZES, STEPS_UP >= 0, STEPS_UP < NODES, _up(STEPS_UP) == common.term)
    given = {"forest": FOREST, "usage": USAGE, "node": SymInt(_up(z3.IntVal(0))), "common": common}
    yield from read_kernel(
        seeing(exceeds_below, exceeds=Law(exceeding)),
        {**given, "needed": ASK.fields["needed"]},
        lambda way: says_of_all(STEPS_UP, one, way),
        facts=facts,
        loops=[invariant],
    )


def _in_tree(node: Any) -> Any:
    return z3.And(node >= 0, node < ENDS - TOP)


def _everywhere(count: Any, one: Callable[[Any, Any], Any]) -> list[Invariant]:
    """Invariants of a loop over places, and in it one over the columns of the request."""
    column = z3.And(COLUMN >= 0, COLUMN < REQUESTED)

    def outer(steps: Any, _: State, __: State, point: Any) -> Labelled:
        before = z3.And(point >= 0, point < steps, point < count)
        return [("it holds of all before", z3.Implies(z3.And(before, column), one(point, COLUMN)))]

    def inner(steps: Any, _: State, here: State, __: Any) -> Labelled:
        before = z3.And(COLUMN >= 0, steps > COLUMN)
        return [("of all columns before", z3.Implies(before, one(here["#0"].term, COLUMN)))]

    return [Invariant(outer), Invariant(inner)]


def _says(count: Any, one: Callable[[Any, Any], Any], *also: Any) -> Callable[[Way], Labelled]:
    """True exactly where something holds of every place and every column, and something else beside."""
    column = z3.And(COLUMN >= 0, COLUMN < REQUESTED)
    place = z3.And(POINT >= 0, count > POINT)

    def says(way: Way) -> Labelled:
        found = as_term(way.value, bool)
        all_of = z3.Implies(z3.And(place, column), one(POINT, COLUMN))
        goals = [("true: it holds everywhere", z3.Implies(found, every([all_of, *also])))]
        if "#1" in way.names:
            here, there = way.names["#0"].term, way.names["#1"].term
            stands = z3.And(here >= 0, here < count, there >= 0, there < REQUESTED)
            return [
                *goals,
                (
                    "false: it does not where it stops",
                    z3.And(z3.Not(found), stands, z3.Not(one(here, there))),
                ),
            ]
        return [
            *goals,
            ("false: something else does not hold", z3.Implies(z3.Not(found), z3.Not(every(also)))),
        ]

    return says


def _lossless(place: Any, column: Any) -> Any:
    return of(FOREST, "local", TOP + place, of(ASK, "at", column)) == 0


IN_ORDER = "a subtree's nodes are together, its root the first"


@theorem(
    "PO-ANY-435",
    about=(nodes.is_lossless,),
    size="any tree, any number of columns",
    assumes={LAID_OUT: BELIEVED, IN_ORDER: BELIEVED},
)
def a_tree_is_taken_for_lossless_exactly_if_no_node_of_it_keeps_any_column(
    is_lossless: Any = nodes.is_lossless,
) -> Iterator[Part]:
    """KQ-140: where no node keeps local quota, all that is in use counts at the root."""
    count = ENDS - TOP
    facts = (*SIZES, TOP < ENDS)
    yield from read_kernel(
        is_lossless,
        {"forest": FOREST, "ask": ASK},
        _says(count, _lossless),
        facts=facts,
        loops=_everywhere(count, _lossless),
    )


def _path(place: Any) -> Any:
    return of(ASK, "path", place)


@theorem(
    "PO-ANY-440",
    about=(nodes.is_simple, nodes.asks_for_needed),
    size="any tree, any number of columns",
    assumes={**ARRAYS, "whether the tree is lossless": "PO-ANY-435"},
)
def a_tree_is_taken_for_simple_exactly_if_nothing_limits_what_the_root_has_left(
    is_simple: Any = nodes.is_simple, asks_for_needed: Any = nodes.asks_for_needed
) -> Iterator[Part]:
    """No borrowing limit on the path, no local quota in the tree; every needed column is requested."""
    lossless = flag("lossless")
    yield from read_kernel(
        seeing(is_simple, is_lossless=answering(lossless, FOREST, ASK)),
        {"forest": FOREST, "ask": ASK},
        _simple(lossless),
        facts=SIZES,
        loops=_columns_first(),
    )
    yield from _asks(asks_for_needed)


def _unlimited(place: Any, column: Any) -> Any:
    return of(FOREST, "limit", _path(place), of(ASK, "at", column)) == MOST


def _columns_first() -> list[Invariant]:
    """Of a loop over columns, and in it one over the path."""
    place = z3.And(COLUMN >= 0, COLUMN < DEPTH - 1)

    def outer(steps: Any, _: State, __: State, point: Any) -> Labelled:
        before = z3.And(point >= 0, point < steps, place)
        return [("no limit for all columns before", z3.Implies(before, _unlimited(COLUMN, point)))]

    def inner(steps: Any, _: State, here: State, __: Any) -> Labelled:
        before = z3.And(COLUMN >= 0, steps > COLUMN)
        return [("no limit before", z3.Implies(before, _unlimited(COLUMN, here["#0"].term)))]

    return [Invariant(outer), Invariant(inner)]


def _simple(lossless: SymBool) -> Callable[[Way], Labelled]:
    among = z3.And(POINT >= 0, POINT < REQUESTED, COLUMN >= 0, COLUMN < DEPTH - 1)

    def says(way: Way) -> Labelled:
        found = as_term(way.value, bool)
        both = z3.And(lossless.term, z3.Implies(among, _unlimited(COLUMN, POINT)))
        goals = [("true: nothing limits", z3.Implies(found, both))]
        if "#1" not in way.names:
            return [*goals, ("false: local quota", z3.Implies(z3.Not(found), z3.Not(lossless.term)))]
        column, place = way.names["#0"].term, way.names["#1"].term
        stands = z3.And(column >= 0, column < REQUESTED, place >= 0, place < DEPTH - 1)
        limits = z3.And(z3.Not(found), stands, z3.Not(_unlimited(place, column)))
        return [*goals, ("false: a limit where it stops", limits)]

    return says


ASKED = z3.Function("is asked for", z3.IntSort(), z3.BoolSort())
WHERE = z3.Function("where it is asked for", z3.IntSort(), z3.IntSort())


def _asks(kernel: Any) -> Iterator[Part]:
    def asked(index: Any) -> Any:
        return of(ASK, "at", index)

    def meaning(point: Any, _: State) -> list[Any]:
        """What it is to be asked for: of a column of the request, and of a needed one that is."""
        at, where = of(ASK, "needed", point), WHERE(of(ASK, "needed", point))
        there = z3.And(where >= 0, where < REQUESTED, asked(where) == at)
        return [
            z3.Implies(z3.And(point >= 0, point < REQUESTED), ASKED(asked(point))),
            z3.Implies(ASKED(at), there),
        ]

    def one(index: Any) -> Any:
        return ASKED(of(ASK, "needed", index))

    def inner(steps: Any, _: State, here: State, point: Any) -> Labelled:
        at, found = of(ASK, "needed", here["#0"].term), as_term(here["found"], bool)
        unlike = z3.Implies(z3.And(point >= 0, point < steps), asked(point) != at)
        return [
            ("found: it is asked for", z3.Implies(found, ASKED(at))),
            ("not found: not before", z3.Implies(z3.Not(found), unlike)),
        ]

    def places(steps: Any, here: State) -> list[Any]:
        number = here["#0"].term
        return [POINT, steps, number, WHERE(of(ASK, "needed", number))]

    yield from read_kernel(
        kernel,
        {"ask": ASK},
        lambda way: says_of_all(NEEDED, one, way),
        facts=SIZES,
        loops=[so_far(one), Invariant(inner, points=places, everywhere=meaning)],
    )


def _contents(name: str, dimensions: int = 2) -> Any:
    sort: Any = z3.IntSort()
    for _ in range(dimensions):
        sort = z3.ArraySort(z3.IntSort(), sort)
    return z3.Const(name, sort)


BEFORE = _contents("in use before")
LOG = _contents("log before")
ROOM = Room("usage", (NODES, COLUMNS))
CELLS = z3.Int("cells of the log")
LOGGED = Room("log", (z3.IntVal(3), CELLS))
REST = z3.Function("what goes on", z3.IntSort(), z3.IntSort())
PLACE_OF = z3.Function("its place on the way", z3.IntSort(), z3.IntSort())
"""Of every node of the way up; parents come before their children, so no node comes twice."""


def _wide(term: Any) -> Any:
    return z3.And(term >= LEAST, term <= MOST)


def _changed(place: Any, adding: bool) -> tuple[Any, Any]:
    """By the rules: what is in use at a node of the way after a change, and what goes on from it."""
    node, at = _up(place), AT.term
    before, rest = SymInt(BEFORE[node][at]), SymInt(REST(place))
    after = (PLUS if adding else MINUS)(before, rest)
    low, high = (before, after) if adding else (after, before)
    passed = seeing(quota.usage_passed_up, minus=MINUS)
    more = MINUS(
        *(SymInt(said(passed, quota=world.quota(node, at), usage=usage)) for usage in (high, low))
    ).term
    keeps = of(FOREST, "local", node, at) != 0
    return after.term, z3.If(keeps, more, rest.term)


@theorem(
    "PO-ANY-445",
    about=(nodes.change,),
    size="any way up, any amounts of 64 bits",
    assumes={
        **SUMS,
        LAID_OUT: BELIEVED,
        "parents are before their children": BELIEVED,
        "the log has room": BELIEVED,
    },
)
def a_change_writes_at_every_node_of_the_way_up_what_the_rules_say_and_nowhere_else(
    change: Any = nodes.change,
) -> Iterator[Part]:
    """KQ-100, KQ-110 and KQ-140, as far as anything goes on; every cell that is written is logged before."""
    for adding in (True, False):
        yield from _change(change, adding)


def _change(kernel: Any, adding: bool) -> Iterator[Part]:
    at, amount, known = AT.term, number("amount"), number("known before", 0, 2**40)

    def cell(place: Any) -> Any:
        return z3.And(PLACE_OF(_up(place)) == place, _wide(BEFORE[_up(place)][at]), _wide(REST(place)))

    def facts_at(place: Any, _: State) -> list[Any]:
        above = of(FOREST, "parent", _up(place))
        on = z3.Implies(place < STEPS_UP, above == _up(place + 1))
        root = z3.Implies(place == STEPS_UP, above < 0)
        goes_on = REST(place + 1) == _changed(place, adding)[1]
        return [z3.Implies(z3.And(place >= 0, place <= STEPS_UP), z3.And(cell(place), on, root, goes_on))]

    def in_use(now: Any, steps: Any, node: Any, column: Any) -> Any:
        """What is in use at a cell after some steps."""
        place = PLACE_OF(node)
        touched = z3.And(column == at, place >= 0, place < steps, place <= STEPS_UP, node == _up(place))
        return now[node][column] == z3.If(touched, _changed(place, adding)[0], BEFORE[node][column])

    def logged(log: Any, steps: Any, place: Any) -> Any:
        index = known.term + place
        entry = (log[0][index] == _up(place), log[1][index] == at, log[2][index] == BEFORE[_up(place)][at])
        return z3.Implies(z3.And(place >= 0, place < steps), z3.And(entry))

    def holds(steps: Any, _: State, here: State, point: Any) -> Labelled:
        node, rest = as_term(here["node"], int), as_term(here["rest"], int)
        goes = z3.If(steps <= STEPS_UP, node == _up(steps), node < 0)
        return [
            ("it goes up", z3.And(goes, steps <= STEPS_UP + 1)),
            ("what goes on", rest == REST(steps)),
            ("as many are logged", as_term(here["known"], int) == known.term + steps),
            ("what is in use", in_use(here["@usage"].term, steps, point, COLUMN)),
            ("what is in use of the column", in_use(here["@usage"].term, steps, point, at)),
            ("what was in use is logged", logged(here["@log"].term, steps, point)),
        ]

    def points(steps: Any, _: State) -> list[Any]:
        return [POINT, steps, _up(steps), PLACE_OF(POINT)]

    def says(way: Way) -> Labelled:
        number_of = as_term(way.value, int) - known.term
        rest_over = z3.Or(number_of == STEPS_UP + 1, REST(number_of) == 0)
        return [
            ("until nothing goes on or the root is done", rest_over),
            ("what is in use", in_use(way.names["@usage"].term, number_of, POINT, COLUMN)),
            ("what was in use is logged", logged(way.names["@log"].term, number_of, POINT)),
        ]

    room = (
        STEPS_UP >= 0,
        STEPS_UP < NODES,
        CELLS < 2**41,
        known.term + STEPS_UP < CELLS,
        REST(0) == amount.term,
    )
    yield from read_kernel(
        seeing(kernel, plus=PLUS, minus=MINUS),
        {
            "forest": FOREST,
            "usage": ROOM,
            "node": SymInt(_up(z3.IntVal(0))),
            "at": AT,
            "amount": amount,
            "adding": adding,
            "log": LOGGED,
            "known": known,
        },
        says,
        rooms={"usage": BEFORE, "log": LOG},
        facts=(*SIZES, *room),
        loops=[Invariant(holds, points=points, everywhere=facts_at)],
    )


@theorem(
    "PO-ANY-450", about=(nodes.undo,), size="any number of cells, touched in any order, some more than once"
)
def what_is_logged_is_put_back_cell_by_cell_from_the_last(undo: Any = nodes.undo) -> Iterator[Part]:
    """A log that has of every write the cell and what was in it gives back the array before the first write.

    PO-ANY-445 says that `change` logs so.
    """
    state = z3.Function("in use before a write", z3.IntSort(), BEFORE.sort())
    wrote = z3.Function("what a write wrote", z3.IntSort(), z3.IntSort())
    known = number("known", 0, 2**40)

    def writes(index: Any, _: State) -> list[Any]:
        node, column, old = (LOG[place][index] for place in range(3))
        here = state(index)
        then = z3.Store(here, node, z3.Store(here[node], column, wrote(index)))
        there = z3.And(node >= 0, node < NODES, column >= 0, column < COLUMNS)
        inside = z3.And(there, old == here[node][column], state(index + 1) == then)
        return [z3.Implies(z3.And(index >= 0, index < known.term), inside)]

    def holds(steps: Any, _: State, here: State, __: Any) -> Labelled:
        return [("as before that write", here["@usage"].term == state(known.term - steps))]

    invariant = Invariant(holds, points=lambda steps, _: [known.term - 1 - steps], everywhere=writes)
    yield from read_kernel(
        undo,
        {"usage": ROOM, "log": LOGGED, "known": known},
        lambda way: [("as before all writes", way.names["@usage"].term == state(0))],
        rooms={"usage": BEFORE, "log": LOG},
        facts=(*SIZES, CELLS < 2**41, known.term <= CELLS, state(known.term) == BEFORE),
        loops=[invariant],
    )
