"""A report as Markdown: the headline invariants against the readings, every obligation, what went wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tenure_proofs.bounded.outcome import Bounded
from tenure_proofs.bounded.written import marked, rows_of
from tenure_proofs.formats.problems import faults
from tenure_proofs.registry import Obligation
from tenure_proofs.report import MARKS, Report, closing_line, obligations_of, row_of


def markdown_lines(report: Report) -> Iterator[str]:
    """The report's lines."""
    yield "# What `tenure prove` found"
    yield ""
    yield closing_line(report)
    yield ""
    headline = [obligation for obligation in obligations_of(report) if obligation.title]
    if headline:
        yield from _table("Invariant", report, headline, [obligation.title for obligation in headline])
    wrong = list(faults(report))
    if wrong:
        yield "## Not as expected"
        yield ""
        yield from (f"- **{fault.id}**, {_cell(fault.title)}: {_cell(fault.text)}" for fault in wrong)
        yield ""
    yield "## Obligations"
    yield ""
    every = obligations_of(report)
    yield from _table(
        "Obligation", report, every, [f"{obligation.id}: {obligation.words}" for obligation in every]
    )
    if report.theorems:
        yield "## Any size"
        yield ""
        yield "| Theorem | Size | Verdict |"
        yield "|---|---|---|"
        for end in report.theorems:
            word = end.verdict if end.as_expected else f"**{end.verdict}** (unexpected)"
            name = f"{end.theorem.id}: {end.theorem.words}"
            yield f"| {_cell(name)} | {_cell(end.theorem.size)} | {word} |"
        yield ""
    if report.bounded is not None:
        yield "## Whole decisions"
        yield ""
        yield f"Within a bound, by deciding all of {report.bounded.clusters:,} clusters:"
        yield ""
        yield from (f"- {_cell(bound.words)} ({bound.clusters:,})" for bound in report.bounded.bounds)
        yield ""
        yield from _bounded_table(report.bounded, report.readings)


def _bounded_table(bounded: Bounded, readings: Sequence[str]) -> Iterator[str]:
    yield f"| {' | '.join(('Postcondition', *readings))} |"
    yield f"|{'---|' * (1 + len(readings))}"
    for postcondition, row in rows_of(bounded):
        cells = (
            marked(judged) if judged.as_expected else f"**{marked(judged)}** (unexpected)" for judged in row
        )
        yield f"| {' | '.join((_cell(f'{postcondition.id}: {postcondition.words}'), *cells))} |"
    yield ""


def _table(head: str, report: Report, rows: Sequence[Obligation], names: Sequence[str]) -> Iterator[str]:
    yield f"| {' | '.join((head, *report.readings))} |"
    yield f"|{'---|' * (1 + len(report.readings))}"
    for obligation, name in zip(rows, names, strict=True):
        cells = (
            MARKS[result.verdict] if result.as_expected else f"**{MARKS[result.verdict]}** (unexpected)"
            for result in row_of(report, obligation)
        )
        yield f"| {' | '.join((_cell(name), *cells))} |"
    yield ""


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
