"""Answers in sentences, line by line, without colours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tenure.kai.shapes import FilterAnswer, ResolveAnswer, ValidateAnswer
from tenure.telling.findings import Finding


def resolve_lines(answer: ResolveAnswer) -> Iterator[str]:
    """Which minimum runtime counts between two queues."""
    yield answer.summary
    yield f"  {answer.action}, method {answer.method}, path {' / '.join(answer.path) or 'unknown'}"
    yield from _findings(answer.findings)


def filter_lines(answer: FilterAnswer) -> Iterator[str]:
    """Who may be considered as a victim."""
    yield answer.summary
    yield f"  clock {answer.now}, method {answer.method}"
    for each in answer.victims:
        verb = "may be taken" if each.passes else "is kept"
        yield ""
        yield f"{each.victim} in {each.queue} {verb} ({each.action}): {each.verdict}"
        yield from _findings(each.findings)


def validate_lines(answer: ValidateAnswer) -> Iterator[str]:
    """Whether a scenario may stand."""
    yield answer.summary
    yield f"  {answer.action}, clock {answer.now}, method {answer.method}"
    for each in answer.victims:
        yield ""
        yield f"{each.victim} {each.verdict}"
        yield from _findings(each.findings)


def _findings(findings: Iterable[Finding]) -> Iterator[str]:
    for each in findings:
        yield f"  {each.rule:8}{'yes' if each.holds else 'no':4} {each.text}"
