"""Runs obligations: facts, witness, both solvers, what a proof says, counterexample, verdict."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

import z3

from tenure.rules.registry import all_rules
from tenure_proofs.asked import Shared
from tenure_proofs.budgets import Budget
from tenure_proofs.counterexamples import Counterexample, find_counterexample
from tenure_proofs.models import replay
from tenure_proofs.registry import Obligation, Verdict, reading_of
from tenure_proofs.solvers import Cvc5, Question, ask_z3, words_of_z3
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.domains import LiftError
from tenure_proofs.vacuity import unreached, vacuity_of


@dataclass(frozen=True, slots=True)
class Result:
    """How one obligation ended under one reading.

    Args:
        obligation: which.
        reading: the preset's name, or a further column's.
        verdict: how it ended.
        seconds: wall time, all solvers together.
        solvers: what each solver said of "facts and not goal".
        detail: why, where the verdict is not plain.
        counterexample: for a refuted one.
        beside: how it ended under the further columns that change single choices of this preset.
    """

    obligation: Obligation
    reading: str
    verdict: Verdict
    seconds: float = 0.0
    solvers: dict[str, str] = field(default_factory=dict)
    detail: str = ""
    counterexample: Counterexample | None = None
    beside: tuple[Result, ...] = ()

    @property
    def expected(self) -> Verdict:
        """What the obligation expects under this reading."""
        return self.obligation.expected_under(self.reading)

    @property
    def as_expected(self) -> bool:
        """Whether it ended as expected, under the further columns too."""
        return self.verdict == self.expected and all(result.as_expected for result in self.beside)


def run_obligation(
    obligation: Obligation,
    reading: str,
    cvc5: Cvc5 | None,
    seeds: int = 1,
    shared: Shared | None = None,
) -> Result:
    """One obligation under one preset, or under a further column.

    Args:
        obligation: which.
        reading: a preset's name, or a further column's.
        cvc5: the second solver; None leaves it out.
        seeds: how many random seeds Z3 is asked with; all must say the same. None at all leaves the verdict
            to cvc5.
        shared: formulas and answers shared with other obligations and presets.
    """
    started = time.perf_counter()
    result = _run(obligation, reading, cvc5, seeds, Shared() if shared is None else shared)
    return replace(result, seconds=time.perf_counter() - started)


def run_beside(
    obligation: Obligation,
    preset: str,
    cvc5: Cvc5 | None,
    seeds: int = 1,
    shared: Shared | None = None,
) -> Result:
    """One obligation under one preset and under every further column that changes single choices of it."""
    shared = Shared() if shared is None else shared
    result = run_obligation(obligation, preset, cvc5, seeds, shared)
    beside = tuple(
        run_obligation(obligation, column, cvc5, seeds, shared)
        for column in obligation.columns_beside(preset)
    )
    if not beside:
        return result
    detail = "; ".join(part for part in (result.detail, *map(_beside, beside)) if part)
    seconds = result.seconds + sum(result.seconds for result in beside)
    return replace(result, detail=detail, seconds=seconds, beside=beside)


def verdict_of(obligation: Obligation, reading: str, shared: Shared) -> Verdict:
    """Z3's verdict alone, without witness and counterexample: all that a mutant needs."""
    claim = Claim(reading_of(reading), shared.traces)
    if stated(obligation, claim):
        return Verdict.ERROR
    return _verdict(_ask_all(question_of(claim, obligation), None, 1, shared))


def _run(obligation: Obligation, reading: str, cvc5: Cvc5 | None, seeds: int, shared: Shared) -> Result:
    claim = Claim(reading_of(reading), shared.traces)
    problem = unknown_rules(obligation) or stated(obligation, claim)
    if problem:
        return Result(obligation, reading, Verdict.ERROR, detail=problem)
    found = _second_lifter(claim, shared) or _vacuity(claim, obligation.budget, shared)
    if found is not None:
        return Result(obligation, reading, found[0], detail=found[1])
    question = question_of(claim, obligation)
    said = _ask_all(question, cvc5, seeds, shared)
    verdict = _verdict(said)
    if verdict == Verdict.PROVED == obligation.expected_under(reading):
        empty = says_little(obligation, reading, claim, question, shared)
        if empty is not None:
            return Result(obligation, reading, empty[0], solvers=said, detail=empty[1])
    if verdict != Verdict.REFUTED:
        detail = "" if verdict == Verdict.PROVED else _list(said)
        return Result(obligation, reading, verdict, solvers=said, detail=detail)
    example = find_counterexample(claim, question, shared)
    if example.difference:
        verdict = Verdict.ERROR
    return Result(
        obligation, reading, verdict, solvers=said, detail=example.difference, counterexample=example
    )


def unknown_rules(obligation: Obligation) -> str:
    """Which of its rules do not exist, if any: a renamed rule would be constrained by nothing."""
    known = {entry.id for entry in all_rules()}
    unknown = [rule for rule in obligation.rules if rule not in known]
    return f"no rule is called {', '.join(unknown)}: it was renamed or withdrawn" if unknown else ""


def stated(obligation: Obligation, claim: Claim) -> str:
    """Write the statement into the claim; what is wrong with it, if anything."""
    try:
        obligation.state(claim)
    except LiftError as error:
        return f"not liftable: {error}"
    except Exception as error:  # noqa: BLE001 - a statement that breaks is a result, not a crash of the run
        return f"the statement raises {error!r}"
    return "" if claim.goals else "the statement claims nothing"


def question_of(claim: Claim, obligation: Obligation) -> Question:
    """What is asked: whether the facts can hold and a goal cannot."""
    return Question((*claim.facts, z3.Not(z3.And(claim.goals))), obligation.budget)


def _second_lifter(claim: Claim, shared: Shared) -> tuple[Verdict, str] | None:
    """What is wrong with the lifted calls: nothing, when the tracer gives the same formula of each."""
    for call in claim.calls:
        report = shared.checked(call)
        if report.problem:
            return (
                Verdict.UNKNOWN if report.undecided else Verdict.ERROR,
                f"{report.function}: {report.problem}",
            )
    return None


def _vacuity(claim: Claim, budget: Budget, shared: Shared) -> tuple[Verdict, str] | None:
    """What is wrong with the facts: nothing, when some values satisfy them and plain Python agrees."""
    question = Question(tuple(claim.facts), budget)
    witness = shared.once("witness", question, lambda: ask_z3(question))
    if witness.said == "unsat":
        return Verdict.VACUOUS, "no values satisfy the facts"
    if witness.model is None:
        return Verdict.UNKNOWN, f"no witness of the facts: z3 says {witness.words}"
    for call in claim.calls:
        difference = replay(call, witness.model)
        if difference:
            return Verdict.ERROR, f"the witness does not replay: {difference}"
    return None


def says_little(
    obligation: Obligation, reading: str, claim: Claim, question: Question, shared: Shared
) -> tuple[Verdict, str] | None:
    """What makes a proof say less than it seems to; None when nothing does.

    Args:
        obligation: one that is proved.
        reading: the preset, or the further column, under which it is.
        claim: its statement under that reading.
        question: what was asked to prove it: of the same question the same is found, except of rules.
        shared: answers shared with other obligations and presets.
    """
    missing = unreached(obligation, reading, claim)
    how = "says little", obligation.id
    return missing or shared.once(how, question, lambda: vacuity_of(obligation, reading, claim.traces))


def _ask_all(question: Question, cvc5: Cvc5 | None, seeds: int, shared: Shared) -> dict[str, str]:
    how = "verdict", seeds, cvc5 is None
    return shared.once(how, question, lambda: _asked(question, cvc5, seeds))


def _asked(question: Question, cvc5: Cvc5 | None, seeds: int) -> dict[str, str]:
    said = words_of_z3(question, seeds)
    if cvc5 is not None:
        said["cvc5"] = cvc5.ask(question)
    return said


def _verdict(said: dict[str, str]) -> Verdict:
    answers = set(said.values())
    if any(answer.startswith("error") for answer in answers) or {"sat", "unsat"} <= answers:
        return Verdict.ERROR
    if any(answer.startswith("unknown") for answer in answers):
        return Verdict.UNKNOWN
    return Verdict.PROVED if answers == {"unsat"} else Verdict.REFUTED


def _beside(result: Result) -> str:
    if result.as_expected:
        return f"under {result.reading} {result.verdict}, as expected"
    detail = f": {result.detail}" if result.detail else ""
    return f"under {result.reading} expected {result.expected}, is {result.verdict}{detail}"


def _list(said: dict[str, str]) -> str:
    return "; ".join(f"{solver} says {answer}" for solver, answer in said.items())
