"""How theorems about loops ended: as lines, and for other programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

import z3

from tenure_proofs.answer import TheoremShape
from tenure_proofs.registry import Verdict
from tenure_proofs.solvers import Cvc5
from tenure_proofs.theorems.proving import Proof, prove
from tenure_proofs.theorems.registry import BELIEVED, DEFINED, GIVEN, Theorem, all_theorems, circle
from tenure_proofs.theorems.taken import watched
from tenure_proofs.trusted.domains import LiftError

UNREADABLE = (LiftError, z3.Z3Exception, AttributeError, LookupError, TypeError, ValueError)
"""What a function that cannot be read raises; all but the first where it hands on a value of another kind."""

NOT_READ = Proof(0, (), undecided=False, z3_s=0.0, cvc5_s=0.0)


@dataclass(frozen=True, slots=True)
class End:
    """How one theorem ended.

    Args:
        theorem: which.
        proof: what the solvers said.
        problem: why it is not proved whatever the solvers say; empty where nothing is wrong.
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
    taken = set[tuple[str, str]]()
    try:
        proof = prove(watched(theorem.parts(), taken), cvc5, seeds=seeds)
    except UNREADABLE as error:
        return End(theorem, NOT_READ, f"not readable: {error}")
    if way := circle(theorem.id, all_theorems()):
        return End(theorem, proof, f"it assumes itself: {', '.join(way)}")
    return End(theorem, proof, "; ".join(_untied(theorem, taken)))


def _untied(theorem: Theorem, taken: Collection[tuple[str, str]]) -> Iterator[str]:
    """What a proof uses and its theorem does not assume, and the other way round."""
    assumed, named = set(theorem.assumes.items()), {words for words, by in taken if by}
    yield from (f"shows nothing of {words!r}" for words, by in taken if not by and words not in named)
    more = sorted(pair for pair in {*taken} - assumed if pair[1])
    yield from (f"uses {words!r} of {by}, which it does not assume" for words, by in more)
    unused = {words for words, _ in assumed - {*taken}}
    yield from (f"assumes {words!r}, which nothing uses" for words in sorted(unused - theorem.modelled))
    yield from (f"says {words!r} by a formula" for words in sorted(theorem.modelled - unused))


def lines_of(ends: Iterable[End]) -> Iterator[str]:
    """The section of a report for people."""
    shown = list(ends)
    width = max((len(end.theorem.words) for end in shown), default=0)
    yield f"{'any size':11} {'claim':{width}}  {'verdict':10} goals      z3    cvc5"
    for end in shown:
        mark = end.verdict if end.as_expected else f"{end.verdict.upper()} !"
        seconds = f"{end.proof.z3_s:5.2f} s {end.proof.cvc5_s:5.2f} s"
        yield f"{end.theorem.id:11} {end.theorem.words:{width}}  {mark:10} {end.proof.goals:5} {seconds}"
    yield assumed_by(end.theorem for end in shown)
    for end in shown:
        if not end.as_expected:
            yield ""
            yield f"FAIL {end.theorem.id} expected proved, is {end.verdict}"
            yield f"  the claim, of {end.theorem.size}: {end.theorem.words}"
            yield from (f"    {failure}" for failure in end.proof.failures or (end.problem,))


def assumed_by(theorems: Iterable[Theorem]) -> str:
    """What theorems take for granted, counted, in one line.

    >>> assumed_by(())
    'assumed: 0 proved elsewhere, 0 believed (0 distinct), 0 definitions, 0 own hypotheses'
    """
    pairs = [pair for theorem in theorems for pair in theorem.assumes.items()]
    count = Counter(by if by in (BELIEVED, DEFINED, GIVEN) else "elsewhere" for _, by in pairs)
    distinct = len({words for words, by in pairs if by == BELIEVED})
    return (
        f"assumed: {count['elsewhere']} proved elsewhere, {count[BELIEVED]} believed ({distinct} distinct), "
        f"{count[DEFINED]} definitions, {count[GIVEN]} own hypotheses"
    )


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
