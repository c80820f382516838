"""`tenure analyze diff`: cells gained and lost, the fields that did it, examples, and what fails."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tenure_check.analysis import new_loops
from tenure_check.commands import analyze_diff_run
from tests.cli.test_analyze_matrix import LIMITED, ONE_CLASS, QUEUES
from tests.cli.test_edits import git
from tests.command_line import tenure

SMALL = "--states", "30"
LESS = "--set", "clusterqueue/a.spec.preemption.reclaimWithinCohort=LowerPriority"
OWN = "--set", "clusterqueue/b.spec.preemption.withinClusterQueue=LowerPriority"


ALONE = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {{name: f}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {{name: q}}
spec:
  preemption: {{withinClusterQueue: LowerOrNewerEqualPriority, withinClusterQueueConfig: {}}}
  resourceGroups:
  - coveredResources: [cpu]
    flavors: [{{name: f, resources: [{{name: cpu, nominalQuota: 4}}]}}]
"""
COHORT = """---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Cohort
metadata: {name: c}
spec:
  resourceGroups:
  - coveredResources: [cpu]
    flavors: [{name: f, resources: [{name: cpu, nominalQuota: 8}]}]
"""
CONFIGURATION = """---
apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
fairSharing: {{preemptionStrategies: [{}]}}
"""


@pytest.fixture(scope="module")
def queues(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two ClusterQueues: one owns everything, the other borrows."""
    path = tmp_path_factory.mktemp("queues") / "queues.yaml"
    path.write_text(QUEUES, encoding="utf-8")
    return path


def changed(path: Path, old: str, new: str) -> Path:
    """The file with one line otherwise, beside it."""
    assert QUEUES.count(old) == 1
    after = path.with_name("after.yaml")
    after.write_text(QUEUES.replace(old, new), encoding="utf-8")
    return after


def answered(*arguments: object, code: int = 0) -> Any:
    done = tenure("analyze", "diff", *map(str, arguments), *SMALL, "-o", "json")
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout)


def names(cell: Any) -> tuple[str, ...]:
    return tuple(
        side[field]
        for side in (cell["preemptor"], cell["victim"])
        for field in ("clusterQueue", "priorityClass")
    )


@pytest.fixture(scope="module")
def lost(queues: Path) -> Any:
    """What is said of two changes of which one has an effect."""
    return answered(queues, *LESS, *OWN)


def test_lost_cells_name_the_one_field_that_did_it_with_its_line(queues: Path, lost: Any) -> None:
    cells = {"gained": 0, "lost": 3, "reasons": 0, "unknown": 0, "same": 13}
    assert lost["counts"] == {**cells, "guaranteesGained": 0, "guaranteesLost": 0}
    pairs = {("low", "low"), ("low", "high"), ("high", "high")}
    assert {names(cell) for cell in lost["cells"]} == {("a", high, "b", low) for high, low in pairs}
    field = "ClusterQueue/a spec.preemption.reclaimWithinCohort"
    assert all(cell["fields"] == [field] and not cell["together"] for cell in lost["cells"])
    changes = {f"{change['object']} {change['field']}": change for change in lost["changedFields"]}
    assert len(changes) == 2
    line = QUEUES.splitlines()[changes[field]["line"] - 1]
    assert "reclaimWithinCohort: Any" in line
    assert changes[field]["file"] == str(queues)


def test_the_example_is_decided_otherwise_and_is_the_smallest(lost: Any) -> None:
    assert lost["looked"] < 60
    for cell in lost["cells"]:
        example = cell["example"]
        (running,) = example["state"]["running"]
        assert (example["before"], example["after"]) == ("Preempt", "NoCandidates")
        assert example["preemptedBefore"] == [
            {"workload": running["workload"], "reason": "InCohortReclamation"}
        ]
        assert example["preemptedAfter"] == []


def test_a_revision_that_allows_more_gains_cells_and_fails(tmp_path: Path) -> None:
    folder = tmp_path / "queues"
    folder.mkdir()
    git(tmp_path, "init", "-b", "main")
    for policy in ("Never", "Any"):
        text = QUEUES.replace("reclaimWithinCohort: Any", f"reclaimWithinCohort: {policy}") + ONE_CLASS
        (folder / "all.yaml").write_text(text, encoding="utf-8")
        git(tmp_path, "add", "queues")
        git(tmp_path, "commit", "-m", policy)
    asked = "main~1:queues/..HEAD:queues/", "-o", "markdown"
    done = tenure("analyze", "diff", *asked, *SMALL, cwd=tmp_path)
    said = done.stdout.decode()
    assert done.returncode == 0, done.stderr
    claim = "- `a` may preempt `b`, for InCohortReclamation (before: never), at priorities only over only"
    assert claim in said
    field = "`ClusterQueue/a spec.preemption.reclaimWithinCohort`: `'Never'` before, `'Any'` after"
    assert f"- by {field} (`HEAD:queues/all.yaml:11`)" in said
    assert "- after: Preempt, preempts x/w0 InCohortReclamation" in said


def test_a_pull_request_has_one_verdict_within_a_screen(queues: Path) -> None:
    """It names the pair that is new, the smallest example and the line, and nothing that does not fail."""
    before = changed(queues, "reclaimWithinCohort: Any", "reclaimWithinCohort: LowerPriority")
    asked = before, queues, "--fail-on", "new-preemption, lost-guarantee"
    failures = {"new-preemption": 1, "lost-guarantee": 0}
    verdict = {"result": "FAIL", "failures": failures, "loops": [], "baseline": []}
    assert answered(*asked, *OWN, code=1)["verdict"] == verdict
    done = tenure("analyze", "diff", *map(str, asked), *OWN, *SMALL)
    said = done.stdout.decode()
    assert done.returncode == 1, done.stderr
    assert said.startswith("FAIL: a can now preempt b\n")
    assert "spec.preemption.reclaimWithinCohort: 'LowerPriority' before, 'Any' after" in said
    assert f"({queues}:" in said
    assert "smallest example" in said
    assert "Changed fields" not in said, "what does not fail is left out"
    assert len(said.splitlines()) <= 24
    back = tenure("analyze", "diff", *map(str, (queues, before, *asked[2:])), *SMALL)
    assert back.returncode == 0, back.stderr
    assert back.stdout.startswith(b"PASS: no new preemption, no lost guarantee\n")


def test_a_loop_is_new_where_none_was_before(tmp_path: Path) -> None:
    """As KEP-8522 is written, a minAdmitDuration lets equals preempt each other for ever."""
    for side, config in (("before", "{}"), ("after", "{minAdmitDuration: 4h}")):
        (tmp_path / f"{side}.yaml").write_text(ALONE.format(config), encoding="utf-8")
    asked = "before.yaml", "after.yaml", *SMALL, "--reading", "as-written", "--fail-on", "new-loop"
    done = tenure("analyze", "diff", *asked, cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    said = done.stdout.decode()
    assert said.startswith("FAIL: workloads of q can now preempt each other for ever\n")
    assert "this loop ends without any one of these fields:" in said
    assert "minAdmitDuration: '4h' (after.yaml:" in said
    assert len(said.splitlines()) <= 24
    back = tenure("analyze", "diff", asked[1], asked[0], *asked[2:], cwd=tmp_path)
    assert (back.returncode, back.stdout.splitlines()[0]) == (0, b"PASS: no new loop")


def test_a_loop_that_was_there_before_is_not_new(tmp_path: Path) -> None:
    for side, hours in (("before", 4), ("after", 5)):
        text = ALONE.format(f"{{minAdmitDuration: {hours}h}}")
        (tmp_path / f"{side}.yaml").write_text(text, encoding="utf-8")
    asked = "before.yaml", "after.yaml", *SMALL, "--reading", "as-written", "--fail-on", "new-loop"
    done = tenure("analyze", "diff", *asked, cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    assert done.stdout.startswith(b"PASS: no new loop\n")


def test_theorems_that_do_not_apply_any_more_make_the_verdict_not_known(
    queues: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing was found in no time at all; the fields that theorems exclude are listed."""
    monkeypatch.setattr(new_loops, "WITHIN_S", 1e-9)
    peaceful = re.sub(r"(ithinC\w+): \w+Priority|(ithinCohort): Any", r"\1\2: Never", QUEUES)
    before = queues.with_name("peaceful.yaml")
    before.write_text(peaceful, encoding="utf-8")
    done = tenure("analyze", "diff", str(before), str(queues), *SMALL, "--fail-on", "new-loop")
    said = done.stdout.decode()
    assert done.returncode == 5, said
    assert said.startswith("not known: no new loop was found, but theorems excluded loops before")
    assert "ClusterQueue/a spec.preemption.reclaimWithinCohort: Any (" in said


@pytest.mark.parametrize(("kinds", "found"), [("new-preemption,gained", "gained"), ("", "")])
def test_an_unknown_kind_of_failure_is_refused_with_the_known_ones(
    kinds: str, found: str, queues: Path
) -> None:
    """None at all is unknown, too: a variable that is not set must not switch a gate off."""
    done = tenure("analyze", "diff", str(queues), *LESS, "--fail-on", kinds)
    assert done.returncode == 2
    known = "new-preemption, lost-guarantee, lost-preemption, new-loop, any"
    message = f"error: --fail-on: found '{found}', expected one or several of {known}, with commas"
    assert message in done.stderr.decode().splitlines()


def test_a_limit_takes_nothing_from_states_after_edits(tmp_path: Path) -> None:
    """Of consistent states a cell is lost: b, which owns nothing, cannot borrow any more."""
    path = tmp_path / "queues.yaml"
    path.write_text(QUEUES + ONE_CLASS, encoding="utf-8")
    said = answered(path, *LIMITED, "--scope", "edited")
    assert (said["scope"], said["counts"]["lost"], said["counts"]["same"]) == ("edited", 0, 4)
    assert (said["example"]["before"], said["example"]["after"]) == ("Fit", "NoFit")


def test_lost_cells_are_claimed_of_no_other_priorities(queues: Path, lost: Any) -> None:
    """Cells of a high over a low priority can after too."""
    assert len(lost["cells"]) == 3
    done = tenure("analyze", "diff", str(queues), *LESS, *OWN, *SMALL, "-o", "markdown")
    (claim,) = (line for line in done.stdout.decode().splitlines() if "may not preempt" in line)
    assert claim.startswith("- `a` may not preempt `b` any more, for InCohortReclamation")
    assert claim.endswith(", at priorities low over low, low over high, high over high")


@pytest.mark.parametrize(
    ("failing", "code"),
    [("new-preemption", 0), ("lost-guarantee", 0), ("new-preemption,lost-preemption", 1), ("any", 1)],
)
def test_only_what_is_named_fails(queues: Path, lost: Any, failing: str, code: int) -> None:
    assert lost["counts"]["lost"]
    done = tenure("analyze", "diff", str(queues), *LESS, *OWN, *SMALL, "--fail-on", failing)
    assert done.returncode == code, done.stderr


def test_a_decision_may_change_though_no_cell_does(tmp_path: Path) -> None:
    """A strategy of fair sharing: of both ClusterQueues all cells that can be are there with either."""
    text = QUEUES.replace("nominalQuota: 0", "nominalQuota: 4") + COHORT
    for side, second in (("before", ", LessThanInitialShare"), ("after", "")):
        config = CONFIGURATION.format(f"LessThanOrEqualToFinalShare{second}")
        (tmp_path / f"{side}.yaml").write_text(text + config, encoding="utf-8")
    asked = "before.yaml", "after.yaml", *SMALL, "--fail-on", "any"
    done = tenure("analyze", "diff", *asked, "-o", "json", cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    answer = json.loads(done.stdout)
    assert answer["cells"] == []
    assert answer["changedFields"][0]["field"] == "fairSharing.preemptionStrategies"
    example = answer["example"]
    assert (example["before"], example["after"]) == ("Preempt", "NoCandidates")
    assert [victim["reason"] for victim in example["preemptedBefore"]] == ["InCohortFairSharing"]
    done = tenure("analyze", "diff", *asked[:-2], cwd=tmp_path)
    assert b"None of 16 cells changes, but decisions do." in done.stdout
    assert b"Smallest state found that is decided otherwise" in done.stdout
    done = tenure("analyze", "diff", *asked, cwd=tmp_path)
    assert done.stdout.startswith(b"FAIL: decisions change, though no pair of ClusterQueues does\n")
    assert b"Smallest state found that is decided otherwise" in done.stdout


def test_a_guarantee_is_lost_where_a_duration_is_shorter(tmp_path: Path) -> None:
    for side, hours in (("before", 4), ("after", 1)):
        config = f"{{minAdmitDuration: {hours}h}}"
        (tmp_path / f"{side}.yaml").write_text(ALONE.format(config), encoding="utf-8")
    asked = "before.yaml", "after.yaml", *SMALL, "--nominal", "--fail-on", "lost-guarantee"
    done = tenure("analyze", "diff", *asked, "-o", "json", cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    answer = json.loads(done.stdout)
    assert (answer["cells"], answer["counts"]["guaranteesLost"]) == ([], 2)
    for lost in answer["guarantees"]:
        assert (lost["about"], lost["before"], lost["after"]) == ("minAdmitDuration", "4h", "1h")
        assert lost["reason"] == "InClusterQueueTimeBased"
        assert lost["fields"] == [
            answer["changedFields"][0]["object"] + " " + answer["changedFields"][0]["field"]
        ]
        (running,) = lost["example"]["state"]["running"]
        age = lost["example"]["state"]["now"], running["quotaReservedAt"]
        assert age == ("2026-01-05T12:00:00Z", "2026-01-05T10:59:00Z")
        assert (lost["example"]["before"], lost["example"]["after"]) == ("NoCandidates", "Preempt")
    said = tenure("analyze", "diff", *asked, cwd=tmp_path).stdout.decode()
    assert said.startswith("FAIL: q can preempt q sooner than before: after 1h, not 4h\n")
    done = tenure("analyze", "diff", *asked[:-2], "-o", "markdown", cwd=tmp_path)
    said = done.stdout.decode()
    claim = "- workloads of `q` keep 1h from `q`, and kept 4h, for InClusterQueueTimeBased, at priorities "
    assert f"{claim}low over low, high over high" in said.splitlines()


def test_what_no_decision_asks_for_needs_no_search(queues: Path) -> None:
    answer = answered(queues, "--set", "clusterqueue/a.spec.queueingStrategy=StrictFIFO")
    assert len(answer["changedFields"]) == 1
    assert (answer["cells"], answer["looked"], answer["counts"]["same"]) == ([], 0, 16)


def test_a_queue_that_comes_in_has_gained_its_cells(tmp_path: Path) -> None:
    first, _, second = QUEUES.rpartition("---")
    before, after = (tmp_path / f"{side}.yaml" for side in ("before", "after"))
    before.write_text(first + ONE_CLASS, encoding="utf-8")
    after.write_text(QUEUES + ONE_CLASS, encoding="utf-8")
    assert "name: b" in second
    answer = answered(before, after)
    gained = {names(cell) for cell in answer["cells"] if cell["before"] == "absent"}
    assert ("a", "only", "b", "only") in gained
    assert {cell["change"] for cell in answer["cells"]} == {"gained"}
    assert all(cell["example"]["before"] == "out of scope" for cell in answer["cells"])


def test_unchanged_files_are_answered_from_what_was_kept(
    queues: Path, lost: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def asked(*_: Any) -> None:
        raise AssertionError("asked again")

    monkeypatch.setattr(analyze_diff_run, "with_solvers", asked)
    assert answered(queues, *LESS, *OWN) == lost


def test_the_difference_fits_its_schema(lost: Any) -> None:
    schema = json.loads(tenure("schema", "analyze-diff").stdout)
    assert [error.message for error in Draft202012Validator(schema).iter_errors(lost)] == []


def test_one_side_alone_is_refused(queues: Path) -> None:
    done = tenure("analyze", "diff", str(queues))
    assert done.returncode == 2
    assert b"AFTER: found nothing, expected AFTER, or a change of BEFORE" in done.stderr
