"""The bridge finds no difference in the rules, and does find one that is there."""

from __future__ import annotations

import ast
import operator
import random
from typing import Any

import pytest
import z3

from tenure.model import Evidence, Kin, Workload
from tenure.oracle.door import take_target
from tenure.readings import preset
from tenure.rules.priority import has_lower_priority
from tenure.rules.registry import all_rules
from tenure.rules.reservation import quota_reservation_time
from tenure.rules.time_based import is_newer_equal, is_time_expired
from tenure_proofs import pool
from tenure_proofs.bridge import LiftReport, _difference, check_call, check_lifting
from tenure_proofs.crosscheck import parameters, tracer
from tenure_proofs.obligations import OBLIGATIONS
from tenure_proofs.premises import any_terms
from tenure_proofs.registry import Verdict
from tenure_proofs.runner import run_obligation
from tenure_proofs.trusted import ast_lifter
from tenure_proofs.trusted.claim import Call, Claim
from tenure_proofs.trusted.logic import value_of
from tenure_proofs.trusted.shapes import Formula
from tests.sampling import sample
from tests.tenure_proofs import programs

FUNCTIONS = {"DOOR": take_target, **{entry.id: entry.function for entry in all_rules() if entry.lift}}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_formulas_and_execution_are_the_same(name: str) -> None:
    # A fresh seed each time: the report names it, and `check_lifting` with it repeats the failure.
    examples = sample(5, 75)
    report = check_lifting(FUNCTIONS[name], examples, random.randrange(2**32))
    assert report.problem == ""
    assert report.examples == examples


def test_a_function_that_no_lifter_reads_is_reported_and_ends_no_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "lifted_function", lambda _: programs.true_division)
    report = pool.lift_task("TBP-020", 1, 0)
    assert report.problem.startswith("not liftable: true_division: `a / 2` in line 2")
    assert (report.examples, report.undecided) == (0, False)


def test_a_syntax_lifter_that_is_off_by_one_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ast_lifter.ORDERS, ast.Gt, operator.ge)
    problem = check_lifting(is_time_expired, 1, 0).problem
    assert problem.startswith("tracer and syntax lifter differ (sat)")
    assert "min_admit_duration" in problem


def test_lifters_that_are_wrong_alike_are_found_by_execution(monkeypatch: pytest.MonkeyPatch) -> None:
    right = tracer.trace

    def negated(*arguments: Any) -> Formula:
        formula = right(*arguments)
        assert isinstance(formula.value, z3.BoolRef)
        return Formula(z3.Not(formula.value), formula.defined)

    monkeypatch.setattr(tracer, "trace", negated)
    monkeypatch.setattr(parameters, "lift", negated)
    first, again = (check_lifting(has_lower_priority, 20, 7).problem for _ in range(2))
    assert first.startswith("the tracer's formula differs from execution on {'preemptor':")
    assert first.endswith("(seed 7)")
    assert first == again, "the seed reproduces the failure"


def test_a_formula_defined_where_python_raises_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    right = tracer.trace

    def careless(*arguments: Any) -> Formula:
        return Formula(right(*arguments).value, z3.BoolVal(True))

    monkeypatch.setattr(tracer, "trace", careless)
    monkeypatch.setattr(parameters, "lift", careless)

    def reserved(a: int | None, b: int) -> int:
        if a is None:
            raise ValueError(b)
        return a

    assert "differs from execution" in check_lifting(reserved, 30, 3).problem
    # The same careless lifters are right of a function that never raises.
    assert check_lifting(quota_reservation_time, 5, 3).problem == ""


def the_same_twice(claim: Claim) -> tuple[Any, ...]:
    """A workload against itself, at a time that is no constant."""
    made = claim.record("made", Workload)
    at = value_of(made, "quota_reserved_at") + 1
    return made, made, claim.record("evidence", Evidence), any_terms(claim), at, claim.record("kin", Kin)


def test_a_claims_own_call_is_compared_with_its_own_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    claim = Claim(preset("guaranteed"))
    call = claim.lift(take_target)(*the_same_twice(claim)).call
    assert check_call(call) == LiftReport("take_target", 0, "")
    asked: list[tuple[Any, ...]] = []
    right = tracer.trace

    def watched(function: Any, *given: Any) -> Formula:
        asked.append(given)
        return right(function, *given)

    monkeypatch.setattr(tracer, "trace", watched)
    check_call(call)
    assert asked == [call.arguments]


def test_a_call_whose_formula_is_that_of_other_arguments_is_found() -> None:
    claim = Claim(preset("guaranteed"))
    first, second, terms, now = (
        *the_same_twice(claim)[:1],
        claim.record("other", Workload),
        any_terms(claim, "t"),
        7,
    )
    lifted = claim.lift(is_newer_equal)
    one, other = (lifted(*pair, terms, now).call for pair in ((first, second), (second, first)))
    assert [check_call(call).problem for call in (one, other)] == ["", ""]
    exchanged = Call(one.function, one.arguments, other.formula)
    assert check_call(exchanged).problem.startswith("tracer and syntax lifter differ (sat)")


@pytest.mark.parametrize(
    ("one", "other", "differ"),
    [
        ("x * y", "y * x", False),
        ("z3.If(x > 0, x, y) * y", "z3.If(x > 0, x * y, y * y)", False),
        ("x * y", "x * x", True),
        ("x / y", "z3.If(y > 0, x / y, 0)", True),
        ("x - y * x", "x + -1 * y * x", False),
    ],
)
def test_formulas_with_products_differ_exactly_where_some_numbers_tell_them_apart(
    one: str, other: str, differ: bool
) -> None:
    names = {"z3": z3, **{name: z3.Int(name) for name in ("x", "y")}}
    first, second = (Formula(eval(text, names), z3.BoolVal(True)) for text in (one, other))
    problem, undecided = _difference([], first, second)
    assert (problem.startswith("tracer and syntax lifter differ (sat)"), undecided) == (differ, False)


def test_a_claim_is_no_verdict_where_the_second_lifter_disagrees(monkeypatch: pytest.MonkeyPatch) -> None:
    # The tracer alone is wrong, so the claim itself would be proved.
    right = tracer.trace

    def careless(*arguments: Any) -> Formula:
        return Formula(right(*arguments).value, z3.BoolVal(False))

    assert run_obligation(OBLIGATIONS["PO-TBP-020"], "guaranteed", None).verdict == Verdict.PROVED
    monkeypatch.setattr(tracer, "trace", careless)
    result = run_obligation(OBLIGATIONS["PO-TBP-020"], "guaranteed", None)
    assert result.verdict == Verdict.ERROR
    assert "tracer and syntax lifter differ" in result.detail
