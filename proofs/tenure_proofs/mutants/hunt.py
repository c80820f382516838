"""Tries every mutant against the obligations that name its rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import z3

from tenure.oracle.door import take_target
from tenure.rules.registry import all_rules
from tenure_proofs.mutants.comparisons import Mutant, comparison_mutants
from tenure_proofs.registry import Obligation, Verdict
from tenure_proofs.runner import verdict_of
from tenure_proofs.solvers import Question, ask_z3
from tenure_proofs.trusted import tracer
from tenure_proofs.trusted.claim import Traces
from tenure_proofs.trusted.domains import LiftError, well_typed_parameters
from tenure_proofs.trusted.shapes import equivalent

DOOR = "DOOR"
"""Stands for `take_target` where a rule's identifier stands otherwise."""


@dataclass(frozen=True, slots=True)
class Hunted:
    """What became of a mutant.

    Args:
        id: the mutant's identifier.
        rule: the rule that it changes, or `DOOR`.
        before, after: the comparison's source.
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
    """Every comparison mutant of every lifted rule and of the door, by identifier."""
    functions = [(entry.id, entry.function) for entry in all_rules() if entry.lift]
    return {
        mutant.id: mutant
        for rule, function in [*functions, (DOOR, take_target)]
        for mutant in comparison_mutants(rule, function)
    }


def hunt_one(identifier: str, obligations: Sequence[Obligation], readings: Sequence[str]) -> Hunted:
    """Try one mutant; one that nothing tells from the rule is asked whether it is the rule."""
    mutant = all_mutants()[identifier]
    with mutant.applied():
        by = _killer(mutant, obligations, readings)
    outcome = "killed" if by else "equivalent" if _is_equivalent(mutant) else "survived"
    return Hunted(mutant.id, mutant.rule, mutant.before, mutant.after, outcome, by)


def _killer(mutant: Mutant, obligations: Sequence[Obligation], readings: Sequence[str]) -> str:
    traces: Traces = {}
    broken = ""
    concerned = [each for each in obligations if concerns(each, mutant)]
    # The obligation about the fewest rules is the likeliest to notice, and the quickest to ask.
    for each in sorted(concerned, key=lambda obligation: len(obligation.rules)):
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
    return meets_the_door(obligation) if mutant.rule == DOOR else mutant.rule in obligation.rules


def meets_the_door(obligation: Obligation) -> bool:
    """Whether an obligation's statement speaks of the door."""
    return take_target.__name__ in obligation.statement.__code__.co_names


def _is_equivalent(mutant: Mutant) -> bool:
    with mutant.applied():
        try:
            changed = tracer.formula_of(mutant.function)
        except LiftError:
            return False
    different = z3.Not(equivalent(tracer.formula_of(mutant.function), changed))
    question = Question((*well_typed_parameters(mutant.function), different), budget_s=5)
    return ask_z3(question).said == "unsat"
