"""Parts of a cluster that contradict the clock: workloads that are not queued yet, and later events."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Final

from tenure.errors import Problem
from tenure.manifests.conversion import object_name
from tenure.manifests.load import Loaded
from tenure.model import Instant, Workload
from tenure.units import counted, format_instant, format_names

_MOST: Final = 5
"""Workloads that a problem names."""


def not_queued_yet(workload: Workload, now: Instant) -> Problem | None:
    """Why a pending workload is not looked at yet; None where it is.

    Args:
        workload: a pending workload.
        now: the clock, ns.

    Source: Kueue v0.19.2, `backoffWaitingTimeExpired`: until then it is not in the heap of its ClusterQueue.
    Its condition Requeued is made True when that time has come.

    >>> waits = Workload("ml", "train", "u1", priority=0, created_at=0, requeue_at=10**9)
    >>> print(not_queued_yet(waits, now=10**9 - 1).field, not_queued_yet(waits, now=10**9))
    status.requeueState.requeueAt None
    """
    if workload.requeue_at is None or workload.requeue_at <= now:
        return None
    return Problem(
        "status.requeueState.requeueAt",
        format_instant(workload.requeue_at),
        f"a time that has come by {format_instant(now)}; until then Kueue does not queue the workload",
        object=object_name("Workload", workload.namespace, workload.name),
    )


def ahead_of_clock(loaded: Loaded, now: Instant) -> list[Problem]:
    """What has happened by the objects, and not by the clock: creations, reservations, evictions.

    Args:
        loaded: the cluster.
        now: the clock, ns.

    >>> from tenure.model import Cluster
    >>> early = Workload("ml", "train", "u1", priority=0, created_at=10**9)
    >>> (problem,) = ahead_of_clock(Loaded(Cluster({}, pending=(early,))), now=0)
    >>> print(problem.expected)
    a later time: 1 workload is created after it: ml/train at 1970-01-01T00:00:01Z
    """
    cluster = loaded.cluster
    created = {
        workload.key: workload.created_at
        for workload in chain(cluster.admitted, cluster.pending)
        if workload.created_at > now
    }
    reserved = {
        workload.key: workload.quota_reserved_at
        for workload in cluster.admitted
        if workload.quota_reserved_at is not None and workload.quota_reserved_at > now
    }
    evicted = {key: at for key, at in loaded.evicted_at.items() if at > now}
    phases = (
        ("is created", "are created", created),
        ("reserves quota", "reserve quota", reserved),
        ("is evicted", "are evicted", evicted),
    )
    return [
        _clock_problem(one if len(later) == 1 else many, later, now) for one, many, later in phases if later
    ]


def _clock_problem(what: str, later: Mapping[str, Instant], now: Instant) -> Problem:
    count = len(later)
    names = format_names([f"{key} at {format_instant(later[key])}" for key in sorted(later)], _MOST)
    who = counted(count, "workload")
    return Problem("now", format_instant(now), f"a later time: {who} {what} after it: {names}")
