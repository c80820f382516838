"""What the schemas of induction ask of a step: a false one, or a false start, proves nothing."""

from __future__ import annotations

from collections.abc import Callable

from tenure_proofs.asked import Shared
from tenure_proofs.budgets import FLOOR
from tenure_proofs.registry import Obligation, Verdict, everywhere
from tenure_proofs.runner import verdict_of
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.logic import all_of
from tenure_proofs.trusted.schemas import (
    along_every_path,
    one_after_the_other,
    over_every_fold,
    over_every_sum,
)
from tenure_proofs.trusted.transitions import one_fewer_is_ahead, through_every_history


def ended(statement: Callable[[Claim], None]) -> Verdict:
    obligation = Obligation("PO-KQ-999", ("KQ-010",), statement, everywhere(Verdict.PROVED), FLOOR, "")
    # Schemas alone, of no rule: what a proof says is not asked here.
    return verdict_of(obligation, "guaranteed", Shared())


def test_an_induction_with_a_false_step_or_a_false_start_is_refuted() -> None:
    def along(start: int, growth: int) -> Callable[[Claim], None]:
        def statement(claim: Claim) -> None:
            above = claim.number("above")
            along_every_path(
                claim,
                at_root=claim.number("root") * 0 == start,
                above=above >= 0,
                here=above + growth >= 0,
            )

        return statement

    assert [ended(along(*pair)) for pair in ((0, 1), (1, 1), (0, -1))] == [
        Verdict.PROVED,
        Verdict.REFUTED,
        Verdict.REFUTED,
    ]


def test_a_sum_starts_at_zero_and_keeps_what_each_child_keeps() -> None:
    def summed(threshold: int, child: int) -> Callable[[Claim], None]:
        def statement(claim: Claim) -> None:
            so_far = claim.number("so_far")
            over_every_sum(claim, lambda total: total >= threshold, before=(so_far,), after=(so_far + child,))

        return statement

    assert [ended(summed(*pair)) for pair in ((0, 1), (1, 1), (0, -1))] == [
        Verdict.PROVED,
        Verdict.REFUTED,
        Verdict.REFUTED,
    ]


def test_an_invariant_that_a_step_breaks_is_refuted() -> None:
    def kept(step: int) -> Callable[[Claim], None]:
        def statement(claim: Claim) -> None:
            state = claim.number("state")
            over_every_fold(claim, before=(state > 0,), after=(state + step > 0,), ends=(state >= 1,))

        return statement

    assert [ended(kept(number)) for number in (1, -1)] == [Verdict.PROVED, Verdict.REFUTED]


def test_a_history_whose_step_or_start_breaks_the_invariant_is_refuted() -> None:
    def history(start: int, step: int) -> Callable[[Claim], None]:
        def statement(claim: Claim) -> None:
            state = claim.number("state")
            through_every_history(
                claim,
                at_first=(claim.number("first") * 0 + start >= 0,),
                before=(state >= 0,),
                after=(state + step >= 0,),
                ends=(state >= 0,),
            )

        return statement

    assert [ended(history(*pair)) for pair in ((0, 1), (-1, 1), (0, -1))] == [
        Verdict.PROVED,
        Verdict.REFUTED,
        Verdict.REFUTED,
    ]


def test_fewer_are_ahead_only_where_none_joins_and_one_leaves() -> None:
    def step(joins: bool, leaves: bool) -> Callable[[Claim], None]:
        def statement(claim: Claim) -> None:
            ahead, after = claim.number("ahead"), claim.number("after")
            joined = all_of(ahead * 0 == (0 if joins else 1))
            left = all_of(ahead * 0 == (0 if leaves else 1))
            one_fewer_is_ahead(claim, joins=(joined,), leaves=left, ahead=ahead, ahead_after=after)
            claim.prove(after < ahead)

        return statement

    assert [ended(step(*pair)) for pair in ((False, True), (True, True), (False, False))] == [
        Verdict.PROVED,
        Verdict.REFUTED,
        Verdict.REFUTED,
    ]


def test_a_lemma_that_is_false_is_no_help() -> None:
    def helped(lemma: int) -> Callable[[Claim], None]:
        def statement(claim: Claim) -> None:
            number = claim.number("number")
            one_after_the_other(claim, number * 0 == lemma, number * 0 >= 0)

        return statement

    assert [ended(helped(number)) for number in (0, 1)] == [Verdict.PROVED, Verdict.REFUTED]
