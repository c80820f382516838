"""A report as continuous integration reads it, each trouble at the file and line of the rule it is about."""

from __future__ import annotations

from collections.abc import Iterator

from tenure.reports import Case, RuleText, Severity, Suite, Trouble
from tenure.reports import Report as Checks
from tenure_proofs.bounded.outcome import Judged
from tenure_proofs.bounded.written import problem_of
from tenure_proofs.formats.problems import Fault, faults
from tenure_proofs.obligations import claim_text, source_text
from tenure_proofs.registry import Verdict
from tenure_proofs.report import NO_VERDICT, Report, closing_line, obligations_of, statement_of
from tenure_proofs.runner import Result
from tenure_proofs.theorems.outcome import End

OTHER_KINDS = {
    "lifting": "A function that the two lifters read differently, or otherwise than Python.",
    "mutant": "A wrong rule that no obligation tells from the right one.",
    "postcondition": "A whole decision that is not as a source promises, or a false claim that none refutes.",
    "theorem": "A claim about a loop that is not proved of any number of steps.",
    "unnamed": "A rule that no obligation names.",
}


def checks_of(report: Report) -> Checks:
    """The report. A verdict that is not as expected is a failure, one that is missing an error."""
    found = list(faults(report))
    obligations = [
        RuleText(obligation.id, claim_text(obligation), source_text(obligation) or claim_text(obligation))
        for obligation in obligations_of(report)
    ]
    return Checks(
        "tenure prove",
        tuple(suite for suite in _suites(report) if suite.cases),
        tuple(map(_trouble, found)),
        (*obligations, *(RuleText(kind, text) for kind, text in OTHER_KINDS.items())),
        closing_line(report),
        finished=not any(fault.undecided for fault in found),
        properties={"readings": list(report.readings), "solvers": report.versions, "good": report.good},
        seconds=report.seconds,
    )


def _suites(report: Report) -> Iterator[Suite]:
    yield Suite("lifting", tuple(_lifted(report)))
    yield Suite("obligations", tuple(map(_verdict, report.results)))
    yield Suite("mutants", tuple(_mutants(report)))
    yield Suite("any size", tuple(map(_ended, report.theorems)))
    yield Suite("whole decisions", tuple(map(_judged, report.judged)))
    yield Suite("rules without obligation", tuple(_unnamed(report)))


def _trouble(fault: Fault) -> Trouble:
    return Trouble(
        fault.id if fault.kind == "obligation" else fault.kind,
        f"{fault.id}: {fault.title}",
        fault.text,
        fault.places,
        Severity.WARNING if fault.undecided else Severity.ERROR,
    )


def _lifted(report: Report) -> Iterator[Case]:
    for lift_report in report.lifted:
        failure, error = ("", lift_report.problem) if lift_report.undecided else (lift_report.problem, "")
        yield Case("lifting", lift_report.function, failure or "", error or "")


def _verdict(result: Result) -> Case:
    obligation = result.obligation
    name = f"{claim_text(obligation)} [{result.reading}]"
    if not result.as_expected:
        text = f"expected {result.expected}, is {result.verdict}"
        text = f"{text}: {result.detail}" if result.detail else text
        failure, error = ("", text) if result.verdict in NO_VERDICT else (text, "")
        return Case(obligation.id, name, failure, error, seconds=result.seconds)
    refuted = result.verdict == Verdict.REFUTED and result.counterexample
    story = "\n".join(result.counterexample.story) if refuted and result.counterexample else ""
    return Case(obligation.id, name, output=story, seconds=result.seconds)


def _mutants(report: Report) -> Iterator[Case]:
    for hunted in report.mutants:
        failure = "no obligation tells them apart" if hunted.outcome == "survived" else ""
        yield Case(hunted.rule, f"{hunted.id}: {hunted.before} -> {hunted.after}", failure)


def _ended(end: End) -> Case:
    failure, error = ("", end.detail) if end.verdict in NO_VERDICT else (end.detail, "")
    seconds = end.proof.z3_s + end.proof.cvc5_s
    return Case(end.theorem.id, end.theorem.words, failure, error, seconds=seconds)


def _judged(judged: Judged) -> Case:
    problem = "" if judged.as_expected else " ".join(problem_of(judged))
    failure, error = ("", problem) if judged.verdict in NO_VERDICT else (problem, "")
    return Case(
        judged.postcondition.id,
        f"{judged.postcondition.words} [{judged.reading}]",
        failure,
        error,
        output="\n".join(judged.story),
    )


def _unnamed(report: Report) -> Iterator[Case]:
    return (Case(rule, "an obligation names it", statement_of(rule)) for rule in report.unnamed)
