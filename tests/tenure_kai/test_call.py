"""The oracle's call `minruntime`: every bad case is answered with its field."""

from __future__ import annotations

from typing import Any

import pytest

from tenure.conformance.protocol import answer


def said(**given: Any) -> dict[str, Any]:
    """The whole answer to a case."""
    return answer({"id": 1, "call": "minruntime", "input": given})


A_JOB = {
    "name": "v",
    "queue": "q",
    "lastStart": None,
    "subGroups": [{"name": "d", "minAvailable": 1, "pods": []}],
}


NOW = "2026-06-01T14:00:00Z"
BAD_GROUP = {"name": "d", "minAvailable": 1, "pods": [{"name": "p", "status": "x"}]}
ADD = {"op": "addPod", "job": "v", "pod": "p", "status": "Running"}


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({}, "op"),
        ({"op": "guess"}, "op"),
        ({"op": "config", "pluginArgs": {"a": 1}}, "pluginArgs.a"),
        ({"op": "config", "pluginArg": {}}, "pluginArg"),
        ({"op": "resolve", "action": "steal"}, "action"),
        ({"op": "resolve", "action": "preempt", "queues": [{"name": "a", "preemptMinRuntime": "1d"}]},
         "queues[0].preemptMinRuntime"),
        ({"op": "resolve", "action": "preempt", "queues": [{"name": "a"}, {"name": "a"}]}, "queues"),
        ({"op": "path", "victimQueue": None}, "victimQueue"),
        ({"op": "filter", "jobs": []}, "now"),
        ({"op": "filter", "now": NOW, "jobs": [{**A_JOB, "lastStart": "x"}]}, "jobs[0].lastStart"),
        ({"op": "filter", "now": NOW, "jobs": [{**A_JOB, "subGroups": [BAD_GROUP]}]},
         "jobs[0].subGroups[0].pods[0].status"),
        ({"op": "sequence", "steps": [{"op": "jump"}]}, "steps[0].op"),
        ({"op": "sequence", "steps": [{"op": "setQueue", "queue": "gone"}]}, "steps[0].queue"),
        ({"op": "sequence", "jobs": [A_JOB], "steps": [ADD]},
         "steps[0].subGroup"),
    ],
    ids=str,
)  # fmt: skip
def test_a_bad_case_is_answered_with_its_field(given: dict[str, Any], field: str) -> None:
    assert said(**given)["error"]["field"] == field


@pytest.mark.parametrize(
    ("spec", "accepted"),
    [
        ({}, {"accepted": True, "preemptMinRuntimeNs": None, "reclaimMinRuntimeNs": None}),
        (
            {"preemptMinRuntime": "-1s"},
            {"accepted": True, "preemptMinRuntimeNs": -(10**9), "reclaimMinRuntimeNs": None},
        ),
        ({"reclaimMinRuntime": "1d"}, {"accepted": False}),
        ({"reclaimMinRuntime": 5}, {"accepted": False}),
    ],
    ids=str,
)  # fmt: skip
def test_fields_of_a_queue_decode_or_do_not(spec: dict[str, Any], accepted: dict[str, Any]) -> None:
    assert said(op="queueField", queueSpec=spec)["output"] == accepted


def test_steps_change_what_they_name() -> None:
    groups = [{"name": "d", "minAvailable": 1, "pods": [{"name": "p", "status": "Running"}]}]
    job = {**A_JOB, "lastStart": "2026-06-01T13:59:00Z", "subGroups": groups}
    waiting = {**A_JOB, "name": "w"}
    asked = {
        "op": "validate",
        "action": "preempt",
        "preemptor": "w",
        "victims": [{"job": "v", "pods": ["p"]}],
    }
    steps = [
        asked,
        {"op": "addPod", "job": "v", "subGroup": "d", "pod": {"name": "q", "status": "Running"}},
        asked,
        {"op": "setPodStatus", "job": "v", "pod": "q", "status": "Failed"},
        asked,
        {"op": "protected", "action": "preempt", "preemptor": "w", "victim": "v"},
    ]
    given = {
        "op": "sequence",
        "now": "2026-06-01T14:00:00Z",
        "queues": [{"name": "q", "preemptMinRuntime": "10m"}],
        "jobs": [job, waiting],
        "steps": steps,
    }
    answers = [{"validator": True}, {}, {"validator": True}, {}, {"validator": False}, {"protected": True}]
    assert said(**given)["output"] == {"steps": answers}


def test_a_filter_among_steps_says_whether_the_victim_is_elastic() -> None:
    pods = [{"name": name, "status": "Running"} for name in "pq"]
    victims = [
        {
            "name": name,
            "queue": "q",
            "lastStart": "2026-06-01T13:59:00Z",
            "subGroups": [{"name": "d", "minAvailable": least, "pods": pods}],
        }
        for name, least in (("elastic", 1), ("rigid", 2))
    ]
    asked = {"op": "filter", "action": "preempt", "preemptor": "w"}
    answered = said(
        op="sequence",
        now="2026-06-01T14:00:00Z",
        queues=[{"name": "q", "preemptMinRuntime": "10m"}],
        jobs=[*victims, {**A_JOB, "name": "w"}],
        steps=[{**asked, "victim": "elastic"}, {**asked, "victim": "rigid"}],
    )
    steps = [{"elastic": True, "filter": True}, {"elastic": False, "filter": False}]
    assert answered["output"] == {"steps": steps}


def test_a_pod_that_one_job_has_needs_no_job_to_be_named() -> None:
    def a_job(name: str, pod: str) -> dict[str, Any]:
        group = {"name": "d", "minAvailable": 1, "pods": [{"name": pod, "status": "Running"}]}
        return {"name": name, "queue": "q", "subGroups": [group]}

    def after(*jobs: dict[str, Any]) -> dict[str, Any]:
        step = {"op": "setPodStatus", "pod": "p", "status": "Failed"}
        return said(op="sequence", queues=[{"name": "q"}], jobs=list(jobs), steps=[step])

    assert after(a_job("v", "p"), a_job("w", "other"))["output"] == {"steps": [{}]}
    assert after(a_job("v", "other"))["error"]["field"].endswith("steps[0].pod")
    twice = after(a_job("v", "p"), a_job("w", "p"))["error"]
    assert twice["field"].endswith("steps[0].job")
    assert "one of the jobs that have pod p: v, w" in twice["message"]
