"""Whole decisions in a report: as lines, as cells of a table, and for other programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tenure_proofs.answer import BoundedShape, JudgedShape, PostconditionShape
from tenure_proofs.bounded.case import Postcondition
from tenure_proofs.bounded.outcome import Bounded, Judged
from tenure_proofs.registry import Verdict

WITHIN = "proved*"
"""What a cell says of a claim that holds of every cluster up to the bound."""


def lines_of(bounded: Bounded, readings: Sequence[str]) -> Iterator[str]:
    """The section of a report for people."""
    width = max((len(judged.postcondition.words) for judged in bounded.judged), default=0)
    yield f"{'decisions':11} {'claim':{width}}  " + "  ".join(f"{reading:10}" for reading in readings)
    for postcondition, row in rows_of(bounded):
        cells = (f"{marked(judged)}{'' if judged.as_expected else ' !'}" for judged in row)
        yield f"{postcondition.id:11} {postcondition.words:{width}}  " + "  ".join(
            f"{cell:10}" for cell in cells
        )
    yield (
        f"* up to a bound, in {bounded.decisions:,} decisions on all of {bounded.clusters:,} clusters "
        f"(--bounded {bounded.size}):"
    )
    for bound in bounded.bounds:
        yield f"  {bound.family}: {bound.bound}; {bound.clusters:,} clusters, {bound.decisions:,} decisions"
    yield f"bounded: {closing_words(bounded)}"
    for judged in bounded.judged:
        if not judged.as_expected:
            yield from _failure_lines(judged)


def closing_words(bounded: Bounded) -> str:
    """How many postconditions hold, and how many are refuted as expected."""
    rows = [row for _, row in rows_of(bounded)]
    expected = [row for row in rows if all(judged.as_expected for judged in row)]
    hold = sum(all(judged.verdict == Verdict.PROVED for judged in row) for row in expected)
    text = f"{hold} postconditions hold, {len(expected) - hold} are refuted as expected"
    wrong = len(rows) - len(expected)
    return f"{text}, {wrong} are NOT as expected" if wrong else text


def rows_of(bounded: Bounded) -> Iterator[tuple[Postcondition, list[Judged]]]:
    """Every postcondition, with how it ended under one preset after the other."""
    rows: dict[str, list[Judged]] = {}
    for judged in bounded.judged:
        rows.setdefault(judged.postcondition.id, []).append(judged)
    return ((row[0].postcondition, row) for row in rows.values())


def marked(judged: Judged) -> str:
    """A verdict in a cell: whatever is proved here is proved within a bound."""
    if judged.verdict == Verdict.PROVED:
        return WITHIN
    return judged.verdict if judged.verdict == Verdict.REFUTED else judged.verdict.upper()


def problem_of(judged: Judged) -> Iterator[str]:
    """What is not as expected, in one sentence, then the cluster."""
    said = (
        f"{judged.broken} of {judged.claimed} decisions break it"
        if judged.broken
        else "no decision breaks it"
    )
    if judged.verdict == Verdict.VACUOUS:
        said = "no decision is one that it claims anything of"
    detail = f": {judged.detail}" if judged.detail else ""
    yield f"under {judged.reading} expected {judged.expected}, is {judged.verdict}: {said}{detail}."
    for line in judged.story:
        yield f"{line}."


def _failure_lines(judged: Judged) -> Iterator[str]:
    head, *story = problem_of(judged)
    yield ""
    yield f"FAIL {judged.postcondition.id} {head}"
    yield f"  the claim: {judged.postcondition.words}"
    yield f"  {judged.postcondition.source}"
    yield from (f"    {line}" for line in story)


def bounded_shape(bounded: Bounded) -> BoundedShape:
    """For other programs; schema prove describes it."""
    return BoundedShape(
        size=bounded.size,
        bounds=list(bounded.bounds),
        postconditions=[
            PostconditionShape(
                id=postcondition.id,
                claim=postcondition.words,
                source=postcondition.source,
                verdicts={judged.reading: _judged_shape(judged) for judged in row},
            )
            for postcondition, row in rows_of(bounded)
        ],
    )


def _judged_shape(judged: Judged) -> JudgedShape:
    return JudgedShape(
        verdict=judged.verdict,
        expected=judged.expected,
        claimed=judged.claimed,
        broken=judged.broken,
        detail=judged.detail,
        story=list(judged.story),
        scenario=judged.scenario,
    )
