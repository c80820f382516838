"""Durations as the plugin's arguments write them: Go's notation, and days and weeks."""

from __future__ import annotations

import re

from tenure.errors import InputError, Problem
from tenure.manifests import parse_duration, show
from tenure.model import Duration

_LONGEST = 128
_HOURS = {"d": 24, "w": 7 * 24}
_TERM = re.compile("(?P<number>[0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)(?P<unit>[^0-9.]+)")
_HIGHEST = 2**63 - 1


def parse_argument(value: object, *, field: str) -> Duration:
    """A duration of an argument: Go's notation with `d` for 24 hours and `w` for 7 days besides.

    Args:
        value: the text, such as `1w2d12h`.
        field: name of the argument, for the error.

    Returns:
        Nanoseconds, possibly negative.

    Raises:
        InputError: it is no duration, or not within a signed 64-bit number of nanoseconds.

    Source: KAI-Scheduler, arguments of plugins (go-str2duration 2.1.0).

    >>> parse_argument("1d12h", field="defaultPreemptMinRuntime") == 36 * 3600 * 10**9
    True
    """
    if not isinstance(value, str) or len(value) > _LONGEST:
        raise _refused(field, value)
    sign, rest = _signed(value)
    if rest == "0":
        return 0
    total, position = 0, 0
    while position < len(rest):
        term = _TERM.match(rest, position)
        if term is None:
            raise _refused(field, value)
        total += _nanoseconds(term, value, field)
        position = term.end()
    if not rest or total > _HIGHEST:
        raise _refused(field, value)
    return sign * total


def _signed(text: str) -> tuple[int, str]:
    if text.startswith(("-", "+")):
        return (-1 if text[0] == "-" else 1), text[1:]
    return 1, text


def _nanoseconds(term: re.Match[str], value: object, field: str) -> Duration:
    number, unit = term["number"], term["unit"]
    hours = _HOURS.get(unit)
    try:
        one = parse_duration(f"{number}{'h' if hours else unit}", field=field)
    except InputError:
        raise _refused(field, value) from None
    if hours is None:
        return one
    whole, _, part = number.partition(".")
    digits = int(f"{whole}{part}")
    return digits * hours * 3600 * 10**9 // int(10 ** len(part))


def _refused(field: str, value: object) -> InputError:
    expected = "a duration such as 10m, 36h, 2d or 1w"
    return InputError([Problem(field=field, found=show(value), expected=expected)])
