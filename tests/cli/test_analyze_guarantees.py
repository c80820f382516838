"""`tenure analyze guarantees`: at once, after minAdmitDuration, never; only above nominal quota or not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tenure_check import answers
from tenure_check.analysis.guarantees import NarrowCell, Narrowing
from tenure_check.analysis.matrix import CellResult
from tenure_check.analysis.prover import SolverProver
from tests.cli.test_analyze_matrix import CLASSES, LIMITED, ONE_CLASS, QUEUES
from tests.command_line import tenure

SMALL = "--states", "30"

TIMED = QUEUES.replace(
    "withinClusterQueue: LowerPriority}",
    "withinClusterQueue: LowerOrNewerEqualPriority, withinClusterQueueConfig: {minAdmitDuration: 4h}}",
)


@pytest.fixture(scope="module")
def queues(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An owner with minAdmitDuration, which reclaims, and a borrower without quota of its own."""
    path = tmp_path_factory.mktemp("queues") / "queues.yaml"
    path.write_text(TIMED, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def asked_of_solvers() -> list[NarrowCell]:
    """What was asked of solvers for `answer`."""
    return []


@pytest.fixture(scope="module")
def answer(queues: Path, asked_of_solvers: list[NarrowCell]) -> Any:
    """What is said of them."""
    narrowed = SolverProver.narrowed

    def noted(prover: SolverProver, asked: NarrowCell) -> CellResult:
        asked_of_solvers.append(asked)
        return narrowed(prover, asked)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SolverProver, "narrowed", noted)
        done = tenure("analyze", "guarantees", str(queues), *SMALL, "-o", "json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def guarded(answer: Any, queue: str, level: str) -> Any:
    wanted = (queue, level)
    return next(
        found
        for found in answer["cells"]
        if (found["workloads"]["clusterQueue"], found["workloads"]["priorityClass"]) == wanted
    )


def attackers(found: Any) -> dict[tuple[str, str, str], tuple[str, str | None, str]]:
    return {
        (known["preemptor"]["clusterQueue"], known["preemptor"]["priorityClass"], known["reason"]): (
            known["when"],
            known["longerThan"],
            known["withinNominal"],
        )
        for known in found["attackers"]
    }


def test_equals_wait_for_the_duration_and_higher_priorities_do_not(answer: Any) -> None:
    found = guarded(answer, "a", "low")
    assert attackers(found) == {
        ("a", "low", "InClusterQueueTimeBased"): ("after", "4h", "can"),
        ("a", "high", "InClusterQueue"): ("at once", None, "can"),
    }
    assert found["minAdmitDuration"] == "4h"
    assert [side["clusterQueue"] for side in found["neverBy"]] == ["b", "b"]
    assert found["sentences"][0].startswith("keeps 4h from equals (low) of its own ClusterQueue")


def test_a_borrower_is_preempted_at_once_and_only_above_its_nominal_quota(answer: Any) -> None:
    for level in ("low", "high"):
        found = attackers(guarded(answer, "b", level))
        assert found.keys() == {("a", high, "InCohortReclamation") for high in ("low", "high")}
        assert set(found.values()) == {("at once", None, "never")}


def test_a_row_has_what_a_queue_always_gets_and_whom_it_may_lose_quota_to(answer: Any) -> None:
    """The owner reclaims from any priority; the borrower has no quota of its own."""
    owner, borrower = answer["queues"]
    assert (owner["clusterQueue"], owner["alwaysGets"], owner["back"]) == ("a", owner["nominal"], "at once")
    assert owner["mayLoseTo"] == ["its own (higher priority, equal priority after 4h)"]
    assert owner["mayLoseBorrowedTo"] == []
    assert (borrower["mayLoseTo"], borrower["mayLoseBorrowedTo"]) == ([], ["a (any priority)"])


def test_an_owner_that_reclaims_from_lower_priorities_keeps_what_it_never_lends(tmp_path: Path) -> None:
    path = tmp_path / "queues.yaml"
    lending = "spec.resourceGroups[0].flavors[0].resources[0].lendingLimit=1"
    path.write_text(TIMED, encoding="utf-8")
    edits = (f"clusterqueue/a.{lending}", "clusterqueue/a.spec.preemption.reclaimWithinCohort=LowerPriority")
    words = ("analyze", "guarantees", str(path), *SMALL, *(f"--set={edit}" for edit in edits))
    done = tenure(*words)
    lines = done.stdout.decode().splitlines()
    assert done.returncode == 0, done.stderr
    assert lines[0] == "1 of 2 ClusterQueues always get their nominal quota: b."
    of_a, of_b = (tenure(*words, "--of", name).stdout.decode().splitlines()[0] for name in ("a", "b"))
    assert of_a == "a does not always get its nominal quota."
    assert of_b == "b always gets its nominal quota."
    assert len(lines) <= 12
    (row,) = (line for line in lines if line.startswith("a "))
    assert " 3 of 4 cpu " in row
    assert "no bound: it reclaims from lower priorities only" in row


def test_states_after_edits_are_a_scope_of_their_own(tmp_path: Path) -> None:
    """ClusterQueue b has nothing and may not borrow: it runs what it had before its quota was lowered."""
    path = tmp_path / "queues.yaml"
    path.write_text(QUEUES + ONE_CLASS, encoding="utf-8")
    asked = "analyze", "guarantees", str(path), *LIMITED, *SMALL, "-o", "json"
    said = json.loads(tenure(*asked, "--scope", "edited").stdout)
    found = attackers(guarded(said, "b", "only"))
    assert found == {("a", "only", "InCohortReclamation"): ("at once", None, "never")}
    assert {queue["back"] for queue in said["queues"]} == {"not analyzed"}
    assert (said["scope"], "after edits" in said["premises"][0]) == ("edited", True)


def test_an_example_shows_how_early(answer: Any) -> None:
    for found in answer["cells"]:
        for known in found["attackers"]:
            example = known["example"]
            victim = next(held for held in example["running"] if held["workload"] == example["victim"])
            assert victim["preempted"]
            if known["when"] == "at once":
                assert victim["quotaReservedAt"] == example["now"]


@pytest.mark.usefixtures("answer")
def test_a_victim_is_made_young_before_solvers_are_asked(asked_of_solvers: list[NarrowCell]) -> None:
    assert {asked.narrowing for asked in asked_of_solvers} == {Narrowing.PROTECTED}


def test_as_written_equals_do_not_wait(answer: Any) -> None:
    (said,) = guarded(answer, "a", "low")["asWritten"]
    assert said.startswith("may be preempted at once by equals (low), high of its own ClusterQueue")
    assert guarded(answer, "b", "low")["asWritten"] == []


def test_one_queue_is_answered_from_the_cache(
    queues: Path, answer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def asked(*_: Any) -> None:
        raise AssertionError("asked again")

    monkeypatch.setattr(answers, "_guarantees", asked)
    done = tenure("analyze", "guarantees", str(queues), *SMALL, "--of", "b/low")
    lines = done.stdout.decode().splitlines()
    assert done.returncode == 0, done.stderr
    assert [line for line in lines if line.endswith((" of a", " of b"))] == ["low of b"]
    assert guarded(answer, "b", "low")["sentences"][0] in [line.strip() for line in lines]
    done = tenure("analyze", "guarantees", str(queues), *SMALL, "--of", "c")
    assert done.returncode == 2
    assert b"--of: found 'c', expected a ClusterQueue, or one and a priority: a/low, a/high" in done.stderr


def test_the_guarantees_fit_their_schema(answer: Any) -> None:
    schema = json.loads(tenure("schema", "analyze-guarantees").stdout)
    assert [error.message for error in Draft202012Validator(schema).iter_errors(answer)] == []


def test_what_is_not_covered_is_not_known_and_ends_with_5(tmp_path: Path) -> None:
    (tmp_path / "queues.yaml").write_text(QUEUES + CLASSES, encoding="utf-8")
    done = tenure("analyze", "guarantees", str(tmp_path), *SMALL)
    assert done.returncode == 5
    assert b"not known" in done.stdout
    assert b"Not known what" in done.stdout
