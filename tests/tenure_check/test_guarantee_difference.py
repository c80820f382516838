"""What comparing guarantees stands on: a decision asks of other ClusterQueues for no policy."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from tenure.model import SECOND, BorrowWithinCohort, Cluster, ReclaimWithinCohort, WithinClusterQueue
from tenure.oracle.tree import build_tree
from tenure.readings import preset
from tenure_check.analysis.states import PriorityLevel, States, decided
from tenure_check.analysis.two_configurations import what_is_preempted
from tests.analyzed import KNOWN

LEVELS = (PriorityLevel("low", 0), PriorityLevel("high", 1))


def with_other_policies(cluster: Cluster, own: str) -> Cluster:
    """Every other ClusterQueue has policies that it had not."""
    queues = {
        name: queue
        if name == own
        else replace(
            queue,
            within_cluster_queue=WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY,
            min_admit_duration=7 * SECOND,
            reclaim_within_cohort=ReclaimWithinCohort.LOWER_PRIORITY,
            borrow_within_cohort=BorrowWithinCohort.LOWER_PRIORITY,
            max_priority_threshold=0,
        )
        for name, queue in cluster.cluster_queues.items()
    }
    return replace(cluster, cluster_queues=queues)


@pytest.mark.parametrize("name", KNOWN)
def test_policies_of_other_queues_change_no_decision(name: str) -> None:
    cluster, _ = KNOWN[name]
    preempting = 0
    print("seed 1")
    dice = random.Random(1)
    for own, queue in cluster.cluster_queues.items():
        states = States(cluster, build_tree(cluster, queue), preset("guaranteed"), LEVELS)
        for _ in range(12):
            request = states.drawn(dice, own)
            other = replace(request, cluster=with_other_policies(request.cluster, own))
            one, two = decided(request), decided(other)
            assert (one.outcome, what_is_preempted(one)) == (two.outcome, what_is_preempted(two))
            preempting += bool(one.targets)
    assert preempting
