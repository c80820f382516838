"""Plays: time, work, what is persisted and what is not, loops, limits."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from tenure.errors import InputError
from tenure.model import SECOND
from tenure.readings import parse_reading, preset
from tenure_play import parse_scenario, play
from tenure_play.record import Happening, PreemptionPair
from tenure_play.scenario import Timing
from tests.tenure_play.plays import played, queue, scenario, submit

ANY_EQUAL = {
    "withinClusterQueue": "LowerOrNewerEqualPriority",
    "withinClusterQueueConfig": {"minAdmitDuration": "1h"},
}
LOWER = {"withinClusterQueue": "LowerPriority"}
HOUR = 3600 * SECOND


def one(events: list[dict[str, Any]], preemption: Any = LOWER, **more: Any) -> dict[str, Any]:
    """One queue for one workload at a time."""
    return scenario([queue("q", 1, preemption=preemption)], events, **{"until": "6h", **more})


def test_work_that_is_kept_ends_sooner_than_work_that_is_lost() -> None:
    events: list[dict[str, Any]] = [
        submit("0s", "low", "q", 1, work="2h"),
        submit("1h", "high", "q", 1, 9, work="30m"),
    ]
    kept, lost = played(one(events)), played(one(events, defaults={"progress": "lost"}))
    ended = [
        next(summary.finished for summary in record.workloads if summary.workload == "default/low")
        for record in (kept, lost)
    ]
    assert ended[0] is not None
    assert ended[1] is not None
    assert ended[1] - ended[0] == HOUR
    assert [run.work_lost for run in lost.runs] == [HOUR, 0, 0]


def test_a_victim_holds_its_quota_until_its_pods_are_gone() -> None:
    events = [submit("0s", "low", "q", 1), submit("1h", "high", "q", 1, 9)]
    expect = [
        {"at": "1h0m29s", "evicted": "low", "waiting": "high"},
        {"at": "1h0m30s", "running": "high", "waiting": "low"},
    ]
    record = played({**one(events, timing={"eviction": "30s"}), "expect": expect})
    low = record.runs[0]
    assert (low.stopped - low.start, low.end - low.start) == (HOUR, HOUR + 30 * SECOND)
    assert low.preemptor == "default/high"


def test_a_deleted_preemptor_leaves_its_victim_to_come_back() -> None:
    events: list[dict[str, Any]] = [
        submit("0s", "low", "q", 1),
        submit("1h", "high", "q", 1, 9),
        {"at": "1h0m10s", "delete": "high"},
    ]
    expect = [{"at": "2h", "running": "low"}, {"workloads": {"high": {"runs": 0}, "low": {"runs": 2}}}]
    played({**one(events, timing={"eviction": "30s"}), "expect": expect})


def test_protection_counts_from_the_whole_second_that_is_persisted() -> None:
    events = [submit("900ms", "first", "q", 1), submit("1m", "second", "q", 1)]
    record = played(one(events, ANY_EQUAL, until="1h10m"), "guaranteed")
    taken = record.preemptions[0]
    assert taken.at - record.start == HOUR + 1
    assert taken.cut_short == 900 * SECOND // 1000 - 1


def test_a_clock_that_goes_forward_ends_a_protection_early() -> None:
    events: list[dict[str, Any]] = [
        submit("0s", "first", "q", 1),
        submit("1m", "second", "q", 1),
        {"at": "30m", "clock": "31m"},
    ]
    expect = [{"at": "30m1s", "running": "second", "waiting": "first"}, {"cutShort": {"atLeast": "29m"}}]
    played({**one(events, ANY_EQUAL), "until": "40m", "expect": expect}, "guaranteed")


def test_a_clock_that_goes_back_prolongs_it() -> None:
    events: list[dict[str, Any]] = [
        submit("0s", "first", "q", 1),
        submit("1m", "second", "q", 1),
        {"at": "30m", "clock": "-20m"},
    ]
    expect = [{"at": "1h19m59s", "running": "first"}, {"at": "1h20m1s", "running": "second"}]
    played({**one(events, ANY_EQUAL), "until": "2h", "expect": expect}, "guaranteed")


def test_a_shorter_duration_counts_for_those_who_run_already() -> None:
    edit = {"kind": "ClusterQueue", "metadata": {"name": "q"}}
    spec = {"preemption": {"withinClusterQueueConfig": {"minAdmitDuration": "10m"}}}
    events: list[dict[str, Any]] = [
        submit("0s", "first", "q", 1),
        submit("1m", "second", "q", 1),
        {"at": "30m", "edit": {**edit, "spec": spec}},
    ]
    expect = [{"at": "30m0.9s", "running": "first"}, {"at": "30m1.5s", "running": "second"}]
    record = played({**one(events, ANY_EQUAL), "until": "35m", "expect": expect}, "guaranteed")
    edits = [entry.text for entry in record.story if entry.what == Happening.EDITED]
    assert edits == [
        "ClusterQueue q: spec.preemption.withinClusterQueueConfig.minAdmitDuration is '10m'",
    ]


def test_a_restart_forgets_who_stood_at_the_head_unless_it_is_the_first_head_again() -> None:
    events: list[dict[str, Any]] = [
        submit("0s", "low", "q", 1),
        submit("1h", "middle", "q", 1, 5),
        {"at": "1h0m10s", "restart": {"down": "15s"}},
        submit("1h0m20s", "high", "q", 1, 9),
    ]
    expect = [{"at": "1h0m31s", "running": "high", "waiting": ["low", "middle"]}]
    played({**one(events, timing={"eviction": "30s"}), "expect": expect})
    events[2] = {"at": "1h0m10s", "restart": True}
    expect = [{"at": "1h0m30s", "running": "middle"}]
    played({**one(events, timing={"eviction": "30s"}), "expect": expect})


def held() -> dict[str, Any]:
    """A workload that holds the quota since an hour before the start."""
    template = {"spec": {"containers": [{"resources": {"requests": {"cpu": "1"}}}]}}
    condition = {"type": "QuotaReserved", "status": "True", "lastTransitionTime": "2026-01-05T08:00:00Z"}
    assignment = {"name": "main", "flavors": {"cpu": "default"}, "resourceUsage": {"cpu": "1"}, "count": 1}
    return {
        "kind": "Workload",
        "metadata": {
            "namespace": "ml",
            "name": "held",
            "uid": "u",
            "creationTimestamp": "2026-01-05T07:00:00Z",
        },
        "spec": {"queueName": "q", "podSets": [{"name": "main", "count": 1, "template": template}]},
        "status": {
            "conditions": [condition],
            "admission": {"clusterQueue": "q", "podSetAssignments": [assignment]},
        },
    }


def test_workloads_among_the_objects_are_there_at_the_start() -> None:
    raw = one([submit("10m", "high", "q", 1, 9, work="1h")], objects=[held()], work={"held": {"work": "3h"}})
    record = played({**raw, "expect": [{"workloads": {"held": {"runs": 2, "finished": True}}}]})
    assert record.runs[0].start == record.start - HOUR
    assert record.runs[0].work_done == HOUR + 600 * SECOND


def test_protected_time_that_ends_with_the_start_is_noticed_in_the_next_cycle() -> None:
    record = played(one([submit("0s", "waits", "q", 1)], ANY_EQUAL, objects=[held()]), "guaranteed")
    taken = record.preemptions[0]
    assert (taken.victim, taken.at - record.start) == ("ml/held", Timing().cycle)


def test_what_is_expected_may_be_written_in_any_order_of_times() -> None:
    expect = [{"at": "30m", "running": "one"}, {"at": "10m", "running": "one"}]
    raw = one([submit("20m", "one", "q", 1)], expect=expect)
    found = [expectation.found for expectation in play(parse_scenario(raw), preset("released")).expectations]
    assert found == ["default/one", "default/one is not there yet"]


def test_each_step_of_a_priority_is_told_once() -> None:
    policy = {"step": 400, "max": 1000, "delayForStep": "1h"}
    grows = {
        "kind": "WorkloadPriorityClass",
        "metadata": {"name": "grows"},
        "spec": {"priority": 100, "dynamicPriorityPolicy": policy},
    }
    ticks = [{"at": f"{minutes}m", "tick": True} for minutes in range(10, 240, 10)]
    raw = one([submit("0s", "one", "q", 1, priorityClass="grows"), *ticks], objects=[grows])
    record = played(raw, "guaranteed")
    steps = [
        (priority_step.workload, priority_step.priority, priority_step.at - record.start)
        for priority_step in record.priority_steps
    ]
    grown = enumerate((100, 500, 900, 1000))
    assert steps == [("default/one", priority, hours * HOUR) for hours, priority in grown]
    assert [entry.text for entry in record.story if entry.what == Happening.PRIORITY] == [
        "its priority is 500, and was 100",
        "its priority is 900, and was 500",
        "its priority is 1000, and was 900",
    ]


def test_a_loop_is_told_with_its_period_its_turn_and_who_gets_nowhere() -> None:
    events = [submit("0s", "first", "q", 1), submit("1m", "second", "q", 1)]
    raw = one(events, ANY_EQUAL, timing={"eviction": "30s"}, defaults={"progress": "lost"}, until="20h")
    loop = played(raw, "guaranteed").loop
    assert loop is not None
    assert loop.period == 2 * HOUR + 60 * SECOND
    first, second = "default/first", "default/second"
    assert loop.preemptions == (PreemptionPair(second, first), PreemptionPair(first, second))
    assert loop.futile
    assert set(loop.stuck) == {first, second}


def test_the_work_of_a_loop_is_what_is_kept_within_one_turn() -> None:
    events = [submit("0s", "first", "q", 1), submit("1m", "second", "q", 1)]
    loop = played(one(events, ANY_EQUAL, timing={"eviction": "30s"}, until="20h"), "guaranteed").loop
    assert loop is not None
    assert loop.period == 2 * HOUR + 60 * SECOND
    # Each runs for an hour and not while its pods end; its time counts from a whole second.
    assert 2 * HOUR - 2 * SECOND < loop.work_done <= 2 * HOUR + 2
    assert not loop.futile


def test_what_happens_from_outside_is_no_part_of_a_loop() -> None:
    events = [submit("0s", "first", "q", 1), submit("1m", "second", "q", 1)]
    ticks = [{"at": f"{hour}h30m", "tick": True} for hour in range(20)]
    raw = one([*events, *ticks], ANY_EQUAL, timing={"eviction": "30s"}, until="20h")
    assert played(raw, "guaranteed").loop is None


def test_too_many_cycles_are_an_error_that_says_what_to_do() -> None:
    events = [submit("0s", "first", "q", 1), submit("1m", "second", "q", 1), {"at": "1h30m", "tick": True}]
    raw = one(events, ANY_EQUAL, maxCycles=50, until="20h")
    with pytest.raises(InputError) as error:
        play(parse_scenario(raw), preset("as-written"))
    said = str(error.value)
    assert "Scenario/scenario: maxCycles: found more than 50 scheduling cycles by " in said
    assert "a loop of " in said


def test_one_choice_may_be_played_alone() -> None:
    events = [submit("0s", "first", "q", 1), submit("1m", "second", "q", 1)]
    raw = one(events, ANY_EQUAL)
    reading = parse_reading({"preset": "guaranteed", "wake": "events"})
    assert play(parse_scenario(raw), reading).preemptions == ()


def test_the_same_seed_gives_the_same_play() -> None:
    users = [
        {"users": 3, "every": "20m", "jitter": "5m", "workBetween": ["5m", "40m"], "seed": 3, "queue": "q"}
    ]
    raw = one([], ANY_EQUAL, generate=users, defaults={"requests": {"cpu": 1}})
    one_play, other = (play(parse_scenario(raw), preset("guaranteed")) for _ in range(2))
    assert one_play == other
    assert len(one_play.workloads) > 40
    users[0]["seed"] = 4
    assert play(parse_scenario(raw), preset("guaranteed")).runs != one_play.runs


def test_the_record_covers_the_whole_window_without_gaps() -> None:
    users = [{"users": 3, "every": "20m", "jitter": "5m", "workBetween": ["5m", "40m"], "queue": "q"}]
    raw = one([], ANY_EQUAL, generate=users, defaults={"requests": {"cpu": 1}}, timing={"eviction": "10s"})
    record = played(raw, "guaranteed")
    for summary in record.workloads:
        spans = [(run.start, run.end) for run in record.runs if run.workload == summary.workload]
        spans += [(wait.start, wait.end) for wait in record.waits if wait.workload == summary.workload]
        spans.sort()
        assert spans[0][0] == summary.submitted
        assert all(before[1] == after[0] for before, after in pairwise(spans))
        assert spans[-1][1] == (summary.finished or record.end)
    held = sorted((run.start, run.end) for run in record.runs)
    assert all(before[1] <= after[0] for before, after in pairwise(held))


def test_a_cluster_queue_below_a_cycle_of_cohorts_waits_until_an_edit_breaks_it() -> None:
    cohorts = [
        {"kind": "Cohort", "metadata": {"name": "north"}, "spec": {"parentName": "south"}},
        {"kind": "Cohort", "metadata": {"name": "south"}, "spec": {"parentName": "north"}},
    ]
    broken = {"kind": "Cohort", "metadata": {"name": "south"}, "spec": {"parentName": "org"}}
    events = [submit("1m", "a", "a", 2), submit("1m", "lost", "lost", 2), {"at": "30m", "edit": broken}]
    expect = [
        {"at": "20m", "running": ["a"], "waiting": ["lost"]},
        {"at": "31m", "running": ["a", "lost"]},
    ]
    queues = [queue("a", 2, "org"), queue("lost", 2, "north")]
    raw = scenario(queues, events, objects=cohorts, expect=expect)
    played(raw)
    (warning,) = parse_scenario(raw).warnings
    assert "forms a cycle, north, south, north" in warning


def test_a_workload_of_a_held_local_queue_waits_outside_the_queue() -> None:
    night = {"kind": "LocalQueue", "metadata": {"namespace": "default", "name": "night"}}
    night["spec"] = {"clusterQueue": "q", "stopPolicy": "Hold"}
    raw = scenario(
        [queue("q", 4)], [submit("0s", "a", "night", 1), submit("1m", "b", "q", 1)], objects=[night]
    )
    record = played(raw)
    assert [run.workload for run in record.runs] == ["default/b"]
    told = [line.text for line in record.story if line.workload == "default/a"]
    assert told[-1] == "is not queued: LocalQueue default/night is held: spec.stopPolicy is Hold"
