"""The optimized core, fair sharing: what each workload of a queue holds at least."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import z3

from tenure.fast import rounds
from tenure_proofs.theorems.core_steps import BOOL, GRID, INT, together
from tenure_proofs.theorems.core_world import ARRAYS, COLUMNS, ENTRIES, NODES, ROWS, SIZE, SIZES, number, of
from tenure_proofs.theorems.registry import BELIEVED, theorem
from tenure_proofs.trusted.induction import Labelled, Part
from tenure_proofs.trusted.kernels import Held, Invariant, Room, read_kernel
from tenure_proofs.trusted.loops import State

ROOMS = {"counts": Room("counts", (NODES, COLUMNS + 1)), "lightest": Room("lightest", (NODES, COLUMNS))}
BEFORE = {name: z3.Const(f"{name} before", GRID) for name in ROOMS}
QUEUE, COLUMN = number("queue", 0, NODES).term, number("column", 0, COLUMNS).term
LACKING, HOLDING, ENTRY = (
    z3.Int(name) for name in ("a row that lacks it", "a row that holds it", "its entry")
)
PLACE_OF = z3.Function("which entry of a row is of the column", INT, INT)
IS_HELD = z3.Function("is held by a workload of the queue", INT, BOOL)
WORKLOADS, HAVING = (
    z3.Function(f"workloads of the queue {which} among the first rows", INT, INT) for which in ("", "with it")
)
FAR = 2**62


def _entry(row: Any, entry: Any, name: str) -> Any:
    return of(ROWS, name, of(ROWS, "first", row) + entry)


def _is_of(row: Any) -> Any:
    return z3.And(row >= 0, row < SIZE, of(ROWS, "queue", row) == QUEUE)


LACKS = z3.And(_is_of(LACKING), PLACE_OF(LACKING) == -1)
HOLDS = z3.And(
    *(_is_of(HOLDING), ENTRY >= 0, of(ROWS, "width", HOLDING) > ENTRY, _entry(HOLDING, ENTRY, "at") == COLUMN)
)


def _cells(here: State) -> tuple[Any, Any, Any]:
    """How many entries of the column there are, how many workloads, and the least so far."""
    counts, lightest = here["@counts"].term[QUEUE], here["@lightest"].term[QUEUE]
    return counts[COLUMN], counts[COLUMNS], lightest[COLUMN]


def _least(here: State, seen: Any) -> Labelled:
    some, _, least = _cells(here)
    no_more = z3.And(some >= 1, least <= _entry(HOLDING, ENTRY, "amount"))
    return [
        ("no more than one holds", z3.Implies(z3.And(HOLDS, seen), no_more)),
        ("what one holds", z3.Implies(some >= 1, IS_HELD(least))),
        ("counted", some >= 0),
    ]


def _rows(steps: Any, _: State, here: State, __: Any) -> Labelled:
    some, all_of, ___ = _cells(here)
    missing = z3.If(z3.And(LACKS, steps > LACKING), 1, 0)
    counted = z3.And(some == HAVING(steps), all_of == WORKLOADS(steps), some + missing <= all_of)
    return together("so far", [("counts", counted), *_least(here, steps > HOLDING)])


def _entries(steps: Any, _: State, here: State, __: Any) -> Labelled:
    (some, all_of, ___), row = _cells(here), here["#0"].term
    place = PLACE_OF(row)
    missing = z3.If(z3.And(LACKS, row > LACKING), 1, 0)
    mine, found = of(ROWS, "queue", row) == QUEUE, z3.And(place >= 0, place < steps)
    one, has = z3.If(mine, 1, 0), z3.If(z3.And(mine, found), 1, 0)
    seen = z3.Or(row > HOLDING, z3.And(row == HOLDING, steps > ENTRY))
    counted = z3.And(some == HAVING(row) + has, all_of == WORKLOADS(row) + one)
    return together(
        "so far",
        [("counts", counted), ("missing", some + missing + one - has <= all_of), *_least(here, seen)],
    )


def _known(_: Any, here: State) -> list[Any]:
    """Of the row whose turn it is, and its entry: where it lies, and whether it is of the column."""
    row = here["#0"].term
    entry = here["#1"].term if "#1" in here else z3.IntVal(0)
    first, width, queue = (of(ROWS, name, row) for name in ("first", "width", "queue"))
    inside = z3.And(entry >= 0, entry < width)
    at, held = _entry(row, entry, "at"), _entry(row, entry, "amount")
    counts, place = here["@counts"].term[queue], PLACE_OF(row)
    mine = z3.If(queue == QUEUE, 1, 0)
    having = HAVING(row + 1) == HAVING(row) + z3.If(place >= 0, mine, 0)
    return [
        z3.Implies(row < SIZE, z3.And(first + width <= ENTRIES, queue < NODES)),
        z3.Implies(inside, (at == COLUMN) == (PLACE_OF(row) == entry)),
        z3.And(place >= -1, place < width, WORKLOADS(row + 1) == WORKLOADS(row) + mine, having),
        z3.Implies(z3.And(inside, at == COLUMN, queue == QUEUE), IS_HELD(held)),
        *(z3.And(counts[cell] >= 0, counts[cell] < FAR) for cell in (at, COLUMNS)),
    ]


def _clearing(nodes: Any, columns: Any, here: State) -> Labelled:
    """Once some nodes are done, and some columns of the next: 0 where one lacks the column."""
    some, all_of, least = _cells(here)
    done = z3.Or(nodes > QUEUE, z3.And(nodes == QUEUE, columns > COLUMN))
    cleared = z3.And(done, some < all_of)
    kept = [formula for _, formula in _least(here, z3.BoolVal(True))]
    return [("0 where one lacks it", z3.If(cleared, least == 0, z3.And(kept)))]


@theorem(
    "PO-ANY-557",
    about=(rounds.find_lightest,),
    size="any number of workloads, entries and columns",
    assumes={
        **ARRAYS,
        "a workload has one entry for a column": BELIEVED,
        "there are fewer than 2^62 entries": BELIEVED,
    },
)
def what_each_workload_of_a_queue_holds_at_least_is_the_least_that_one_holds_or_0_if_one_lacks_it(
    find_lightest: Any = rounds.find_lightest,
) -> Iterator[Part]:
    """Of every queue and column: no more than any of its workloads holds, and what one holds.

    Where one of them has no entry for the column, it is 0.
    """

    def says(here: State) -> Labelled:
        *_, least = _cells(here)
        all_have_it = z3.And(HAVING(SIZE) == WORKLOADS(SIZE), HAVING(SIZE) >= 1)
        amount = _entry(HOLDING, ENTRY, "amount")
        return [
            ("0 where one lacks it", z3.Implies(LACKS, least == 0)),
            ("no more than one holds", z3.Implies(HOLDS, z3.Or(least == 0, least <= amount))),
            ("what one holds, where all do", z3.Implies(all_have_it, IS_HELD(least))),
            ("no more than one holds, where all do", z3.Implies(z3.And(HOLDS, all_have_it), least <= amount)),
        ]

    names = ("queue", "first", "width", "at", "amount")
    cells = _cells({f"@{name}": Held(term) for name, term in BEFORE.items()})
    yield from read_kernel(
        find_lightest,
        {**{name: ROWS.fields[name] for name in names}, **ROOMS},
        lambda way: says(way.names),
        rooms=BEFORE,
        facts=(*SIZES, COLUMNS >= 1, z3.And([cell == 0 for cell in (*cells[:2], WORKLOADS(0), HAVING(0))])),
        loops=[
            Invariant(_rows, everywhere=_known),
            Invariant(_entries, everywhere=_known),
            Invariant(lambda steps, _, here, __: _clearing(steps, z3.IntVal(0), here)),
            Invariant(lambda steps, _, here, __: _clearing(here["#2"].term, steps, here)),
        ],
    )
