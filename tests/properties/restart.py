"""A cluster as it would be read back from the API server: every object of a scenario as a manifest."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml

import tenure
from tenure.conformance.protocol import answer
from tenure.errors import InputError
from tenure_lab.generators.strategies import ALL_FEATURES, examples

_FINAL, _INITIAL = "LessThanOrEqualToFinalShare", "LessThanInitialShare"
Outcome = tuple[Any, ...]


def manifests(scenario: dict[str, Any]) -> list[dict[str, Any]]:
    """The scenario's objects, with a Configuration, LocalQueue and Jobs that say the rest."""
    queue = {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "LocalQueue",
        "metadata": {"namespace": "ns", "name": "jobs"},
        "spec": {"clusterQueue": scenario["targetCQ"]},
    }
    incoming = {**scenario["incoming"], "spec": {**scenario["incoming"]["spec"], "queueName": "jobs"}}
    owned = [
        _owned(raw, scenario.get("jobs", {})) for raw in (incoming, *map(_reserved, scenario["admitted"]))
    ]
    return [
        _configuration(scenario),
        queue,
        *scenario["resourceFlavors"],
        *scenario["cohorts"],
        *scenario["clusterQueues"],
        *scenario.get("workloadPriorityClasses", []),
        *(workload for workload, _ in owned),
        *(job for _, job in owned if job),
    ]


def after_a_restart(scenario: dict[str, Any]) -> Outcome:
    """What is decided when all of it has been written to a file and read again."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "cluster.yaml")
        path.write_text(yaml.dump_all(manifests(scenario), Dumper=yaml.CSafeDumper), encoding="utf-8")
        try:
            loaded = tenure.load(path)
            decision = tenure.decide(
                loaded, "ns/in", now=scenario["now"], reading=scenario.get("reading", "guaranteed")
            )
        except InputError as error:
            return ("error", error.problems[0].object, error.problems[0].field)
    taken = [(target.workload.key, target.reason.label) for target in decision.targets]
    return (str(decision.outcome), taken)


def before(scenario: dict[str, Any]) -> Outcome:
    """What is decided from the objects in memory."""
    said = answer({"id": 1, "call": "decide", "input": scenario})
    if "error" in said:
        first = said["error"]["problems"][0]
        return ("error", first["object"], first["field"])
    output = said["output"]
    return (output["decision"], [(item["workload"], item["reason"]) for item in output["preempted"]])


def comparable(scenario: dict[str, Any]) -> bool:
    """Whether every object of it could be in a cluster; the drawing leaves defaults and conditions out."""
    return all(
        condition["type"] != "QuotaReserved" or condition["status"] == "True"
        for raw in scenario["admitted"]
        for condition in raw["status"].get("conditions", ())
    )


def _configuration(scenario: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {
        "apiVersion": "config.kueue.x-k8s.io/v1beta2",
        "kind": "Configuration",
        "featureGates": scenario["featureGates"],
        "waitForPodsReady": {"requeuingStrategy": {"timestamp": scenario["requeuingTimestamp"]}},
    }
    fair = scenario["fairSharing"]
    if fair is not None:
        made["fairSharing"] = {"preemptionStrategies": fair["preemptionStrategies"] or [_FINAL, _INITIAL]}
    return made


def _reserved(raw: dict[str, Any]) -> dict[str, Any]:
    """An admitted workload holds quota in a cluster because a condition says so; without a stamp: now."""
    conditions = raw["status"].get("conditions", [])
    if any(condition["type"] == "QuotaReserved" for condition in conditions):
        return raw
    held = {"type": "QuotaReserved", "status": "True", "reason": "QuotaReserved", "message": ""}
    return {**raw, "status": {**raw["status"], "conditions": [*conditions, held]}}


def _owned(raw: dict[str, Any], jobs: dict[str, str]) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """A workload that names its Job, and the Job."""
    name = raw["metadata"]["name"]
    created = jobs.get(f"ns/{name}")
    if created is None:
        return raw, None
    owner = {"apiVersion": "batch/v1", "kind": "Job", "name": f"job-{name}", "uid": f"j-{name}"}
    metadata = {"namespace": "ns", "name": owner["name"], "uid": owner["uid"], "creationTimestamp": created}
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": {}}
    return {**raw, "metadata": {**raw["metadata"], "ownerReferences": [owner]}}, job


def main() -> int:
    """Compare many: `python -m tests.properties.restart --n 5000 --seed 1`."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--n", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    count = differ = refused = 0
    for scenario in examples(asked.n, asked.seed, features=ALL_FEATURES):
        if not comparable(scenario):
            continue
        count += 1
        first, second = before(scenario), after_a_restart(scenario)
        refused += first[0] == "error"
        if first != second:
            differ += 1
            print(f"seed {asked.seed}: {first} before, {second} after", file=sys.stderr)
    print(f"{count} states, {refused} refused alike, {differ} decided otherwise after a restart")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
