"""A matrix as a picture: rows are the preemptors' ClusterQueues, columns the victims'.

It is as wide as a phone's screen where there are not many ClusterQueues.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from tenure_check.analysis.matrix_answer import MatrixAnswer
from tenure_check.analysis.matrix_text import LEVELS, MOST_NAMED, NEVER, NONE, UNKNOWN, MatrixTable, table_of
from tenure_play.drawing.scene import (
    PHONE_WIDTH,
    Box,
    Hatch,
    Label,
    Role,
    Sketch,
    draw_legend_rows,
    text_width,
)
from tenure_play.drawing.svg import svg

MARGIN = 8
NUMBER = 28
"""What the number of a row takes."""
LARGEST, LEAST = 48, 12
"""Sides of an entry."""
LINE = 19
_SIZE = 13.0
_LETTER = text_width("0", _SIZE)
_label = partial(Label, size=_SIZE)

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
        count, right = len(table.groups), PHONE_WIDTH - MARGIN
        names = [table.name(row) for row in table.groups]
        self._is_named = count <= MOST_NAMED and len(names) == sum(map(len, table.groups))
        widest = max(map(len, names), default=0) * _LETTER
        self._left = MARGIN + (widest + 8 if self._is_named else NUMBER)
        """Where entries begin."""
        self._side = max(LEAST, min(LARGEST, int(right - self._left) // max(1, count)))
        if self._is_named and count:
            # A column is as wide as its head, if that keeps the picture on a phone's screen.
            self._column = max(float(self._side), min(widest + 8, (right - self._left) / count))
        else:
            self._column = float(self._side)
        self._heads_fit = self._is_named and self._column >= widest + 4
        self._names = [] if self._is_named else [f"{number}  {name}" for number, name in enumerate(names, 1)]
        self._rows = names if self._is_named else [str(number) for number in range(1, count + 1)]
        if self._is_named and not self._heads_fit:
            self._rows = [f"{number} {name}" for number, name in enumerate(names, 1)]
            self._left += 2 * _LETTER
            self._column = self._side = max(LEAST, min(LARGEST, int(right - self._left) // count))
        self._heads = names if self._heads_fit else [str(number) for number in range(1, count + 1)]
        self._is_halved = any(len(row) > 1 for row in table.groups)
        listed = max(map(len, self._names), default=0) * _LETTER
        width = max(PHONE_WIDTH, self._left + count * self._column + MARGIN, 2 * MARGIN + listed)
        self._scene = Sketch(width=width)

    def drawn(self) -> str:
        """All of it."""
        scene, top = self._scene, 4 * LINE
        self._heading()
        self._numbers(top)
        self._entries(top + LINE)
        scene.height = self._key(top + 2 * LINE - 5 + len(self._table.groups) * self._side) + LINE
        scene.shapes.insert(0, Box(0, 0, scene.width, scene.height, Role.PAPER))
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
        below = f"scope {self._answer.scope}, reading {self._answer.reading}"
        victim = max(self._left, MARGIN + 11 * _LETTER)
        self._scene.add(
            _label(MARGIN, LINE - 5, "Which workloads can ever preempt which", bold=True),
            _label(MARGIN, 2 * LINE - 5, below, role=Role.MUTED),
            _label(MARGIN, 3 * LINE, "preemptor", role=Role.MUTED),
            _label(victim, 3 * LINE, "victim", role=Role.MUTED),
        )

    def _numbers(self, top: float) -> None:
        """Heads of columns and rows; where entries are small, every fifth."""
        step = 1 if self._is_named or self._side >= 2 * LEAST - 4 else 5
        for place in range(0, len(self._table.groups), step):
            middle = self._left + (place + 0.5) * self._column
            y = top + LINE + (place + 0.5) * self._side
            self._scene.add(
                _label(middle, top + LINE - 11, self._heads[place], role=Role.MUTED, align="center"),
                _label(self._left - 6, y, self._rows[place], role=Role.MUTED, align="right"),
            )

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

    def _key(self, top: float) -> float:
        """What rows, columns and colours are, from the middle of a row on; that of the last row."""
        lines = ["Rows preempt, columns are victims. In an entry, from above:"]
        lines.append("victims of lower, equal and higher priority.")
        if self._is_halved:
            lines.append("Half an entry: one ClusterQueue on the left, two of the row on the right.")
        for place, name in enumerate(self._names):
            self._scene.add(_label(MARGIN, top + place * LINE, name))
        y = top + (len(self._names) + 0.5) * LINE
        for place, line in enumerate(lines):
            self._scene.add(_label(MARGIN, y + place * LINE, line, role=Role.MUTED))
        kinds = [(text, _bar(0, -6.5, 22, 13, sign)) for sign, text in _LEGEND]
        last = (MARGIN, y + len(lines) * LINE)
        return draw_legend_rows(self._scene, kinds, last, swatch=22, size=_SIZE)


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
