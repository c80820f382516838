"""The Python API: `tenure.load`, `tenure.decide`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from tenure.errors import InputError, Problem, bad_input
from tenure.explain import explain
from tenure.manifests import Loaded, parse_instant
from tenure.manifests import load as load_manifests
from tenure.model import Cluster, Instant, Workload
from tenure.oracle.decide import Decision
from tenure.oracle.decide import decide as decide_model
from tenure.readings import Reading, parse_reading

SetAside: TypeAlias = Mapping[str, tuple[Problem, ...]]

__all__ = ["Decision", "Loaded", "decide", "explain", "find_pending", "load"]


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
    cluster = loaded.cluster if isinstance(loaded, Loaded) else loaded
    set_aside = loaded.set_aside if isinstance(loaded, Loaded) else {}
    preemptor = find_pending(cluster, workload, set_aside)
    name = cluster_queue if cluster_queue is not None else _queue_name(cluster, preemptor, set_aside)
    _refuse_if_set_aside(f"ClusterQueue/{name}", set_aside)
    instant = parse_instant(now, field="now") if isinstance(now, str) else now
    chosen = reading if isinstance(reading, Reading) else parse_reading(reading)
    return decide_model(cluster, preemptor, name, instant, chosen)


def find_pending(cluster: Cluster, workload: str | None, set_aside: SetAside | None = None) -> Workload:
    """A pending workload by `namespace/name`, or the only one.

    Args:
        cluster: where to look.
        workload: its name, or None for the only one.
        set_aside: what `load` set aside, see `Loaded`.

    Raises:
        InputError: there is none, there are several and none is named, or it needs what is not modelled.
    """
    pending = {each.key: each for each in cluster.pending}
    aside = _names(set_aside or {}, "Workload")
    waiting = sorted([*pending, *aside])
    if workload is None:
        if len(waiting) != 1:
            known = _some(waiting, "pending workloads")
            raise bad_input("workload", workload, f"the name of one of {known}")
        workload = waiting[0]
    _refuse_if_set_aside(f"Workload/{workload}", set_aside or {})
    if workload not in pending:
        expected = f"one of {_some(waiting, 'pending workloads')}"
        if any(each.key == workload for each in cluster.admitted):
            expected = f"a pending workload; this one holds quota. {_some(waiting, 'Pending')}"
        raise bad_input("workload", workload, expected)
    return pending[workload]


def _queue_name(cluster: Cluster, workload: Workload, set_aside: SetAside) -> str:
    """The ClusterQueue that a pending workload's LocalQueue points to.

    Where no LocalQueue at all is given and there is only one ClusterQueue, it is that one.
    """
    queues = sorted([*cluster.cluster_queues, *_names(set_aside, "ClusterQueue")])
    local = f"LocalQueue/{workload.namespace}/{workload.queue_name}"
    _refuse_if_set_aside(local, set_aside)
    if not cluster.local_queues and not _names(set_aside, "LocalQueue") and len(queues) == 1:
        return queues[0]
    name = cluster.local_queues.get((workload.namespace, workload.queue_name))
    if name is None:
        known = _some([f"{namespace}/{queue}" for namespace, queue in cluster.local_queues], "LocalQueues")
        place = f"Workload/{workload.key}"
        raise bad_input("spec.queueName", workload.queue_name, f"the name of one of {known}", object=place)
    if name not in queues:
        raise bad_input(
            "spec.clusterQueue", name, f"the name of one of {_some(queues, 'ClusterQueues')}", object=local
        )
    return name


def _names(set_aside: SetAside, kind: str) -> list[str]:
    return [name.removeprefix(f"{kind}/") for name in set_aside if name.startswith(f"{kind}/")]


def _refuse_if_set_aside(name: str, set_aside: SetAside) -> None:
    if name in set_aside:
        raise InputError(set_aside[name])


def _some(names: Sequence[str] | Mapping[str, object], what: str) -> str:
    return f"{len(names)} {what}: {', '.join(sorted(names)) or 'none is given'}"
