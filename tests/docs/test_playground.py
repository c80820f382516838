"""What the playground decides is what is published; without its packages the site is built all the same."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from docs.gen import playground
from tenure.apps.playground import PageQuestion, answered, explain_text, opened
from tenure.conformance.vectors import load_vectors
from tests.docs.blocks import ROOT
from tests.sampling import sample

VECTORS = {vector.id: vector for vector in load_vectors(ROOT / "spec" / "vectors")}
OPENED = {name: asked for name, vector in VECTORS.items() if (asked := opened(vector)) is not None}


def ask(asked: PageQuestion, **changed: object) -> dict[str, object]:
    told: dict[str, object] = json.loads(answered(json.dumps({**asdict(asked), **changed})))
    return told


def test_most_vectors_of_decisions_can_be_opened() -> None:
    decided = [vector for vector in VECTORS.values() if vector.data["call"] == "decide"]
    assert len(OPENED) > 0.9 * len(decided)


@pytest.mark.parametrize("name", sorted(OPENED)[:: sample(12, 1)])
def test_a_vector_is_decided_as_it_expects(name: str) -> None:
    expected, told = VECTORS[name].data["expect"], ask(OPENED[name], flips=0)
    if "error" in expected:
        assert told["problems"], told
        return
    assert told["problems"] == []
    assert told["decision"] == expected["decision"]
    assert told["preempted"] == [victim["workload"] for victim in expected.get("preempted", ())]


def test_the_first_example_is_explained_with_its_nearest_changes() -> None:
    (_, example), *_ = playground.examples()
    told = ask(PageQuestion(example["text"], now=example["now"], workload=example["workload"]))
    assert told["decision"] == "Preempt"
    assert told["duration"] == "4h"
    assert any("would fit without preempting" in line for line in told["lines"]), told["lines"]  # type: ignore[attr-defined]
    assert "TBP-020" in told["rules"]  # type: ignore[operator]


def test_a_slider_changes_one_field_and_the_text_stays() -> None:
    (_, example), *_ = playground.examples()
    asked = PageQuestion(
        example["text"], now=example["now"], workload="team-a/job-long-context-8a5dc", flips=0
    )
    path = "clusterqueue/gpu-cluster-queue.spec.preemption.withinClusterQueueConfig.minAdmitDuration"
    assert ask(asked)["decision"] == "NoCandidates"
    assert ask(asked, assigned=[f"{path}=10m"])["decision"] == "Preempt"


def test_what_is_wrong_names_the_text_and_its_line() -> None:
    told = ask(PageQuestion("kind: ClusterQueue\nspec: [1"), assigned=["clusterqueue/a.spec.cohortName=b"])
    assert told["problems"]
    assert all(str(problem).startswith("cluster.yaml") for problem in told["problems"]), told  # type: ignore[attr-defined]


def test_every_example_is_decided() -> None:
    for name, example in playground.examples():
        fields = {key: example[key] for key in ("text", "now", "reading", "workload")}
        told = explain_text(PageQuestion(**fields, cluster_queue=example["clusterQueue"], flips=0))
        assert told.decision, name


def test_without_the_packages_the_site_is_built_without_these_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(playground, "KEPT", tmp_path)
    monkeypatch.setenv("PATH", "")
    assert playground.playground_files() == {}
    assert "without the playground: there is no npm here" in capsys.readouterr().err


def test_a_package_that_is_another_one_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playground, "KEPT", tmp_path)
    (tmp_path / "pyodide-314.0.7.tgz").write_bytes(b"another")
    with pytest.raises(playground.FetchError, match="is not the file that is pinned"):
        playground.fetched()
