"""Clusters with topologies: which answers are by quota alone, and that they say so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import tenure

API = "kueue.x-k8s.io/v1beta2"
NOW = ("--now", "2026-03-02T14:00:00Z")
STAMP = "2026-03-02T12:00:00Z"
Object = dict[str, Any]


def of_kind(kind: str, name: str, spec: Object) -> Object:
    return {"apiVersion": API, "kind": kind, "metadata": {"name": name}, "spec": spec}


def queue(name: str, *flavors: str) -> list[Object]:
    quotas = [{"name": f, "resources": [{"name": "cpu", "nominalQuota": 4}]} for f in flavors]
    spec = {
        "namespaceSelector": {},
        "preemption": {"withinClusterQueue": "LowerPriority"},
        "resourceGroups": [{"coveredResources": ["cpu"], "flavors": quotas}],
    }
    local = of_kind("LocalQueue", name, {"clusterQueue": name})
    local["metadata"]["namespace"] = "ml"
    return [of_kind("ClusterQueue", name, spec), local]


def workload(
    name: str, queue_name: str, cpu: int, request: Object | None = None, priority: int = 0
) -> Object:
    pods = {"containers": [{"name": "main", "resources": {"requests": {"cpu": cpu}}}]}
    pod_set: Object = {"name": "main", "count": 1, "template": {"spec": pods}}
    if request is not None:
        pod_set["topologyRequest"] = request
    made = of_kind("Workload", name, {"queueName": queue_name, "priority": priority, "podSets": [pod_set]})
    made["metadata"] |= {"namespace": "ml", "uid": name, "creationTimestamp": STAMP}
    return made


def admitted(name: str, queue_name: str, cpu: int, flavor: str) -> Object:
    made = workload(name, queue_name, cpu)
    assignment = {"name": "main", "count": 1, "flavors": {"cpu": flavor}, "resourceUsage": {"cpu": cpu}}
    assignment["topologyAssignment"] = {"levels": ["kubernetes.io/hostname"], "slices": []}
    reserved = {
        "type": "QuotaReserved",
        "status": "True",
        "reason": "QuotaReserved",
        "lastTransitionTime": STAMP,
    }
    admission = {"clusterQueue": queue_name, "podSetAssignments": [assignment]}
    return made | {"status": {"conditions": [reserved], "admission": admission}}


OBJECTS = [
    of_kind("ResourceFlavor", "placed", {"nodeLabels": {"pool": "a"}, "topologyName": "racks"}),
    of_kind("ResourceFlavor", "plain", {}),
    *queue("only", "placed"),
    *queue("mixed", "placed", "plain"),
    admitted("runs", "only", 3, "placed"),
    workload("implied", "only", 1),
    workload("preempts", "only", 2, priority=9),
    workload("too-large", "only", 5),
    workload("indexed", "mixed", 1, {"podIndexLabel": "index"}),
    workload("rack", "mixed", 1, {"required": "rack"}),
]


@pytest.fixture
def cluster(tmp_path: Path) -> str:
    file = tmp_path / "cluster.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": OBJECTS}), encoding="utf-8")
    return str(file)


def answered(*words: str) -> Any:
    return json.loads(tenure(*words, *NOW, "-o", "json").stdout)


@pytest.mark.parametrize(
    ("name", "outcome", "topology"),
    [
        ("implied", "Fit", "not modelled"),
        ("preempts", "Preempt", "not modelled"),
        ("too-large", "NoFit", None),
        ("indexed", "Fit", None),
        ("rack", "Fit", "not modelled"),
    ],
)
def test_only_what_is_placed_is_answered_by_quota_alone(
    cluster: str, name: str, outcome: str, topology: str | None
) -> None:
    decided = answered("decide", cluster, "-w", f"ml/{name}")
    assert (decided["decision"], decided.get("topology")) == (outcome, topology)
    by_quota = " by quota alone" if topology else ""
    assert decided["summary"][0].startswith(f"{outcome}{by_quota}: ")
    row = next(row for row in answered("decide", cluster, "-a")["pending"] if row["workload"] == f"ml/{name}")
    assert row.get("topology") == topology
    told = answered("why-not", f"ml/{name}", cluster)
    assert told["decision"]["topology"] == topology
    assert ("by quota alone" in told["summary"]) == bool(topology)


def test_headlines_say_by_quota_alone(cluster: str) -> None:
    looked = answered("next", cluster)
    assert looked["topology"] == "not modelled"
    assert looked["summary"].startswith("By quota alone: ")
    assert answered("next", "ml/indexed", cluster)["topology"] == "not modelled"
    why = answered("why", "ml/runs", cluster)
    assert why["exposure"]["topology"] == "not modelled"
    assert (
        why["summary"]
        == "1 of 5 pending workloads preempts ml/runs, each decided alone and by quota alone: ml/preempts"
    )
    for words in (("decide", cluster, "-w", "ml/rack"), ("next", cluster), ("why", "ml/runs", cluster)):
        assert b"topology is not modelled" in tenure(*words, *NOW).stdout


def test_a_request_that_no_flavor_serves_is_told_so(tmp_path: Path) -> None:
    objects = [of_kind("ResourceFlavor", "plain", {}), *queue("none", "plain")]
    objects.append(workload("rack", "none", 1, {"required": "rack"}))
    file = tmp_path / "cluster.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}), encoding="utf-8")
    decided = answered("decide", str(file), "-w", "ml/rack")
    assert decided["decision"] == "NoFit"
    told = "it requests a topology, and no flavor of the ClusterQueue has one (KQ-630)"
    assert decided["summary"][1:] == [told]


def test_without_the_gate_no_topology_takes_part(cluster: str) -> None:
    off = ("--feature-gates", "TopologyAwareScheduling=false")
    for name in ("implied", "rack"):
        decided = answered("decide", cluster, "-w", f"ml/{name}", *off)
        assert (decided["decision"], decided.get("topology")) == ("Fit", None)


def test_never_is_known_only_where_no_policy_allows_it(tmp_path: Path) -> None:
    file = tmp_path / "queues.json"
    items = [one for one in OBJECTS if one["kind"] in ("ResourceFlavor", "ClusterQueue")]
    items = [one for one in items if one["metadata"]["name"] != "mixed"]
    items[-1]["spec"]["resourceGroups"][0]["flavors"][0]["resources"][0]["nominalQuota"] = 0
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}), encoding="utf-8")
    done = tenure("analyze", "matrix", str(file), "-o", "json")
    answer = json.loads(done.stdout)
    assert done.returncode == 5
    assert any("topology is not modelled" in premise for premise in answer["premises"])
    verdicts = {
        (cell["preemptor"]["priority"] > cell["victim"]["priority"]): cell["verdict"]
        for cell in answer["cells"]
    }
    assert verdicts == {True: "?", False: "never"}
