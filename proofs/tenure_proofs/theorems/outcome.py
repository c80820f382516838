"""How theorems about loops ended: as lines, and for other programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import z3

from tenure_proofs.answer import TheoremShape
from tenure_proofs.registry import Verdict
from tenure_proofs.solvers import Cvc5
from tenure_proofs.theorems.proving import Proof, prove
from tenure_proofs.theorems.registry import Theorem
from tenure_proofs.trusted.domains import LiftError

UNREADABLE = (LiftError, z3.Z3Exception)
"""What a loop that cannot be read raises; the latter where a set is handed over for one of its members."""

NOT_READ = Proof(0, (), undecided=False, z3_s=0.0, cvc5_s=0.0)


@dataclass(frozen=True, slots=True)
class End:
    """How one theorem ended.

    Args:
        theorem: which.
        proof: what the solvers said.
        problem: why its loop could not be read; empty where it could.
    """

    theorem: Theorem
    proof: Proof
    problem: str = ""

    @property
    def verdict(self) -> Verdict:
        """PROVED, or REFUTED where a goal does not follow: some step does not keep what is claimed."""
        if self.problem or not self.proof.goals:
            return Verdict.ERROR
        if not self.proof.failures:
            return Verdict.PROVED
        return Verdict.UNKNOWN if self.proof.undecided else Verdict.REFUTED

    @property
    def as_expected(self) -> bool:
        """Whether it is proved."""
        return self.verdict == Verdict.PROVED

    @property
    def detail(self) -> str:
        """What is not proved, and what the solvers say of it."""
        return self.problem or "; ".join(self.proof.failures)


def end_of(theorem: Theorem, cvc5: Cvc5 | None, seeds: int = 1) -> End:
    """How a theorem ends.

    Args:
        theorem: which.
        cvc5: the second solver; None leaves it out.
        seeds: how many random seeds Z3 is asked with.
    """
    try:
        return End(theorem, prove(theorem.statement(), cvc5, seeds=seeds))
    except UNREADABLE as error:
        return End(theorem, NOT_READ, f"not readable: {error}")


def lines_of(ends: Iterable[End]) -> Iterator[str]:
    """The section of a report for people."""
    shown = list(ends)
    width = max((len(end.theorem.words) for end in shown), default=0)
    yield f"{'any size':11} {'claim':{width}}  {'verdict':10} goals      z3    cvc5"
    for end in shown:
        mark = end.verdict if end.as_expected else f"{end.verdict.upper()} !"
        seconds = f"{end.proof.z3_s:5.2f} s {end.proof.cvc5_s:5.2f} s"
        yield f"{end.theorem.id:11} {end.theorem.words:{width}}  {mark:10} {end.proof.goals:5} {seconds}"
    for end in shown:
        if not end.as_expected:
            yield ""
            yield f"FAIL {end.theorem.id} expected proved, is {end.verdict}"
            yield f"  the claim, of {end.theorem.size}: {end.theorem.words}"
            yield from (f"    {failure}" for failure in end.proof.failures or (end.problem,))


def shape_of(end: End) -> TheoremShape:
    """For other programs; schema prove describes it."""
    theorem, proof = end.theorem, end.proof
    return TheoremShape(
        id=theorem.id,
        claim=theorem.words,
        source=theorem.source,
        functions=[function.__name__ for function in theorem.about],
        size=theorem.size,
        assumes=dict(theorem.assumes),
        verdict=end.verdict,
        goals=proof.goals,
        z3_seconds=round(proof.z3_s, 4),
        cvc5_seconds=round(proof.cvc5_s, 4),
        detail=end.detail,
    )
