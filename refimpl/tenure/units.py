"""Times, durations, amounts and lists of names as people read them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from tenure.model import MINUTE, SECOND, Amount, Duration, Instant

_HOUR = 60 * MINUTE
_DAY = 24 * _HOUR
_EPOCH = date(1970, 1, 1).toordinal()
FIRST_INSTANT: Instant = (date.min.toordinal() - _EPOCH) * _DAY
"""0001-01-01T00:00:00Z, the first time that RFC 3339 can write, ns."""
END_OF_TIME: Instant = (date.max.toordinal() + 1 - _EPOCH) * _DAY
"""The end of year 9999, ns: the first time that RFC 3339 cannot write."""

_UNITS = ((_HOUR, "h"), (MINUTE, "m"))
_MILLISECOND = SECOND // 1000
_BELOW_A_SECOND = ((_MILLISECOND, "ms"), (1000, "us"), (1, "ns"))
_BINARY = ((2**60, "Ei"), (2**50, "Pi"), (2**40, "Ti"), (2**30, "Gi"), (2**20, "Mi"), (2**10, "Ki"))


def format_instant(instant: Instant) -> str:
    """A point in time in UTC, RFC 3339, with as many digits of a second as it needs.

    Args:
        instant: ns since the epoch.

    A time outside the years 1 to 9999, such as the end of a protection of centuries, is written in ns.

    >>> format_instant(1_500_000_000), format_instant(-1)
    ('1970-01-01T00:00:01.5Z', '1969-12-31T23:59:59.999999999Z')
    >>> format_instant(END_OF_TIME)
    '253402300800000000000ns since the epoch'
    """
    if not FIRST_INSTANT <= instant < END_OF_TIME:
        return f"{instant}ns since the epoch"
    days, of_day = divmod(instant, _DAY)
    seconds, nanoseconds = divmod(of_day, SECOND)
    hours, of_hour = divmod(seconds, 3600)
    fraction = f".{nanoseconds:09d}".rstrip("0") if nanoseconds else ""
    day = date.fromordinal(days + _EPOCH).isoformat()
    return f"{day}T{hours:02d}:{of_hour // 60:02d}:{of_hour % 60:02d}{fraction}Z"


def format_duration(duration: Duration) -> str:
    """A duration as Go reads it, in as few parts as it needs.

    Args:
        duration: ns.

    >>> [format_duration(seconds * SECOND) for seconds in (0, 90, 14400, 14401, -60)]
    ['0s', '1m30s', '4h', '4h1s', '-1m']
    >>> format_duration(1_500_000_001), format_duration(1_000)
    ('1.500000001s', '1us')
    """
    if duration < 0:
        return f"-{format_duration(-duration)}"
    if 0 < duration < SECOND:
        size, unit = next(pair for pair in _BELOW_A_SECOND if duration % pair[0] == 0)
        return f"{duration // size}{unit}"
    parts = []
    for size, unit in _UNITS:
        count, duration = divmod(duration, size)
        if count:
            parts.append(f"{count}{unit}")
    seconds, nanoseconds = divmod(duration, SECOND)
    fraction = f".{nanoseconds:09d}".rstrip("0") if nanoseconds else ""
    if seconds or fraction or not parts:
        parts.append(f"{seconds}{fraction}s")
    return "".join(parts)


def format_elapsed(since: Duration) -> str:
    """How long after a start, to the millisecond: hours, minutes, seconds.

    Args:
        since: ns, not negative.

    >>> format_elapsed(4 * 3600 * SECOND + 30_010_000_001)
    '4:00:30.010'
    """
    seconds, rest = divmod(since, SECOND)
    part = f".{rest // _MILLISECOND:03}" if rest >= _MILLISECOND else ""
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}{part}"


def counted(count: int, what: str) -> str:
    """A number and what is counted.

    >>> counted(1, "workload"), counted(2, "workload")
    ('1 workload', '2 workloads')
    """
    return f"{count} {what}{'' if count == 1 else 's'}"


def format_names(names: Sequence[str], most: int) -> str:
    """The first of some names, and how many more there are.

    Args:
        names: in the order in which they are told.
        most: so many are told.

    >>> format_names(["a", "b", "c"], 2), format_names(["a", "b"], 2)
    ('a, b and 1 more', 'a, b')
    """
    rest = len(names) - most
    shown = ", ".join(names[:most])
    return f"{shown} and {rest} more" if rest > 0 else shown


def join_names(names: Sequence[str], most: int, shown: int, word: str = "and") -> str:
    """Some names in a sentence; of many the first, and how many more there are.

    Args:
        names: in order.
        most: so many are all named.
        shown: of more names, so many.
        word: before the last name or the count.

    >>> join_names(["a", "b", "c"], 3, 2), join_names(["a", "b", "c", "d"], 3, 2, "or"), join_names([], 3, 2)
    ('a, b and c', 'a, b or 2 more', '')
    """
    if len(names) > most:
        names = [*names[:shown], f"{len(names) - shown} more"]
    return joined(names, word)


def joined(words: Sequence[str], last: str = "and") -> str:
    """Words as a list in a sentence.

    >>> joined(["a", "b", "c"]), joined(["a"], "or"), joined([])
    ('a, b and c', 'a', '')
    """
    return f" {last} ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def format_amount(resource: str, amount: Amount) -> str:
    """An amount as a Kubernetes quantity.

    Args:
        resource: name of the resource; `cpu` counts in milli-CPU, all else in base units.
        amount: how much.

    >>> format_amount("cpu", 1500), format_amount("memory", 3 * 2**30), format_amount("nvidia.com/gpu", 8)
    ('1500m', '3Gi', '8')
    """
    if resource == "cpu":
        return str(amount // 1000) if amount % 1000 == 0 else f"{amount}m"
    if "memory" in resource or "storage" in resource or resource.startswith("hugepages-"):
        for size, suffix in _BINARY:
            if amount and amount % size == 0:
                return f"{amount // size}{suffix}"
    return str(amount)
