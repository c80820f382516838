"""What is to be drawn: shapes in points from the top left, colours and marks by what they mean."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, TypeAlias

from tenure.errors import bad_input


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
"""A colour for every role, as `#rrggbb`; no two roles share one, so that a chart can be recoloured."""

# The hues of reasons are those of Okabe and Ito, which people with any kind of colour blindness tell apart.
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

_COLOUR = re.compile(r"(?P<what>fill: |stroke: )(?P<colour>#[0-9a-f]{6})")


def theme_named(name: str) -> Theme:
    """A theme by its name.

    Raises:
        tenure.errors.InputError: there is none of that name.

    >>> theme_named("dark")[Role.PAPER]
    '#1e2129'
    """
    if name not in THEMES:
        raise bad_input("--chart-theme", name, f"one of {', '.join(THEMES)}")
    return THEMES[name]


def recoloured(svg: str, old: Theme, new: Theme) -> str:
    """A chart of one theme in the colours of another: the same bytes as if it were drawn so.

    >>> recoloured('<path style="fill: #ffffff"/>', LIGHT, DARK)
    '<path style="fill: #1e2129"/>'
    """
    colours = {old[role]: new[role] for role in Role}
    return _COLOUR.sub(lambda found: found["what"] + colours.get(found["colour"], found["colour"]), svg)


@dataclass(frozen=True, slots=True)
class Style:
    """The mark of a reason.

    Args:
        role: its colour.
        shape: the name of a marker, as matplotlib has it.
    """

    role: Role
    shape: str


_STYLES = {
    "InClusterQueue": Style(Role.SAME_QUEUE, "v"),
    "InClusterQueueTimeBased": Style(Role.TIME_BASED, "D"),
    "InCohortReclamation": Style(Role.RECLAIM, "s"),
    "InCohortReclaimWhileBorrowing": Style(Role.BORROWING, "p"),
    "InCohortFairSharing": Style(Role.FAIR, "P"),
    "preempt": Style(Role.SAME_QUEUE, "v"),
    "reclaim": Style(Role.RECLAIM, "s"),
}
_OTHER = Style(Role.OTHER, "*")


def style_of(reason: str) -> Style:
    """The mark of a reason; one that is not known gets a star.

    >>> style_of("InClusterQueueTimeBased").shape, style_of("ByHand").shape
    ('D', '*')
    """
    return _STYLES.get(reason, _OTHER)


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
    """A text; `y` is its middle, `align` says which end is at `x`."""

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
class Sketch:
    """A drawing in the making.

    Args:
        shapes: in the order of drawing.
        used: kinds of things in it that the legend explains, see `tenure.timeline.chart.compose`.
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
