"""A report for a pull request: headline invariants, their counterexamples, every claim, what went wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tenure.outline import Item, Outline, Part, Table, TitledList
from tenure_proofs.bounded.outcome import Bounded
from tenure_proofs.bounded.written import marked, rows_of
from tenure_proofs.formats.problems import faults
from tenure_proofs.obligations import claim_text
from tenure_proofs.registry import Obligation
from tenure_proofs.report import MARKS, Report, closing_line, obligations_of, row_of, stories


def markdown_lines(report: Report) -> Iterator[str]:
    """The report's lines."""
    return Outline("What `tenure prove` found", [closing_line(report), *_parts(report)]).markdown_lines()


def _parts(report: Report) -> Iterator[Part]:
    every = obligations_of(report)
    headline = [obligation for obligation in every if obligation.title]
    if headline:
        yield _matrix("Invariant", report, headline, [obligation.title for obligation in headline])
    wrong = [Item(f"{fault.id}, {_line(fault.title)}: {_line(fault.text)}") for fault in faults(report)]
    yield TitledList("Not as expected", wrong)
    for story in stories(report):
        yield TitledList(story.title, [Item(line) for line in story.lines])
    named = [f"{obligation.id}: {claim_text(obligation)}" for obligation in every]
    yield _matrix("Claim", report, every, named, title="Claims")
    if report.theorems:
        ends = [
            (
                f"{end.theorem.id}: {end.theorem.words}",
                end.theorem.size,
                _judged(end.verdict, end.as_expected),
            )
            for end in report.theorems
        ]
        yield Table(["Claim", "Size", "Verdict"], [[*map(_line, end)] for end in ends], "Any size")
    if report.bounded is not None:
        yield from _bounded(report.bounded, report.readings)


def _bounded(bounded: Bounded, readings: Sequence[str]) -> Iterator[Part]:
    bounds = [Item(f"{_line(bound.bound)} ({bound.clusters:,})") for bound in bounded.bounds]
    yield TitledList(f"Whole decisions, all of {bounded.clusters:,} clusters within a bound", bounds)
    rows = [
        [
            _line(f"{postcondition.id}: {postcondition.words}"),
            *(_judged(marked(judged), judged.as_expected) for judged in row),
        ]
        for postcondition, row in rows_of(bounded)
    ]
    yield Table(["Claim", *readings], rows)


def _matrix(
    head: str, report: Report, rows: Iterable[Obligation], names: Sequence[str], *, title: str = ""
) -> Table:
    cells = [
        [_line(name), *(_judged(MARKS[end.verdict], end.as_expected) for end in row_of(report, obligation))]
        for obligation, name in zip(rows, names, strict=True)
    ]
    return Table([head, *report.readings], cells, title)


def _judged(verdict: str, as_expected: bool) -> str:
    return verdict if as_expected else f"**{verdict}** (unexpected)"


def _line(text: str) -> str:
    return " ".join(text.split())
