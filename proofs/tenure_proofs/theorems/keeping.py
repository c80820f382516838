"""What a search keeps: how every search ends, after its last attempt."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import z3

from tenure.oracle.leaving import Leaving, selection_after
from tenure.oracle.question import Question, Selection
from tenure.oracle.selection import FillBack, Removal
from tenure.oracle.snapshot import Snapshot
from tenure_proofs.theorems.decision import seeing
from tenure_proofs.theorems.registry import GIVEN, theorem
from tenure_proofs.theorems.standins import BOOL, INT, TOLD, known_as, same, token, truth_of
from tenure_proofs.theorems.taken import Taken
from tenure_proofs.trusted.ast_lifter import Made, Value
from tenure_proofs.trusted.induction import Labelled, Part
from tenure_proofs.trusted.loops import Listed, State, Way
from tenure_proofs.trusted.procedures import Law, Table, read_procedure
from tenure_proofs.trusted.symbols import SymBool, SymInt, SymOptional, SymToken, as_term

FITS = z3.Function("fits beside", INT, INT, BOOL)
"""Whether a request fits, by what says so, beside what is in use."""

CANDIDATES, ATTEMPTS = token("candidates"), token("attempts")

KEPT = z3.Function("how many are kept", INT, INT, INT)
LEFT = z3.Function("what is in use after filling back", INT, INT, INT, INT)
FITTING = z3.Function("fitting", INT, BOOL, INT)
COMPLETED = z3.Function("completed", INT, INT)
BACK = z3.Function("kept, by its number", INT, INT)


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


def suffices(end: Made, fits: Value) -> z3.BoolRef:
    """What PO-ANY-010, PO-ANY-070 and PO-ANY-250 say: where the request fits, some were removed."""
    says = end.fields["fits"].term
    removed = end.fields["removed"]
    there = removed.there if isinstance(removed, Listed) else as_term(removed.present, bool)
    return z3.Implies(says, z3.And(there, FITS(fits.term, end.fields["usage"].term)))


FILLED = "filling back keeps a workload, and the request fits"


@theorem(
    "PO-ANY-245",
    about=(selection_after,),
    size="any number of candidates",
)
def a_search_keeps_a_workload_exactly_if_the_request_fits_in_its_last_attempt_and_those_suffice(
    function: Callable[..., Any] = selection_after,
) -> Iterator[Part]:
    """Every search ends so: who was removed in its last attempt is filled back, and no other is kept.

    Where the last attempt does not make the request fit, no workload is preempted. Where it does, some are,
    and the request fits beside what is in use without those that are kept. Each of them is one that filling
    back keeps, with its evidence.
    """
    end, fits, beside = end_of_removals("end"), token("fits"), token("beside")
    removed, usage = end.fields["removed"], end.fields["usage"]
    filled = LEFT(usage.term, fits.term, beside.term)
    count, place = KEPT(usage.term, fits.term), z3.Int("place")
    before = token("before")
    question = Made(Question, {"snapshot": Made(Snapshot, {"usage": before})})

    def fill_back(_: State, asked: Value, then: Value, by: Value, given: Value) -> Value:
        spared = token("spared") if asked is removed else TOLD
        kept = Table(lambda at: SymToken(BACK(at)), KEPT(then.term, by.term))
        return Made(
            FillBack,
            {"usage": SymToken(LEFT(then.term, by.term, given.term)), "kept": kept, "spared": spared},
        )

    said = end.fields["fits"].term

    def of(way: Way) -> Labelled:
        found = way.value.fields
        told = same(found["candidates"], CANDIDATES), same(found["attempts"], ATTEMPTS)
        goals = [("of these candidates", told[0]), ("after these attempts", told[1])]
        if isinstance(found["kept"], tuple):
            return [
                *goals,
                ("none where it does not fit", z3.Not(said)),
                ("as before", same(found["usage"], before)),
                ("none is removed or spared", same((found["removed"], found["spared"]), ((), ()))),
            ]
        kept = found["kept"]
        return [
            *goals,
            ("where it fits", said),
            ("a workload", kept.size > 0),
            ("as many as filling back keeps", kept.size == count),
            ("each with its evidence", kept.at(place).term == COMPLETED(BACK(place))),
            ("without those that are kept", found["usage"].term == filled),
            ("it fits without them", FITS(fits.term, found["usage"].term)),
            ("who was removed", found["removed"].term == removed.value.term),
            ("who is spared", same(found["spared"], token("spared"))),
        ]

    law = z3.Implies(
        z3.And(removed.present.term, FITS(fits.term, usage.term)), z3.And(count > 0, FITS(fits.term, filled))
    )
    yield from read_procedure(
        seeing(
            function,
            fill_back=Law(fill_back),
            in_order=Law(lambda _, chain: chain.value),
            some_of=Law(lambda _, chain: chain),
            as_tuple=Law(lambda _, chain: chain),
        ),
        {
            "question": question,
            "candidates": CANDIDATES,
            "attempts": ATTEMPTS,
            "end": end,
            "fits": fits,
            "beside": beside,
            "completed": Law(lambda _, candidate: SymToken(COMPLETED(candidate.term))),
        },
        of,
        facts=(
            Taken(
                suffices(end, fits),
                "where it says that the request fits, some were removed, and it does",
                GIVEN,
            ),
            Taken(law, FILLED, "PO-ANY-020"),
        ),
    )


def leaving_made() -> Made:
    """What leaves for a question, with the functions that count it."""
    names = ("usage", "without", "beside")
    return Made(Leaving, {**{name: token(f"leaving {name}") for name in names}, "": token("leaving")})


def fitting_of(_: State, leaving: Value, may_borrow: Value) -> Value:
    return SymToken(FITTING(known_as(leaving), truth_of(may_borrow)))


def found_of(*asked: Any) -> Value:
    """What PO-ANY-245 says of a search that ends so."""
    question, candidates, attempts, end, fits, beside, completed = asked[1:]
    usage = end.fields["usage"]
    kept = z3.If(end.fields["fits"].term, KEPT(usage.term, known_as(fits)), 0)
    given = {"candidates": candidates, "kept": SymInt(kept), "attempts": attempts, "fits": fits}
    left = SymToken(LEFT(usage.term, known_as(fits), known_as(beside)))
    given |= {"usage": left, "removed": end.fields.get("removed")}
    return Made(Selection, {**given, "question": question, "completed": completed})


def selected(end: Made, fits: Value, beside: Value) -> Taken:
    """The same, as facts."""
    usage = end.fields["usage"].term
    kept = z3.And(KEPT(usage, fits.term) > 0, FITS(fits.term, LEFT(usage, fits.term, beside.term)))
    return Taken(z3.Implies(end.fields["fits"].term, kept), FILLED, "PO-ANY-245")
