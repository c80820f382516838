"""Expectations of a scenario over time, each under the readings that it speaks of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property, partial
from typing import Final

from tenure.manifests import Place
from tenure.manifests.releases import AS_WRITTEN, AsIf
from tenure.readings import Reading, default_preset, preset
from tenure.units import format_instant
from tenure_check.expectations.check import Check, CheckResult, judged
from tenure_play import AnyScenario, Record, play
from tenure_play.loading import parse_any_scenario
from tenure_play.record import ExpectationResult
from tenure_play.scenario import Expectation

_STORY: Final = 12
"""Lines of what happened that a failure shows."""


def play_checks(
    raw: object, place: Place, name: str, *, strict: bool = False, as_if: AsIf = AS_WRITTEN
) -> list[Check]:
    """What a scenario expects: each expectation under the readings that it names, else under the default one.

    Args:
        raw: the document, untrusted.
        place: how problems name it.
        name: the scenario's name where it has none.
        strict, as_if: as for `decision_checks`.

    Raises:
        InputError: everything that is wrong in it, or it expects nothing.
    """
    scenario = parse_any_scenario(raw, file=place.file, name=name, strict=strict, as_if=as_if)
    if not scenario.expectations:
        raise place.error("expect", "nothing", "what is expected of the simulation")
    plays = {name: Play(scenario, preset(name)) for name in _readings(scenario)}
    return [
        Check(
            f"{_called(number, expectation)} [{reading}]",
            expectation.where,
            partial(plays[reading].outcome, expectation),
        )
        for number, expectation in enumerate(scenario.expectations)
        for reading in _readings_of(expectation)
    ]


class Play:
    """A scenario under a reading; played on first use."""

    def __init__(self, scenario: AnyScenario, reading: Reading) -> None:
        self._scenario = scenario
        self._reading = reading

    def outcome(self, expected: Expectation) -> CheckResult:
        """What came of an expectation: all of it has to hold."""
        found = [
            expectation
            for expectation in self._record.expectations
            if expectation.field.split(".")[0] == expected.where
        ]
        wrong = [result for result in found if not result.holds]
        shown = wrong or found
        result = judged(
            not wrong,
            "; ".join(result.expected for result in shown),
            "; ".join(result.found for result in shown),
            partial(_why, self._record, wrong, expected),
        )
        return replace(result, warnings=self._scenario.warnings)

    @cached_property
    def _record(self) -> Record:
        return play(self._scenario, self._reading)


def _why(record: Record, wrong: list[ExpectationResult], expected: Expectation) -> Iterator[str]:
    for result in wrong:
        yield f"{result.field}: expected {result.expected}, found {result.found}"
    end = record.end if expected.at is None else expected.at
    story = [story_line for story_line in record.story if story_line.at <= end]
    yield f"What happened last, until {format_instant(end)} under {record.reading}:"
    for entry in story[-_STORY:]:
        rules = f", by {', '.join(entry.rules)}" if entry.rules else ""
        yield f"  {format_instant(entry.at)}  {entry.what.value}  {entry.workload}  {entry.text}{rules}"


def _readings(scenario: AnyScenario) -> list[str]:
    named = (name for expectation in scenario.expectations for name in _readings_of(expectation))
    return list(dict.fromkeys(named))


def _readings_of(expected: Expectation) -> tuple[str, ...]:
    return expected.readings or (default_preset(),)


def _called(number: int, expected: Expectation) -> str:
    when = "" if expected.at is None else f" at {format_instant(expected.at)}"
    parts = {
        "running": expected.running,
        "waiting": expected.waiting,
        "evicted": expected.evicted,
        "parked": expected.parked,
        "may be preempted": expected.may_be_preempted,
        "kept": expected.kept,
        "priority": tuple(expected.priority),
        "minimum runtime": tuple(expected.min_runtime),
        "workloads": tuple(expected.workloads),
    }
    words = [f"{what} {', '.join(names)}" for what, names in parts.items() if names]
    whole = {
        "every workload": expected.every,
        "preemptions": expected.preemptions,
        "cut short": expected.cut_short,
        "loop": expected.loop,
    }
    words += [what for what, there in whole.items() if there is not None]
    return f"expect[{number}]{when}: {'; '.join(words)}"
