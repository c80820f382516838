"""A matrix as a picture: rows are the preemptors' ClusterQueues, columns the victims'.

An SVG of our own, with no library: its colours follow the reader's scheme, light or dark, its words stay
words, and it is as wide as a phone's screen where there are not many ClusterQueues.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from tenure.drawing.scene import DARK, LIGHT, Role, Theme
from tenure_check.analysis.matrix_table import NONE, SOME, MatrixTable, table_of
from tenure_check.analysis.matrix_types import MatrixAnswer

WIDTH = 420
"""In units of which a phone's screen has about as many."""
MARGIN = 8
NUMBER = 28
"""What the number of a row takes."""
LARGEST, LEAST = 48, 12
"""Sides of an entry."""
LINE = 19
_FONT = "system-ui, 'DejaVu Sans', sans-serif"
_LETTER = 7.2
"""The width of a letter of 13 units, on the wide side."""

_ROLES = {
    "paper": Role.PAPER,
    "text": Role.TEXT,
    "muted": Role.MUTED,
    "never": Role.GRID,
    "can": Role.SAME_QUEUE,
    "unknown": Role.WAIT,
}
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
    return _Picture(answer, table_of(answer.cells)).svg()


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
        self._width = max(WIDTH, 2 * MARGIN + NUMBER + count * self._side, 2 * MARGIN + widest)

    def svg(self) -> str:
        """All of it."""
        top = 3 * LINE
        below = top + LINE + len(self._table.groups) * self._side + LINE
        marks = [
            *self._heading(),
            *self._numbers(top),
            *self._entries(top + LINE),
            *self._key(below),
        ]
        height = below + LINE * (len(self._names) + len(_LEGEND) + 4 + self._is_halved)
        return "\n".join(
            [
                '<svg xmlns="http://www.w3.org/2000/svg" role="img" '
                f'viewBox="0 0 {self._width:g} {height:g}" width="{self._width:g}" '
                f'font-family="{_FONT}" font-size="13" aria-labelledby="map-title map-description">',
                f'<title id="map-title">{escape(self._title())}</title>',
                f'<desc id="map-description">{escape(" ".join(self._described()))}</desc>',
                f"<style>{_colours(LIGHT)} @media (prefers-color-scheme: dark) {{{_colours(DARK)}}}</style>",
                '<defs><pattern id="stripes" width="5" height="5" patternUnits="userSpaceOnUse" '
                'patternTransform="rotate(45)"><rect class="paper" width="5" height="5"/>'
                '<rect class="unknown" width="2" height="5"/></pattern></defs>',
                f'<rect class="paper" width="{self._width:g}" height="{height:g}"/>',
                *marks,
                "</svg>\n",
            ]
        )

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

    def _heading(self) -> Iterator[str]:
        yield _words(MARGIN, LINE, "Who may ever preempt whom", bold=True)
        yield _words(
            MARGIN, 2 * LINE, f"scope {self._answer.scope}, reading {self._answer.reading}", kind="muted"
        )

    def _numbers(self, top: float) -> Iterator[str]:
        """Numbers of columns and rows; where entries are small, of every fifth."""
        step = 1 if self._side >= 2 * LEAST - 4 else 5
        for place in range(len(self._table.groups)):
            if place % step == 0:
                middle = self._middle(place)
                yield _words(middle, top + LINE - 6, str(place + 1), kind="muted", anchor="middle")
                y = top + LINE + (place + 0.5) * self._side + 4.5
                yield _words(MARGIN + NUMBER - 6, y, str(place + 1), kind="muted", anchor="end")

    def _middle(self, place: int) -> float:
        return MARGIN + NUMBER + (place + 0.5) * self._side

    def _entries(self, top: float) -> Iterator[str]:
        groups = self._table.groups
        for place, row in enumerate(groups):
            for other, column in enumerate(groups):
                x, y = MARGIN + NUMBER + other * self._side, top + place * self._side
                code, among = self._table.code(row, column), self._table.among(row) if row is column else ""
                names = f"{self._table.name(row)} preempts {self._table.name(column)}"
                said = f"{names}: {_told(code)}" + (f"; others of the row: {_told(among)}" if among else "")
                yield f"<g><title>{escape(said)}</title>"
                width = self._side - 2
                if among:  # the ClusterQueue itself on the left, others of its row on the right
                    yield from _entry(x, y, width / 2 - 0.5, width, code)
                    yield from _entry(x + width / 2 + 0.5, y, width / 2 - 0.5, width, among)
                else:
                    yield from _entry(x, y, width, width, code)
                yield "</g>"

    def _key(self, top: float) -> Iterator[str]:
        y = top
        for name in self._names:
            yield _words(MARGIN, y, name)
            y += LINE
        y += LINE / 2
        yield _words(MARGIN, y, "Rows preempt, columns are victims. In an entry, from above:", kind="muted")
        yield _words(MARGIN, y + LINE, "victims of higher, equal and lower priority.", kind="muted")
        y += 2 * LINE
        if self._is_halved:
            halves = "Half an entry: itself on the left, others of its row on the right."
            yield _words(MARGIN, y, halves, kind="muted")
            y += LINE
        for sign, words in _LEGEND:
            yield from _bar(MARGIN, y - 11, 22, 13, sign)
            yield _words(MARGIN + 30, y, words)
            y += LINE


def _entry(x: float, y: float, width: float, height: float, code: str) -> Iterator[str]:
    """Three bars, from above: victims of higher, equal and lower priority."""
    part = height / 3
    for number, sign in enumerate(reversed(code)):
        yield from _bar(x, y + number * part, width, part - 0.8, sign)


def _bar(x: float, y: float, width: float, height: float, sign: str) -> Iterator[str]:
    if sign == NONE:
        return
    kinds = {"c": (("can", width),), ".": (("never", width),), "?": (("stripes", width),)}
    for kind, wide in kinds.get(sign, (("never", width), ("can", width / 2))):
        paint = 'fill="url(#stripes)"' if kind == "stripes" else f'class="{kind}"'
        yield f'<rect {paint} x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{height:.1f}"/>'


def _words(
    x: float, y: float, text: str, *, kind: str = "text", anchor: str = "start", bold: bool = False
) -> str:
    weight = ' font-weight="600"' if bold else ""
    return (
        f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{weight}>{escape(text)}</text>'
    )


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


def _colours(theme: Theme) -> str:
    return " ".join(f".{kind}{{fill:{theme[role]}}}" for kind, role in _ROLES.items())
