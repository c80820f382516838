"""A refuted claim becomes the smallest story that a person can read, and that anyone can replay."""

from __future__ import annotations

import copy
from functools import cache
from typing import Any

import pytest

from tenure.conformance.protocol import answer
from tenure.model import MINUTE, SECOND
from tenure_proofs import counterexamples, scenarios
from tenure_proofs.counterexamples import Counterexample
from tenure_proofs.obligations import OBLIGATIONS
from tenure_proofs.registry import Verdict
from tenure_proofs.runner import run_obligation


@cache
def example_of(identifier: str, reading: str) -> Counterexample:
    """The counterexample of an obligation, found here and once."""
    result = run_obligation(OBLIGATIONS[identifier], reading, None)
    assert result.counterexample is not None, result.detail
    return result.counterexample


def scenario_of(identifier: str, reading: str) -> dict[str, Any]:
    """A copy of the oracle's request that shows it."""
    scenario = example_of(identifier, reading).scenario
    assert scenario is not None
    return copy.deepcopy(scenario)


def test_the_protected_victims_story_has_the_numbers_that_a_reader_expects() -> None:
    values = example_of("PO-TBP-010", "as-written").values
    preemptor, target, terms, now = (values[name] for name in ("preemptor", "target", "terms", "now"))
    assert (preemptor.priority, target.priority) == (100, 100)
    assert terms.min_admit_duration == 4 * 60 * MINUTE
    assert terms.time_based_preemption
    assert [
        stamp % SECOND for stamp in (preemptor.created_at, target.created_at, target.quota_reserved_at, now)
    ] == [0, 0, 0, 0]


def test_the_protected_victims_story_is_minimal() -> None:
    values = example_of("PO-TBP-010", "as-written").values
    preemptor, target, now = (values[name] for name in ("preemptor", "target", "now"))
    # Strictly newer by the smallest whole second, preempted at that very moment, and nothing else happens.
    assert target.quota_reserved_at - preemptor.created_at == SECOND
    assert now == target.quota_reserved_at
    assert not target.evicted
    stamps = ("pods_ready_evicted_at", "admission_check_evicted_at", "time_based_preempted_at")
    assert {getattr(item, stamp) for item in (preemptor, target) for stamp in stamps} == {None}


def test_the_scenario_preempts_as_written_and_keeps_under_the_guarantee() -> None:
    scenario = scenario_of("PO-TBP-010", "as-written")
    assert scenario["input"]["reading"] == "as-written"
    output = answer(scenario)["output"]
    assert [item["workload"] for item in output["preempted"]] == ["team-b/target"]
    scenario["input"]["reading"] = "guaranteed"
    assert (answer(scenario)["output"]["decision"], answer(scenario)["output"]["preempted"]) == (
        "NoCandidates",
        [],
    )


def test_the_last_line_tells_what_the_oracle_answers() -> None:
    example = example_of("PO-TBP-010", "as-written")
    assert example.story[-1].endswith("target is preempted: InClusterQueue, by KQ-040, TBP-050, TBP-040")
    assert example.story[-2].endswith("target has run 0s, minAdmitDuration is 4h")


def test_a_counterexample_that_the_oracle_does_not_show_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    doctored = {"id": 1, "output": {"decision": "NoCandidates", "preempted": []}}
    monkeypatch.setattr(counterexamples, "answer", lambda _: doctored)
    result = run_obligation(OBLIGATIONS["PO-TBP-010"], "as-written", None)
    assert result.verdict == Verdict.ERROR
    assert result.detail == "the rule finds NEWER_EQUAL, the oracle preempts []"


def test_a_counterexample_whose_manifests_are_refused_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    right = scenarios.scenario_of

    def doctored(*arguments: Any) -> dict[str, Any]:
        scenario = right(*arguments)
        scenario["input"]["now"] = "soon"
        return scenario

    monkeypatch.setattr(counterexamples, "scenario_of", doctored)
    result = run_obligation(OBLIGATIONS["PO-TBP-010"], "as-written", None)
    assert result.verdict == Verdict.ERROR
    assert result.detail.startswith("the oracle refuses the rebuilt manifests: now: found 'soon'")


def test_a_counterexample_that_python_does_not_show_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counterexamples, "replay", lambda call, _: f"{call.function.__name__} disagrees")
    result = run_obligation(OBLIGATIONS["PO-TBP-010"], "as-written", None)
    assert (result.verdict, result.detail) == (Verdict.ERROR, "take_target disagrees")
