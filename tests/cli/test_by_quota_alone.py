"""Clusters with topologies: which answers are by quota alone, and that they say so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import tenure
from tests.objects import Object, a_group, a_list, a_local_queue, a_queue, a_workload, admitted_to, an_object

NOW = ("--now", "2026-03-02T14:00:00Z")
STAMP = "2026-03-02T12:00:00Z"
PLACED = {"levels": ["kubernetes.io/hostname"], "slices": []}


def queue(name: str, *flavors: str) -> list[Object]:
    preemption = {"withinClusterQueue": "LowerPriority"}
    made = a_queue(name, a_group(*flavors), namespaceSelector={}, preemption=preemption)
    return [made, a_local_queue(name, "ml", name)]


def workload(
    name: str, queue_name: str, cpu: int, request: Object | None = None, priority: int = 0
) -> Object:
    made = a_workload(name, {"cpu": cpu}, created=STAMP, queueName=queue_name, priority=priority)
    if request is not None:
        made["spec"]["podSets"][0]["topologyRequest"] = request
    return made


OBJECTS = [
    an_object("ResourceFlavor", "placed", {"nodeLabels": {"pool": "a"}, "topologyName": "racks"}),
    an_object("ResourceFlavor", "plain", {}),
    *queue("only", "placed"),
    *queue("mixed", "placed", "plain"),
    admitted_to("only", workload("runs", "only", 3), "placed", STAMP, topologyAssignment=PLACED),
    workload("implied", "only", 1),
    workload("preempts", "only", 2, priority=9),
    workload("too-large", "only", 5),
    workload("indexed", "mixed", 1, {"podIndexLabel": "index"}),
    workload("rack", "mixed", 1, {"required": "rack"}),
]


@pytest.fixture
def cluster(tmp_path: Path) -> str:
    file = tmp_path / "cluster.json"
    file.write_text(json.dumps(a_list(OBJECTS)), encoding="utf-8")
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
    objects = [an_object("ResourceFlavor", "plain", {}), *queue("none", "plain")]
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
