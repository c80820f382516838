"""PreemptionConfigs among manifests, and what they read of the other objects."""

from __future__ import annotations

from typing import Any

import pytest

import tenure
from tenure.manifests import Loaded, SourcedObject, build
from tenure.manifests.preemption_configs import read_preemption_config
from tenure.model import Selectable
from tests.objects import a_group, a_local_queue, a_queue, a_workload, admitted_to, an_object, refused

ALPHA = "kueue.x-k8s.io/v1alpha1"
NOW = "2026-01-02T00:00:00Z"
JOB = "kueue.x-k8s.io/job-uid"


def a_config(*selectors: dict[str, Any], name: str = "config") -> dict[str, Any]:
    rule = {"name": "r", "activationPolicy": {"trigger": "Always"}, "candidateSelectors": list(selectors)}
    return {**an_object("PreemptionConfig", name, {"rules": [rule]}), "apiVersion": ALPHA}


def a_running(name: str, labels: dict[str, str] | None = None, **spec: Any) -> dict[str, Any]:
    made = admitted_to("q", a_workload(name, {"cpu": 1}, queueName="main", **spec), "default")
    made["metadata"]["labels"] = labels
    return made


def a_cluster(*objects: dict[str, Any], annotated: bool = True) -> Loaded:
    queue = a_queue("q", a_group("default", quota=2))
    if annotated:
        queue["metadata"]["annotations"] = {"kueue.x-k8s.io/preemption-config-name": "config"}
    waits = a_workload("waits", {"cpu": 1}, queueName="main")
    given = [an_object("ResourceFlavor", "default"), a_local_queue("main", "ml", "q"), waits, *objects]
    return build([SourcedObject("", found) for found in (*given, queue)])


def preempted(loaded: Loaded) -> list[str]:
    return [target.workload.name for target in tenure.decide(loaded, "ml/waits", now=NOW).targets]


@pytest.mark.parametrize(
    ("selector", "labels", "spec"),
    [
        ({"labelSelector": {"matchLabels": {"team": "a"}}}, {"team": "a", JOB: "u"}, {}),
        ({"labelSelector": {"matchLabels": {"team": "a"}}}, {"team": "a"}, {}),
        ({"labelSelector": {"matchLabels": {JOB: "u"}}}, {JOB: "u"}, {}),
        ({"numericLabels": [{"key": "nodes", "minValue": 4}]}, {"nodes": "4"}, {}),
        (
            {"priority": {"matchNames": ["batch"]}},
            None,
            {"priorityClassRef": {"group": "scheduling.k8s.io", "kind": "PriorityClass", "name": "batch"}},
        ),
        (
            {"priority": {"matchNames": ["batch"]}},
            None,
            {
                "priorityClassRef": {
                    "group": "kueue.x-k8s.io",
                    "kind": "WorkloadPriorityClass",
                    "name": "batch",
                }
            },
        ),
    ],
)
def test_what_a_rule_reads_of_a_workload_comes_from_its_object(
    selector: dict[str, Any], labels: dict[str, str] | None, spec: dict[str, Any]
) -> None:
    config = a_config({"scope": "WithinClusterQueue", **selector})
    assert preempted(a_cluster(config, a_running("a"), a_running("z", labels, **spec))) == ["z"]


def test_nothing_is_kept_where_no_queue_names_a_config() -> None:
    loaded = a_cluster(a_config(), a_running("a", {"team": "a"}), annotated=False)
    assert {found.selectable for found in loaded.cluster.admitted} == {None}
    assert loaded.cluster.preemption_configs is None


def test_the_base_is_the_priority_of_the_spec() -> None:
    (found,) = a_cluster(a_config(), a_running("a", priority=7)).cluster.admitted
    assert found.selectable == Selectable(priority=7)


def test_two_configs_of_one_name_are_not_decided_by() -> None:
    loaded = a_cluster(a_config(), a_config(), a_running("a"), a_running("b"))
    (problem,) = refused(tenure.decide, loaded, "ml/waits", now=NOW)
    assert "not known: PreemptionConfig config of ClusterQueue q is given twice" in problem


def test_a_job_without_its_workload_is_set_aside() -> None:
    pods = {"spec": {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": 1}}}]}}
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "new", "namespace": "ml", "labels": {"kueue.x-k8s.io/queue-name": "main"}},
        "spec": {"template": pods},
    }
    (aside,) = a_cluster(a_config(), job).set_aside.values()
    assert "the labels that Kueue copies from a job are not modelled" in aside[0].expected
    assert not a_cluster(a_config(), job, annotated=False).set_aside


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"name": "Upper"}, "spec.rules[0].name: found 'Upper'"),
        ({"activationPolicy": {"trigger": "Alway"}}, "did you mean Always?"),
        ({"candidateSelectors": [{"scope": "Any"}]}, "candidateSelectors[0].scope: found 'Any'"),
        (
            {"candidateSelectors": [{"scope": "AnyClusterQueue", "priority": {"comparison": "LessThan"}}]},
            "priority.mode: found nothing, expected a value beside comparison, or neither",
        ),
        (
            {
                "candidateSelectors": [
                    {"scope": "AnyClusterQueue", "numericLabels": [{"key": "k", "minValue": -1}]}
                ]
            },
            "minValue: found -1, expected at least 0",
        ),
    ],
)
def test_what_the_api_server_refuses_is_not_read(change: dict[str, Any], expected: str) -> None:
    raw = a_config()
    raw["spec"]["rules"][0].update(change)
    (problem,) = refused(read_preemption_config, raw)
    assert expected in problem


@pytest.mark.parametrize(
    "expression",
    [
        {"key": "tier", "operator": "Gt", "values": ["1"]},
        {"key": "tier", "operator": "In"},
        {"key": "tier", "operator": "Exists", "values": ["low"]},
        {"key": "-tier", "operator": "Exists"},
        {"key": "tier", "operator": "In", "values": ["low "]},
    ],
)
def test_what_kubernetes_cannot_build_is_a_fault_of_the_selector(expression: dict[str, Any]) -> None:
    raw = a_config({"scope": "AnyClusterQueue", "labelSelector": {"matchExpressions": [expression]}})
    (selector,) = read_preemption_config(raw).rules[0].candidates
    assert selector.fault
    assert not selector.workloads.requirements
