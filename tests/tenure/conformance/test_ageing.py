"""Priorities that grow with time, through the oracle: KEP-754's worked example and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from tenure.conformance.protocol import answer
from tests.objects import Object
from tests.tenure.conformance.requests import a_queue, a_workload, an_input

POLICY: Object = {"step": 400, "max": 1000, "delayForStep": "1h"}
NOON = "2026-03-02T12:00:00Z"
CLASS_OF = {"group": "kueue.x-k8s.io", "kind": "WorkloadPriorityClass", "name": "aging"}
PRESETS = ("as-written", "released", "guaranteed")


def a_class(base: int = 100, **policy: object) -> Object:
    found = {key: value for key, value in {**POLICY, **policy}.items() if value is not None}
    return {"metadata": {"name": "aging"}, "spec": {"priority": base, "dynamicPriorityPolicy": found}}


def asked(now: str, reading: object = "guaranteed", growing: Object | None = None) -> dict[str, Any]:
    given = {"workloadPriorityClass": growing or a_class(), "created": NOON, "now": now, "reading": reading}
    return answer({"id": 1, "call": "priority", "input": given})


@pytest.mark.parametrize("reading", PRESETS)
@pytest.mark.parametrize(("hours", "priority"), [(0, 100), (1, 500), (2, 900), (3, 1000), (9, 1000)])
def test_the_worked_example_holds_at_whole_hours_under_every_preset(
    reading: str, hours: int, priority: int
) -> None:
    assert asked(f"2026-03-02T{12 + hours}:00:00Z", reading)["output"] == {"priority": priority}


@pytest.mark.parametrize(("reading", "priority"), [("as-written", 500), ("guaranteed", 100)])
def test_between_two_hours_the_equation_rounds_up_and_the_prose_down(reading: str, priority: int) -> None:
    for now in ("2026-03-02T12:00:00.000000001Z", "2026-03-02T12:59:59.999999999Z"):
        assert asked(now, reading)["output"] == {"priority": priority}


def test_before_its_creation_a_job_has_its_base() -> None:
    assert asked("2026-03-02T08:00:00Z", "as-written")["output"] == {"priority": 100}


@pytest.mark.parametrize(
    ("policy", "computed", "field"),
    [
        ({"step": -10}, 70, "step"),
        ({"max": None}, 0, "max"),
        ({"max": 50}, 50, "max"),
    ],
)
def test_a_class_that_makes_no_sense_is_computed_or_refused(
    policy: Object, computed: int, field: str
) -> None:
    growing = a_class(**policy)
    for reading in ("as-written", "released"):
        assert asked("2026-03-02T15:00:00Z", reading, growing)["output"] == {"priority": computed}
    error = asked("2026-03-02T15:00:00Z", "guaranteed", growing)["error"]
    assert error["field"] == f"spec.dynamicPriorityPolicy.{field}"
    assert error["message"].startswith("WorkloadPriorityClass/aging: spec.dynamicPriorityPolicy.")


@pytest.mark.parametrize("reading", PRESETS)
@pytest.mark.parametrize("delay", ["0s", "-1h", None])
def test_a_delay_that_is_not_above_zero_is_refused_under_every_reading(
    reading: str, delay: str | None
) -> None:
    error = asked(NOON, reading, a_class(delayForStep=delay))["error"]
    assert error["field"] == "spec.dynamicPriorityPolicy.delayForStep"


def test_a_written_max_of_zero_is_a_value() -> None:
    assert asked("2026-03-02T15:00:00Z", growing=a_class(base=-900, max=0))["output"] == {"priority": 0}


def test_steps_and_priority_saturate() -> None:
    eternal = a_class(step=2**31 - 1, max=2**31 - 1, delayForStep="1ns")
    given = {"workloadPriorityClass": eternal, "created": "1970-01-01T00:00:00Z", "now": NOON}
    output = answer({"id": 1, "call": "priority", "input": given})["output"]
    assert output == {"priority": 2**31 - 1}
    falling = {"workloadPriorityClass": a_class(step=-(2**31), delayForStep="1ns"), "reading": "as-written"}
    output = answer({"id": 1, "call": "priority", "input": {**given, **falling}})["output"]
    assert output == {"priority": -(2**31)}


def test_unknown_and_missing_fields_are_named() -> None:
    problems = answer({"call": "priority", "input": {"nowe": 1}})["error"]["problems"]
    assert [problem["field"] for problem in problems] == ["nowe", "workloadPriorityClass", "created", "now"]
    assert "did you mean now?" in problems[0]["expected"]


def decided(now: str, reading: str = "guaranteed", **fields: Any) -> dict[str, Any]:
    aged = a_workload("aged", priority=100)
    aged["spec"]["priorityClassRef"] = CLASS_OF
    given = an_input(
        now=now,
        clusterQueues=[a_queue(quota="1")],
        admitted=[a_workload("young", priority=600, reserved="2026-03-02T13:00:00Z")],
        incoming=aged,
        workloadPriorityClasses=[a_class()],
        reading=reading,
        **fields,
    )
    return answer({"id": 1, "call": "decide", "input": given})


def test_an_aged_workload_passes_the_duration_as_lower_priority() -> None:
    # Created at 08:00 with 100: 900 from 10:00, 1000 from 11:00; its target's four hours end at 17:00.
    output = decided("2026-03-02T13:30:00Z")["output"]
    assert [(item["workload"], item["reason"]) for item in output["preempted"]] == [
        ("ml/young", "InClusterQueue")
    ]


def test_ages_count_from_the_job_where_it_is_given() -> None:
    late = {"ml/aged": "2026-03-02T13:00:00Z"}
    assert decided("2026-03-02T13:30:00Z", jobs=late)["output"]["decision"] == "NoCandidates"
    assert decided("2026-03-02T13:30:00Z", "as-written", jobs=late)["output"]["decision"] == "NoCandidates"
    assert decided("2026-03-02T14:30:00Z", "as-written", jobs=late)["output"]["decision"] == "Preempt"
    assert decided("2026-03-02T14:30:00Z", jobs=late)["output"]["decision"] == "NoCandidates"


def test_a_decision_is_refused_where_a_refused_class_is_used() -> None:
    def answered(reading: str = "guaranteed", **fields: Any) -> dict[str, Any]:
        given = an_input(workloadPriorityClasses=[a_class(step=-1)], reading=reading, **fields)
        return answer({"id": 1, "call": "decide", "input": given})

    aged, running = a_workload("aged", priority=100), a_workload("running", reserved="2026-03-02T09:00:00Z")
    aged["spec"]["priorityClassRef"] = running["spec"]["priorityClassRef"] = CLASS_OF
    used: tuple[dict[str, Any], ...] = ({"incoming": aged}, {"admitted": [running]})
    for fields in used:
        error = answered(**fields)["error"]
        assert (error["code"], error["field"]) == ("bad-input", "spec.dynamicPriorityPolicy.step")
        assert "output" in answered("as-written", **fields)
    assert "output" in answered()


def test_one_cluster_at_two_times_is_decided_at_either() -> None:
    def outcome(now: str) -> Any:
        aged = a_workload("old", priority=0, reserved="2026-03-02T13:00:00Z")
        aged["spec"]["priorityClassRef"] = CLASS_OF
        given = an_input(
            now=now,
            clusterQueues=[a_queue(quota="1", duration=None)],
            admitted=[aged],
            incoming=a_workload("preemptor", priority=600),
            workloadPriorityClasses=[a_class()],
        )
        return answer({"id": 1, "call": "decide", "input": given})["output"]["decision"]

    assert [outcome(f"2026-03-02T{hour:02}:30:00Z") for hour in (9, 10)] == ["Preempt", "NoCandidates"]
