"""What a search keeps: how every search ends, after its last attempt."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import z3

from tenure.oracle.leaving import Leaving, selection_after
from tenure.oracle.question import Question, Selection
from tenure.oracle.selection import Removal
from tenure.oracle.snapshot import Snapshot
from tenure_proofs.theorems.decision import seeing
from tenure_proofs.theorems.registry import theorem
from tenure_proofs.theorems.selection import FILLED
from tenure_proofs.theorems.standins import BOOL, INT, known_as, same, token, truth_of
from tenure_proofs.trusted.ast_lifter import Made, Value
from tenure_proofs.trusted.induction import Labelled, Part
from tenure_proofs.trusted.loops import Row, State, Way
from tenure_proofs.trusted.procedures import Law
from tenure_proofs.trusted.specified import Closure, Specification, there_is_one
from tenure_proofs.trusted.symbols import SymBool, SymOptional, SymToken

CANDIDATES, ATTEMPTS = token("candidates"), token("attempts")
FITTING = z3.Function("fitting", INT, BOOL, INT)


def end_of_removals(name: str) -> Made:
    """What removals came to: who was removed stands as whether a workload was, and as a token."""
    there, removed = z3.Bool(f"{name} removed some"), token(f"{name} removed")
    return Made(
        Removal,
        {
            "usage": token(f"{name} usage"),
            "removed": SymOptional(SymBool(there), removed),
            "fits": SymBool(z3.Bool(f"{name} fits")),
        },
    )


def suffices(end: Made, fits: Value) -> Labelled:
    """Where an attempt says that the request fits, some were removed, and it does."""
    some, does = there_is_one(end.fields["removed"]), truth_of(fits(end.fields["usage"]))
    fits_without = z3.Implies(truth_of(end.fields["fits"]), z3.And(some, does))
    return [("where it fits, it does without those removed", fits_without)]


def _selection(_: State, part: Callable[..., Any]) -> Made:
    kept = Row(lambda at: part("kept", SymToken, at), part("how many are kept", int).term)
    usage = part("usage", SymToken)
    return Made(Selection, {"kept": kept, "usage": usage, "": part("selection", SymToken)})


def _keeps(given: State, found: Value) -> Labelled:
    kept, fits = there_is_one(found.fields["kept"]), truth_of(given["fits"](found.fields["usage"]))
    return [
        ("a workload exactly if it fits", kept == truth_of(given["end"].fields["fits"])),
        ("those suffice", z3.Implies(kept, fits)),
    ]


SELECTED = Specification(
    "PO-ANY-245",
    "a search keeps a workload exactly if its last attempt fits, and those suffice",
    selection_after,  # type: ignore[arg-type]  # a plain function, as `body_of` checks
    {
        "question": Made(
            Question, {"snapshot": Made(Snapshot, {"usage": token("before")}), "": token("question")}
        ),
        "candidates": CANDIDATES,
        "attempts": ATTEMPTS,
        "end": end_of_removals("end"),
        "fits": Closure(z3.Int("fits"), 1, bool),
        "beside": Closure(z3.Int("beside"), 2, SymToken),
        "completed": Closure(z3.Int("completed"), 1, SymToken),
    },
    _selection,
    _keeps,
    lambda given: suffices(given["end"], given["fits"]),
)


@theorem("PO-ANY-245", size="any number of candidates")
def a_search_keeps_a_workload_exactly_if_the_request_fits_in_its_last_attempt_and_those_suffice(
    function: Callable[..., Any] = selection_after,
) -> Iterator[Part]:
    """Every search ends so: who was removed in its last attempt is filled back, and no other is kept.

    Where the last attempt does not make the request fit, no workload is preempted. Where it does, some are,
    and the request fits beside what is in use without those that are kept. Each of them is one that filling
    back keeps, with its evidence.
    """
    given, place = SELECTED.takes, z3.Int("place")
    end, removed = given["end"].fields, given["end"].fields["removed"]
    filled = FILLED.value(removed, end["usage"], given["fits"], given["beside"]).fields

    def of(way: Way) -> Labelled:
        found, kept = way.value.fields, way.value.fields["kept"]
        goals = [
            ("of these candidates", same(found["candidates"], CANDIDATES)),
            ("after these attempts", same(found["attempts"], ATTEMPTS)),
        ]
        if isinstance(kept, tuple):
            none = same((found["removed"], found["spared"]), ((), ()))
            before = given["question"].fields["snapshot"].fields["usage"]
            return [*goals, ("as before", same(found["usage"], before)), ("none is removed or spared", none)]
        each = same(kept.at(place), given["completed"](filled["kept"].at(place)))
        return [
            *goals,
            ("as many as filling back keeps", kept.size == filled["kept"].size),
            ("each with its evidence", each),
            ("without those that are kept", same(found["usage"], filled["usage"])),
            ("who was removed", same(found["removed"], removed)),
            ("who is spared", same(found["spared"], filled["spared"])),
        ]

    stand = Law(lambda _, chain: chain)
    yield from SELECTED.of_statements(
        seeing(function, fill_back=FILLED.law(), in_order=stand, some_of=stand, as_tuple=stand), of
    )


def leaving_made() -> Made:
    """What leaves for a question, with the functions that count it."""
    counting = {name: Closure(z3.Int(f"leaving {name}"), 2, SymToken) for name in ("without", "beside")}
    told = {"usage": token("leaving usage"), **counting, "": token("leaving")}
    fits = Law(lambda _, usage, may_borrow: fitting_of({}, Made(Leaving, told), may_borrow)(usage))
    return Made(Leaving, {**told, "fits": fits})


def fitting_of(_: State, leaving: Value, may_borrow: Value) -> Closure:
    """Whether the request fits, by what leaves and whether an attempt may borrow."""
    return Closure(FITTING(known_as(leaving), truth_of(may_borrow)), 1, bool)
