"""What `tenure prove -o json` prints."""

from __future__ import annotations

from typing import Any, Literal

from tenure.as_json import Shape
from tenure_proofs.registry import Verdict


class LiftedShape(Shape):
    """A function that was lifted to a formula twice."""

    function: str
    """Its name."""
    examples: int
    """How many plain executions both formulas were compared with."""
    problem: str
    """What differs; empty when nothing does."""


class CounterexampleShape(Shape):
    """The smallest values that refute a claim."""

    values: dict[str, str]
    """Every argument, by name."""
    story: list[str]
    """What happens, line by line; empty when the claim is not about one decision."""
    scenario: dict[str, Any] | None
    """The request of `tenure oracle` that shows it, see schema oracle-request; null as above."""


class VerdictShape(Shape):
    """How an obligation ended under one reading."""

    verdict: Verdict
    """How it ended."""
    expected: Verdict
    """What the obligation expects."""
    seconds: float
    """Wall time, all solvers together."""
    solvers: dict[str, str]
    """What each solver said of the facts and the opposite of the claim: sat, unsat, unknown with
    its reason, or an error."""
    detail: str
    """Why, where the verdict is not plain."""
    counterexample: CounterexampleShape | None
    """Of a refuted claim."""


class ObligationShape(Shape):
    """A claim about rules."""

    id: str
    """Its identifier."""
    claim: str
    """In words."""
    title: str
    """The words of the matrix, for a headline invariant; else empty."""
    source: str
    """Where the claim comes from."""
    rules: list[str]
    """The rules that it constrains."""
    verdicts: dict[str, VerdictShape]
    """How it ended, by the preset's name."""


class MutantShape(Shape):
    """A wrong rule, and whether an obligation noticed."""

    id: str
    """Its identifier."""
    rule: str
    """The rule that was changed; of another function its name, or what stands for it."""
    before: str
    """The source of the place."""
    after: str
    """What was put there."""
    outcome: Literal["killed", "equivalent", "unreadable", "signed", "survived"]
    """What became of it."""
    by: str
    """What killed it: obligation, reading and verdict; what no lifter reads; why it is signed; or what about
    a survivor no solver had an answer to."""


class KeptShape(Shape):
    """How much of a report earlier runs had kept."""

    lifted: int
    """Functions."""
    results: int
    """Verdicts."""
    mutants: int
    """Mutants."""
    bounded: int
    """Parts of the whole decisions."""


class TrustedBaseShape(Shape):
    """Code that every verdict rests on; rules, oracle and obligations are none of it."""

    lines: int
    """How many lines of code, without comments, docstrings and empty lines."""
    modules: list[str]
    """Their names."""


class BoundShape(Shape):
    """A family of clusters, all of which were decided."""

    family: str
    """Its name."""
    bound: str
    """What its clusters are."""
    clusters: int
    """How many they are."""
    decisions: int
    """How often the oracle was asked about them."""


class JudgedShape(Shape):
    """How a postcondition ended under one reading."""

    verdict: Verdict
    """How it ended; proved is proved up to the bound."""
    expected: Verdict
    """What is expected."""
    claimed: int
    """Of how many decisions it claims something."""
    broken: int
    """In how many of these it does not hold."""
    detail: str
    """Why, where the verdict is an error."""
    story: list[str]
    """The smallest cluster that breaks it and what was decided, line by line."""
    scenario: dict[str, Any] | None
    """The request of `tenure oracle` that shows it; null where nothing breaks it."""


class PostconditionShape(Shape):
    """A claim about whole decisions."""

    id: str
    """Its identifier."""
    claim: str
    """In words."""
    source: str
    """Where the claim comes from."""
    verdicts: dict[str, JudgedShape]
    """How it ended, by the preset's name."""


class BoundedShape(Shape):
    """Whole decisions about every cluster up to a bound."""

    size: str
    """Option `--bounded` of the run."""
    bounds: list[BoundShape]
    """Every family of clusters."""
    postconditions: list[PostconditionShape]
    """What was claimed of every decision."""


class TheoremShape(Shape):
    """A claim about loops that are read from their source, whatever the number of their steps."""

    id: str
    """Its identifier."""
    claim: str
    """In words."""
    source: str
    """What exactly is claimed, and where it comes from."""
    functions: list[str]
    """What is read."""
    size: str
    """Of what it holds."""
    assumes: dict[str, str]
    """What is taken for granted, each with what proves it; `believed` where random states attack it."""
    verdict: Verdict
    """How it ended, under every reading; refuted means that some step does not keep what is claimed."""
    goals: int
    """How many the solvers were asked about."""
    z3_seconds: float
    """Z3's."""
    cvc5_seconds: float
    """cvc5's."""
    detail: str
    """What is not proved; empty when all is."""


class PremiseShape(Shape):
    """What a claim takes for granted."""

    words: str
    """What it says."""
    by: str
    """The claim that proves it; else why none does: `believed`, with what attacks it, or `definition`."""


class RestsOnShape(Shape):
    """A claim, and what it takes for granted."""

    id: str
    """Its identifier."""
    claim: str
    """In words."""
    assumes: list[PremiseShape]
    """As recorded while the claim is stated; obligations take nothing for granted."""


class ProvedByAnswer(Shape):
    """Why a claim is proved."""

    id: str
    """The claim that was asked about."""
    claims: list[RestsOnShape]
    """The claim, and all claims below it."""
    beliefs: list[str]
    """What all of them believe that no claim proves; random states attack each."""


CertificateStatus = Literal["accepted", "refused", "not supported", "unchecked", "missing", "written"]


class FileShape(Shape):
    """A file beside an index."""

    file: str
    """Its name."""
    bytes: int
    """Its size."""
    sha256: str
    """Its hash, in hexadecimal digits."""


class CertificateShape(Shape):
    """cvc5's proof of one question."""

    claim: str
    """The identifier of what is proved by it."""
    under: str
    """The presets and columns under which this is asked; of a theorem the part of its proof."""
    question: FileShape
    """The question in SMT-LIB 2: unsat is a proof."""
    proof: FileShape | None
    """The proof in the format CPC; null where cvc5 has written none."""
    status: CertificateStatus
    """What the checker says of it; written where there is no checker, not supported where a step has no rule,
    unchecked where the checker has not answered in time, missing where there is no proof."""
    reason: str
    """Why it is not accepted; else empty."""
    seconds: float
    """Wall time of cvc5."""


class CertificateIndex(Shape):
    """What `tenure prove --certificates` has written into a folder."""

    cvc5: str
    """The release that wrote the proofs."""
    format: Literal["cpc"]
    """Of the proofs."""
    granularity: str
    """cvc5's option proof-granularity."""
    certificates: list[CertificateShape]
    """One for each proved question."""


class ProveAnswer(Shape):
    """What a run of proofs found."""

    good: bool
    """Whether everything is as expected."""
    undecided: bool
    """Whether something has no verdict, and everything that has one is as expected: exit code 3."""
    faults: list[str]
    """What is not as expected, counted by kind."""
    readings: list[str]
    """The presets of this run."""
    solvers: dict[str, str]
    """Their versions."""
    seeds: int
    """How many random seeds Z3 answered with."""
    random_seed: int
    """Reproduces the plain executions."""
    seconds: float
    """Wall time of the run."""
    lifted: list[LiftedShape]
    """One entry for each function."""
    obligations: list[ObligationShape]
    """One entry for each obligation."""
    mutants: list[MutantShape]
    """One entry for each mutant; empty when none were tried."""
    unnamed: list[str]
    """Rules that no obligation names."""
    warnings: list[str]
    """What this run was told to leave out."""
    trusted_base: TrustedBaseShape
    """What has to be believed."""
    kept: KeptShape
    """What was not asked again; its seconds are those of the run that asked."""
    theorems: list[TheoremShape]
    """Claims of any size; empty where they were left out."""
    bounded: BoundedShape | None
    """Whole decisions, up to a bound; null where they were left out."""
    certificates: list[CertificateShape] | None
    """Proofs that were written, one for each proved question; null without option --certificates."""
