"""A scenario that begins with a cluster as it is, in which nothing happens from outside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tenure.api import Loaded, waiting_queues
from tenure.model import Instant
from tenure.timeline.objects import without_workloads
from tenure.timeline.scenario import QueueGates, Scenario, Submission, Timing
from tenure.units import END_OF_TIME

NAME = "as-it-is"


def scenario_from(
    loaded: Loaded,
    manifests: Mapping[str, Mapping[str, Any]],
    start: Instant,
    end: Instant,
    timing: Timing,
    gates: QueueGates,
) -> Scenario:
    """What happens in a cluster from now on, if nothing arrives, nothing is edited and nothing finishes.

    Every waiting workload joins its queue at the start: no object says who waits aside, nor whom a head
    waits for. Those that cannot be decided about take no part.

    Args:
        loaded: the cluster.
        manifests: by `namespace/name` those of workloads that hold quota; what their pods ask for is read
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


def _present(loaded: Loaded, manifests: Mapping[str, Mapping[str, Any]]) -> Iterator[Submission]:
    cluster = loaded.cluster
    for running in cluster.admitted:
        queue = running.cluster_queue
        if queue is not None and queue in cluster.cluster_queues:
            yield Submission(running, queue, manifest=manifests.get(running.key, {}))
    queues = {
        waiting.key: name
        for name, queued in waiting_queues(loaded, END_OF_TIME).items()
        for waiting in queued
    }
    for waiting in cluster.pending:
        if waiting.key in queues:
            yield Submission(waiting, queues[waiting.key])
