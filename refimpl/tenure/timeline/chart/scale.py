"""The time axis: steps that people count in."""

from __future__ import annotations

from dataclasses import dataclass

from tenure.model import MINUTE, SECOND, Duration, Instant
from tenure.timeline.scenario import MILLISECOND
from tenure.units import format_instant

HOUR = 60 * MINUTE
DAY = 24 * HOUR
_STEPS = (
    *(each * MILLISECOND for each in (1, 2, 5, 10, 20, 50, 100, 200, 500)),
    *(each * SECOND for each in (1, 2, 5, 10, 15, 30)),
    *(each * MINUTE for each in (1, 2, 5, 10, 15, 30)),
    *(each * HOUR for each in (1, 2, 3, 4, 6, 8, 12)),
    *(each * DAY for each in (1, 2, 7, 14, 28, 91, 364)),
)
_UNITS = ((DAY, "days"), (HOUR, "hours"), (MINUTE, "minutes"), (SECOND, "seconds"), (MILLISECOND, "ms"))


@dataclass(frozen=True, slots=True)
class Ticks:
    """The marks of an axis.

    Args:
        marks: instants, and what stands at each.
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
    size, unit = next((each for each in _UNITS if step % each[0] == 0), (1, "ns"))
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
