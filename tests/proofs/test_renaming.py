"""A formula that was traced for other arguments is the formula of these."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import z3

from tenure.model import MINUTE
from tenure.oracle.door import take_target
from tenure.readings import preset, preset_names
from tenure.rules.time_based import is_newer_equal, is_time_expired, requeue_timestamp
from tenure_proofs.budgets import FLOOR
from tenure_proofs.solvers import Question, ask_z3
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.logic import value_of
from tenure_proofs.trusted.shapes import Built, Passed, equivalent
from tenure_proofs.trusted.tracer import trace


def usual(claim: Claim) -> tuple[Any, ...]:
    return (
        claim.workload("preemptor"),
        claim.workload("target"),
        claim.evidence("evidence"),
        claim.terms(),
        claim.number("now"),
        claim.kin(),
    )


def the_same_twice(claim: Claim) -> tuple[Any, ...]:
    """A workload against itself, at a time that is no constant."""
    made = claim.workload("made")
    at = value_of(made, "quota_reserved_at") + 1
    return made, made, claim.evidence("evidence"), claim.terms(), at, claim.kin()


def differs(claim: Claim, function: Callable[..., Any], arguments: tuple[Any, ...]) -> str:
    """Whether a formula by way of another's arguments and one that is traced with these can differ."""
    lifted = claim.lift(function)(*arguments).call.formula
    different = z3.Not(equivalent(lifted, trace(function, *arguments)))
    return ask_z3(Question((*claim.facts, different), FLOOR)).said


@pytest.mark.parametrize("reading", preset_names())
@pytest.mark.parametrize("given", [usual, the_same_twice])
def test_the_door_is_the_same_whatever_its_arguments_are_called(
    given: Callable[[Claim], tuple[Any, ...]], reading: str
) -> None:
    claim = Claim(preset(reading))
    assert differs(claim, take_target, given(claim)) == "unsat"


def test_a_record_that_is_handed_on_has_the_name_that_is_meant() -> None:
    claim = Claim(preset("guaranteed"))
    arguments = usual(claim)
    taken = claim.lift(take_target)(*arguments).call.formula.value
    assert isinstance(taken, Built)
    assert Passed("target") in [inner for _, inner in taken.fields]


def test_what_may_be_none_and_what_is_concrete_stays_so() -> None:
    claim = Claim(preset("guaranteed"))
    target, now, duration = claim.workload("target"), claim.number("now"), claim.optional_number("duration")
    for length in (duration, MINUTE, None):
        assert differs(claim, is_time_expired, (target, now, length)) == "unsat"
    assert len(claim.traces) == 3


def test_one_trace_serves_many_arguments_and_another_reading_has_its_own() -> None:
    claim = Claim(preset("guaranteed"))
    lifted = claim.lift(requeue_timestamp)
    for name in ("one", "two", "three"):
        lifted(claim.workload(name), claim.terms(f"terms of {name}"))
    assert len(claim.traces) == 1
    other = Claim(preset("as-written"), claim.traces)
    other.lift(requeue_timestamp)(other.workload("one"), other.terms())
    assert len(claim.traces) == 2


def test_arguments_that_change_places_are_told_apart() -> None:
    claim = Claim(preset("guaranteed"))
    first, second, terms, now = (*usual(claim)[:2], usual_terms(claim), claim.number("then"))
    lifted = claim.lift(is_newer_equal)
    one, other = (lifted(*pair, terms, now).call.formula for pair in ((first, second), (second, first)))
    assert ask_z3(Question((*claim.facts, z3.Not(equivalent(one, other))), FLOOR)).said == "sat"


def usual_terms(claim: Claim) -> Any:
    return claim.terms("terms of both")
