"""What Kueue's own tests of its scheduler say, as facts about ours.

Source: Kueue main of August 2026, `pkg/scheduler/scheduler_test.go` (TestSchedule, TestEntryOrdering) and the
integration tests of fair sharing.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.tenure_play.plays import played, queue, result, scenario, submit

FAIR = {
    "apiVersion": "config.kueue.x-k8s.io/v1beta2",
    "kind": "Configuration",
    "fairSharing": {"preemptionStrategies": ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]},
}
RECLAIM: dict[str, Any] = {"reclaimWithinCohort": "Any", "withinClusterQueue": "LowerPriority"}


@pytest.mark.parametrize(
    ("policy", "other"), [("Any", "admitted"), ("LowerPriority", "skipped"), ("Never", "skipped")]
)
def test_capacity_that_may_not_come_back_is_kept_for_the_head_that_waits(policy: str, other: str) -> None:
    queues = [queue("a", 2, "root", preemption={"reclaimWithinCohort": policy}), queue("b", 0, "root")]
    events = [
        submit("0s", "a1", "a", 1),
        submit("1s", "a2", "a", 2),
        submit("1s", "b1", "b", 1),
    ]
    record = played(scenario(queues, events))
    assert result(record, 1) == {"a2": "parked", "b1": other}


def test_what_others_have_left_of_its_quota_is_kept_for_a_head_that_does_not_borrow() -> None:
    queues = [queue("a", 5, "root", preemption={"reclaimWithinCohort": "Never"}), queue("b", 0, "root")]
    events = [submit("0s", "b1", "b", 3), submit("1s", "a1", "a", 4), submit("1s", "b2", "b", 2)]
    record = played(scenario(queues, events))
    assert result(record, 1) == {"a1": "parked", "b2": "skipped"}


ORDER = {
    "old_borrowing": (0, 0, True),
    "old": (1, 0, False),
    "new": (3, 0, False),
    "high_pri_borrowing": (3, 1, True),
    "new_high_pri": (4, 1, False),
}


@pytest.mark.parametrize(
    ("by_priority", "expected"),
    [
        (True, ["new_high_pri", "old", "new", "high_pri_borrowing", "old_borrowing"]),
        (False, ["old", "new", "new_high_pri", "old_borrowing", "high_pri_borrowing"]),
    ],
)
def test_a_cycle_handles_who_does_not_borrow_first_then_priority_then_age(
    by_priority: bool, expected: list[str]
) -> None:
    queues = [
        queue(name.replace("_", "-"), 0 if borrows else 1, "all") for name, (_, _, borrows) in ORDER.items()
    ]
    gates = {"apiVersion": FAIR["apiVersion"], "kind": "Configuration"}
    objects = [{**gates, "featureGates": {"PrioritySortingWithinCohort": by_priority}}]
    # All are decided in one cycle: the controller is away while they come.
    events: list[dict[str, Any]] = [{"at": "0s", "restart": {"down": "1m"}}]
    for name, (created, priority, _) in ORDER.items():
        dashed = name.replace("_", "-")
        events.append(submit(f"{created + 1}s", dashed, dashed, 1, priority))
    record = played(scenario([*queues, queue("lender", 9, "all")], events, objects=objects))
    assert [head.workload.split("/")[1].replace("-", "_") for head in record.cycles[0].heads] == expected


@pytest.mark.parametrize("decides_again", [True, False])
def test_a_head_whose_targets_are_preempted_is_decided_again_behind_a_gate_and_waits_for_them(
    decides_again: bool,
) -> None:
    queues = [
        queue("a", 2, "all", preemption=RECLAIM),
        queue("b", 2, "all", preemption=RECLAIM),
        queue("c", 0, "all"),
    ]
    events: list[dict[str, Any]] = [
        submit("0s", "big", "c", 4),
        {"at": "1m", "restart": {"down": "1m"}},
        submit("61s", "a1", "a", 2),
        submit("62s", "b1", "b", 2),
    ]
    gates = {} if decides_again else {"gates": {"RecomputeAssignmentUponPreemptionTargetsOverlap": False}}
    record = played(scenario(queues, events, timing={"eviction": "10s"}, **gates))
    waits = "waits for targets" if decides_again else "skipped"
    assert result(record, 1) == {"a1": "preempting", "b1": waits}
    assert [preemption.victim for preemption in record.preemptions] == ["default/big"]
    assert [run.workload for run in record.runs] == ["default/big", "default/a1", "default/b1"]


def test_two_preemptors_with_targets_of_their_own_preempt_in_one_cycle() -> None:
    preemption = {"withinClusterQueue": "LowerPriority"}
    queues = [queue("a", 2, "all", preemption=preemption), queue("b", 2, "all", preemption=preemption)]
    events: list[dict[str, Any]] = [
        submit("0s", "a1", "a", 2),
        submit("0s", "b1", "b", 2),
        {"at": "1m", "restart": {"down": "1m"}},
        submit("61s", "a2", "a", 2, 5),
        submit("62s", "b2", "b", 2, 5),
    ]
    record = played(scenario(queues, events, timing={"eviction": "10s"}))
    assert result(record, 1) == {"a2": "preempting", "b2": "preempting"}
    assert len(record.preemptions) == 2


def test_only_one_borrows_what_is_left_and_the_other_tries_again() -> None:
    queues = [queue("a", 0, "all"), queue("b", 0, "all"), queue("lender", 2, "all")]
    events: list[dict[str, Any]] = [
        {"at": "0s", "restart": {"down": "1m"}},
        submit("1s", "a1", "a", 2),
        submit("2s", "b1", "b", 2),
    ]
    record = played(scenario(queues, events))
    assert result(record, 0) == {"a1": "admitted", "b1": "skipped"}
    assert result(record, 1) == {"b1": "parked"}


@pytest.mark.parametrize("first", ["a1", "b1"])
def test_of_two_heads_with_equal_shares_the_older_goes_first_then_the_first_queue_by_name(first: str) -> None:
    queues = [queue("a", 0, "all"), queue("b", 0, "all"), queue("lender", 2, "all")]
    events: list[dict[str, Any]] = [{"at": "0s", "restart": {"down": "1m"}}]
    events += [submit("1s" if head == first else "2s", head, head[0], 2) for head in ("a1", "b1")]
    record = played(scenario(queues, events, objects=[FAIR]))
    assert result(record, 0)[first] == "admitted"
    together = [{**event, "at": "1s"} if "submit" in event else event for event in events]
    record = played(scenario(queues, together, objects=[FAIR]))
    assert [head.workload for head in record.cycles[0].heads] == ["default/a1", "default/b1"]


def fair(blockers: list[int], size: int) -> dict[str, Any]:
    cohort = {
        "kind": "Cohort",
        "metadata": {"name": "cohort-a"},
        "spec": {
            "resourceGroups": [
                {
                    "coveredResources": ["cpu"],
                    "flavors": [{"name": "default", "resources": [{"name": "cpu", "nominalQuota": 9}]}],
                }
            ]
        },
    }
    queues = [queue("p1", 0, "cohort-a", preemption=RECLAIM), queue("p2", 0, "cohort-a", preemption=RECLAIM)]
    events = [submit(f"{number}s", f"one-{number}", "p1", 2) for number in range(4)]
    events += [submit(f"{10 + blocker}s", f"blocker-{blocker}", "p2", blocker, 999) for blocker in blockers]
    events.append(submit("30s", "wanted", "p2", size))
    return scenario([cohort, *queues], events, objects=[FAIR], timing={"eviction": "5s"})


@pytest.mark.parametrize(
    ("blockers", "size", "left"),
    [([], 5, 2), ([6], 5, 2), ([6], 4, 2), ([7, 6], 5, 2)],
    ids=["alone", "behind one", "behind one, smaller", "behind two"],
)
def test_a_workload_that_can_be_admitted_is_behind_heads_that_cannot(
    blockers: list[int], size: int, left: int
) -> None:
    expect = [
        {"at": "20m", "running": "wanted"},
        {"loop": "none", "preemptions": {"atMost": 2}, "workloads": {"wanted": {"runs": 1}}},
    ]
    record = played({**fair(blockers, size), "expect": expect})
    running = [run.workload for run in record.runs if run.ended_by == "running"]
    assert sum(key.startswith("default/one") for key in running) == left


def test_a_workload_behind_a_head_that_never_fits_is_admitted_in_another_part_of_the_tree() -> None:
    cohort = {
        "kind": "Cohort",
        "metadata": {"name": "cohort-a"},
        "spec": {
            "parentName": "root",
            "resourceGroups": [
                {
                    "coveredResources": ["cpu"],
                    "flavors": [{"name": "default", "resources": [{"name": "cpu", "nominalQuota": 3}]}],
                }
            ],
        },
    }
    queues = [queue("cq1", 0, "cohort-a", preemption=RECLAIM), queue("cq2", 0, "root", preemption=RECLAIM)]
    events = [
        submit("0s", "b1", "cq2", 1),
        submit("1s", "b2", "cq2", 1),
        submit("1m", "four", "cq1", 4, 999),
        submit("2m", "three", "cq1", 3),
    ]
    expect = [{"at": "20m", "running": "three", "waiting": ["four", "b1", "b2"]}, {"preemptions": 2}]
    played(
        {**scenario([cohort, *queues], events, objects=[FAIR], timing={"eviction": "5s"}), "expect": expect}
    )


def test_events_wake_those_who_wait_aside_in_the_whole_tree_one_second_later() -> None:
    queues = [queue("a", 1, "all"), queue("b", 0, "all"), queue("alone", 1)]
    events: list[dict[str, Any]] = [
        submit("0s", "a1", "a", 1),
        submit("0s", "alone-1", "alone", 1),
        submit("1m", "b1", "b", 1),
        submit("1m", "alone-2", "alone", 1),
        {"at": "10m", "finish": "a1"},
    ]
    expect = [
        {"at": "10m", "parked": ["b1", "alone-2"]},
        {"at": "10m0.9s", "parked": ["b1", "alone-2"]},
        {"at": "10m1s", "running": "b1", "parked": "alone-2"},
    ]
    played({**scenario(queues, events), "expect": expect})
