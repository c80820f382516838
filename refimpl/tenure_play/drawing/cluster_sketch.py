"""A picture of a cluster as shapes, as wide as a phone's screen; and in sentences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from tenure_play.drawing.cluster import WIDTH as BAR_WIDTH
from tenure_play.drawing.cluster import Bar, ClusterPicture, DrawnNode, Piece, jobs_of, nodes_of
from tenure_play.drawing.scene import (
    EDGE,
    PHONE_WIDTH,
    Box,
    Hatch,
    Label,
    Role,
    Sketch,
    Stroke,
    draw_legend_rows,
    text_width,
)

_STEP, _BAR, _SMALL, _LINE = 16.0, 20.0, 10.0, 1.5
_RUNS, _PROTECTED, _VICTIM, _PENDING, _BILLED, _NOMINAL = (
    "runs",
    "protected",
    "preempted, in this order",
    "pending",
    "billed for a hero",
    "nominal quota",
)
_KINDS: Final = {
    _RUNS: Box(0, -5.5, 16, 11, Role.FREE),
    _PROTECTED: Box(0, -5.5, 16, 11, Role.PROTECTED),
    _VICTIM: Box(0, -5.5, 16, 11, Role.PAPER, Role.SAME_QUEUE, Hatch.STRIPES, line=_LINE),
    _PENDING: Box(0, -5.5, 16, 11, None, Role.TEXT, line=_LINE, dash=(4, 3)),
    _BILLED: Box(0, -5.5, 16, 11, Role.LOOP, Role.LOOP_EDGE, line=_LINE),
    _NOMINAL: Box(0, -5.5, 16, 11, None, Role.MUTED, line=_LINE),
}
"""How everything is drawn, as it is in the legend."""


def sketch_of(picture: ClusterPicture) -> Sketch:
    """The trees of a picture, one below the other, for each of its flavor-resources.

    >>> sketch_of(ClusterPicture(0, (), (), (), (), 0, 0, 0)).shapes
    []
    """
    return _ClusterSketch(picture).drawn()


def sentences_of(picture: ClusterPicture) -> Iterator[str]:
    """What a picture shows, for those who do not see it.

    >>> list(sentences_of(ClusterPicture(0, (), (), (), (), 0, 0, 0, "new in a: NoFit")))
    ['new in a: NoFit.']
    """
    jobs = {job.number: job for job in jobs_of(picture)}
    for column, label in enumerate(picture.columns):
        for node in nodes_of(picture):
            for bar in node.bars:
                if bar.column != column or not node.is_queue:
                    continue
                named = [jobs[piece.job] for piece in bar.used if piece.job is not None]
                running = ", ".join(f"{_short(job.name)} {job.amount_on(label)}" for job in named)
                of = f" of {label}" if len(picture.columns) > 1 else ""
                yield f"{node.name}{of}: {bar.words}{f'; running: {running}' if running else ''}."
    if picture.decided:
        yield f"{picture.decided}."


class _ClusterSketch:
    def __init__(self, picture: ClusterPicture) -> None:
        self._picture = picture
        self._jobs = {job.number: job for job in jobs_of(picture)}
        self._sketch = Sketch(width=PHONE_WIDTH)
        deepest = max(map(_depth, picture.trees), default=0)
        self._left = EDGE + _STEP * deepest
        """Where all bars begin, so that they have one scale."""
        self._scale = (PHONE_WIDTH - EDGE - self._left) / BAR_WIDTH

    def drawn(self) -> Sketch:
        """All of it."""
        sketch, columns = self._sketch, self._picture.columns
        for column, label in enumerate(columns):
            if len(columns) > 1:
                sketch.add(Label(EDGE, sketch.bottom + 20, label, 12, Role.MUTED))
            for tree in self._picture.trees:
                self._node(tree, column, 0)
        used = [(kind, [box]) for kind, box in _KINDS.items() if kind in sketch.used]
        draw_legend_rows(sketch, used, (EDGE, sketch.bottom + 20))
        return sketch

    def _node(self, node: DrawnNode, column: int, depth: int) -> None:
        left, middle = EDGE + _STEP * depth, self._sketch.bottom + 18
        if depth:
            trunk = left - _STEP + 5
            branch = ((trunk, middle - 22), (trunk, middle), (left - 3, middle))
            self._sketch.add(Stroke(branch, Role.WAIT, _LINE))
        self._sketch.add(Label(left, middle, node.name, 12, bold=True))
        bar = next((bar for bar in node.bars if bar.column == column), None)
        said = bar.words if bar else "no quota"
        said = said if node.is_queue else f"cohort, {said}"
        if left + text_width(node.name, 12) + text_width(said, 11) > PHONE_WIDTH - 2 * EDGE:
            middle += 15
        self._sketch.add(Label(PHONE_WIDTH - EDGE, middle, said, 11, Role.MUTED, "right"))
        if bar and node.is_queue:
            self._bar(bar, middle + 10)
        for child in node.below:
            self._node(child, column, depth + 1)

    def _bar(self, bar: Bar, top: float) -> None:
        if bar.billed:
            self._box(_BILLED, bar.nominal - bar.billed, bar.billed, top)
        for piece in bar.used:
            kind = _PROTECTED if piece.protected else _RUNS
            self._box(_VICTIM if self._order(piece) else kind, piece.x, piece.width, top)
        if bar.nominal:
            self._box(_NOMINAL, 0, bar.nominal, top)
        for piece in bar.used:
            self._name(piece, top)
        below = top + _BAR + 3 if bar.used or bar.nominal else top
        for piece in bar.pending:
            self._box(_PENDING, piece.x, piece.width, below)
            self._name(piece, below)

    def _order(self, piece: Piece) -> int:
        """Its place among the victims; 0 where it is none."""
        return 0 if piece.job is None else self._jobs[piece.job].victim

    def _box(self, kind: str, x: float, width: float, top: float) -> None:
        """A part of a bar, `x` and `width` of `BAR_WIDTH`; a gap follows it unless it frames others."""
        gap = 0 if kind in (_NOMINAL, _BILLED) else 1
        left, wide = self._left + x * self._scale, max(width * self._scale - gap, 0)
        self._sketch.show(kind, replace(_KINDS[kind], x=left, y=top, width=wide, height=_BAR))

    def _name(self, piece: Piece, top: float) -> None:
        """The job of a piece in its middle, as far as there is room; of a victim at least the order."""
        if piece.job is None:
            return
        job, order = self._jobs[piece.job], self._order(piece)
        # Where all priorities are equal, they go without saying.
        name = f"{_short(job.name)} {job.priority}" if len(self._picture.levels) > 1 else _short(job.name)
        role = Role.PAPER if piece.protected and not order else Role.TEXT
        room = piece.width * self._scale - 8
        middle = self._left + (piece.x + piece.width / 2) * self._scale
        for text in (f"{order} {name}", f"{order}") if order else (name,):
            wide = text_width(text, _SMALL)
            if wide > room:
                continue
            if order:  # on stripes
                self._sketch.add(Box(middle - wide / 2 - 2, top + 3, wide + 4, _BAR - 6, Role.PAPER))
            self._sketch.add(Label(middle, top + _BAR / 2, text, _SMALL, role, "center", bold=bool(order)))
            return


def _depth(node: DrawnNode) -> int:
    return max((1 + _depth(child) for child in node.below), default=0)


def _short(name: str) -> str:
    return name.rpartition("/")[2]
