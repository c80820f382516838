"""All problems of an input, reported together."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from itertools import islice
from typing import Any, TypeVar

from tenure.errors import InputError, Problem
from tenure.manifests import MAX_DEVIATIONS, did_you_mean, printable

_Read = TypeVar("_Read")


def attempt(problems: list[Problem], read: Callable[[], _Read]) -> _Read | None:
    """What is read, or None with what is wrong added to the problems.

    >>> from tenure.manifests import parse_instant
    >>> problems: list[Problem] = []
    >>> attempt(problems, lambda: parse_instant("soon", field="now")) is None, problems[0].field
    (True, 'now')
    """
    try:
        return read()
    except InputError as error:
        problems.extend(error.problems)
        return None


def key_problems(
    raw: Mapping[str, Any],
    required: Collection[str],
    fields: Collection[str],
    unread: Collection[str] = (),
) -> list[Problem]:
    """Fields that are not known, and those that are missing.

    Args:
        raw: the `input` of a request.
        required: what must be there.
        fields: everything that is read, for the words of an error.
        unread: what may be there and takes no part.

    >>> [(problem.field, problem.found) for problem in key_problems({"when": 1}, ["now"], ["now"])]
    [('when', 'an unknown field'), ('now', 'nothing')]
    """
    known = {*fields, *unread}
    expected = f"one of {', '.join(fields)}"
    unknown = [
        Problem(printable(str(key)), "an unknown field", expected + did_you_mean(key, fields))
        for key in islice((key for key in raw if key not in known), MAX_DEVIATIONS)
    ]
    missing = [Problem(key, "nothing", "a value: it is required") for key in required if key not in raw]
    return unknown + missing
