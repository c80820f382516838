"""Which decisions a change can reach: those of the trees in which anything differs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from tenure.api import Loaded, waiting_for
from tenure.model import Cluster, ClusterQueue, Cohort, PreemptionConfig, ResourceFlavor, Workload

NO_TREE, CYCLES = "", "/"
"""Where workloads wait of which no ClusterQueue is known, and the Cohorts that are their own ancestors."""


@dataclass(slots=True)
class WholeTree:
    """All that a decision asks of one tree, beside clock, reading, settings and classes that grow.

    Args:
        queues, cohorts, flavors: by name; a flavor that is named and not there is None.
        configs: the PreemptionConfigs that its ClusterQueues name, likewise.
        running: the workloads that hold its quota, in the order of the cluster.
        pending: those that wait in it, each with its ClusterQueue; likewise.
    """

    queues: dict[str, ClusterQueue] = field(default_factory=dict)
    cohorts: dict[str, Cohort] = field(default_factory=dict)
    flavors: dict[str, ResourceFlavor | None] = field(default_factory=dict)
    configs: dict[str, PreemptionConfig | None] = field(default_factory=dict)
    running: list[Workload] = field(default_factory=list)
    pending: list[tuple[Workload, str]] = field(default_factory=list)


def trees_of(loaded: Loaded) -> dict[str, WholeTree]:
    """Every tree of a cluster by its root: a Cohort, or a ClusterQueue without one, with a slash before it.

    Args:
        loaded: the cluster.

    >>> list(trees_of(Loaded(Cluster({"q": ClusterQueue("q"), "r": ClusterQueue("r", cohort="c")}))))
    ['/q', 'c']
    """
    cluster = loaded.cluster
    trees: dict[str, WholeTree] = {}
    roots: dict[str, str] = {}
    for name, queue in cluster.cluster_queues.items():
        roots[name] = _root(queue, cluster)
        tree = trees.setdefault(roots[name], WholeTree())
        tree.queues[name] = queue
        tree.flavors.update((flavor, cluster.flavors.get(flavor)) for flavor in _flavors(queue))
        if queue.preemption_config is not None:
            tree.configs[queue.preemption_config] = _config(cluster, queue.preemption_config)
    for name, cohort in cluster.cohorts.items():
        trees.setdefault(_top(name, cluster.cohorts), WholeTree()).cohorts[name] = cohort
    for workload in cluster.admitted:
        root = roots.get(workload.cluster_queue or "")
        if root is not None:
            trees[root].running.append(workload)
    for workload, place in waiting_for(loaded):
        name = place or NO_TREE
        trees.setdefault(roots.get(name, NO_TREE), WholeTree()).pending.append((workload, name))
    return trees


def reached(one: Loaded, other: Loaded) -> tuple[Loaded, Loaded]:
    """Both clusters without the pending workloads about whom both decide alike, because all is equal there.

    Args:
        one, other: the clusters.

    >>> cluster = Cluster({"q": ClusterQueue("q")}, pending=(Workload("a", "b", "c", 0, 0),))
    >>> [side.cluster.pending for side in reached(Loaded(cluster), Loaded(cluster))]
    [(), ()]
    """
    before, after = one.cluster, other.cluster
    if (before.settings, before.growing) != (after.settings, after.growing):
        return one, other
    trees, trees_after = trees_of(one), trees_of(other)
    # Where one cluster was made of the other most workloads are the same objects, which lists compare first.
    alike = {root for root, tree in trees.items() if tree == trees_after.get(root)}
    return _without(one, trees, alike), _without(other, trees_after, alike)


def _without(loaded: Loaded, trees: Mapping[str, WholeTree], roots: set[str]) -> Loaded:
    """The cluster without those who wait in some trees."""
    left_out = {workload.key for root in roots for workload, _ in trees[root].pending}
    pending = tuple(waits for waits in loaded.cluster.pending if waits.key not in left_out)
    return replace(loaded, cluster=replace(loaded.cluster, pending=pending))


def of_tree(loaded: Loaded, tree: WholeTree) -> Loaded:
    """The cluster with those only who wait in one tree."""
    pending = tuple(workload for workload, _ in tree.pending)
    return replace(loaded, cluster=replace(loaded.cluster, pending=pending), set_aside={})


def _root(queue: ClusterQueue, cluster: Cluster) -> str:
    return f"/{queue.name}" if queue.cohort is None else _top(queue.cohort, cluster.cohorts)


def _top(name: str, cohorts: Mapping[str, Cohort]) -> str:
    """The top of a cohort's tree; for all below a cycle, which no decision looks at, one and the same."""
    seen: set[str] = set()
    while name not in seen and name in cohorts and (parent := cohorts[name].parent) is not None:
        seen.add(name)
        name = parent
    return CYCLES if name in seen else name


def _config(cluster: Cluster, name: str) -> PreemptionConfig | None:
    """A PreemptionConfig; one that is not read where it is not known which there are."""
    known = cluster.preemption_configs
    return PreemptionConfig(name, unread="is not given") if known is None else known.get(name)


def _flavors(queue: ClusterQueue) -> Iterator[str]:
    return (flavor.flavor for group in queue.resource_groups for flavor in group.flavors)
