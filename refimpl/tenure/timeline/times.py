"""Times of a scenario file: RFC 3339, or durations after the start."""

from __future__ import annotations

from collections.abc import Callable

from tenure.errors import InputError
from tenure.manifests import Place, parse_duration, parse_instant, show
from tenure.model import Instant

START = "2026-01-05T09:00:00Z"
"""When a play starts that says nothing about it: a Monday morning."""


class Times:
    """The times of one scenario.

    Args:
        start, until: the window as the file says it; no start for `START`.
        place: the scenario, for problems.

    Raises:
        InputError: no such times, or an end that is not after the start.

    >>> times = Times(None, "1h", Place())
    >>> times.after_start("30m", "at") - times.start == (times.end - times.start) // 2
    True
    """

    def __init__(self, start: str | None, until: str, place: Place) -> None:
        self._place = place
        self.start = self._read(start or START, "start", 0)
        self.end = self.after_start(until, "until")
        if self.end <= self.start:
            raise InputError([place.problem("until", until, "a time after start")])

    def after_start(self, text: str, field: str) -> Instant:
        """A time, ns since the epoch.

        Raises:
            InputError: no such time, with its field.
        """
        return self._read(text, field, self.start)

    def within(self, text: str, field: str) -> Instant:
        """A time of the play, ns since the epoch.

        Raises:
            InputError: no such time, or one outside of the play, at which nothing happens or is looked at.
        """
        found = self.after_start(text, field)
        if not self.start <= found <= self.end:
            raise InputError([self._place.problem(field, show(text), "a time from start to until")])
        return found

    def _read(self, text: str, field: str, start: Instant) -> Instant:
        read: Callable[..., int] = parse_instant if "T" in text else parse_duration
        try:
            return read(text, field=field) + (0 if "T" in text else start)
        except InputError:
            expected = "a time, or a time after start such as 4h30m"
            raise InputError([self._place.problem(field, show(text), expected)]) from None
