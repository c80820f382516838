"""What the cluster shows of a workload on its way through a play."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from tenure.model import SECOND, Assignment, FlavorResource, Reason, Workload
from tenure_play.actors import admitted, evicted, released

CPU = FlavorResource("default", "cpu")
STAMP = 7 * SECOND
STAMPS = (
    "pods_ready_evicted_at",
    "admission_check_evicted_at",
    "time_based_preempted_at",
    "preempted_while_borrowing_at",
)
WAITING = Workload("ns", "w", "w", priority=0, created_at=SECOND)
ASSIGNMENT = Assignment({CPU: 2}, frozenset())


@pytest.mark.parametrize("stamp", STAMPS)
def test_admission_takes_back_every_stamp_of_an_eviction(stamp: str) -> None:
    said: dict[str, Any] = {"evicted": True, stamp: STAMP}
    returning = dataclasses.replace(WAITING, **said)
    assert admitted(returning, "q", ASSIGNMENT, 9 * SECOND) == admitted(WAITING, "q", ASSIGNMENT, 9 * SECOND)


def test_an_admitted_workload_is_not_evicted_and_holds_what_it_was_assigned() -> None:
    running = admitted(dataclasses.replace(WAITING, evicted=True), "q", ASSIGNMENT, 9 * SECOND + 1)
    assert (running.evicted, running.cluster_queue, running.usage) == (False, "q", {CPU: 2})


def test_stamps_of_admission_and_preemption_are_whole_seconds() -> None:
    running = admitted(WAITING, "q", ASSIGNMENT, 9 * SECOND + 999_999_999)
    assert running.quota_reserved_at == 9 * SECOND
    by_time = evicted(running, Reason.IN_CLUSTER_QUEUE_TIME_BASED, 10 * SECOND + 1)
    assert by_time.time_based_preempted_at == 10 * SECOND
    reclaimed = evicted(running, Reason.IN_COHORT_RECLAIM_WHILE_BORROWING, 11 * SECOND - 1)
    assert reclaimed.preempted_while_borrowing_at == 10 * SECOND


def test_each_reason_leaves_its_own_stamp_alone() -> None:
    running = admitted(WAITING, "q", ASSIGNMENT, 9 * SECOND)
    left = {
        reason: [
            stamp
            for stamp in STAMPS
            if getattr(released(evicted(running, reason, 10 * SECOND)), stamp) is not None
        ]
        for reason in Reason
    }
    assert left.pop(Reason.IN_CLUSTER_QUEUE_TIME_BASED) == ["time_based_preempted_at"]
    assert left.pop(Reason.IN_COHORT_RECLAIM_WHILE_BORROWING) == ["preempted_while_borrowing_at"]
    assert not any(left.values())


def test_what_is_released_waits_with_its_conditions_and_without_its_reservation() -> None:
    running = admitted(WAITING, "q", ASSIGNMENT, 9 * SECOND)
    gone = released(evicted(running, Reason.IN_CLUSTER_QUEUE_TIME_BASED, 10 * SECOND))
    assert (gone.evicted, gone.quota_reserved_at, gone.cluster_queue, gone.usage) == (True, None, None, {})
