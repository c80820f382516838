"""Asks the solvers about the parts of a theorem."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass

import z3

from tenure_proofs.budgets import Budget
from tenure_proofs.solvers import Cvc5, Question, ask_z3, words_of_z3
from tenure_proofs.trusted.induction import Part

BUDGET = Budget(z3=20_000_000, cvc5=5_000_000)
"""Of one answer: a hundred times what the dearest has cost."""

WITNESS = Budget(z3=200_000, cvc5=0)
"""Of looking for a contradiction among hypotheses: where there is one, it is found at once."""


class SetQuestion(Question):
    """A question about sets: cvc5 wants to be told that a set may be everywhere the same."""

    def smt2(self) -> str:
        """The question as an SMT-LIB 2 script."""
        return f"(set-option :arrays-exp true)\n{super().smt2()}"


@dataclass(frozen=True, slots=True)
class Proof:
    """How a theorem ended.

    Args:
        goals: how many were asked about.
        failures: what was not proved: part, goal, and what the solvers say.
        undecided: whether no solver has an answer to what was not proved.
        z3_s, cvc5_s: seconds of each solver.
    """

    goals: int
    failures: tuple[str, ...]
    undecided: bool
    z3_s: float
    cvc5_s: float


def prove(parts: Iterable[Part], cvc5: Cvc5 | None = None, budget: Budget = BUDGET, seeds: int = 1) -> Proof:
    """Every goal of every part, by each solver; contradictory hypotheses prove nothing.

    Args:
        parts: of one theorem.
        cvc5: the second solver; None leaves it out.
        budget: of each answer.
        seeds: how many random seeds Z3 is asked with; none at all leaves the goals to cvc5.
    """
    failures, goals, z3_s, cvc5_s, undecided = list[str](), 0, 0.0, 0.0, True
    for part in parts:
        if part.hypotheses and ask_z3(SetQuestion(part.hypotheses, WITNESS)).said == "unsat":
            failures.append(f"{part.place}: its hypotheses contradict each other")
            undecided = False
            continue
        goals += len(part.goals)
        # All together first: to put a question takes longer than to answer it.
        together = [(None, z3.And([goal for _, goal in part.goals]))] if len(part.goals) > 1 else []
        for label, goal in (*together, *part.goals):
            question = SetQuestion((*part.hypotheses, z3.Not(goal)), budget)
            begun = time.perf_counter()
            said = words_of_z3(question, seeds)
            asked = time.perf_counter()
            z3_s += asked - begun
            if cvc5 is not None:
                said["cvc5"] = cvc5.ask(question)
                cvc5_s += time.perf_counter() - asked
            if set(said.values()) == {"unsat"} and label is None:
                break
            if set(said.values()) != {"unsat"} and label is not None:
                answers = ", ".join(f"{solver} says {words}" for solver, words in said.items())
                failures.append(f"{part.place}: {label}: {answers}")
                undecided = undecided and all(not words.startswith("sat") for words in said.values())
    return Proof(goals, tuple(failures), bool(failures) and undecided, z3_s, cvc5_s)
