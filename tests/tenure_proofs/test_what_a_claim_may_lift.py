"""A claim speaks of what its functions do, whatever they are: what a lifter could misread is no verdict."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest
import z3

from tenure.model import Workload
from tenure.rules.priority import has_lower_priority
from tenure_proofs.budgets import FLOOR
from tenure_proofs.obligations import OBLIGATIONS
from tenure_proofs.registry import Obligation, Verdict, everywhere, reading_of
from tenure_proofs.runner import question_of, run_obligation
from tenure_proofs.solvers import Question
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.domains import LiftError
from tenure_proofs.trusted.logic import negation

FAR = 10**15
"""Far from what a witness is: no replay of one would show what a function does from here."""


def asks_for_a_type(a: int) -> int:
    if a > FAR:
        return a if isinstance(a, int) else 0
    return 0


def says_int_and_returns_none(a: int, b: int | None) -> int:
    return a if a > 0 else b  # type: ignore[return-value]  # what the test is about


def tells_texts(first: Workload, second: Workload) -> bool:
    return first.key == second.key


def catches(a: int) -> int:
    if a > FAR:
        try:
            return a.bit_length()
        except (TypeError, AttributeError):
            return -1
    return -1


def far_above(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def inner(a: int) -> Any:
        return 0 if isinstance(a, int) and a > FAR else function(a)

    return inner


@far_above
def decorated(a: int) -> int:
    return a


def of_a_type(claim: Claim) -> None:
    claim.prove(claim.lift(asks_for_a_type)(claim.number("a")).value == 0)


def of_texts(claim: Claim) -> None:
    first, second = claim.record("first", Workload), claim.record("second", Workload)
    claim.prove(claim.lift(tells_texts)(first, second).value)


def of_an_exception(claim: Claim) -> None:
    claim.prove(claim.lift(catches)(claim.number("a")).value == -1)


def of_a_decorated_function(claim: Claim) -> None:
    a = claim.number("a")
    claim.prove(claim.lift(decorated)(a).value == a)


FALSE = (of_a_type, of_texts, of_an_exception, of_a_decorated_function)


@pytest.mark.parametrize("statement", FALSE, ids=lambda statement: statement.__name__)
def test_a_false_claim_about_what_cannot_be_read_is_an_error(statement: Callable[[Claim], None]) -> None:
    obligation = Obligation("PO-KQ-999", (), statement, everywhere(Verdict.PROVED), FLOOR, "")
    result = run_obligation(obligation, "guaranteed", None)
    assert result.verdict == Verdict.ERROR, result
    assert result.detail.startswith("not liftable: ")


def test_none_where_a_number_is_declared_is_refused() -> None:
    def of_a_wrong_type(claim: Claim) -> None:
        a, b = claim.number("a"), claim.optional_number("b")
        claim.assume(a <= 0, negation(b.present))
        claim.prove(negation(claim.lift(says_int_and_returns_none)(a, b).defined))

    obligation = Obligation("PO-KQ-999", ("KQ-010",), of_a_wrong_type, everywhere(Verdict.PROVED), FLOOR, "")
    result = run_obligation(obligation, "guaranteed", None)
    assert result.verdict == Verdict.ERROR
    assert result.detail.endswith("says_int_and_returns_none: None, perhaps, where int is declared")


@pytest.mark.parametrize("name", ["first.priority", "first?"])
def test_an_argument_that_is_a_part_of_another_is_refused(name: str) -> None:
    claim = Claim(reading_of("guaranteed"))
    claim.record("first", Workload)
    with pytest.raises(LiftError, match="part of another argument"):
        claim.number(name)


def test_records_with_other_fixed_values_are_other_arguments() -> None:
    def evicted(workload: Workload) -> bool:
        return workload.evicted

    traces: Any = {}
    for value, cls in ((True, bool), (1, int)):
        claim = Claim(reading_of("guaranteed"), traces)
        workload = claim.record("workload", Workload, {"priority": value})
        assert type(claim.lift(has_lower_priority)(workload, workload).call.arguments[0].priority) is cls


def test_a_source_that_is_not_the_code_that_runs_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def higher(preemptor: Workload, target: Workload) -> bool:
        return target.priority > preemptor.priority

    code = higher.__code__.replace(
        co_filename=has_lower_priority.__code__.co_filename,
        co_firstlineno=has_lower_priority.__code__.co_firstlineno,
        co_name=has_lower_priority.__name__,
    )
    monkeypatch.setattr(has_lower_priority, "__code__", code)

    def lower(claim: Claim) -> None:
        preemptor, target = claim.record("preemptor", Workload), claim.record("target", Workload)
        claim.assume(target.priority > preemptor.priority)
        claim.prove(negation(claim.lift(has_lower_priority)(preemptor, target).value))

    obligation = Obligation("PO-KQ-999", ("KQ-010",), lower, everywhere(Verdict.PROVED), FLOOR, "")
    result = run_obligation(obligation, "guaranteed", None)
    assert result.verdict == Verdict.ERROR
    assert result.detail.endswith("the source that is read is not the code that runs")


def test_nothing_of_z3_changes_a_formula_before_cvc5_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: Any, **__: Any) -> None:
        raise AssertionError("a formula was changed")

    changes = ("simplify", "substitute", "substitute_funs", "substitute_vars", "Tactic", "Then", "Goal")
    for name in changes:
        monkeypatch.setattr(z3, name, forbidden)
    traces: Any = {}
    for obligation in list(OBLIGATIONS.values())[::4]:
        claim = Claim(reading_of("guaranteed"), traces)
        obligation.state(claim)
        assert question_of(claim, obligation).smt2().count("(assert") > 0


def test_what_cvc5_is_sent_is_what_was_written() -> None:
    a, b = z3.Ints("a b")
    said = Question((z3.And(a + 0 == b, z3.Not(z3.Not(z3.BoolVal(True)))),), FLOOR).smt2()
    assert "(= (+ a 0) b)" in said
    assert "(not (not true))" in said
