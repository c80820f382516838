"""Scenarios in Python, for the tests of plays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tenure.readings import preset
from tenure_play import Record, parse_scenario, play
from tests.objects import a_local_queue, a_queue, an_object


def queue(name: str, quotas: Mapping[str, int] | int, cohort: str = "", **spec: Any) -> dict[str, Any]:
    """A ClusterQueue with CPUs on one flavor, and a LocalQueue of its name."""
    resources = {"cpu": quotas} if isinstance(quotas, int) else quotas
    listed = [{"name": resource, "nominalQuota": amount} for resource, amount in resources.items()]
    group = {"coveredResources": list(resources), "flavors": [{"name": "default", "resources": listed}]}
    return a_queue(name, group, **({"cohortName": cohort} if cohort else {}), **spec)


def scenario(
    queues: Sequence[dict[str, Any]], events: Sequence[dict[str, Any]], **more: Any
) -> dict[str, Any]:
    """What a scenario file would hold."""
    names = [queue["metadata"]["name"] for queue in queues if queue["kind"] == "ClusterQueue"]
    local = [a_local_queue(name, "default", name) for name in names]
    objects = [an_object("ResourceFlavor", "default"), *queues, *local, *more.pop("objects", ())]
    return {"until": "1h", "objects": objects, "events": list(events), **more}


def submit(at: str, name: str, to: str, cpu: int, priority: int = 0, **more: Any) -> dict[str, Any]:
    """A submission."""
    said = {"name": name, "queue": to, "priority": priority, "requests": {"cpu": cpu}, **more}
    return {"at": at, "submit": said}


def played(raw: dict[str, Any], reading: str = "released") -> Record:
    """A play; every expectation in it must hold."""
    record = play(parse_scenario(raw), preset(reading))
    assert [outcome for outcome in record.expectations if not outcome.holds] == []
    return record


def result(record: Record, cycle: int) -> dict[str, str]:
    """What became of the heads of a cycle, by the name of the workload."""
    return {head.workload.split("/")[1]: head.result.value for head in record.cycles[cycle].heads}
