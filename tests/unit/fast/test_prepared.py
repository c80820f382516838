"""The prepared engine answers as one decision does: whatever was asked before, and after every change."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from benchmarks.shapes import NOW, SHAPES, TARGET, Case, a_workload, case_of, pending_of
from tenure.fast import Arrays, CoreAnswer, Prepared, decide
from tenure.model import (
    MINUTE,
    BorrowWithinCohort,
    Cluster,
    ClusterQueue,
    PodSet,
    ReclaimWithinCohort,
    WithinClusterQueue,
)
from tenure.readings import preset

READING = preset("guaranteed")
COUNT = 400
PENDING = 60
SEED = 8522


def limited(queue: ClusterQueue) -> ClusterQueue:
    """The queue, lending and borrowing a part only: nothing is simple then."""
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


def changed(case: Case, change: object) -> Case:
    """The case with all queues changed."""
    if change is None:
        return case
    assert callable(change)
    queues = {name: change(queue) for name, queue in case.cluster.cluster_queues.items()}
    return replace(case, cluster=replace(case.cluster, cluster_queues=queues))


def said(answer: CoreAnswer) -> tuple[object, ...]:
    """What an answer says."""
    found = answer.found
    rows = [*zip(found.rows.tolist(), found.grounds.tolist(), found.shares.tolist(), strict=True)]
    return answer.outcome, rows, found.may_borrow if rows else None, found.within_nominal if rows else None


@pytest.fixture(params=["queue", "cohort", "tree", "fair"])
def shape(request: pytest.FixtureRequest) -> str:
    """Each shape that the core decides."""
    return str(request.param)


@pytest.mark.parametrize("change", [None, limited, lower, timed])
def test_a_batch_says_what_each_decision_says(shape: str, change: object) -> None:
    case = changed(case_of(replace(SHAPES[shape], queues=min(SHAPES[shape].queues, 8)), COUNT, 0.3), change)
    arrays = Arrays(case.cluster)
    pending = list(pending_of(case, 0.4, PENDING))
    engine, outcomes = Prepared(arrays, READING), set()
    for (workload, queue, assignment), prepared in zip(
        pending, engine.decide_many(pending, NOW), strict=True
    ):
        cold = decide(arrays, workload, queue, NOW, READING, assignment)
        assert said(prepared) == said(cold)
        outcomes.add(cold.outcome.value)
    assert "Preempt" in outcomes


def test_it_follows_the_store(shape: str) -> None:
    case = case_of(replace(SHAPES[shape], queues=min(SHAPES[shape].queues, 8)), COUNT, 0.3)
    arrays, drawn = Arrays(case.cluster), random.Random(SEED)
    engine, keys = Prepared(arrays, READING), [workload.key for workload in case.cluster.admitted]
    queues = sorted({workload.cluster_queue or "" for workload in case.cluster.admitted})
    for number in range(40):
        arrays.remove(keys.pop(drawn.randrange(len(keys))))
        new = a_workload(COUNT + number, drawn.choice(queues))
        arrays.add(new)
        keys.append(new.key)
        asked = (case.preemptor, TARGET, NOW)
        assignment = case.assignment(drawn.random() * 0.3)
        expected = said(decide(arrays, *asked, READING, assignment))
        assert said(engine.decide(*asked, assignment)) == expected, f"seed {SEED}, step {number}"


def test_derived_flavors_are_the_same(shape: str) -> None:
    case = case_of(replace(SHAPES[shape], queues=min(SHAPES[shape].queues, 8)), COUNT, 0.3)
    arrays = Arrays(case.cluster)
    engine = Prepared(arrays, READING)
    for share in (0.1, 0.01, 0.2):
        requests = {at.resource: amount for at, amount in case.assignment(share).usage.items()}
        asked = replace(case.preemptor, pod_sets=(PodSet("main", 1, requests),))
        cold = decide(arrays, asked, TARGET, NOW, READING)
        prepared = engine.decide(asked, TARGET, NOW)
        assert (said(prepared), prepared.assignment) == (said(cold), cold.assignment)
        assert prepared.assignment.borrowing == cold.assignment.borrowing


def test_a_queue_that_is_inactive_fits_no_workload() -> None:
    engine = Prepared(Arrays(Cluster({"q": ClusterQueue("q", inactive="stopped")})), READING)
    preemptor = case_of(SHAPES["queue"], 1, 1).preemptor
    assert engine.decide(preemptor, "q", NOW).outcome.value == "NoFit"
