"""The plugin's arguments, with the fallbacks that the plugin has for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tenure.errors import InputError
from tenure.kai.durations import parse_argument
from tenure.kai.model import Arguments
from tenure.manifests import did_you_mean, show
from tenure.model import Duration, ResolveMethod
from tenure.rules.min_runtime import default_of

DEFAULT_PREEMPT = "defaultPreemptMinRuntime"
DEFAULT_RECLAIM = "defaultReclaimMinRuntime"
METHOD = "reclaimResolveMethod"
METHODS: Mapping[str, ResolveMethod] = {"lca": ResolveMethod.LCA, "queue": ResolveMethod.QUEUE}


@dataclass(frozen=True, slots=True)
class Configured:
    """Arguments as the plugin goes on with them.

    Args:
        arguments: after the fallbacks.
        rejected: names of the arguments that the plugin logs an error for and replaces, sorted.
        warnings: the same in words, and names of arguments that the plugin does not know.
    """

    arguments: Arguments
    rejected: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def configure(given: Mapping[str, str]) -> Configured:
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
    return Configured(
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


def method_name(method: ResolveMethod) -> str:
    """A method as the argument names it.

    >>> method_name(ResolveMethod.LCA)
    'lca'
    """
    return next(name for name, each in METHODS.items() if each == method)
