"""A report as JUnit XML: a suite each for lifted functions, obligations and mutants."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from xml.etree import ElementTree

from tenure_proofs.bounded.outcome import Judged
from tenure_proofs.bounded.written import problem_of
from tenure_proofs.registry import Verdict
from tenure_proofs.report import NO_VERDICT, Report, statement_of
from tenure_proofs.runner import Result


def junit_lines(report: Report) -> Iterator[str]:
    """The report's lines. A verdict that is not as expected is a failure, one that is missing an error."""
    suites = ElementTree.Element("testsuites", name="tenure prove", time=f"{report.seconds:.3f}")
    _suite(suites, "lifting", (_lifted(report)))
    _suite(suites, "obligations", (_verdict(each) for each in report.results))
    _suite(suites, "mutants", _mutants(report))
    _suite(suites, "whole decisions", (_judged(each) for each in report.judged))
    _suite(suites, "rules without obligation", _unnamed(report))
    ElementTree.indent(suites)
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield from ElementTree.tostring(suites, encoding="unicode").splitlines()


def _suite(suites: ElementTree.Element, name: str, cases: Iterable[ElementTree.Element]) -> None:
    made = list(cases)
    if not made:
        return
    counts = {kind: str(sum(each.find(kind) is not None for each in made)) for kind in ("failure", "error")}
    suite = ElementTree.SubElement(
        suites,
        "testsuite",
        name=name,
        tests=str(len(made)),
        failures=counts["failure"],
        errors=counts["error"],
    )
    suite.extend(made)


def _case(group: str, name: str, seconds: float = 0.0) -> ElementTree.Element:
    return ElementTree.Element("testcase", classname=group, name=name, time=f"{seconds:.3f}")


def _wrong(case: ElementTree.Element, kind: str, message: str) -> None:
    # XML has no place for control characters, and a solver may print any.
    ElementTree.SubElement(case, kind, message="".join(each for each in message if each.isprintable()))


def _lifted(report: Report) -> Iterator[ElementTree.Element]:
    for each in report.lifted:
        case = _case("lifting", each.function)
        if each.problem:
            _wrong(case, "error" if each.undecided else "failure", each.problem)
        yield case


def _verdict(result: Result) -> ElementTree.Element:
    obligation = result.obligation
    case = _case(obligation.id, f"{obligation.words} [{result.reading}]", result.seconds)
    if not result.as_expected:
        text = f"expected {result.expected}, is {result.verdict}"
        kind = "error" if result.verdict in NO_VERDICT else "failure"
        _wrong(case, kind, f"{text}: {result.detail}" if result.detail else text)
    elif result.verdict == Verdict.REFUTED and result.counterexample and result.counterexample.story:
        ElementTree.SubElement(case, "system-out").text = "\n".join(result.counterexample.story)
    return case


def _judged(each: Judged) -> ElementTree.Element:
    case = _case(each.postcondition.id, f"{each.postcondition.words} [{each.reading}]")
    if not each.as_expected:
        kind = "error" if each.verdict in NO_VERDICT else "failure"
        _wrong(case, kind, " ".join(problem_of(each)))
    if each.story:
        ElementTree.SubElement(case, "system-out").text = "\n".join(each.story)
    return case


def _mutants(report: Report) -> Iterator[ElementTree.Element]:
    for each in report.mutants:
        case = _case(each.rule, f"{each.id}: {each.before} -> {each.after}")
        if each.outcome == "survived":
            _wrong(case, "failure", "no obligation tells them apart")
        yield case


def _unnamed(report: Report) -> Iterator[ElementTree.Element]:
    for rule in report.unnamed:
        case = _case(rule, "an obligation names it")
        _wrong(case, "failure", statement_of(rule))
        yield case
