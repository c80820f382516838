"""The figures of settings as rows of tables: one of every figure, and two narrower ones for a text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Final

from tenure.model import Duration
from tenure_simulate.answer_types import (
    GroupFigures,
    QueueFigures,
    SettingFigures,
    SimulateAnswer,
    WaitFigures,
)


def hours(duration: Duration) -> str:
    """A duration in hours, for tables.

    >>> hours(5400 * 10**9)
    '1.50'
    """
    return f"{duration / (3600 * 10**9):.2f}"


def setting_words(setting: Mapping[str, str]) -> str:
    """A setting in words.

    >>> setting_words({}), setting_words({"minAdmitDuration": "4h", "reading": "released"})
    ('as written', 'minAdmitDuration=4h reading=released')
    """
    return " ".join(f"{key}={value}" for key, value in setting.items()) or "as written"


def brief(duration: Duration) -> str:
    """A duration to three digits, in seconds, minutes or hours.

    >>> brief(30 * 10**9), brief(10**7), brief(95 * 60 * 10**9), brief(40 * 3600 * 10**9)
    ('30s', '0.01s', '95m', '40h')
    """
    seconds = duration / 10**9
    for unit, size in (("s", 1), ("m", 60)):
        if seconds < 120 * size:
            return f"{seconds / size:.3g}{unit}"
    return f"{seconds / 3600:.3g}h"


_WAITS: Final = ("p50", "p95", "p99")
WAIT_HEADINGS: Final = (
    "setting",
    *(f"first {percent}" for percent in _WAITS),
    *(f"all {percent}" for percent in _WAITS),
    "preemptions",
    "most",
    "cut short",
    "idle runs",
)
"""Of the first table of a text: how long jobs wait, and how often they are preempted."""
HOUR_HEADINGS: Final = (
    "setting",
    "lost",
    "restarts",
    "ending",
    "wasted",
    "owed",
    *(f"regain {percent}" for percent in _WAITS),
    "used",
)
"""Of the second: where quota goes."""
QUEUE_HEADINGS: Final = (
    "setting and ClusterQueue",
    "nominal",
    "held",
    "borrowed",
    "asked",
    "owed",
    *(f"regain {percent}" for percent in _WAITS),
    "longest",
)
"""Of the third, with `--by queue`: what each ClusterQueue has."""
WAIT_LEGEND: Final = (
    "first: hours until a job is admitted; all: hours of all its waits; of 50, 95 and 99 of 100 jobs",
    "most: preemptions of one job; cut short: by an equal, before minAdmitDuration; idle runs: no work kept",
)
HOUR_LEGEND: Final = (
    "lost, restarts, ending: hours times amount of lost work, of starting again, of pods that end",
    "wasted: their sum; owed: own quota not had although a waiting job fits it; regain: until it is had",
    "used: what is held, of all nominal quota",
)
HEADINGS: Final = (*WAIT_HEADINGS, *HOUR_HEADINGS[1:])
"""Of the table in CSV."""


def wait_rows(answer: SimulateAnswer) -> Iterator[tuple[str, ...]]:
    """The settings and their groups: waits in hours, preemptions."""
    yield WAIT_HEADINGS
    for figures in answer.settings:
        yield setting_words(figures.setting), *_first_half(figures)
        for group in _in_order(figures.groups):
            yield f"{setting_words(figures.setting)}: {group.group}", *_group_waits(group), "", "", ""


def hour_rows(answer: SimulateAnswer) -> Iterator[tuple[str, ...]]:
    """The settings and their groups: hours times amount; how long until quota is had again."""
    yield HOUR_HEADINGS
    for figures in answer.settings:
        yield setting_words(figures.setting), *_second_half(figures)
        for group in _in_order(figures.groups):
            yield f"{setting_words(figures.setting)}: {group.group}", *_group_hours(group)


def queue_rows(answer: SimulateAnswer) -> Iterator[tuple[str, ...]]:
    """The ClusterQueues of each setting."""
    yield QUEUE_HEADINGS
    for figures in answer.settings:
        for queue in figures.queues:
            yield f"{setting_words(figures.setting)}: {queue.queue}", *_queue(queue)


def table_rows(answer: SimulateAnswer) -> Iterator[tuple[str, ...]]:
    """Every figure of the settings and their groups, as a table in CSV has them."""
    yield HEADINGS
    for figures in answer.settings:
        name = setting_words(figures.setting)
        yield name, *_first_half(figures), *_second_half(figures)
        for group in _in_order(figures.groups):
            yield f"{name}: {group.group}", *_group_waits(group), "", "", "", *_group_hours(group)


def _first_half(figures: SettingFigures) -> Iterator[str]:
    yield from _spans(figures.first_wait)
    yield from _spans(figures.all_waits)
    most = figures.most_preempted
    yield from map(
        str, (figures.preemptions, 0 if most is None else most.times, figures.cut_short, figures.idle_runs)
    )


def _second_half(figures: SettingFigures) -> Iterator[str]:
    amounts = (
        figures.lost_hours,
        figures.restart_hours,
        figures.ending_hours,
        figures.wasted_hours,
        figures.owed_hours,
    )
    yield from (f"{amount:.2f}" for amount in amounts)
    yield from _brief(figures.regain)
    yield f"{figures.utilisation:.4f}"


def _group_waits(group: GroupFigures) -> Iterator[str]:
    yield from _spans(group.first_wait)
    yield from _spans(group.all_waits)
    yield str(group.preemptions)


def _group_hours(group: GroupFigures) -> tuple[str, ...]:
    amounts = (group.lost_hours, group.restart_hours, group.ending_hours, group.wasted_hours)
    return (*(f"{amount:.2f}" for amount in amounts), "", "", "", "", "")


def _queue(queue: QueueFigures) -> Iterator[str]:
    yield f"{queue.nominal:g}"
    amounts = (queue.held_hours, queue.borrowed_hours, queue.asked_hours, queue.owed_hours)
    yield from (f"{amount:.2f}" for amount in amounts)
    yield from _brief(queue.regain)
    yield brief(queue.longest_regain)


def _spans(waits: WaitFigures) -> Iterator[str]:
    yield from (hours(length) for length in (waits.p50, waits.p95, waits.p99))


def _brief(waits: WaitFigures) -> Iterator[str]:
    yield from map(brief, (waits.p50, waits.p95, waits.p99))


def _in_order(groups: Sequence[GroupFigures]) -> list[GroupFigures]:
    """The groups by their numbers if all are numbers, else by their names."""
    try:
        return sorted(groups, key=lambda group: Decimal(group.group))
    except InvalidOperation:
        return sorted(groups, key=lambda group: group.group)
