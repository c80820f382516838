"""Input that is right and meant for another command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tenure.resources import bundled
from tests.command_line import tenure

KAI, KUEUE = str(bundled("examples", "kai-departments")), str(bundled("examples", "two-teams"))
SCENARIO = str(bundled("spec", "vectors", "scenarios") / "kai-boundary.yaml")


@pytest.mark.parametrize(
    "words",
    [
        ("decide", KAI, "-w", "a"),
        ("decide", KAI, "-a"),
        ("why", "a", KAI),
        ("why-not", "a", KAI),
        ("diff", KAI, KAI),
        ("simulate", f"{KAI}/jobs.yaml"),
    ],
    ids=lambda words: words[0],
)
def test_objects_of_the_other_scheduler_are_sent_to_its_command(words: tuple[str, ...]) -> None:
    done = tenure(*words)
    assert done.returncode == 2
    assert b"found an object of KAI-Scheduler, expected " in done.stderr
    assert b"; `tenure kai filter` answers about these" in done.stderr


def test_objects_of_both_are_no_fault() -> None:
    done = tenure("decide", KUEUE, KAI, "-w", "eval-suite", "--now", "2026-03-02T14:00:00Z")
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "an object of Kueue, expected Queues and PodGroups of KAI-Scheduler; `tenure decide`, `why`"),
        (
            {"until": "1h"},
            "a scenario, expected Queues and PodGroups of KAI-Scheduler; `tenure simulate` simulates it",
        ),
        ({"manifests": []}, "expectations, expected Queues and PodGroups of KAI-Scheduler; `tenure test`"),
    ],
    ids=["manifests", "scenario", "expectations"],
)
def test_what_is_not_of_kai_is_sent_back(content: object, said: str, tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text(json.dumps(content))
    done = tenure("kai", "filter", KUEUE if content is None else str(file), "-w", "a/b")
    assert done.returncode == 2
    assert f"found {said}" in done.stderr.decode()


def test_a_scenario_is_no_manifest() -> None:
    done = tenure("decide", SCENARIO, "-w", "a")
    assert done.returncode == 2
    assert b"found a scenario, expected a Kubernetes object" in done.stderr
    assert b"; `tenure simulate` simulates it" in done.stderr


QUEUE = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: batch}
spec:
  namespaceSelector: {}
  cohortName: pool
  resourceGroups: [{coveredResources: [cpu], flavors: [{name: f, resources: [{name: cpu, nominalQuota: 4}]}]}]
"""
NAMED = "clusterqueue/batch.spec"


@pytest.mark.parametrize(
    "words",
    [
        ("decide", "-a"),
        ("validate",),
        ("validate", "--skip-others"),
        ("diff", "--set", f"{NAMED}.stopPolicy=Hold"),
        ("analyze", "matrix"),
        ("analyze", "guarantees"),
        ("analyze", "sanity"),
        ("analyze", "loops"),
        ("analyze", "diff", "--set", f"{NAMED}.preemption.reclaimWithinCohort=Any"),
    ],
    ids=" ".join,
)
def test_every_command_reads_a_folder_by_the_same_rule(words: tuple[str, ...], tmp_path: Path) -> None:
    for name, text in {
        "queue.yaml": QUEUE,
        "template.yaml": QUEUE.replace("batch", "{{ .Values.name }}"),
        "values.yaml": "name: batch\n",
        "kustomization.yaml": "resources: [queue.yaml]\n",
        "patch.yaml": "- {op: replace, path: /spec/cohortName, value: other}\n",
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    note = (
        f"{tmp_path}: passed over 4 files without a Kubernetes object: 1 Helm template, 1 JSON patch, "
        f"2 of other tools; templates of queues or workloads are not looked at "
        f"({tmp_path / 'template.yaml'}); "
        "render it first: helm template CHART | tenure validate -"
    )
    done = tenure(*words, str(tmp_path))
    assert (done.returncode, done.stderr.decode().count(note)) == (0, 1)
    if words[0] != "validate":
        answer = json.loads(tenure(*words, str(tmp_path), "-o", "json").stdout)
        assert note in answer["warnings"]
