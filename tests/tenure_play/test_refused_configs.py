"""KEP-8522, Integration tests 9: what the webhook refuses, and what is decided where it is there."""

from __future__ import annotations

from typing import Any

import pytest

from tenure.conformance.protocol import answer
from tenure.readings import preset_names
from tests.tenure_play.plays import played, queue, scenario, submit

EQUAL = "LowerOrNewerEqualPriority"
FIELD = "spec.preemption.withinClusterQueueConfig"
CASES = [
    (EQUAL, {"minAdmitDuration": "59s"}, f"{FIELD}.minAdmitDuration"),
    (EQUAL, {"minAdmitDuration": "0s"}, f"{FIELD}.minAdmitDuration"),
    (EQUAL, {"minAdmitDuration": "-1h"}, f"{FIELD}.minAdmitDuration"),
    ("LowerPriority", {"minAdmitDuration": "4h"}, FIELD),
    ("Never", {"minAdmitDuration": "4h"}, FIELD),
    ("Never", {}, FIELD),
]


def cluster_queue(policy: str, config: dict[str, Any]) -> dict[str, Any]:
    return queue("q", 1, preemption={"withinClusterQueue": policy, "withinClusterQueueConfig": config})


@pytest.mark.parametrize(("policy", "config", "field"), CASES)
@pytest.mark.parametrize("reading", preset_names())
def test_the_webhook_refuses_it_under_every_reading(
    policy: str, config: dict[str, Any], field: str, reading: str
) -> None:
    header = {"apiVersion": "kueue.x-k8s.io/v1beta2"}
    objects = [{**header, **cluster_queue(policy, config)}]
    said = answer({"id": 1, "call": "validate", "input": {"objects": objects, "reading": reading}})
    assert [error["field"] for error in said["output"]["errors"]] == [field]


@pytest.mark.parametrize(("policy", "config", "field"), CASES)
@pytest.mark.parametrize("reading", preset_names())
def test_where_it_is_there_all_the_same_everything_goes_as_without_it(
    policy: str, config: dict[str, Any], field: str, reading: str
) -> None:
    assert field
    events = [
        submit("0s", "holder", "q", 1, 5),
        submit("1m", "waits", "q", 1, 5),
        {"at": "30m", "tick": True},
        submit("40m", "high", "q", 1, 9),
    ]
    with_it, without = (
        played(scenario([entry], events), reading)
        for entry in (cluster_queue(policy, config), queue("q", 1, preemption={"withinClusterQueue": policy}))
    )
    assert with_it == without
