"""What files assert of every state: what holds, what fails and by which field, exceptions, exit codes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import z3
from jsonschema import Draft202012Validator

from tenure.api import load
from tenure.cli.bundled import schema
from tenure.readings import preset
from tenure_check.analysis import answer_cache as kept
from tenure_check.analysis import nominal_quota, solved_cells
from tenure_check.analysis.matrix import Effort, trees_of
from tenure_check.analysis.nominal_quota_proof import ServedQueue
from tenure_check.expectations import CheckResult, Status, all_states, load_documents, run
from tenure_proofs.budgets import CLOCK
from tests.cikit.repository import SAMPLE, assert_states, break_protection, sample
from tests.command_line import tenure
from tests.tenure_check.test_loops import FAIR, queue
from tools import libyaml

QUEUES = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: f}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: prod}
spec:
  cohortName: c
  preemption:
    reclaimWithinCohort: Any
  resourceGroups:
  - coveredResources: [cpu]
    flavors: [{name: f, resources: [{name: cpu, nominalQuota: 4}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: batch}
spec:
  cohortName: c
  preemption:
    reclaimWithinCohort: LowerPriority
  resourceGroups:
  - coveredResources: [cpu]
    flavors: [{name: f, resources: [{name: cpu, nominalQuota: 2}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: WorkloadPriorityClass
metadata: {name: high}
value: 100
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: WorkloadPriorityClass
metadata: {name: low}
value: 10
"""
SAFE = {"preemptor": {"clusterQueue": "batch"}, "victim": {"clusterQueue": "prod", "priorityClass": "high"}}
UNSAFE = {"preemptor": {"clusterQueue": "batch"}, "victim": {"clusterQueue": "prod"}}
LINE = 1 + QUEUES.splitlines().index("    reclaimWithinCohort: LowerPriority")
ASSERTED = {
    "manifests": ["queues.yaml"],
    "never": [SAFE, UNSAFE],
    "reaches": [
        {"clusterQueue": "prod", "nominal": True},
        {
            "clusterQueue": "batch",
            "nominal": True,
            "except": {"reason": "prod goes first", "until": "2999-12-31"},
        },
    ],
}


@pytest.fixture(scope="module", autouse=True)
def _little_effort(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Few random states, and a store of their own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(all_states, "EFFORT", Effort(fewest=30, most=150))
        patch.setattr(nominal_quota, "STATES", 40)
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("kept")))
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two ClusterQueues, and what is asserted of them."""
    made = tmp_path_factory.mktemp("asserted")
    (made / "queues.yaml").write_text(QUEUES, encoding="utf-8")
    (made / "states.tenure.yaml").write_text(libyaml.dump(ASSERTED), encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def answer(folder: Path) -> Any:
    """What is said of them, with every report beside it."""
    reports = [part for form in ("junit", "sarif", "github") for part in ("--report", f"{form}={form}")]
    done = tenure("analyze", "check", ".", *reports, "-o", "json", cwd=folder)
    assert done.returncode == 1, done.stderr.decode()
    return json.loads(done.stdout)


def results(folder: Path, **asserted: Any) -> list[CheckResult]:
    """What comes of a document about these ClusterQueues, or about others."""
    file = folder / "other.tenure.yaml"
    file.write_text(libyaml.dump({"manifests": ["queues.yaml"], **asserted}), encoding="utf-8")
    found = [checked.result for checked in run(load_documents(file))]
    file.unlink()
    return found


def test_what_is_proved_holds_and_what_is_not_so_fails(answer: Any) -> None:
    found = {known["field"]: known["status"] for known in answer["expectations"]}
    assert found == {
        "never[0]": "holds",
        "never[1]": "fails",
        "reaches[0]": "holds",
        "reaches[1]": "excepted",
    }
    assert answer["expectations"][0]["found"] == "proved for every state by Z3 and cvc5"
    assert answer["expectations"][1]["found"] == "batch at priority high can preempt prod at priority low"
    assert [error.message for error in Draft202012Validator(schema("test")).iter_errors(answer)] == []


def test_a_failure_is_a_sentence_with_the_line_that_expects_otherwise(answer: Any, folder: Path) -> None:
    del answer
    lines = (folder / "states.tenure.yaml").read_text(encoding="utf-8").splitlines()
    first = lines.index("- preemptor:")
    line = lines.index("- preemptor:", first + 1) + 1
    done = tenure("analyze", "check", "states.tenure.yaml", cwd=folder)
    (failed,) = [text for text in done.stdout.decode().splitlines() if "FAIL" in text]
    sentence = "batch at priority high can preempt prod at priority low"
    assert f": {sentence}; states.tenure.yaml:{line} expects never" in failed


def test_an_assertion_may_be_about_states_after_edits(folder: Path) -> None:
    """ClusterQueue batch lends nothing and borrows nothing: only edits leave it with more than its quota."""
    limits = "nominalQuota: 2, borrowingLimit: 0, lendingLimit: 0"
    (folder / "alone.yaml").write_text(QUEUES.replace("nominalQuota: 2", limits), encoding="utf-8")
    asserted = {"preemptor": {"clusterQueue": "prod"}, "victim": {"clusterQueue": "batch"}}
    after = {**asserted, "scope": "edited"}
    kept = {"clusterQueue": "batch", "for": "1h", "scope": "edited"}
    answered = results(folder, manifests=["alone.yaml"], never=[asserted, after], keeps=[kept])
    assert [result.status for result in answered] == [Status.HOLDS, Status.FAILS, Status.FAILS]
    (folder / "alone.yaml").unlink()


def test_a_failure_names_the_line_of_the_field_that_allows_it(answer: Any, folder: Path) -> None:
    first = answer["expectations"][1]["allowedBy"][0]
    assert first == {
        "object": "ClusterQueue/batch",
        "field": "spec.preemption.reclaimWithinCohort",
        "file": "queues.yaml",
        "line": LINE,
        "value": "LowerPriority",
    }
    (result,) = json.loads((folder / "sarif").read_text(encoding="utf-8"))["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("queues.yaml", LINE)
    last = result["relatedLocations"][-1]["physicalLocation"]["artifactLocation"]["uri"]
    assert (result["ruleId"], last) == ("expectation", "states.tenure.yaml")
    annotations = (folder / "github").read_text(encoding="utf-8").splitlines()
    assert annotations[0].startswith(f"::error file=queues.yaml,line={LINE},title=workloads of batch never")
    assert annotations[-1].endswith("check: 4 expectations, 1 fail, 1 excepted; scope consistent")


def test_junit_says_why_something_is_excepted(answer: Any, folder: Path) -> None:
    del answer
    cases = ET.parse(folder / "junit").getroot().findall(".//testcase")
    assert [len(case.findall("failure")) for case in cases] == [0, 1, 0, 0]
    said = cases[3].findtext("system-out") or ""
    assert "exception until 2999-12-31: prod goes first" in said


def test_unchanged_files_are_answered_from_what_was_kept(
    answer: Any, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By `tenure test` too; lines are read again, so a comment asks nothing anew."""
    for name in ("queues.yaml", "states.tenure.yaml"):
        (tmp_path / name).write_bytes(b"# moved\n" + (folder / name).read_bytes())

    def refuse(name: str) -> None:
        raise AssertionError(name)

    monkeypatch.setattr(kept, "need_the_solvers", partial(refuse, "solvers"))
    monkeypatch.setattr(solved_cells, "need_the_solvers", partial(refuse, "solvers"))
    monkeypatch.setattr(all_states, "unreached_state", partial(refuse, "states"))
    done = tenure("test", ".", "-o", "json", cwd=tmp_path)
    again = json.loads(done.stdout)
    first, second = (known["expectations"][1] for known in (answer, again))
    assert [known["status"] for known in again["expectations"]] == [
        known["status"] for known in answer["expectations"]
    ]
    assert second["allowedBy"][0]["line"] == first["allowedBy"][0]["line"] + 1
    states = [[line for line in known["why"] if "allowed by" not in line] for known in (first, second)]
    assert states[0] == states[1]
    asked = tenure("analyze", "check", ".", "--no-cache", cwd=tmp_path)
    assert (asked.returncode, b"internal error" in asked.stderr) == (3, True)


def test_what_the_clock_has_ended_is_not_kept() -> None:
    store, known = kept.AnswerCache(CheckResult, wanted=True), CheckResult(Status.HOLDS, "never", "proved")
    for key, result in (("a" * 64, known), ("b" * 64, CheckResult(Status.UNKNOWN, "never", CLOCK))):
        assert store.once(key, lambda result=result: result) == result  # type: ignore[misc]
    assert store.once("c" * 64, lambda: known, lambda _: False) == known
    assert [store.found(name * 64) for name in "abc"] == [known, None, None]


def test_an_exception_ends_and_is_called_for_where_it_is_not_needed(folder: Path) -> None:
    past = {"reason": "for a while", "until": "2020-01-01"}
    still = {"reason": "for a while", "until": "2999-12-31T00:00:00Z"}
    ended, needless = results(folder, never=[{**UNSAFE, "except": past}, {**SAFE, "except": still}])
    assert (ended.status, ended.lines[0]) == (
        Status.FAILS,
        "no longer in force: exception until 2020-01-01: for a while",
    )
    assert needless.status == Status.HOLDS
    assert needless.warnings[0].endswith(
        "it holds without its exception until 2999-12-31T00:00:00Z: for a while"
    )


def test_what_is_kept_for_a_time_is_told_by_the_age_of_a_victim(tmp_path: Path) -> None:
    (tmp_path / "queues.yaml").write_bytes((SAMPLE / "queues" / "gpu.yaml").read_bytes())
    kept = {"clusterQueue": "gpu", "for": "4h"}
    equals, all_others, longer = results(
        tmp_path,
        keeps=[{**kept, "against": "equals"}, kept, {**kept, "for": "4h1ns", "against": "equals"}],
    )
    assert (equals.status, equals.found) == (Status.HOLDS, "proved for every state by Z3 and cvc5")
    assert all_others.status == Status.FAILS
    assert longer.status == Status.FAILS
    assert longer.allowed_by[0].object == "ClusterQueue/gpu"
    assert any("InClusterQueueTimeBased" in line for line in longer.lines)


def test_the_sample_is_green_and_red_at_the_line_of_the_field_that_allows_it(tmp_path: Path) -> None:
    repository = sample(tmp_path)
    assert_states(repository)
    reports = [part for form in ("sarif", "github") for part in ("--report", f"{form}={form}")]
    green = tenure("analyze", "check", ".", *reports, cwd=repository)
    assert green.returncode == 0, green.stdout.decode()
    assert "check: 3 expectations, 0 fail" in green.stdout.decode()
    assert (repository / "github").read_text(encoding="utf-8").startswith("::notice")
    line = break_protection(repository)
    red = tenure("analyze", "check", ".", *reports, cwd=repository)
    assert red.returncode == 1, red.stdout.decode()
    (annotation,) = [
        line
        for line in (repository / "github").read_text(encoding="utf-8").splitlines()
        if line.startswith("::error")
    ]
    assert annotation.startswith(f"::error file=queues/gpu.yaml,line={line},title=workloads of gpu keep 4h")
    (log,) = json.loads((repository / "sarif").read_text(encoding="utf-8"))["runs"]
    (result,) = log["results"]
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == line


def test_a_loop_is_told_with_the_fields_that_it_needs(tmp_path: Path) -> None:
    policy = {"reclaimWithinCohort": "Any", "withinClusterQueue": "LowerPriority"}
    classes = [
        {
            "apiVersion": "kueue.x-k8s.io/v1beta2",
            "kind": "WorkloadPriorityClass",
            "metadata": {"name": name},
            "value": value,
        }
        for name, value in (("low", 0), ("high", 100))
    ]
    flavor, *_ = libyaml.load_all(QUEUES.replace("{name: f}", "{name: default}"))
    objects = [FAIR, flavor, *classes, queue("a", 0, **policy), queue("b", 0, **policy), queue("lender", 4)]
    (tmp_path / "queues.yaml").write_text(libyaml.dump_all(objects, sort_keys=False), encoding="utf-8")
    three, short = (
        result
        for bounds in ({}, {"upTo": 9, "within": "1ns"})
        for result in results(tmp_path, noLoop={"evictions": ["5s"], **bounds})
    )
    assert (three.status, short.status) == (Status.FAILS, Status.UNKNOWN)
    assert short.found.endswith("not all was simulated")
    lines = (tmp_path / "queues.yaml").read_text(encoding="utf-8").splitlines()
    named = {lines[field.line - 1].strip() for field in three.allowed_by if field.line}
    assert "withinClusterQueue: LowerPriority" in named


def test_where_theorems_exclude_loops_they_are_named(tmp_path: Path) -> None:
    flavor, *_ = libyaml.load_all(QUEUES.replace("{name: f}", "{name: default}"))
    objects = [flavor, queue("a", 4, reclaimWithinCohort="Any", withinClusterQueue="LowerPriority")]
    (tmp_path / "queues.yaml").write_text(libyaml.dump_all(objects), encoding="utf-8")
    (result,) = results(tmp_path, noLoop={})
    assert result.status == Status.HOLDS
    assert result.found == "none of any number of workloads, by PO-ANY-340, PO-ANY-350"


@pytest.mark.parametrize(
    ("stopped", "found", "field"),
    [
        ("prod", "prod is inactive: spec.stopPolicy is Hold", "spec.stopPolicy"),
        (
            "batch",
            "a request of prod within its nominal quota ends in NoCandidates",
            "spec.preemption.reclaimWithinCohort",
        ),
    ],
)
def test_a_stopped_queue_reaches_nothing_and_may_hold_what_others_own(
    stopped: str, found: str, field: str, tmp_path: Path
) -> None:
    name = f"metadata: {{name: {stopped}}}\nspec:\n"
    text = QUEUES.replace(name, f"{name}  stopPolicy: Hold\n")
    (tmp_path / "queues.yaml").write_text(text, encoding="utf-8")
    (result,) = results(tmp_path, reaches={"clusterQueue": "prod", "nominal": True})
    assert (result.status, result.found) == (Status.FAILS, found)
    assert result.allowed_by[0].field == field


def test_what_is_not_covered_is_not_known_and_ends_with_5(folder: Path, tmp_path: Path) -> None:
    said = {
        "manifests": ["queues.yaml", FAIR],
        "reaches": {"clusterQueue": "prod", "nominal": True},
    }
    (tmp_path / "queues.yaml").write_bytes((folder / "queues.yaml").read_bytes())
    (tmp_path / "a.tenure.yaml").write_text(libyaml.dump(said), encoding="utf-8")
    done = tenure("test", "a.tenure.yaml", "--report", "sarif=sarif", cwd=tmp_path)
    assert done.returncode == 5, done.stdout.decode()
    assert "  ?    workloads of prod always reach its nominal quota" in done.stdout.decode()
    (sarif,) = json.loads((tmp_path / "sarif").read_text(encoding="utf-8"))["runs"]
    assert sarif["results"][0]["ruleId"] == "not-known"
    assert sarif["invocations"] == [{"executionSuccessful": False}]


@pytest.mark.parametrize(
    ("asserted", "said"),
    [
        (
            {"never": {"preemptor": {"clusterQueue": "bach"}, "victim": {}}},
            "never[0].preemptor.clusterQueue: found bach, expected one of batch, prod; did you mean batch?",
        ),
        (
            {"never": {"preemptor": {}, "victim": {"priorityClass": "mid"}}},
            "never[0].victim.priorityClass: found mid, expected one of low, high",
        ),
        ({"reaches": {"clusterQueue": "c", "nominal": True}}, "reaches[0].clusterQueue: found c"),
    ],
)
def test_a_name_that_is_not_there_is_an_error_of_its_field(
    asserted: dict[str, Any], said: str, folder: Path
) -> None:
    (result,) = results(folder, **asserted)
    assert result.status == Status.ERROR
    assert said in result.found


def test_the_end_of_an_exception_is_a_day_or_an_instant(folder: Path) -> None:
    (folder / "bad.tenure.yaml").write_text(
        libyaml.dump({**ASSERTED, "never": {**SAFE, "except": {"reason": "r", "until": "soon"}}}),
        encoding="utf-8",
    )
    done = tenure("analyze", "check", "bad.tenure.yaml", cwd=folder)
    (folder / "bad.tenure.yaml").unlink()
    assert done.returncode == 2
    assert b"never[0].except.until: found soon, expected a day, as 2027-01-31, or an instant" in done.stderr


def test_files_that_assert_nothing_of_every_state_are_refused(tmp_path: Path) -> None:
    said = {"manifests": [], "validate": "valid"}
    (tmp_path / "a.tenure.yaml").write_text(libyaml.dump(said), encoding="utf-8")
    done = tenure("analyze", "check", "a.tenure.yaml", cwd=tmp_path)
    assert done.returncode == 2
    assert b"found 'nothing that is asserted of every state', expected one of never, keeps" in done.stderr


@pytest.fixture(scope="module")
def served(folder: Path) -> ServedQueue:
    """A ClusterQueue that reclaims from any."""
    cluster = load(folder / "queues.yaml").cluster
    (tree,) = trees_of(cluster)
    return ServedQueue(cluster, tree, "prod", preset("guaranteed"))


def said_without(asked: ServedQueue, *left_out: str) -> str:
    """What Z3 says of a question without some of its facts."""
    parts: dict[str, Iterator[z3.BoolRef]] = {
        "within": asked._within_nominal(),
        "nothing left": asked._nothing_left(),
        "states": asked._of_all_states(),
        "not served": iter([asked._not_served()]),
    }
    solver = z3.SolverFor("QF_LIA")
    facts = [fact for name, part in parts.items() if name not in left_out for fact in part]
    solver.add(*facts, *asked.definitions)
    return str(solver.check())


@pytest.mark.parametrize(
    ("left_out", "said"),
    [((), "unsat"), (("not served",), "sat"), (("nothing left",), "sat"), (("within",), "sat")],
)
def test_what_is_reached_is_proved_of_something_and_needs_each_premise(
    left_out: tuple[str, ...], said: str, served: ServedQueue
) -> None:
    assert said_without(served, *left_out) == said
