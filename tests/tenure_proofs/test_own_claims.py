"""`tenure_proofs.prove`: a claim is proved, refuted with a decision that breaks it, or not known."""

from __future__ import annotations

from pathlib import Path

import pytest

from tenure.errors import InputError
from tenure.model import Workload
from tenure.rules.time_based import is_time_expired
from tenure_proofs import prove
from tenure_proofs.obligations.time_based import a_protected_workload_is_never_preempted_by_an_equal
from tenure_proofs.registry import Statement
from tenure_proofs.trusted.claim import Claim


def a_duration_of_zero_never_ends(claim: Claim) -> None:
    target, now = claim.record("target", Workload), claim.number("now")
    claim.prove(claim.lift(is_time_expired)(target, now, now - now).value)


def a_claim_with_and(claim: Claim) -> None:
    claim.prove(claim.number("a") == 0 and claim.number("b") == 0)


def a_claim_with_a_chain(claim: Claim) -> None:
    a, b, c = map(claim.number, "abc")
    claim.prove(a < b < c)


def a_claim_with_a_misspelt_field(claim: Claim) -> None:
    claim.prove(claim.record("job", Workload).prioritty == 0)


def a_claim_of_a_call_without_its_value(claim: Claim) -> None:
    claim.prove(claim.lift(is_time_expired)(claim.record("job", Workload), claim.number("now"), None))  # type: ignore[arg-type] # the mistake


def a_claim_that_raises(claim: Claim) -> None:
    raise ValueError(claim)


def a_number_called_evicted_is_positive(claim: Claim) -> None:
    claim.prove(claim.number("evicted") > 0)


def a_number_is_below_the_next(claim: Claim) -> None:
    number = claim.number("number")
    claim.prove(number < number + 1)


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
    assert "  target: created_at=2026-01-05T09:00:00Z, quota_reserved_at=2026-01-05T09:00:00Z" in refuted.text
    assert refuted.picture == ""
    assert repr(refuted) == "<own-claim: Refuted under guaranteed: a duration of zero never ends.>"


def test_a_number_may_have_the_name_of_a_field() -> None:
    assert prove(a_number_called_evicted_is_positive).record.verdict == "refuted"


@pytest.mark.parametrize(
    ("claim", "line"), [(a_claim_that_branches, 1), (a_claim_with_and, 1), (a_claim_with_a_chain, 2)]
)
def test_a_claim_that_takes_a_truth_names_its_line_and_what_to_use(claim: Statement, line: int) -> None:
    answer = prove(claim)
    assert answer.record.verdict == "error"
    at = claim.__code__.co_firstlineno + line
    assert f"{Path(__file__).name}:{at}: Python's and, or, not, if and chained comp" in repr(answer)
    assert "use all_of, any_of, negation, implies or choose of tenure_proofs.trusted.logic" in repr(answer)


def test_a_misspelt_field_and_a_wrong_name_are_named_with_their_line() -> None:
    answer = repr(prove(a_claim_with_a_misspelt_field))
    assert answer.endswith(": Workload has no field prioritty that a rule may read; did you mean priority?>")
    assert "test_own_claims.py:" in answer
    assert "test_own_claims.py:" in repr(prove(a_claim_that_raises))
    assert "its .value is what the function returns" in repr(prove(a_claim_of_a_call_without_its_value))


def test_a_claim_that_uses_no_rule_is_about_its_formula_alone() -> None:
    answer = prove(a_number_is_below_the_next)
    assert answer.record.verdict == "proved"
    assert answer.record.uses == ()
    assert repr(answer) == (
        "<own-claim: Proved for every state under guaranteed: a number is below the next; it uses no rule or "
        "decision of Tenure: this is about the given formula only.>"
    )
    assert prove(a_duration_of_zero_never_ends).record.uses == ("TBP-020",)


def test_an_unknown_reading_is_refused() -> None:
    with pytest.raises(InputError, match="reading"):
        prove(a_duration_of_zero_never_ends, reading="absent")
