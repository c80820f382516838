"""`tenure_proofs.prove`: a claim is proved, refuted with a decision that breaks it, or not known."""

from __future__ import annotations

import pytest

from tenure.errors import InputError
from tenure.model import Workload
from tenure.rules.time_based import is_time_expired
from tenure_proofs import prove
from tenure_proofs.obligations.time_based import a_protected_workload_is_never_preempted_by_an_equal
from tenure_proofs.trusted.claim import Claim


def a_duration_of_zero_never_ends(claim: Claim) -> None:
    target, now = claim.record("target", Workload), claim.number("now")
    claim.prove(claim.lift(is_time_expired)(target, now, now - now).value)


def a_claim_that_branches(claim: Claim) -> None:
    if claim.number("now") > 0:
        claim.prove(claim.number("now") == 0)


def test_a_claim_is_proved_under_one_reading_and_refuted_by_a_story_under_another() -> None:
    proved = prove(a_protected_workload_is_never_preempted_by_an_equal)
    assert (proved.record.verdict, proved.record.story, proved.picture) == ("proved", (), "")
    assert proved.record.solvers == {"z3": "unsat", "cvc5": "unsat"}
    refuted = prove(a_protected_workload_is_never_preempted_by_an_equal, reading="as-written")
    assert refuted.record.verdict == "refuted"
    assert refuted.record.story[-1].startswith("2026-01-05T09:00:01Z  target is preempted")
    assert [line.strip() for line in refuted.text.splitlines()[3:8]] == [*refuted.record.story]
    shown = refuted._repr_html_()
    assert shown.startswith("<h3>Claim</h3>")
    assert shown.rstrip().endswith("</svg>")
    assert "preempted, in this order" in refuted.picture


def test_a_claim_about_one_rule_is_refuted_by_values() -> None:
    refuted = prove(a_duration_of_zero_never_ends)
    assert refuted.record.verdict == "refuted"
    assert {*refuted.record.values} == {"target", "now"}
    assert refuted.picture == ""
    assert repr(refuted) == "<own-claim: Refuted under guaranteed: a duration of zero never ends.>"


def test_a_claim_that_branches_is_not_known_and_an_unknown_reading_is_refused() -> None:
    branches = prove(a_claim_that_branches)
    assert branches.record.verdict == "error"
    assert "not liftable: the truth of" in repr(branches)
    with pytest.raises(InputError, match="reading"):
        prove(a_duration_of_zero_never_ends, reading="absent")
