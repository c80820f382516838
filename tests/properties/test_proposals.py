"""What the proposals may and may not change, in any cluster that the strategies draw."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings

from tenure.conformance.protocol import answer
from tenure.readings import CHOICES, PROOFS_ONLY, preset_names
from tenure_lab.generators.strategies import ALL_FEATURES, Feature, decide_inputs
from tests.properties.restart import after_a_restart, before, comparable
from tests.sampling import sample

MANY = settings(max_examples=sample(15, 300), suppress_health_check=[HealthCheck.too_slow])


REPAIRS = {"fair_sharing_repair", "repair_strategy", "repair_within_nominal"}
"""Keys that change what Kueue decides by fair sharing today, with fields that it has."""


def outcomes(scenario: dict[str, Any]) -> list[Any]:
    """What is decided under each preset, and with each single choice beside the default."""
    readings: list[object] = list(preset_names())
    for key, choices in CHOICES.items():
        if key in REPAIRS and scenario["fairSharing"]:
            continue
        known = [member for member in choices if member != PROOFS_ONLY.get(key)]
        readings += [{key: member.name.lower()} for member in known]
    return [before({**scenario, "reading": reading}) for reading in readings]


@MANY
@given(decide_inputs())
def test_without_a_field_of_a_proposal_every_reading_decides_alike(scenario: dict[str, Any]) -> None:
    first, *others = outcomes(scenario)
    assert all(other == first for other in others)


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
def test_a_workload_within_its_duration_is_not_preempted_by_an_equal_of_its_queue(
    scenario: dict[str, Any],
) -> None:
    reading = {"preset": "guaranteed"}
    said = answer({"id": 1, "call": "decide", "input": {**scenario, "reading": reading, "explain": True}})
    for taken in said["output"]["preempted"]:
        if taken["reason"] == "InClusterQueue" and taken["clusterQueue"] == scenario["targetCQ"]:
            assert "TBP-050" not in taken["rules"] or _has_no_duration(scenario)


@MANY
@given(decide_inputs(features=ALL_FEATURES))
def test_heroes_preempt_inside_their_branch_and_lose_to_no_standard_queue(scenario: dict[str, Any]) -> None:
    """Whatever else is drawn; and every workload of the tree gets its explanation."""
    request = {**scenario, "reading": "guaranteed", "explain": True}
    said = answer({"id": 1, "call": "decide", "input": request})
    if "error" in said:
        assert said["error"]["code"] == "bad-input"  # a class that guaranteed refuses
        return
    queues = {item["metadata"]["name"]: item for item in scenario["clusterQueues"]}
    target, taken = scenario["targetCQ"], said["output"]["preempted"]
    others = [item for item in taken if item["clusterQueue"] != target]
    if is_hero(queues[target]):
        assert {other["reason"] for other in others} <= {"UberCQPreemption"}
        parents = {item["metadata"]["name"]: _parent(item, "parentName") for item in scenario["cohorts"]}
        for other in others:
            branch = _parent(queues[target], "cohortName")
            assert branch in _above(_parent(queues[other["clusterQueue"]], "cohortName"), parents)
    else:
        assert not [other for other in others if is_hero(queues[other["clusterQueue"]])]
        assert "UberCQPreemption" not in {item["reason"] for item in taken}


@MANY
@given(decide_inputs(features=ALL_FEATURES))
def test_rows_of_accessible_are_nominal_less_bill_except_of_heroes(scenario: dict[str, Any]) -> None:
    given = {key: value for key, value in scenario.items() if key != "incoming"}
    said = answer({"id": 1, "call": "accessible", "input": {**given, "reading": "guaranteed"}})
    if "error" in said:
        assert said["error"]["code"] == "bad-input"  # a class that guaranteed refuses
        return
    heroes = {item["metadata"]["name"] for item in scenario["clusterQueues"] if is_hero(item)}
    for row in said["output"]["rows"]:
        assert 0 <= row["bill"] <= row["nominal"]
        if row["clusterQueue"] not in heroes:
            assert row["accessible"] == row["nominal"] - row["bill"]


def is_hero(queue: dict[str, Any]) -> bool:
    """Whether a ClusterQueue is a hero: it has the rules, and a cohort."""
    rules = queue["spec"].get("preemption", {}).get("rules")
    return rules == "UberClusterQueueRules" and _parent(queue, "cohortName") is not None


def _parent(raw: dict[str, Any], field: str) -> str | None:
    return raw.get("spec", {}).get(field) or raw.get("spec", {}).get("cohort") or None


def _above(cohort: str | None, parents: dict[str, str | None]) -> set[str | None]:
    found: set[str | None] = set()
    while cohort is not None and cohort not in found:
        found.add(cohort)
        cohort = parents.get(cohort)
    return found


def _has_no_duration(scenario: dict[str, Any]) -> bool:
    (queue,) = (
        item for item in scenario["clusterQueues"] if item["metadata"]["name"] == scenario["targetCQ"]
    )
    gate = scenario["featureGates"].get("TimeBasedSamePriorityPreemption", True)
    config = queue["spec"].get("preemption", {}).get("withinClusterQueueConfig", {})
    return not gate or config.get("minAdmitDuration", "0s") == "0s"


def _without_duration(queue: dict[str, Any]) -> dict[str, Any]:
    preemption = {
        key: value
        for key, value in queue["spec"].get("preemption", {}).items()
        if key != "withinClusterQueueConfig"
    }
    return {**queue, "spec": {**queue["spec"], "preemption": preemption}}
