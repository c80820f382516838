"""What is proved of loops in a tree of ClusterQueues, of any number of workloads, by which theorems."""

from __future__ import annotations

from dataclasses import dataclass

from tenure.model import Cluster, ClusterQueue, ReclaimWithinCohort, Settings, WithinClusterQueue
from tenure.oracle.topology import has_topology
from tenure.oracle.tree import build_tree, potential_at
from tenure.readings import Reading
from tenure.rules.terms import terms_of
from tenure.rules.time_based import duration_in_force
from tenure_check.analysis.closed_systems import CohortTree


@dataclass(frozen=True, slots=True)
class ProvedOfLoops:
    """What theorems say of loops in a tree."""

    theorems: tuple[str, ...]
    """Their identifiers; `tenure show` takes them."""
    excluded: bool
    """Whether there is no loop, of any number of workloads; nothing is played then."""
    text: str
    """What they say."""


def proved_of_loops(tree: CohortTree, reading: Reading) -> ProvedOfLoops | None:
    """What is proved of loops in a tree; None where a loop has to be searched for without any such help.

    Args:
        tree: of ClusterQueues.
        reading: see `tenure.readings`.

    >>> from tenure_check.analysis.closed_systems import trees_of
    >>> from tenure.manifests import SourcedObject
    >>> from tenure.readings import preset
    >>> queue = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ClusterQueue", "metadata": {"name": "a"}}
    >>> (tree,), _ = trees_of([SourcedObject("", {**queue, "spec": {}})], preset("guaranteed"))
    >>> proved_of_loops(tree, preset("guaranteed")).theorems
    ('PO-KQ-270', 'PO-KQ-330')
    """
    cluster = tree.cluster
    if cluster.growing or not cluster.settings.priority_sorting_within_cohort:
        return None
    alone = _is_each_alone(cluster)
    if not all(_goes_down(queue, cluster.settings, reading, alone=alone) for queue in tree.queues):
        return None
    if any(has_topology(queue, cluster) for queue in tree.queues) and not all(map(_never_may, tree.queues)):
        return None
    if not any(_preempts(queue) for queue in tree.queues):
        return ProvedOfLoops(("PO-KQ-270", "PO-KQ-330"), True, "no loop: no ClusterQueue preempts a workload")
    if len(tree.queues) == 1:
        return ProvedOfLoops(
            ("PO-ANY-340", "PO-ANY-350"),
            True,
            "no loop of any number of workloads: every preemptor is before its victims in one order, and "
            "has its turn before any that is behind it",
        )
    if alone:
        return ProvedOfLoops(
            ("PO-AN-050", "PO-ANY-340", "PO-ANY-350"),
            True,
            "no loop of any number of workloads: no ClusterQueue can use more than its nominal quota, so "
            "that each is as if alone, and every preemptor is before its victims in one order",
        )
    return ProvedOfLoops(
        ("PO-ANY-340",),
        False,
        "every preemptor is before its victims in one order: a loop needs one that does not get what its "
        "victims free",
    )


def _is_each_alone(cluster: Cluster) -> bool:
    """Whether no ClusterQueue can use more than its nominal quota, so that nothing is ever reclaimed."""
    tree = build_tree(cluster, next(iter(cluster.cluster_queues.values())))
    return all(
        potential_at(tree, node.place, at) <= quota.nominal
        for node in tree.nodes
        if node.queue is not None
        for at, quota in node.quotas.items()
    )


def _goes_down(queue: ClusterQueue, settings: Settings, reading: Reading, *, alone: bool) -> bool:
    """The hypotheses of PO-ANY-330; where each ClusterQueue is as if alone, nothing is ever reclaimed."""
    terms = terms_of(queue, settings, reading)
    return (
        (alone or terms.reclaim_within_cohort != ReclaimWithinCohort.ANY)
        and not terms.hero
        and duration_in_force(terms) is None
    )


def _never_may(queue: ClusterQueue) -> bool:
    """Whether no policy of a ClusterQueue allows preemption, whatever quota and topology say."""
    return (
        queue.within_cluster_queue == WithinClusterQueue.NEVER
        and queue.reclaim_within_cohort == ReclaimWithinCohort.NEVER
    )


def _preempts(queue: ClusterQueue) -> bool:
    return (
        queue.within_cluster_queue != WithinClusterQueue.NEVER
        or queue.reclaim_within_cohort == ReclaimWithinCohort.LOWER_PRIORITY
    )
