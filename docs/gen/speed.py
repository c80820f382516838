"""The measured speed as a chart and a table: `docs/data/bench.json`, which `make bench` writes.

    python -m docs.gen.speed build/speed.svg

The chart is SVG of our own: its text takes the colour of the page around it, and the lines have colours that
can be told apart on white and on black, so that one drawing serves both.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any, Final, NamedTuple

from docs.gen.markdown import table
from docs.gen.sources import ROOT

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
    colour: str
    dashes: str


LINES: Final = (
    Line("kueue", "Kueue", "#d9730d", ""),
    Line("reference", "reference", "#8a8f98", "6 3"),
    Line("cold", "core, cold", "#2f7fd1", ""),
)

Row = dict[str, Any]
_WIDTH, _HEIGHT, _LEFT, _TOP, _GAP = 300, 220, 62, 58, 66
_UNITS: Final = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1, "ns"))


def measured(path: Path = MEASURED) -> Row:
    """What was measured.

    Raises:
        OSError: there is no such file.
    """
    found: Row = json.loads(path.read_text(encoding="utf-8"))
    return found


def duration(nanoseconds: float) -> str:
    """A duration with two digits that count.

    >>> duration(25_400), duration(1_713_253_000), duration(940_000)
    ('25 µs', '1.7 s', '940 µs')
    """
    size, unit = next((unit for unit in _UNITS if nanoseconds >= unit[0]), _UNITS[-1])
    value = nanoseconds / size
    return f"{value:.1f} {unit}" if value < 10 else f"{float(format(value, '.2g')):.0f} {unit}"


def speed_table(found: Row) -> str:
    """Markdown: for each shape and size, what Kueue and the core take, and how many times as fast it is."""
    rows = [
        [
            SHAPES[row["shape"]],
            f"{row['workloads']:,}",
            f"{row['victims']:,}",
            *(_cell(row.get(name)) for name in ("kueue", "reference", "cold")),
            _times(row),
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
        "Cold",
        "Kueue / cold",
    ]
    return table(head, rows)


def _cell(value: float | None) -> str:
    return "-" if value is None else duration(value)


def _times(row: Row) -> str:
    if not row.get("kueue") or not row.get("cold"):
        return "-"
    times = row["kueue"] / row["cold"]
    return f"{float(format(times, '.2g')):,.0f} times"


def speed_svgs(found: Row) -> str:
    """The charts two in a row, for a desk, and one below the other, for a phone; the style shows one."""
    wide = f'<div class="wide">{speed_svg(found)}</div>'
    return f'{wide}\n<div class="narrow">{speed_svg(found, columns=1)}</div>\n'


def speed_svg(found: Row, columns: int = 2) -> str:
    """A log-log chart for each shape: time of one decision over workloads that hold quota.

    Args:
        found: what was measured.
        columns: how many charts there are in a row, at most.
    """
    rows = [row for row in found["decisions"] if row["share"] == SHARE]
    shapes = [name for name in SHAPES if any(row["shape"] == name and row["cold"] for row in rows)]
    scale = _Scale.of(rows)
    columns = min(columns, len(shapes)) or 1
    width = columns * (_WIDTH + _LEFT) + 32
    legend, lines = _legend(width)
    first = _TOP + 20 * (lines - 1)
    height = first + math.ceil(len(shapes) / columns) * (_HEIGHT + _GAP)
    title = "Time of one preemption decision, by workloads that hold quota; both axes are logarithmic"
    parts = [
        f'<svg class="tenure-speed" viewBox="0 0 {width} {height}" role="img" aria-label="{title}"'
        ' xmlns="http://www.w3.org/2000/svg" style="max-width: 100%; color: inherit"'
        ' font-family="inherit" font-size="12" fill="currentColor">',
        f"<title>{title}</title>",
        *legend,
    ]
    for number, name in enumerate(shapes):
        left = _LEFT + number % columns * (_WIDTH + _LEFT)
        top = first + number // columns * (_HEIGHT + _GAP)
        parts.extend(_panel(name, [row for row in rows if row["shape"] == name], scale, left, top))
    return "\n".join([*parts, "</svg>"]) + "\n"


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


def _legend(width: int) -> tuple[list[str], int]:
    """The names of the lines, and in how many lines they stand."""
    parts: list[str] = []
    left, number = _LEFT, 0
    for line in LINES:
        needed = 46 + 7 * len(line.name)
        if left > _LEFT and left + needed > width:
            left, number = _LEFT, number + 1
        down = 16 + 20 * number
        parts.append(f'<path d="M{left} {down}h24" {_stroke(line)}/>')
        parts.append(f'<text x="{left + 30}" y="{down + 4}">{escape(line.name)}</text>')
        left += needed
    return parts, number + 1


def _stroke(line: Line) -> str:
    dashes = f' stroke-dasharray="{line.dashes}"' if line.dashes else ""
    return f'fill="none" stroke="{line.colour}" stroke-width="2"{dashes}'


def _panel(name: str, rows: list[Row], scale: _Scale, left: int, top: int) -> Iterator[str]:
    yield f'<g transform="translate({left} {top})">'
    yield f'<text y="-8" font-weight="bold">{escape(SHAPES[name])}</text>'
    for decade in range(scale.first_time, scale.last_time + 1):
        _, up = scale.place(10**scale.first_count, 10**decade)
        yield f'<path d="M0 {up}h{_WIDTH}" stroke="currentColor" stroke-opacity=".15"/>'
        yield f'<text x="-6" y="{up + 4}" text-anchor="end">{duration(10**decade).replace(".0 ", " ")}</text>'
    for decade in range(scale.first_count, scale.last_count + 1):
        across, _ = scale.place(10**decade, 10**scale.first_time)
        yield f'<text x="{across}" y="{_HEIGHT + 18}" text-anchor="middle">{10**decade:,}</text>'
    yield f'<text x="{_WIDTH / 2}" y="{_HEIGHT + 36}" text-anchor="middle">workloads</text>'
    for line in LINES:
        yield from _drawn(line, sorted(rows, key=lambda row: int(row["workloads"])), scale)
    yield "</g>"


def _drawn(line: Line, rows: list[Row], scale: _Scale) -> Iterator[str]:
    known = [(row["workloads"], row[line.field]) for row in rows if row.get(line.field)]
    points = [scale.place(*pair) for pair in known]
    if not points:
        return
    through = " L".join(f"{x} {y}" for x, y in points)
    yield f'<path d="M{through}" {_stroke(line)}/>'
    for (x, y), (count, time) in zip(points, known, strict=True):
        told = f"{line.name}, {count:,} workloads: {duration(time)}"
        yield f'<circle cx="{x}" cy="{y}" r="3" fill="{line.colour}"><title>{escape(told)}</title></circle>'


def main(given: Sequence[str] | None = None) -> int:
    """Write the chart into a file."""
    arguments = sys.argv[1:] if given is None else list(given)
    if len(arguments) != 1:
        print("usage: python -m docs.gen.speed FILE.svg", file=sys.stderr)
        return 2
    Path(arguments[0]).write_text(speed_svg(measured()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
