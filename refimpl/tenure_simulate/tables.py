"""The figures of settings as tables: for people in four parts and by ClusterQueue, as CSV in one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Final, NamedTuple

from tenure.model import Duration
from tenure.outline import Table
from tenure_simulate.answer_types import (
    GroupFigures,
    QueueFigures,
    SettingFigures,
    SimulateAnswer,
)

_HOUR: Final = 3600 * 10**9
_PERCENTILE: Final = re.compile(r" p\d\d$")


def hours(duration: Duration) -> str:
    """A duration in hours.

    >>> hours(5400 * 10**9)
    '1.50'
    """
    return f"{duration / _HOUR:.2f}"


def setting_words(setting: Mapping[str, str]) -> str:
    """A setting in words.

    >>> setting_words({}), setting_words({"minAdmitDuration": "4h", "reading": "released"})
    ('as written', 'minAdmitDuration=4h reading=released')
    """
    return " ".join(f"{key}={value}" for key, value in setting.items()) or "as written"


def short_words(setting: Mapping[str, str]) -> str:
    """A setting where its sweep is named nearby.

    >>> short_words({"minAdmitDuration": "4h"}), short_words({"key": "a", "reading": "released"})
    ('4h', 'key=a reading=released')
    """
    return next(iter(setting.values())) if len(setting) == 1 else setting_words(setting)


def brief(duration: Duration) -> str:
    """A duration to three digits, in seconds, minutes or hours.

    >>> brief(30 * 10**9), brief(10**7), brief(95 * 60 * 10**9), brief(40 * 3600 * 10**9)
    ('30s', '0.01s', '1.58h', '40h')
    """
    seconds = duration / 10**9
    for unit, size in (("s", 1), ("m", 60)):
        if seconds < 60 * size:
            return f"{seconds / size:.3g}{unit}"
    return f"{seconds / 3600:.3g}h"


def hours_of(resource: str) -> str:
    """What an amount of a resource times hours is called.

    >>> hours_of("nvidia.com/gpu"), hours_of("example.com/gpu-thousandths"), hours_of("cpu")
    ('GPU-hours', 'GPU-hours', 'CPU-hours')
    """
    return f"{units_of(resource)}-hours"


def units_of(resource: str) -> str:
    """What one of the sizes of a trace is.

    >>> units_of("nvidia.com/gpu"), units_of("example.com/license")
    ('GPU', 'license')
    """
    name = resource.rpartition("/")[2]
    return next((known.upper() for known in ("gpu", "cpu") if known in name.lower()), name)


def legible(cell: str) -> str:
    """A figure for people: of thousands no hundredths, and groups of three digits.

    >>> legible("508766.21"), legible("16504"), legible("999.50"), legible("30s"), legible("1.5h")
    ('508,766', '16,504', '999.50', '30s', '1.5h')
    """
    whole, _, part = cell.partition(".")
    if len(whole) < 4 or not (whole + part).isdecimal():
        return cell
    return f"{Decimal(cell):,.0f}"


def lost_share(figures: SettingFigures) -> float:
    """The lost part of the hours for which quota is held."""
    return figures.wasted_hours / figures.held_hours if figures.held_hours else 0.0


class FigureColumn(NamedTuple):
    """A figure of settings and of groups of jobs.

    Args:
        head: its name; percentiles of one figure differ in their last word.
        meaning: what it is.
        of_setting, of_group: its cells.
    """

    head: str
    meaning: str
    of_setting: Callable[[SettingFigures], str]
    of_group: Callable[[GroupFigures], str] = lambda _: ""


class QueueFigureColumn(NamedTuple):
    """A figure of a ClusterQueue; see `FigureColumn`."""

    head: str
    meaning: str
    of_queue: Callable[[QueueFigures], str]


def _percent(part: float) -> str:
    return f"{part * 100:.2f}"


def _amount(number: float) -> str:
    return f"{number:.2f}"


_FIRST: Final = "hours until a job is first admitted"
_TOTAL: Final = "hours of all waits of a job together; p95: 95 of 100 jobs wait no longer"
_RECLAIM: Final = "how long unmet quota lasts"
WAIT_COLUMNS: Final = (
    FigureColumn("first p50", _FIRST, lambda s: hours(s.first_wait.p50), lambda g: hours(g.first_wait.p50)),
    FigureColumn("first p95", _FIRST, lambda s: hours(s.first_wait.p95), lambda g: hours(g.first_wait.p95)),
    FigureColumn("first p99", _FIRST, lambda s: hours(s.first_wait.p99), lambda g: hours(g.first_wait.p99)),
    FigureColumn("total p50", _TOTAL, lambda s: hours(s.all_waits.p50), lambda g: hours(g.all_waits.p50)),
    FigureColumn("total p95", _TOTAL, lambda s: hours(s.all_waits.p95), lambda g: hours(g.all_waits.p95)),
    FigureColumn("total p99", _TOTAL, lambda s: hours(s.all_waits.p99), lambda g: hours(g.all_waits.p99)),
)
PREEMPTION_COLUMNS: Final = (
    FigureColumn("preemptions", "of all jobs", lambda s: str(s.preemptions), lambda g: str(g.preemptions)),
    FigureColumn(
        "most of a job",
        "preemptions of the job that has most",
        lambda s: str(s.most_preempted.times if s.most_preempted else 0),
    ),
    FigureColumn(
        "early",
        "preemptions by a job of equal priority before minAdmitDuration has passed",
        lambda s: str(s.cut_short),
    ),
    FigureColumn(
        "without progress",
        "runs that a preemption ends before any work is saved",
        lambda s: str(s.idle_runs),
    ),
)
HOUR_COLUMNS: Final = (
    FigureColumn("available", "all nominal quota", lambda s: _amount(s.available_hours)),
    FigureColumn("held", "quota that jobs hold", lambda s: _amount(s.held_hours)),
    FigureColumn("held %", "of what is available", lambda s: _percent(s.utilisation)),
    FigureColumn(
        "redone work",
        "work that a preempted job does again",
        lambda s: _amount(s.lost_hours),
        lambda g: _amount(g.lost_hours),
    ),
    FigureColumn(
        "restarts",
        "starting again after a preemption",
        lambda s: _amount(s.restart_hours),
        lambda g: _amount(g.restart_hours),
    ),
    FigureColumn(
        "terminating pods",
        "until a preempted job's quota is free",
        lambda s: _amount(s.ending_hours),
        lambda g: _amount(g.ending_hours),
    ),
    FigureColumn(
        "lost", "the sum of these three", lambda s: _amount(s.wasted_hours), lambda g: _amount(g.wasted_hours)
    ),
    FigureColumn("lost %", "of what is held", lambda s: _percent(lost_share(s))),
)
RECLAIM_COLUMNS: Final = (
    FigureColumn(
        "unmet quota",
        "own quota that a ClusterQueue does not get although a job waits that fits it",
        lambda s: _amount(s.owed_hours),
    ),
    FigureColumn("reclaim p50", _RECLAIM, lambda s: brief(s.regain.p50)),
    FigureColumn("reclaim p95", _RECLAIM, lambda s: brief(s.regain.p95)),
    FigureColumn("reclaim p99", _RECLAIM, lambda s: brief(s.regain.p99)),
)
QUEUE_COLUMNS: Final = (
    QueueFigureColumn("nominal", "its nominal quota", lambda q: f"{q.nominal:g}"),
    QueueFigureColumn("held", "what its jobs hold", lambda q: _amount(q.held_hours)),
    QueueFigureColumn("borrowed", "of this, beyond its nominal quota", lambda q: _amount(q.borrowed_hours)),
    QueueFigureColumn("requested", "what its jobs hold or wait for", lambda q: _amount(q.asked_hours)),
    QueueFigureColumn(
        "unmet quota",
        "own quota that it does not get although a job waits that fits it",
        lambda q: _amount(q.owed_hours),
    ),
    QueueFigureColumn("reclaim p50", _RECLAIM, lambda q: brief(q.regain.p50)),
    QueueFigureColumn("reclaim p95", _RECLAIM, lambda q: brief(q.regain.p95)),
    QueueFigureColumn("reclaim p99", _RECLAIM, lambda q: brief(q.regain.p99)),
    QueueFigureColumn("longest", "the longest reclaim", lambda q: brief(q.longest_regain)),
)
COLUMNS: Final = (*WAIT_COLUMNS, *PREEMPTION_COLUMNS, *HOUR_COLUMNS, *RECLAIM_COLUMNS)
"""Of settings, in order."""
MEANINGS: Final = {column.head: column.meaning for column in COLUMNS}
"""Of the columns of settings."""


def _notes(columns: Sequence[FigureColumn | QueueFigureColumn]) -> list[str]:
    """What the heads mean, each percentile of one figure once."""
    meanings = {_PERCENTILE.sub("", column.head): column.meaning for column in columns}
    return [f"{head}: {meaning}" for head, meaning in meanings.items()]


def setting_tables(answer: SimulateAnswer) -> list[Table]:
    """The settings and their groups: waits, preemptions, where quota goes, and how soon it is reclaimed."""
    hours_held = hours_of(answer.resource)
    return [
        _table("Waits in hours", WAIT_COLUMNS, answer),
        _table("Preemptions", PREEMPTION_COLUMNS, answer),
        _table(f"Where the {hours_held} go", HOUR_COLUMNS, answer),
        _table(f"Unmet quota in {hours_held}, and its reclaim", RECLAIM_COLUMNS, answer),
    ]


def queue_table(answer: SimulateAnswer) -> Table:
    """The ClusterQueues of each setting."""
    rows = [
        (
            f"{setting_words(figures.setting)}: {queue.queue}",
            *(legible(column.of_queue(queue)) for column in QUEUE_COLUMNS),
        )
        for figures in answer.settings
        for queue in figures.queues
    ]
    heads = ("setting and ClusterQueue", *(column.head for column in QUEUE_COLUMNS))
    title = f"ClusterQueues, in {hours_of(answer.resource)}"
    return Table(heads, rows, title, _notes(QUEUE_COLUMNS), numbers=True)


def _table(title: str, columns: Sequence[FigureColumn], answer: SimulateAnswer) -> Table:
    heads, *rows = _rows(columns, answer)
    shown = [(row[0], *map(legible, row[1:])) for row in rows if any(row[1:])]
    return Table(heads, shown, title, _notes(columns), numbers=True)


def csv_rows(answer: SimulateAnswer) -> Iterator[tuple[str, ...]]:
    """Every figure of the settings and their groups, below its heads."""
    return _rows(COLUMNS, answer)


def _rows(columns: Sequence[FigureColumn], answer: SimulateAnswer) -> Iterator[tuple[str, ...]]:
    yield "setting", *(column.head for column in columns)
    for figures in answer.settings:
        name = setting_words(figures.setting)
        yield name, *(column.of_setting(figures) for column in columns)
        for group in _in_order(figures.groups):
            yield f"{name}: {group.group}", *(column.of_group(group) for column in columns)


def _in_order(groups: Sequence[GroupFigures]) -> list[GroupFigures]:
    """The groups by their numbers if all are numbers, else by their names."""
    try:
        return sorted(groups, key=lambda group: Decimal(group.group))
    except InvalidOperation:
        return sorted(groups, key=lambda group: group.group)
