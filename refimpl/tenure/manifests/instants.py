"""RFC 3339 times, exactly: to integer nanoseconds since the Unix epoch."""

from __future__ import annotations

import re
from datetime import datetime
from functools import lru_cache

from tenure.manifests.showing import refused
from tenure.model import SECOND, Duration, Instant
from tenure.units import END_OF_TIME, FIRST_INSTANT

_TIME = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.([0-9]{1,9}))?"
    r"(?:Z|([+-])([0-9]{2}):([0-9]{2}))"
)
_IN_SECONDS, _TO_HOUR = len("2026-08-22T12:34:56Z"), len("2026-08-22T12:")
_DAY = 24 * 60 * 60
_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - the offset is added by hand


def parse_instant(value: object, *, field: str = "time") -> Instant:
    """A point in time as Kubernetes writes it.

    Args:
        value: text such as `2026-08-22T12:00:00Z`, with up to nine digits of a second and any offset.
        field: path of the field, for the error.

    Returns:
        Nanoseconds since the Unix epoch; negative before 1970.

    Raises:
        InputError: it is no RFC 3339 time, or no such time exists (30 February, 24:00, a leap second).

    Source: RFC 3339, section 5.6; Kubernetes metav1.Time.

    >>> parse_instant("1970-01-01T01:00:00.5+01:00")
    500000000
    """
    instant = _instant(value) if isinstance(value, str) else None
    if instant is None:
        raise refused(field, value, "an RFC 3339 time such as 2026-08-22T12:00:00Z")
    return instant


def _instant(text: str) -> Instant | None:
    """The time of a text; None where it is none.

    Kubernetes writes whole seconds of UTC. Thousands of workloads share the hours and what is left of them.
    """
    if len(text) == _IN_SECONDS:
        hour, rest = _hour(text[:_TO_HOUR]), _rest(text[_TO_HOUR:])
        if hour is not None and rest is not None:
            return hour + rest
    return _written(text)


@lru_cache(maxsize=2**12)
def _hour(begin: str) -> Instant | None:
    """The time of `2026-08-22T12:` and the begin of an hour."""
    return _written(f"{begin}00:00Z")


@lru_cache(maxsize=2**12)
def _rest(end: str) -> Duration | None:
    """What `34:56Z` adds to the begin of an hour."""
    return _written(f"1970-01-01T00:{end}")


def _written(text: str) -> Instant | None:
    match = _TIME.fullmatch(text)
    if match is None:
        return None
    written, fraction, sign, hours, minutes = match.groups()
    try:
        since = datetime.fromisoformat(written) - _EPOCH
    except ValueError:
        return None
    seconds = since.days * _DAY + since.seconds
    if sign is not None:
        if hours > "23" or minutes > "59":
            return None
        offset = (int(hours) * 60 + int(minutes)) * 60
        seconds += offset if sign == "-" else -offset
    instant = seconds * SECOND + (int(fraction.ljust(9, "0")) if fraction else 0)
    return instant if FIRST_INSTANT <= instant < END_OF_TIME else None
