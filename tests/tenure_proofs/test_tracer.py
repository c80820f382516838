"""The tracer's formula says what plain execution does, and what it cannot see it refuses in words."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import pytest
import z3

from tenure.oracle.door import take_target
from tenure_proofs.crosscheck import symbols, tracer
from tenure_proofs.crosscheck.parameters import formula_of as from_syntax
from tenure_proofs.crosscheck.tracer import formula_of as traced
from tenure_proofs.trusted.domains import LiftError, Scalar
from tenure_proofs.trusted.symbols import symbol
from tests.tenure_proofs import programs
from tests.tenure_proofs.evaluated import Evaluator
from tests.tenure_proofs.programs import named


@pytest.mark.parametrize(
    "function",
    [
        *programs.LIFTABLE,
        programs.chained_comparison_that_stops_early,
        programs.modulo_of_a_constant,
        programs.call_with_a_default,
        programs.record_with_a_default,
        programs.computed_property,
    ],
    ids=named,
)
def test_the_formula_says_what_execution_does(function: Callable[..., Any]) -> None:
    assert programs.differences(function, traced(function)) == []


REFUSED = {
    programs.true_division: "a rule may not use true division",
    programs.float_call: "a rule may not use floats",
    programs.int_call: "a rule may not use int()",
    programs.text_against_a_literal: "a text compared with 'team-a'",
    programs.assignment_to_a_field: "a rule may not use an assignment to a field",
    programs.enums_of_two_classes: "Colour compared with",
    programs.enum_against_a_foreign_member: "Colour compared with <Size.SMALL: 0>",
    programs.never_returning: "never_returning never returns",
}


@pytest.mark.parametrize("function", REFUSED, ids=named)
def test_what_the_tracer_cannot_see_is_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(LiftError, match=re.escape(REFUSED[function])):
        traced(function)


@pytest.mark.parametrize(
    "function",
    [programs.dictionary_look_up, programs.dictionary_look_up_on_one_branch, programs.absolute_value],
    ids=named,
)
def test_what_symbolic_numbers_cannot_do_is_refused_and_not_taken_for_a_raise(
    function: Callable[..., Any],
) -> None:
    # Plain execution answers here, so "not defined" would be a wrong formula, not a missing one.
    with pytest.raises(LiftError, match="may not use"):
        traced(function)


def test_more_paths_than_the_limit_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracer, "PATH_LIMIT", 15)
    with pytest.raises(LiftError, match="many_branches has more than 15 paths"):
        traced(programs.many_branches)


def test_as_many_paths_as_the_limit_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracer, "PATH_LIMIT", 16)
    assert programs.differences(programs.many_branches, traced(programs.many_branches)) == []


def test_a_condition_asked_again_forks_no_second_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracer, "PATH_LIMIT", 2)
    function = programs.one_condition_many_times
    assert programs.differences(function, traced(function)) == []


class StillRunning(BaseException):
    """Ends a run that would never end; no `Exception`, so that the tracer does not take it for a raise."""


def test_a_loop_on_a_symbolic_condition_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracer, "PATH_LIMIT", 5)
    steps = 0

    def counts_down(a: int) -> int:
        nonlocal steps
        while a > 0:
            a = a - 1
            steps += 1
            if steps > 100:
                raise StillRunning
        return a

    with pytest.raises(LiftError, match="counts_down"):
        traced(counts_down)


@pytest.mark.parametrize("function", [take_target, programs.many_forks_on_fresh_terms], ids=named)
def test_many_forks_give_the_syntax_lifters_formula(function: Callable[..., Any]) -> None:
    # The solver hands the number of a freed term to the next one: a run that remembers decisions by
    # number and lets the terms go takes one condition's truth for another's.
    assert programs.unequal(function, traced(function), from_syntax(function)) == ""


def test_a_condition_is_not_taken_for_one_that_is_gone() -> None:
    # Neither the condition nor its negation is held by anything but the run.
    run = symbols.Run("many_conditions", (), 1_000, {})
    for number in range(200):
        run.decide(z3.Bool(f"condition {number}"))
    assert len(run.taken) == 200


@pytest.mark.parametrize("seed", range(8))
def test_a_condition_that_is_simplified_otherwise_again_is_decided_alike(
    monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    # The solver orders the parts of a term by numbers that change from run to run.
    function = programs.written(
        "def quotients(a: int, b: int) -> int:\n"
        "    if b != 0:\n        a = a // b\n        b = a // b + a % b\n"
        "    return b if a > 7 else a\n"
    )
    simplify, draw = z3.simplify, random.Random(seed)
    monkeypatch.setattr(z3, "simplify", lambda term: simplify(term) if draw.random() < 0.6 else term)
    assert programs.unequal(function, traced(function), from_syntax(function)) == ""


@pytest.mark.parametrize("divided", ["b // 60 >= b", "b // 60 == c", "a // 60 > c", "b % 60 >= b"])
@pytest.mark.parametrize("result", ["b // b", "b // c", "a % c"])
def test_a_quotient_that_nothing_else_holds_decides_its_own_condition(divided: str, result: str) -> None:
    source = f"def quotients(a: int, b: int, c: int) -> int:\n    return {result} if {divided} else a\n"
    function = programs.written(source)
    assert programs.unequal(function, traced(function), from_syntax(function)) == ""


def test_the_truth_of_a_symbol_outside_a_run_is_refused() -> None:
    with pytest.raises(LiftError, match="outside a lifted function"):
        bool(symbols.symbol("flag", Scalar(bool)))


def test_a_concrete_argument_narrows_the_formula() -> None:
    number = symbol("b", Scalar(int))
    narrowed = tracer.trace(programs.early_return, 3)
    assert Evaluator(narrowed, tracer.trace(programs.conjunction, 0, number)).say({}) == [1, False]
