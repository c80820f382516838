"""How long workloads may run: by their own limit, or by an assumption for those that have none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tenure.errors import InputError, Problem, bad_input
from tenure.manifests import object_name, parse_duration, parse_instant
from tenure.manifests.structure import dig, items
from tenure.model import SECOND, Duration, Instant, Workload
from tenure.units import counted, format_duration

DECLARED: Final = "spec.maximumExecutionTimeSeconds"
_SHARES: Final = {"p50": 50, "p95": 95, "max": 100}
"""Percentages of finished workloads that ran no longer, by the word of `--runtime`."""
_SPENT: Final = ("accumulatedPastExecutionTimeSeconds", "accumulatedPastExexcutionTimeSeconds")
"""Time spent in earlier stays, in v1beta2 and as v1beta1 spells it."""


@dataclass(frozen=True, slots=True)
class AssumedRuntime:
    """What is assumed of workloads that declare no limit.

    Args:
        length: the time that each of them runs at most in all, ns.
        text: where that comes from.
    """

    length: Duration
    text: str


@dataclass(frozen=True, slots=True)
class RunLimit:
    """When a workload has released its quota at the latest, without a preemption.

    Args:
        total: since quota was reserved for it, for a pending one since it will be, ns.
        by: `spec.maximumExecutionTimeSeconds`, or `--runtime`.
    """

    total: Duration
    by: str


def assumed_runtime(text: str, out_of_play: Iterable[object]) -> AssumedRuntime:
    """What `--runtime` assumes.

    Args:
        text: a duration, or `p50`, `p95` or `max` of the finished workloads.
        out_of_play: the Workloads that have finished or are not active, untrusted.

    Raises:
        InputError: no such duration, or no finished workload from which to take it.

    >>> assumed_runtime("4h", []).text
    '4h'
    """
    if text not in _SHARES:
        length = parse_duration(text, field="runtime")
        if length <= 0:
            raise bad_input("runtime", text, "a duration above 0, p50, p95 or max")
        return AssumedRuntime(length, text)
    raws = [*out_of_play]
    lengths = sorted(length for raw in raws for length in _run_of(raw))
    if not lengths:
        expected = (
            "finished Workloads among the files, with conditions Admitted and Finished: "
            f"none of {counted(len(raws), 'finished or inactive workload')} has both; "
            "or a duration such as 4h"
        )
        raise bad_input("runtime", text, expected)
    # The smallest run that the share of them does not exceed.
    length = lengths[-(-len(lengths) * _SHARES[text] // 100) - 1]
    of = counted(len(lengths), "finished workload")
    return AssumedRuntime(length, f"{format_duration(length)}, {text} of {of}")


def _run_of(raw: object) -> Iterator[Duration]:
    """The time from admission to the end of a finished workload, if its conditions have both."""
    admitted, finished = (_since(raw, name) for name in ("Admitted", "Finished"))
    if admitted is not None and finished is not None and finished >= admitted:
        yield finished - admitted


def _since(raw: object, condition: str) -> Instant | None:
    for found in items(dig(raw, "status", "conditions")):
        if dig(found, "type") == condition and dig(found, "status") == "True":
            stamp = dig(found, "lastTransitionTime")
            return None if stamp is None else parse_instant(stamp, field=f"{condition}.lastTransitionTime")
    return None


def run_limit(
    workload: Workload,
    raw: Mapping[str, Any],
    runtime: AssumedRuntime | None,
    eviction: Duration,
    now: Instant,
) -> RunLimit | None:
    """How long a workload holds quota at most; None where nothing limits it.

    Kueue counts from condition Admitted, across stays. It then deactivates the workload, which holds its
    quota until its pods have ended.

    Args:
        workload: it waits, or holds quota.
        raw: its Workload as it was read; empty where it comes from a job.
        runtime: what is assumed where it declares no limit.
        eviction: how long pods take to end, ns.
        now: the clock, ns since the epoch.

    Raises:
        InputError: a number of seconds that is none.

    Source: Kueue v0.19.2, maximum execution time of Workloads.

    >>> waits = Workload("ml", "a", "u", priority=0, created_at=0)
    >>> run_limit(waits, {"spec": {"maximumExecutionTimeSeconds": 60}}, None, 5 * SECOND, 0).total // SECOND
    65
    """
    reserved = None if workload.cluster_queue is None else workload.quota_reserved_at or now
    declared = _seconds(raw, workload, "spec", "maximumExecutionTimeSeconds")
    if declared is not None:
        spent = sum(_seconds(raw, workload, "status", name) or 0 for name in _SPENT)
        left = max(0, declared - spent) * SECOND + eviction
        if reserved is None or workload.evicted:
            return RunLimit(left, DECLARED)
        admitted = _since(raw, "Admitted")
        # Until its admission checks have passed, no time counts.
        until = None if admitted is None else max(now + eviction, admitted + left)
        return None if until is None else RunLimit(until - reserved, DECLARED)
    if runtime is None:
        return None
    is_over = reserved is not None and not workload.evicted and reserved + runtime.length < now
    return None if is_over else RunLimit(runtime.length, "--runtime")


def _seconds(raw: Mapping[str, Any], workload: Workload, *path: str) -> int | None:
    found = dig(raw, *path)
    if found is None:
        return None
    least = 1 if path[0] == "spec" else 0
    if isinstance(found, bool) or not isinstance(found, int) or not least <= found < 2**31:
        name = object_name("Workload", workload.namespace, workload.name)
        expected = f"a number of seconds from {least} to {2**31 - 1}"
        raise InputError([Problem(".".join(path), repr(found), expected, object=name)])
    return found
