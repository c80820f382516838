"""The optimized core, candidates for classical preemption: all of them, gathered in one array."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import z3

from tenure.fast import classical
from tenure.fast.sampling import NO_DIVIDER
from tenure.fast.tables import ADVANTAGE, OWN
from tenure_proofs.theorems.core_steps import INT, together
from tenure_proofs.theorems.core_waiting import (
    BEFORE,
    CANDIDATES,
    GROUPS,
    KEYS,
    OFFERED,
    ROOM_FOR_ALL,
    SEARCH,
    WHO_WAITS,
    key_in_group,
    queue_of,
)
from tenure_proofs.theorems.core_world import ARRAYS, NODES, SIZE, SIZES, number, seeing
from tenure_proofs.theorems.registry import BELIEVED, theorem
from tenure_proofs.trusted.induction import Labelled, Part
from tenure_proofs.trusted.kernels import LEAST, POINT, Invariant, read_kernel
from tenure_proofs.trusted.loops import State, Way
from tenure_proofs.trusted.symbols import as_term

# Rows one by one: how many are candidates so far, and where each of them is.
COUNT, ELSE, AHEAD, LOW = (
    z3.Function(name, INT, INT)
    for name in (
        "candidates so far",
        "elsewhere so far",
        "with advantage so far",
        "before the divider so far",
    )
)
WHERE = z3.Function("where a candidate is, after some rows", INT, INT, INT)

DIVIDER = number("divider", NO_DIVIDER, SIZE)
IS_ONE = DIVIDER.term != NO_DIVIDER
LIMIT = z3.If(IS_ONE, key_in_group(DIVIDER.term), LEAST)


def _gathered(row: Any) -> Any:
    return z3.And(OFFERED(row), row != DIVIDER.term)


def _lower(row: Any) -> Any:
    return key_in_group(row) < LIMIT


def _moved(row: Any, new: Any, place: Any, low: Any, count: Any) -> Any:
    """Where a candidate is once a new one is put at a place, and who was there behind the last."""
    return z3.If(row == new, low, z3.If(place == low, count, place))


def _counted(turn: Any) -> Any:
    group = GROUPS.at(queue_of(turn)).term
    steps = (
        (COUNT, _gathered(turn)),
        (LOW, z3.And(_gathered(turn), _lower(turn))),
        (ELSE, z3.And(OFFERED(turn), group != OWN)),
        (AHEAD, z3.And(OFFERED(turn), group == ADVANTAGE)),
    )
    return z3.And([one(turn + 1) == one(turn) + z3.If(more, 1, 0) for one, more in steps])


def _each(here: State, steps: Any, point: Any, where: Any, low: Any, count: Any) -> Labelled:
    """Of a point as a row, and as a place."""
    keys, rows = here["@keys"].term, here["@candidates"].term
    place, row = where(point), rows[point]
    among = z3.And(point >= 0, point < steps, _gathered(point))
    there = z3.And(place >= 0, place < count, rows[place] == point, keys[place] == key_in_group(point))
    one = z3.And(row >= 0, row < steps, _gathered(row), where(row) == point)
    return [
        ("every candidate is there with its key", z3.Implies(among, there)),
        ("lower ones come first", z3.Implies(among, (place < low) == _lower(point))),
        ("no other is there", z3.Implies(z3.And(point >= 0, point < count), one)),
    ]


@theorem(
    "PO-ANY-572",
    about=(classical.gather,),
    size="any number of workloads",
    assumes={**ARRAYS, "who is a candidate": "PO-ANY-475", **KEYS, ROOM_FOR_ALL: BELIEVED},
)
def all_candidates_are_gathered_every_one_once_with_its_key_and_the_lower_ones_before_the_divider(
    gather: Any = classical.gather,
) -> Iterator[Part]:
    """Each candidate is in one place and no other, and each place has one; none is left out.

    What is counted is how many there are, elsewhere, with advantage, and with lower keys than the divider.
    """

    def facts(point: Any, here: State) -> list[Any]:
        turn = here["#0"].term
        then = _moved(point, turn, WHERE(turn, point), LOW(turn), COUNT(turn))
        there = z3.Implies(OFFERED(turn), z3.And(queue_of(turn) >= 0, queue_of(turn) < NODES))
        return [
            _counted(turn),
            there,
            WHERE(turn + 1, point) == z3.If(_gathered(turn), then, WHERE(turn, point)),
        ]

    def holds(steps: Any, _: State, here: State, point: Any) -> Labelled:
        count, low = COUNT(steps), LOW(steps)
        passed = z3.If(z3.And(IS_ONE, DIVIDER.term < steps), 1, 0)
        names = {"count": count, "low": low, "elsewhere": ELSE(steps), "advantaged": AHEAD(steps)}
        few = [z3.And(number >= 0, number <= steps) for number in names.values()]
        return together(
            "what is so far",
            [
                (
                    "how many so far",
                    z3.And([as_term(here[name], int) == value for name, value in names.items()]),
                ),
                ("no more than rows", z3.And(*few, low <= count, count + passed <= steps)),
                *_each(here, steps, point, lambda row: WHERE(steps, row), low, count),
            ],
        )

    def points(steps: Any, here: State) -> list[Any]:
        rows = here["@candidates"].term
        return [POINT, rows[POINT], LOW(steps), rows[LOW(steps)], steps]

    def says(way: Way) -> Labelled:
        count, low = COUNT(SIZE), LOW(SIZE)
        found = (count + z3.If(IS_ONE, 1, 0), ELSE(SIZE), AHEAD(SIZE), low)
        keys, rows = way.names["@keys"].term, way.names["@candidates"].term
        among = z3.And(POINT >= 0, SIZE > POINT, _gathered(POINT))
        place = WHERE(SIZE, POINT)
        place = z3.If(IS_ONE, _moved(POINT, DIVIDER.term, place, low, count), place)
        here_it_is = z3.And(
            place >= 0, place < found[0], rows[place] == POINT, keys[place] == key_in_group(POINT)
        )
        at_divider = z3.And(rows[low] == DIVIDER.term, keys[low] == LIMIT)
        lies_before = z3.Implies(z3.And(among, IS_ONE), (place < low) == _lower(POINT))
        before, row = z3.And(POINT >= 0, found[0] > POINT), rows[POINT]
        where = z3.If(IS_ONE, _moved(row, DIVIDER.term, WHERE(SIZE, row), low, count), WHERE(SIZE, row))
        one = z3.And(row >= 0, row < SIZE, z3.Or(row == DIVIDER.term, _gathered(row)), where == POINT)
        return together(
            "what is gathered",
            [
                *(
                    (f"how many: {number}", as_term(value, int) == wanted)
                    for number, (value, wanted) in enumerate(zip(way.value, found, strict=True))
                ),
                ("every candidate is there with its key", z3.Implies(among, here_it_is)),
                ("lower ones come first", lies_before),
                ("the divider is between them", z3.Implies(IS_ONE, at_divider)),
                ("no other is there", z3.Implies(before, one)),
            ],
        )

    none = z3.And([one(0) == 0 for one in (COUNT, LOW, ELSE, AHEAD)])
    group = z3.Implies(IS_ONE, z3.And(queue_of(DIVIDER.term) >= 0, queue_of(DIVIDER.term) < NODES))
    yield from read_kernel(
        seeing(gather, **WHO_WAITS),
        {"given": SEARCH, "divider": DIVIDER},
        says,
        rooms=BEFORE,
        facts=(*SIZES, SIZE <= CANDIDATES, none, group),
        loops=[Invariant(holds, points=points, everywhere=facts)],
    )
