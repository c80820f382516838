"""What a decision looks at: the tree around one ClusterQueue, its workloads and what they hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tenure.errors import bad_input
from tenure.model import Amount, Cluster, ClusterQueue, FlavorResource, Instant, Workload
from tenure.oracle.ageing import refuse_faulty_classes
from tenure.oracle.remembering import Found
from tenure.oracle.tree import Tree, Usage, build_tree, total_usage
from tenure.readings import Reading
from tenure.rules.amounts import plus
from tenure.rules.dynamic_priority import priority_at
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
        found: what was searched for in it before.
    """

    cluster: Cluster
    queue: ClusterQueue
    tree: Tree
    place: int
    running: Mapping[int, tuple[Workload, ...]]
    usage: Usage
    found: Found = field(default_factory=lambda: Found(running=0), repr=False, compare=False)


def take_snapshot(cluster: Cluster, queue_name: str, now: Instant, reading: Reading) -> Snapshot:
    """The tree around a ClusterQueue as a cluster shows it at an instant.

    Args:
        cluster: every workload under `admitted` holds quota.
        queue_name: the ClusterQueue.
        now: the scheduling cycle's one clock value, ns since the epoch; priorities may grow with it.
        reading: see `tenure.readings`.

    Raises:
        InputError: no such ClusterQueue; cohorts that are their own ancestors; a WorkloadPriorityClass that
            the reading refuses.

    >>> from tenure.readings import preset
    >>> take_snapshot(Cluster({"q": ClusterQueue("q")}), "q", 0, preset("guaranteed")).usage
    ({},)
    """
    refuse_faulty_classes(cluster, reading)
    queue = cluster.cluster_queues.get(queue_name)
    if queue is None:
        known = ", ".join(sorted(cluster.cluster_queues)) or "none is given"
        raise bad_input("clusterQueue", queue_name, f"the name of a given ClusterQueue: {known}")
    tree = build_tree(cluster, queue)
    running: dict[int, list[Workload]] = {}
    for workload in cluster.admitted:
        place = tree.places.get(workload.cluster_queue or "")
        if place is not None:
            running.setdefault(place, []).append(with_effective_priority(workload, cluster, now, reading))
    held = {place: held_together(workloads) for place, workloads in running.items()}
    return Snapshot(
        cluster=cluster,
        queue=queue,
        tree=tree,
        place=tree.places[queue_name],
        running={place: tuple(workloads) for place, workloads in running.items()},
        usage=total_usage(tree, held),
        found=Found(running=sum(map(len, running.values()))),
    )


def with_effective_priority(workload: Workload, cluster: Cluster, now: Instant, reading: Reading) -> Workload:
    """The workload as rules see it: its priority is the effective one at an instant.

    Args:
        workload: any workload.
        cluster: its classes and settings.
        now: the scheduling cycle's one clock value, ns since the epoch.
        reading: see `tenure.readings`.

    Source: KEP-754, Priority Calculation; a priority boost is added to what comes out.

    >>> from tenure.model import Settings
    >>> from tenure.readings import preset
    >>> boosted = Workload("ns", "w", "u", priority=100, created_at=0, priority_boost=7)
    >>> cluster = Cluster({}, settings=Settings(priority_boost=True))
    >>> with_effective_priority(boosted, cluster, 0, preset("guaranteed")).priority
    107
    """
    base = workload.priority
    growing = cluster.growing.get(workload.priority_class)
    if growing is not None and growing.policy is not None:
        base = priority_at(workload, growing.base, growing.policy, now, reading.priority_steps)
    priority = effective_priority(base, workload.priority_boost, cluster.settings.priority_boost)
    return workload if priority == workload.priority else workload.with_priority(priority)


def held_together(workloads: list[Workload]) -> dict[FlavorResource, Amount]:
    """What a set of workloads holds together, per flavor-resource."""
    total: dict[FlavorResource, Amount] = {}
    for workload in workloads:
        for held, amount in workload.usage.items():
            total[held] = plus(total.get(held, 0), amount)
    return total
