"""The trees whose course is not known: what orders or preempts workloads there is not modelled."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from tenure.api import Loaded, find_pending, queue_of, waiting_queues
from tenure.errors import InputError, Problem
from tenure.manifests import object_name
from tenure.manifests.premises import order_by_usage
from tenure.model import Workload
from tenure.oracle.tree import build_tree
from tenure.oracle.unmodelled import over_time, problem_of, without_unmodelled
from tenure.units import END_OF_TIME, format_names

_MOST: Final = 5
"""Workloads that a warning names."""


def without_unknown_trees(loaded: Loaded, workload: str | None = None) -> Loaded:
    """The cluster without the workloads that wait in a tree whose course is not known.

    That is one where usage decides who goes first, or an object has a field that decides and is not modelled.

    Args:
        loaded: the cluster.
        workload: a pending workload; None for all.

    Raises:
        InputError: it waits in such a tree.

    >>> from tenure.model import Cluster
    >>> without_unknown_trees(Loaded(Cluster({}))).set_aside
    {}
    """
    aside = unknown_queues(loaded)
    if workload is not None and aside:
        found = aside.get(queue_of(loaded, find_pending(loaded, workload)))
        if found is not None:
            raise InputError([found])
    return without_queues(loaded, aside)


def unknown_queues(loaded: Loaded) -> dict[str, Problem]:
    """The ClusterQueues of trees whose course is not known, each with the reason.

    Args:
        loaded: the cluster.

    >>> from tenure.model import Cluster
    >>> unknown_queues(Loaded(Cluster({})))
    {}
    """
    cluster = loaded.cluster
    is_whole = not over_time(cluster)
    if is_whole and not loaded.by_usage:
        return {}
    waiting = waiting_queues(loaded, END_OF_TIME)
    aside: dict[str, Problem] = {}
    seen: set[str] = set()
    for name in sorted(
        loaded.by_usage & cluster.cluster_queues.keys() if is_whole else cluster.cluster_queues
    ):
        if name in seen:
            continue
        tree = build_tree(cluster, cluster.cluster_queues[name]).places.keys()
        seen.update(tree)
        unmodelled = over_time(cluster, tree)
        usage = order_by_usage(loaded.by_usage, _workloads_of(cluster.admitted, waiting, tree))
        problem = problem_of(unmodelled[0]) if unmodelled else usage
        if problem is not None:
            aside.update(dict.fromkeys(tree, problem))
    return aside


def without_queues(loaded: Loaded, aside: Mapping[str, Problem]) -> Loaded:
    """The cluster without the workloads that wait in some ClusterQueues, which are set aside.

    Args:
        loaded: the cluster.
        aside: all ClusterQueues whose course is not known, each with the reason.

    >>> from tenure.model import Cluster
    >>> without_queues(Loaded(Cluster({})), {}).set_aside
    {}
    """
    if not aside:
        return loaded
    left: dict[str, tuple[Problem, ...]] = {
        pending.key: (aside[queue],)
        for queue, queued in waiting_queues(loaded, END_OF_TIME).items()
        if queue in aside
        for pending in queued
    }
    pending = tuple(w for w in loaded.cluster.pending if w.key not in left)
    return replace(
        loaded,
        # Nothing waits any more where it would decide.
        cluster=replace(without_unmodelled(loaded.cluster, aside), pending=pending),
        set_aside={**loaded.set_aside, **{_named(key): problems for key, problems in left.items()}},
    )


def left_out(before: Loaded, after: Loaded) -> Iterator[str]:
    """What to warn of: the workloads that one cluster has set aside and the other has not, by reason.

    >>> from tenure.model import Cluster
    >>> list(left_out(Loaded(Cluster({})), Loaded(Cluster({}))))
    []
    """
    found: dict[Problem, list[str]] = {}
    for name, problems in after.set_aside.items():
        if name not in before.set_aside:
            found.setdefault(problems[0], []).append(name)
    for problem, names in found.items():
        yield f"set aside: {format_names(names, _MOST)}: {problem}"


def _workloads_of(
    admitted: Iterable[Workload], waiting: Mapping[str, Iterable[Workload]], tree: Container[str]
) -> Iterator[tuple[str, Workload]]:
    for running in admitted:
        if running.cluster_queue is not None and running.cluster_queue in tree:
            yield running.cluster_queue, running
    for queue, queued in waiting.items():
        if queue in tree:
            yield from ((queue, pending) for pending in queued)


def _named(key: str) -> str:
    namespace, _, name = key.partition("/")
    return object_name("Workload", namespace, name)
