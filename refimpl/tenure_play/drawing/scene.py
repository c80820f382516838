"""What is to be drawn: shapes in points from the top left, colours and marks by what they mean."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Literal, TypeAlias

Align: TypeAlias = Literal["left", "center", "right"]


class Role(StrEnum):
    """What a colour is for."""

    PAPER = "paper"
    """Behind everything in a PNG; around marks, so that they stand out from bars."""
    TEXT = "text"
    MUTED = "muted"
    GRID = "grid"
    PROTECTED = "protected"
    FREE = "free"
    ENDING = "ending"
    WAIT = "wait"
    LOOP = "loop"
    LOOP_EDGE = "loop edge"
    DOWN = "down"
    EVENT = "event"
    PRIORITY = "priority"
    SAME_QUEUE = "same queue"
    TIME_BASED = "time-based"
    RECLAIM = "reclaim"
    BORROWING = "borrowing"
    FAIR = "fair"
    OTHER = "other"


Theme: TypeAlias = Mapping[Role, str]
"""A colour for every role, as SVG has it; in LIGHT and DARK `#rrggbb`, no two of them the same."""

# The hues of reasons are those of Okabe and Ito, distinct with any kind of colour blindness.
LIGHT: Theme = {
    Role.PAPER: "#ffffff",
    Role.TEXT: "#1b1f24",
    Role.MUTED: "#4d5761",
    Role.GRID: "#dce1e6",
    Role.PROTECTED: "#0b4f8a",
    Role.FREE: "#9ccbf0",
    Role.ENDING: "#7a838c",
    Role.WAIT: "#828b95",
    Role.LOOP: "#f1e9f8",
    Role.LOOP_EDGE: "#7d55a8",
    Role.DOWN: "#ececea",
    Role.EVENT: "#5c5a2e",
    Role.PRIORITY: "#3a4148",
    Role.SAME_QUEUE: "#d55e00",
    Role.TIME_BASED: "#009e73",
    Role.RECLAIM: "#b5558b",
    Role.BORROWING: "#a37c00",
    Role.FAIR: "#000000",
    Role.OTHER: "#6b6b6b",
}
DARK: Theme = {
    Role.PAPER: "#1e2129",
    Role.TEXT: "#e8edf2",
    Role.MUTED: "#b3bcc6",
    Role.GRID: "#353b45",
    Role.PROTECTED: "#4da3ee",
    Role.FREE: "#27557f",
    Role.ENDING: "#98a1ab",
    Role.WAIT: "#8f99a4",
    Role.LOOP: "#332b42",
    Role.LOOP_EDGE: "#bd9be3",
    Role.DOWN: "#3a3b3c",
    Role.EVENT: "#d3d08c",
    Role.PRIORITY: "#d9dee3",
    Role.SAME_QUEUE: "#ff8a33",
    Role.TIME_BASED: "#2fd3a4",
    Role.RECLAIM: "#ea94c4",
    Role.BORROWING: "#f0cd4c",
    Role.FAIR: "#fefefe",
    Role.OTHER: "#bdbdbd",
}
THEMES: Mapping[str, Theme] = {"light": LIGHT, "dark": DARK}

WIDTH = 375.0
"""Of a chart, points: on a phone of 390 pixels a point is about a pixel."""
PHONE_WIDTH = 440.0
"""Of what is no chart, in points of a phone's screen, so that words stay readable there."""
EDGE = 8.0
LETTER = 0.61
"""The mean width of a letter, in sizes of the font; a browser's own is rather narrower."""


class Hatch(StrEnum):
    """Lines that fill a box in the colour of its edge; the values are matplotlib's."""

    NONE = ""
    SLANTED = "////"
    UPRIGHT = "||||||"
    STRIPES = "/"


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle from its upper left corner.

    Args:
        x, y, width, height: points.
        fill, edge: its colours; without an edge, a hatch takes that of the text.
        hatch: what lies on its filling.
        id: its name in the SVG.
        told: what a reader sees who points at it.
        line: the width of its edge.
        dash: of its edge: on, off.
    """

    x: float
    y: float
    width: float
    height: float
    fill: Role | None
    edge: Role | None = None
    hatch: Hatch = Hatch.NONE
    id: str = ""
    told: str = ""
    line: float = 0.7
    dash: tuple[float, float] | None = None

    @property
    def bottom(self) -> float:
        """Its lowest y."""
        return self.y + self.height


@dataclass(frozen=True, slots=True)
class Stroke:
    """A line; `dash` is on, off."""

    points: tuple[tuple[float, float], ...]
    role: Role
    width: float = 1.0
    dash: tuple[float, float] | None = None

    @property
    def bottom(self) -> float:
        """Its lowest y."""
        return max(y for _, y in self.points)


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark around a point; `shape` as matplotlib names markers."""

    x: float
    y: float
    shape: str
    size: float
    role: Role
    hollow: bool = False
    id: str = ""
    told: str = ""

    @property
    def bottom(self) -> float:
        """Its lowest y."""
        return self.y + self.size / 2


@dataclass(frozen=True, slots=True)
class Label:
    """A text; `y` is its middle, `align` is what lies at `x`; with a halo, lines below it do not touch it."""

    x: float
    y: float
    text: str
    size: float = 8.0
    role: Role = Role.TEXT
    align: Align = "left"
    bold: bool = False
    halo: bool = False

    @property
    def length(self) -> float:
        """About how wide it is."""
        return text_width(self.text, self.size)

    @property
    def bottom(self) -> float:
        """Its lowest y."""
        return self.y + 0.7 * self.size


Shape: TypeAlias = Box | Stroke | Mark | Label


@dataclass(slots=True)
class Sketch:
    """A drawing in the making.

    Args:
        shapes: in the order of drawing.
        used: kinds of things in it that the legend explains, see `tenure_play.charts.compose`.
        width, height: points.
    """

    shapes: list[Shape] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    height: float = 0.0
    width: float = WIDTH

    def add(self, *shapes: Shape) -> None:
        """Draw on top of what is there."""
        self.shapes += shapes

    def show(self, kind: str, *shapes: Shape) -> None:
        """Draw something that the legend explains."""
        self.used.add(kind)
        self.shapes += shapes

    @property
    def bottom(self) -> float:
        """The lowest y of all shapes."""
        return max((shape.bottom for shape in self.shapes), default=0.0)


def text_width(text: str, size: float) -> float:
    """About how wide a text is, points.

    >>> round(text_width("four", 10), 1)
    24.4
    """
    return len(text) * size * LETTER


def moved(shape: Shape, x: float, y: float) -> Shape:
    """A shape so far to the right and down.

    >>> moved(Box(1, 2, 3, 4, None), 10, 20).bottom
    26
    """
    if isinstance(shape, Stroke):
        return replace(shape, points=tuple((across + x, down + y) for across, down in shape.points))
    return replace(shape, x=shape.x + x, y=shape.y + y)


def draw_legend_rows(
    sketch: Sketch,
    entries: Iterable[tuple[str, Iterable[Shape]]],
    start: tuple[float, float],
    *,
    swatch: float = 16.0,
    size: float = 11.0,
) -> float:
    """Draw entries one after another, in as many rows as the width of the sketch needs.

    Args:
        sketch: it is drawn on.
        entries: each a text, and shapes to the right of (0, 0), which is the middle of a row.
        start: the left end of the first row, in its middle, points.
        swatch: the width of the shapes.
        size: of the text.

    Returns:
        the middle of the last row.

    >>> draw_legend_rows(Sketch(width=100), [("one", ()), ("another", ())], (0, 10))
    28.0
    """
    left, middle = start
    for text, shapes in entries:
        # Words of several letters are narrower than the widest that a letter may be.
        wide = swatch + 5 + 0.9 * text_width(text, size)
        if left > start[0] and left + wide > sketch.width:
            left, middle = start[0], middle + 18.0
        label = Label(swatch + 5, 0, text, size, Role.MUTED)
        sketch.add(*(moved(shape, left, middle) for shape in (*shapes, label)))
        left += wide + 10
    return middle
