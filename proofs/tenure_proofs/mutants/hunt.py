"""Tries every mutant against the obligations that name its rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import z3

from tenure.oracle.door import take_target
from tenure.oracle.selection import fill_back_step, removal_step
from tenure.rules.registry import all_rules
from tenure_proofs.mutants.comparisons import Mutant, comparison_mutants
from tenure_proofs.mutants.forms import form_mutants
from tenure_proofs.registry import Obligation, Verdict
from tenure_proofs.runner import verdict_of
from tenure_proofs.solvers import Question, ask_z3
from tenure_proofs.trusted import tracer
from tenure_proofs.trusted.claim import Traces
from tenure_proofs.trusted.domains import LiftError, well_typed_parameters
from tenure_proofs.trusted.shapes import equivalent

DOOR = "DOOR"
"""Stands for `take_target` where a rule's identifier stands otherwise."""

UNNAMED: dict[str, Callable[..., Any]] = {
    DOOR: take_target,
    "REMOVAL": removal_step,
    "FILL-BACK": fill_back_step,
}
"""What is not a rule and has mutants all the same, by what stands for it."""


MANY_RULES = 7
"""Obligations about more rules are about histories, in which the door is asked several times."""


@dataclass(frozen=True, slots=True)
class Hunted:
    """What became of a mutant.

    Args:
        id: the mutant's identifier.
        rule: the rule that it changes, or what stands for something else.
        before, after: the source of the place.
        outcome: `killed`, `equivalent` or `survived`.
        by: the obligation, reading and verdict that killed it.
    """

    id: str
    rule: str
    before: str
    after: str
    outcome: str
    by: str = ""


@cache
def all_mutants() -> Mapping[str, Mutant]:
    """Every mutant of every lifted rule, of the door and of the folds' steps, by identifier.

    Where a function compares something its comparisons are changed, elsewhere whatever else it decides by.
    """
    functions = {entry.id: entry.function for entry in all_rules() if entry.lift} | UNNAMED
    return {
        mutant.id: mutant
        for name, function in functions.items()
        for mutant in (*comparison_mutants(name, function),) or form_mutants(name, function)
    }


def hunt_one(identifier: str, obligations: Sequence[Obligation], readings: Sequence[str]) -> Hunted:
    """Try one mutant; one that the likeliest obligation does not tell from the rule may be the rule."""
    mutant = all_mutants()[identifier]
    concerned = sorted((each for each in obligations if concerns(each, mutant)), key=_how_soon)
    traces: Traces = {}
    by = _killer(mutant, concerned[:1], readings[:1], traces)
    outcome = "killed" if by else "equivalent" if _is_equivalent(mutant) else ""
    if not outcome:
        by = _killer(mutant, concerned, readings, traces)
        outcome = "killed" if by else "survived"
    return Hunted(mutant.id, mutant.rule, mutant.before, mutant.after, outcome, by)


def _how_soon(obligation: Obligation) -> tuple[bool, int]:
    """The obligation about the fewest rules is the likeliest to notice; the door is the slowest to ask."""
    return meets(obligation, DOOR) or len(obligation.rules) > MANY_RULES, len(obligation.rules)


def _killer(mutant: Mutant, concerned: Sequence[Obligation], readings: Sequence[str], traces: Traces) -> str:
    broken = ""
    with mutant.applied():
        for each in concerned:
            if broken and _how_soon(each)[0]:
                break  # a slow obligation says no more of a rule that cannot be read
            for reading in readings:
                verdict = verdict_of(each, reading, traces)
                if verdict == each.expect[reading]:
                    continue
                by = f"{each.id} under {reading}: {verdict}, not {each.expect[reading]}"
                if verdict != Verdict.ERROR:
                    return by
                broken = broken or by
    # A rule that can no longer be read is noticed as well, but another verdict says more.
    return broken


def concerns(obligation: Obligation, mutant: Mutant) -> bool:
    """Whether an obligation says that it constrains what a mutant changes."""
    return meets(obligation, mutant.rule) if mutant.rule in UNNAMED else mutant.rule in obligation.rules


def meets(obligation: Obligation, name: str) -> bool:
    """Whether an obligation's statement speaks of the door, or of a fold's step."""
    return UNNAMED[name].__name__ in obligation.statement.__code__.co_names


def _is_equivalent(mutant: Mutant) -> bool:
    with mutant.applied():
        try:
            changed = tracer.formula_of(mutant.function)
        except LiftError:
            return False
    different = z3.Not(equivalent(tracer.formula_of(mutant.function), changed))
    question = Question((*well_typed_parameters(mutant.function), different), budget_s=5)
    return ask_z3(question).said == "unsat"
