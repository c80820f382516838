"""PO-TBP-150 and PO-TBP-155 are about candidates. Of whole decisions the like is false, by these two."""

from __future__ import annotations

import pytest

from tenure.conformance.protocol import answer
from tenure.readings import preset_names
from tests.objects import Object, a_group, a_queue, a_workload, admitted_to, an_object

MADE_AT, RESERVED_AT, NOW = (f"2026-01-05T{hour}:00:00Z" for hour in ("08", "09", "10"))


def queue(name: str, nominal: int, preemption: Object) -> Object:
    """A ClusterQueue of the cohort."""
    group = a_group("f", quota=str(nominal))
    return a_queue(name, group, cohortName="c", namespaceSelector={}, preemption=preemption)


def workload(name: str, cpu: int, *, priority: int = 0, holds: str = "") -> Object:
    """A workload that waits, or holds quota of a ClusterQueue."""
    made = a_workload(name, {"cpu": str(cpu)}, "ns", MADE_AT, priority=priority)
    return admitted_to(holds, made, "f", RESERVED_AT) if holds else made


def victims(duration: str, reading: str) -> set[str]:
    """Whom a newcomer takes under a minAdmitDuration."""
    preemption = {
        "withinClusterQueue": "LowerOrNewerEqualPriority",
        "withinClusterQueueConfig": {"minAdmitDuration": duration},
        "reclaimWithinCohort": "Any",
        "borrowWithinCohort": {"policy": "LowerPriority"},
    }
    request = {
        "now": NOW,
        "clusterQueues": [queue("a", 6, preemption), queue("b", 4, {})],
        "cohorts": [],
        "resourceFlavors": [an_object("ResourceFlavor", "f")],
        "admitted": [
            workload("lower", 2, priority=-1, holds="a"),
            workload("equal", 2, holds="a"),
            workload("elsewhere", 6, holds="b"),
        ],
        "incoming": workload("zz-new", 4) | {"metadata": newcomer()},
        "targetCQ": "a",
        "assignment": None,
        "reading": reading,
    }
    said = answer({"id": 1, "call": "decide", "input": request})
    return {item["workload"] for item in said["output"]["preempted"]}


def newcomer() -> dict[str, str]:
    """Created after all were admitted, so that under no reading any is newer."""
    return {"namespace": "ns", "name": "zz-new", "uid": "zz-new", "creationTimestamp": NOW}


@pytest.mark.parametrize("reading", preset_names())
def test_a_longer_duration_can_cost_a_workload_of_another_queue_its_place(reading: str) -> None:
    # Borrowing, two of its own queue suffice. Where one of them is protected, only the attempt without
    # borrowing is left, and there the cohort's equals may be preempted.
    assert victims("1m", reading) == {"ns/lower", "ns/equal"}
    assert victims("4h", reading) == {"ns/lower", "ns/elsewhere"}
