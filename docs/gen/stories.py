"""The values of a counterexample in sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from tenure.units import format_duration

_FIELD = re.compile(r"(?:^|, )(?P<name>[a-z_]+)=(?P<value>.*?)(?=, [a-z_]+=|$)")
_CAMEL = re.compile(r"_([a-z])")
_UNREAD: Final = frozenset({"priority_class", "job_uid"})
"""Fields that solvers must fill, and that no claim is about."""
_OF_POLICY: Final = ("step", "max", "delay_for_step")
_OF_WORKLOAD: Final = frozenset({"created_at", "quota_reserved_at"})
_NANOSECONDS: Final = frozenset({"delay_for_step", "duration"})
_SWITCHES: Final = {"True": "true", "False": "false", "None": "not set"}


def told(values: Mapping[str, str]) -> Iterator[str]:
    """A sentence for each value that says something.

    Args:
        values: as a report has them: whole numbers, times, or the fields of a record.

    >>> list(told({"base": "0", "policy": "delay_for_step=60000000000", "contains": ""}))
    ['`base` is 0.', '`policy` sets delayForStep to 1m; step and max are not set.']
    """
    for name, value in values.items():
        fields = dict(_FIELD.findall(value))
        if fields:
            yield f"`{name}` {_record(fields)}."
        elif value:
            yield f"`{name}` is {_value(name, value)}."


def _record(fields: Mapping[str, str]) -> str:
    if _OF_WORKLOAD & fields.keys():
        return _workload(fields)
    if fields.keys() <= {*_OF_POLICY}:
        return _policy(fields)
    shown = [
        f"{_called(name)} {_value(name, value)}" for name, value in fields.items() if name not in _UNREAD
    ]
    return f"has {', '.join(shown)}"


def _policy(fields: Mapping[str, str]) -> str:
    given = [f"{_called(name)} to {_value(name, value)}" for name, value in fields.items()]
    unset = [_called(name) for name in _OF_POLICY if name not in fields]
    verb = "are" if len(unset) > 1 else "is"
    return f"sets {' and '.join(given)}" + (f"; {' and '.join(unset)} {verb} not set" if unset else "")


def _workload(fields: Mapping[str, str]) -> str:
    since = fields.get("quota_reserved_at")
    parts = [f"was created at {fields['created_at']}"] if "created_at" in fields else []
    parts.append("is pending" if since is None else f"has held quota since {since}")
    rest = fields.keys() - _OF_WORKLOAD - _UNREAD
    others = [f"{_called(name)} {_value(name, fields[name])}" for name in fields if name in rest]
    return " and ".join(parts) + (f", with {', '.join(others)}" if others else "")


def _called(name: str) -> str:
    """A field as manifests call it."""
    return _CAMEL.sub(lambda found: found[1].upper(), name)


def _value(name: str, value: str) -> str:
    if name in _NANOSECONDS and value.isdigit():
        return format_duration(int(value))
    return _SWITCHES.get(value, value)
