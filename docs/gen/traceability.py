"""The table from every sentence of a source to its rules, and what stands for each of them."""

from __future__ import annotations

from docs.gen.markdown import Fills, at, link, table
from docs.gen.sources import ROOT
from tenure.pages import Page
from tools.traceability import VERDICTS, Row, TracedRule, missing, rows

TRACEABILITY = "reference/traceability.md"
HEAD = ("Source sentence", "Rule", "Code", "Obligations", "Vectors", "Page")


def traceability() -> Fills:
    """The table.

    Raises:
        ValueError: something is missing from it; it is named.
    """
    absent = list(missing(ROOT))
    if absent:
        raise ValueError("\n".join(["the table of traceability is not complete:", *absent]))
    return {TRACEABILITY: {"traceability": table(HEAD, [_cells(row) for row in rows(ROOT)])}}


def _cells(row: Row) -> list[str]:
    rule, page = row.rule, row.rule.page
    assert page is not None
    return [
        _sentence(row, page),
        f'<span class="id">{rule.id}</span>',
        f"`{page.front['function']}`",
        ", ".join(link(obligation) for obligation in rule.obligations) or "not lifted",
        "<br>".join(_vectors(rule, verdict) for verdict in VERDICTS),
        f"[{page.title}]({at(rule.id)})",
    ]


def _sentence(row: Row, page: Page) -> str:
    if row.entry is None or row.source is None:
        return f"*{page.front['source']}*"
    text = row.entry.sentence.text.replace("`", "'")
    return f"[{row.entry.id}](@coverage/{row.source.name}) `` {text} ``"


def _vectors(rule: TracedRule, verdict: str) -> str:
    """One vector of a verdict, and how many more there are; the rule's page lists them all."""
    first, *more = rule.vectors[verdict]
    said = f"{verdict}: {link(first)}"
    return f"{said} and {len(more)} more" if more else said
