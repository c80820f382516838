"""Times before a scenario's clock."""

from __future__ import annotations

from tenure.model import MINUTE, SECOND, Instant

NOW: Instant = 1_787_400_000 * SECOND
"""The clock of most scenarios, ns: 2026-08-22T12:00:00Z."""
CLOCKS: tuple[Instant, ...] = (NOW,) * 6 + (NOW + 1, NOW - 1)
"""Durations that end exactly now, a nanosecond ago, or a nanosecond from now."""


def minutes_before(now: Instant, minutes: int) -> Instant:
    """A whole second, as Kubernetes writes times, that many minutes before a clock.

    >>> minutes_before(NOW + 1, 1) == minutes_before(NOW - 1, 1) == NOW - MINUTE
    True
    """
    return (now + 1) // SECOND * SECOND - minutes * MINUTE
