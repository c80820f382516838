"""The form of an example on a rule's page that a reader changes: controls, a table, and a still picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from tenure_play.drawing.scene import (
    DARK,
    LIGHT,
    PHONE_WIDTH,
    Box,
    Label,
    Role,
    Sketch,
    Stroke,
    draw_legend_rows,
)

_TOP, _CAPTION, _GAP, _LINE = 4.0, 16.0, 2.0, 1.5


class Control(NamedTuple):
    """What a reader chooses.

    Args:
        name: as sentences refer to it.
        label: what stands beside it.
        values: in order, as words.
        start: which of them is chosen at first, and in the still picture.
    """

    name: str
    label: str
    values: tuple[str, ...]
    start: int = 0


class Kind(NamedTuple):
    """A kind of cell: what it says, its colour, and how much of its track it fills."""

    words: str
    role: Role
    height: float = 1.0


@dataclass(frozen=True)
class Lesson:
    """An example with controls, the last of which is a slider.

    Args:
        name: of its files.
        intro: what it is about, Markdown.
        controls: see there.
        tracks: the name of each line of cells, as sentences refer to it too.
        kinds: by the letter that stands for a kind in `cells`.
        cells: a string of kinds for each track: where `is_series`, for each choice of all controls but the
            slider, a cell for each position of it; otherwise for each choice of all, a cell for each unit.
        numbers: by name, a number for each choice of all controls.
        is_series: whether the cells of a track are the positions of the slider.
        said: sentences, with the names of controls, tracks and numbers in braces.
        tall: the height of a track.
        heights: the name of the numbers that say how high cells are, and the number that fills a track.
        line: a number of that scale at which there is a line, and its words.
    """

    name: str
    intro: str
    controls: tuple[Control, ...]
    tracks: tuple[str, ...]
    kinds: Mapping[str, Kind]
    cells: Sequence[Sequence[str]]
    numbers: Mapping[str, Sequence[int]]
    is_series: bool
    said: tuple[str, ...]
    tall: float = 24.0
    heights: tuple[str, int] | None = None
    line: tuple[int, str] | None = None

    def place(self, chosen: Sequence[int], controls: int | None = None) -> int:
        """Where a choice of the first so many controls, or of all, is in the table."""
        place = 0
        for control, value in zip(self.controls[:controls], chosen, strict=False):
            place = place * len(control.values) + value
        return place

    def sentences(self, chosen: Sequence[int]) -> list[str]:
        """What is said of a choice."""
        named: dict[str, str] = {
            control.name: control.values[value] for control, value in zip(self.controls, chosen, strict=True)
        }
        named |= {name: str(values[self.place(chosen)]) for name, values in self.numbers.items()}
        if self.is_series:
            strips = self.cells[self.place(chosen, -1)]
            named |= {
                track: self.kinds[strip[chosen[-1]]].words
                for track, strip in zip(self.tracks, strips, strict=True)
            }
        return [sentence.format_map(named) for sentence in self.said]

    def shown_cells(self, chosen: Sequence[int]) -> Sequence[str]:
        """The cells of each track."""
        return self.cells[self.place(chosen, -1 if self.is_series else None)]

    def height_of(self, chosen: Sequence[int], position: int, letter: str) -> float:
        """How much of its track a cell fills."""
        if self.heights is None:
            return self.kinds[letter].height
        name, top = self.heights
        return self.numbers[name][self.place((*chosen[:-1], position))] / top

    def table(self) -> dict[str, Any]:
        """What the script reads."""
        kinds = {
            letter: [kind.words, LIGHT[kind.role], DARK[kind.role], kind.height]
            for letter, kind in self.kinds.items()
        }
        return {
            "controls": [control._asdict() for control in self.controls],
            "tracks": self.tracks,
            "kinds": kinds,
            "cells": self.cells,
            "numbers": self.numbers,
            "series": self.is_series,
            "said": self.said,
            "tall": self.tall,
            "heights": self.heights,
            "line": self.line,
        }


def title_of(lesson: Lesson) -> str:
    """What the still picture shows, for those who do not see it."""
    return " ".join(lesson.sentences([control.start for control in lesson.controls]))


def still(lesson: Lesson) -> Sketch:
    """The example as it is at first, for readers without script and for print."""
    chosen = [control.start for control in lesson.controls]
    sketch = Sketch(width=PHONE_WIDTH)
    tracks = lesson.shown_cells(chosen)
    width = PHONE_WIDTH / max(map(len, tracks))
    top = _TOP
    for name, cells in zip(lesson.tracks, tracks, strict=True):
        sketch.add(Label(0, top + 7, name, 12, bold=True))
        top += _CAPTION
        for position, letter in enumerate(cells):
            height = lesson.tall * lesson.height_of(chosen, position, letter)
            above = top + lesson.tall - height
            sketch.add(Box(position * width, above, width - _GAP, height, lesson.kinds[letter].role))
        if lesson.is_series:
            corner = (chosen[-1] * width - 1, top - 1)
            sketch.add(Box(*corner, width, lesson.tall + 2, None, Role.TEXT, line=_LINE))
        if lesson.line is not None and lesson.heights is not None:
            level = top + lesson.tall * (1 - lesson.line[0] / lesson.heights[1])
            sketch.add(Stroke(((0, level), (PHONE_WIDTH, level)), Role.TEXT, _LINE))
            sketch.add(Label(PHONE_WIDTH, level - 8, lesson.line[1], 11, align="right"))
        top += lesson.tall + 8
    if lesson.is_series:
        first, last = lesson.controls[-1].values[0], lesson.controls[-1].values[-1]
        sketch.add(Label(0, top + 2, first, 11, Role.MUTED))
        sketch.add(Label(PHONE_WIDTH, top + 2, last, 11, Role.MUTED, "right"))
        top += 14
    kinds = [
        (kind.words, [Box(0, 4 - 10 * kind.height, 14, 10 * kind.height, kind.role)])
        for kind in lesson.kinds.values()
    ]
    sketch.height = draw_legend_rows(sketch, kinds, (0, top + 6), swatch=14) + 28
    return sketch
