"""What is done in other processes: functions lifted, obligations proved, mutants met."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from tenure.oracle.door import take_target
from tenure.pools import Pool, pool
from tenure.rules.registry import get_rule
from tenure_proofs.answer import CertificateShape
from tenure_proofs.asked import Shared
from tenure_proofs.bounded.trial import Part, Tried, try_part
from tenure_proofs.bridge import LiftReport, check_lifting
from tenure_proofs.certificates.checking import Checker
from tenure_proofs.certificates.writing import certify_obligation, certify_theorem, prover
from tenure_proofs.export import export
from tenure_proofs.mutants.hunt import DOOR, Hunted, hunt_one
from tenure_proofs.obligations import OBLIGATIONS
from tenure_proofs.runner import Result, run_beside
from tenure_proofs.solving import end_second_solver, second_solver
from tenure_proofs.theorems.outcome import End, end_of
from tenure_proofs.theorems.registry import registered
from tenure_proofs.trusted.domains import LiftError

_PROVER = prover()
_SHARED = Shared()
"""One that writes proofs, and one set of formulas and answers for each process."""


def lifted_function(name: str) -> Callable[..., Any]:
    """A rule's function, or the door."""
    return take_target if name == DOOR else get_rule(name).function


def lift_task(name: str, examples: int, random_seed: int) -> LiftReport:
    """Lift one rule, or the door; what a lifter refuses is a problem of that function, and ends no run."""
    function = lifted_function(name)
    try:
        return check_lifting(function, examples, random_seed)
    except LiftError as error:
        return LiftReport(function.__name__, 0, f"not liftable: {error}")


def prove_task(question: tuple[str, str], with_cvc5: bool, seeds: int) -> Result:
    """One obligation under one preset and the further columns beside it."""
    identifier, reading = question
    return run_beside(
        OBLIGATIONS[identifier], reading, second_solver() if with_cvc5 else None, seeds, _SHARED
    )


def export_task(question: tuple[str, str], folder: Path) -> None:
    """Write what is asked about one obligation under one preset and the further columns beside it."""
    obligation = OBLIGATIONS[question[0]]
    for column in (question[1], *obligation.columns_beside(question[1])):
        export(obligation, column, folder, _SHARED.traces)


def certify_task(
    task: tuple[str, tuple[str, ...]], folder: Path, checker: Checker | None
) -> list[CertificateShape]:
    """Certificates of an obligation in the columns in which it is proved; without columns, of a theorem."""
    identifier, columns = task
    if not columns:
        return certify_theorem(identifier, _PROVER, folder, checker)
    return certify_obligation(identifier, columns, _PROVER, folder, checker, _SHARED.traces)


def mutant_task(mutant: str, obligations: tuple[str, ...], readings: tuple[str, ...]) -> Hunted:
    """One mutant against the obligations about its rule."""
    return hunt_one(mutant, [OBLIGATIONS[identifier] for identifier in obligations], readings)


def bounded_task(part: Part) -> Tried:
    """Whole decisions about a part of a family of clusters."""
    return try_part(part)


def theorem_task(identifier: str, with_cvc5: bool, seeds: int) -> End:
    """One theorem about a loop; its goals are small, so that a second seed of Z3 would say nothing new."""
    return end_of(registered(identifier), second_solver() if with_cvc5 else None, min(seeds, 1))


def end_solvers() -> None:
    """End this process's solvers; the next question starts another."""
    end_second_solver()
    _PROVER.close()


def solving(jobs: int) -> AbstractContextManager[Pool]:
    """A pool of so many processes, each with a second solver's, which ends with it.

    Even one job is another process: Z3 answers a Control-C by an unknown, and Python drops one that comes
    while it frees a term.

    Args:
        jobs: how many, at least 1.
    """
    return pool(jobs, end=end_solvers)
