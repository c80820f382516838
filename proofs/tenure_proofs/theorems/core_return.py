"""The optimized core, who leaves and comes back: what is moved, written down, and given back in place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import z3

from tenure.fast import nodes
from tenure.fast.tables import Work
from tenure_proofs.theorems import core_world as world
from tenure_proofs.theorems.core_search import FIRST, ONE_ROW, ROW, WIDTH
from tenure_proofs.theorems.core_tree import BEFORE, LOG, LOGGED, ROOM
from tenure_proofs.theorems.core_world import (
    ARRAYS,
    ASK,
    COLUMNS,
    FOREST,
    REQUESTED,
    ROWS,
    SIZE,
    SIZES,
    answering,
    between,
    flag,
    flags,
    handed,
    number,
    of,
    seeing,
)
from tenure_proofs.theorems.registry import BELIEVED, theorem
from tenure_proofs.trusted.ast_lifter import Made
from tenure_proofs.trusted.induction import Labelled, Part
from tenure_proofs.trusted.kernels import POINT, Invariant, Law, Room, read_kernel
from tenure_proofs.trusted.loops import State, Way
from tenure_proofs.trusted.symbols import SymBool, SymInt, as_term

TREES, LOGS = BEFORE.sort(), LOG.sort()
NUMBERS = z3.ArraySort(z3.IntSort(), z3.IntSort())
PLACE = z3.Int("a place")
"""The second arbitrary point."""

CHANGED = z3.Function("a change", TREES, *[z3.IntSort()] * 3, z3.BoolSort(), TREES)
CHANGED_LOG = z3.Function("the log of a change", TREES, LOGS, *[z3.IntSort()] * 4, z3.BoolSort(), LOGS)
CELLS_OF = z3.Function("cells after a change", TREES, *[z3.IntSort()] * 4, z3.BoolSort(), z3.IntSort())
MOVED = z3.Function("all changes of a row", TREES, z3.IntSort(), z3.BoolSort(), TREES)
MOVED_LOG = z3.Function("the log of all changes of a row", TREES, LOGS, z3.IntSort(), z3.BoolSort(), LOGS)
MOVED_CELLS = z3.Function("cells of all changes of a row", TREES, z3.IntSort(), z3.BoolSort(), z3.IntSort())
AFTER = z3.Function("in use after so many", z3.IntSort(), TREES)
CELLS_SO_FAR = z3.Function("cells after so many", z3.IntSort(), z3.IntSort())
UNDONE = z3.Function("what is put back", TREES, LOGS, z3.IntSort(), TREES)
FITS = z3.Function("the request fits beside", TREES, z3.BoolSort())


def _changing() -> Law:
    """PO-ANY-445, as far as it matters here: the tree and the log after a change are determined."""

    def cells(held: State, _: Any, __: Any, *told: Any) -> SymInt:
        *amounts, adding, ___, known = told
        arguments = [as_term(term, int) for term in (*amounts, known)]
        return SymInt(CELLS_OF(held["@usage"].term, *arguments, z3.BoolVal(adding)))

    def writes(held: State, forest: Any, usage: Any, *told: Any) -> dict[str, Any]:
        *amounts, adding, log, known = told
        handed((forest, FOREST), (usage, ROOM), (log, LOGGED))
        tree, logged = held["@usage"].term, held["@log"].term
        arguments, to = [as_term(term, int) for term in amounts], as_term(known, int)
        return {
            "usage": CHANGED(tree, *arguments, z3.BoolVal(adding)),
            "log": CHANGED_LOG(tree, logged, *arguments, to, z3.BoolVal(adding)),
        }

    return Law(cells, writes)


@theorem(
    "PO-ANY-490",
    about=(nodes.move, nodes.replay),
    size="any number of entries, and of workloads",
    assumes={**ARRAYS, "what one change writes": "PO-ANY-445"},
)
def a_workload_leaves_or_comes_back_by_one_change_for_each_of_its_watched_entries_in_order(
    move: Any = nodes.move, replay: Any = nodes.replay
) -> Iterator[Part]:
    """And several workloads one after the other. PO-ANY-050 says why their order does not matter."""
    watched = flags("watched columns", COLUMNS)

    def entry(place: Any) -> tuple[Any, Any]:
        return of(ROWS, "at", FIRST + place), of(ROWS, "amount", FIRST + place)

    def one_more(adding: bool) -> Callable[[Any, State], list[Any]]:
        def facts(place: Any, _: State) -> list[Any]:
            at, amount = entry(place)
            change = (AFTER(place), of(ROWS, "queue", ROW.term), at, amount)
            seen, known, sign = watched.at(at).term, CELLS_SO_FAR(place), z3.BoolVal(adding)
            then = z3.If(seen, CHANGED(*change, sign), AFTER(place))
            cells = z3.If(seen, CELLS_OF(*change, known, sign), known)
            both = z3.And(AFTER(place + 1) == then, CELLS_SO_FAR(place + 1) == cells)
            return [z3.Implies(z3.And(place >= 0, place < WIDTH), both)]

        return facts

    def holds(steps: Any, _: State, here: State, __: Any) -> Labelled:
        return [("the changes so far", here["@usage"].term == AFTER(steps))]

    def moving(steps: Any, first: State, here: State, point: Any) -> Labelled:
        known = as_term(here["known"], int) == CELLS_SO_FAR(steps)
        return [*holds(steps, first, here, point), ("the cells so far", known)]

    def moved(way: Way) -> Labelled:
        return [
            ("all changes", way.names["@usage"].term == AFTER(WIDTH)),
            ("as many cells", as_term(way.value, int) == CELLS_SO_FAR(WIDTH)),
        ]

    given = {"forest": FOREST, "rows": ROWS, "usage": ROOM, "log": LOGGED, "watched": watched}
    for adding in (True, False):
        yield from read_kernel(
            seeing(move, change=_changing()),
            {**given, "row": ROW, "adding": adding},
            moved,
            rooms={"usage": BEFORE, "log": LOG},
            facts=(*ONE_ROW, AFTER(0) == BEFORE, CELLS_SO_FAR(0) == 0),
            loops=[Invariant(moving, points=lambda steps, _: [steps], everywhere=one_more(adding))],
        )
    yield from _replaying(replay, given)


def _replaying(kernel: Any, given: dict[str, Any]) -> Iterator[Part]:
    count = z3.Int("how many leave")
    gone = between("who leaves", 0, SIZE, count)

    def next_one(place: Any, _: State) -> list[Any]:
        then = MOVED(AFTER(place), gone.at(place).term, z3.BoolVal(False))
        return [z3.Implies(z3.And(place >= 0, place < count), AFTER(place + 1) == then)]

    def holds(steps: Any, _: State, here: State, __: Any) -> Labelled:
        return [("those so far", here["@usage"].term == AFTER(steps))]

    yield from read_kernel(
        seeing(kernel, move=_moving(given["watched"])),
        {**given, "gone": gone},
        lambda way: [("all of them", way.names["@usage"].term == AFTER(count))],
        rooms={"usage": BEFORE, "log": LOG},
        facts=(*SIZES, SIZE > 0, count >= 0, AFTER(0) == BEFORE),
        loops=[Invariant(holds, points=lambda steps, _: [steps], everywhere=next_one)],
    )


def _moving(columns: Any) -> Law:
    """PO-ANY-490, of some columns that are watched."""

    def cells(held: State, _: Any, __: Any, row: Any, *told: Any) -> SymInt:
        return SymInt(MOVED_CELLS(held["@usage"].term, row.term, z3.BoolVal(told[-1])))

    def writes(
        held: State, forest: Any, rows: Any, row: Any, watched: Any, usage: Any, log: Any, adding: Any
    ) -> dict[str, Any]:
        handed((forest, FOREST), (rows, ROWS), (watched, columns), (usage, ROOM), (log, LOGGED))
        tree, logged, sign = held["@usage"].term, held["@log"].term, z3.BoolVal(adding)
        return {"usage": MOVED(tree, row.term, sign), "log": MOVED_LOG(tree, logged, row.term, sign)}

    return Law(cells, writes)


HELD, ROOMS = z3.Array("held before", z3.IntSort(), NUMBERS), z3.Int("room for what is held")
ENTRY_OF = z3.Function("the entry of a column", z3.IntSort(), z3.IntSort())


@theorem(
    "PO-ANY-492",
    about=(nodes.note_held,),
    size="any number of entries and columns",
    assumes={**ARRAYS, "a workload has one entry for a column": BELIEVED},
)
def what_is_noted_of_a_workload_is_what_it_holds_of_each_requested_column(
    note_held: Any = nodes.note_held,
) -> Iterator[Part]:
    """Of a column that it does not hold, nothing; what was noted elsewhere stays."""
    place = number("place", 0, ROOMS)

    def entries(point: Any, _: State) -> list[Any]:
        only = ENTRY_OF(of(ROWS, "at", FIRST + point)) == point
        return [z3.Implies(z3.And(point >= 0, point < WIDTH), only)]

    def of_column(index: Any, count: Any) -> Any:
        """What some first entries hold of a requested column."""
        at = of(ASK, "at", index)
        entry = ENTRY_OF(at)
        there = z3.And(entry >= 0, entry < count, of(ROWS, "at", FIRST + entry) == at)
        return z3.If(there, of(ROWS, "amount", FIRST + entry), 0)

    def cell(here: State, point: Any, value: Any, *known: Any) -> tuple[str, Any]:
        noted = z3.And(point >= 0, point < REQUESTED, place.term == PLACE, *known)
        now = here["@held"].term[point][PLACE]
        return "what is noted", now == z3.If(noted, value, HELD[point][PLACE])

    def clearing(steps: Any, _: State, here: State, point: Any) -> Labelled:
        return [cell(here, point, z3.IntVal(0), point < steps)]

    def entering(steps: Any, _: State, here: State, point: Any) -> Labelled:
        return [cell(here, point, of_column(point, steps))]

    def comparing(steps: Any, _: State, here: State, point: Any) -> Labelled:
        done = here["#1"].term
        return [cell(here, point, z3.If(point < steps, of_column(point, done + 1), of_column(point, done)))]

    def with_entry(_: Any, here: State) -> list[Any]:
        return [POINT, here["#1"].term]

    yield from read_kernel(
        note_held,
        {"rows": ROWS, "row": ROW, "ask": ASK, "held": Room("held", (COLUMNS, ROOMS)), "place": place},
        lambda way: [cell(way.names, POINT, of_column(POINT, WIDTH))],
        rooms={"held": HELD},
        facts=(*ONE_ROW, ROOMS > 0, ROOMS < world.FAR, REQUESTED <= COLUMNS),
        loops=[
            Invariant(clearing),
            Invariant(entering),
            Invariant(comparing, points=with_entry, everywhere=entries),
        ],
    )


OUT, GROUNDS, SHARES = (z3.Const(name, NUMBERS) for name in ("out before", "grounds before", "shares before"))
COUNT, ROOM_OUT = (z3.Int(name) for name in ("how many were removed", "room for them"))
KEPT = z3.Function("how many of those stay", z3.IntSort(), z3.IntSort())
CANNOT = z3.Function("the root has no room for it", z3.IntSort(), z3.BoolSort())


def _row(turn: Any) -> Any:
    """Whose turn it is: from the second last removed to the first."""
    return OUT[COUNT - 2 - turn]


def _stays(turn: Any) -> Any:
    """Whether the request does not fit with its quota given back, at its turn."""
    return z3.Not(FITS(_back(AFTER(turn), _row(turn))))


def _back(tree: Any, row: Any) -> Any:
    """What is in use once a workload has come back."""
    return MOVED(tree, row, z3.BoolVal(True))


@theorem(
    "PO-ANY-495",
    about=(nodes.fill_back,),
    size="any number of removed candidates",
    assumes={
        **ARRAYS,
        "what one workload's return writes": "PO-ANY-490",
        "what is logged is put back": "PO-ANY-450",
        "where the root of a lossless tree has no room for it, the request does not fit beside it": BELIEVED,
    },
)
def the_core_fills_back_as_the_reference_does_in_place_and_what_does_not_fit_is_undone(
    fill_back: Any = nodes.fill_back,
) -> Iterator[Part]:
    """From the second last removed to the first: who stays is exactly whom the request does not fit beside.

    PO-ANY-020 says so of the reference. Those that stay are moved to the end, in the order of removal, each
    with its ground and share; the last one removed stays where it is.
    """
    lossless, borrows = flag("lossless"), flag("may borrow")

    def cannot(held: State, forest: Any, index: Any, ask: Any, room: Any) -> SymBool:
        """Any answer, as long as the request does not fit beside it where the tree is lossless."""
        handed((forest, FOREST), (ask, ASK), (room, work))
        tree = held["@usage"].term
        allowed = z3.Implies(lossless.term, z3.Not(FITS(_back(tree, held["@out"].term[index.term]))))
        return SymBool(z3.And(CANNOT(index.term), allowed))

    def fitting(held: State, forest: Any, usage: Any, ask: Any, may_borrow: Any) -> SymBool:
        handed((forest, FOREST), (usage, ROOM), (ask, ASK), (may_borrow, borrows))
        return SymBool(FITS(held["@usage"].term))

    def put_back(held: State, usage: Any, log: Any, known: Any) -> dict[str, Any]:
        handed((usage, ROOM), (log, LOGGED))
        return {"usage": UNDONE(held["@usage"].term, held["@log"].term, known.term)}

    def each_turn(turn: Any, here: State) -> list[Any]:
        before, row = AFTER(turn), _row(turn)
        then = _back(before, row)
        log = here["@log"].term if "@log" in here else LOG
        stays, sign = _stays(turn), z3.BoolVal(True)
        facts = (
            AFTER(turn + 1) == z3.If(stays, before, then),
            KEPT(turn + 1) == KEPT(turn) + z3.If(stays, 1, 0),
            UNDONE(then, MOVED_LOG(before, log, row, sign), MOVED_CELLS(before, row, sign)) == before,
        )
        return [z3.Implies(z3.And(turn >= 0, turn < COUNT - 1), z3.And(facts))]

    def moved(here: State, steps: Any, turn: Any) -> Labelled:
        done = z3.And(turn >= 0, turn < steps, turn < COUNT - 1)
        to, was = COUNT - 2 - KEPT(turn), COUNT - 2 - turn
        now = {name: here[f"@{name}"].term for name in ("out", "grounds", "shares")}
        same = z3.And(
            now["out"][to] == OUT[was], now["grounds"][to] == GROUNDS[was], now["shares"][to] == SHARES[was]
        )
        return [
            ("who stays is at the end, in order", z3.Implies(z3.And(done, _stays(turn)), same)),
            (
                "no more stay than had their turn",
                z3.Implies(done, z3.And(KEPT(turn) >= 0, KEPT(turn) <= turn)),
            ),
            ("those after it are before it", z3.Implies(done, KEPT(turn + 1) <= KEPT(steps))),
        ]

    def holds(steps: Any, _: State, here: State, turn: Any) -> Labelled:
        waits = z3.And(turn >= steps, turn < COUNT - 1)
        was = COUNT - 2 - turn
        names = (("out", OUT), ("grounds", GROUNDS), ("shares", SHARES))
        as_it_was = z3.And([here[f"@{name}"].term[was] == before[was] for name, before in names])
        return [
            ("what is in use", here["@usage"].term == AFTER(steps)),
            ("so many stay", as_term(here["kept"], int) == COUNT - 1 - KEPT(steps)),
            ("not more than that", z3.And(KEPT(steps) >= 0, KEPT(steps) <= steps)),
            ("who waits is where it was", z3.Implies(waits, as_it_was)),
            ("the last one is where it was", here["@out"].term[COUNT - 1] == OUT[COUNT - 1]),
            *moved(here, steps, turn),
        ]

    def says(way: Way) -> Labelled:
        last = z3.If(COUNT >= 1, COUNT - 1, 0)
        return [
            ("so many stay, and the last", as_term(way.value, int) == KEPT(last) + 1),
            ("what is in use", way.names["@usage"].term == AFTER(last)),
            ("the last one is where it was", way.names["@out"].term[COUNT - 1] == OUT[COUNT - 1]),
            *moved(way.names, last, POINT),
        ]

    work = Made(
        Work,
        {
            "usage": ROOM,
            "out": Room("out", (ROOM_OUT,)),
            "ground": Room("grounds", (ROOM_OUT,)),
            "share": Room("shares", (ROOM_OUT,)),
            "log": LOGGED,
        },
    )
    laws = {
        "is_lossless": answering(lossless, FOREST, ASK),
        "_cannot_return": Law(cannot),
        "move": _moving(ASK.fields["watched"]),
        "fits": Law(fitting),
        "undo": Law(lambda *_: 0, put_back),
    }
    given = {"forest": FOREST, "rows": ROWS, "ask": ASK, "may_borrow": borrows, "work": work}
    yield from read_kernel(
        seeing(fill_back, **laws),
        {**given, "count": SymInt(COUNT)},
        says,
        rooms={"usage": BEFORE, "log": LOG, "out": OUT, "grounds": GROUNDS, "shares": SHARES},
        facts=(*SIZES, COUNT >= 1, COUNT <= ROOM_OUT, ROOM_OUT < world.FAR, AFTER(0) == BEFORE, KEPT(0) == 0),
        loops=[Invariant(holds, points=lambda steps, _: [POINT, steps], everywhere=each_turn)],
    )
