"""The Python API: `tenure.load`, `tenure.decide`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from tenure.errors import bad_input
from tenure.explain import explain
from tenure.manifests import Loaded, parse_instant
from tenure.manifests import load as load_manifests
from tenure.model import Cluster, ClusterQueue, Instant, Workload
from tenure.oracle.decide import Decision
from tenure.oracle.decide import decide as decide_model
from tenure.readings import Reading, parse_reading

__all__ = ["Decision", "Loaded", "decide", "explain", "find_pending", "find_queue", "load"]


def load(*paths: str | Path) -> Loaded:
    """A cluster from manifests.

    Args:
        paths: files, folders, or `-` for standard input, with what `kubectl get -o yaml` prints.

    Returns:
        `.cluster`, and `.warnings` about what had to be assumed.

    Raises:
        InputError: everything that is wrong in any of the objects.

    >>> from tenure.resources import bundled
    >>> len(load(bundled("examples", "two-teams")).cluster.pending)
    4
    """
    return load_manifests(paths)


def decide(
    loaded: Loaded | Cluster,
    workload: str | None = None,
    *,
    now: str | Instant,
    reading: str | Mapping[str, object] | Reading | None = None,
    cluster_queue: str | None = None,
) -> Decision:
    """Decide who is preempted for a pending workload.

    Args:
        loaded: what `load` returned, or a cluster.
        workload: `namespace/name` of a pending workload; None when there is only one.
        now: the scheduling cycle's clock: RFC 3339, or ns since the epoch.
        reading: a preset's name, overrides, or a reading; None for `guaranteed`.
        cluster_queue: the workload's ClusterQueue; None follows its LocalQueue.

    Raises:
        InputError: no such workload or queue, a malformed time or reading, or what is not modelled.

    >>> from tenure.resources import bundled
    >>> cluster = load(bundled("examples", "two-teams"))
    >>> decision = decide(cluster, "team-b/job-eval-suite-d739e", now="2026-03-02T14:00:00Z")
    >>> str(decision.outcome)
    'Preempt'
    """
    cluster = loaded.cluster if isinstance(loaded, Loaded) else loaded
    preemptor = find_pending(cluster, workload)
    instant = parse_instant(now, field="now") if isinstance(now, str) else now
    chosen = reading if isinstance(reading, Reading) else parse_reading(reading)
    queue = cluster_queue if cluster_queue is not None else find_queue(cluster, preemptor).name
    return decide_model(cluster, preemptor, queue, instant, chosen)


def find_pending(cluster: Cluster, workload: str | None) -> Workload:
    """A pending workload by `namespace/name`, or the only one.

    Raises:
        InputError: there is none, or there are several and none is named.
    """
    pending = {each.key: each for each in cluster.pending}
    if workload is None:
        if len(pending) == 1:
            return next(iter(pending.values()))
        raise bad_input("workload", workload, f"the name of one of {_some(pending, 'pending workloads')}")
    if workload not in pending:
        if any(each.key == workload for each in cluster.admitted):
            raise bad_input(
                "workload", workload, f"a pending workload; this one holds quota. {_some(pending, 'Pending')}"
            )
        raise bad_input("workload", workload, f"one of {_some(pending, 'pending workloads')}")
    return pending[workload]


def find_queue(cluster: Cluster, workload: Workload) -> ClusterQueue:
    """The ClusterQueue that a pending workload's LocalQueue points to.

    Where no LocalQueue at all is given and there is only one ClusterQueue, it is that one.

    Raises:
        InputError: the LocalQueue or its ClusterQueue is not given.
    """
    place = f"Workload/{workload.key}"
    if not cluster.local_queues and len(cluster.cluster_queues) == 1:
        return next(iter(cluster.cluster_queues.values()))
    name = cluster.local_queues.get((workload.namespace, workload.queue_name))
    if name is None:
        known = _some([f"{namespace}/{queue}" for namespace, queue in cluster.local_queues], "LocalQueues")
        raise bad_input("spec.queueName", workload.queue_name, f"the name of one of {known}", object=place)
    if name not in cluster.cluster_queues:
        known = _some(cluster.cluster_queues, "ClusterQueues")
        local = f"LocalQueue/{workload.namespace}/{workload.queue_name}"
        raise bad_input("spec.clusterQueue", name, f"the name of one of {known}", object=local)
    return cluster.cluster_queues[name]


def _some(names: Sequence[str] | Mapping[str, object], what: str) -> str:
    return f"{len(names)} {what}: {', '.join(sorted(names)) or 'none is given'}"
