"""The bridge finds no difference in the rules, and does find one that is there."""

from __future__ import annotations

import ast
import random
from typing import Any

import pytest
import z3

from tenure.oracle.door import take_target
from tenure.rules.priority import has_lower_priority
from tenure.rules.registry import all_rules
from tenure.rules.reservation import quota_reservation_time
from tenure.rules.time_based import is_time_expired
from tenure_proofs import pool
from tenure_proofs.bridge import check_lifting
from tenure_proofs.trusted import ast_lifter, symbols, tracer
from tenure_proofs.trusted.domains import parameters_of
from tenure_proofs.trusted.shapes import Formula
from tests.proofs import programs
from tests.sampling import sample

FUNCTIONS = {"DOOR": take_target, **{entry.id: entry.function for entry in all_rules() if entry.lift}}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_formulas_and_execution_are_the_same(name: str) -> None:
    # A fresh seed each time: the report names it, and `check_lifting` with it repeats the failure.
    examples = sample(10, 75)
    report = check_lifting(FUNCTIONS[name], examples, random.randrange(2**32))
    assert report.problem == ""
    assert report.examples == examples


def test_a_function_that_no_lifter_reads_is_reported_and_ends_no_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "lifted_function", lambda _: programs.true_division)
    report = pool.lift_task("TBP-020", 1, 0)
    assert report.problem.startswith("not liftable: a rule may not use true division")
    assert (report.examples, report.undecided) == (0, False)


def test_a_syntax_lifter_that_is_off_by_one_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    right = ast_lifter._Lifter.compare

    def wrong(self: Any, left: ast.expr, operator: ast.cmpop, other: ast.expr, scope: Any) -> z3.BoolRef:
        return right(self, left, ast.GtE() if isinstance(operator, ast.Gt) else operator, other, scope)

    monkeypatch.setattr(ast_lifter._Lifter, "compare", wrong)
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
    monkeypatch.setattr(ast_lifter, "lift_syntax", lambda function, *_: _traced(negated, function))
    first, again = (check_lifting(has_lower_priority, 20, 7).problem for _ in range(2))
    assert first.startswith("the tracer's formula differs from execution on {'preemptor':")
    assert first.endswith("(seed 7)")
    assert first == again, "the seed reproduces the failure"


def test_a_formula_defined_where_python_raises_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    right = tracer.trace

    def careless(*arguments: Any) -> Formula:
        return Formula(right(*arguments).value, z3.BoolVal(True))

    monkeypatch.setattr(tracer, "trace", careless)
    monkeypatch.setattr(ast_lifter, "lift_syntax", lambda function, *_: _traced(careless, function))

    def reserved(a: int | None, b: int) -> int:
        if a is None:
            raise ValueError(b)
        return a

    assert "differs from execution" in check_lifting(reserved, 30, 3).problem
    # The same careless lifters are right of a function that never raises.
    assert check_lifting(quota_reservation_time, 5, 3).problem == ""


def _traced(trace: Any, function: Any) -> Formula:
    arguments = (symbols.symbol(name, domain) for name, domain in parameters_of(function).items())
    formula: Formula = trace(function, *arguments)
    return formula
