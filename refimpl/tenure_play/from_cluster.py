"""A scenario that begins with a cluster as it is, in which nothing happens from outside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, TypeAlias

from tenure.api import Loaded, queue_of, undecided
from tenure.manifests import SourcedObject
from tenure.manifests.structure import dig
from tenure.model import Cluster, Instant, Workload
from tenure.units import END_OF_TIME
from tenure_play.objects import without_workloads
from tenure_play.scenario import QueueGates, Scenario, Submission, Timing

Manifests: TypeAlias = Mapping[str, Mapping[str, Any]]
"""Workloads as they were read, by `namespace/name`."""

NAME = "as-it-is"
DRAIN: Final = "HoldAndDrain"
"""The stopPolicy that evicts what is admitted."""


def scenario_from(
    loaded: Loaded,
    manifests: Manifests,
    start: Instant,
    end: Instant,
    timing: Timing,
    gates: QueueGates,
) -> Scenario:
    """What happens in a cluster from now on, if nothing arrives, nothing is edited and nothing finishes.

    What holds quota in a queue that is drained is evicted at the start. Every waiting workload joins its
    queue at the start, unless its LocalQueue is held: no object has the parked ones, nor whom a head waits
    for. Those that cannot be decided about take no part.

    Args:
        loaded: the cluster.
        manifests: by `namespace/name` those of workloads that hold quota; their requests are read
            there once they are evicted.
        start: the clock, ns since the epoch.
        end: of the play.
        timing: how long things take.
        gates: of the queues and cycles.

    >>> from tenure.resources import bundled
    >>> from tenure.api import load
    >>> two_teams = load(bundled("examples", "two-teams"))
    >>> len(scenario_from(two_teams, {}, 0, 1, Timing(), QueueGates()).present)
    20
    """
    present = tuple(_present(loaded, manifests))
    return Scenario(
        name=NAME,
        title="",
        start=start,
        end=end,
        cluster=without_workloads(loaded.cluster),
        present=present,
        timing=timing,
        gates=gates,
    )


def drained(cluster: Cluster, workload: Workload) -> str | None:
    """Which queue's stopPolicy evicts a workload that holds quota; None where none does, or it is evicted.

    Args:
        cluster: the cluster.
        workload: one that holds quota.

    A ClusterQueue that is drained does not evict what a held LocalQueue has submitted.

    Source: Kueue v0.19.2, evictions for the reasons LocalQueueStopped and ClusterQueueStopped.

    >>> runs = Workload("ml", "a", "u", priority=0, created_at=0, queue_name="night", cluster_queue="q")
    >>> drained(Cluster({}, held={("ml", "night"): "HoldAndDrain"}), runs)
    'LocalQueue ml/night'
    """
    if workload.evicted:
        return None
    held = cluster.held.get((workload.namespace, workload.queue_name))
    if held is not None:
        # Kueue's queues no longer have a LocalQueue that is held, so it finds no ClusterQueue.
        return f"LocalQueue {workload.namespace}/{workload.queue_name}" if held == DRAIN else None
    queue = cluster.cluster_queues.get(workload.cluster_queue or "")
    is_drained = queue is not None and queue.stop_policy == DRAIN
    return f"ClusterQueue {workload.cluster_queue}" if is_drained else None


def _present(loaded: Loaded, manifests: Manifests) -> Iterator[Submission]:
    cluster = loaded.cluster
    for running in cluster.admitted:
        queue = running.cluster_queue
        if queue is not None and queue in cluster.cluster_queues:
            left = running if drained(cluster, running) is None else replace(running, evicted=True)
            yield Submission(left, queue, manifest=manifests.get(running.key, {}))
    left_out = {row.workload for row in undecided(loaded, END_OF_TIME)}
    for waiting in cluster.pending:
        if waiting.key not in left_out:
            yield Submission(waiting, queue_of(loaded, waiting))


def manifests_of(objects: Iterable[SourcedObject]) -> Manifests:
    """The Workloads among some objects, by `namespace/name`.

    >>> manifests_of([SourcedObject("", {"kind": "Workload", "metadata": {"name": "a"}})]).keys()
    dict_keys(['/a'])
    """
    found = (sourced.object for sourced in objects if sourced.object.get("kind") == "Workload")
    return {f"{dig(raw, 'metadata', 'namespace') or ''}/{dig(raw, 'metadata', 'name')}": raw for raw in found}
