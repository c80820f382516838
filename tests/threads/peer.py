"""A thread's cluster as a request to the real scheduler, and its answer beside ours.

The conversion to v1beta2 is not Tenure's: a mistake there would otherwise be made on both sides.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import yaml

from tenure_lab.programs import Object, our_answer
from tests.threads.folders import Thread

WORDS = {"Borrow": "MayStopSearch", "Preempt": "MayStopSearch"}


def request(thread: Thread) -> Object:
    """The input of call `decide`: the whole cluster, and the command's workload as the incoming one."""
    listed = yaml.safe_load((thread.folder / "cluster.yaml").read_text(encoding="utf-8"))
    kinds: dict[str, list[Object]] = defaultdict(list)
    for item in listed["items"]:
        kinds[item["kind"]].append(_v1beta2(item))
    asked = workload(thread)
    (incoming,) = [kind for kind in kinds["Workload"] if _key(kind) == asked]
    (queue,) = [
        kind["spec"]["clusterQueue"]
        for kind in kinds["LocalQueue"]
        if _key(kind) == f"{incoming['metadata']['namespace']}/{incoming['spec']['queueName']}"
    ]
    return {
        "now": thread.option("--now"),
        "fairSharing": _fair_sharing(thread),
        "requeuingTimestamp": "Eviction",
        "clusterQueues": kinds["ClusterQueue"],
        "cohorts": kinds["Cohort"],
        "resourceFlavors": kinds["ResourceFlavor"],
        "admitted": [kind for kind in kinds["Workload"] if "admission" in kind["status"]],
        "incoming": incoming,
        "targetCQ": queue,
        "assignment": None,
    }


def workload(thread: Thread) -> str:
    """The pending workload that the command asks about: of `why-not` its first argument."""
    command, *rest = thread.arguments
    return rest[0] if command == "why-not" else thread.option("-w", "--workload")


def agreement(thread: Thread, asked: Object, said: Object) -> tuple[bool, str]:
    """Whether the scheduler agrees, and what both say, in a line."""
    ours = our_answer({"id": 1, "call": "decide", "input": asked})
    mine, theirs = _told(ours.get("output", ours)), _told(said.get("output", said))
    variants = sorted({_told(item) for item in said.get("output", {}).get("variants") or ()})
    agrees = mine in variants if variants else mine == theirs
    chance = f"; by chance one of: {' | '.join(variants)}" if variants else ""
    return agrees, f"kueue#{thread.number}: {mine}; Kueue: {theirs}{chance}"


def _told(output: Object) -> str:
    victims = sorted((item["workload"], item["reason"]) for item in output.get("preempted", ()))
    return " ".join([output.get("decision", str(output)), *(f"{name} ({why})" for name, why in victims)])


def _key(item: Object) -> str:
    return f"{item['metadata']['namespace']}/{item['metadata']['name']}"


def _fair_sharing(thread: Thread) -> Object | None:
    path = thread.folder / "config.yaml"
    if not path.exists():
        return None
    stored = yaml.safe_load(path.read_text(encoding="utf-8"))
    configured = yaml.safe_load(stored["data"]["controller_manager_config.yaml"])
    return {"preemptionStrategies": configured["fairSharing"]["preemptionStrategies"]}


def _v1beta2(item: Object) -> Object:
    spec: dict[str, Any] = dict(item.get("spec", {}))
    for old, new in (("cohort", "cohortName"), ("parent", "parentName")):
        if old in spec:
            spec[new] = spec.pop(old)
    fungibility = spec.get("flavorFungibility")
    if fungibility:
        spec["flavorFungibility"] = {name: WORDS.get(word, word) for name, word in fungibility.items()}
    # The priority itself is in spec.priority; the class it comes from decides nothing.
    for name in ("priorityClassName", "priorityClassSource"):
        spec.pop(name, None)
    return {**item, "apiVersion": "kueue.x-k8s.io/v1beta2", "spec": spec}
