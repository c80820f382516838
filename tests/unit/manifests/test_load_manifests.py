"""Many objects to one cluster: what is ignored, warned of and refused; and real objects."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.errors import InputError
from tenure.manifests import (
    Loaded,
    SourcedObject,
    build,
    load,
    parse_instant,
    read_cluster_queue,
    read_resource_flavor,
    read_workload,
)
from tenure.model import FlavorResource, ResourceFlavor, Settings
from tests.unit.manifests.objects import (
    API,
    CREATED,
    Object,
    a_group,
    a_queue,
    admitted,
    an_object,
    condition,
    pending,
    refused,
)

SHARED = Path(__file__).resolve().parents[3].parent / "shared"


def built(*objects: Object, settings: Settings | None = None) -> Loaded:
    sourced = [SourcedObject(f"{index}.yaml", found) for index, found in enumerate(objects)]
    return build(sourced) if settings is None else build(sourced, settings)


class TestBuild:
    def test_a_cluster(self) -> None:
        local = an_object("LocalQueue", "jobs", {"clusterQueue": "team-a"}, "ml")
        settings = Settings(time_based_preemption=False)
        loaded = built(
            a_queue(),
            an_object("ResourceFlavor", "default"),
            local,
            admitted(),
            pending(name="p"),
            settings=settings,
        )
        cluster = loaded.cluster
        assert list(cluster.cluster_queues) == ["team-a"]
        assert cluster.flavors == {"default": ResourceFlavor("default")}
        assert cluster.local_queues == {("ml", "jobs"): "team-a"}
        assert [workload.name for workload in cluster.admitted] == ["w"]
        assert [workload.name for workload in cluster.pending] == ["p"]
        assert cluster.settings == settings
        assert (loaded.warnings, loaded.ignored) == ((), ())

    def test_what_is_ignored(self) -> None:
        other = {"apiVersion": "scheduling.k8s.io/v1alpha1", "kind": "Workload", "metadata": {"name": "w"}}
        loaded = built(
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "ml", "name": "c"}},
            an_object("Cohort", "all", {"anything": 1}),
            an_object("WorkloadPriorityClass", "high", value=3),
            other,
            admitted(conditions=[condition("Finished")]),
            pending(name="p", active=False),
        )
        assert loaded.ignored == (
            "0.yaml: ConfigMap/ml/c: not a kind that is read",
            "1.yaml: Cohort/all: not a kind that is read",
            "2.yaml: WorkloadPriorityClass/high: not a kind that is read",
            "3.yaml: Workload/w: not a kind that is read",
            "4.yaml: Workload/ml/w: neither holds quota nor waits for it:"
            " status.conditions says Finished=True",
            "5.yaml: Workload/ml/p: neither holds quota nor waits for it: spec.active says False",
        )
        assert (loaded.cluster.admitted, loaded.cluster.pending) == ((), ())

    def test_warnings(self) -> None:
        raw = admitted()
        del raw["metadata"]["creationTimestamp"]
        loaded = built(a_queue("other", resourceGroups=[a_group("a", "b")]), raw)
        assert loaded.warnings == (
            "1.yaml: Workload/ml/w: metadata.creationTimestamp is absent, counted as the epoch",
            "0.yaml: ClusterQueue/other: no ResourceFlavor was given;"
            " Kueue needs a, b for this queue to be active",
            "1.yaml: Workload/ml/w: holds quota of the ClusterQueue team-a, which was not given",
        )
        assert loaded.cluster.admitted[0].created_at == 0

    def test_a_flavor_that_is_not_among_those_given(self) -> None:
        assert refused(
            built, a_queue(resourceGroups=[a_group("a", "b")]), an_object("ResourceFlavor", "a")
        ) == [
            "0.yaml: ClusterQueue/team-a: spec.resourceGroups[0].flavors[1].name: found 'b',"
            " expected the name of a ResourceFlavor that is given: a"
        ]

    def test_an_object_that_is_given_twice(self) -> None:
        assert refused(built, a_queue(), a_queue(), pending(), pending(name="other"), pending()) == [
            "1.yaml: ClusterQueue/team-a: metadata.name: found 'team-a' a second time,"
            " expected each object once; 0.yaml has it too",
            "4.yaml: Workload/ml/w: metadata.name: found 'w' a second time,"
            " expected each object once; 2.yaml has it too",
        ]

    def test_versions_that_are_not_read(self) -> None:
        assert refused(
            built,
            {**a_queue(), "apiVersion": "kueue.x-k8s.io/v1beta1"},
            {**a_queue("b"), "apiVersion": "v1beta2"},
        ) == [
            "0.yaml: ClusterQueue/team-a: apiVersion: found 'kueue.x-k8s.io/v1beta1',"
            " expected kueue.x-k8s.io/v1beta2",
            "1.yaml: ClusterQueue/b: apiVersion: found 'v1beta2', expected kueue.x-k8s.io/v1beta2",
        ]

    def test_what_is_no_object(self) -> None:
        assert refused(built, {"metadata": {"name": "a"}}, {"kind": 3, "apiVersion": None}) == [
            "0.yaml: a: apiVersion: found nothing, expected a string such as kueue.x-k8s.io/v1beta2",
            "0.yaml: a: kind: found nothing, expected a string such as ClusterQueue",
            "1.yaml: apiVersion: found None, expected a string such as kueue.x-k8s.io/v1beta2",
            "1.yaml: kind: found 3, expected a string such as ClusterQueue",
        ]

    def test_all_problems_of_all_objects_are_reported(self) -> None:
        errors = refused(
            built,
            a_queue(stopPolicy="Hold", cohort="x"),
            pending(priority="1"),
            an_object("ResourceFlavor", "default", []),
            an_object("LocalQueue", "jobs", {}, "ml"),
        )
        assert [line.split(": ")[0] for line in errors] == ["0.yaml", "0.yaml", "1.yaml", "2.yaml", "3.yaml"]


class TestLoad:
    def test_unquoted_times_and_fractions_are_exact(self, tmp_path: Path) -> None:
        file = tmp_path / "all.yaml"
        file.write_text(
            f"""
apiVersion: {API}
kind: ClusterQueue
metadata: {{name: team-a, creationTimestamp: 2026-01-01T00:00:00Z}}
spec:
  resourceGroups:
  - coveredResources: [cpu]
    flavors:
    - name: default
      resources:
      - {{name: cpu, nominalQuota: 0.1}}
  preemption:
    withinClusterQueue: LowerOrNewerEqualPriority
    withinClusterQueueConfig: {{minAdmitDuration: 1h}}
---
apiVersion: {API}
kind: Workload
metadata: {{namespace: ml, name: w, creationTimestamp: 2026-01-01T00:00:00.000000001Z}}
""",
            encoding="utf-8",
        )
        cluster = load([str(file)]).cluster
        assert cluster.cluster_queues["team-a"].nominal() == {FlavorResource("default", "cpu"): 100}
        assert cluster.pending[0].created_at == parse_instant(CREATED) + 1

    def test_files_and_objects_are_wrong_at_once(self, tmp_path: Path) -> None:
        good, bad = tmp_path / "a.json", tmp_path / "b.yaml"
        good.write_text(json.dumps(pending(priority="1")), encoding="utf-8")
        bad.write_text("a: [", encoding="utf-8")
        errors = refused(load, [good, bad])
        assert [line.removeprefix(f"{tmp_path}/") for line in errors] == [
            "b.yaml: found a syntax error (did not find expected node content) in line 2, expected YAML",
            "a.json: Workload/ml/w: spec.priority: found '1', expected an integer",
        ]


JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from([API, "Workload", "ClusterQueue", "True", "QuotaReserved", "1gi", 10**4000]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.text(max_size=3)
            | st.sampled_from(
                ["kind", "apiVersion", "metadata", "name", "spec", "status", "podSets", "conditions"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(metadata=JUNK, spec=JUNK, status=JUNK)
def test_whatever_an_object_holds_it_is_read_or_refused(metadata: Any, spec: Any, status: Any) -> None:
    for kind in ("ClusterQueue", "ResourceFlavor", "LocalQueue", "Workload"):
        raw = {"apiVersion": API, "kind": kind, "metadata": metadata, "spec": spec, "status": status}
        try:
            build([SourcedObject("", raw)])
        except InputError as error:
            str(error).encode()


def recorded() -> Iterator[Object]:
    with (SHARED / "kueue/preemption.jsonl").open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)
    with gzip.open(SHARED / "kueue/random.jsonl.gz", "rt", encoding="utf-8") as lines:
        yield from (json.loads(line) for index, line in enumerate(lines) if index % 10 == 0)


@pytest.mark.skipif(
    not (SHARED / "kueue").is_dir(), reason="Kueue's recorded decisions are not beside the repository"
)
def test_recorded_objects_are_read_and_ask_for_what_kueue_says() -> None:
    compared = 0
    for case in recorded():
        for index, raw in enumerate(case["clusterQueues"]):
            read_cluster_queue(raw, where=f"clusterQueues[{index}]")
        for index, raw in enumerate(case["resourceFlavors"]):
            read_resource_flavor(raw, where=f"resourceFlavors[{index}]")
        for index, raw in enumerate(case["admitted"]):
            found = read_workload(raw, where=f"admitted[{index}]", holds_quota=True)
            assert found == read_workload(raw)
        incoming = read_workload(case["incoming"], where="incoming", holds_quota=False)
        if case["suite"] != "preemption" and "usage" in case["assignment"]:
            asked: Counter[str] = Counter()
            for pod_set in incoming.pod_sets:
                asked.update(pod_set.requests)
            usage: Counter[str] = Counter()
            for entry in case["assignment"]["usage"]:
                usage[entry["resource"]] += entry["amount"]
            assert +asked == +usage
            compared += 1
    assert compared > 50


@pytest.mark.skipif(
    not (SHARED / "data").is_dir(), reason="Kueue's own manifests are not beside the repository"
)
def test_kueues_own_manifests_are_read() -> None:
    wrong: dict[str, list[str]] = {}
    for file in sorted((SHARED / "data/manifests/kueue/v1beta2").glob("*.yaml")):
        try:
            load([file])
        except InputError as error:
            wrong[file.name] = [f"{problem.object}: {problem.field}" for problem in error.problems]
    resources = "spec.resourceGroups[0].flavors[0].resources"
    assert wrong == {
        "borrowing-limit-team-a-cq.yaml": [f"ClusterQueue/team-a-cq: {resources}"],
        "borrowing-limit-team-b-cq.yaml": [f"ClusterQueue/team-b-cq: {resources}"],
        "workload-priority-boost-fragment.yaml": [
            "Workload/default/example-workload: spec.priorityClassName"
        ],
    }
