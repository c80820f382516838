"""What the proposals may and may not change, in any cluster that the strategies draw."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings

from tenure.conformance.protocol import answer
from tenure.readings import CHOICES, preset_names
from tenure.strategies import ALL_FEATURES, Feature, decide_inputs
from tests.properties.restart import after_a_restart, before, comparable

MANY = settings(
    deadline=None, print_blob=True, max_examples=100, suppress_health_check=[HealthCheck.too_slow]
)


def outcomes(scenario: dict[str, Any]) -> list[Any]:
    """What is decided under each preset, and with each single choice beside the default."""
    readings: list[object] = list(preset_names())
    for key, choices in CHOICES.items():
        readings += [{key: member.name.lower()} for member in choices]
    return [before({**scenario, "reading": reading}) for reading in readings]


@MANY
@given(decide_inputs())
def test_without_a_field_of_a_proposal_every_reading_decides_alike(scenario: dict[str, Any]) -> None:
    first, *others = outcomes(scenario)
    assert all(each == first for each in others)


@MANY
@given(decide_inputs(features=ALL_FEATURES))
def test_with_the_gate_off_a_duration_changes_nothing(scenario: dict[str, Any]) -> None:
    off = {**scenario["featureGates"], "TimeBasedSamePriorityPreemption": False}
    stripped = [_without_duration(queue) for queue in scenario["clusterQueues"]]
    gated = {**scenario, "featureGates": off}
    assert before(gated) == before({**gated, "clusterQueues": stripped})


@MANY
@given(decide_inputs(features=ALL_FEATURES))
def test_a_restart_of_the_controller_changes_no_decision(scenario: dict[str, Any]) -> None:
    if comparable(scenario):
        assert before(scenario) == after_a_restart(scenario)


@MANY
@given(decide_inputs(features=ALL_FEATURES - {Feature.AGEING}, fair_sharing=False))
def test_a_workload_within_its_duration_is_taken_by_no_equal_of_its_queue(scenario: dict[str, Any]) -> None:
    reading = {"preset": "guaranteed"}
    said = answer({"id": 1, "call": "decide", "input": {**scenario, "reading": reading, "explain": True}})
    for taken in said["output"]["preempted"]:
        if taken["reason"] == "InClusterQueue" and taken["clusterQueue"] == scenario["targetCQ"]:
            assert "TBP-050" not in taken["rules"] or _has_no_duration(scenario)


def _has_no_duration(scenario: dict[str, Any]) -> bool:
    (queue,) = (
        each for each in scenario["clusterQueues"] if each["metadata"]["name"] == scenario["targetCQ"]
    )
    gate = scenario["featureGates"].get("TimeBasedSamePriorityPreemption", True)
    return not gate or "withinClusterQueueConfig" not in queue["spec"].get("preemption", {})


def _without_duration(queue: dict[str, Any]) -> dict[str, Any]:
    preemption = {
        key: value
        for key, value in queue["spec"].get("preemption", {}).items()
        if key != "withinClusterQueueConfig"
    }
    return {**queue, "spec": {**queue["spec"], "preemption": preemption}}
