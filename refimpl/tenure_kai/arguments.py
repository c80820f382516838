"""The plugin's arguments: durations as they are written there, and the fallbacks that the plugin has."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tenure.conformance.protocol_types import MethodName
from tenure.errors import InputError, Problem
from tenure.manifests import did_you_mean, parse_duration, show
from tenure.model import Duration, ResolveMethod
from tenure.rules.min_runtime import default_of
from tenure_kai.model import Arguments

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
    sign = -1 if value.startswith("-") else 1
    rest = value[1:] if value.startswith(("-", "+")) else value
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


DEFAULT_PREEMPT = "defaultPreemptMinRuntime"
DEFAULT_RECLAIM = "defaultReclaimMinRuntime"
METHOD = "reclaimResolveMethod"

METHODS: Mapping[str, ResolveMethod] = {"lca": ResolveMethod.LCA, "queue": ResolveMethod.QUEUE}


@dataclass(frozen=True, slots=True)
class PluginConfiguration:
    """Arguments as the plugin goes on with them.

    Args:
        arguments: after the fallbacks.
        rejected: names of the arguments that the plugin logs an error for and replaces, sorted.
        warnings: the same in words, and names of arguments that the plugin does not know.
    """

    arguments: Arguments
    rejected: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def configure(given: Mapping[str, str]) -> PluginConfiguration:
    """What the plugin makes of its arguments. Nothing stops it: what is wrong is replaced.

    Args:
        given: name to text; a name that is absent is not given.

    Source: KAI-Scheduler, MinRuntime Plugin, Configuration Parameters.

    >>> configure({"defaultPreemptMinRuntime": "soon"}).rejected
    ('defaultPreemptMinRuntime',)
    """
    rejected: dict[str, str] = {}
    preempt = _duration(given, DEFAULT_PREEMPT, rejected)
    reclaim = _duration(given, DEFAULT_RECLAIM, rejected)
    method = _method(given, rejected)
    known = (DEFAULT_PREEMPT, DEFAULT_RECLAIM, METHOD)
    unknown = (
        f"argument {show(name)} of the plugin has no effect: there are {', '.join(known)}"
        f"{did_you_mean(name, known)}"
        for name in sorted(given.keys() - set(known))
    )
    return PluginConfiguration(
        Arguments(preempt, reclaim, method), tuple(sorted(rejected)), (*rejected.values(), *unknown)
    )


def _duration(given: Mapping[str, str], name: str, rejected: dict[str, str]) -> Duration:
    parsed: Duration | None = None
    if name in given:
        try:
            parsed = parse_argument(given[name], field=name)
        except InputError:
            rejected[name] = f"{name}: {show(given[name])} is no duration; the plugin goes on with 0s"
    if parsed is not None and parsed < 0:
        rejected[name] = f"{name}: {show(given[name])} is negative; the plugin goes on with 0s"
    return default_of(parsed)


def _method(given: Mapping[str, str], rejected: dict[str, str]) -> ResolveMethod:
    name = given.get(METHOD, "")
    if name and name not in METHODS:
        rejected[METHOD] = (
            f"{METHOD}: {show(name)} is neither lca nor queue; the plugin goes on with lca"
            f"{did_you_mean(name, METHODS)}"
        )
    return METHODS.get(name, ResolveMethod.LCA)


def method_name(method: ResolveMethod) -> MethodName:
    """A method as the argument names it.

    >>> method_name(ResolveMethod.LCA)
    'lca'
    """
    return "lca" if method == ResolveMethod.LCA else "queue"
