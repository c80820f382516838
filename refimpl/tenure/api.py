"""The Python API: `tenure.load`, `tenure.decide`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from tenure.errors import InputError, bad_input
from tenure.explain import explain
from tenure.manifests import Loaded, parse_instant
from tenure.manifests import load as load_manifests
from tenure.model import Cluster, Instant, Workload
from tenure.oracle.decide import Decision
from tenure.oracle.decide import decide as decide_model
from tenure.readings import Reading, parse_reading

__all__ = ["Decision", "Loaded", "assumed_queue", "decide", "explain", "load"]


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
        InputError: no such workload or queue, a malformed time or reading, or one of them needs what is
            not modelled.

    >>> from tenure.resources import bundled
    >>> cluster = load(bundled("examples", "two-teams"))
    >>> decision = decide(cluster, "team-b/job-eval-suite-d739e", now="2026-03-02T14:00:00Z")
    >>> str(decision.outcome)
    'Preempt'
    """
    given = loaded if isinstance(loaded, Loaded) else Loaded(loaded)
    preemptor = _find_pending(given, workload)
    name = cluster_queue if cluster_queue is not None else _queue_name(given, preemptor)
    _refuse_if_set_aside(given, f"ClusterQueue/{name}")
    instant = parse_instant(now, field="now") if isinstance(now, str) else now
    chosen = reading if isinstance(reading, Reading) else parse_reading(reading)
    return decide_model(given.cluster, preemptor, name, instant, chosen)


def assumed_queue(loaded: Loaded) -> str | None:
    """The only ClusterQueue where no LocalQueue at all is given; every pending workload counts as its own."""
    queues = _queues(loaded)
    if loaded.cluster.local_queues or _set_aside(loaded, "LocalQueue") or len(queues) != 1:
        return None
    return queues[0]


def _find_pending(loaded: Loaded, workload: str | None) -> Workload:
    """A pending workload by `namespace/name`, or the only one."""
    pending = {each.key: each for each in loaded.cluster.pending}
    waiting = sorted([*pending, *_set_aside(loaded, "Workload")])
    if workload is None:
        if len(waiting) != 1:
            known = _some(waiting, "pending workloads")
            raise bad_input("workload", workload, f"the name of one of {known}")
        workload = waiting[0]
    _refuse_if_set_aside(loaded, f"Workload/{workload}")
    if workload not in pending:
        expected = f"one of {_some(waiting, 'pending workloads')}"
        if any(each.key == workload for each in loaded.cluster.admitted):
            expected = f"a pending workload; this one holds quota. {_some(waiting, 'Pending')}"
        raise bad_input("workload", workload, expected)
    return pending[workload]


def _queue_name(loaded: Loaded, workload: Workload) -> str:
    """The ClusterQueue that a pending workload's LocalQueue points to, or the one that is assumed."""
    assumed = assumed_queue(loaded)
    if assumed is not None:
        return assumed
    local = f"LocalQueue/{workload.namespace}/{workload.queue_name}"
    _refuse_if_set_aside(loaded, local)
    local_queues, queues = loaded.cluster.local_queues, _queues(loaded)
    name = local_queues.get((workload.namespace, workload.queue_name))
    if name is None:
        known = _some([f"{namespace}/{queue}" for namespace, queue in local_queues], "LocalQueues")
        place = f"Workload/{workload.key}"
        raise bad_input("spec.queueName", workload.queue_name, f"the name of one of {known}", object=place)
    if name not in queues:
        raise bad_input(
            "spec.clusterQueue", name, f"the name of one of {_some(queues, 'ClusterQueues')}", object=local
        )
    return name


def _queues(loaded: Loaded) -> list[str]:
    return sorted([*loaded.cluster.cluster_queues, *_set_aside(loaded, "ClusterQueue")])


def _set_aside(loaded: Loaded, kind: str) -> list[str]:
    return [name.removeprefix(f"{kind}/") for name in loaded.set_aside if name.startswith(f"{kind}/")]


def _refuse_if_set_aside(loaded: Loaded, name: str) -> None:
    if name in loaded.set_aside:
        raise InputError(loaded.set_aside[name])


def _some(names: Sequence[str], what: str) -> str:
    return f"{len(names)} {what}: {', '.join(sorted(names)) or 'none is given'}"
