"""Clusters of hundreds of workloads: the core decides as the reference does, after changes too."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from benchmarks.shapes import NOW, SHAPES, TARGET, Case, a_workload, case_of, pending_of
from tenure.model import (
    MINUTE,
    BorrowWithinCohort,
    ClusterQueue,
    PodSet,
    ReclaimWithinCohort,
    WithinClusterQueue,
)
from tenure.oracle.decide import decide as decide_by_reference
from tenure.readings import preset
from tenure_lab.engines_compared import answer_of_core, answer_of_reference
from tenure_simulate.core import Arrays, CoreAnswer, decide

READING = preset("guaranteed")
COUNT = 300
PENDING = 12
SEED = 8522


def limited(queue: ClusterQueue) -> ClusterQueue:
    """The queue, lending and borrowing a part only."""
    group = queue.resource_groups[0]
    (quotas,) = group.flavors
    lends = {name: amount // 2 for name, amount in quotas.nominal.items()}
    borrows = {name: amount * 40 for name, amount in quotas.nominal.items()}
    quotas = replace(quotas, lending_limits=lends, borrowing_limits=borrows)
    return replace(queue, resource_groups=(replace(group, flavors=(quotas,)),))


def lower(queue: ClusterQueue) -> ClusterQueue:
    """The queue, whose preemptors have to be above all that they preempt."""
    return replace(
        queue,
        reclaim_within_cohort=ReclaimWithinCohort.LOWER_PRIORITY,
        borrow_within_cohort=BorrowWithinCohort.LOWER_PRIORITY,
        max_priority_threshold=40,
    )


def timed(queue: ClusterQueue) -> ClusterQueue:
    """The queue, where equals that have run for long may be preempted."""
    within = WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY
    return replace(queue, within_cluster_queue=within, min_admit_duration=5000 * MINUTE)


def case(shape: str) -> Case:
    return case_of(replace(SHAPES[shape], queues=min(SHAPES[shape].queues, 8)), COUNT, 0.3)


@pytest.mark.parametrize("change", [lambda queue: queue, limited, lower, timed])
@pytest.mark.parametrize("shape", ["queue", "cohort", "tree", "fair"])
def test_both_decide_alike(shape: str, change: Callable[[ClusterQueue], ClusterQueue]) -> None:
    made = case(shape)
    queues = {name: change(queue) for name, queue in made.cluster.cluster_queues.items()}
    cluster, outcomes = replace(made.cluster, cluster_queues=queues), set()
    arrays = Arrays(cluster)
    for workload, queue, assignment in pending_of(made, 0.4, PENDING):
        asked = (workload, queue, NOW, READING, assignment)
        expected = answer_of_reference(decide_by_reference(cluster, *asked))
        assert answer_of_core(decide(arrays, *asked)) == expected
        outcomes.add(expected[0])
    assert "Preempt" in outcomes


@pytest.mark.parametrize("shape", ["queue", "cohort", "tree", "fair"])
def test_derived_flavors_are_the_same(shape: str) -> None:
    made = case(shape)
    for share in (0.1, 0.01, 0.2):
        requests = {at.resource: amount for at, amount in made.assignment(share).usage.items()}
        asked = replace(made.preemptor, pod_sets=(PodSet("main", 1, requests),)), TARGET, NOW, READING
        expected = answer_of_reference(decide_by_reference(made.cluster, *asked))
        assert answer_of_core(decide(Arrays(made.cluster), *asked)) == expected


@pytest.mark.parametrize("shape", ["queue", "cohort", "tree", "fair"])
def test_a_changed_store_decides_as_a_new_one(shape: str) -> None:
    made, drawn = case(shape), random.Random(SEED)
    arrays, held = Arrays(made.cluster), {workload.key: workload for workload in made.cluster.admitted}
    queues = sorted({workload.cluster_queue or "" for workload in made.cluster.admitted})
    for number in range(40):
        gone = drawn.choice(list(held))
        arrays.remove(gone)
        del held[gone]
        new = a_workload(COUNT + number, drawn.choice(queues))
        arrays.add(new)
        held[new.key] = new
        asked = made.preemptor, TARGET, NOW, READING, made.assignment(drawn.random() * 0.3)
        again = Arrays(replace(made.cluster, admitted=tuple(held.values())))
        assert _victims(decide(arrays, *asked)) == _victims(decide(again, *asked)), f"seed {SEED}, {number}"


def _victims(answer: CoreAnswer) -> list[tuple[str, int, int]]:
    bases, shares = answer.found.bases.tolist(), answer.found.shares.tolist()
    return list(zip((claim.key for claim in answer.claims()), bases, shares, strict=True))
