"""The measured speed as a chart and a table: `docs/data/bench.json`, which `make bench` writes.

On a page its text takes the colour of the text around it, and the lines have colours that can be told apart
on white and on black, so that one drawing serves both.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from docs.gen.markdown import table
from docs.gen.sources import ROOT
from tenure_play.drawing.scene import LIGHT, Label, Mark, Role, Sketch, Stroke, Theme, draw_legend_rows
from tenure_play.drawing.svg import svg

MEASURED: Final = ROOT / "docs" / "data" / "bench.json"
SHARE: Final = 10
"""The share of victims, in percent, that is drawn."""

SHAPES: Final = {
    "queue": "one ClusterQueue",
    "cohort": "flat cohort of 50",
    "tree": "three levels, 100 queues",
    "fair": "fair sharing over 50",
    "heroes": "a hero above 100 queues",
}


class Line(NamedTuple):
    """One line of the chart: a field of the data, its name, colour and dashes."""

    field: str
    name: str
    role: Role
    dash: tuple[float, float] | None = None


LINES: Final = (
    Line("kueue", "Kueue", Role.SAME_QUEUE),
    Line("reference", "reference", Role.WAIT, (6, 3)),
    Line("named", "core, from arrays", Role.PROTECTED),
    Line("whole", "core, from objects", Role.PROTECTED, (2, 3)),
)
PAGE: Final[Theme] = {
    **LIGHT,
    Role.PAPER: "none",
    Role.TEXT: "currentColor",
    Role.MUTED: "currentColor",
    Role.GRID: "#80808040",
    Role.SAME_QUEUE: "#d9730d",
    Role.WAIT: "#8a8f98",
    Role.PROTECTED: "#2f7fd1",
}
"""Its colours on a page, light or dark."""

Row = dict[str, Any]
_WIDTH, _HEIGHT, _LEFT, _TOP, _GAP = 300, 220, 62, 58, 66
_UNITS: Final = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1, "ns"))


def measured(path: Path = MEASURED) -> Row:
    """What was measured.

    Raises:
        OSError: there is no such file.
    """
    found: Row = json.loads(path.read_text(encoding="utf-8"))
    return {**found, "decisions": [_whole(row) for row in found["decisions"]]}


def _whole(row: Row) -> Row:
    """With what a whole decision takes: victims named, on arrays (`named`) and on objects (`whole`)."""
    if not row.get("cold"):
        return row
    named = row["cold"] + row["objects"]
    return {**row, "named": named, "whole": row["build"] + named}


def duration(nanoseconds: float) -> str:
    """A duration with two digits that count.

    >>> duration(25_400), duration(1_713_253_000), duration(940_000)
    ('25 µs', '1.7 s', '940 µs')
    """
    size, unit = next((unit for unit in _UNITS if nanoseconds >= unit[0]), _UNITS[-1])
    value = nanoseconds / size
    return f"{value:.1f} {unit}" if value < 10 else f"{float(format(value, '.2g')):.0f} {unit}"


def speed_table(found: Row) -> str:
    """Markdown: for each shape and size, what Kueue and whole decisions take, and their ratio."""
    rows = [
        [
            SHAPES[row["shape"]],
            f"{row['workloads']:,}",
            f"{row['victims']:,}",
            *(_cell(row.get(line.field)) for line in LINES),
            *(_times(row, name) for name in ("named", "whole")),
        ]
        for row in found["decisions"]
        if row["share"] == SHARE
    ]
    head = [
        "Shape",
        "Workloads",
        "Victims",
        "Kueue",
        "Reference",
        "From arrays",
        "From objects",
        "Kueue / from arrays",
        "Kueue / from objects",
    ]
    return table(head, rows)


def _cell(value: float | None) -> str:
    return "-" if value is None else duration(value)


def _times(row: Row, name: str) -> str:
    if not row.get("kueue") or not row.get(name):
        return "-"
    times = float(format(row["kueue"] / row[name], ".2g"))
    written = f"{times:,.0f}" if times >= 10 else f"{times:.1f}" if times >= 1 else f"{times:g}"
    return f"{written} times"


def speed_svgs(found: Row) -> str:
    """The charts two in a row, for a desk, and one below the other, for a phone; the style shows one."""
    wide = f'<div class="wide">{speed_svg(found)}</div>'
    return f'{wide}\n<div class="narrow">{speed_svg(found, columns=1)}</div>\n'


def speed_svg(found: Row, columns: int = 2, theme: Theme = PAGE) -> str:
    """A log-log chart for each shape: time of one decision over workloads that hold quota.

    Args:
        found: what was measured.
        columns: how many charts there are in a row, at most.
        theme: its colours.
    """
    title = "Time of one preemption decision, by workloads that hold quota; both axes are logarithmic"
    return svg(speed_chart(found, columns), title, theme=theme)


def speed_chart(found: Row, columns: int) -> Sketch:
    """The charts, at most so many in a row."""
    rows = [row for row in found["decisions"] if row["share"] == SHARE]
    shapes = [name for name in SHAPES if any(row["shape"] == name and row["cold"] for row in rows)]
    scale = _Scale.of(rows)
    columns = min(columns, len(shapes)) or 1
    sketch = Sketch(width=columns * (_WIDTH + _LEFT) + 32)
    named = [(line.name, [Stroke(((0, 0), (24, 0)), line.role, 2, line.dash)]) for line in LINES]
    first = draw_legend_rows(sketch, named, (_LEFT, 16), swatch=24, size=12) + _TOP - 16
    sketch.height = first + math.ceil(len(shapes) / columns) * (_HEIGHT + _GAP)
    for number, name in enumerate(shapes):
        corner = (_LEFT + number % columns * (_WIDTH + _LEFT), first + number // columns * (_HEIGHT + _GAP))
        _panel(sketch, name, [row for row in rows if row["shape"] == name], scale, corner)
    return sketch


class _Scale(NamedTuple):
    """Decades of both axes, the last one excluded."""

    first_count: int
    last_count: int
    first_time: int
    last_time: int

    @classmethod
    def of(cls, rows: Sequence[Row]) -> _Scale:
        counts = [math.log10(row["workloads"]) for row in rows]
        times = [math.log10(row[line.field]) for row in rows for line in LINES if row.get(line.field)]
        return cls(
            math.floor(min(counts)),
            max(math.ceil(max(counts)), math.floor(min(counts)) + 1),
            math.floor(min(times)),
            max(math.ceil(max(times)), math.floor(min(times)) + 1),
        )

    def place(self, count: float, time: float) -> tuple[float, float]:
        """Where a point lies in a panel."""
        across = (math.log10(count) - self.first_count) / (self.last_count - self.first_count)
        up = (math.log10(time) - self.first_time) / (self.last_time - self.first_time)
        return round(across * _WIDTH, 1), round((1 - up) * _HEIGHT, 1)


def _panel(sketch: Sketch, name: str, rows: list[Row], scale: _Scale, corner: tuple[float, float]) -> None:
    left, top = corner
    bottom = top + _HEIGHT
    sketch.add(Label(left, top - 12, SHAPES[name], 12, bold=True))
    for decade in range(scale.first_time, scale.last_time + 1):
        y = top + scale.place(10**scale.first_count, 10**decade)[1]
        sketch.add(Stroke(((left, y), (left + _WIDTH, y)), Role.GRID))
        told = duration(10**decade).replace(".0 ", " ")
        sketch.add(Label(left - 6, y, told, 12, align="right"))
    for decade in range(scale.first_count, scale.last_count + 1):
        x = left + scale.place(10**decade, 10**scale.first_time)[0]
        sketch.add(Label(x, bottom + 14, f"{10**decade:,}", 12, align="center"))
    sketch.add(Label(left + _WIDTH / 2, bottom + 32, "workloads", 12, align="center"))
    for line in LINES:
        known = sorted((row["workloads"], row[line.field]) for row in rows if row.get(line.field))
        points = [(left + x, top + y) for x, y in (scale.place(*pair) for pair in known)]
        if points:
            sketch.add(Stroke(tuple(points), line.role, 2, line.dash))
        for point, (count, time) in zip(points, known, strict=True):
            told = f"{line.name}, {count:,} workloads: {duration(time)}"
            sketch.add(Mark(*point, "o", 6, line.role, told=told))
