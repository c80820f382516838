"""Plays as continuous integration reads them: a suite for each play, a case for each expectation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from tenure.reports import Case, Report, RuleText, Suite, Trouble
from tenure.reports.content import place_in
from tenure.units import format_instant
from tenure_play.record import ExpectationResult, Record

RULE: Final = RuleText("expectation", "An expectation of a scenario does not hold.")

LocateIn: TypeAlias = Callable[[str, str, str], int]
"""From a file, the scenario's name and a field to a line; 0 where that is not known."""


def checks_of(records: Sequence[Record], locate: LocateIn) -> Report:
    """The plays.

    Args:
        records: one for each scenario and reading.
        locate: finds lines of the scenarios' files.

    >>> results = (ExpectationResult("expect[0].runs", False, "1", "2"),)
    >>> record = Record("s", "", "guaranteed", 0, 9, expectations=results)
    >>> checks_of([record], lambda file, name, field: 0).troubles[0].text
    'expected 1, found 2'
    """
    failed = sum(not record.holds for record in records)
    return Report(
        "tenure simulate",
        tuple(_suite(record) for record in records),
        tuple(
            Trouble(
                RULE.id,
                f"{record.scenario} under {record.reading}: {_when(expectation)}",
                _said(expectation),
                place_in(record.file, locate(record.file, record.scenario, expectation.field)),
            )
            for record in records
            for expectation in record.expectations
            if not expectation.holds
        ),
        (RULE,),
        f"simulate: {len(records)} simulations, {failed} of them not as expected",
    )


def _suite(record: Record) -> Suite:
    name = f"{record.scenario} under {record.reading}"
    return Suite(name, tuple(_case(name, expectation) for expectation in record.expectations))


def _case(group: str, result: ExpectationResult) -> Case:
    return Case(group, _when(result), failure="" if result.holds else _said(result))


def _when(result: ExpectationResult) -> str:
    """What was expected, and at which instant, if at one.

    >>> _when(ExpectationResult("expect[0].runs", True, "1", "1"))
    'expect[0].runs'
    >>> _when(ExpectationResult("expect[1].running", True, "ns/a", "ns/a", at=0))
    'expect[1].running at 1970-01-01T00:00:00Z'
    """
    return result.field if result.at is None else f"{result.field} at {format_instant(result.at)}"


def _said(result: ExpectationResult) -> str:
    return f"expected {result.expected}, found {result.found}"
