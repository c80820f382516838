"""The verdict on a pair of answers."""

from __future__ import annotations

from typing import Any

import pytest

from tenure.conformance.divergences import outcome_of
from tenure_lab.verdicts import Kind, classify

Object = dict[str, Any]


def said(decision: str, *taken: str, reason: str = "InClusterQueue", **more: Any) -> Object:
    """An answer that preempts these workloads."""
    preempted = [{"workload": name, "clusterQueue": "q0", "reason": reason} for name in taken]
    return {"id": 0, "output": {"decision": decision, "preempted": preempted, **more}}


def failed(code: str) -> Object:
    """An error answer."""
    return {"id": 0, "error": {"code": code, "message": "", "field": ""}}


def unstable(*answers: Object) -> Object:
    """What a peer says that decided otherwise from time to time."""
    variants = [answer["output"] for answer in answers]
    return {"id": 0, "output": {**variants[0], "stable": False, "variants": variants}}


PREEMPT = said("Preempt", "ns/a", "ns/b")


@pytest.mark.parametrize(
    ("ours", "theirs", "kind"),
    [
        (PREEMPT, said("Preempt", "ns/b", "ns/a", stable=True), Kind.AGREE),
        (said("Fit"), said("NoFit"), Kind.UNEXPLAINED),
        (PREEMPT, said("Preempt", "ns/a"), Kind.UNEXPLAINED),
        (PREEMPT, said("Preempt", "ns/a", "ns/b", reason="InCohortFairSharing"), Kind.UNEXPLAINED),
        (PREEMPT, unstable(said("Preempt", "ns/c"), PREEMPT), Kind.UNSTABLE),
        (said("Fit"), unstable(said("Preempt", "ns/c"), PREEMPT), Kind.UNEXPLAINED),
        (PREEMPT, failed("panic"), Kind.PEER_ERROR),
        (failed("not-modelled"), PREEMPT, Kind.LEFT_OUT),
        (failed("internal"), PREEMPT, Kind.OUR_ERROR),
        (failed("bad-input"), failed("panic"), Kind.PEER_ERROR),
    ],
)
def test_a_pair_of_answers_is_classified(ours: Object, theirs: Object, kind: Kind) -> None:
    assert classify({}, ours, theirs).kind is kind


def test_an_error_keeps_its_code() -> None:
    assert str(classify({}, failed("internal"), PREEMPT)) == "our error internal"


def test_a_signed_divergence_explains_with_input_answer_and_version() -> None:
    asked: list[Any] = []

    def explain(*given: Any) -> str | None:
        asked.append(given)
        return "DV-010"

    ours, theirs = said("Fit"), said("NoFit")
    verdict = classify({"now": "t"}, ours, theirs, version="v0.19.2", explain=explain)
    assert (verdict.kind, verdict.detail) == (Kind.DIVERGENCE, "DV-010")
    assert asked == [({"now": "t"}, theirs, "v0.19.2")]


def test_agreement_needs_no_explanation() -> None:
    def explain(*given: Any) -> str | None:
        raise AssertionError(given)

    assert classify({}, PREEMPT, PREEMPT, explain=explain).kind is Kind.AGREE


def test_a_signed_divergence_may_explain_an_error_and_each_variant() -> None:
    def explain(scenario: Object, theirs: Object, version: str) -> str | None:
        return "DV-040" if "error" in theirs else "DV-020"

    assert str(classify({}, PREEMPT, failed("panic"), explain=explain)) == "signed divergence DV-040"
    varying = unstable(said("Preempt", "ns/c"), said("Preempt", "ns/d"))
    assert str(classify({}, PREEMPT, varying, explain=explain)) == "signed divergence DV-020"


def test_an_output_without_victims_has_an_outcome() -> None:
    assert outcome_of({"output": {"decision": "Fit", "preempted": None}}) == ("Fit", frozenset())
