"""The questions as SMT-LIB 2 scripts, for whoever wants to ask another solver."""

from __future__ import annotations

from pathlib import Path

from tenure.disk import write_file
from tenure.errors import bad_input
from tenure_proofs.obligations import claim_text
from tenure_proofs.registry import Obligation, Verdict, reading_of
from tenure_proofs.runner import question_of, stated
from tenure_proofs.trusted.claim import Claim, Traces

EXPECTED = {Verdict.PROVED: "unsat", Verdict.REFUTED: "sat"}


def export(obligation: Obligation, column: str, folder: Path, traces: Traces) -> Path:
    """Write what is asked about an obligation under a preset or a further column.

    Args:
        obligation: which.
        column: the preset's or column's name.
        folder: where the script goes, as `<obligation>.<column>.smt2`.
        traces: formulas shared with other obligations.

    Raises:
        InputError: the folder cannot be written, or the statement cannot be lifted.
    """
    claim = Claim(reading_of(column), traces)
    problem = stated(obligation, claim)
    if problem:
        raise bad_input(obligation.id, problem, "a statement that can be exported")
    path = folder / f"{obligation.id}.{column}.smt2"
    head = (
        f"; {obligation.id} under {column}: {claim_text(obligation)}\n"
        "; The facts, and not the goals: unsat is a proof, sat a counterexample.\n"
        f"(set-info :status {EXPECTED[obligation.expected_under(column)]})\n"
    )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_file(path, head + question_of(claim, obligation).smt2())
    except OSError as error:
        raise bad_input("--smt2", str(folder), f"a folder that can be written: {error}") from None
    return path
