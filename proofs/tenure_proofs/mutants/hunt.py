"""Tries every mutant against the obligations that name its rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import product
from typing import Any

import z3

from tenure.oracle.classical import reclaims_nominal_quota_alone
from tenure.oracle.door import take_target
from tenure.rules.registry import all_rules
from tenure_proofs.asked import Shared
from tenure_proofs.budgets import EQUIVALENCE, FLOOR
from tenure_proofs.crosscheck.comparing import equivalent
from tenure_proofs.crosscheck.parameters import formula_of, well_typed_parameters
from tenure_proofs.mutants.comparisons import off_by_one_changes, operator_changes
from tenure_proofs.mutants.forms import form_changes
from tenure_proofs.mutants.mutant import Mutant, mutants_of
from tenure_proofs.mutants.orders import order_changes
from tenure_proofs.mutants.real_bugs import real_bug_changes
from tenure_proofs.mutants.signed import signed_by_hand
from tenure_proofs.mutants.values import value_changes
from tenure_proofs.mutants.wirings import wiring_changes
from tenure_proofs.registry import Obligation, Verdict
from tenure_proofs.runner import verdict_of
from tenure_proofs.solvers import Question, ask_z3
from tenure_proofs.theorems.outcome import UNREADABLE
from tenure_proofs.theorems.proving import prove
from tenure_proofs.theorems.registry import all_theorems, registered
from tenure_proofs.trusted.domains import LiftError

DOOR = "DOOR"
"""Stands for `take_target` where otherwise a rule's identifier is."""

UNNAMED: dict[str, Callable[..., Any]] = {
    DOOR: take_target,
    "NOMINAL-ALONE": reclaims_nominal_quota_alone,
}
"""What is not a rule and has mutants all the same, by what stands for it."""

FAMILIES = (
    operator_changes,
    off_by_one_changes,
    form_changes,
    value_changes,
    real_bug_changes,
    order_changes,
)
"""What is done to every function."""

WIRINGS = (*FAMILIES, wiring_changes)
"""What is done to every function that joins others: what theorems are about."""

MANY_RULES = 7
"""Obligations about more rules are about histories, in which the door is asked several times."""


@dataclass(frozen=True, slots=True)
class Hunted:
    """What became of a mutant.

    Args:
        id: the mutant's identifier.
        rule: the rule that it changes; of another function its name, or what stands for it.
        before, after: the source of the place.
        outcome: `killed`, `equivalent`, `unreadable` where no lifter reads it, `signed` or `survived`.
        by: the obligation, reading and verdict that killed it, what refused it, why it is signed, or of a
            survivor the first obligation that no solver had an answer to.
    """

    id: str
    rule: str
    before: str
    after: str
    outcome: str
    by: str = ""


@cache
def of_theorems() -> Mapping[str, Callable[..., Any]]:
    """What theorems alone are about, loops above all; but the core, which is compared with the reference."""
    asked = [*(entry.function for entry in all_rules() if entry.lift), *UNNAMED.values()]
    return {
        f"{function.__module__}.{function.__name__}": function
        for theorem in all_theorems().values()
        for function in theorem.about
        if function not in asked and not function.__module__.startswith("tenure_simulate.")
    }


def mutated() -> Mapping[str, Callable[..., Any]]:
    """What has mutants: every lifted rule, the door, and what theorems are about."""
    rules = {entry.id: entry.function for entry in all_rules() if entry.lift}
    return {**rules, **UNNAMED, **of_theorems()}


@cache
def all_mutants() -> Mapping[str, Mutant]:
    """Every mutant, by identifier."""
    return {
        mutant.id: mutant
        for name, function in mutated().items()
        for mutant in mutants_of(name, function, WIRINGS if name in of_theorems() else FAMILIES)
    }


def hunt_one(identifier: str, obligations: Sequence[Obligation], readings: Sequence[str]) -> Hunted:
    """Try one mutant; one that the likeliest obligation does not tell from the rule may be the rule."""
    mutant = all_mutants()[identifier]
    if mutant.rule in of_theorems():
        return _signed_or(mutant, *_not_proved_any_more(mutant))
    concerned = sorted(
        (obligation for obligation in obligations if concerns(obligation, mutant)),
        key=partial(_how_soon, mutant),
    )
    shared = Shared()
    outcome, by = _noticed(mutant, concerned[:1], readings[:1], shared)
    if outcome != "killed" and is_equivalent(mutant):
        outcome, by = "equivalent", ""
    elif outcome != "killed":
        outcome, by = _noticed(mutant, concerned, readings, shared)
    return _signed_or(mutant, outcome, by)


def _signed_or(mutant: Mutant, outcome: str, by: str) -> Hunted:
    if outcome == "survived" and mutant.change in signed_by_hand():
        outcome, by = "signed", signed_by_hand()[mutant.change]
    return Hunted(mutant.id, *mutant.change, outcome, by)


def theorems_about(name: str) -> tuple[str, ...]:
    """The theorems about a function."""
    about = of_theorems()[name]
    return tuple(identifier for identifier, theorem in all_theorems().items() if about in theorem.about)


def _not_proved_any_more(mutant: Mutant) -> tuple[str, str]:
    """The first theorem that a wrong loop breaks, and where. A loop that cannot be read breaks none."""
    refused = unknown = ""
    with mutant.applied():
        for identifier in theorems_about(mutant.rule):
            try:
                # One part after the other: the first that is refuted is enough.
                for part in registered(identifier).parts():
                    proof = prove([part], budget=FLOOR)
                    if proof.failures and not proof.undecided:
                        return "killed", f"{identifier}: {proof.failures[0]}"
                    unknown = unknown or "; ".join(proof.failures)
            except UNREADABLE as error:
                refused = refused or f"{identifier}: {error}"
    return ("unreadable", refused) if refused else ("survived", unknown)


def _how_soon(mutant: Mutant, obligation: Obligation) -> tuple[bool, bool, int]:
    """Who asks the changed function itself, about few rules, is the likeliest to notice; the door is slow."""
    asks = mutant.function.__name__ in obligation.statement.__code__.co_names
    return _is_slow(obligation), not asks, len(obligation.rules)


def _is_slow(obligation: Obligation) -> bool:
    return meets(obligation, DOOR) or len(obligation.rules) > MANY_RULES


def _noticed(
    mutant: Mutant, concerned: Sequence[Obligation], readings: Sequence[str], shared: Shared
) -> tuple[str, str]:
    """The first verdict that is not the expected one.

    An error is as unexpected, and the run of a tree that says so fails. But it says less: a lifter refuses
    what the rule has become, whatever that decides. And what no solver knows is no verdict at all.
    """
    refused = unknown = ""
    with mutant.applied():
        # What one reading does not tell, another one rarely does: the next obligation may.
        for reading, obligation in product(readings, concerned):
            if refused and _is_slow(obligation):
                continue
            verdict = verdict_of(obligation, reading, shared)
            by = f"{obligation.id} under {reading}: {verdict}, not {obligation.expect[reading]}"
            if verdict == Verdict.ERROR:
                refused = refused or by
            elif verdict == Verdict.UNKNOWN:
                unknown = unknown or by
            elif verdict != obligation.expect[reading]:
                return "killed", by
    return ("unreadable", refused) if refused else ("survived", unknown)


def concerns(obligation: Obligation, mutant: Mutant) -> bool:
    """Whether an obligation says that it constrains what a mutant changes."""
    if mutant.rule in of_theorems():
        return False
    return meets(obligation, mutant.rule) if mutant.rule in UNNAMED else mutant.rule in obligation.rules


def meets(obligation: Obligation, name: str) -> bool:
    """Whether an obligation's statement speaks of the door, or of the walk's shortcut."""
    return UNNAMED[name].__name__ in obligation.statement.__code__.co_names


def is_equivalent(mutant: Mutant) -> bool:
    """Whether the solver proves that a mutant is the rule."""
    with mutant.applied():
        try:
            changed = formula_of(mutant.function)
        except LiftError:
            return False
    different = z3.Not(equivalent(formula_of(mutant.function), changed))
    question = Question((*well_typed_parameters(mutant.function), different), EQUIVALENCE)
    return ask_z3(question).said == "unsat"
