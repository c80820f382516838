"""A refuted claim about heroes becomes manifests of two queues and a cohort tree, which anyone can replay."""

from __future__ import annotations

import copy
from functools import cache
from typing import Any

import pytest

from tenure.conformance.protocol import answer
from tenure_proofs import counterexamples
from tenure_proofs.counterexamples import Counterexample
from tenure_proofs.obligations import OBLIGATIONS
from tenure_proofs.registry import Verdict
from tenure_proofs.runner import run_obligation

WHOLE_TREE = "as-written+hero_scope=tree"
BESIDE = [
    (identifier, column)
    for identifier, obligation in OBLIGATIONS.items()
    for column, verdict in obligation.also.items()
    if identifier.startswith("PO-UCQ-") and verdict == Verdict.REFUTED
]


@cache
def example_of(identifier: str, reading: str) -> Counterexample:
    """The counterexample of an obligation, found once."""
    result = run_obligation(OBLIGATIONS[identifier], reading, None)
    assert result.counterexample is not None, result.detail
    return result.counterexample


def preempted(scenario: dict[str, Any]) -> list[tuple[str, str]]:
    """Who is preempted in a scenario, and why."""
    return [(item["workload"], item["reason"]) for item in answer(scenario)["output"]["preempted"]]


@pytest.mark.parametrize(("identifier", "column"), BESIDE)
def test_every_counterexample_of_a_further_column_replays(identifier: str, column: str) -> None:
    assert example_of(identifier, column).difference == ""


@pytest.mark.parametrize("identifier", ["PO-UCQ-100", "PO-UCQ-110", "PO-UCQ-160"])
def test_what_a_hero_preempts_in_a_whole_tree_it_keeps_where_its_subtree_is_its_branch(
    identifier: str,
) -> None:
    scenario = copy.deepcopy(example_of(identifier, WHOLE_TREE).scenario)
    assert scenario is not None
    assert preempted(scenario) == [("team-b/target", "UberCQPreemption")]
    scenario["input"]["reading"]["hero_scope"] = "branch"
    assert preempted(scenario) == []


def test_the_headline_s_story_is_of_a_hero_below_that_preempts_one_above() -> None:
    story = "\n".join(example_of("PO-UCQ-100", WHOLE_TREE).story)
    assert "preemptor is created with priority 100, in a hero of cohort-0, cohort-0 below cohort-1" in story
    assert "target is created with priority 99, in a hero of cohort-1" in story
    assert story.endswith("target is preempted: UberCQPreemption")


def test_a_hero_preempts_a_workload_under_its_min_admit_duration() -> None:
    example = example_of("PO-UCQ-250", "guaranteed")
    assert example.scenario is not None
    assert any("target" in line and "minAdmitDuration 4h" in line for line in example.story)
    assert preempted(example.scenario) == [("team-b/target", "UberCQPreemption")]


def test_a_counterexample_that_the_oracle_does_not_show_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    doctored = {"id": 1, "output": {"decision": "NoCandidates", "preempted": []}}
    monkeypatch.setattr(counterexamples, "answer", lambda _: doctored)
    result = run_obligation(OBLIGATIONS["PO-UCQ-250"], "guaranteed", None)
    assert result.verdict == Verdict.ERROR
    assert result.detail == "the rules say True, the oracle preempts []"
