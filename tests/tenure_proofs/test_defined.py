"""A definition says nothing of itself, and an induction shows only what holds."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
import z3

from tenure_proofs.theorems.outcome import end_of
from tenure_proofs.theorems.proving import prove
from tenure_proofs.theorems.registry import all_theorems
from tenure_proofs.theorems.searching import ALL_WAIT, COUNTED, FEWER, HOW_MANY
from tenure_proofs.trusted.defined import DEFINED, Members, OfEveryNumber, Recursion
from tenure_proofs.trusted.domains import LiftError
from tenure_proofs.trusted.induction import Part
from tenure_proofs.trusted.specified import INDUCTION, Taken
from tests.tenure_proofs.changed import LITTLE

SUM = z3.Function("sum up to", z3.IntSort(), z3.IntSort())
UP_TO = Recursion(SUM, "the sum of the numbers below", lambda: 0, lambda number, before: before + number)


def _of_sums(holds: Any) -> OfEveryNumber:
    return OfEveryNumber("of sums", holds, (), lambda number: [UP_TO.at(number)])


def test_what_holds_of_every_number_is_shown_by_induction_and_nothing_else_is() -> None:
    right = _of_sums(lambda number: 2 * SUM(number) == number * (number - 1))
    assert not prove(right.parts(), None, LITTLE).failures
    for wrong in (lambda number: SUM(number) == number, lambda number: SUM(number) > 0):
        assert prove(_of_sums(wrong).parts(), None, LITTLE).failures


@pytest.mark.parametrize(
    "step",
    [lambda number, before: SUM(number + 1) + before, lambda number, before: SUM(number) + before],
    ids=["the next", "itself by its name"],
)
def test_a_recursion_that_mentions_itself_is_refused(step: Any) -> None:
    with pytest.raises(LiftError, match="is defined by itself"):
        dataclasses.replace(UP_TO, step=step).at(z3.Int("number"))


def test_a_set_that_is_defined_by_itself_is_refused() -> None:
    term = z3.Const("a set", z3.ArraySort(z3.IntSort(), z3.BoolSort()))
    assert Members(term, "numbers above 3", lambda number: number > 3).at(z3.Int("number")).by == DEFINED
    with pytest.raises(LiftError, match="'what it lacks' is defined by itself"):
        Members(term, "what it lacks", lambda number: z3.Not(term[number])).at(z3.Int("number"))


@pytest.mark.parametrize("shown", [COUNTED, FEWER, ALL_WAIT], ids=lambda shown: shown.words)
def test_what_is_said_of_those_that_wait_needs_the_definition(shown: OfEveryNumber) -> None:
    assert not prove(shown.parts(), None, LITTLE).failures
    other = dataclasses.replace(HOW_MANY, step=lambda out, number, before: before + z3.If(out[number], 1, 0))
    out = z3.K(z3.IntSort(), z3.BoolVal(False)) if shown is ALL_WAIT else shown.values[0]
    wrong = dataclasses.replace(shown, known=lambda *given: [other.at(out, given[-1])])
    assert prove(wrong.parts(), None, LITTLE).failures


@pytest.mark.parametrize("by", [DEFINED, INDUCTION])
def test_what_is_only_called_a_definition_or_an_induction_shows_nothing(by: str) -> None:
    part = Part("returns", (Taken(z3.Bool("it rains"), "it rains", by),), (("all", z3.BoolVal(True)),))
    claim = dataclasses.replace(all_theorems()["PO-ANY-240"], statement=lambda: iter([part]))
    assert end_of(claim, None).detail == "shows nothing of 'it rains'"
