"""Many objects to one cluster: what is ignored, warned of and refused; and real objects."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import product
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
from tenure.model import Cohort, FlavorResource, ResourceFlavor, Settings
from tests.objects import (
    API,
    CREATED,
    RESERVED,
    Object,
    a_group,
    a_queue,
    admitted,
    an_object,
    condition,
    pending,
    refused,
)

RESOURCES = "spec.resourceGroups[0].flavors[0].resources"
SHARED = Path(__file__).resolve().parents[3].parent / "shared"


def built(*objects: Object, settings: Settings | None = None) -> Loaded:
    sourced = [SourcedObject(f"{index}.yaml", found) for index, found in enumerate(objects)]
    return build(sourced) if settings is None else build(sourced, settings)


def strictly(*objects: Object) -> Loaded:
    return build([SourcedObject(f"{index}.yaml", found) for index, found in enumerate(objects)], strict=True)


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
            {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}},
            an_object("WorkloadPriorityClass", "high", value=3),
            other,
            admitted(conditions=[condition("Finished")]),
            pending(name="p", active=False),
        )
        assert loaded.ignored == (
            "0.yaml: ConfigMap/ml/c: not a kind that is read",
            "1.yaml: Node/n1: not a kind that is read",
            "3.yaml: Workload/w: not a kind that is read",
            "4.yaml: Workload/ml/w: neither holds quota nor waits for it:"
            " status.conditions has Finished=True",
            "5.yaml: Workload/ml/p: neither holds quota nor waits for it: spec.active has False",
        )
        assert (loaded.cluster.admitted, loaded.cluster.pending) == ((), ())

    def test_a_cluster_queue_whose_topology_is_missing_is_inactive(self) -> None:
        group = {
            "coveredResources": ["cpu"],
            "flavors": [{"name": "tas", "resources": [{"name": "cpu", "nominalQuota": 4}]}],
        }
        objects = [
            an_object("ClusterQueue", "a", {"resourceGroups": [group]}),
            an_object("ResourceFlavor", "tas", {"nodeLabels": {"pool": "a"}, "topologyName": "racks"}),
        ]
        other, own = (
            an_object("Topology", name, {"levels": [{"nodeLabel": "rack"}, {"nodeLabel": "host"}]})
            for name in ("rows", "racks")
        )
        assert built(*objects).cluster.cluster_queues["a"].inactive == ""
        without = built(*objects, other)
        reason = "there is no Topology racks for ResourceFlavor tas"
        assert without.cluster.cluster_queues["a"].inactive == reason
        assert without.warnings == (f"0.yaml: ClusterQueue/a: inactive: {reason}",)
        known = built(*objects, other, own).cluster
        assert known.cluster_queues["a"].inactive == ""
        assert known.topologies["racks"] == ("rack", "host")

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

    def test_a_queue_whose_flavor_is_not_among_those_given_is_inactive(self) -> None:
        queue = a_queue(resourceGroups=[a_group("a", "b")])
        loaded = built(queue, an_object("ResourceFlavor", "a"))
        assert loaded.cluster.cluster_queues["team-a"].inactive == "ResourceFlavor b is not given"
        assert loaded.warnings == ("0.yaml: ClusterQueue/team-a: inactive: ResourceFlavor b is not given",)
        held = built(
            a_queue(resourceGroups=[a_group("b")], stopPolicy="Hold"), an_object("ResourceFlavor", "a")
        )
        reasons = "spec.stopPolicy is Hold, ResourceFlavor b is not given"
        assert held.cluster.cluster_queues["team-a"].inactive == reasons
        assert built(queue).cluster.cluster_queues["team-a"].inactive == ""

    def test_cohorts(self) -> None:
        loaded = built(
            a_queue(cohortName="team"), an_object("Cohort", "team", {"parentName": "org"}), pending()
        )
        assert loaded.cluster.cohorts == {"team": Cohort("team", "org")}
        assert loaded.cluster.cluster_queues["team-a"].cohort == "team"

    def test_a_cycle_of_cohorts_is_warned_of_under_the_users_own_names(self) -> None:
        old = {**an_object("Cohort", "a", {"parent": "b"}), "apiVersion": "kueue.x-k8s.io/v1alpha1"}
        others = [
            an_object("Cohort", "b", {"parentName": "a"}),
            an_object("Cohort", "c", {"parentName": "a"}),
        ]
        loaded = built(
            old,
            *others,
            an_object("Cohort", "d", {"parentName": "d"}),
            a_queue("lost", cohortName="c", stopPolicy="Hold"),
            a_queue("kept", cohortName="org"),
            an_object("ResourceFlavor", "default"),
        )
        assert loaded.warnings == (
            "0.yaml: Cohort/a: spec.parent forms a cycle, a, b, a: every ClusterQueue below it is inactive",
            "3.yaml: Cohort/d: spec.parentName forms a cycle, d, d: every ClusterQueue below it is inactive",
        )
        lost, kept = (loaded.cluster.cluster_queues[name] for name in ("lost", "kept"))
        assert lost.inactive == "spec.stopPolicy is Hold, the parents of Cohort c form a cycle"
        assert (lost.cohort, kept.cohort, kept.inactive) == (None, "org", "")

    def test_a_tree_with_too_many_levels_is_refused(self) -> None:
        chain = [an_object("Cohort", f"c{i}", {"parentName": f"c{i + 1}"}) for i in range(100)]
        assert refused(built, *chain) == [
            "0.yaml: Cohort/c0: spec.parentName: found 101 levels of cohorts, expected at most 100"
        ]
        assert len(built(*chain[1:]).cluster.cohorts) == 99

    def test_a_long_cycle_is_told_shortly(self) -> None:
        ring = [an_object("Cohort", f"c{i}", {"parentName": f"c{(i + 1) % 100}"}) for i in range(100)]
        (warning,) = built(*ring).warnings
        assert len(warning) < 250

    def test_names_that_lead_nowhere_are_told_with_the_one_that_was_meant(self) -> None:
        loaded = built(
            a_queue("research", cohortName="departmnet", resourceGroups=[a_group("defualt")]),
            an_object("Cohort", "department"),
            an_object("ResourceFlavor", "default"),
            an_object("LocalQueue", "jobs", {"clusterQueue": "reserach"}, "ml"),
        )
        assert loaded.warnings == (
            "0.yaml: ClusterQueue/research: inactive: ResourceFlavor defualt is not given;"
            " did you mean default?",
            "LocalQueue/ml/jobs: spec.clusterQueue reserach was not given; did you mean research?",
            "0.yaml: ClusterQueue/research: names the Cohort departmnet, which was not given;"
            " did you mean department?",
        )

    def test_cohorts_of_a_series_are_not_taken_for_misspelt(self) -> None:
        queue = a_queue(cohortName="team-b", resourceGroups=[])
        assert built(queue, an_object("Cohort", "team-a")).warnings == ()

    def test_what_has_nothing_of_an_object_is_told_once(self) -> None:
        assert refused(built, {"cohorts": [], "cmd": {}}) == [
            "0.yaml: found a map of cohorts, cmd,"
            " expected a Kubernetes object, with apiVersion, kind and metadata"
        ]

    def test_a_name_is_no_longer_than_kubernetes_allows(self) -> None:
        assert built(pending(name="x" * 253)).cluster.pending
        (error,) = refused(built, pending(name="x" * 254))
        assert error.endswith("expected a name of at most 253 characters")

    def test_an_object_with_countless_faults_is_told_in_part_and_soon(self) -> None:
        spec = {f"k{i}": i for i in range(20_000)}
        errors = refused(built, an_object("ClusterQueue", "a", spec))
        assert len(errors) == 101
        assert errors[-1].endswith("found 20000 deviations, expected none; the first 100 are shown")
        twice = [{"name": "main"}] * 20_000
        raw = an_object("Workload", "w", {"podSets": twice}, "ml")
        assert len(refused(strictly, raw)) <= 200

    def test_a_boost_that_is_no_integer_counts_as_nothing_with_a_warning(self) -> None:
        raw = pending()
        raw["metadata"]["annotations"] = {"kueue.x-k8s.io/priority-boost": "much"}
        loaded = built(raw)
        assert loaded.cluster.pending[0].priority_boost == 0
        assert loaded.warnings == (
            "0.yaml: Workload/ml/w: metadata.annotations[kueue.x-k8s.io/priority-boost] 'much'"
            " is no 32-bit integer, counted as 0",
        )

    def test_a_priority_that_grows_counts_from_the_job(self) -> None:
        policy = {"step": 400, "max": 1000, "delayForStep": "1h"}
        growing = an_object("WorkloadPriorityClass", "c", {"priority": 100, "dynamicPriorityPolicy": policy})
        reference = {"group": "kueue.x-k8s.io", "kind": "WorkloadPriorityClass", "name": "c"}
        owned, alone = (pending(name=name, priorityClassRef=reference) for name in ("owned", "alone"))
        owned["metadata"]["ownerReferences"] = [{"kind": "Job", "name": "train", "uid": "j"}]
        job = {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"namespace": "ml", "name": "train", "uid": "j", "creationTimestamp": RESERVED},
        }
        loaded = built(owned, alone, growing, job)
        assert [workload.job_created_at for workload in loaded.cluster.pending] == [
            parse_instant(RESERVED),
            None,
        ]
        assert loaded.cluster.growing["c"].policy is not None
        assert loaded.warnings == (
            "1.yaml: Workload/ml/alone: its Job is not given:"
            " its priority grows from the Workload's creation",
        )

    def test_an_object_that_is_given_twice(self) -> None:
        assert refused(built, a_queue(), a_queue(), pending(), pending(name="other"), pending()) == [
            "1.yaml: ClusterQueue/team-a: metadata.name: found 'team-a' a second time,"
            " expected each object once; 0.yaml has it too",
            "4.yaml: Workload/ml/w: metadata.name: found 'w' a second time,"
            " expected each object once; 2.yaml has it too",
        ]

    def test_an_object_that_an_overlay_patches(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        for name, text in {
            "base/q.yaml": "{kind: ClusterQueue, apiVersion: kueue.x-k8s.io/v1beta2, metadata: {name: a}}",
            "prod/q.yaml": "{kind: ClusterQueue, apiVersion: kueue.x-k8s.io/v1beta2, metadata: {name: a}}",
            "prod/kustomization.yaml": "{resources: [../base], patches: [path: q.yaml]}",
        }.items():
            Path(name).parent.mkdir(exist_ok=True)
            Path(name).write_text(text, encoding="utf-8")
        with pytest.raises(InputError) as caught:
            load(["."])
        assert "base/q.yaml has it too; prod: a kustomization with patches" in str(caught.value)
        assert str(caught.value).endswith("kubectl kustomize prod | tenure validate -")

    def test_versions_that_are_not_read(self) -> None:
        assert refused(
            built,
            {**a_queue(), "apiVersion": "kueue.x-k8s.io/v1alpha1"},
            {**a_queue("b"), "apiVersion": "v1beta2"},
        ) == [
            "0.yaml: ClusterQueue/team-a: apiVersion: found 'kueue.x-k8s.io/v1alpha1',"
            " expected kueue.x-k8s.io/v1beta2 or kueue.x-k8s.io/v1beta1",
            "1.yaml: ClusterQueue/b: apiVersion: found 'v1beta2',"
            " expected kueue.x-k8s.io/v1beta2 or kueue.x-k8s.io/v1beta1",
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
            strictly,
            a_queue(stopPolicy="Held", cohort="x"),
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
        errors = refused(partial(load, strict=True), [good, bad])
        assert [line.removeprefix(f"{tmp_path}/") for line in errors] == [
            "b.yaml: found a syntax error (did not find expected node content) in line 2, expected YAML",
            "a.json: Workload/ml/w: spec.priority: found '1', expected an integer",
        ]


CONFIG = "config.kueue.x-k8s.io/v1beta2"
KINDS = (
    "ClusterQueue",
    "Cohort",
    "Configuration",
    "LocalQueue",
    "ResourceFlavor",
    "Workload",
    "WorkloadPriorityClass",
)
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
    for api, kind in product((API, API.replace("beta2", "beta1"), CONFIG), KINDS):
        raw = {"apiVersion": api, "kind": kind, "metadata": metadata, "spec": spec, "status": status}
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
            read_cluster_queue(raw, where=f"clusterQueues[{index}]", defaulted=False)
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
@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("v1beta1", {}),
        (
            "v1beta2",
            {
                "borrowing-limit-team-a-cq.yaml": [f"ClusterQueue/team-a-cq: {RESOURCES}"],
                "borrowing-limit-team-b-cq.yaml": [f"ClusterQueue/team-b-cq: {RESOURCES}"],
                "workload-priority-boost-fragment.yaml": [
                    "Workload/default/example-workload: spec.priorityClassName"
                ],
            },
        ),
    ],
)
def test_kueues_own_manifests_are_read(version: str, expected: dict[str, list[str]]) -> None:
    wrong: dict[str, list[str]] = {}
    for file in sorted((SHARED / "data/manifests/kueue" / version).glob("*.yaml")):
        try:
            load([file], strict=True)
        except InputError as error:
            wrong[file.name] = [f"{problem.object}: {problem.field}" for problem in error.problems]
    assert wrong == expected
