"""Both lifters against plain execution of random functions, and the fuzzer against lifters that are wrong."""

from __future__ import annotations

import random
from itertools import count
from typing import Any

import pytest
import z3

from tenure_proofs.crosscheck import symbols
from tenure_proofs.trusted import ast_lifter
from tenure_proofs.trusted.symbols import SymBool, SymInt, as_term
from tests.sampling import sample
from tests.tenure_proofs.evaluated import compiled_terms
from tests.tenure_proofs.foreign import KINDS
from tests.tenure_proofs.fuzz_lifter import Tally, fuzz, summary


def test_random_functions_are_lifted_right() -> None:
    seed = random.randrange(2**32)
    drawn = sample(120, 1_000)
    tally = fuzz(range(drawn), seed)
    assert tally.wrong == [], summary(tally, seed)
    assert tally.functions > 0.8 * drawn
    assert tally.executions > 9 * drawn


@pytest.mark.parametrize("kind", KINDS)
def test_what_no_lifter_may_read_is_refused(kind: str) -> None:
    # Every eighth function has something foreign, kind after kind; what nothing reaches does no harm.
    place = sorted(KINDS).index(kind)
    tally = fuzz([8 * (place + turn * len(KINDS)) + 7 for turn in range(6)], seed=3)
    assert tally.wrong == []
    assert tally.refused[kind] >= 3
    assert tally.refused[kind] + tally.dead[kind] == 6


def first_wrong(seed: int) -> Tally:
    """The first few functions among which one is lifted wrongly."""
    for start in count(0, 40):
        tally = fuzz(range(start, start + 40), seed)
        if tally.wrong or start > 4_000:
            return tally
    raise AssertionError


class Forgetful(symbols.Run):
    """A run that lets go of what it knows by number, so that the solver gives the number to another term."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._asked = _Hole()


class _Hole(dict[int, Any]):
    def __setitem__(self, number: int, condition: Any) -> None:
        """Keep nothing."""


def symbols_of(dividend: Any, divisor: Any) -> Any:
    """The solvers' own quotient, which is Python's only for a positive divisor."""
    return SymInt(as_term(dividend, int) / as_term(divisor, int))


def test_a_tracer_that_takes_a_freed_condition_for_another_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tenure_proofs.crosscheck.tracer.Run", Forgetful)
    assert first_wrong(1).wrong


def test_a_quotient_rounded_otherwise_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(self: Any, dividend: Any, divisor: Any, path: Any) -> Any:
        self.require(path, divisor != 0)
        return symbols_of(dividend, divisor)

    monkeypatch.setattr(ast_lifter._Lifter, "floor", wrong)
    assert first_wrong(1).wrong


def test_a_question_for_none_that_is_always_denied_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ast_lifter, "_is_none", lambda value: value is None)
    assert first_wrong(1).wrong


def test_a_comparison_that_is_wrong_at_the_ends_of_64_bits_only_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    right = ast_lifter._Lifter.order

    def wrong(self: Any, holds: Any, left: Any, other: Any, path: Any) -> Any:
        found = right(self, holds, left, other, path)
        if isinstance(left, SymInt) and isinstance(found, SymBool):
            return SymBool(z3.And(found.term, left.term < 2**63))
        return found

    monkeypatch.setattr(ast_lifter._Lifter, "order", wrong)
    assert first_wrong(1).wrong


@pytest.mark.parametrize("dividend", [-7, -6, 0, 7, 2**63])
@pytest.mark.parametrize("divisor", [-3, -1, 1, 3, -(2**63)])
def test_the_evaluator_divides_as_the_solver_does(dividend: int, divisor: int) -> None:
    quotient = z3.Int("a") / z3.Int("b")
    solver = z3.Solver()
    solver.add(z3.Int("a") == dividend, z3.Int("b") == divisor, z3.Int("c") == quotient)
    assert solver.check() == z3.sat
    assert compiled_terms(quotient)({"a": dividend, "b": divisor}) == (solver.model()[z3.Int("c")].as_long(),)
