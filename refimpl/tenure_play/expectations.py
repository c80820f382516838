"""What was expected against what happened."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Protocol

from tenure.model import Instant
from tenure.readings import Reading
from tenure.units import format_duration
from tenure_play.actors import Phase
from tenure_play.record import ExpectationResult, KaiQuestion, Record, Summary, VictimAnswer
from tenure_play.recorder import Participant
from tenure_play.scenario import Between, Expectation, LoopExpected, Story, WorkloadExpected

_DURATIONS = frozenset(("ran", "kept", "longest_wait"))
_WORDS = {"longest_wait": "longestWait"}


class Observed(Protocol):
    """What expectations at an instant look at."""

    now: Instant

    @property
    def actors(self) -> Mapping[str, Participant]:
        """Every workload or job that has joined."""

    @property
    def questions(self) -> list[KaiQuestion]:
        """The calls of KAI-Scheduler's plugin, in order; empty for others."""

    def is_parked(self, key: str) -> bool:
        """Whether a waiting workload is outside its queue's heap."""

    def priority_of(self, key: str) -> int | None:
        """The effective priority; None for one who is not there."""


def moments(scenario: Story, reading: Reading) -> list[Expectation]:
    """The expectations at an instant that hold for a reading, in the order of time."""
    own = [
        expectation
        for expectation in scenario.expectations
        if expectation.at is not None and _speaks_of(expectation, reading.name)
    ]
    return sorted(own, key=lambda expectation: expectation.at or 0)


def note(world: Observed, expected: Expectation) -> Iterator[ExpectationResult]:
    """What became of an expectation at this instant."""
    for name, keys in (
        ("running", expected.running),
        ("waiting", expected.waiting),
        ("evicted", expected.evicted),
        ("parked", expected.parked),
    ):
        if keys:
            states = {key: _state(world, key) for key in keys}
            wanted = {"waiting": ("waiting", "parked")}.get(name, (name,))
            wrong = [f"{key} is {state}" for key, state in states.items() if state not in wanted]
            field, text = f"{expected.where}.{name}", ", ".join(keys)
            yield ExpectationResult(field, not wrong, text, ", ".join(wrong) or text, at=expected.at)
    for key, priority in expected.priority.items():
        known = world.priority_of(key)
        found = "not there" if known is None else str(known)
        field = f"{expected.where}.priority[{key}]"
        yield ExpectationResult(field, found == str(priority), str(priority), found, at=expected.at)
    yield from _answers(world, expected)


def _answers(world: Observed, expected: Expectation) -> Iterator[ExpectationResult]:
    """What became of what the plugin was expected to answer at this instant."""
    answers = {
        answer.victim: answer
        for question in world.questions
        if question.at == expected.at and expected.asker in (None, question.pending)
        for answer in question.victims
    }
    for name, keys, wanted in (
        ("mayBePreempted", expected.may_be_preempted, True),
        ("kept", expected.kept, False),
    ):
        wrong = [key for key in keys if key not in answers or answers[key].may_be_preempted != wanted]
        if keys:
            text = ", ".join(keys)
            found = "; ".join(f"{key}: {_verdict(answers.get(key))}" for key in wrong) or text
            yield ExpectationResult(f"{expected.where}.{name}", not wrong, text, found, at=expected.at)
    for key, value in expected.min_runtime.items():
        answer = answers.get(key)
        known = None if answer is None else answer.min_runtime
        found = _verdict(answer) if known is None else format_duration(known)
        field = f"{expected.where}.minRuntime[{key}]"
        yield ExpectationResult(field, known == value, format_duration(value), found, at=expected.at)


def _verdict(answer: VictimAnswer | None) -> str:
    return "no job asked" if answer is None else answer.verdict


def judge(scenario: Story, record: Record, outcomes: list[ExpectationResult]) -> Record:
    """The record with the outcomes of all expectations that speak of its reading, in their order.

    Args:
        scenario: what was played.
        record: what happened.
        outcomes: of the expectations at an instant.
    """
    found = list(outcomes)
    for expected in scenario.expectations:
        if expected.at is None and _speaks_of(expected, record.reading):
            found.extend(_whole(expected, record))
    order = {expectation.where: number for number, expectation in enumerate(scenario.expectations)}
    found.sort(key=lambda outcome: order.get(outcome.field.split(".")[0], 0))
    holds = all(outcome.holds for outcome in found)
    return dataclasses.replace(record, expectations=tuple(found), holds=holds)


def _speaks_of(expected: Expectation, reading: str) -> bool:
    return not expected.readings or reading in expected.readings


def _state(world: Observed, key: str) -> str:
    actor = world.actors.get(key)
    if actor is None:
        return "not there yet"
    if actor.phase == Phase.WAITING:
        return "parked" if world.is_parked(key) else "waiting"
    return {Phase.RUNNING: "running", Phase.TERMINATING: "evicted", Phase.DONE: "done"}[actor.phase]


def _whole(expected: Expectation, record: Record) -> Iterator[ExpectationResult]:
    summaries = {summary.workload: summary for summary in record.workloads}
    for key, share in expected.workloads.items():
        summary = summaries.get(key)
        field = f"{expected.where}.workloads[{key}]"
        if summary is None:
            yield ExpectationResult(field, False, "a workload of the simulation", "no workload of this name")
        else:
            yield from _shares(field, share, [summary])
    if expected.every is not None:
        yield from _shares(f"{expected.where}.everyWorkload", expected.every, list(record.workloads))
    if expected.preemptions is not None:
        count = len(record.preemptions)
        holds = expected.preemptions.holds(count)
        yield ExpectationResult(
            f"{expected.where}.preemptions", holds, _bounds_text(expected.preemptions), str(count)
        )
    if expected.cut_short is not None:
        longest = max((preemption.cut_short for preemption in record.preemptions), default=0)
        text, found = _bounds_text(expected.cut_short, is_time=True), format_duration(longest)
        yield ExpectationResult(f"{expected.where}.cutShort", expected.cut_short.holds(longest), text, found)
    if expected.loop is not None:
        yield from _loop(expected.where, expected.loop, record)


def _shares(field: str, share: WorkloadExpected, summaries: list[Summary]) -> Iterator[ExpectationResult]:
    for name in ("ran", "kept", "runs", "preempted", "longest_wait"):
        bounds: Between | None = getattr(share, name)
        if bounds is None:
            continue
        is_time = name in _DURATIONS
        values = [(getattr(summary, name), summary.workload) for summary in summaries]
        wrong = [(value, who) for value, who in values if not bounds.holds(value)]
        shown = wrong or [min(values), max(values)] if len(values) > 1 else values
        found = " to ".join(_number(value, is_time=is_time) for value, _ in shown[:2])
        if wrong and len(values) > 1:
            value, who = max(wrong) if bounds.at_most is not None else min(wrong)
            found = f"{_number(value, is_time=is_time)} of {who}, one of {len(wrong)} for whom it fails"
        place = f"{field}.{_WORDS.get(name, name)}"
        yield ExpectationResult(place, not wrong, _bounds_text(bounds, is_time=is_time), found)
    if share.finished is not None:
        wrong_ones = [
            summary.workload for summary in summaries if (summary.finished is not None) != share.finished
        ]
        ends = {True: "finished", False: "not finished"}
        found = (
            f"{ends[not share.finished]}: {', '.join(wrong_ones[:3])}" if wrong_ones else ends[share.finished]
        )
        yield ExpectationResult(f"{field}.finished", not wrong_ones, ends[share.finished], found)


def _loop(field: str, expected: LoopExpected, record: Record) -> Iterator[ExpectationResult]:
    loop = record.loop
    found = "no loop" if loop is None else f"a loop of {format_duration(loop.period)}, {loop.times} times"
    wanted = "a loop" if expected.exists else "no loop"
    yield ExpectationResult(f"{field}.loop", (loop is not None) == expected.exists, wanted, found)
    if loop is None:
        return
    if expected.period is not None:
        text = _bounds_text(expected.period, is_time=True)
        holds = expected.period.holds(loop.period)
        yield ExpectationResult(f"{field}.loop.period", holds, text, format_duration(loop.period))
    if expected.stuck is not None:
        stuck = tuple(sorted(loop.stuck))
        text, found_text = ", ".join(expected.stuck) or "none", ", ".join(stuck) or "none"
        yield ExpectationResult(f"{field}.loop.stuck", stuck == expected.stuck, text, found_text)
    if expected.futile is not None:
        outcome = "all work is lost" if loop.futile else "some work is kept"
        text = "all work is lost" if expected.futile else "some work is kept"
        yield ExpectationResult(f"{field}.loop.futile", loop.futile == expected.futile, text, outcome)


def _bounds_text(bounds: Between, *, is_time: bool = False) -> str:
    """Bounds in words.

    >>> _bounds_text(Between(at_least=1, at_most=1)), _bounds_text(Between(at_most=0), is_time=True)
    ('1', 'at most 0s')
    """
    if bounds.at_least is not None and bounds.at_least == bounds.at_most:
        return _number(bounds.at_least, is_time=is_time)
    parts = []
    if bounds.at_least is not None:
        parts.append(f"at least {_number(bounds.at_least, is_time=is_time)}")
    if bounds.at_most is not None:
        parts.append(f"at most {_number(bounds.at_most, is_time=is_time)}")
    return " and ".join(parts)


def _number(value: int, *, is_time: bool) -> str:
    return format_duration(value) if is_time else str(value)
