"""Whole decisions in a report: as expected on the small clusters, with their bound, and readable when not."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tenure.cli.bundled import schema
from tenure.conformance.protocol import answer
from tenure.readings import preset_names
from tenure.reports import junit_lines, to_sarif
from tenure.versions import versioned
from tenure_proofs.bounded import outcome
from tenure_proofs.bounded.case import Answer, Decide
from tenure_proofs.bounded.families import FAMILIES
from tenure_proofs.bounded.outcome import Bounded, bounded_outcome
from tenure_proofs.bounded.postconditions import POSTCONDITIONS
from tenure_proofs.bounded.spaces import Size
from tenure_proofs.bounded.trial import Trial, Tried
from tenure_proofs.bounded.written import lines_of
from tenure_proofs.command import Clusters
from tenure_proofs.formats.checks import checks_of
from tenure_proofs.formats.markdown import markdown_lines
from tenure_proofs.registry import Verdict
from tenure_proofs.report import NOTHING_KEPT, Report, closing_line, text_lines, to_json
from tests.tenure_proofs.bounded.deciders import broken, one_too_few, oracle, small


def tried(decide: Decide, *families: str) -> list[Tried]:
    """All small clusters of some families, decided and judged."""
    every = POSTCONDITIONS.values()
    return [Trial(decide, every).tried(family, small(family)) for family in families]


def report_of(bounded: Bounded) -> Report:
    """A report about nothing else."""
    return Report((), (), (), (), preset_names(), 1, 0, {}, 1.0, kept=NOTHING_KEPT, bounded=bounded)


@pytest.fixture(scope="module")
def right() -> Bounded:
    """What the small clusters come to."""
    return bounded_outcome(Size.SMALL, tried(oracle, *FAMILIES), preset_names(), ())


@pytest.fixture(scope="module")
def wrong() -> Bounded:
    """The same of a scheduler that forgets its first victim, in one family."""
    found = tried(broken(one_too_few), "one queue")
    return bounded_outcome(Size.SMALL, found, preset_names(), ("WD-110", "WD-100"))


def test_on_the_small_clusters_everything_is_as_expected(right: Bounded) -> None:
    assert [
        (judged.postcondition.id, judged.verdict) for judged in right.judged if not judged.as_expected
    ] == []
    assert len(right.judged) == len(POSTCONDITIONS) * len(preset_names())
    assert all(judged.claimed > 0 for judged in right.judged)
    assert report_of(right).good


def test_what_is_refuted_has_a_cluster_that_replays_through_the_oracle(right: Bounded) -> None:
    refuted = [judged for judged in right.judged if judged.verdict == Verdict.REFUTED]
    assert {judged.postcondition.id for judged in refuted} == {"WD-055", "WD-130", "WD-155", "WD-170"}
    for judged in refuted:
        assert judged.scenario is not None
        assert judged.scenario["input"]["reading"] == judged.reading
        said = answer(judged.scenario)["output"]
        assert f"the decision: {said['decision']}" in judged.story
        for victim in said["preempted"]:
            name = victim["workload"].partition("/")[2]
            assert any(line.startswith(f"{name} of ") and victim["reason"] in line for line in judged.story)


def test_the_bound_stands_beside_the_word_proved(right: Bounded) -> None:
    lines = list(text_lines(report_of(right)))
    row = next(line for line in lines if line.startswith("WD-130"))
    assert row.split()[-3:] == ["refuted", "refuted", "proved*"]
    bound = next(line for line in lines if line.startswith("* up to a bound"))
    assert f"{right.decisions:,} decisions on all of {right.clusters:,} clusters" in bound
    for family in FAMILIES.values():
        assert any(line.startswith(f"  {family.name}: {family.bound[Size.SMALL]}; ") for line in lines)
    assert "bounded: 22 postconditions hold, 4 are refuted as expected" in lines
    assert " verdicts and 78 within a bound, everything as expected" in closing_line(report_of(right))


def test_what_breaks_a_claim_is_told(wrong: Bounded) -> None:
    report = report_of(wrong)
    assert not report.good
    assert report.faults == ("3 postconditions",)
    text = "\n".join(lines_of(wrong, preset_names()))
    assert "FAIL WD-110 under guaranteed expected proved, is " in text
    assert "  the claim: without the victims, the request fits" in text
    assert "ClusterQueue q: nominal 2, withinClusterQueue " in text
    assert "bounded: 1 postconditions hold, 0 are refuted as expected, 1 are NOT as expected" in text


def test_other_formats_tell_it_too(wrong: Bounded, right: Bounded) -> None:
    junit = "\n".join(junit_lines(checks_of(report_of(wrong))))
    assert '<testsuite name="whole decisions" tests="6" failures="3"' in junit
    results: list[Any] = to_sarif(checks_of(report_of(wrong)))["runs"][0]["results"]
    assert {result["ruleId"] for result in results} == {"postcondition"}
    assert results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].endswith("victims.py")
    markdown = list(markdown_lines(report_of(right)))
    assert any(line.startswith("| WD-130: ") and "proved*" in line for line in markdown)
    shown = versioned("prove", to_json(report_of(right)))
    Draft202012Validator(schema("prove")).validate(shown)
    assert shown["bounded"]["size"] == "small"


def test_a_cluster_that_is_decided_otherwise_as_manifests_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def another(*_: object) -> Answer:
        return Answer("Preempt", (0,), ("Whim",), (0,))

    monkeypatch.setattr(outcome, "decide_with_oracle", another)
    found = bounded_outcome(Size.SMALL, tried(oracle, "two queues"), ("guaranteed",), ("WD-055",))
    (judged,) = found.judged
    assert judged.verdict == Verdict.ERROR
    assert judged.detail.startswith("as manifests it is decided otherwise: ")
    assert report_of(found).undecided


def test_what_was_never_claimed_is_vacuous() -> None:
    found = bounded_outcome(Size.SMALL, tried(oracle, "one queue"), ("guaranteed",), ("WD-310",))
    assert [judged.verdict for judged in found.judged] == [Verdict.VACUOUS]
    assert not report_of(found).good


def test_the_option_knows_every_size() -> None:
    assert [clusters.value for clusters in Clusters] == ["none", *(size.value for size in Size)]
