"""`tenure.load`, `decide` and `decide_all`, also where a part of the cluster is not modelled."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import tenure
from tenure.api import pending_names, some_of
from tenure.errors import ErrorCode, InputError
from tenure.explanation.summary import summarize
from tenure.keeping import digest
from tenure.manifests import SourcedObject, build
from tenure.model import Cluster
from tenure.oracle.snapshot import Snapshot, take_snapshot
from tenure.readings import Reading
from tenure.resources import bundled
from tests.examples import change, copied
from tools import libyaml

NOW = "2026-03-02T14:00:00Z"
CLAIMS = [{"name": "gpu"}]
EVAL, INDEX = "team-b/job-eval-suite-d739e", "team-a/job-doc-index-dfa0b"


@pytest.fixture
def cluster(tmp_path: Path) -> Path:
    """A copy of the bundled example."""
    return copied("two-teams", tmp_path)


def need_a_claim(team_b: Path, name: str) -> None:
    """Dynamic resource allocation, which is not modelled, for the pods of a workload."""
    change(team_b, "Workload", name, "spec", "podSets", 0, "template", "spec", "resourceClaims", to=CLAIMS)


def refused(cluster: Path, workload: str | None) -> InputError:
    with pytest.raises(InputError) as caught:
        tenure.decide(tenure.load(cluster), workload, now=NOW)
    return caught.value


def test_a_pending_workload_that_is_not_modelled_refuses_only_itself(cluster: Path) -> None:
    team_b = cluster / "workloads-team-b.yaml"
    need_a_claim(team_b, "job-eval-suite-d739e")
    loaded = tenure.load(cluster)
    assert str(tenure.decide(loaded, INDEX, now=NOW).outcome) == "Preempt"
    assert any(
        "job-eval-suite-d739e: set aside: spec.podSets[0].template.spec.resourceClaims" in warning
        for warning in loaded.warnings
    )
    (problem,) = refused(cluster, EVAL).problems
    assert (problem.code, problem.object) == (ErrorCode.NOT_MODELLED, f"Workload/{EVAL}")


def test_a_workload_set_aside_counts_when_none_is_named(cluster: Path) -> None:
    for name in ("job-long-context-8a5dc", "job-doc-index-dfa0b"):
        change(cluster / "workloads-team-a.yaml", "Workload", name, "spec", "active", to=False)
    team_b = cluster / "workloads-team-b.yaml"
    need_a_claim(team_b, "job-moe-64-448bc")
    assert "2 pending workloads" in str(refused(cluster, None))


def test_a_held_local_queue_queues_none_of_its_own_workloads(cluster: Path) -> None:
    queues = cluster / "queues.yaml"
    whole = libyaml.load(queues.read_text(encoding="utf-8"))
    (mine,) = [
        item
        for item in whole["items"]
        if item["kind"] == "LocalQueue" and item["metadata"]["namespace"] == "team-b"
    ]
    mine["spec"]["stopPolicy"] = "Hold"
    queues.write_text(libyaml.dump(whole), encoding="utf-8")
    assert str(tenure.decide(tenure.load(cluster), INDEX, now=NOW).outcome) == "Preempt"
    decision = tenure.decide(tenure.load(cluster), EVAL, now=NOW)
    assert str(decision.outcome) == "NoFit"
    assert decision.targets == ()
    assert decision.held == "LocalQueue team-b/gpu-queue is held: spec.stopPolicy is Hold"
    assert str(decision.otherwise and decision.otherwise.outcome) == "Preempt"


def test_nothing_fits_a_held_cluster_queue(cluster: Path) -> None:
    change(cluster / "queues.yaml", "ClusterQueue", "gpu-cluster-queue", "spec", "stopPolicy", to="Hold")
    decision = tenure.decide(tenure.load(cluster), EVAL, now=NOW)
    assert str(decision.outcome) == "NoFit"
    assert summarize(decision) == (
        "NoFit: ClusterQueue gpu-cluster-queue is inactive: spec.stopPolicy is Hold",
    )


def test_all_that_is_wrong_and_not_modelled_of_one_is_told(cluster: Path) -> None:
    team_b = cluster / "workloads-team-b.yaml"
    need_a_claim(team_b, "job-eval-suite-d739e")
    change(team_b, "Workload", "job-eval-suite-d739e", "spec", "priority", to="high")
    with pytest.raises(InputError) as caught:
        tenure.load(cluster, strict=True)
    told = {"spec.priority", "spec.podSets[0].template.spec.resourceClaims"}
    assert {problem.field for problem in caught.value.problems} == told
    assert {problem.field for problem in refused(cluster, EVAL).problems} == told
    assert str(tenure.decide(tenure.load(cluster), INDEX, now=NOW).outcome) == "Preempt"


def test_all_are_decided_on_one_snapshot_for_each_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = tenure.load(bundled("examples", "shared-cohort"))
    taken: list[str] = []

    def counted(given: Cluster, queue: str, now: int, reading: Reading) -> Snapshot:
        taken.append(queue)
        return take_snapshot(given, queue, now, reading)

    monkeypatch.setattr("tenure.engines.batch.take_snapshot", counted)
    decided = list(tenure.decide_all(loaded, now="2026-05-11T14:00:00Z"))
    assert len({pending_decision.cluster_queue for pending_decision in decided}) > 1
    assert len(taken) == 1
    assert {pending_decision.workload for pending_decision in decided} == {
        workload.key for workload in loaded.cluster.pending
    }


def test_decisions_are_made_as_they_are_drawn_and_bad_words_said_before() -> None:
    loaded = tenure.load(bundled("examples", "two-teams"))
    first = next(tenure.decide_all(loaded, now=NOW))
    assert first.decision is not None
    wrongs: list[dict[str, Any]] = [
        {"now": "soon"},
        {"now": NOW, "reading": "strict"},
        {"now": NOW, "cluster_queue": "gpus"},
    ]
    for wrong in wrongs:
        with pytest.raises(InputError):
            tenure.decide_all(loaded, **wrong)


def test_a_victim_that_queues_from_its_eviction_stands_behind(cluster: Path) -> None:
    # The same priority; the one created first was a victim of time-based preemption at noon (TBP-030).
    team_b = cluster / "workloads-team-b.yaml"
    for name in ("job-moe-64-448bc", "job-eval-suite-d739e"):
        change(team_b, "Workload", name, "spec", "priority", to=900)
    change(team_b, "Workload", "job-moe-64-448bc", "metadata", "creationTimestamp", to="2026-03-01T00:00:00Z")
    change(
        team_b, "Workload", "job-eval-suite-d739e", "metadata", "creationTimestamp", to="2026-03-02T11:00:00Z"
    )
    preempted = {
        "type": "Preempted",
        "status": "True",
        "reason": "InClusterQueueTimeBased",
        "lastTransitionTime": "2026-03-02T12:00:00Z",
        "message": "",
    }
    evicted = {**preempted, "type": "Evicted", "reason": "Preempted"}
    change(team_b, "Workload", "job-moe-64-448bc", "status", to={"conditions": [preempted, evicted]})

    def first(reading: str) -> str:
        return next(tenure.decide_all(tenure.load(cluster), now=NOW, reading=reading)).workload

    assert first("as-written") == "team-b/job-moe-64-448bc"
    assert first("guaranteed") == "team-b/job-eval-suite-d739e"


def test_a_held_queue_refuses_only_its_own_in_a_list_of_all(cluster: Path) -> None:
    queues = cluster / "queues.yaml"
    change(queues, "ClusterQueue", "gpu-cluster-queue", "spec", "stopPolicy", to="Hold")
    outcomes = {
        str(pending_decision.decision and pending_decision.decision.outcome)
        for pending_decision in tenure.decide_all(tenure.load(cluster), now=NOW)
    }
    assert outcomes == {"NoFit"}


def test_an_error_lists_only_a_few_names() -> None:
    assert some_of([f"w{number:03}" for number in range(1000)], "pending workloads").endswith(
        "w018, w019 and 980 more"
    )


def nameless_space(kind: str, name: str, spec: dict[str, Any]) -> SourcedObject:
    """An object as it is written by hand, without a name space."""
    metadata = {"name": name, "creationTimestamp": "2026-03-02T12:00:00Z"}
    return SourcedObject(
        "", {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": kind, "metadata": metadata, "spec": spec}
    )


def test_an_object_without_a_name_space_is_named_and_found_without_one() -> None:
    pods = {"count": 1, "template": {"spec": {"containers": []}}}
    claims = {"containers": [], "resourceClaims": CLAIMS}
    loaded = build(
        [
            nameless_space("ClusterQueue", "a", {}),
            nameless_space("LocalQueue", "held", {"clusterQueue": "a", "stopPolicy": "Hold"}),
            nameless_space("LocalQueue", "nowhere", {"clusterQueue": "b"}),
            nameless_space("Workload", "at-held", {"queueName": "held", "podSets": [pods]}),
            nameless_space("Workload", "at-none", {"queueName": "none", "podSets": [pods]}),
            nameless_space("Workload", "claims", {"podSets": [{"count": 1, "template": {"spec": claims}}]}),
        ]
    )
    assert "LocalQueue/nowhere: spec.clusterQueue b was not given" in loaded.warnings
    assert pending_names(loaded) == ["/at-held", "/at-none", "/claims"]
    named = {
        pending_decision.workload: pending_decision.problems[0].object
        for pending_decision in tenure.decide_all(loaded, now=NOW)
        if pending_decision.decision is None
    }
    held = tenure.decide(loaded, "/at-held", now=NOW)
    assert held.held == "LocalQueue held is held: spec.stopPolicy is Hold"
    assert named == {
        "/at-none": "Workload/at-none",
        "/claims": "Workload/claims",
    }
    for workload, name in named.items():
        with pytest.raises(InputError) as caught:
            tenure.decide(loaded, workload, now=NOW)
        assert caught.value.problems[0].object == name


def test_what_a_notebook_shows_of_an_answer_is_one_line(cluster: Path) -> None:
    loaded = tenure.load(cluster)
    decision = tenure.decide(loaded, EVAL, now=NOW)
    victims = ", ".join(target.workload.key for target in decision.targets)
    assert repr(decision) == f"<Decision on {EVAL}: Preempt, preempts {victims}; reading guaranteed>"
    pending = len(loaded.cluster.pending)
    held = f"{len(loaded.cluster.admitted)} workloads with quota, {pending} pending"
    assert repr(loaded.cluster) == f"<Cluster: ClusterQueues gpu-cluster-queue; {held}>"
    assert repr(loaded) == f"<Loaded: {loaded.cluster!r}, 0 warnings, 0 objects ignored>"
    assert set(tenure.__all__) <= set(dir(tenure))


def test_clusters_that_are_written_alike_are_kept_apart(cluster: Path) -> None:
    """A kept answer is about one cluster, whose hash counts every field."""
    one = tenure.load(cluster).cluster
    first, *others = one.pending
    other = replace(one, pending=(replace(first, priority=first.priority + 1), *others))
    assert repr(one) == repr(other)
    assert digest([one]) == digest([tenure.load(cluster).cluster])
    assert digest([one]) != digest([other])
