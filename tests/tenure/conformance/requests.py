"""Requests of the oracle's call `decide`, as the tests of this folder write them."""

from __future__ import annotations

from typing import Any

from tests import objects
from tests.objects import Object, a_group, admitted_to

CREATED = "2026-03-02T08:00:00Z"


def a_queue(name: str = "q", quota: str = "2", duration: str | None = "4h") -> Object:
    """A ClusterQueue of some CPUs."""
    preemption: Object = {"withinClusterQueue": "LowerOrNewerEqualPriority"}
    if duration is not None:
        preemption["withinClusterQueueConfig"] = {"minAdmitDuration": duration}
    return objects.a_queue(name, a_group("default", quota=quota), preemption=preemption)


def a_workload(name: str, priority: int = 100, cpu: str = "1", reserved: str | None = None) -> Object:
    """A Workload; one with a reservation holds quota of queue q."""
    made = objects.a_workload(name, {"cpu": cpu}, created=CREATED, priority=priority)
    return made if reserved is None else admitted_to("q", made, "default", reserved)


def an_input(**fields: Any) -> Object:
    """An input whose answer is that `ml/long`, past its four hours, is preempted."""
    return {
        "now": "2026-03-02T14:00:00Z",
        "clusterQueues": [a_queue()],
        "admitted": [
            a_workload("long", reserved="2026-03-02T09:00:00Z"),
            a_workload("short", reserved="2026-03-02T13:00:00Z"),
        ],
        "incoming": a_workload("preemptor"),
        "targetCQ": "q",
        **fields,
    }


def a_request(identifier: object = 1, **fields: Any) -> Object:
    """A request with other fields of its input."""
    return {"id": identifier, "call": "decide", "input": an_input(**fields)}
