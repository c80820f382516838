"""Decisions as text."""

from __future__ import annotations

from collections.abc import Iterator

from tenure.oracle.decide import Decision
from tenure.telling.answers.readings import reading_text
from tenure.telling.explain import GROUND_RULES, Explanation, explain, summarize
from tenure.telling.findings import Finding
from tenure.units import format_instant


def decision_lines(decision: Decision, *, explained: bool) -> Iterator[str]:
    """A decision, line by line: the outcome, who leaves, and on request what every rule found."""
    outcome, *shortfalls = summarize(decision)
    yield outcome
    for shortfall in shortfalls:
        yield f"  {shortfall}"
    yield f"  clock {format_instant(decision.now)}, reading {reading_text(decision.reading)}"
    if decision.left:
        yield f"  decided by the reference: the optimized core does not cover {decision.left}"
    width = max((len(target.workload.key) for target in decision.targets), default=0)
    for target in decision.targets:
        rules = ", ".join(GROUND_RULES[target.evidence.ground])
        yield f"  preempt {target.workload.key:{width}}  {target.reason.label}  by {rules}"
    if explained:
        yield from _explanation_lines(decision, explain(decision))


def _explanation_lines(decision: Decision, explanation: Explanation) -> Iterator[str]:
    yield ""
    yield "What each rule found (yes: it applies, no: it does not)"
    yield ""
    yield f"{decision.preemptor.key} asks"
    yield from _finding_lines(explanation.request)
    for each in explanation.workloads:
        yield ""
        yield f"{each.workload.key} is {each.verdict}"
        yield from _finding_lines(each.findings)


def _finding_lines(findings: tuple[Finding, ...]) -> Iterator[str]:
    for finding in findings:
        yield f"  {finding.rule:8}{'yes' if finding.holds else 'no':4} {finding.text}"
