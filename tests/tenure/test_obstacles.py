"""Every way of not fitting names a field, with its line, or that nothing in the configuration would help."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

import tenure
from tenure.choices import Outcome
from tenure.explanation.answers import why_not_answer
from tenure.explanation.obstacles import NO_FIELD, obstacles
from tenure.manifests.source_lines import SourceLines
from tenure.model import ApiEnum, BorrowWithinCohort, Fungibility, ReclaimWithinCohort, WithinClusterQueue
from tenure.oracle.decide import Decision, decide
from tests.objects import a_group, a_list, a_local_queue, a_queue, a_workload, admitted_to, an_object

NOW = "2026-03-02T14:00:00Z"
NEVER: Any = {"policy": "Never"}
WHILE_BORROWING = (
    NEVER,
    {"policy": "LowerPriority"},
    {"policy": "LowerPriority", "maxPriorityThreshold": -10},
)
ACROSS = [
    ("Never", NEVER),
    *((reclaim, borrow) for reclaim in ("LowerPriority", "Any") for borrow in WHILE_BORROWING),
]
POLICIES = [
    {"withinClusterQueue": within, "reclaimWithinCohort": reclaim, "borrowWithinCohort": borrow}
    for within in ("Never", "LowerPriority", "LowerOrNewerEqualPriority")
    for reclaim, borrow in ACROSS
]
LIMITED: Any = {"borrowingLimit": 1}
POD: Any = {"containers": [{"name": "main", "image": "i", "resources": {"requests": {"cpu": 2}}}]}
AFFINITY: Any = {
    "nodeAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [{"matchExpressions": [{"key": "zone", "operator": "In", "values": ["b"]}]}]
        }
    }
}
SITUATIONS: dict[str, dict[str, Any]] = {
    "alone and empty": {"queue": {}, "cpu": 5},
    "alone, own ones run": {"queue": {}, "own": (4, 0)},
    "alone, older equals run": {"queue": {}, "own": (4, 0), "created": "2026-01-03T00:00:00Z"},
    "alone, lower ones run": {"queue": {}, "own": (4, -5)},
    "alone, higher ones run": {"queue": {}, "own": (4, 5)},
    "protected equals": {"queue": {}, "own": (4, 0), "duration": "30000h"},
    "lower ones borrow": {"others": (8, -5)},
    "equal ones borrow": {"others": (8, 0)},
    "higher ones borrow": {"others": (8, 5)},
    "lower ones borrow, and it would": {"others": (7, -5), "own": (1, 0), "cpu": 6},
    "higher ones borrow, and it would": {"others": (7, 5), "own": (1, 0), "cpu": 6},
    "others within their quota": {"others": (4, -5), "own": (4, 5)},
    "more than the cohort": {"cpu": 9},
    "a borrowing limit": {"group": a_group("f", **LIMITED), "cpu": 6},
    "a borrowing limit, others run": {"group": a_group("f", **LIMITED), "own": (4, 5)},
    "a lending limit": {"lends": 0, "cpu": 6},
    "a lending limit, others run": {"lends": 0, "own": (4, 5)},
    "a resource that is not covered": {"resource": "memory"},
    "a taint": {"flavor": {"nodeTaints": [{"key": "spot", "value": "true", "effect": "NoSchedule"}]}},
    "a node selector": {"flavor": {"nodeLabels": {"zone": "a"}}, "pod": {"nodeSelector": {"zone": "b"}}},
    "an affinity": {"flavor": {"nodeLabels": {"zone": "a"}}, "pod": {"affinity": AFFINITY}},
    "two flavors": {"group": a_group("f", "g", quota=2), "own": (2, 5), "cpu": 5},
    "a flavor that is not tried": {
        "queue": {
            "cohortName": "c",
            "flavorFungibility": {"whenCanBorrow": "MayStopSearch", "whenCanPreempt": "MayStopSearch"},
        },
        "groups": [a_group("f", "g", quota=2), a_group("h", resource="memory", quota=1)],
        "lent": [a_group("f", quota=2), a_group("h", resource="memory", quota=3)],
        "others": (4, -5),
        "cpu": 1,
        "memory": 4,
    },
    "a stopped queue": {"queue": {"cohortName": "c", "stopPolicy": "Hold"}},
    "a held LocalQueue": {"held": "Hold"},
    "a flavor that is missing": {"group": a_group("absent")},
    "a topology that is missing": {"flavor": {"topologyName": "racks", "nodeLabels": {"a": "b"}}},
    "shares": {"others": (8, -5), "fair": True, "queue": {"cohortName": "c", "fairSharing": {"weight": "0"}}},
    "shares of equals": {"others": (5, 0), "own": (3, 0), "fair": True},
    "a hero beside it": {"others": (8, -5), "hero": True},
}


def objects_of(situation: dict[str, Any], preemption: dict[str, Any]) -> list[Any]:
    """Queue q of 4 CPUs, maybe in a cohort with another of 4, who holds what, and who waits."""
    rules = {"rules": "UberClusterQueueRules"} if situation.get("hero") else {}
    if duration := situation.get("duration"):
        preemption = {**preemption, "withinClusterQueueConfig": {"minAdmitDuration": duration}}
    lends = {"lendingLimit": situation["lends"]} if "lends" in situation else {}
    groups = situation.get("groups", [situation.get("group", a_group("f"))])
    found = [
        an_object("ResourceFlavor", "f", situation.get("flavor", {})),
        *(an_object("ResourceFlavor", name, {}) for name in ("g", "h")),
        a_queue("q", *groups, preemption=preemption, **situation.get("queue", {"cohortName": "c"})),
        a_queue("other", *situation.get("lent", [a_group("f", **lends)]), cohortName="c", preemption=rules),
        a_local_queue("q", "ml", "q"),
    ]
    if "topologyName" in situation.get("flavor", {}):
        found.append(an_object("Topology", "rows", {"levels": [{"nodeLabel": "row"}]}))
    if held := situation.get("held"):
        next(each for each in found if each["kind"] == "LocalQueue")["spec"]["stopPolicy"] = held
    for name, queue in (("own", "q"), ("others", "other")):
        cpus, priority = situation.get(name, (0, 0))
        for number in range(cpus):
            runs = a_workload(
                f"{name}-{number}", {"cpu": 1}, created="2026-01-02T00:00:00Z", priority=priority
            )
            found.append(admitted_to(queue, runs, "f"))
    requests = {situation.get("resource", "cpu"): situation.get("cpu", 2)}
    requests |= {"memory": situation["memory"]} if "memory" in situation else {}
    created = situation.get("created", "2026-01-01T00:00:00Z")
    new = a_workload("new", requests, created=created, queueName="q", priority=0)
    new["spec"]["podSets"][0]["template"]["spec"] |= situation.get("pod", {})
    found.append(new)
    if situation.get("fair"):
        api = "config.kueue.x-k8s.io/v1beta2"
        found.append(
            {
                "apiVersion": api,
                "kind": "Configuration",
                "fairSharing": {"preemptionStrategies": ["LessThanOrEqualToFinalShare"]},
            }
        )
    return found


@pytest.mark.parametrize("name", SITUATIONS)
def test_a_workload_that_is_not_admitted_names_a_field_and_its_line(name: str, tmp_path: Path) -> None:
    waited = 0
    for number, preemption in enumerate(POLICIES):
        if (
            "minAdmitDuration" in str(SITUATIONS[name])
            and preemption["withinClusterQueue"] != "LowerOrNewerEqualPriority"
        ):
            continue
        file = tmp_path / f"{number}.json"
        file.write_text(json.dumps(a_list(objects_of(SITUATIONS[name], preemption)), indent=1))
        decision = tenure.decide(tenure.load(file), "ml/new", now=NOW)
        lines = SourceLines()

        def locate(found: str, field: str, lines: SourceLines = lines, file: Path = file) -> tuple[str, int]:
            return str(file), lines.of_field(str(file), found, field)

        answer = why_not_answer(decision, counterfactuals=0, locate=locate)
        if decision.outcome in (Outcome.FIT, Outcome.PREEMPT):
            assert answer.obstacles == ()
            continue
        waited += 1
        assert answer.obstacles, (preemption, answer.summary)
        for obstacle in answer.obstacles:
            assert obstacle.line, obstacle
            written = file.read_text().splitlines()[obstacle.line - 1]
            last = obstacle.field.rsplit(".", 1)[-1]
            assert last in written or obstacle.value == "not set" or '"spec"' in written or "{" in written
        assert f"{file}:{answer.obstacles[0].line}" in answer.summary
        _names_what_would_help(decision)
    assert waited


def _names_what_would_help(decision: Decision) -> None:
    """A policy that alone would let the workload in is among the fields named."""
    queue = decision.queue
    named = {obstacle.field.rsplit(".", 1)[-1] for obstacle in obstacles(decision)}
    changes: dict[str, tuple[str, ApiEnum | None]] = {
        "withinClusterQueue": ("within_cluster_queue", WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY),
        "reclaimWithinCohort": ("reclaim_within_cohort", ReclaimWithinCohort.ANY),
        "policy": ("borrow_within_cohort", BorrowWithinCohort.LOWER_PRIORITY),
        "maxPriorityThreshold": ("max_priority_threshold", None),
    }
    altered_queues = {
        field: dataclasses.replace(queue, **dict[str, Any]({attribute: value}))
        for field, (attribute, value) in changes.items()
    }
    for field, attribute in (("whenCanBorrow", "when_can_borrow"), ("whenCanPreempt", "when_can_preempt")):
        tries = dict[str, Any]({attribute: Fungibility.TRY_NEXT_FLAVOR})
        if getattr(queue.fungibility, attribute) == Fungibility.MAY_STOP_SEARCH:
            fungibility = dataclasses.replace(queue.fungibility, **tries)
            altered_queues[field] = dataclasses.replace(queue, fungibility=fungibility)
    for field, changed in altered_queues.items():
        cluster = decision.snapshot.cluster
        altered = dataclasses.replace(cluster, cluster_queues={**cluster.cluster_queues, "q": changed})
        other = decide(altered, decision.preemptor, "q", decision.now, decision.reading)
        if not decision.held and other.outcome in (Outcome.FIT, Outcome.PREEMPT):
            assert field in named, (field, named)


def test_what_no_field_decides_says_that_nothing_in_the_configuration_would_help(tmp_path: Path) -> None:
    file = tmp_path / "cluster.json"
    file.write_text(json.dumps(a_list(objects_of({}, POLICIES[0]))))
    held = tenure.decide(tenure.load(file), "ml/new", now=NOW).as_held("its job is suspended")
    answer = why_not_answer(held, counterfactuals=0)
    assert answer.obstacles == ()
    assert answer.summary == f"ml/new is not admitted: its job is suspended, and {NO_FIELD}"
