"""What is enlarged: a moment in which more happens than the whole window can show."""

from __future__ import annotations

from dataclasses import dataclass

from tenure.model import MINUTE, SECOND, Instant
from tenure.timeline.chart.lanes import MOST_WORKLOADS, lanes_of
from tenure.timeline.chart.view import CLOSE
from tenure.timeline.chart.words import long
from tenure.timeline.record import Loop, Preemption, Record
from tenure.timeline.scenario import MILLISECOND

TURN = 20.0
"""A turn of a loop below this width, points, is enlarged."""
MOST_TAKEN = 6
MARGIN = 8
"""An eighth of the window lies before and after what it is about."""

_GRAINS = (MINUTE, 10 * SECOND, SECOND, 100 * MILLISECOND, 10 * MILLISECOND, MILLISECOND)
MOST_GRAINS = 12
"""The times of a window are whole minutes where it has so many of them, or else whole seconds, and so on."""


@dataclass(frozen=True, slots=True)
class Focus:
    """A window within the play.

    Args:
        start, end: ns since the epoch.
        title: what it shows.
    """

    start: Instant
    end: Instant
    title: str


def focus_of(record: Record, width: float) -> Focus | None:
    """What is to be enlarged below a chart; None where everything can be seen.

    Args:
        record: the play.
        width: of the whole window, points.

    >>> focus_of(Record("s", "", "guaranteed", 0, 9), 300) is None
    True
    """
    scale = width / (record.end - record.start)
    loop = record.loop
    if loop is not None and loop.period * scale < TURN:
        return _turns(record, loop)
    close = _first_close(record, scale)
    if close:
        return _around(record, close)
    return _moment(record, scale)


def _turns(record: Record, loop: Loop) -> Focus:
    turns = min(2, loop.times)
    length = loop.period * turns
    first = next((each for each in record.preemptions if each.at >= loop.start - loop.period), None)
    start = loop.start if first is None else min(first.at, loop.start)
    # What leads to the loop is shown with it, where that does not make the turns small.
    begin = start if loop.start - start <= loop.period else loop.start
    end = loop.start + length
    word = "two turns" if turns == 2 else "one turn"
    return _window(record, begin, end, f"{word} of the loop and how it begins")


def _first_close(record: Record, scale: float) -> list[Preemption]:
    """The first preemptions that stand too close together, one or more after another."""
    found: list[Preemption] = []
    for last, each in zip(record.preemptions, record.preemptions[1:], strict=False):
        apart = (each.at - last.at) * scale
        if 0 < apart < CLOSE or (found and apart < CLOSE):
            found = found or [last]
            found.append(each)
        elif len(found) >= 2 and _is_best(record, found):
            break
        else:
            found = []
        if len(found) >= MOST_TAKEN:
            break
    return found


def _is_best(record: Record, found: list[Preemption]) -> bool:
    """Whether a burst says enough: among many workloads only one that takes somebody too early does."""
    return len(record.summaries) <= MOST_WORKLOADS or any(each.cut_short for each in found)


def _around(record: Record, close: list[Preemption]) -> Focus | None:
    if not _is_best(record, close):
        return None
    taken = {(each.victim, each.at) for each in close}
    ends = [run.end for run in record.runs if (run.workload, run.stopped) in taken]
    return _window(record, close[0].at, max(ends, default=close[-1].at), "what is too close to see above")


def _moment(record: Record, scale: float) -> Focus | None:
    """A preemption that comes too early by less than can be seen."""
    if len(record.summaries) > MOST_WORKLOADS:
        return None
    hidden = (each for each in record.preemptions if 0 < each.cut_short * scale < CLOSE)
    each = next(hidden, None)
    if each is None:
        return None
    return _window(
        record, each.at - each.cut_short, each.at + 2 * each.cut_short, f"{long(each.cut_short)} too early"
    )


def _window(record: Record, start: Instant, end: Instant, title: str) -> Focus:
    """A window with a margin, from one round time to another."""
    margin = max((end - start) // MARGIN, 1)
    grain = next((each for each in _GRAINS if each * MOST_GRAINS <= end - start), 1)
    first = (start - margin - record.start) // grain * grain
    last = -(-(end + margin - record.start) // grain) * grain
    return Focus(max(record.start, record.start + first), min(record.end, record.start + last), title)


def focus_workloads(record: Record, focus: Focus) -> list[str]:
    """Who has a lane in the enlarged window: all, or those of a crowd that take or are taken in it."""
    if len(record.summaries) <= MOST_WORKLOADS:
        return [each.workload for each in record.summaries]
    inside = [each for each in record.preemptions if focus.start <= each.at <= focus.end]
    return list(dict.fromkeys(name for each in inside for name in (each.victim, each.preemptor)))[
        :MOST_WORKLOADS
    ]


def is_crowded(record: Record) -> bool:
    """Whether lanes are of many workloads.

    >>> is_crowded(Record("s", "", "guaranteed", 0, 9))
    False
    """
    return len(record.summaries) > MOST_WORKLOADS and bool(lanes_of(record))
