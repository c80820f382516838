"""`tenure analyze matrix`: the table, cells with their reasons, kept answers, and what is not covered."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tenure_check import answers
from tenure_check.analysis.matrix import NO_QUOTAS
from tests.command_line import tenure

SMALL = "--states", "60"

QUEUES = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: f}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: a}
spec:
  cohortName: c
  preemption: {reclaimWithinCohort: Any, withinClusterQueue: LowerPriority}
  resourceGroups:
  - coveredResources: [cpu]
    flavors: [{name: f, resources: [{name: cpu, nominalQuota: 4}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: b}
spec:
  cohortName: c
  preemption: {reclaimWithinCohort: LowerPriority}
  resourceGroups:
  - coveredResources: [cpu]
    flavors: [{name: f, resources: [{name: cpu, nominalQuota: 0}]}]
"""
ONE_CLASS = """---
apiVersion: kueue.x-k8s.io/v1beta2
kind: WorkloadPriorityClass
metadata: {name: only}
value: 0
"""


@pytest.fixture(scope="module")
def queues(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two ClusterQueues: one owns everything, the other borrows."""
    path = tmp_path_factory.mktemp("queues") / "queues.yaml"
    path.write_text(QUEUES, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def answer(queues: Path) -> Any:
    """What is said of them."""
    done = tenure("analyze", "matrix", str(queues), *SMALL, "-o", "json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def verdicts(answer: Any) -> dict[tuple[str, str, str, str], str]:
    return {
        (
            cell["preemptor"]["clusterQueue"],
            cell["preemptor"]["priorityClass"],
            cell["victim"]["clusterQueue"],
            cell["victim"]["priorityClass"],
        ): cell["verdict"]
        for cell in answer["cells"]
    }


def test_every_pair_of_queues_and_priorities_has_a_verdict(answer: Any) -> None:
    can = {cell for cell, verdict in verdicts(answer).items() if verdict == "can"}
    levels = ("low", "high")
    assert can == {
        ("a", "high", "a", "low"),
        *(("a", high, "b", low) for high in levels for low in levels),
    }
    assert len(answer["cells"]) == 16
    assert answer["counts"] == {"never": 11, "can": 5, "unknown": 0}
    assert answer["scope"] == "consistent"


def test_a_cell_that_can_has_an_example_and_one_that_never_can_says_by_which_field(answer: Any) -> None:
    for cell in answer["cells"]:
        if cell["verdict"] == "can":
            example = next(found["example"] for found in cell["reasons"] if found["example"])
            victim = next(known for known in example["running"] if known["workload"] == example["victim"])
            assert victim["preempted"]
            assert victim["clusterQueue"] == cell["victim"]["clusterQueue"]
            assert victim["priority"] == cell["victim"]["priority"]
            shown = [found for found in cell["reasons"] if found["example"]]
            assert {(found["fewestVictims"], found["isFewest"]) for found in shown} == {(1, True)}
        elif cell["preemptor"]["clusterQueue"] == cell["victim"]["clusterQueue"] == "b":
            assert cell["why"] == "KQ-040: spec.preemption.withinClusterQueue of ClusterQueue/b is Never"


def test_nothing_is_preempted_in_a_queue_without_quotas(tmp_path: Path) -> None:
    kind = "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: unused}\n"
    path = tmp_path / "unused.yaml"
    path.write_text(f"{kind}spec: {{preemption: {{withinClusterQueue: LowerPriority}}}}\n")
    for asked in ("matrix", "guarantees"):
        done = tenure("analyze", asked, str(path), *SMALL, "--no-cache")
        assert done.returncode == 0, done.stderr
    said = json.loads(tenure("analyze", "matrix", str(path), *SMALL, "-o", "json").stdout)
    assert {(cell["verdict"], cell["why"]) for cell in said["cells"]} == {("never", NO_QUOTAS)}


def test_after_edits_workloads_may_run_in_a_queue_that_has_no_quotas_any_more(queues: Path) -> None:
    asked = "analyze", "matrix", str(queues), *SMALL, "--unset", "clusterqueue/b.spec.resourceGroups"
    for scope, verdict in (("consistent", "never"), ("edited", "can")):
        said = json.loads(tenure(*asked, "--scope", scope, "-o", "json").stdout)
        assert verdicts(said)["a", "low", "b", "high"] == verdict
        assert verdicts(said)["b", "high", "a", "low"] == "never"


def test_the_table_has_names_as_heads_and_sentences_below(queues: Path) -> None:
    lines = tenure("analyze", "matrix", str(queues), *SMALL).stdout.decode().splitlines()
    rows = [line.split() for line in lines[2:5]]
    assert rows == [["PREEMPTOR", "\\", "VICTIM", "a", "b"], ["a", "L--", "LEH"], ["b", "---", "---"]]
    assert "  a can be preempted by its own workloads (higher priority only); never by b" in lines
    assert "  b can be preempted by a (any priority); never by its own workloads" in lines
    assert any(line.startswith("16 cells: 5 can (an example exists), 11 never (proved by ") for line in lines)
    marked = tenure("analyze", "matrix", str(queues), *SMALL, "-o", "markdown").stdout.decode().splitlines()
    assert "| `a` | L-- | LEH |" in marked


def test_one_victim_is_described_with_the_condition(queues: Path) -> None:
    asked = "analyze", "matrix", str(queues), *SMALL
    lines = tenure(*asked, "--victim", "a").stdout.decode().splitlines()
    own = "a can be preempted by its own workloads (higher priority only), also while a is within its nominal"
    assert lines[2:5] == ["In words", f"  {own} quota of 4 cpu", "  a is never preempted by b"]
    lines = tenure(*asked, "--preemptor", "a").stdout.decode().splitlines()
    beyond = "only while b uses more than its nominal quota of 0 cpu"
    assert f"  a can preempt b (any priority), {beyond}" in lines
    said = json.loads(tenure(*asked, "--victim", "b", "-o", "json").stdout)
    assert {cell["victim"]["clusterQueue"] for cell in said["cells"]} == {"b"}
    found = {reason["withinNominal"] for cell in said["cells"] for reason in cell["reasons"]}
    assert found == {"never"}
    for words, expected in (
        (("--victim", "c"), b"--victim: found 'c', expected a ClusterQueue: a, b"),
        (("--victim", "a", "--explain", "a", "b"), b"--victim, --preemptor: found '--svg or --explain'"),
    ):
        done = tenure(*asked, *words)
        assert (done.returncode, expected in done.stderr) == (2, True)


WORKLOADS = "".join(
    f"""---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Workload
metadata: {{name: w{priority}, namespace: x, uid: u{priority}, creationTimestamp: 2026-01-01T00:00:00Z}}
spec:
  queueName: to-a
  priority: {priority}
  podSets:
  - {{name: main, count: 1, template: {{spec: {{containers: []}}}}}}
"""
    for priority in (-10, 500)
)


@pytest.fixture(scope="module")
def dumped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with workloads, and no WorkloadPriorityClass."""
    path = tmp_path_factory.mktemp("dumped") / "dump.yaml"
    path.write_text(QUEUES + WORKLOADS, encoding="utf-8")
    return path


def test_levels_are_the_priorities_of_the_workloads(dumped: Path) -> None:
    said = json.loads(tenure("analyze", "matrix", str(dumped), *SMALL, "-o", "json").stdout)
    names = {cell["preemptor"]["priorityClass"] for cell in said["cells"]}
    assert names == {"-10", "500"}
    assert said["covers"].startswith("priorities -10, 500; they cover all others")


def test_a_cell_is_explained_by_numbers_and_by_queues_alone(dumped: Path) -> None:
    asked = "analyze", "matrix", str(dumped), *SMALL, "--explain"
    head = tenure(*asked, "b/-10", "a/500").stdout.decode().splitlines()[0]
    assert head == "b/-10 preempts a/500: never"
    head = tenure(*asked, "a/7", "a/-10").stdout.decode().splitlines()[0]
    assert head == "a/7 preempts a/-10: can"
    said = json.loads(tenure(*asked, "a", "b", "-o", "json").stdout)
    assert len(said["cells"]) == 4
    lines = tenure(*asked, "a", "a").stdout.decode().splitlines()
    heads = [line for line in lines if line.startswith("a/")]
    assert heads == [
        "a/500 preempts a/-10: can",
        "a/-10 preempts a/-10: never, as in 1 more with victims of equal priority",
        "a/-10 preempts a/500: never",
    ]
    heads = tenure(*asked, "a", "b").stdout.decode().splitlines()
    assert [line.partition(": ")[2] for line in heads if line.startswith("a/")] == [
        "can, as in 3 more with victims of lower, equal and higher priority"
    ]
    done = tenure(*asked, "a/99999999999", "b")
    assert b"--explain: found '99999999999', expected a priority: an int32" in done.stderr


def test_unchanged_files_are_answered_from_what_was_kept(
    queues: Path, answer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def asked(*_: Any) -> None:
        raise AssertionError("asked again")

    monkeypatch.setattr(answers, "_matrix", asked)
    again = tenure("analyze", "matrix", str(queues), *SMALL, "-o", "json")
    assert json.loads(again.stdout) == answer
    changed = ("--set", "clusterqueue/b.spec.preemption.reclaimWithinCohort=Any")
    done = tenure("analyze", "matrix", str(queues), *SMALL, *changed)
    assert (done.returncode, b"asked again" in done.stderr) == (3, True)


def test_one_cell_is_explained(queues: Path) -> None:
    done = tenure("analyze", "matrix", str(queues), *SMALL, "--explain", "b/high", "a/low")
    said = done.stdout.decode()
    assert (done.returncode, said.splitlines()[0]) == (0, "b/high preempts a/low: never")
    assert "proved for every state by Z3 and cvc5" in said
    assert "it can with a larger nominalQuota, of ClusterQueue/b" in said
    said = tenure("analyze", "matrix", str(queues), *SMALL, "--explain", "a/low", "b/high").stdout.decode()
    assert "InCohortReclamation: can, by " in said
    assert ": is preempted" in said
    assert "KQ-330  reclaimWithinCohort Any allows it" in said


LIMITED = "--set", "clusterqueue/b.spec.resourceGroups[0].flavors[0].resources[0].borrowingLimit=0"


def test_states_after_edits_are_a_scope_of_their_own(queues: Path) -> None:
    """ClusterQueue b has nothing and may not borrow: it uses what it had before its quota was lowered."""
    asked = "analyze", "matrix", str(queues), *SMALL, *LIMITED, "-o", "json"
    admitted, edited = (
        json.loads(tenure(*asked, "--scope", scope).stdout) for scope in ("consistent", "edited")
    )
    assert (admitted["scope"], edited["scope"]) == ("consistent", "edited")
    before, after = (
        {cell for cell, verdict in verdicts(said).items() if verdict == "can"} for said in (admitted, edited)
    )
    assert after - before == {("a", high, "b", low) for high in ("low", "high") for low in ("low", "high")}
    assert before < after
    assert "at no node less than zero is available" in admitted["premises"][0]
    assert "any amount may be in use" in edited["premises"][0]


def test_a_matrix_is_drawn_into_a_file(queues: Path, answer: Any, tmp_path: Path) -> None:
    drawn = tmp_path / "matrix.svg"
    done = tenure("analyze", "matrix", str(queues), *SMALL, "--svg", str(drawn), "-o", "json")
    assert json.loads(done.stdout) == answer
    assert drawn.read_text(encoding="utf-8").startswith("<svg ")
    for wrong in ("matrix.png", str(tmp_path / "none" / "matrix.svg")):
        done = tenure("analyze", "matrix", str(queues), "--svg", wrong)
        assert (done.returncode, b"--svg: found" in done.stderr) == (2, True)


@pytest.mark.parametrize("example", ["commons", "emergency", "fallback", "lender", "shared-cohort"])
def test_verdicts_are_the_same_whether_several_processes_find_them_or_one(example: str) -> None:
    # So few states that most cells are settled by solvers, and by copies of what those find.
    few = "--example", example, "--states", "5", "--no-cache", "-o", "json"
    one, two = (tenure("analyze", "matrix", *few, "-j", jobs) for jobs in ("1", "2"))
    assert (one.returncode, two.returncode) == (0, 0), two.stderr
    assert verdicts(json.loads(one.stdout)) == verdicts(json.loads(two.stdout))


def test_a_hero_may_preempt_what_runs_in_its_subtree_and_nothing_preempts_it(tmp_path: Path) -> None:
    hero = QUEUES.replace(
        "{reclaimWithinCohort: Any, withinClusterQueue: LowerPriority}", "{rules: UberClusterQueueRules}"
    )
    (tmp_path / "queues.yaml").write_text(hero, encoding="utf-8")
    done = tenure("analyze", "matrix", str(tmp_path), *SMALL, "-j", "1", "-o", "json")
    answer = json.loads(done.stdout)
    can = {key for key, verdict in verdicts(answer).items() if verdict == "can"}
    assert can == {("a", high, "b", low) for high in ("low", "high") for low in ("low", "high")}
    assert (done.returncode, answer["counts"]) == (0, {"never": 12, "can": 4, "unknown": 0})
    reasons = {
        (reason["reason"]) for cell in answer["cells"] for reason in cell["reasons"] if reason["example"]
    }
    assert reasons == {"UberCQPreemption"}
    immune = [cell["why"] for cell in answer["cells"] if cell["victim"]["clusterQueue"] == "a"]
    assert "UCQ-340: ClusterQueue/a is a hero, which ClusterQueue/b is not" in immune


def test_where_no_flavor_is_given_the_queues_count_as_active_as_they_do_for_decide(
    tmp_path: Path, queues: Path, answer: Any
) -> None:
    (tmp_path / "queues.yaml").write_text(QUEUES.split("---", 1)[1], encoding="utf-8")
    done = tenure("analyze", "matrix", str(tmp_path), *SMALL, "-j", "1", "-o", "json")
    assert json.loads(done.stdout)["cells"] == answer["cells"]
    assert b"no ResourceFlavor was given; Kueue needs those named" in done.stderr


def test_what_is_not_covered_is_not_known_and_ends_with_5(tmp_path: Path) -> None:
    (tmp_path / "queues.yaml").write_text(QUEUES + CLASSES.replace("value: 50", "value: 0"), encoding="utf-8")
    done = tenure("analyze", "matrix", str(tmp_path), *SMALL)
    said = done.stdout.decode()
    assert done.returncode == 5
    assert "not covered yet: priorities that grow with age, of WorkloadPriorityClass grows" in said
    assert " 0 can (an example exists), 0 never " in said


CLASSES = """
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: WorkloadPriorityClass
metadata: {name: grows}
value: 0
dynamicPriorityPolicy: {step: 40, max: 90, delayForStep: 1h}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: WorkloadPriorityClass
metadata: {name: stays}
value: 100
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: WorkloadPriorityClass
metadata: {name: between}
value: 50
"""


def test_a_class_that_grows_stands_for_all_priorities_that_it_comes_to(tmp_path: Path) -> None:
    (tmp_path / "queues.yaml").write_text(QUEUES + CLASSES, encoding="utf-8")
    done = tenure("analyze", "matrix", str(tmp_path), *SMALL, "-j", "1", "-o", "json")
    answer = json.loads(done.stdout)
    own = {key[1::2]: verdict for key, verdict in verdicts(answer).items() if key[::2] == ("a", "a")}
    assert {pair for pair, verdict in own.items() if verdict == "never"} == {
        *((name, name) for name in ("stays", "between")),
        ("grows", "stays"),
        ("between", "stays"),
    }
    assert (done.returncode, answer["counts"]["unknown"]) == (0, 0)
    cell = next(
        found
        for found in answer["cells"]
        if [side["priorityClass"] for side in (found["preemptor"], found["victim"])] == ["grows", "between"]
    )
    assert cell["reasons"][0]["example"]["jobCreatedAt"] is not None


def test_a_cell_that_does_not_exist_is_refused_by_name(queues: Path) -> None:
    done = tenure("analyze", "matrix", str(queues), *SMALL, "--explain", "a/none", "b/low")
    assert done.returncode == 2
    assert b"--explain: found 'a/none', expected QUEUE, QUEUE/CLASS or QUEUE/NUMBER: " in done.stderr
    assert b"ClusterQueues a, b; priorities low, high" in done.stderr


def test_the_answer_fits_its_schema(answer: Any) -> None:
    schema = json.loads(tenure("schema", "analyze-matrix").stdout)
    assert [error.message for error in Draft202012Validator(schema).iter_errors(answer)] == []


def test_files_without_queues_are_refused(tmp_path: Path) -> None:
    (tmp_path / "flavor.yaml").write_text(QUEUES.split("---")[0], encoding="utf-8")
    done = tenure("analyze", "matrix", str(tmp_path))
    assert done.returncode == 2
    assert b"paths: found 'no ClusterQueue', expected the ClusterQueues of a configuration" in done.stderr
