"""An answer costs the same work everywhere; what has none says whether work or the clock has ended it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files

import pytest
import z3

from tenure_proofs.budgets import CLOCK, FLOOR, HEADROOM, SPENT, UNRECORDED, Budget, Cost, budget_of, recorded
from tenure_proofs.costs import written
from tenure_proofs.cvc5_worker import answer
from tenure_proofs.obligations import OBLIGATIONS
from tenure_proofs.solvers import Cvc5, Question, ask_z3, words_of_z3
from tests.tenure_proofs.trees import python


def cubes(budget: Budget) -> Question:
    """Whole numbers with x*x*x + y*y*y + z*z*z = 42 have seventeen digits, and no solver finds them."""
    x, y, z = z3.Ints("x y z")
    return Question((x * x * x + y * y * y + z * z * z == 42,), budget)


def squares(budget: Budget = FLOOR) -> Question:
    """Something to do for both solvers: three different squares, each the mean of its neighbours."""
    numbers = z3.Ints("a b c")
    first, second, third = (number * number for number in numbers)
    ordered = z3.And(numbers[0] > 0, numbers[0] < numbers[1], numbers[1] < numbers[2], numbers[2] < 30)
    return Question((ordered, second - first == third - second), budget)


def costs() -> list[object]:
    """What both solvers say of two questions, and for how much."""
    found: list[object] = []
    for question in (squares(), cubes(Budget(z3=50_000, cvc5=20_000))):
        z3_answers = [ask_z3(question, seed) for seed in (0, 1)]
        found += [(z3_answer.words, z3_answer.work) for z3_answer in z3_answers]
        found.append(answer(question.smt2(), question.budget.cvc5, question.budget.clock_s))
    return found


def test_an_answer_costs_the_same_whatever_was_asked_before_and_in_another_process() -> None:
    first = costs()
    # Terms, names and memory that the questions share with others.
    other = [z3.Int(f"other {number}") for number in range(3000)]
    kept = [
        ask_z3(Question((z3.Sum(other) > 3, z3.Int("b") * z3.Int("c") > 3), FLOOR)),
        squares(),
        cubes(FLOOR),
    ]
    assert costs() == first, kept
    done = python(
        "import json; from tests.tenure_proofs.test_budgets import costs; print(json.dumps(costs()))"
    )
    assert json.loads(done.stdout) == json.loads(json.dumps(first)), done.stderr


ASKED: dict[str, Callable[[Question], str]] = {
    "z3": lambda question: ask_z3(question).words,
    "cvc5": lambda question: _by_cvc5(question),
}


def _by_cvc5(question: Question) -> str:
    with Cvc5() as cvc5:
        return cvc5.ask(question)


def test_a_script_says_the_facts_as_they_are_and_nothing_that_a_solver_has_made_of_them() -> None:
    x = z3.Int("x")
    assert "(<= 0 (- x 7))" in Question((z3.IntVal(0) <= x - 7,), FLOOR).smt2()


@pytest.mark.parametrize("solver", ASKED)
def test_work_that_is_used_up_and_the_clock_read_differently(solver: str) -> None:
    ask = ASKED[solver]
    assert ask(cubes(Budget(z3=50_000, cvc5=20_000))) == f"unknown: {SPENT}"
    assert ask(cubes(Budget(z3=4_000_000_000, cvc5=4_000_000_000, clock_s=0.2))) == f"unknown: {CLOCK}"


def test_a_second_engine_has_the_whole_budget_again(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[z3.Solver] = []
    right = Question.asked_of

    def seen(question: Question, make: Callable[..., z3.Solver]) -> z3.Solver:
        made.append(right(question, make))
        return made[-1]

    monkeypatch.setattr(Question, "asked_of", seen)
    answered = ask_z3(cubes(Budget(z3=50_000, cvc5=0)))
    spent = [dict(list(solver.statistics()))["rlimit count"] for solver in made]
    assert answered.why == SPENT
    assert len(spent) == 2
    assert min(spent) >= 50_000


def test_seeds_that_share_a_context_answer_as_each_does_by_itself() -> None:
    number = z3.Int("a")
    impossible = Question((number * 2 == 7,), FLOOR)
    unlikely = cubes(Budget(z3=50_000, cvc5=0))
    for question in (squares(), impossible, unlikely):
        assert list(words_of_z3(question, 3).values()) == [ask_z3(question, seed).words for seed in range(3)]
    assert words_of_z3(impossible, 2) == {"z3": "unsat", "z3 seed 1": "unsat"}


def test_a_budget_is_the_record_with_headroom_and_never_below_the_floor(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    dear = Cost(FLOOR.z3, 1)
    monkeypatch.setattr("tenure_proofs.budgets.recorded", lambda: {"PO-TBP-010": dear})
    assert budget_of("PO-TBP-010") == replace(FLOOR, z3=HEADROOM * FLOOR.z3)
    assert budget_of("PO-TBP-998") == UNRECORDED


def test_every_obligation_has_its_record_and_every_record_its_obligation() -> None:
    assert recorded().keys() == OBLIGATIONS.keys(), "python -m tenure_proofs.costs"
    assert {identifier: obligation.budget for identifier, obligation in OBLIGATIONS.items()} == {
        identifier: budget_of(identifier) for identifier in OBLIGATIONS
    }


def test_the_file_is_as_it_is_written() -> None:
    file = files("tenure_proofs").joinpath("budgets.toml").read_text(encoding="utf-8")
    assert file == written(recorded()), "python -m tenure_proofs.costs"
