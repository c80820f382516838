"""How theorems about loops ended: as lines, and for other programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import z3

from tenure_proofs.answer import TheoremShape
from tenure_proofs.obligations import OBLIGATIONS
from tenure_proofs.registry import Verdict
from tenure_proofs.solvers import Cvc5
from tenure_proofs.theorems.believed import ATTACKED, SEED
from tenure_proofs.theorems.proving import Proof, prove
from tenure_proofs.theorems.registry import BELIEVED, KINDS, PYTHON, Theorem, all_theorems, circle, used_of
from tenure_proofs.theorems.taken import ASSUMED, EVERYWHERE, SHOWN, Uses, watched
from tenure_proofs.trusted.defined import DEFINED
from tenure_proofs.trusted.domains import LiftError
from tenure_proofs.trusted.specified import GIVEN, INDUCTION, LAW, LEMMA

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
        uses: what it takes for granted, by words and by what proves it: how that enters its proof.
    """

    theorem: Theorem
    proof: Proof
    problem: str = ""
    uses: Mapping[tuple[str, str], str] = field(default_factory=dict)

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
    taken: Uses = {}
    try:
        proof = prove(watched(theorem.parts, taken), cvc5, seeds=seeds)
    except UNREADABLE as error:
        return End(theorem, NOT_READ, f"not readable: {error}")
    if way := circle(theorem.id, all_theorems()):
        return End(theorem, proof, f"it assumes itself: {', '.join(way)}")
    named = {words for words, by in taken if by not in ("", SHOWN)}
    named -= {words for words, by in taken if by == INDUCTION and (words, SHOWN) not in taken}
    uses = used_of(taken)
    bare = (f"shows nothing of {words!r}" for words, by in taken if by != SHOWN and words not in named)
    return End(theorem, proof, "; ".join([*bare, *_without_a_proof(uses)]), uses)


def _without_a_proof(uses: Uses) -> Iterator[str]:
    """What is used, and neither proved nor attacked."""
    for (words, by), form in uses.items():
        if by == BELIEVED and words not in ATTACKED:
            yield f"believes {words!r}, which nothing attacks"
        elif by not in (*KINDS, *all_theorems()) and not _is_proved(by):
            yield f"uses {words!r} of {by}, which nothing proves"
        elif form == LAW and (by not in all_theorems() or words not in all_theorems()[by].shows):
            yield f"uses {words!r} of {by}, which does not show it"


def _is_proved(by: str) -> bool:
    """Whether an obligation is proved, under some reading; the run fails where one is not as expected."""
    found = OBLIGATIONS.get(by)
    return found is not None and Verdict.PROVED in {*found.expect.values(), *found.also.values()}


def lines_of(ends: Iterable[End]) -> Iterator[str]:
    """The section of a report for people."""
    shown = list(ends)
    width = max((len(end.theorem.words) for end in shown), default=0)
    yield f"{'any size':11} {'claim':{width}}  {'verdict':10} goals      z3    cvc5"
    for end in shown:
        mark = end.verdict if end.as_expected else f"{end.verdict.upper()} !"
        seconds = f"{end.proof.z3_s:5.2f} s {end.proof.cvc5_s:5.2f} s"
        yield f"{end.theorem.id:11} {end.theorem.words:{width}}  {mark:10} {end.proof.goals:5} {seconds}"
    yield assumed_by(shown)
    for end in shown:
        if not end.as_expected:
            yield ""
            yield f"FAIL {end.theorem.id} expected proved, is {end.verdict}"
            yield f"  the claim, of {end.theorem.size}: {end.theorem.words}"
            yield from (f"    {failure}" for failure in end.proof.failures or (end.problem,))


def assumed_by(ends: Iterable[End]) -> str:
    """What theorems take for granted, counted, in one line.

    >>> assumed_by(())  # doctest: +ELLIPSIS
    'assumed: 0 proved elsewhere, 0 believed (0 distinct), 0 about Python, 0 definitions, 0 inductions...'
    """
    shown = list(ends)
    pairs = [pair for end in shown for pair in end.uses]
    form = Counter(form for end in shown for form in end.uses.values())
    count = Counter(by if by in KINDS else "elsewhere" for _, by in pairs)
    distinct, written = (len({words for words, by in pairs if by == kind}) for kind in (BELIEVED, ASSUMED))
    return (
        f"assumed: {count['elsewhere']} proved elsewhere, {count[BELIEVED]} believed ({distinct} distinct), "
        f"{count[PYTHON]} about Python, {count[DEFINED]} definitions, {count[INDUCTION]} inductions, "
        f"{count[GIVEN]} own hypotheses, {count[ASSUMED]} stand-ins ({written} distinct); "
        f"{form[LEMMA]} of them as lemmas of a step, {form[EVERYWHERE]} as facts about every point"
    )


def premises_of(ends: Iterable[End]) -> Iterator[str]:
    """What theorems take for granted, each with what discharges it, how it enters, and where."""
    used: dict[tuple[str, str], list[str]] = {}
    for end in ends:
        for pair, form in end.uses.items():
            used.setdefault(pair, []).append(f"{end.theorem.id} ({form})")
    for (words, by), where in used.items():
        yield words
        yield f"    {discharged(words, by)}; used by {', '.join(where)}"


def discharged(words: str, by: str) -> str:
    """What discharges a premise, in words: of one that is believed, how it is attacked.

    >>> discharged("two shares compare as their places in one order", BELIEVED), discharged("it", "PO-KQ-230")
    ('believed, attacked by 300,000 random triples of shares, seed 37', 'PO-KQ-230')
    """
    if by != BELIEVED:
        return f"about {by}" if by == PYTHON else by
    states, kind = ATTACKED[words]
    return f"{by}, attacked by {states:,} random {kind}, seed {SEED}"


def shape_of(end: End) -> TheoremShape:
    """For other programs; schema prove describes it."""
    theorem, proof = end.theorem, end.proof
    return TheoremShape(
        id=theorem.id,
        claim=theorem.words,
        source=theorem.source,
        functions=[function.__name__ for function in theorem.about],
        size=theorem.size,
        assumes=dict(list(end.uses)),
        verdict=end.verdict,
        goals=proof.goals,
        z3_seconds=round(proof.z3_s, 4),
        cvc5_seconds=round(proof.cvc5_s, 4),
        detail=end.detail,
    )
