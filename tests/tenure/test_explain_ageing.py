"""Explanations say how a priority grew, and when it grows next."""

from __future__ import annotations

from typing import Any

import pytest

from tenure.conformance.protocol import answer
from tests.tenure.conformance.requests import a_queue, a_workload, an_input

AGING = {
    "metadata": {"name": "aging"},
    "spec": {"priority": 100, "dynamicPriorityPolicy": {"step": 400, "max": 1000, "delayForStep": "1h"}},
}


def findings(now: str, reading: str, **fields: Any) -> list[str]:
    aged = a_workload("aged", priority=0)
    aged["spec"]["priorityClassRef"] = {
        "group": "kueue.x-k8s.io",
        "kind": "WorkloadPriorityClass",
        "name": "aging",
    }
    given = an_input(
        now=now,
        clusterQueues=[a_queue(quota="1")],
        admitted=[a_workload("long", priority=600, reserved="2026-03-02T09:00:00Z")],
        incoming=aged,
        workloadPriorityClasses=[AGING],
        reading=reading,
        explain=True,
        **fields,
    )
    (row,) = answer({"id": 1, "call": "decide", "input": given})["output"]["trace"]["workloads"]
    return [f"{item['rule']} {item['text']}" for item in row["remarks"] if item["rule"].startswith("DYN")]


@pytest.mark.parametrize(
    ("reading", "now", "said"),
    [
        (
            "guaranteed",
            "2026-03-02T09:30:00Z",
            [
                "DYN-050 preemptor has priority 500 by class aging: "
                "100 and 1 step of 400 since 2026-03-02T09:00:00Z",
                "DYN-060 preemptor has priority 900 from 2026-03-02T10:00:00Z, in 30m",
            ],
        ),
        (
            "as-written",
            "2026-03-02T09:30:00Z",
            [
                "DYN-050 preemptor has priority 900 by class aging: "
                "100 and 2 steps of 400 since 2026-03-02T09:00:00.000000001Z",
                "DYN-060 preemptor has priority 1000 from 2026-03-02T10:00:00.000000001Z, in 30m0.000000001s",
            ],
        ),
        (
            "guaranteed",
            "2026-03-02T13:30:00Z",
            [
                "DYN-050 preemptor has priority 1000 by class aging: "
                "100 and 5 steps of 400 since 2026-03-02T13:00:00Z, cut to max 1000",
                "DYN-060 preemptor keeps priority 1000: no further step changes it",
            ],
        ),
    ],
)
def test_how_a_priority_grew_and_when_it_grows_next(reading: str, now: str, said: list[str]) -> None:
    assert findings(now, reading) == said


def test_an_age_that_counts_from_the_job_says_so_by_its_times() -> None:
    said = findings("2026-03-02T14:30:00Z", "guaranteed", jobs={"ml/aged": "2026-03-02T14:00:00Z"})
    assert said == [
        "DYN-050 preemptor has priority 100 by class aging: "
        "100 and 0 steps of 400 since 2026-03-02T14:00:00Z",
        "DYN-060 preemptor has priority 500 from 2026-03-02T15:00:00Z, in 30m",
    ]
