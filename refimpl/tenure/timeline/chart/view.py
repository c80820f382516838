"""A window of a play on a stretch of paper."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from tenure.model import Instant
from tenure.timeline.chart.lanes import Lane, Numbered
from tenure.timeline.chart.waiting import Span
from tenure.timeline.record import Preemption, Record, RunSpan

NARROW = 2.0
"""Runs below this width, points, are drawn together where several follow one another."""
CLOSE = 5.0
"""Preemptions nearer than this, points, cannot be told apart."""

NumberedPreemption: TypeAlias = tuple[int, Preemption]
"""A preemption, and its place in the record."""


@dataclass(frozen=True, slots=True)
class View:
    """A window.

    Args:
        record: the play.
        lanes: from the top.
        start, end: the window, ns since the epoch.
        left, width: where it lies, points.
        crowded: whether a lane is of many workloads, so that there is room for bars and marks only.
        prefix: of the identifiers of its shapes.
        aside: when each workload waits aside.
    """

    record: Record
    lanes: tuple[Lane, ...]
    start: Instant
    end: Instant
    left: float
    width: float
    crowded: bool = False
    prefix: str = ""
    aside: Mapping[str, Sequence[Span]] = field(default_factory=dict)

    @property
    def right(self) -> float:
        """Where it ends, points."""
        return self.left + self.width

    def x(self, at: Instant) -> float:
        """Where an instant lies, within the window, points."""
        within = min(max(at, self.start), self.end)
        return self.left + self.width * (within - self.start) / (self.end - self.start)

    def shows(self, start: Instant, end: Instant) -> bool:
        """Whether any of a span lies in the window."""
        return start <= self.end and end >= self.start

    def span(self, start: Instant, end: Instant) -> tuple[float, float]:
        """Where a span lies: its left end, and its width."""
        left = self.x(start)
        return left, self.x(end) - left

    def preemptions(self) -> Iterator[NumberedPreemption]:
        """Those in the window."""
        numbered = enumerate(self.record.preemptions)
        return (each for each in numbered if self.shows(each[1].at, each[1].at))


def pieces(view: View, row: Sequence[Numbered]) -> Iterator[tuple[Numbered, ...]]:
    """A row's runs in the window: one by one, or together where they are too narrow to be told apart."""
    piece: list[Numbered] = []
    for each in row:
        if not view.shows(each[1].start, each[1].end):
            continue
        if piece and not _joins(view, piece[-1][1], each[1]):
            yield tuple(piece)
            piece = []
        piece.append(each)
    if piece:
        yield tuple(piece)


def _joins(view: View, last: RunSpan, run: RunSpan) -> bool:
    narrow = all(view.span(each.start, each.end)[1] < NARROW for each in (last, run))
    return narrow and view.x(run.start) - view.x(last.end) < NARROW
