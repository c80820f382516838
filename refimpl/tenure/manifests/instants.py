"""RFC 3339 times, exactly: to integer nanoseconds since the Unix epoch."""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache

from tenure.errors import InputError, Problem
from tenure.manifests.showing import show
from tenure.model import SECOND, Instant
from tenure.units import END_OF_TIME, FIRST_INSTANT

_TIME = re.compile(
    r"(?P<year>[0-9]{4})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})"
    r"T(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2}):(?P<second>[0-9]{2})(?:\.(?P<fraction>[0-9]{1,9}))?"
    r"(?:Z|(?P<sign>[+-])(?P<offset_hours>[0-9]{2}):(?P<offset_minutes>[0-9]{2}))"
)
_DAY = 24 * 60 * 60 * SECOND
_EPOCH = date(1970, 1, 1).toordinal()


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
        raise _refused(field, value, "an RFC 3339 time such as 2026-08-22T12:00:00Z")
    return instant


def _refused(field: str, value: object, expected: str) -> InputError:
    return InputError([Problem(field=field, found=show(value), expected=expected)])


# One workload bears the same second several times, as its creation and in its conditions.
@lru_cache(maxsize=2**12)
def _instant(text: str) -> Instant | None:
    match = _TIME.fullmatch(text)
    if match is None:
        return None
    days, of_day, offset = _days(match), _of_day(match), _offset(match)
    if days is None or of_day is None or offset is None:
        return None
    instant = days * _DAY + of_day * SECOND + int((match["fraction"] or "").ljust(9, "0")) - offset * SECOND
    return instant if FIRST_INSTANT <= instant < END_OF_TIME else None


def _days(match: re.Match[str]) -> int | None:
    try:
        day = date(int(match["year"]), int(match["month"]), int(match["day"]))
    except ValueError:
        return None
    return day.toordinal() - _EPOCH


def _of_day(match: re.Match[str]) -> int | None:
    return _seconds(match["hour"], match["minute"], match["second"])


def _offset(match: re.Match[str]) -> int | None:
    if match["sign"] is None:
        return 0
    offset = _seconds(match["offset_hours"], match["offset_minutes"], "00")
    return -offset if offset is not None and match["sign"] == "-" else offset


def _seconds(hour: str, minute: str, second: str) -> int | None:
    if hour > "23" or minute > "59" or second > "59":
        return None
    return (int(hour) * 60 + int(minute)) * 60 + int(second)
