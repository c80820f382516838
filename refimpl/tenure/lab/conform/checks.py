"""The report as continuous integration reads it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tenure.lab.conform.report import DRAWN, Conformance, Count, Disagreement, closing_line
from tenure.lab.conform.verdicts import FAILURES
from tenure.reports import Case, Report, RuleText, Suite, Trouble

_RULE: Final = RuleText(
    "disagreement",
    "A request that the program answers otherwise than the reference, and nothing predicts that.",
)


def checks_of(conformance: Conformance) -> Report:
    """One suite for the vectors, one for the random scenarios; a case for each failure that is told.

    >>> good = Conformance("adapter", "", "victims", "", True, (Count("agree", 2),), None, ())
    >>> checks_of(good).suites[0].tests
    2
    """
    drawn = conformance.drawn.verdicts if conformance.drawn else ()
    told = conformance.disagreements
    return Report(
        f"tenure conform {conformance.mode}",
        (
            _suite("vectors", conformance.vectors, [each for each in told if not _is_drawn(each)]),
            _suite("random scenarios", drawn, [each for each in told if _is_drawn(each)]),
        ),
        tuple(Trouble(_RULE.id, each.case, f"{each.verdict}: {each.about}") for each in told),
        (_RULE,),
        closing=closing_line(conformance),
    )


def _suite(title: str, counted: tuple[Count, ...], told: list[Disagreement]) -> Suite:
    return Suite(
        title,
        tuple(_cases(title, counted, told)),
        tests=sum(each.count for each in counted),
        failures=sum(each.count for each in counted if not _is_good(each)),
    )


def _cases(title: str, counted: tuple[Count, ...], told: list[Disagreement]) -> Iterator[Case]:
    for each in counted:
        if _is_good(each):
            yield Case(title, f"{each.count} {each.what}")
    for failure in told:
        text = "\n".join((*failure.lines, failure.request))
        yield Case(title, failure.case, f"{failure.verdict}: {failure.about}", details=text)


def _is_drawn(failure: Disagreement) -> bool:
    return failure.case.startswith(DRAWN)


def _is_good(count: Count) -> bool:
    return not count.what.startswith(FAILURES)
