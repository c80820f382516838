"""A matrix as a picture: rows are the preemptors' ClusterQueues, columns the victims'.

It is as wide as a phone's screen where there are not many ClusterQueues.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from tenure_check.analysis.matrix_answer import MatrixAnswer
from tenure_check.analysis.matrix_text import LEVELS, MOST_NAMED, NEVER, NONE, UNKNOWN, MatrixTable, table_of
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

_LEGEND = (
    ("L", "can be preempted"),
    ("l", "some of them can"),
    (NEVER, "never"),
    (UNKNOWN, "not known"),
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
        names = [table.name(row) for row in table.groups]
        self._is_named = count <= MOST_NAMED and len(names) == sum(map(len, table.groups))
        widest = max(map(len, names), default=0) * _LETTER
        self._left = MARGIN + (widest + 8 if self._is_named else NUMBER)
        """Where entries begin."""
        self._side = max(LEAST, min(LARGEST, int(WIDTH - MARGIN - self._left) // max(1, count)))
        if self._is_named and count:
            # A column is as wide as its head, if that keeps the picture on a phone's screen.
            self._column = max(float(self._side), min(widest + 8, (WIDTH - MARGIN - self._left) / count))
        else:
            self._column = float(self._side)
        self._heads_fit = self._is_named and self._column >= widest + 4
        self._names = [] if self._is_named else [f"{number}  {name}" for number, name in enumerate(names, 1)]
        self._rows = names if self._is_named else [str(number) for number in range(1, count + 1)]
        if self._is_named and not self._heads_fit:
            self._rows = [f"{number} {name}" for number, name in enumerate(names, 1)]
            self._left += 2 * _LETTER
            self._column = self._side = max(LEAST, min(LARGEST, int(WIDTH - MARGIN - self._left) // count))
        self._heads = names if self._heads_fit else [str(number) for number in range(1, count + 1)]
        self._is_halved = any(len(row) > 1 for row in table.groups)
        listed = max(map(len, self._names), default=0) * _LETTER
        width = max(WIDTH, self._left + count * self._column + MARGIN, 2 * MARGIN + listed)
        self._scene = Sketch(width=width)

    def drawn(self) -> str:
        """All of it."""
        top = 4 * LINE
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
            f"Which workloads can ever preempt which: scope {self._answer.scope}, "
            f"reading {self._answer.reading}"
        )

    def _described(self) -> Iterator[str]:
        """What the picture shows, for those who do not see it."""
        counts = self._answer.counts
        yield f"{counts.can} cells can, {counts.never} never, {counts.unknown} are not known."
        for row in self._table.groups:
            listed = [
                f"{self._table.name(column)}: {_code_words(code)}"
                for column in self._table.groups
                if (code := self._table.code(row, column)).strip(NEVER + NONE)
            ]
            between = self._table.between(row)
            if between.strip(NEVER + NONE):
                listed.append(f"between two of these ClusterQueues: {_code_words(between)}")
            yield f"{self._table.name(row)} can preempt {'; '.join(listed) if listed else 'nothing'}."

    # -- marks --------------------------------------------------------------------------------------------

    def _heading(self) -> None:
        self._words(MARGIN, LINE, "Which workloads can ever preempt which", bold=True)
        below = f"scope {self._answer.scope}, reading {self._answer.reading}"
        self._words(MARGIN, 2 * LINE, below, Role.MUTED)
        self._words(MARGIN, 3 * LINE + 4, "preemptor", Role.MUTED)
        self._words(max(self._left, MARGIN + 11 * _LETTER), 3 * LINE + 4, "victim", Role.MUTED)

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
        """Heads of columns and rows; where entries are small, every fifth."""
        step = 1 if self._is_named or self._side >= 2 * LEAST - 4 else 5
        for place in range(0, len(self._table.groups), step):
            middle = self._left + (place + 0.5) * self._column
            self._words(middle, top + LINE - 6, self._heads[place], Role.MUTED, "center")
            y = top + LINE + (place + 0.5) * self._side + 4.5
            self._words(self._left - 6, y, self._rows[place], Role.MUTED, "right")

    def _entries(self, top: float) -> None:
        groups = self._table.groups
        pointed: list[Box] = []
        for place, row in enumerate(groups):
            for other, column in enumerate(groups):
                x, y = self._left + other * self._column, top + place * self._side
                code, between = (
                    self._table.code(row, column),
                    self._table.between(row) if row is column else "",
                )
                names = f"{self._table.name(row)} preempts {self._table.name(column)}"
                more = f"; between two of the row: {_code_words(between)}" if between else ""
                width, height = self._column - 2, self._side - 2
                pointed.append(Box(x, y, width, height, None, told=f"{names}: {_code_words(code)}{more}"))
                if between:  # the ClusterQueue itself on the left, two of its row on the right
                    self._scene.add(*_entry(x, y, width / 2 - 0.5, height, code))
                    self._scene.add(*_entry(x + width / 2 + 0.5, y, width / 2 - 0.5, height, between))
                else:
                    self._scene.add(*_entry(x, y, width, height, code))
        self._scene.add(*pointed)

    def _key(self, top: float) -> None:
        y = top
        for name in self._names:
            self._words(MARGIN, y, name)
            y += LINE
        y += LINE / 2
        self._words(MARGIN, y, "Rows preempt, columns are victims. In an entry, from above:", Role.MUTED)
        self._words(MARGIN, y + LINE, "victims of lower, equal and higher priority.", Role.MUTED)
        y += 2 * LINE
        if self._is_halved:
            halves = "Half an entry: one ClusterQueue on the left, two of the row on the right."
            self._words(MARGIN, y, halves, Role.MUTED)
            y += LINE
        for sign, words in _LEGEND:
            self._scene.add(*_bar(MARGIN, y - 11, 22, 13, sign))
            self._words(MARGIN + 30, y, words)
            y += LINE


def _entry(x: float, y: float, width: float, height: float, code: str) -> Iterator[Box]:
    """Three bars, from above: victims of lower, equal and higher priority."""
    part = height / 3
    for number, sign in enumerate(code):
        yield from _bar(x, y + number * part, width, part - 0.8, sign)


def _bar(x: float, y: float, width: float, height: float, sign: str) -> Iterator[Box]:
    if sign == UNKNOWN:
        yield Box(x, y, width, height, Role.PAPER, Role.WAIT, Hatch.STRIPES, line=0)
    elif sign != NONE:
        yield Box(x, y, width, height, Role.SAME_QUEUE if sign.isupper() else Role.GRID)
    if sign.islower():
        yield Box(x, y, width / 2, height, Role.SAME_QUEUE)


def _code_words(code: str) -> str:
    """The three signs in words.

    >>> _code_words("L--"), _code_words("LEH"), _code_words("l?-")
    ('lower can, equal never, higher never', 'all can', 'lower can in part, equal not known, higher never')
    """
    words = [(level, _verdict(sign)) for level, sign in zip(LEVELS, code, strict=True) if sign != NONE]
    if len({verdict for _, verdict in words}) == 1:
        return f"all {words[0][1]}"
    return ", ".join(f"{level} {verdict}" for level, verdict in words)


def _verdict(sign: str) -> str:
    if sign.isalpha():
        return "can" if sign.isupper() else "can in part"
    return "never" if sign == NEVER else "not known"
