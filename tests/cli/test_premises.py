"""What an answer assumes of how Kueue is configured is in it, and decides no answer in silence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest
from jsonschema import Draft202012Validator

from tenure.cli.bundled import example_folder, schema
from tenure.manifests.files import iterate_objects
from tests.command_line import tenure
from tests.objects import a_workload, admitted_to

RECORDED: Final = str(Path(__file__).resolve().parents[1] / "recorded" / "fair-weights-held.yaml")
"""Two Jobs of a queue on hold. Once it was resumed, Kueue preempted s4 for g1, then s1 and s2 for g2."""
AS_RECORDED: Final = (
    RECORDED,
    "--now",
    "2026-11-27T23:58:51Z",
    "--set",
    "clusterqueue/gold.spec.stopPolicy=None",
)
SHOWN: Final = "fair sharing on by status.fairSharing, with the default strategies"
ASSUMED: Final = "fair sharing off, no Configuration was given (--fair-sharing sets it)"
COHORT: Final = "shared-cohort"
AT: Final = ("--now", "2026-05-11T14:00:00Z")
PRETRAIN: Final = "llm/job-pretrain-mix-9fa75"

Raw = dict[str, Any]

WEIGHTS = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: f}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: gold}
spec:
  namespaceSelector: {}
  cohortName: c
  fairSharing: {weight: "3"}
  preemption: {reclaimWithinCohort: Any}
  resourceGroups: [{coveredResources: [cpu], flavors: [{name: f, resources: [{name: cpu, nominalQuota: 4}]}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: silver}
spec:
  namespaceSelector: {}
  cohortName: c
  resourceGroups: [{coveredResources: [cpu], flavors: [{name: f, resources: [{name: cpu, nominalQuota: 4}]}]}]
"""

BY_USAGE = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: f}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: shared}
spec:
  namespaceSelector: {}
  admissionScope: {admissionMode: UsageBasedAdmissionFairSharing}
  preemption: {withinClusterQueue: LowerPriority}
  resourceGroups: [{coveredResources: [cpu], flavors: [{name: f, resources: [{name: cpu, nominalQuota: 4}]}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: plain}
spec:
  namespaceSelector: {}
  resourceGroups: [{coveredResources: [cpu], flavors: [{name: f, resources: [{name: cpu, nominalQuota: 4}]}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: a, namespace: ml}
spec: {clusterQueue: shared}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: b, namespace: ml}
spec: {clusterQueue: shared}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: plain, namespace: ml}
spec: {clusterQueue: plain}
---
apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
admissionFairSharing: {usageHalfLifeTime: 168h, usageSamplingInterval: 5m}
"""
NOW: Final = ("--now", "2026-06-01T12:00:00Z")


def workload(name: str, queue: str, cpu: int, priority: int = 0, runs_in: str = "") -> str:
    """A Workload of one pod, waiting or holding quota, as JSON, which is YAML too."""
    created = "2026-06-01T07:00:00Z"
    found = a_workload(name, {"cpu": cpu}, created=created, queueName=queue, priority=priority)
    if runs_in:
        found = admitted_to(runs_in, found, "f", "2026-06-01T08:00:00Z")
    return f"---\n{json.dumps(found)}\n"


def answered(name: str, *words: str, code: int = 0) -> Raw:
    done = tenure(*words, "-o", "json")
    assert done.returncode == code, done.stderr.decode()
    answer: Raw = json.loads(done.stdout)
    assert [error.message for error in Draft202012Validator(schema(name)).iter_errors(answer)] == []
    return answer


def test_a_dump_without_configuration_decides_as_its_kueue_did() -> None:
    answer = answered("next", "next", *AS_RECORDED)
    preempted = {
        head["workload"]: {victim["workload"] for victim in head["preempts"]}
        for cycle in answer["cycles"]
        for head in cycle["heads"]
        if head["preempts"]
    }
    assert preempted == {
        "team/job-g1-68890": {"team/job-s4-0d8ee"},
        "team/job-g2-f2ed0": {"team/job-s1-f57b6", "team/job-s2-164a2"},
    }
    assert answer["assumed"][0] == SHOWN


def test_the_flag_wins_over_what_the_status_shows() -> None:
    answer = answered("decide", "decide", *AS_RECORDED, "-w", "job-g1-68890", "--fair-sharing", "off")
    assert (answer["decision"], answer["premises"]) == ("NoFit", [])


@pytest.fixture(scope="module")
def manifests(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A bundled example without the status that a running Kueue writes to queues, in a file."""
    objects = [sourced.object for sourced in iterate_objects([example_folder(COHORT)], [])]
    for raw in objects:
        if raw["kind"] in ("ClusterQueue", "Cohort"):
            raw.pop("status", None)
    found = tmp_path_factory.mktemp("manifests") / "cluster.json"
    found.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    return str(found)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("decide", ("decide", "-w", PRETRAIN)),
        ("pending", ("decide", "-a")),
        ("decide", ("decide", "-v", "-w", PRETRAIN)),
        ("why-not", ("why-not", PRETRAIN)),
        ("why", ("why", "search/job-ab-replay-197ec", "-w", PRETRAIN)),
        ("diff", ("diff", "--set", "clusterqueue/llm.spec.fairSharing.weight=2")),
    ],
)
def test_an_answer_about_a_cohort_names_the_fair_sharing_that_it_assumes(
    name: str, words: tuple[str, ...], manifests: str
) -> None:
    asked = (*words, manifests, *AT)
    assert answered(name, *asked)["premises"] == [ASSUMED]
    assert f"  assumed: {ASSUMED}\n" in tenure(*asked).stdout.decode()
    if name != "diff":
        assert answered(name, *asked, "--fair-sharing", "off")["premises"] == []
    assert answered(name, *words, "--example", COHORT, *AT)["premises"] == [], "its status shows it"


def test_a_queue_without_a_cohort_needs_no_premise() -> None:
    asked = ("decide", "-a", "--example", "two-teams", "--now", "2026-03-02T14:00:00Z")
    assert answered("pending", *asked)["premises"] == []


ANALYSES: Final = (
    ("analyze", "sanity"),
    ("analyze", "loops"),
    ("analyze", "matrix"),
    ("analyze", "guarantees"),
)


@pytest.mark.parametrize("command", ANALYSES, ids=" ".join)
def test_an_analysis_of_weights_asks_whether_fair_sharing_is_on(
    command: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "queues.yaml").write_text(WEIGHTS)
    done = tenure(*command, str(tmp_path))
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"ClusterQueue/gold: spec.fairSharing.weight: found a weight" in done.stderr
    assert b"--fair-sharing default or off" in done.stderr


def test_an_assertion_about_weights_asks_for_a_configuration(tmp_path: Path) -> None:
    (tmp_path / "queues.yaml").write_text(WEIGHTS)
    never = {"preemptor": {"clusterQueue": "gold"}, "victim": {"clusterQueue": "silver"}}
    asserted = {"manifests": ["queues.yaml"], "never": [never]}
    (tmp_path / "a.tenure.yaml").write_text(json.dumps(asserted))
    done = tenure("analyze", "check", str(tmp_path / "a.tenure.yaml"))
    assert done.returncode not in (0, 1)
    printed = (done.stdout + done.stderr).decode()
    assert "expected the ConfigMap kueue-manager-config beside the queues: whether" in printed


def test_an_analysis_of_weights_answers_where_it_is_told(tmp_path: Path) -> None:
    (tmp_path / "queues.yaml").write_text(WEIGHTS)
    answer = answered("analyze-sanity", "analyze", "sanity", str(tmp_path), "--fair-sharing", "default")
    assert answer["premises"] == []


def test_the_flag_of_an_analysis_wins_over_the_configuration(tmp_path: Path) -> None:
    configuration = "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
    sharing = "fairSharing: {preemptionStrategies: [LessThanInitialShare]}\n"
    (tmp_path / "queues.yaml").write_text(WEIGHTS)
    (tmp_path / "config.yaml").write_text(configuration + sharing)
    bare = WEIGHTS.replace('weight: "3"', 'weight: "0"').replace("nominalQuota: 4", "nominalQuota: 0", 1)
    (tmp_path / "queues.yaml").write_text(bare)
    asked = ("analyze", "sanity", str(tmp_path), "-o", "json")
    checks = {
        flag: [notice["check"] for notice in json.loads(tenure(*asked, *flag).stdout)["notices"]]
        for flag in ((), ("--fair-sharing", "off"), ("--fair-sharing", "default"))
    }
    assert checks[()] == checks["--fair-sharing", "default"] != checks["--fair-sharing", "off"]


def test_blocked_admission_refuses_what_comes_next_and_no_single_decision(tmp_path: Path) -> None:
    text = BY_USAGE[: BY_USAGE.rindex("---")] + "---\n"
    text += "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
    text += "waitForPodsReady: {blockAdmission: true}\n" + workload("new", "plain", 1)
    (tmp_path / "cluster.yaml").write_text(text)
    done = tenure("next", str(tmp_path), *NOW)
    assert done.returncode == 2
    assert b"Configuration: waitForPodsReady.blockAdmission: found True, expected false" in done.stderr
    assert answered("decide", "decide", str(tmp_path), *NOW)["decision"] == "Fit"


ORDERED: Final = (
    "the order by usage in ClusterQueue shared is not modelled; what depends on it is not decided"
)


def by_usage(folder: Path, *workloads: str) -> str:
    (folder / "cluster.yaml").write_text(BY_USAGE + "".join(workloads))
    return str(folder)


def test_an_order_by_usage_refuses_only_decisions_that_depend_on_it(tmp_path: Path) -> None:
    cluster = by_usage(
        tmp_path,
        workload("one", "a", 2, runs_in="shared"),
        workload("other", "b", 2, runs_in="shared"),
        workload("high", "a", 2, priority=9),
        workload("large", "a", 9),
        workload("small", "plain", 1),
    )
    answer = answered("pending", "decide", "-a", cluster, *NOW)
    decided = {row["workload"]: row["decision"] for row in answer["pending"]}
    assert decided == {"ml/high": None, "ml/large": "NoFit", "ml/small": "Fit"}
    done = tenure("decide", "-w", "high", cluster, *NOW)
    assert done.returncode == 2
    assert b"ClusterQueue/shared: spec.admissionScope.admissionMode" in done.stderr
    assert b"as of ml/a and ml/b" in done.stderr


def test_candidates_of_one_local_queue_have_no_order_by_usage(tmp_path: Path) -> None:
    running = [workload(name, "a", 2, runs_in="shared") for name in ("one", "other")]
    cluster = by_usage(tmp_path, *running, workload("high", "b", 2, priority=9))
    answer = answered("decide", "decide", "-w", "high", cluster, *NOW)
    assert (answer["decision"], answer["premises"]) == ("Preempt", [ORDERED])


@pytest.mark.parametrize("words", [("decide", "-a"), ("next", "a1"), ("analyze", "matrix")], ids=" ".join)
def test_queues_that_ask_for_an_order_by_usage_are_named_without_a_configuration(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    text = BY_USAGE[: BY_USAGE.rindex("---")] + workload("a1", "a", 1) + workload("a2", "a", 1)
    (tmp_path / "cluster.yaml").write_text(text)
    done = tenure(*words, str(tmp_path), *(() if words[0] == "analyze" else NOW))
    assert done.returncode == 0, done.stderr.decode()
    assert "by usage" in done.stdout.decode()
    assert "ClusterQueue shared" in done.stdout.decode()


def test_what_comes_next_leaves_out_trees_that_are_ordered_by_usage(tmp_path: Path) -> None:
    cluster = by_usage(tmp_path, workload("a1", "a", 1), workload("b1", "b", 1), workload("p1", "plain", 1))
    answer = answered("next", "next", cluster, *NOW)
    admitted = [head["workload"] for cycle in answer["cycles"] for head in cycle["heads"]]
    assert admitted == ["ml/p1"]
    (warning,) = (text for text in answer["warnings"] if "order by usage" in text)
    assert warning.startswith("set aside: Workload/ml/a1, Workload/ml/b1: ClusterQueue/shared: ")
    assert tenure("next", "a1", cluster, *NOW).returncode == 2
    assert tenure("next", "p1", cluster, *NOW).returncode == 0


def test_what_comes_next_takes_the_gates_of_the_configuration(tmp_path: Path) -> None:
    text = BY_USAGE[: BY_USAGE.rindex("admissionFairSharing")]
    text += "fairSharing: {preemptionStrategies: [LessThanInitialShare]}\n"
    gate = "featureGates: {FairSharingPrioritizeNonBorrowing: false}\n"
    (tmp_path / "cluster.yaml").write_text(text + gate + workload("new", "plain", 1))
    done = tenure("next", str(tmp_path), *NOW)
    assert done.returncode == 2
    assert b"featureGates.FairSharingPrioritizeNonBorrowing: found False" in done.stderr
    (tmp_path / "cluster.yaml").write_text(text + workload("new", "plain", 1))
    assert tenure("next", str(tmp_path), *NOW).returncode == 0
