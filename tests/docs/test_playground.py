"""What the playground decides is what is published; without its packages the site is built all the same."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pydantic
import pytest

from docs.gen import playground
from docs.gen.openings import SCENARIOS, Opening, Openings, opened_play, openings
from docs.gen.sources import scenarios
from tenure.as_json import as_json
from tenure.playground import PageQuestion, answered, explain_text, opened
from tenure.readings import default_preset, preset
from tenure_check import playground as playground_matrix
from tenure_check.analysis.prover import PROVED_ALONE
from tenure_play import AnyScenario, play
from tests.command_line import run_program
from tests.published import published_vectors
from tests.sampling import sample

VECTORS = {vector.id: vector for vector in published_vectors()}
OPENED = {name: asked for name, vector in VECTORS.items() if (asked := opened(vector)) is not None}


def ask(asked: PageQuestion, **changed: object) -> dict[str, object]:
    told: dict[str, object] = json.loads(answered(json.dumps({**asdict(asked), **changed})))
    return told


def test_most_vectors_of_decisions_can_be_opened() -> None:
    decided = [vector for vector in VECTORS.values() if vector.data["call"] == "decide"]
    assert len(OPENED) > 0.9 * len(decided)


@pytest.mark.parametrize("name", sorted(OPENED)[:: sample(12, 1)])
def test_a_vector_is_decided_as_it_expects(name: str) -> None:
    expected, told = VECTORS[name].data["expect"], ask(OPENED[name], counterfactuals=0)
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


def opening(scenario: AnyScenario) -> Opening | None:
    return opened_play(scenario, [play(scenario, preset(default_preset()))])


# Two play a week or a season, which takes longer than all others together.
PLAYED = [one for one in scenarios() if one.name not in ("tbp-story-1-week", "ucq-story-2-disaster-recovery")]


@pytest.mark.parametrize("scenario", PLAYED[:: sample(8, 1)], ids=lambda scenario: scenario.name)
def test_a_scenario_opens_before_its_first_preemption(scenario: AnyScenario) -> None:
    told = opening(scenario)
    if told is None:
        assert scenario.name.startswith("kai-") or not play(scenario, preset(default_preset())).preemptions
        return
    record = play(scenario, preset(default_preset()))
    first = next((known for known in record.preemptions), None)
    if first is not None:
        assert (told["now"], told["workload"]) == (as_json(first)["at"], first.preemptor)
        said = ask(PageQuestion(told["text"], now=told["now"], workload=told["workload"]), counterfactuals=0)
        assert first.victim in said["preempted"]  # type: ignore[operator]


def test_a_finding_opens_its_smallest_vector_or_else_a_scenario() -> None:
    found = openings({"tbp-nothing-wakes-at-expiry": {"title": "", "text": ""}})
    assert found.same["F-001"] == "TBP-050/a-newer-equal-loses-its-guaranteed-four-hours"
    assert found.same["F-005"] == "tbp-nothing-wakes-at-expiry"
    assert "F-041" not in found.same, "KAI-Scheduler has no ClusterQueues"
    assert not {*found.names} & {name for name, _ in playground.examples()}
    assert {*found.names} - {*found.areas[SCENARIOS]} == {*OPENED}


def test_a_slider_changes_one_field_and_the_text_stays() -> None:
    (_, example), *_ = playground.examples()
    asked = PageQuestion(
        example["text"], now=example["now"], workload="team-a/job-long-context-8a5dc", counterfactuals=0
    )
    path = "clusterqueue/gpu-cluster-queue.spec.preemption.withinClusterQueueConfig.minAdmitDuration"
    assert ask(asked)["decision"] == "NoCandidates"
    assert ask(asked, assigned=[f"{path}=10m"])["decision"] == "Preempt"


def test_a_text_without_the_remembered_workload_is_another_cluster() -> None:
    (_, before), (_, example), *_ = playground.examples()
    asked = PageQuestion(
        example["text"],
        now=before["now"],
        workload=before["workload"],
        cluster_queue="gone",
        assigned=("clusterqueue/gone.spec.cohortName=b",),
        counterfactuals=0,
    )
    told = ask(asked)
    first = ask(PageQuestion(example["text"], counterfactuals=0))
    assert told == {**first, "isOther": True}
    assert told["workload"] == told["pending"][0]["name"]  # type: ignore[index]


def test_a_workload_that_cannot_be_decided_about_leaves_the_others_to_choose_from() -> None:
    text = TWO_QUEUES + "\n---\n".join(
        f"""
{API}
kind: Workload
metadata: {{name: {name}, namespace: x, creationTimestamp: "2026-01-01T00:00:00Z"}}
spec:
  queueName: nowhere
  podSets: [{{name: main, count: 1, template: {{spec: {{containers: [{{name: c, image: i}}]}}}}}}]
"""
        for name in ("first", "second")
    ).join(("---\n", ""))
    told = ask(PageQuestion(text))
    assert "nowhere" in str(told["problems"])
    assert [one["name"] for one in told["pending"]] == ["x/first", "x/second"]  # type: ignore[attr-defined]


def test_own_manifests_are_answered_about_the_first_workload_that_can_be_decided_about() -> None:
    (_, example), *_ = playground.examples()
    first = ask(PageQuestion(example["text"], counterfactuals=0))
    lost = f"""
---
{API}
kind: Workload
metadata: {{name: a, namespace: a, creationTimestamp: "2026-01-01T00:00:00Z"}}
spec:
  queueName: nowhere
  podSets: [{{name: main, count: 1, template: {{spec: {{containers: [{{name: c, image: i}}]}}}}}}]
"""
    told = ask(PageQuestion(example["text"] + lost, counterfactuals=0))
    assert told["problems"] == []
    assert told["workload"] == first["workload"]
    assert "Workload/a/a: set aside: spec.queueName: found 'nowhere'" in str(told["warnings"])
    assert ask(PageQuestion(example["text"] + lost, workload="a/a", counterfactuals=0))["problems"]


def test_what_is_wrong_names_the_text_and_its_line() -> None:
    told = ask(PageQuestion("kind: ClusterQueue\nspec: [1"), assigned=["clusterqueue/a.spec.cohortName=b"])
    assert told["problems"]
    assert all(str(problem).startswith("cluster.yaml") for problem in told["problems"]), told  # type: ignore[attr-defined]


API = "apiVersion: kueue.x-k8s.io/v1beta2"
TWO_QUEUES = f"""\
{API}
kind: ResourceFlavor
metadata: {{name: f}}
---
{API}
kind: ClusterQueue
metadata: {{name: a}}
spec:
  cohortName: c
  preemption: {{withinClusterQueue: LowerPriority, reclaimWithinCohort: Any}}
  resourceGroups:
    - coveredResources: [cpu]
      flavors: [{{name: f, resources: [{{name: cpu, nominalQuota: 4}}]}}]
---
{API}
kind: ClusterQueue
metadata: {{name: b}}
spec:
  cohortName: c
  preemption: {{reclaimWithinCohort: Any}}
  resourceGroups:
    - coveredResources: [cpu]
      flavors: [{{name: f, resources: [{{name: cpu, nominalQuota: 4, borrowingLimit: 0}}]}}]
"""
VERDICTS = ["n n n n", "c n n n", "c c n n", "c c n n"]
"""Rows and columns: a/low, a/high, b/low, b/high. That a never preempts in b is proved: b never borrows."""


def analyzed(text: str, **more: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    told: list[dict[str, Any]] = []
    said = playground_matrix.analyzed(
        json.dumps({"text": text}), lambda part: told.append(json.loads(part)), **more
    )
    return json.loads(said), told


def letters(verdicts: list[list[str]]) -> list[str]:
    return [" ".join(verdict[0] for verdict in row) for row in verdicts]


def test_a_matrix_is_told_as_it_is_found_and_says_that_one_solver_proved() -> None:
    answer, told = analyzed(TWO_QUEUES)
    assert letters(answer["verdicts"]) == VERDICTS
    assert "proved by Z3 alone" in answer["lines"][0]
    assert [side["clusterQueue"] for side in told[0]["sides"]] == ["a", "a", "b", "b"]
    marks = {(row, column): verdict for part in told for row, column, verdict in part["marks"]}
    assert marks[1, 0] == "can"
    assert marks[0, 1] == "never"
    assert all(answer["verdicts"][row][column] == verdict for (row, column), verdict in marks.items())


def test_a_cell_shows_an_example_that_the_page_decides_so_or_why_never() -> None:
    analyzed(TWO_QUEUES)
    can = json.loads(playground_matrix.shown_cell(2, 0))
    (example,) = can["examples"]
    question = example["question"]
    fields = {key: question[key] for key in ("text", "now", "reading", "workload")}
    told = ask(PageQuestion(**fields, cluster_queue=question["clusterQueue"], counterfactuals=0))
    assert (told["problems"], told["decision"]) == ([], "Preempt")
    assert any(f"{told['preempted'][0]} is preempted for" in line for line in can["lines"])  # type: ignore[index]
    never = json.loads(playground_matrix.shown_cell(0, 1))
    assert never["examples"] == []
    assert "withinClusterQueue of ClusterQueue/a is LowerPriority" in never["lines"][1]
    whole = json.loads(playground_matrix.shown_cell(0, 2))
    assert whole["lines"][1].strip() == PROVED_ALONE


def test_after_its_time_a_matrix_leaves_open_what_is_open() -> None:
    passed = iter([0.0])
    answer, _ = analyzed(TWO_QUEUES, clock=lambda: next(passed, playground_matrix.MOST_S + 1))
    seen = {verdict for row in answer["verdicts"] for verdict in row}
    assert seen == {"can", "never", "?"}
    row, column = next(
        (row, found.index("?")) for row, found in enumerate(answer["verdicts"]) if "?" in found
    )
    assert playground_matrix.LATE in json.loads(playground_matrix.shown_cell(row, column))["lines"][1]


def test_a_matrix_that_is_too_large_is_refused_with_the_limit() -> None:
    queues = "---\n".join(
        f"{API}\nkind: ClusterQueue\nmetadata: {{name: q{number}}}\nspec: {{}}\n" for number in range(11)
    )
    answer, told = analyzed(queues)
    assert answer["problems"] == [
        "text: found '11 ClusterQueues with 2 priorities, 484 cells', expected at most 400 cells here; "
        "`tenure analyze matrix` takes more"
    ]
    assert told == []


LOADED = """
import json, sys
from importlib.abc import MetaPathFinder
class Absent(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name in ("numpy", "numba", "cvc5", "rich", "typer", "jsonschema", "tenure_simulate.core"):
            raise ModuleNotFoundError(f"{name} is not in the page")
sys.meta_path.insert(0, Absent())
sys.path[:0] = sys.argv[1:]
import tenure.playground, tenure_play.playground, tenure_proofs.playground, tenure_check.playground
assert tenure.__file__.startswith(sys.argv[1])
for question in sys.stdin:
    answer = json.loads(tenure.playground.answered(question))
    drawn = tenure_play.playground.pictured(json.dumps({**json.loads(question), "now": answer["now"]}))
    print(json.dumps({**answer, **json.loads(drawn)}))
"""


def test_what_the_page_loads_decides_and_draws_every_example_and_needs_nothing_else(tmp_path: Path) -> None:
    for held in playground.own_modules().values():
        for name, content in held.items():
            place = tmp_path / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
    asked = [
        {key: example[key] for key in ("text", "now", "reading", "workload")} | {"counterfactuals": 0}
        for _, example in playground.examples()
    ]
    # Without `-S` this repository is found, too.
    command = [
        sys.executable,
        "-I",
        "-S",
        "-c",
        LOADED,
        str(tmp_path),
        str(Path(pydantic.__file__).parents[1]),
    ]
    lines = "".join(json.dumps(each) + "\n" for each in asked)
    done = run_program(*command, cwd=tmp_path, stdin=lines)
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["problems"] for answer in answers] == [[] for _ in asked]
    assert all(answer["decision"] for answer in answers)
    assert all(answer["pending"][0]["name"] in answer["html"] for answer in answers)


def test_every_example_is_decided() -> None:
    for name, example in playground.examples():
        fields = {key: example[key] for key in ("text", "now", "reading", "workload")}
        told = explain_text(PageQuestion(**fields, cluster_queue=example["clusterQueue"], counterfactuals=0))
        assert told.decision, name


def test_without_the_packages_the_site_is_built_without_these_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(playground, "KEPT", tmp_path)
    monkeypatch.setenv("PATH", "")
    assert playground.playground_files(Openings({}, {})) == {}
    assert "without the playground: there is no npm here" in capsys.readouterr().err


def test_a_package_that_is_another_one_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playground, "KEPT", tmp_path)
    (tmp_path / "pyodide-314.0.7.tgz").write_bytes(b"another")
    with pytest.raises(playground.FetchError, match="is not the file that is pinned"):
        playground.fetched()
