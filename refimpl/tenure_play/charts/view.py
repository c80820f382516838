"""What is shown of a play, and where: lanes, waits, the steps of the axis, a window on the paper."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from tenure.model import MINUTE, SECOND, Duration, Instant
from tenure.units import format_instant
from tenure_play.charts.labels import name_of
from tenure_play.drawing.scene import Role
from tenure_play.record import Happening, Preemption, Record, RunSpan, WaitSpan
from tenure_play.scenario import MILLISECOND

MOST_WORKLOADS = 12
"""More than these have no lane each."""
MOST_LANES = 40
_NUMBER = re.compile(r"[-_.]?\d+$")

Numbered: TypeAlias = tuple[int, RunSpan]
"""A run, and its place in the record."""


@dataclass(frozen=True, slots=True)
class Lane:
    """A lane.

    Args:
        name: what is beside it.
        queue: the ClusterQueue under which it is.
        workloads: `namespace/name` of those in it.
        rows: runs; those of one row do not overlap.
        waits: in the order of their start.
    """

    name: str
    queue: str
    workloads: tuple[str, ...]
    rows: tuple[tuple[Numbered, ...], ...]
    waits: tuple[WaitSpan, ...] = ()


def workload_lanes(record: Record, only: Iterable[str] | None = None) -> tuple[Lane, ...]:
    """A lane for each workload, or for some, by queue and then by submission."""
    chosen = {summary.workload for summary in record.workloads} if only is None else set(only)
    groups = {(summary.cluster_queue, summary.workload): (summary.workload,) for summary in record.workloads}
    kept = {key: members for key, members in groups.items() if key[1] in chosen}
    return _lanes(record, {key: (name_of(record, key[1]), members) for key, members in kept.items()})


def lanes_of(record: Record) -> tuple[Lane, ...]:
    """The lanes of a play: by workload, by user, or by place, whichever is the first that is not too many.

    >>> lanes_of(Record("s", "", "guaranteed", 0, 9))
    ()
    """
    if len(record.workloads) <= MOST_WORKLOADS:
        return workload_lanes(record)
    users = _users(record)
    if len(users) <= min(MOST_LANES, len(record.workloads) // 2):
        return _lanes(record, users)
    return _places(record)


def user_of(workload: str) -> str:
    """Whose workload it is, where names end with a number.

    >>> user_of("default/scientist-14-001"), user_of("default/first")
    ('default/scientist-14', 'default/first')
    """
    namespace, slash, name = workload.partition("/")
    return f"{namespace}{slash}{_NUMBER.sub('', name) or name}"


_Groups: TypeAlias = dict[tuple[str, str], tuple[str, tuple[str, ...]]]
"""By queue and key: a lane's name and who is in it."""


def _users(record: Record) -> _Groups:
    members: dict[tuple[str, str], list[str]] = {}
    for summary in record.workloads:
        members.setdefault((summary.cluster_queue, user_of(summary.workload)), []).append(summary.workload)
    return {key: (name_of(record, key[1]), tuple(members[key])) for key in sorted(members)}


def _lanes(record: Record, groups: _Groups) -> tuple[Lane, ...]:
    lane_of = {name: key for key, (_, members) in groups.items() for name in members}
    runs: dict[tuple[str, str], list[Numbered]] = {key: [] for key in groups}
    waits: dict[tuple[str, str], list[WaitSpan]] = {key: [] for key in groups}
    for number, run in enumerate(record.runs):
        if run.workload in lane_of:
            runs[lane_of[run.workload]].append((number, run))
    for wait in record.waits:
        if wait.workload in lane_of:
            waits[lane_of[wait.workload]].append(wait)
    queues = list(dict.fromkeys(key[0] for key in groups))
    ordered = sorted(groups, key=lambda key: queues.index(key[0]))
    return tuple(
        Lane(groups[key][0], key[0], groups[key][1], packed(runs[key]), tuple(waits[key])) for key in ordered
    )


def packed(runs: Sequence[Numbered]) -> tuple[tuple[Numbered, ...], ...]:
    """Runs in as few rows as there are at once."""
    rows: list[list[Numbered]] = []
    for run in sorted(runs, key=lambda pair: (pair[1].start, pair[0])):
        free = next((row for row in rows if row[-1][1].end <= run[1].start), None)
        if free is None:
            rows.append([run])
        else:
            free.append(run)
    return tuple(tuple(row) for row in rows)


def _places(record: Record) -> tuple[Lane, ...]:
    queues = dict.fromkeys(summary.cluster_queue for summary in record.workloads)
    lanes: list[Lane] = []
    for queue in queues:
        runs = [(number, run) for number, run in enumerate(record.runs) if run.cluster_queue == queue]
        for place, row in enumerate(packed(runs), 1):
            lanes.append(Lane(f"place {place}", queue, tuple({run.workload for _, run in row}), (row,)))
    return tuple(lanes)


Span: TypeAlias = tuple[Instant, Instant]
"""From, to; ns since the epoch."""

_LEAVES = {Happening.WOKEN, Happening.ADMITTED, Happening.FINISHED, Happening.DELETED}


def aside_spans(record: Record) -> dict[str, list[Span]]:
    """When each workload waits outside its queue's heap."""
    spans: dict[str, list[Span]] = {}
    since: dict[str, Instant] = {}
    for entry in record.story:
        if entry.what == Happening.PARKED:
            since.setdefault(entry.workload, entry.at)
        elif entry.what == Happening.RESTARTED:
            for name, start in since.items():
                spans.setdefault(name, []).append((start, entry.at))
            since.clear()
        elif entry.what in _LEAVES and entry.workload in since:
            spans.setdefault(entry.workload, []).append((since.pop(entry.workload), entry.at))
    for name, start in since.items():
        spans.setdefault(name, []).append((start, record.end))
    return spans


def united(spans: Iterable[Span], gap: int = 0) -> list[Span]:
    """Spans in order; those that meet, or nearly so, are one.

    Args:
        spans: in any order.
        gap: what may lie between two that become one, ns.

    >>> united([(5, 9), (0, 4), (2, 5)])
    [(0, 9)]
    """
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1] + gap:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def parted(span: Span, cut: Sequence[Span]) -> tuple[list[Span], list[Span]]:
    """The parts of a span within other spans, which are in order, and the parts outside.

    >>> parted((0, 10), [(2, 4), (8, 20)])
    ([(2, 4), (8, 10)], [(0, 2), (4, 8)])
    """
    start, end = span
    inside = [(max(a, start), min(b, end)) for a, b in cut if a < end and b > start]
    edges = [start, *(number for pair in inside for number in pair), end]
    outside = [(a, b) for a, b in zip(edges[::2], edges[1::2], strict=True) if a < b]
    return inside, outside


HOUR = 60 * MINUTE
DAY = 24 * HOUR
_STEPS = (
    *(number * MILLISECOND for number in (1, 2, 5, 10, 20, 50, 100, 200, 500)),
    *(number * SECOND for number in (1, 2, 5, 10, 15, 30)),
    *(number * MINUTE for number in (1, 2, 5, 10, 15, 30)),
    *(number * HOUR for number in (1, 2, 3, 4, 6, 8, 12)),
    *(number * DAY for number in (1, 2, 7, 14, 28, 91, 364)),
)
_UNITS = ((DAY, "days"), (HOUR, "hours"), (MINUTE, "minutes"), (SECOND, "seconds"), (MILLISECOND, "ms"))


@dataclass(frozen=True, slots=True)
class Ticks:
    """The marks of an axis.

    Args:
        marks: instants, and what is at each.
        unit: what is counted, and from when.
    """

    marks: tuple[tuple[Instant, str], ...]
    unit: str


def step_for(length: Duration, most: int) -> Duration:
    """The shortest step that a window holds at most so often.

    Args:
        length: of the window, ns.
        most: how many steps there may be.

    >>> step_for(24 * HOUR, 8) // HOUR
    3
    """
    fitting = (step for step in _STEPS if length <= step * most)
    return next(fitting, -(-length // most))


def ticks(start: Instant, end: Instant, origin: Instant, most: int = 8) -> Ticks:
    """The axis of a window.

    Args:
        start, end: of the window.
        origin: the start of the play, from which is counted.
        most: about how many marks there may be.

    >>> ticks(0, 12 * HOUR, 0, 4).marks[1], ticks(0, 12 * HOUR, 0, 4).unit
    ((10800000000000, '3'), 'hours after 1970-01-01 00:00:00 UTC')
    """
    step = step_for(end - start, most)
    first = origin + -(-(start - origin) // step) * step
    size, unit = next((pair for pair in _UNITS if step % pair[0] == 0), (1, "ns"))
    since = format_instant(origin).replace("T", " ").replace("Z", " UTC")
    if start == origin:
        marks = ((at, f"{(at - origin) // size}") for at in range(first, end + 1, step))
        return Ticks(tuple(marks), f"{unit} after {since}")
    marks = ((at, _clock(at - origin, step)) for at in range(first, end + 1, step))
    return Ticks(tuple(marks), f"hours:minutes{':seconds' if step < MINUTE else ''} after the start")


def _clock(since: Duration, step: Duration) -> str:
    """As digital clocks show it, as exact as the step needs.

    >>> _clock(HOUR + 500 * MILLISECOND, 500 * MILLISECOND), _clock(HOUR, MINUTE)
    ('1:00:00.5', '1:00')
    """
    seconds, rest = divmod(since, SECOND)
    text = f"{seconds // 3600}:{seconds // 60 % 60:02}"
    if step < MINUTE:
        text += f":{seconds % 60:02}"
    if step < SECOND:
        text += f".{rest // MILLISECOND:03}".rstrip("0").rstrip(".")
    return text


NARROW = 2.0
"""Runs below this width, points, are drawn together where several follow one another."""
CLOSE = 5.0
"""Preemptions nearer than this, points, cannot be distinguished."""

NumberedPreemption: TypeAlias = tuple[int, Preemption]
"""A preemption, and its place in the record."""


@dataclass(frozen=True, slots=True)
class Window:
    """A window.

    Args:
        record: the play.
        lanes: from the top.
        start, end: the window, ns since the epoch.
        left, width: where it lies, points.
        crowded: whether a lane is of many workloads, so that there is room for bars and marks only.
        prefix: of the identifiers of its shapes.
        aside: when each workload is parked.
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
        return (pair for pair in numbered if self.shows(pair[1].at, pair[1].at))


def pieces(view: Window, row: Sequence[Numbered]) -> Iterator[tuple[Numbered, ...]]:
    """A row's runs in the window: one by one, or together where they are too narrow to be distinguished."""
    piece: list[Numbered] = []
    for pair in row:
        if not view.shows(pair[1].start, pair[1].end):
            continue
        if piece and not _joins(view, piece[-1][1], pair[1]):
            yield tuple(piece)
            piece = []
        piece.append(pair)
    if piece:
        yield tuple(piece)


def _joins(view: Window, last: RunSpan, run: RunSpan) -> bool:
    narrow = all(view.span(run_span.start, run_span.end)[1] < NARROW for run_span in (last, run))
    return narrow and view.x(run.start) - view.x(last.end) < NARROW


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
