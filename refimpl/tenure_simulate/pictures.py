"""Pictures of settings: waits against losses, the waits, ClusterQueues over time, the most preempted jobs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tenure.model import Duration
from tenure_play.charts.labels import clean, short
from tenure_play.drawing.scene import (
    EDGE,
    WIDTH,
    Align,
    Box,
    Label,
    Mark,
    Role,
    Shape,
    Sketch,
    Stroke,
    draw_legend_rows,
    text_width,
)
from tenure_simulate.answer_types import DrawnFigures, JobLane, QueueLanes, SettingFigures, SimulateAnswer
from tenure_simulate.choices import Preference
from tenure_simulate.summary import chosen, is_beaten
from tenure_simulate.sweep import DURATION
from tenure_simulate.tables import brief, hours_of, lost_share, setting_words, units_of

SIZE: Final = 10.5
"""Of letters: on a phone a point is about a pixel."""
LINE: Final = 15.0
LEFT, RIGHT, BOTTOM = 46.0, 10.0, 50.0
_HOUR: Final = 3600 * 10**9
_DAY: Final = 24 * _HOUR
MARKS: Final = (
    (Role.PROTECTED, "o"),
    (Role.SAME_QUEUE, "s"),
    (Role.TIME_BASED, "^"),
    (Role.RECLAIM, "D"),
    (Role.BORROWING, "v"),
    (Role.MUTED, "P"),
)
"""Of groups of settings, and of their curves."""
_LONGEST: Final = 125
"""The upright axis of the distribution, logarithmic in 1 - p, ends where one of so many jobs waits longer."""
_MARKED: Final = (50, 95, 99)
"""Percentiles that curves are marked at."""
_DASHES: Final = (None, (5.0, 2.0), (2.0, 2.0), (7.0, 2.0))
_WIDE: Final = 20.0
"""Values that differ by a larger factor have a logarithmic axis."""
_HINTS: Final = 28
"""Parts of a time axis that can be pointed at."""
_PANEL: Final = 66.0
_PANEL_LEFT: Final = 26.0

_TIMES: Final = (
    (1.0, "1s"),
    (10.0, "10s"),
    (60.0, "1m"),
    (600.0, "10m"),
    (3600.0, "1h"),
    (6 * 3600.0, "6h"),
    (24 * 3600.0, "1d"),
    (7 * 24 * 3600.0, "1w"),
    (30 * 24 * 3600.0, "30d"),
)
"""Ticks of an axis of waits, in seconds."""


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis.

    Args:
        low, high: its ends.
        start, length: where it lies, points.
        logarithmic: whether equal lengths are equal factors.
    """

    low: float
    high: float
    start: float
    length: float
    logarithmic: bool = True

    def at(self, value: float) -> float:
        """Where a value lies."""
        if self.logarithmic:
            part = math.log(max(value, self.low) / self.low) / math.log(self.high / self.low)
        else:
            part = (value - self.low) / (self.high - self.low)
        return self.start + part * self.length

    def ticks(self) -> list[float]:
        """Round values within it: 1, 2 and 5 times powers of ten."""
        if self.logarithmic:
            return _powers(self.low, self.high)
        return _steps(self.low, self.high, 5)


def scale_of(values: Sequence[float], start: float, length: float) -> Scale:
    """A logarithmic axis for some values with margins; those that are not above 0 lie at its low end.

    >>> round(scale_of([1, 100], 0, 10).at(10))
    5
    """
    above = [value for value in values if value > 0] or [1.0]
    low, high = min(above), max(above)
    margin = max((high / low) ** 0.12, 1.3)
    return Scale(low / margin, high * margin, start, length)


def axis_of(values: Sequence[float], start: float, length: float) -> Scale:
    """An axis for some values: from 0, or logarithmic where they differ by a large factor.

    >>> axis_of([1, 10], 0, 1).logarithmic, axis_of([1, 100], 0, 1).logarithmic
    (False, True)
    """
    above = [value for value in values if value > 0]
    if above and max(above) / min(above) > _WIDE:
        return scale_of(values, start, length)
    return Scale(0.0, (max(above, default=1.0)) * 1.15, start, length, logarithmic=False)


def _powers(low: float, high: float) -> list[float]:
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for factors in ((1, 2, 5), (1, 3), (1,)):
        found = [
            factor * 10.0**power
            for power in powers
            for factor in factors
            if low <= factor * 10.0**power <= high
        ]
        if len(found) <= 6:
            return found
    return found[:: len(found) // 6 + 1]


def _steps(low: float, high: float, most: int) -> list[float]:
    """Equal round steps.

    >>> _steps(0, 14, 5)
    [0.0, 5.0, 10.0]
    """
    power = 10.0 ** math.floor(math.log10((high - low) / most))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power * most >= high - low)
    first = math.ceil(low / step)
    return [round(number * step, 9) for number in range(first, math.floor(high / step) + 1)]


def _figure(value: float) -> str:
    """A number on an axis.

    >>> _figure(0.05), _figure(20000.0)
    ('0.05', '20k')
    """
    if value >= 1e6:
        return f"{value / 1e6:g}M"
    return f"{value / 1000:g}k" if value >= 10_000 else f"{value:g}"


def group_words(setting: Mapping[str, str]) -> str:
    """A setting without its duration.

    >>> group_words({"minAdmitDuration": "4h", "reading": "released"})
    'reading=released'
    """
    rest = {key: value for key, value in setting.items() if key != DURATION}
    return setting_words(rest) if rest else ""


def _groups(settings: Sequence[SettingFigures]) -> dict[str, tuple[Role, str]]:
    names = list(dict.fromkeys(group_words(figures.setting) for figures in settings))
    return {name: MARKS[number % len(MARKS)] for number, name in enumerate(names)}


def front(answer: SimulateAnswer, preference: Preference | None = None) -> Sketch:
    """Waits against losses: a point for each setting, a line through those that no other beats in both."""
    scene, unit, settings = Sketch(), hours_of(answer.resource), answer.settings
    y = _title(scene, "Waits against losses", f"{unit} lost")
    height = 240.0
    across = axis_of([_wait(each) for each in settings], LEFT, WIDTH - LEFT - RIGHT)
    lost = axis_of([each.wasted_hours for each in settings], 0, height)

    def down(value: float) -> float:
        return y + height - lost.at(value)

    rows = [(down(tick), _figure(tick)) for tick in lost.ticks()]
    ticks = [(tick, f"{_figure(tick)}h") for tick in across.ticks()]
    _axes(scene, across, ticks, (y, height), rows, "total wait of a job, p95")
    best = sorted((each for each in settings if not is_beaten(each, settings)), key=_wait)
    if len(best) > 1:
        points = tuple((across.at(_wait(each)), down(each.wasted_hours)) for each in best)
        scene.add(Stroke(points, Role.WAIT, 1.4, (4.0, 2.0)))
    groups = _groups(settings)
    preferred = None if preference is None else chosen(settings, preference)
    occupied: list[tuple[float, float, float, float]] = []
    for each in settings:
        x, here = across.at(_wait(each)), down(each.wasted_hours)
        role, mark = groups[group_words(each.setting)]
        if each is preferred:
            scene.add(Mark(x, here, "o", 17.0, Role.TEXT, hollow=True))
        scene.add(Mark(x, here, mark, 8.0, role, told=point_words(each, unit)))
        occupied.append((x - 5, here - 5, x + 5, here + 5))
    # Settings of which one point is drawn are named once.
    names = {(each.setting.get(DURATION, "as written"), _wait(each), each.wasted_hours) for each in settings}
    for name, wait, amount in sorted(names):
        _named(scene, name, (across.at(wait), down(amount)), occupied)
    bottom = y + height + BOTTOM
    named = [(name, [Mark(6, 0, mark, 8.0, role)]) for name, (role, mark) in groups.items() if name]
    bottom = draw_legend_rows(scene, named, (EDGE, bottom), swatch=12, size=SIZE) + LINE * bool(named)
    words = "dashed: no setting waits less and loses less"
    words += "" if preferred is None else f"; ring: for --prefer {preference}"
    scene.add(Label(EDGE, bottom, words, SIZE, Role.MUTED))
    scene.height = bottom + LINE
    return scene


def point_words(figures: SettingFigures, unit: str) -> str:
    """A setting's wait and losses."""
    return (
        f"{setting_words(figures.setting)}: p95 wait {brief(figures.all_waits.p95)}, "
        f"{figures.wasted_hours:,.0f} {unit} lost, {lost_share(figures):.1%} of those held"
    )


def _wait(figures: SettingFigures) -> float:
    return figures.all_waits.p95 / _HOUR


def _named(
    scene: Sketch, name: str, at: tuple[float, float], occupied: list[tuple[float, float, float, float]]
) -> None:
    """Write a name beside a point, where nothing is yet."""
    width, (x, y) = text_width(name, SIZE), at
    places = [(x + 9, y), (x - 9 - width, y), (x - width / 2, y - 13), (x - width / 2, y + 13)]
    places += [(x + 9, y - 11), (x + 9, y + 11), (x - 9 - width, y - 11), (x - 9 - width, y + 11)]
    boxes = [(left, middle - 6, left + width, middle + 6) for left, middle in places]
    free = [
        (x, y, right, low)
        for x, y, right, low in boxes
        if x >= LEFT and right <= WIDTH
        if not any(
            x < other[2] and other[0] < right and y < other[3] and other[1] < low for other in occupied
        )
    ]
    box = (free or boxes)[0]
    occupied.append(box)
    scene.add(Label(box[0], box[1] + 6, name, SIZE, halo=True))


def _title(scene: Sketch, title: str, below: str) -> float:
    """A title and, above the upright axis, what that shows."""
    scene.add(Label(EDGE, 10, clean(title), 12.5, bold=True))
    scene.add(Label(EDGE, 27, clean(below), SIZE, Role.MUTED))
    return 42.0


def _axes(
    scene: Sketch,
    across: Scale,
    ticks: Sequence[tuple[float, str]],
    span: tuple[float, float],
    rows: Sequence[tuple[float, str]],
    title: str,
) -> None:
    """Grid lines with their figures: upright below a height, across at some heights; a title below."""
    top, height = span
    for tick, text in ticks:
        x = across.at(tick)
        scene.add(Stroke(((x, top), (x, top + height)), Role.GRID, 0.8))
        scene.add(Label(x, top + height + 10, text, SIZE, Role.MUTED, "center"))
    for y, text in rows:
        scene.add(Stroke(((LEFT, y), (WIDTH - RIGHT, y)), Role.GRID, 0.8))
        scene.add(Label(LEFT - 6, y, text, SIZE, Role.MUTED, "right"))
    logarithmic = "" if not across.logarithmic else " (logarithmic)"
    scene.add(Label(WIDTH - RIGHT, top + height + 26, f"{title}{logarithmic}", SIZE, Role.MUTED, "right"))


def waits(answer: SimulateAnswer) -> Sketch:
    """The distribution of total waits under each setting; the longest have most of the upright axis."""
    scene = Sketch()
    y = _title(scene, "How long jobs wait", "jobs that wait no longer")
    height = 240.0
    drawn = [(each, each.drawn) for each in answer.settings if each.drawn is not None]
    found = [max(wait / 1e9, 1.0) for _, each in drawn for wait in each.all_waits if wait]
    across = scale_of(found, LEFT, WIDTH - LEFT - RIGHT)

    def down(percent: float) -> float:
        return y + height * (1 - math.log(1 - percent / 100) / math.log(1 / _LONGEST))

    rows = [(down(percent), f"{percent}%") for percent in (0, 50, 80, 90, 95, 98, 99)]
    ticks = [(seconds, text) for seconds, text in _TIMES if across.low <= seconds <= across.high]
    _axes(scene, across, ticks, (y, height), rows, "total wait of a job")
    bottom = y + height + BOTTOM
    durations = list(dict.fromkeys(each.setting.get(DURATION, "") for each, _ in drawn))
    groups = list(_groups([each for each, _ in drawn]))
    for each, curve in drawn:
        role, mark = MARKS[durations.index(each.setting.get(DURATION, "")) % len(MARKS)]
        dash = _DASHES[groups.index(group_words(each.setting)) % len(_DASHES)]
        points = [
            (across.at(max(wait / 1e9, across.low)), down(percent))
            for percent, wait in enumerate(curve.all_waits, 1)
        ]
        name = setting_words(each.setting)
        scene.add(Stroke(tuple(points), role, 1.8, dash))
        for percent in _MARKED:
            x, here = points[percent - 1]
            hint = f"{name}: {percent}% of the jobs wait at most {brief(curve.all_waits[percent - 1])}"
            scene.add(Mark(x, here, mark, 7.0, role, told=hint))
        scene.add(Stroke(((EDGE, bottom), (EDGE + 22, bottom)), role, 1.8, dash))
        scene.add(Mark(EDGE + 11, bottom, mark, 7.0, role))
        words = f"{name}: p95 {brief(each.all_waits.p95)}"
        scene.add(Label(EDGE + 28, bottom, short(words, 54), SIZE))
        bottom += LINE
    scene.height = bottom + 4
    return scene


@dataclass(frozen=True, slots=True)
class _Time:
    """The counted time, from `since` to `end` after the first submission, ns, in equal parts."""

    since: Duration
    end: Duration

    def axis(self, left: float, width: float) -> Scale:
        unit = self.unit[0]
        return Scale(self.since / unit, self.end / unit, left, width, logarithmic=False)

    @property
    def unit(self) -> tuple[Duration, str]:
        """In which unit it is counted, and its name."""
        return (_DAY, "day") if self.end - self.since >= 3 * _DAY else (_HOUR, "hour")

    def words(self, first: float, last: float) -> str:
        """A part of it, from one to another share."""
        unit, name = self.unit
        ends = [(self.since + share * (self.end - self.since)) / unit for share in (first, last)]
        return f"{name} {ends[0]:.3g} to {ends[1]:.3g}"


def _time(answer: SimulateAnswer) -> _Time:
    return _Time(answer.inputs.warm_up, answer.length)


def _time_axis(scene: Sketch, time: _Time, at: tuple[float, float, float, float]) -> None:
    """Ticks of time below a panel, at (left, top, width, height)."""
    left, top, width, height = at
    axis, low = time.axis(left, width), top + height
    for tick in _steps(axis.low, axis.high, 5):
        x = axis.at(tick)
        scene.add(Stroke(((x, low), (x, low + 3)), Role.MUTED, 0.8))
        align: Align = "left" if x <= left + 4 else "center" if x < left + width - 8 else "right"
        scene.add(Label(x, low + 9, f"{tick:g}", 10, Role.MUTED, align))


def queues(figures: SettingFigures, drawn: DrawnFigures, answer: SimulateAnswer) -> Sketch:
    """Each ClusterQueue over time: what it holds of its own and of others' quota, requests, and lacks."""
    scene, time, unit = Sketch(), _time(answer), units_of(answer.resource)
    below = f"{unit}s, over {time.unit[1]}s since the first submission"
    y = _title(scene, f"ClusterQueues, {setting_words(figures.setting)}", below)
    legend: tuple[tuple[str, list[Shape]], ...] = (
        ("own quota held", [Box(0, -4, 12, 8, Role.PROTECTED)]),
        ("borrowed", [Box(0, -4, 12, 8, Role.FREE)]),
        ("unmet quota", [Box(0, -4, 12, 8, Role.SAME_QUEUE)]),
        ("requested (cut off at the top)", [Stroke(((0, 0), (14, 0)), Role.WAIT, 1.6)]),
        ("nominal quota", [Stroke(((0, 0), (14, 0)), Role.TEXT, 0.8, (3.0, 2.0))]),
    )
    y = draw_legend_rows(scene, legend, (EDGE, y), swatch=13, size=SIZE)
    top, gap, pitch = y + 16, 10.0, _PANEL + 50
    width = (WIDTH - 2 * EDGE - gap) / 2
    by_name = {queue.queue: queue for queue in figures.queues}
    for number, queue in enumerate(drawn.queues):
        left = EDGE + (number % 2) * (width + gap)
        above = top + (number // 2) * pitch
        found = by_name[queue.queue]
        most = (
            max([found.nominal * 1.6, *(a + b for a, b in zip(queue.own, queue.borrowed, strict=True))])
            or 1.0
        )
        owed = found.owed_hours
        amount = f"{owed:,.0f}" if owed >= 10 else f"{owed:.2g}"
        unmet = f"unmet {amount} {unit}-h" if owed else "none unmet"
        scene.add(Label(left, above + 6, short(queue.queue, 13), SIZE, bold=True))
        scene.add(Label(left + width, above + 6, unmet, 10, Role.MUTED, "right"))
        at = (left + _PANEL_LEFT, above + 20, width - _PANEL_LEFT, _PANEL)
        _panel(scene, at, most, found.nominal, queue)
        _time_axis(scene, time, at)
        _panel_hints(scene, at, time, queue, found.nominal)
    scene.height = top + -(-len(drawn.queues) // 2) * pitch
    return scene


def _panel(
    scene: Sketch, at: tuple[float, float, float, float], most: float, nominal: float, queue: QueueLanes
) -> None:
    left, top, width, height = at
    step, bottom = width / len(queue.own), top + height
    amounts = zip(queue.own, queue.borrowed, queue.owed, strict=True)
    for number, stacked in enumerate(amounts):
        x, y = left + number * step, bottom
        for amount, role in zip(stacked, (Role.PROTECTED, Role.FREE, Role.SAME_QUEUE), strict=True):
            part = amount / most * height
            # A hundredth of a point cannot be seen, and unmet quota is to be seen.
            tall = max(part, 1.5) if role is Role.SAME_QUEUE and part > 0.05 else part
            if tall > 0.05:
                scene.add(Box(x, y - tall, step + 0.15, tall, role))
                y -= tall
    requested = tuple(
        (left + (number + 0.5) * step, bottom - height * min(amount / most, 1.0))
        for number, amount in enumerate(queue.asked)
    )
    scene.add(Stroke(requested, Role.WAIT, 1.0))
    line = bottom - nominal / most * height
    scene.add(Stroke(((left, line), (left + width, line)), Role.TEXT, 0.8, (3.0, 2.0)))
    scene.add(Stroke(((left, bottom), (left + width, bottom)), Role.MUTED, 0.8))
    labelled = {0.0: bottom, nominal: line, most: top}
    heights: list[float] = []
    for amount, y in labelled.items():
        if all(abs(y - other) >= 11 for other in heights):
            scene.add(Label(left - 4, y, _figure(round(amount)), 10, Role.MUTED, "right"))
            heights.append(y)


def _panel_hints(
    scene: Sketch, at: tuple[float, float, float, float], time: _Time, queue: QueueLanes, nominal: float
) -> None:
    """What a reader sees who points at a part of a panel."""
    left, top, width, height = at
    parts = len(queue.own)
    for first, last in _hinted(parts):

        def mean(amounts: Sequence[float], first: int = first, last: int = last) -> str:
            return f"{sum(amounts[first:last]) / (last - first):.3g}"

        hint = (
            f"{queue.queue}, {time.words(first / parts, last / parts)}: "
            f"holds {mean(queue.own)} of its {nominal:g}, borrows {mean(queue.borrowed)}, "
            f"requests {mean(queue.asked)}, unmet {mean(queue.owed)}"
        )
        x = left + width * first / parts
        scene.add(Box(x, top, width * (last - first) / parts, height, None, told=hint))


def _hinted(parts: int) -> Iterator[tuple[int, int]]:
    """The parts that share a hint, from one to before another."""
    each = -(-parts // _HINTS)
    return ((first, min(first + each, parts)) for first in range(0, parts, each))


def lanes(figures: SettingFigures, drawn: DrawnFigures, answer: SimulateAnswer) -> Sketch:
    """The most preempted jobs over time: for how much of each part of it they run."""
    scene, time = Sketch(), _time(answer)
    below = f"share of the time for which a job runs, over {time.unit[1]}s"
    y = _title(scene, f"Most preempted jobs, {setting_words(figures.setting)}", below)
    width, height = WIDTH - 2 * EDGE, 22.0
    for lane in drawn.most_preempted:
        name = f"{short(clean(lane.job), 20)} in {short(clean(lane.queue), 16)}, size {lane.size:g}"
        scene.add(Label(EDGE, y + 4, name, SIZE))
        times = f"{lane.times:,} preemption{'s' if lane.times != 1 else ''}"
        scene.add(Label(WIDTH - EDGE, y + 4, times, SIZE, align="right", bold=True))
        top, step = y + 17, width / len(lane.running)
        left, right = EDGE + lane.joined * step, EDGE + lane.ended * step
        scene.add(Box(EDGE, top + height, width, 0.8, Role.MUTED))
        scene.add(Box(left, top, max(right - left, 1.0), height, Role.GRID))
        for number, part in enumerate(lane.running):
            if part > 0:
                tall = max(part * height, 1.0)
                scene.add(Box(EDGE + number * step, top + height - tall, step + 0.15, tall, Role.PROTECTED))
        scene.add(Box(left, top, max(right - left, 1.0), height, None, told=_lane_words(lane, time)))
        _time_axis(scene, time, (EDGE, top, width, height))
        y += height + 44
    words = "blue: the job runs; grey: from its submission to its last run"
    scene.add(Label(EDGE, y, words if drawn.most_preempted else "no job is preempted", SIZE, Role.MUTED))
    scene.height = y + LINE
    return scene


def _lane_words(lane: JobLane, time: _Time) -> str:
    parts = len(lane.running)
    return f"{lane.job}: from submission to last run, {time.words(lane.joined / parts, lane.ended / parts)}"
