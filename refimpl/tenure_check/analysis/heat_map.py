"""A matrix as a picture: rows are the preemptors' ClusterQueues, columns the victims'.

It is as wide as a phone's screen where there are not many ClusterQueues.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from tenure_check.analysis.matrix_table import NONE, SOME, MatrixTable, table_of
from tenure_check.analysis.matrix_types import MatrixAnswer
from tenure_play.drawing.scene import Box, Hatch, Label, Role, Sketch
from tenure_play.drawing.svg import svg

WIDTH = 420
"""In units of which a phone's screen has about as many."""
MARGIN = 8
NUMBER = 28
"""What the number of a row takes."""
LARGEST, LEAST = 48, 12
"""Sides of an entry."""
LINE = 19
SIZE = 13.0
"""Of letters."""
_LETTER = 7.2
"""The width of a letter of 13 units, on the wide side."""

_WORDS = {"c": "can", ".": "never", "?": "not known", SOME: "can for some such priorities"}
_LEVELS = ("lower", "equal", "higher")
_LEGEND = (
    ("c", "can be preempted"),
    (".", "never"),
    ("?", "not known"),
    (SOME, "not the same for all such priorities"),
)


def heat_map(answer: MatrixAnswer) -> str:
    """The picture.

    Args:
        answer: with all cells of its matrix.
    """
    return _Picture(answer, table_of(answer.cells)).drawn()


class _Picture:
    def __init__(self, answer: MatrixAnswer, table: MatrixTable) -> None:
        self._answer, self._table = answer, table
        count = len(table.groups)
        room = WIDTH - 2 * MARGIN - NUMBER
        self._side = max(LEAST, min(LARGEST, room // max(1, count)))
        names = [f"{number + 1}  {table.name(row)}" for number, row in enumerate(table.groups)]
        self._names = names
        self._is_halved = any(len(row) > 1 for row in table.groups)
        widest = max(map(len, names), default=0) * _LETTER
        width = max(WIDTH, 2 * MARGIN + NUMBER + count * self._side, 2 * MARGIN + widest)
        self._scene = Sketch(width=width)

    def drawn(self) -> str:
        """All of it."""
        top = 3 * LINE
        below = top + LINE + len(self._table.groups) * self._side + LINE
        scene = self._scene
        scene.height = below + LINE * (len(self._names) + len(_LEGEND) + 4 + self._is_halved)
        scene.add(Box(0, 0, scene.width, scene.height, Role.PAPER))
        self._heading()
        self._numbers(top)
        self._entries(top + LINE)
        self._key(below)
        return svg(scene, self._title(), " ".join(self._described()))

    def _title(self) -> str:
        return (
            f"Which workloads may ever preempt which others: scope {self._answer.scope}, "
            f"reading {self._answer.reading}"
        )

    def _described(self) -> Iterator[str]:
        """What the picture shows, for those who do not see it."""
        counts = self._answer.counts
        yield f"{counts.can} cells can, {counts.never} never, {counts.unknown} are not known."
        for row in self._table.groups:
            said = [
                f"{self._table.name(column)}: {_told(code)}"
                for column in self._table.groups
                if (code := self._table.code(row, column)).strip(f".{NONE}")
            ]
            among = self._table.among(row)
            if among.strip(f".{NONE}"):
                said.append(f"others of these ClusterQueues: {_told(among)}")
            what = "; ".join(said) if said else "nothing"
            yield f"{self._table.name(row)} may preempt {what}."

    # -- marks --------------------------------------------------------------------------------------------

    def _heading(self) -> None:
        self._words(MARGIN, LINE, "Who may ever preempt whom", bold=True)
        below = f"scope {self._answer.scope}, reading {self._answer.reading}"
        self._words(MARGIN, 2 * LINE, below, Role.MUTED)

    def _words(
        self,
        x: float,
        y: float,
        text: str,
        role: Role = Role.TEXT,
        align: Literal["left", "center", "right"] = "left",
        *,
        bold: bool = False,
    ) -> None:
        """Words on a base line."""
        self._scene.add(Label(x, y - 0.36 * SIZE, text, SIZE, role, align, bold))

    def _numbers(self, top: float) -> None:
        """Numbers of columns and rows; where entries are small, of every fifth."""
        step = 1 if self._side >= 2 * LEAST - 4 else 5
        for place in range(0, len(self._table.groups), step):
            middle = MARGIN + NUMBER + (place + 0.5) * self._side
            self._words(middle, top + LINE - 6, str(place + 1), Role.MUTED, "center")
            y = top + LINE + (place + 0.5) * self._side + 4.5
            self._words(MARGIN + NUMBER - 6, y, str(place + 1), Role.MUTED, "right")

    def _entries(self, top: float) -> None:
        groups = self._table.groups
        pointed: list[Box] = []
        for place, row in enumerate(groups):
            for other, column in enumerate(groups):
                x, y = MARGIN + NUMBER + other * self._side, top + place * self._side
                code, among = self._table.code(row, column), self._table.among(row) if row is column else ""
                names = f"{self._table.name(row)} preempts {self._table.name(column)}"
                said = f"{names}: {_told(code)}" + (f"; others of the row: {_told(among)}" if among else "")
                width = self._side - 2
                pointed.append(Box(x, y, width, width, None, told=said))
                if among:  # the ClusterQueue itself on the left, others of its row on the right
                    self._scene.add(*_entry(x, y, width / 2 - 0.5, width, code))
                    self._scene.add(*_entry(x + width / 2 + 0.5, y, width / 2 - 0.5, width, among))
                else:
                    self._scene.add(*_entry(x, y, width, width, code))
        self._scene.add(*pointed)

    def _key(self, top: float) -> None:
        y = top
        for name in self._names:
            self._words(MARGIN, y, name)
            y += LINE
        y += LINE / 2
        self._words(MARGIN, y, "Rows preempt, columns are victims. In an entry, from above:", Role.MUTED)
        self._words(MARGIN, y + LINE, "victims of higher, equal and lower priority.", Role.MUTED)
        y += 2 * LINE
        if self._is_halved:
            halves = "Half an entry: itself on the left, others of its row on the right."
            self._words(MARGIN, y, halves, Role.MUTED)
            y += LINE
        for sign, words in _LEGEND:
            self._scene.add(*_bar(MARGIN, y - 11, 22, 13, sign))
            self._words(MARGIN + 30, y, words)
            y += LINE


def _entry(x: float, y: float, width: float, height: float, code: str) -> Iterator[Box]:
    """Three bars, from above: victims of higher, equal and lower priority."""
    part = height / 3
    for number, sign in enumerate(reversed(code)):
        yield from _bar(x, y + number * part, width, part - 0.8, sign)


def _bar(x: float, y: float, width: float, height: float, sign: str) -> Iterator[Box]:
    if sign == "?":
        yield Box(x, y, width, height, Role.PAPER, Role.WAIT, Hatch.STRIPES, line=0)
    elif sign != NONE:
        yield Box(x, y, width, height, Role.SAME_QUEUE if sign == "c" else Role.GRID)
    if sign == SOME:
        yield Box(x, y, width / 2, height, Role.SAME_QUEUE)


def _told(code: str) -> str:
    """The three signs in words.

    >>> _told("c..")
    'lower can, equal never, higher never'
    """
    if len(set(code) - {NONE}) == 1:
        return f"all {_WORDS[next(iter(set(code) - {NONE}))]}"
    told: Sequence[str] = [
        f"{level} {_WORDS[sign]}" for level, sign in zip(_LEVELS, code, strict=True) if sign != NONE
    ]
    return ", ".join(told)
