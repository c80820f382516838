"""What grows with quota, priority and duration, and what does not: smallest decisions for each."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tenure.choices import Outcome
from tenure.model import MINUTE
from tenure.readings import Reading
from tests.tenure.clusters import GPU, NOW, READINGS, Case, cases, decided, queue, running, taken, waiting


def test_with_more_quota_another_workload_may_be_preempted() -> None:
    """With 4 GPUs the small one is given back once the large one is out; with 6 it is enough by itself."""
    small, large = running("small", 1, priority=1), running("large", 3, priority=2)
    chosen = {
        nominal: taken(decided(waiting(3), small, large, in_queue=queue(nominal={GPU: nominal})))
        for nominal in (4, 6)
    }
    assert chosen == {4: ["large"], 6: ["small"]}


def test_of_a_preemptor_of_higher_priority_another_workload_may_be_the_victim() -> None:
    """Of equals that have exceeded their time the longest running goes first; of lower ones, last."""
    long_running = running("long", quota_reserved_at=NOW - 90 * MINUTE)
    lately = running("lately", quota_reserved_at=NOW - 30 * MINUTE)
    in_queue = queue(duration=10 * MINUTE, nominal={GPU: 2})
    chosen = {
        priority: taken(decided(waiting(priority=priority), long_running, lately, in_queue=in_queue))
        for priority in (100, 101)
    }
    assert chosen == {100: ["long"], 101: ["lately"]}


@pytest.mark.parametrize(
    ("reading", "victims"), [("as-written", ["lately"]), ("released", ["lately"]), ("guaranteed", [])]
)
def test_with_a_longer_duration_another_workload_may_be_preempted(reading: str, victims: list[str]) -> None:
    """Where a newer equal may be preempted too, it is the victim once the older one is protected."""
    long_running = running("long", quota_reserved_at=NOW - 90 * MINUTE, created_at=-2 * MINUTE)
    lately = running("lately", quota_reserved_at=NOW - 30 * MINUTE, created_at=2 * MINUTE)
    chosen = [
        taken(
            decided(
                waiting(created_at=NOW - 60 * MINUTE if reading == "as-written" else 0),
                long_running,
                lately,
                in_queue=queue(duration=duration * MINUTE, nominal={GPU: 2}),
                reading=reading,
            )
        )
        for duration in (60, 120)
    ]
    assert chosen == [["long"], victims]


@settings(deadline=None, print_blob=True, max_examples=60)
@given(cases(), READINGS, st.integers(1, 3))
def test_with_more_quota_what_could_be_admitted_still_can(case: Case, reading: Reading, more: int) -> None:
    """Fit stays Fit, and a preemptor that finds targets still does, or fits without them."""
    before = case.decided(reading).outcome
    (name, in_queue), *_ = case.cluster.cluster_queues.items()
    amounts = {place: amount + more for place, amount in in_queue.nominal().items()}
    larger = dataclasses.replace(
        queue(nominal=amounts),
        within_cluster_queue=in_queue.within_cluster_queue,
        min_admit_duration=in_queue.min_admit_duration,
    )
    cluster = dataclasses.replace(case.cluster, cluster_queues={name: larger})
    after = Case(cluster, case.preemptor, case.now).decided(reading).outcome
    if before == Outcome.FIT:
        assert after == Outcome.FIT
    if before == Outcome.PREEMPT:
        assert after in (Outcome.FIT, Outcome.PREEMPT)
