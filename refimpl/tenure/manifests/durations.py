"""Go durations, exactly: `4h`, `1h30m`, `1.5h` to integer nanoseconds."""

from __future__ import annotations

import re

from tenure.manifests.showing import refused
from tenure.model import Duration

_LONGEST = 128
_NANOSECONDS = {
    "ns": 1,
    "us": 10**3,
    "\u00b5s": 10**3,  # micro sign
    "\u03bcs": 10**3,  # Greek letter mu
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
}
# `m` comes last: "ms" must not be read as minutes.
_TERM = re.compile("(?P<whole>[0-9]*)(?:\\.(?P<part>[0-9]*))?(?P<unit>ns|us|\u00b5s|\u03bcs|ms|s|h|m)")


def parse_duration(value: object, *, field: str = "duration") -> Duration:
    """A duration in Go's notation, as Kubernetes writes `metav1.Duration`.

    What is finer than a nanosecond is cut off.

    Args:
        value: the text, `1h30m`; a bare number has no unit and is refused, except `"0"`.
        field: path of the field, for the error.

    Returns:
        Nanoseconds, possibly negative.

    Raises:
        InputError: it is no duration, or not within a signed 64-bit number of nanoseconds.

    Source: Go, time.ParseDuration; KEP-8522, API Changes (`minAdmitDuration`).

    >>> parse_duration("1h30m") == 90 * 60 * 10**9
    True
    >>> parse_duration("-1.5ms")
    -1500000
    """
    nanoseconds = _parse(value) if isinstance(value, str) and len(value) <= _LONGEST else None
    if nanoseconds is None:
        raise refused(field, value, "a duration such as 4h, 1h30m or 300ms")
    if not -(2**63) <= nanoseconds < 2**63:
        raise refused(field, value, "a duration of at most about 292 years")
    return nanoseconds


def _parse(text: str) -> Duration | None:
    negative = text.startswith("-")
    rest = text[1:] if text.startswith(("-", "+")) else text
    if rest == "0":
        return 0
    total = _sum_of_terms(rest)
    return -total if negative and total is not None else total


def _sum_of_terms(text: str) -> Duration | None:
    position = total = 0
    while position < len(text):
        match = _TERM.match(text, position)
        if match is None or not (match["whole"] or match["part"]):
            return None
        total += _nanoseconds(match)
        position = match.end()
    return total if text else None


def _nanoseconds(match: re.Match[str]) -> Duration:
    part = match["part"] or ""
    digits = int(match["whole"] + part)
    return digits * _NANOSECONDS[match["unit"]] // int(10 ** len(part))
