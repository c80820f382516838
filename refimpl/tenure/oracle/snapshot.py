"""What a decision looks at: the tree around one ClusterQueue, its workloads and what they hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tenure.errors import bad_input
from tenure.model import Amount, Cluster, ClusterQueue, FlavorResource, Settings, Workload
from tenure.oracle.tree import Tree, Usage, build_tree, total_usage
from tenure.rules.amounts import plus
from tenure.rules.priority import effective_priority


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The tree around one ClusterQueue. Several decisions about its workloads may share one.

    Args:
        cluster: where it was taken.
        queue: the ClusterQueue.
        tree: the tree that it stands in.
        place: its place there.
        running: the workloads that hold quota of each ClusterQueue of the tree, by the queue's place, with
            their effective priorities.
        usage: what they hold, at every node.
    """

    cluster: Cluster
    queue: ClusterQueue
    tree: Tree
    place: int
    running: Mapping[int, tuple[Workload, ...]]
    usage: Usage


def take_snapshot(cluster: Cluster, queue_name: str) -> Snapshot:
    """The tree around a ClusterQueue as a cluster shows it.

    Args:
        cluster: every workload under `admitted` holds quota.
        queue_name: the ClusterQueue.

    Raises:
        InputError: no such ClusterQueue; cohorts that are their own ancestors.

    >>> take_snapshot(Cluster({"q": ClusterQueue("q")}), "q").usage
    ({},)
    """
    queue = cluster.cluster_queues.get(queue_name)
    if queue is None:
        known = ", ".join(sorted(cluster.cluster_queues)) or "none is given"
        raise bad_input("clusterQueue", queue_name, f"the name of a given ClusterQueue: {known}")
    tree = build_tree(cluster, queue)
    running: dict[int, list[Workload]] = {}
    for workload in cluster.admitted:
        place = tree.places.get(workload.cluster_queue or "")
        if place is not None:
            running.setdefault(place, []).append(with_effective_priority(workload, cluster.settings))
    held = {place: held_together(workloads) for place, workloads in running.items()}
    return Snapshot(
        cluster=cluster,
        queue=queue,
        tree=tree,
        place=tree.places[queue_name],
        running={place: tuple(workloads) for place, workloads in running.items()},
        usage=total_usage(tree, held),
    )


def with_effective_priority(workload: Workload, settings: Settings) -> Workload:
    """The workload as rules see it: its priority is the effective one.

    >>> boosted = Workload("ns", "w", "u", priority=100, created_at=0, priority_boost=7)
    >>> with_effective_priority(boosted, Settings(priority_boost=True)).priority
    107
    """
    priority = effective_priority(workload.priority, workload.priority_boost, settings.priority_boost)
    return workload if priority == workload.priority else workload.with_priority(priority)


def held_together(workloads: list[Workload]) -> dict[FlavorResource, Amount]:
    """What a set of workloads holds together, per flavor-resource."""
    total: dict[FlavorResource, Amount] = {}
    for workload in workloads:
        for held, amount in workload.usage.items():
            total[held] = plus(total.get(held, 0), amount)
    return total
