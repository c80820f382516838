"""The answer of `tenure simulate --trace` for people: inputs, what each setting changes, which to choose."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from tenure.outline import Facts, Item, Name, Outline, Part, TitledList, Words
from tenure.release import __version__
from tenure.units import format_duration
from tenure_simulate.answer_types import RatioRange, SettingFigures, SimulateAnswer, SpanRange
from tenure_simulate.choices import GroupedBy, Preference
from tenure_simulate.sweep import READING
from tenure_simulate.tables import (
    hours,
    hours_of,
    lost_share,
    queue_table,
    setting_tables,
    setting_words,
    short_words,
    units_of,
)

_HASH: Final = 12
"""Digits of a hash that are shown."""
_HOUR: Final = 3600 * 10**9
_MOST_FILES: Final = 3
_NONE: Final = 0.005
"""Hours that a table with two digits shows as none."""


_FOR: Final = {Preference.WAIT: "short waits", Preference.WASTE: "few hours lost"}


def outline_of(
    answer: SimulateAnswer,
    by: GroupedBy | None = None,
    preference: Preference | None = None,
    command: str = "",
) -> Outline:
    """The whole answer.

    Args:
        answer: of the simulation.
        by: what jobs are grouped by; ClusterQueues have a table of their own.
        preference: what counts most; None lists the choice for each preference.
        command: the command line; empty to leave it out.
    """
    facts: list[Words] = [(f"{term}: ", *words) for term, words in inputs_of(answer, command)]
    parts: list[Part] = [f"{headline(answer)}.", Facts(facts)]
    if len(answer.settings) > 1:
        parts.append(TitledList(against_words(answer), [Item(words) for words in effects_of(answer)]))
    if answer.settings:
        parts += [TitledList("Which to choose", choices_of(answer, preference))]
        parts += setting_tables(answer)
        if by == GroupedBy.QUEUE:
            parts.append(queue_table(answer))
        parts.append(_ranges(answer))
    return Outline("Simulation of a trace", parts)


def headline(answer: SimulateAnswer) -> str:
    """How many jobs on how much quota, for how long."""
    file = answer.trace.replace("\\", "/").rpartition("/")[2] or answer.trace
    quota = quota_of(answer)
    on = "" if quota is None else f" on {quota:,.6g} {units_of(answer.resource)}{'s' if quota != 1 else ''}"
    return f"{answer.jobs:,} jobs of {file}{on}, simulated for {format_duration(answer.length)}"


def quota_of(answer: SimulateAnswer) -> float | None:
    """All nominal quota, in sizes of the trace; None where settings differ in it."""
    counted = (answer.length - answer.inputs.warm_up) / _HOUR
    found = {round(each.available_hours / counted, 2) for each in answer.settings}
    return found.pop() if len(found) == 1 else None


def inputs_of(answer: SimulateAnswer, command: str = "") -> Iterator[tuple[str, tuple[str, ...]]]:
    """The inputs that decide the figures: terms, and what they are."""
    given = answer.inputs
    if command:
        yield "command", (Name(command),)
    yield "trace", (Name(answer.trace), f", sha256 {given.trace_sha256[:_HASH]}")
    files = [Name(file) for file in given.queues[:_MOST_FILES]]
    more = len(given.queues) - len(files)
    listed = tuple(word for file in files for word in (file, ", "))
    rest = (f"{more} more files, ",) if more else ()
    yield "queues", (*listed, *rest, f"sha256 of the objects {given.queues_sha256[:_HASH]}")
    is_swept = all(READING in each.setting for each in answer.settings)
    reading = "" if is_swept else f", reading {answer.reading}"
    yield "decided by", (f"Tenure {__version__}, Kueue {answer.kueue}{reading}",)
    yield "a preemption costs", (", ".join(_costs(answer)),)
    warm_up = f"a warm-up of {format_duration(given.warm_up)}" if given.warm_up else "no warm-up"
    yield "counted", (f"{warm_up}; seed {given.seed} of the ranges",)


def _costs(answer: SimulateAnswer) -> Iterator[str]:
    given = answer.inputs
    if given.progress == "lost":
        yield "all work done"
    elif given.checkpoint is None:
        yield "no work (all progress is kept)"
    else:
        yield f"the work since the last checkpoint, one every {format_duration(given.checkpoint)}"
    yield f"a restart of {format_duration(given.restart)}"
    yield f"{format_duration(given.eviction)} of terminating pods"


def against_words(answer: SimulateAnswer) -> str:
    """The heading of `effects_of`."""
    return f"Against {setting_words(answer.settings[0].setting)}"


def effects_of(answer: SimulateAnswer) -> list[str]:
    """A sentence for each setting against the first."""
    first, *others = answer.settings
    return [effect_words(first, each, hours_of(answer.resource)) for each in others]


def effect_words(one: SettingFigures, other: SettingFigures, unit: str) -> str:
    """What changes from one setting to another.

    Args:
        one, other: the settings.
        unit: of the hours, such as `GPU-hours`.
    """
    before, after = hours(one.all_waits.p95), hours(other.all_waits.p95)
    waits = f"p95 wait {before} h → {after} h" if before != after else f"p95 wait {after} h as before"
    more = other.wasted_hours - one.wasted_hours
    if abs(more) < _NONE:
        return f"{short_words(other.setting)}: {waits}, and as many {unit} lost"
    is_price = (more > 0) == (other.all_waits.p95 < one.all_waits.p95) and before != after
    joined = " for" if is_price and more > 0 else ", and"
    more_words = f"{_whole(abs(more))} {'more' if more > 0 else 'fewer'} {unit} lost"
    shares = f"{lost_share(one):.1%} → {lost_share(other):.1%} of those held"
    return f"{short_words(other.setting)}: {waits}{joined} {more_words} ({shares})"


def _whole(amount: float) -> str:
    return f"{amount:,.0f}" if amount >= 100 else f"{amount:,.2f}"


def chosen(settings: Sequence[SettingFigures], preference: Preference) -> SettingFigures:
    """The setting with the shortest p95 wait, or with least lost; of equals the one better in the other."""

    def cost(figures: SettingFigures) -> tuple[float, float]:
        found = _costs_of(figures)
        return found if preference == Preference.WAIT else found[::-1]

    return min(settings, key=cost)


def choices_of(answer: SimulateAnswer, preference: Preference | None) -> list[Item]:
    """What to choose for a preference, or for each, and what the next setting would change."""
    if len(answer.settings) < 2:
        return []
    unit, found = hours_of(answer.resource), {each: chosen(answer.settings, each) for each in Preference}
    if preference is None and found[Preference.WAIT] is found[Preference.WASTE]:
        best = found[Preference.WAIT]
        return [Item(f"for {_FOR[Preference.WAIT]} and {_FOR[Preference.WASTE]}: {_result(best, unit)}")]
    return [
        Item(f"for {_FOR[each]}: {_result(best, unit)}", [Item(words) for words in _next(answer, best, each)])
        for each, best in found.items()
        if preference in (None, each)
    ]


def _result(figures: SettingFigures, unit: str) -> str:
    return (
        f"{setting_words(figures.setting)}, p95 wait {hours(figures.all_waits.p95)} h and "
        f"{lost_share(figures):.1%} of the held {unit} lost"
    )


def _next(answer: SimulateAnswer, best: SettingFigures, preference: Preference) -> Iterator[str]:
    """What the setting next to the best would change, and whether other weeks could order them otherwise."""
    others = [
        each
        for each in answer.settings
        if not is_beaten(each, answer.settings) and _costs_of(each) != _costs_of(best)
    ]
    if not others:
        return
    other = chosen(others, preference)
    yield f"next is {effect_words(best, other, hours_of(answer.resource))}"
    one, two = best.confidence, other.confidence
    if one is None or two is None:
        return
    ranges = (one.all_waits_p95, two.all_waits_p95)
    if preference == Preference.WASTE:
        overlapping = _overlap(one.wasted_share, two.wasted_share)
    else:
        overlapping = _overlap(*ranges)
    if overlapping:
        yield "other weeks of the trace may order these two the other way round: their ranges overlap"


def _overlap(one: SpanRange | RatioRange, other: SpanRange | RatioRange) -> bool:
    return one.low <= other.high and other.low <= one.high


def is_beaten(one: SettingFigures, settings: Sequence[SettingFigures]) -> bool:
    """Whether another setting waits no longer, loses no more, and is better in one of both."""
    mine = _costs_of(one)
    return any(
        other != mine and other[0] <= mine[0] and other[1] <= mine[1] for other in map(_costs_of, settings)
    )


def _costs_of(figures: SettingFigures) -> tuple[float, float]:
    """The p95 wait, and what is lost."""
    return float(figures.all_waits.p95), figures.wasted_hours


def _ranges(answer: SimulateAnswer) -> TitledList:
    """The ranges of figures with other weeks; empty for a short trace."""
    items, title = [], ""
    for figures in answer.settings:
        found = figures.confidence
        if found is None:
            continue
        drawn = f"{found.weeks} weeks drawn {found.draws} times with seed {found.seed}"
        title = f"With other weeks of the trace, in 95 of 100 draws ({drawn})"
        first, total, times = found.first_wait_p95, found.all_waits_p95, found.preemptions_per_job
        ranges = (
            f"first p95 {hours(first.low)} to {hours(first.high)} h",
            f"total p95 {hours(total.low)} to {hours(total.high)} h",
            f"preemptions of a job {times.low:g} to {times.high:g}",
            f"lost {found.wasted_share.low:.2%} to {found.wasted_share.high:.2%} of what is held",
        )
        items.append(Item(f"{setting_words(figures.setting)}: {', '.join(ranges)}"))
    return TitledList(title, items)
