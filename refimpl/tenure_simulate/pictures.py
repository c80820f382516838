"""Pictures of settings: their front, their waits, ClusterQueues over time, the most preempted jobs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tenure_play.charts.words import clean, short
from tenure_play.drawing.scene import EDGE, WIDTH, Box, Label, Mark, Role, Sketch, Stroke, text_width
from tenure_simulate.answer_types import DrawnFigures, QueueLanes, SettingFigures, SimulateAnswer
from tenure_simulate.sweep import DURATION
from tenure_simulate.tables import brief, setting_words

SIZE: Final = 10.5
"""Of letters: on a phone a point is about a pixel."""
LINE: Final = 15.0
LEFT, RIGHT, BOTTOM = 46.0, 10.0, 34.0
_HOUR: Final = 3600 * 10**9
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
"""One of so many jobs waits longer than the upright axis of the distribution says, logarithmic in 1 - p."""
_DASHES: Final = (None, (5.0, 2.0), (2.0, 2.0), (7.0, 2.0))


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
"""Ticks of an axis of time, in seconds."""


@dataclass(frozen=True, slots=True)
class Scale:
    """A logarithmic axis.

    Args:
        low, high: its ends, powers of ten or not.
        start, length: where it lies, points.
    """

    low: float
    high: float
    start: float
    length: float

    def at(self, value: float) -> float:
        """Where a value lies."""
        part = math.log(max(value, self.low) / self.low) / math.log(self.high / self.low)
        return self.start + part * self.length


def scale_of(values: Sequence[float], start: float, length: float) -> Scale:
    """An axis for some values, with room around them; those that are not above 0 lie at its low end.

    >>> round(scale_of([1, 100], 0, 10).at(10))
    5
    """
    above = [value for value in values if value > 0] or [1.0]
    low, high = min(above), max(above)
    room = max((high / low) ** 0.12, 1.3)
    return Scale(low / room, high * room, start, length)


def _ticks(scale: Scale) -> list[float]:
    """1, 2 and 5 times powers of ten within an axis; powers only where these are many."""
    powers = range(math.floor(math.log10(scale.low)), math.ceil(math.log10(scale.high)) + 1)
    for factors in ((1, 2, 5), (1, 3), (1,)):
        found = [
            factor * 10.0**power
            for power in powers
            for factor in factors
            if scale.low <= factor * 10.0**power <= scale.high
        ]
        if len(found) <= 6:
            return found
    return found[:: len(found) // 6 + 1]


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


def front(answer: SimulateAnswer) -> Sketch:
    """All waits against what is wasted: a point for each setting, a line through those that none beats."""
    scene = Sketch()
    y = _title(scene, "Waiting against waste", "across: all waits of a job (p95); up: hours wasted")
    height, settings = 250.0, answer.settings
    across = scale_of([_wait(each) for each in settings], LEFT, WIDTH - LEFT - RIGHT)
    wasted = scale_of([each.wasted_hours for each in settings], 0, height)

    def down(value: float) -> float:
        return y + height - wasted.at(value)

    rows = [(down(tick), _figure(tick)) for tick in _ticks(wasted)]
    _axes(scene, across, [(tick, f"{_figure(tick)}h") for tick in _ticks(across)], (y, height), rows)
    best = sorted((each for each in settings if not _is_beaten(each, settings)), key=_wait)
    if len(best) > 1:
        points = tuple((across.at(_wait(each)), down(each.wasted_hours)) for each in best)
        scene.add(Stroke(points, Role.WAIT, 1.4, (4.0, 2.0)))
    groups = _groups(settings)
    taken: list[tuple[float, float, float, float]] = []
    for each in settings:
        x, here = across.at(_wait(each)), down(each.wasted_hours)
        role, mark = groups[group_words(each.setting)]
        scene.add(Mark(x, here, mark, 8.0, role))
        taken.append((x - 5, here - 5, x + 5, here + 5))
    # Settings of which one point is drawn are named once.
    names = {(each.setting.get(DURATION, "as written"), _wait(each), each.wasted_hours) for each in settings}
    for name, wait, hours in sorted(names):
        _named(scene, name, (across.at(wait), down(hours)), taken)
    bottom = y + height + BOTTOM
    for name, (role, mark) in groups.items():
        if name:
            scene.add(Mark(EDGE + 6, bottom, mark, 8.0, role), Label(EDGE + 16, bottom, name, SIZE))
            bottom += LINE
    scene.add(Label(EDGE, bottom, "dashed: no setting waits less and wastes less", SIZE, Role.MUTED))
    scene.height = bottom + LINE
    return scene


def _wait(figures: SettingFigures) -> float:
    return figures.all_waits.p95 / _HOUR


def _is_beaten(one: SettingFigures, settings: Sequence[SettingFigures]) -> bool:
    """Whether another setting waits less and wastes less."""
    mine = (_wait(one), one.wasted_hours)
    return any(
        other != mine and other[0] <= mine[0] and other[1] <= mine[1]
        for other in ((_wait(each), each.wasted_hours) for each in settings)
    )


def _named(
    scene: Sketch, name: str, at: tuple[float, float], taken: list[tuple[float, float, float, float]]
) -> None:
    """Write a name beside a point, where nothing is yet."""
    width, (x, y) = text_width(name, SIZE), at
    places = [(x + 8, y), (x - 8 - width, y), (x - width / 2, y - 12), (x - width / 2, y + 12)]
    places += [(x + 8, y - 11), (x + 8, y + 11), (x - 8 - width, y - 11), (x - 8 - width, y + 11)]
    boxes = [(left, middle - 6, left + width, middle + 6) for left, middle in places]
    free = [
        (x, y, right, low)
        for x, y, right, low in boxes
        if x >= LEFT and right <= WIDTH
        if not any(x < other[2] and other[0] < right and y < other[3] and other[1] < low for other in taken)
    ]
    box = (free or boxes)[0]
    taken.append(box)
    scene.add(Label(box[0], box[1] + 6, name, SIZE, halo=True))


def _title(scene: Sketch, title: str, below: str) -> float:
    scene.add(Label(EDGE, 10, clean(title), 12.5, bold=True))
    scene.add(Label(EDGE, 26, clean(below), SIZE, Role.MUTED))
    return 42.0


def _axes(
    scene: Sketch,
    across: Scale,
    ticks: Sequence[tuple[float, str]],
    span: tuple[float, float],
    rows: Sequence[tuple[float, str]],
) -> None:
    """Lines with their words: upright at values of a scale, below a height; across at some heights."""
    top, height = span
    for tick, text in ticks:
        x = across.at(tick)
        scene.add(Stroke(((x, top), (x, top + height)), Role.GRID, 0.8))
        scene.add(Label(x, top + height + 10, text, SIZE, Role.MUTED, "center"))
    for y, text in rows:
        scene.add(Stroke(((LEFT, y), (WIDTH - RIGHT, y)), Role.GRID, 0.8))
        scene.add(Label(LEFT - 6, y, text, SIZE, Role.MUTED, "right"))


def waits(answer: SimulateAnswer) -> Sketch:
    """The distribution of all waits of a job under each setting, most of it about those that wait longest."""
    scene = Sketch()
    y = _title(scene, "How long jobs wait in all", "so many percent of the jobs wait no longer")
    height = 240.0
    drawn = [(each, each.drawn) for each in answer.settings if each.drawn is not None]
    found = [max(wait / 1e9, 1.0) for _, each in drawn for wait in each.all_waits if wait]
    across = scale_of(found, LEFT, WIDTH - LEFT - RIGHT)

    def down(percent: float) -> float:
        return y + height * (1 - math.log(1 - percent / 100) / math.log(1 / _LONGEST))

    rows = [(down(percent), f"{percent}%") for percent in (0, 50, 80, 90, 95, 98, 99)]
    ticks = [(seconds, text) for seconds, text in _TIMES if across.low <= seconds <= across.high]
    _axes(scene, across, ticks, (y, height), rows)
    bottom = y + height + BOTTOM
    durations = list(dict.fromkeys(each.setting.get(DURATION, "") for each, _ in drawn))
    groups = list(_groups([each for each, _ in drawn]))
    for each, curve in drawn:
        role, _ = MARKS[durations.index(each.setting.get(DURATION, "")) % len(MARKS)]
        dash = _DASHES[groups.index(group_words(each.setting)) % len(_DASHES)]
        points = tuple(
            (across.at(max(wait / 1e9, across.low)), down(percent))
            for percent, wait in enumerate(curve.all_waits, 1)
        )
        scene.add(Stroke(points, role, 1.8, dash))
        scene.add(Stroke(((EDGE, bottom), (EDGE + 22, bottom)), role, 1.8, dash))
        words = f"{setting_words(each.setting)}: p95 {brief(each.all_waits.p95)}"
        scene.add(Label(EDGE + 28, bottom, short(words, 54), SIZE))
        bottom += LINE
    scene.height = bottom + 4
    return scene


def queues(figures: SettingFigures, drawn: DrawnFigures) -> Sketch:
    """Each ClusterQueue over time: what it holds of its own and of others' quota, asks for, and is owed."""
    scene = Sketch()
    y = _title(scene, "ClusterQueues over time", setting_words(figures.setting))
    legend: tuple[tuple[Role, str], ...] = (
        (Role.PROTECTED, "own quota"),
        (Role.FREE, "borrowed"),
        (Role.SAME_QUEUE, "owed"),
    )
    x = EDGE
    for role, text in legend:
        scene.add(Box(x, y - 4, 12, 8, role), Label(x + 16, y, text, SIZE))
        x += 26 + text_width(text, SIZE)
    scene.add(Stroke(((x, y), (x + 14, y)), Role.WAIT, 1.6), Label(x + 18, y, "asked for", SIZE))
    top, gap = y + 14, 12.0
    width, height = (WIDTH - 2 * EDGE - gap) / 2, 72.0
    nominal = {queue.queue: queue for queue in figures.queues}
    for number, queue in enumerate(drawn.queues):
        left = EDGE + (number % 2) * (width + gap)
        above = top + (number // 2) * (height + 34)
        own = nominal[queue.queue].nominal
        most = max([own * 1.6, *(a + b for a, b in zip(queue.own, queue.borrowed, strict=True))]) or 1.0
        name = f"{short(queue.queue, 14)}: {_figure(round(own, 1))}"
        owed = nominal[queue.queue].owed_hours
        scene.add(Label(left, above + 6, name, SIZE, bold=True))
        said = f"owed {_figure(round(owed))} h" if owed >= 0.5 else "owed < 1 h" if owed else "owed 0"
        scene.add(Label(left + width, above + 6, said, SIZE, Role.MUTED, "right"))
        _panel(scene, (left, above + 14, width, height), own / most, _parts(queue, most))
    scene.height = top + -(-len(drawn.queues) // 2) * (height + 34)
    return scene


def _parts(queue: QueueLanes, most: float) -> Iterator[tuple[float, float, float, float]]:
    """Own, borrowed, owed and asked of each part of the time, as parts of the height."""
    for own, borrowed, owed, asked in zip(queue.own, queue.borrowed, queue.owed, queue.asked, strict=True):
        yield own / most, borrowed / most, owed / most, min(asked / most, 1.0)


def _panel(
    scene: Sketch,
    at: tuple[float, float, float, float],
    nominal: float,
    parts: Iterator[tuple[float, float, float, float]],
) -> None:
    left, top, width, height = at
    listed = list(parts)
    step = width / len(listed)
    bottom = top + height
    for number, (own, borrowed, owed, _) in enumerate(listed):
        x, y = left + number * step, bottom
        for part, role in ((own, Role.PROTECTED), (borrowed, Role.FREE), (owed, Role.SAME_QUEUE)):
            # A hundredth of a point cannot be seen, and what is owed is to be seen.
            drawn = (
                max(part * height, 1.5) if role is Role.SAME_QUEUE and part * height > 0.05 else part * height
            )
            if drawn > 0.05:
                scene.add(Box(x, y - drawn, step + 0.15, drawn, role))
                y -= drawn
    asked = tuple(
        (left + (number + 0.5) * step, bottom - height * part)
        for number, (_, _, _, part) in enumerate(listed)
    )
    scene.add(Stroke(asked, Role.WAIT, 1.0))
    line = bottom - nominal * height
    scene.add(Stroke(((left, line), (left + width, line)), Role.TEXT, 0.8, (3.0, 2.0)))
    scene.add(Stroke(((left, bottom), (left + width, bottom)), Role.MUTED, 0.8))


def lanes(figures: SettingFigures, drawn: DrawnFigures) -> Sketch:
    """The most preempted jobs over time: how much of each part of it they work."""
    scene = Sketch()
    y = _title(scene, "Most preempted jobs", setting_words(figures.setting))
    width, height = WIDTH - 2 * EDGE, 22.0
    for lane in drawn.most_preempted:
        name = f"{short(clean(lane.job), 20)} in {short(clean(lane.queue), 16)}, size {lane.size:g}"
        said = f"{lane.times:,} times"
        scene.add(Label(EDGE, y + 4, name, SIZE))
        scene.add(Label(WIDTH - EDGE, y + 4, said, SIZE, align="right", bold=True))
        top, step = y + 13, width / len(lane.running)
        left, right = EDGE + lane.joined * step, EDGE + lane.ended * step
        scene.add(Box(left, top, max(right - left, 1.0), height, Role.GRID))
        for number, part in enumerate(lane.running):
            if part > 0:
                tall = max(part * height, 1.0)
                scene.add(Box(EDGE + number * step, top + height - tall, step + 0.15, tall, Role.PROTECTED))
        y += height + 28
    words = "blue: so much of the time it works; grey: from joining to its last work"
    scene.add(Label(EDGE, y, words if drawn.most_preempted else "no job is preempted", SIZE, Role.MUTED))
    scene.height = y + LINE
    return scene
