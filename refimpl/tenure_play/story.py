"""The story of a play: workloads that move together are one entry, and its lines are made when read."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, overload

from tenure.model import Instant
from tenure_play.record import Happening, StoryLine

PARKED: Final = "is parked: "
"""How a line begins about a workload that is not tried until it is woken; the reason follows."""


@dataclass(frozen=True, slots=True)
class MovedTogether:
    """Workloads of one ClusterQueue that move at one instant.

    Args:
        at, what: see `StoryLine`.
        workloads: their names, in order.
        cluster_queue: theirs.
        text: why, in words.
        alike: whether the text is about the first alone, and the others are parked because they are like it.
    """

    at: Instant
    what: Happening
    workloads: tuple[str, ...]
    cluster_queue: str
    text: str
    alike: bool = False

    def line(self, number: int) -> StoryLine:
        """The line about one of them."""
        text = self.text
        if self.alike and number:
            text = (
                f"{PARKED}the identical job {self.workloads[0]} does not fit; "
                "it is tried again when a job ends or quota is added"
            )
        return StoryLine(self.at, self.what, self.workloads[number], self.cluster_queue, text)


class StoryLines(Sequence[StoryLine]):
    """The lines of a story, in the order of time.

    >>> lines = StoryLines()
    >>> lines.append(StoryLine(0, Happening.NOTE, "", "", "it begins"))
    >>> lines.extend(MovedTogether(1, Happening.WOKEN, ("a/b", "a/c"), "q", "is tried again"))
    >>> [line.workload for line in lines], lines[-1].text, lines == tuple(lines)
    (['', 'a/b', 'a/c'], 'is tried again', True)
    """

    def __init__(self) -> None:
        self._entries: list[StoryLine | MovedTogether] = []
        self._starts = array("q")
        self._count = 0

    def append(self, line: StoryLine) -> None:
        """Something else happened."""
        self._add(line, 1)

    def extend(self, moved: MovedTogether) -> None:
        """Workloads have moved together."""
        self._add(moved, len(moved.workloads))

    def _add(self, entry: StoryLine | MovedTogether, lines: int) -> None:
        self._entries.append(entry)
        self._starts.append(self._count)
        self._count += lines

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[StoryLine]:
        for entry in self._entries:
            yield from _lines_of(entry)

    @overload
    def __getitem__(self, at: int) -> StoryLine: ...

    @overload
    def __getitem__(self, at: slice) -> tuple[StoryLine, ...]: ...

    def __getitem__(self, at: int | slice) -> StoryLine | tuple[StoryLine, ...]:
        if isinstance(at, slice):
            return tuple(self[number] for number in range(*at.indices(self._count)))
        number = at if at >= 0 else at + self._count
        if not 0 <= number < self._count:
            raise IndexError(at)
        place = bisect_right(self._starts, number) - 1
        entry = self._entries[place]
        return entry if isinstance(entry, StoryLine) else entry.line(number - self._starts[place])

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(_same, self, other))

    __hash__ = None  # type: ignore[assignment]


def _same(line: StoryLine, other: Any) -> bool:
    return bool(line == other)


def _lines_of(entry: StoryLine | MovedTogether) -> Iterable[StoryLine]:
    if isinstance(entry, StoryLine):
        return (entry,)
    return (entry.line(number) for number in range(len(entry.workloads)))
