"""The optimized core, classical preemption: one attempt, candidate by candidate, and the whole search."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import z3

from tenure.fast import classical
from tenure.fast.sampling import NO_DIVIDER
from tenure.fast.tables import Order, Policy, SearchInput, Work
from tenure_proofs.theorems.core_fair import FEW
from tenure_proofs.theorems.core_steps import GRID, INT, NUMBERS, Contents, Run, Step, either, same, together
from tenure_proofs.theorems.core_tree import COLUMN
from tenure_proofs.theorems.core_world import (
    ARRAYS,
    ASK,
    COLUMNS,
    FOREST,
    NODES,
    PATH,
    REQUESTED,
    ROWS,
    SIZE,
    SIZES,
    USAGE,
    flag,
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

CANDIDATES, CELLS, HALVES = (z3.Int(f"room for {what}") for what in ("candidates", "cells", "halves"))
_LINES = ("keys", "candidates", "out", "ground", "share", "node")
_PLACES = {
    **dict.fromkeys(_LINES, (CANDIDATES,)),
    "usage": (NODES, COLUMNS),
    "held": (COLUMNS, CANDIDATES),
    "log": (z3.IntVal(3), CELLS),
    "ends": (HALVES,),
    "group": (NODES,),
    "common": (NODES,),
}
ROOMS = {name: Room(name, sizes) for name, sizes in _PLACES.items()}
BEFORE = {
    name: z3.Const(f"{name} before", NUMBERS if len(sizes) == 1 else GRID) for name, sizes in _PLACES.items()
}
WORK = Made(
    Work, {**{name: ROOMS[name] for name in Work._fields if name in ROOMS}, "rows": ROOMS["candidates"]}
)
POLICY, ORDER = Made(Policy, {}), Made(Order, {})
SEARCH = Made(
    SearchInput,
    {
        "rows": ROWS,
        "forest": FOREST,
        "usage": USAGE,
        "ask": ASK,
        "policy": POLICY,
        "order": ORDER,
        "work": WORK,
    },
)
MAY_BORROW, PLAIN = flag("may borrow"), flag("plain")
FACTS = (*SIZES, SIZE > 0, CANDIDATES > 0, CANDIDATES < FEW, HALVES > 1)

# The candidates in their order: who each is, and how far sorting by the step has come.
SORTED = z3.Function("the candidate at a place, all sorted", INT, INT)
SETTLED = z3.Function("candidates once so many are settled", INT, NUMBERS)
NEXT_SETTLED = z3.Function("how many are settled after a step more", INT, INT)
TOPS = z3.Function("halves after a step more", INT, INT, INT)
GROUND_OF, HOLDS = (
    z3.Function("its ground", INT, INT),
    z3.Function("what it holds of a column", INT, INT, INT),
)
GRIDS = BEFORE["usage"].sort()
STANDS = z3.Function("stands in what is in use", GRIDS, INT, INT, z3.BoolSort(), z3.BoolSort())
LEFT = z3.Function("in use once it has left", GRIDS, INT, z3.BoolSort(), GRIDS)
FITS = z3.Function("the request fits", GRIDS, z3.BoolSort(), z3.BoolSort(), z3.BoolSort())
USED = z3.Function("in use after so many turns", INT, GRIDS)
TAKEN = z3.Function("taken after so many turns", INT, INT)
LOADED = z3.Function("what is loaded", GRID, INT, INT, GRID)


def _row(turn: Any) -> Any:
    return SORTED(turn)


def _queue(turn: Any) -> Any:
    return of(ROWS, "queue", SORTED(turn))


def _stands(turn: Any) -> Any:
    """KQ-380 of the candidate whose turn it is, of what is in use then."""
    return STANDS(USED(turn), _queue(turn), GROUND_OF(SORTED(turn)), MAY_BORROW.term)


def _fits(turns: Any) -> Any:
    return FITS(USED(turns), MAY_BORROW.term, PLAIN.term)


def _turn(turn: Any) -> Any:
    """What a turn is: who stands leaves and is counted, who does not stays."""
    stands = _stands(turn)
    left = LEFT(USED(turn), SORTED(turn), PLAIN.term)
    inside = z3.And(SORTED(turn) >= 0, SORTED(turn) < SIZE, _queue(turn) >= 0)
    return z3.And(
        TAKEN(turn + 1) == TAKEN(turn) + z3.If(stands, 1, 0),
        USED(turn + 1) == z3.If(stands, left, USED(turn)),
        inside,
    )


def _settling(held: State, keys: Any, rows: Any, ends: Any, top: Any, position: Any) -> Contents:
    """One candidate more or several are in their places; what lies before them stays."""
    handed((keys, ROOMS["keys"]), (rows, ROOMS["candidates"]), (ends, ROOMS["ends"]))
    now, at = held["@candidates"].term, position.term
    then = z3.If(now == SETTLED(at), SETTLED(NEXT_SETTLED(at)), now)
    told = (as_term(top, int), at)
    others = {
        name: z3.Function(f"{name} once settled", INT, INT, NUMBERS)(*told) for name in ("keys", "ends")
    }
    return {"candidates": then, **others}


def _settled(_: State, *told: Any) -> Any:
    *__, top, position = told
    return SymInt(TOPS(as_term(top, int), position.term)), SymInt(NEXT_SETTLED(position.term))


_LOADED = {
    name: z3.Function(f"{name} once loaded", BEFORE[name].sort(), INT, INT, BEFORE[name].sort())
    for name in ("node", "ground", "share", "held")
}


def _loading(held: State, given: Any, start: Any, end: Any) -> Contents:
    handed((given, SEARCH))
    told = as_term(start, int), as_term(end, int)
    return {name: after(held[f"@{name}"].term, *told) for name, after in _LOADED.items()}


def _loaded(here: State, start: Any, end: Any, point: Any) -> Any:
    """PO-ANY-564 of one place, and one column."""
    looked_up = z3.And(point >= start, point < end)
    row = here["@candidates"].term[point]
    column = z3.And(looked_up, COLUMN >= 0, COLUMN < REQUESTED)
    after = {name: found(here[f"@{name}"].term, start, end) for name, found in _LOADED.items()}
    new = {"node": of(ROWS, "queue", row), "ground": GROUND_OF(row)}
    cells = [
        after[name][point] == z3.If(looked_up, value, here[f"@{name}"].term[point])
        for name, value in new.items()
    ]
    held = z3.If(column, HOLDS(row, COLUMN), here["@held"].term[COLUMN][point])
    return z3.And(*cells, after["held"][COLUMN][point] == held)


def _leaving(held: State, forest: Any, rows: Any, row: Any, watched: Any, *told: Any) -> Contents:
    usage, log, adding = told
    handed((forest, FOREST), (rows, ROWS), (watched, ASK.fields["watched"]))
    handed((usage, ROOMS["usage"]), (log, ROOMS["log"]), (adding, False))
    return {"usage": LEFT(held["@usage"].term, row.term, z3.BoolVal(False))}


def _leaving_plainly(held: State, forest: Any, ask: Any, work: Any, node: Any, place: Any) -> Contents:
    """Where what is noted at a place is what the last one taken holds, of an arbitrary column, it leaves."""
    handed((forest, FOREST), (ask, ASK), (work, WORK))
    at = as_term(place, int)
    row, usage = held["@out"].term[at], held["@usage"].term
    noted = held["@held"].term[COLUMN][at] == HOLDS(row, COLUMN)
    right = z3.And(
        as_term(node, int) == of(ROWS, "queue", row),
        z3.Implies(z3.And(COLUMN >= 0, COLUMN < REQUESTED), noted),
    )
    return {"usage": z3.If(right, LEFT(usage, row, z3.BoolVal(True)), usage)}


def _fitting(plain: bool) -> Law:
    def value(held: State, forest: Any, usage: Any, ask: Any, may_borrow: Any) -> SymBool:
        handed((forest, FOREST), (usage, ROOMS["usage"]), (ask, ASK))
        return SymBool(FITS(held["@usage"].term, as_term(may_borrow, bool), z3.BoolVal(plain)))

    return Law(value)


def _standing(
    held: State, forest: Any, node: Any, ground: Any, ask: Any, may_borrow: Any, work: Any
) -> SymBool:
    handed((forest, FOREST), (ask, ASK), (work, WORK))
    return SymBool(STANDS(held["@usage"].term, node.term, ground.term, as_term(may_borrow, bool)))


def _written(here: State, turn: Any, turns: Any) -> Any:
    """That who has left by its turn is written down, behind those before it."""
    done = z3.And(turn >= 0, turn < turns, _stands(turn))
    place, row = TAKEN(turn), SORTED(turn)
    column = z3.And(COLUMN >= 0, COLUMN < REQUESTED)
    noted = here["@held"].term[COLUMN][place] == HOLDS(row, COLUMN)
    cells = z3.And(here["@out"].term[place] == row, here["@ground"].term[place] == GROUND_OF(row))
    inside = z3.And(place >= 0, place < TAKEN(turns))
    return z3.Implies(done, z3.And(inside, cells, z3.Implies(column, noted)))


def _ready(here: State, point: Any) -> Any:
    row = SORTED(point)
    column = z3.And(COLUMN >= 0, COLUMN < REQUESTED)
    cells = z3.And(here["@node"].term[point] == _queue(point), here["@ground"].term[point] == GROUND_OF(row))
    return z3.And(cells, z3.Implies(column, here["@held"].term[COLUMN][point] == HOLDS(row, COLUMN)))


def _noting(steps: Any, first: State, here: State, point: Any) -> Labelled:
    turn, before = as_term(here["here"], int), first["@held"].term[COLUMN]
    done = z3.And(point == as_term(here["taken"], int), COLUMN >= 0, steps > COLUMN)
    return [("noted", here["@held"].term[COLUMN][point] == z3.If(done, before[turn], before[point]))]


def _places(_: Any, here: State) -> list[Any]:
    turn = here["#0"].term
    return [POINT, TAKEN(POINT), TAKEN(turn), turn]


@theorem(
    "PO-ANY-592",
    about=(classical._attempt,),
    size="any number of candidates",
    assumes={
        **ARRAYS,
        "what sorts brings the next ones to their places": BELIEVED,
        "what is looked up of candidates": "PO-ANY-564",
        "who stands at its turn": "PO-ANY-465",
        "what one workload's leaving writes": "PO-ANY-490",
        "what leaves a plain tree": "PO-ANY-594",
        "whether the request fits": "PO-ANY-415",
        "whether it fits in a plain tree": "PO-ANY-520",
    },
)
def an_attempt_takes_candidates_in_their_order_each_if_it_stands_at_its_turn_until_the_request_fits(
    attempt: Any = classical._attempt,
) -> Iterator[Part]:
    """As PO-ANY-010 says of the reference: who stands leaves, and after each the request is asked for.

    Of each that left are written down its row, its ground and what it holds, in the order of removal. It is
    sorted only as far as turns come.
    """
    count, top, begun = (
        number("count", 0, CANDIDATES + 1),
        number("top"),
        number("settled", 0, CANDIDATES + 1),
    )
    last = count.term

    def facts(point: Any, here: State) -> list[Any]:
        settled = as_term(here["settled"], int)
        next_one = z3.And(NEXT_SETTLED(settled) > settled, NEXT_SETTLED(settled) <= last)
        in_order = z3.Implies(z3.And(point >= 0, point < settled), SETTLED(settled)[point] == SORTED(point))
        return [_turn(point), in_order, z3.Implies(settled < last, next_one)]

    def loading(point: Any, here: State) -> list[Any]:
        return [*facts(point, here), _loaded(here, here["#0"].term, as_term(here["loaded"], int), point)]

    def sorted_so_far(here: State) -> Labelled:
        settled = as_term(here["settled"], int)
        right = here["@candidates"].term == SETTLED(settled)
        return [("sorted so far", z3.And(right, settled >= 0, settled <= last))]

    def holds(steps: Any, _: State, here: State, point: Any) -> Labelled:
        position, loaded, taken = (as_term(here[name], int) for name in ("position", "loaded", "taken"))
        reached = z3.And(
            position == steps, steps <= loaded, loaded <= last, loaded <= as_term(here["settled"], int)
        )
        waits = z3.And(point >= steps, point < loaded)
        before = z3.And(point >= 0, point < steps, _stands(point))
        return together(
            "what is so far",
            [
                *sorted_so_far(here),
                ("one turn after the other", reached),
                ("what is in use", here["@usage"].term == USED(steps)),
                ("how many are taken", z3.And(taken == TAKEN(steps), taken >= 0, taken <= steps)),
                ("what is looked up", z3.Implies(waits, _ready(here, point))),
                ("who left", _written(here, point, steps)),
                ("it did not fit", z3.Implies(before, z3.Not(_fits(point + 1)))),
            ],
        )

    def sorting(steps: Any, first: State, here: State, _: Any) -> Labelled:
        further = as_term(here["settled"], int) >= as_term(first["settled"], int) + steps
        return [*sorted_so_far(here), ("further with every step", further)]

    def says(way: Way) -> Labelled:
        taken, _, settled, fit = (
            as_term(part, sort) for part, sort in zip(way.value, (int, int, int, bool), strict=True)
        )
        turn = way.names["#0"].term
        turns = turn + z3.If(fit, 1, 0)
        before = z3.And(POINT >= 0, turn > POINT, _stands(POINT))
        return together(
            "what an attempt comes to",
            [
                (
                    "it fits, or all had their turn",
                    z3.If(fit, z3.And(_stands(turn), _fits(turns)), turn == last),
                ),
                ("it did not fit before", z3.Implies(before, z3.Not(_fits(POINT + 1)))),
                ("what is in use", way.names["@usage"].term == USED(turns)),
                ("how many are taken", taken == TAKEN(turns)),
                ("who left", _written(way.names, POINT, turns)),
                ("how far it is sorted", way.names["@candidates"].term == SETTLED(settled)),
            ],
        )

    laws = {
        "settle": Law(_settled, _settling),
        "load": Law(lambda *_: 0, _loading),
        "stands": Law(_standing),
        "move": Law(lambda *_: 0, _leaving),
        "leave_plainly": Law(lambda *_: 0, _leaving_plainly),
        "fits": _fitting(False),
        "fits_plainly": _fitting(True),
    }
    yield from read_kernel(
        seeing(attempt, **laws),
        {
            "given": SEARCH,
            "count": count,
            "top": top,
            "settled": begun,
            "may_borrow": MAY_BORROW,
            "plain": PLAIN,
        },
        says,
        rooms=BEFORE,
        facts=(
            *(*FACTS, begun.term <= last, USED(0) == BEFORE["usage"], TAKEN(0) == 0),
            *(BEFORE["candidates"] == SETTLED(begun.term), REQUESTED <= COLUMNS),
        ),
        loops=[
            Invariant(holds, points=lambda steps, _: [POINT, steps], everywhere=facts),
            Invariant(sorting, points=_places, everywhere=loading),
            Invariant(_noting, points=_places),
        ],
    )


CLASSIFY = Step(
    "classifying", (SEARCH,), BEFORE, reads=("group", "common", "log"), writes=("group", "common", "log")
)
DIVIDE = Step(
    "finding a divider",
    (SEARCH,),
    BEFORE,
    reads=("group", "keys", "candidates", "held", "ends"),
    writes=("keys", "candidates", "held", "ends"),
    returns=(int,),
)
GATHER = Step(
    "gathering candidates",
    (SEARCH, int),
    BEFORE,
    reads=("group", "keys", "candidates"),
    writes=("keys", "candidates"),
    returns=(int, int, int, int),
)
ATTEMPTS = Step("the attempts", (SEARCH, int, int), BEFORE, reads=(), returns=(bool, bool))
COPY = Step(
    "copying what is in use",
    (FOREST, USAGE, PATH, ROOMS["usage"]),
    BEFORE,
    reads=("usage",),
    writes=("usage",),
)
ATTEMPT_WRITES = (*_LINES, "usage", "held", "log", "ends")
ATTEMPT = Step(
    "an attempt",
    (SEARCH, int, int, int, bool, bool),
    BEFORE,
    reads=(*ATTEMPT_WRITES, "group", "common"),
    writes=ATTEMPT_WRITES,
    returns=(int, int, int, bool),
)
BACK = Step(
    "filling back what is not needed",
    (FOREST, ROWS, ASK, bool, int, WORK),
    BEFORE,
    reads=("usage", "out", "ground", "share", "held", "log"),
    writes=("usage", "out", "ground", "share", "log"),
    returns=(int,),
)


@theorem(
    "PO-ANY-599",
    about=(classical.select,),
    size="any tree, any number of candidates",
    assumes={
        **ARRAYS,
        "who is looked into": "PO-ANY-562",
        "who is a candidate": "PO-ANY-572",
        "which attempts are made": "PO-ANY-460",
        "whether a tree is plain": "PO-ANY-525",
        "that the tree is copied": "PO-ANY-485",
        "what an attempt comes to": "PO-ANY-592",
        "who stays removed": "PO-ANY-495",
        "where to begin to sort is a guess that decides nothing": BELIEVED,
    },
)
def a_search_makes_the_attempts_in_their_order_and_fills_back_the_first_that_fits(
    select: Any = classical.select,
) -> Iterator[Part]:
    """As PO-ANY-060 says of the reference: the opposite attempt is made only if the first one fails.

    Both begin with the tree as it is; sorting goes on where it stopped. Where none fits, what is
    in use is as it was and none is removed.
    """
    looked_into = CLASSIFY.after(BEFORE)
    divider, sampled = DIVIDE.result(looked_into), DIVIDE.after(looked_into)
    count, elsewhere, advantaged, low = (GATHER.result(sampled, divider, place=place) for place in range(4))
    gathered = GATHER.after(sampled, divider)
    gathered["ends"] = z3.Store(z3.Store(gathered["ends"], 0, count), 1, low)
    borrows, opposite = (ATTEMPTS.result({}, elsewhere, advantaged, place=place) for place in range(2))
    run = Run("attempts", gathered, ATTEMPT_WRITES)
    top, settled = (z3.Function(f"{name} before an attempt", INT, INT) for name in ("top", "settled"))

    def told(number: Any) -> tuple[Any, ...]:
        lets_borrow = z3.If(number == 0, borrows, z3.Not(borrows))
        return count, top(number), settled(number), lets_borrow, PLAIN.term

    def ended(number: Any) -> tuple[Contents, list[Any]]:
        """What there is after an attempt, and how many it took, how far it sorted, whether it fits."""
        now = COPY.after(run(number))
        found = [ATTEMPT.result(now, *told(number), place=place) for place in range(4)]
        return ATTEMPT.after(now, *told(number)), found

    def one_more(number: Any, _: State) -> list[Any]:
        after, (taken, sorted_to, further, _fit) = ended(number)
        kept = BACK.result(after, told(number)[3], taken)
        few = z3.And(taken >= 0, taken < FEW, kept >= 0, kept < FEW)
        return [few, run.goes_on(number, after), top(number + 1) == sorted_to, settled(number + 1) == further]

    def holds(steps: Any, _: State, here: State, __: Any) -> Labelled:
        names = (("top", top(steps)), ("settled", settled(steps)))
        failed = z3.Implies(steps == 1, z3.And(opposite, z3.Not(ended(z3.IntVal(0))[1][3])))
        again = as_term(here["again"], bool) == z3.And(opposite, steps == 0)
        return [
            *same(here, run.of(steps)),
            ("how far it is sorted", z3.And([as_term(here[name], int) == term for name, term in names])),
            ("which attempt", z3.And(as_term(here["may_borrow"], bool) == told(steps)[3], again)),
            ("a second one only if the first fails", z3.And(failed, steps <= 1)),
        ]

    def says(way: Way) -> Labelled:
        number = way.names["#0"].term
        after, (taken, *_, fits) = ended(number)
        lets_borrow = told(number)[3]
        kept = BACK.result(after, lets_borrow, taken)
        begin, end, borrowed = (
            as_term(part, sort) for part, sort in zip(way.value, (int, int, bool), strict=True)
        )
        victims = z3.And(begin == z3.If(fits, taken - kept, 0), end == z3.If(fits, taken, 0))
        first_failed = z3.And(opposite, z3.Not(ended(z3.IntVal(0))[1][3]))
        return [
            ("the victims", z3.And(victims, borrowed == lets_borrow)),
            ("the first that fits, or the last", z3.Or(fits, number == z3.If(opposite, 1, 0))),
            ("a second one only if the first fails", z3.Or(number == 0, z3.And(number == 1, first_failed))),
            *same(way.names, either(fits, BACK.after(after, lets_borrow, taken), COPY.after(after))),
        ]

    def is_plain(_: State, forest: Any, usage: Any, ask: Any) -> SymBool:
        handed((forest, FOREST), (usage, USAGE), (ask, ASK))
        return PLAIN

    laws = {
        "classify": CLASSIFY.law,
        "find_divider": DIVIDE.law,
        "gather": GATHER.law,
        "is_plain": Law(is_plain),
        "attempts": ATTEMPTS.law,
        "copy_tree": COPY.law,
        "_attempt": ATTEMPT.law,
        "fill_back": BACK.law,
    }
    first_top = z3.If(divider != NO_DIVIDER, 1, 0)
    yield from read_kernel(
        seeing(select, **laws),
        {"given": SEARCH},
        says,
        rooms=BEFORE,
        facts=(
            *FACTS,
            run.begins(gathered),
            top(0) == first_top,
            settled(0) == 0,
            *one_more(z3.IntVal(0), {}),
        ),
        loops=[Invariant(holds, points=lambda steps, _: [steps], everywhere=one_more)],
    )
