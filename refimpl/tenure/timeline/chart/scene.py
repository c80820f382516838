"""What is to be drawn: shapes in points, from the top left, before any library draws them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from tenure.timeline.chart.theme import Role

WIDTH = 375.0
"""Of every chart, points: on a phone of 390 pixels a point is about a pixel."""
EDGE = 8.0
LETTER = 0.61
"""The mean width of a letter, in sizes of the font; a browser's own is rather narrower."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle from its upper left corner; `id` names it in the SVG, `told` is what it says there."""

    x: float
    y: float
    width: float
    height: float
    fill: Role | None
    edge: Role | None = None
    hatch: str = ""
    id: str = ""
    told: str = ""


@dataclass(frozen=True, slots=True)
class Stroke:
    """A line; `dash` is on, off."""

    points: tuple[tuple[float, float], ...]
    role: Role
    width: float = 1.0
    dash: tuple[float, float] | None = None
    id: str = ""
    told: str = ""


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


@dataclass(frozen=True, slots=True)
class Label:
    """A text; `y` is its middle, `align` says which end stands at `x`."""

    x: float
    y: float
    text: str
    size: float = 8.0
    role: Role = Role.TEXT
    align: Literal["left", "center"] = "left"
    bold: bool = False

    @property
    def length(self) -> float:
        """About how wide it is."""
        return text_width(self.text, self.size)


Shape: TypeAlias = Box | Stroke | Mark | Label


@dataclass(slots=True)
class Scene:
    """A drawing in the making.

    Args:
        shapes: in the order of drawing.
        used: kinds of things in it that the legend explains, see `tenure.timeline.chart.legend`.
        height: points.
    """

    shapes: list[Shape] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    height: float = 0.0

    def add(self, *shapes: Shape) -> None:
        """Draw on top of what is there."""
        self.shapes += shapes

    def show(self, kind: str, *shapes: Shape) -> None:
        """Draw something that the legend explains."""
        self.used.add(kind)
        self.shapes += shapes


def text_width(text: str, size: float) -> float:
    """About how wide a text is, points.

    >>> round(text_width("four", 10), 1)
    24.4
    """
    return len(text) * size * LETTER
