"""Who may be preempted by dominant resource shares, and whose turn it is.

Kueue counts shares in floating point, so the rules that compute and compare them are not lifted (KQ-440,
KQ-450, KQ-460). Where a claim needs shares it takes the exact ones, as whole numbers over one common
denominator, and how two of them compare as a fact; what it says of floats is what holds while those
compare as the exact ones do.
"""

from __future__ import annotations

from typing import Any

from tenure.model import UNLIMITED, Basis, Evidence, Reason, Workload
from tenure.oracle.door import take_target
from tenure.rules.quota import is_within_quota
from tenure.rules.share import (
    basis_by_share,
    borrowed_amount,
    claims_nominal,
    cohort_wins,
    passes_final_share,
    passes_initial_share,
    queue_wins,
    stays_in_tournament,
)
from tenure_proofs.defining import definition_of
from tenure_proofs.premises import any_question, any_terms, is_own, reclaiming_allows, two_workloads
from tenure_proofs.registry import REFUTED, everywhere, obligation
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.logic import all_of, any_of, choose, iff, implies, negation


def _compared(claim: Claim, name: str, first: Any, second: Any) -> Any:
    """How two exact shares compare: -1, 0 or 1."""
    share = claim.number(name)
    claim.grant(
        implies(first < second, share == -1),
        implies(first == second, share == 0),
        implies(first > second, share == 1),
    )
    return share


@obligation("PO-KQ-400", rules=["KQ-010", "KQ-330", "KQ-400", "KQ-410"])
def within_nominal_quota_shares_are_not_compared_while_the_gate_is_on(claim: Claim) -> None:
    """Kueue main of August 2026, fair sharing: feature gate FairSharingPreemptWithinNominal."""
    preemptor, target, terms = two_workloads(claim)
    evidence = claim.record("evidence", Evidence)
    within, gate = claim.flags("within", "gate")
    claims = claim.lift(claims_nominal)(within, gate).value
    claim.assume(evidence.within_nominal == claims)
    basis = claim.lift(basis_by_share)(preemptor, target, evidence, terms).value
    claim.prove(
        iff(
            basis == Basis.WITHIN_NOMINAL,
            all_of(within, gate, reclaiming_allows(preemptor, target, terms)),
        ),
        implies(
            all_of(within, gate),
            negation(any_of(basis == Basis.FINAL_SHARE, basis == Basis.INITIAL_SHARE)),
        ),
    )


@obligation("PO-KQ-410", rules=["KQ-420", "KQ-430"])
def the_final_share_allows_equality_and_the_initial_share_does_not(claim: Claim) -> None:
    """Kueue's Configuration, fairSharing.preemptionStrategies: rules S2-a and S2-b."""
    preemptors, targets = claim.numbers("preemptors_share", "targets_share")
    share = _compared(claim, "share", preemptors, targets)
    final = claim.lift(passes_final_share)(share).value
    initial = claim.lift(passes_initial_share)(share).value
    claim.prove(
        implies(preemptors == targets, all_of(final, negation(initial))),
        implies(preemptors < targets, all_of(final, initial)),
        implies(preemptors > targets, negation(any_of(final, initial))),
    )


@obligation("PO-KQ-420", rules=["KQ-010", "KQ-330", "KQ-400", "KQ-420", "KQ-430"])
def only_the_strategy_in_use_decides(claim: Claim) -> None:
    """Kueue main of August 2026, fair sharing: one strategy after the other, the first one named first."""
    preemptor, target, terms = two_workloads(claim)
    evidence = claim.record("evidence", Evidence)
    basis = claim.lift(basis_by_share)(preemptor, target, evidence, terms).value
    claim.assume(negation(evidence.within_nominal))
    allowed = reclaiming_allows(preemptor, target, terms)
    final = all_of(allowed, evidence.basis == Basis.FINAL_SHARE, evidence.share <= 0)
    initial = all_of(allowed, evidence.basis == Basis.INITIAL_SHARE, evidence.share < 0)
    claim.prove(
        iff(basis == Basis.FINAL_SHARE, final),
        iff(basis == Basis.INITIAL_SHARE, initial),
        iff(basis == Basis.NONE, negation(any_of(final, initial))),
    )


@obligation("PO-KQ-447", rules=["KQ-420"], expect=everywhere(REFUTED))
def a_preemptor_that_gets_own_victims_back_ends_below_the_share_that_the_other_side_had(claim: Claim) -> None:
    """Kueue main of August 2026, fill-back (kueue#14543): its own page of a proof takes this for granted.

    What is counted at a victim's turn is without own workloads that get their quota back: scenario
    kueue-14543-fill-back. Here it equals the share of the victim's side then, which KQ-420 just allows.
    """
    counted, mine, before, after = claim.numbers("counted", "mine", "before", "after")
    then, without = claim.numbers("at_its_turn", "without_it")
    claim.assume(without < then, then <= before, after < before)
    claim.assume(mine >= counted, counted == without)
    share = _compared(claim, "counted against without_it", counted, without)
    passes = claim.lift(passes_final_share)(share).value
    claim.prove(implies(passes, all_of(mine < before, after < before)))


@obligation("PO-KQ-450", rules=["KQ-490"])
def queues_are_visited_in_a_strict_order(claim: Claim) -> None:
    """Kueue main of August 2026, order of target ClusterQueues: shares, then the order of candidates."""
    shares = [claim.number(f"share_{name}") for name in "abc"]
    places = [claim.number(f"place_{name}") for name in "abc"]
    wins = claim.lift(queue_wins)

    def beats(first: int, second: int) -> Any:
        share = _compared(claim, f"share of {first} against {second}", shares[first], shares[second])
        return wins(share, places[first] < places[second]).value

    forth, on, back, through = beats(0, 1), beats(1, 2), beats(1, 0), beats(0, 2)
    claim.prove(
        negation(all_of(forth, back)),
        implies(places[0] != places[1], any_of(forth, back)),
        implies(all_of(forth, on), through),
        negation(beats(0, 0)),
    )


@obligation("PO-KQ-460", rules=["KQ-490", "KQ-500"])
def the_node_visited_has_the_highest_share_among_its_siblings(claim: Claim) -> None:
    """Kueue main of August 2026, order of target ClusterQueues: two queues and a cohort below one cohort."""
    first, second, cohort = claim.numbers("first_queue", "second_queue", "cohort")
    stands_before = claim.flag("stands_before")
    queues = _compared(claim, "second_queue against first_queue", second, first)
    changes = claim.lift(queue_wins)(queues, stands_before).value
    best = choose(changes, second, first)
    wins = claim.lift(cohort_wins)(_compared(claim, "cohort against best queue", cohort, best)).value
    visited = choose(wins, cohort, best)
    claim.prove(
        visited >= first,
        visited >= second,
        visited >= cohort,
        implies(second == first, iff(changes, stands_before)),
    )


@obligation("PO-KQ-470", rules=["KQ-500"])
def a_cohort_wins_ties_and_the_last_of_equal_cohorts_is_visited(claim: Claim) -> None:
    """Kueue main of August 2026, order of target ClusterQueues: "at least"; among cohorts DV-020."""
    cohort, other = claim.numbers("cohort", "other")
    later = claim.lift(cohort_wins)(_compared(claim, "later against earlier", cohort, other)).value
    earlier = claim.lift(cohort_wins)(_compared(claim, "earlier against later", other, cohort)).value
    claim.prove(
        iff(later, cohort >= other),
        any_of(later, earlier),
        iff(all_of(later, earlier), cohort == other),
    )


@obligation("PO-KQ-480", rules=["KQ-480"])
@definition_of(stays_in_tournament)
def a_node_that_neither_borrows_nor_is_on_the_path_is_not_visited(borrowing: Any, on_path: Any) -> Any:
    """Kueue main of August 2026, order of target ClusterQueues: nodes that borrow nothing are left out."""
    return any_of(borrowing, on_path)


@obligation("PO-KQ-490", rules=["KQ-110", "KQ-200", "KQ-470"])
def nothing_is_borrowed_exactly_within_quota(claim: Claim) -> None:
    """Kueue main of August 2026, dominant resource share; nodes that may lose workloads."""
    usage, more, quota, larger = claim.numbers("usage", "more", "quota", "larger_quota")
    claim.assume(usage >= 0, usage <= more, more <= UNLIMITED)
    claim.assume(quota >= 0, quota <= larger, larger <= UNLIMITED)
    borrowed = claim.lift(borrowed_amount)
    amount = borrowed(usage, quota).value
    claim.prove(
        amount >= 0,
        iff(amount == 0, claim.lift(is_within_quota)(usage, quota).value),
        implies(all_of(usage > quota, usage < UNLIMITED), amount == usage - quota),
        amount <= usage,
        borrowed(more, quota).value >= amount,
        borrowed(usage, larger).value <= amount,
    )


@obligation("PO-KQ-500", rules=["KQ-010", "KQ-330", "KQ-400", "KQ-420", "KQ-430"])
def under_fair_sharing_borrow_within_cohort_changes_nothing(claim: Claim) -> None:
    """Kueue main of August 2026, fair sharing: borrowWithinCohort and hierarchical advantages are ignored."""
    preemptor, target = claim.record("preemptor", Workload), claim.record("target", Workload)
    terms, others = any_terms(claim), any_terms(claim, "other_terms")
    evidence, different = claim.record("evidence", Evidence), claim.record("other_evidence", Evidence)
    claim.assume(
        terms.reclaim_within_cohort == others.reclaim_within_cohort,
        evidence.basis == different.basis,
        evidence.within_nominal == different.within_nominal,
        evidence.share == different.share,
    )
    basis = claim.lift(basis_by_share)
    found = basis(preemptor, target, evidence, terms).value
    allowed = reclaiming_allows(preemptor, target, terms)
    claim.prove(
        found == basis(preemptor, target, different, others).value,
        implies(negation(allowed), found == Basis.NONE),
        implies(all_of(allowed, evidence.within_nominal), found != Basis.NONE),
    )


@obligation("PO-KQ-510", rules=["KQ-010", "KQ-300", "KQ-310", "KQ-330", "KQ-400", "KQ-420", "KQ-430"])
def under_fair_sharing_a_borrower_is_preempted_by_shares_and_with_that_reason(claim: Claim) -> None:
    """Kueue main of August 2026, fair sharing, and the reasons of condition Preempted: power of the door."""
    preemptor, target, terms, asked = any_question(claim)
    claim.assume(
        negation(any_of(terms.hero, asked.kin.hero)),
        terms.fair_sharing,
        negation(is_own(target, terms)),
        asked.evidence.over_quota,
        reclaiming_allows(preemptor, target, terms),
    )
    taken = claim.lift(take_target)(*asked)
    within = all_of(asked.evidence.within_nominal, asked.evidence.basis == Basis.WITHIN_NOMINAL)
    by_share = all_of(
        negation(asked.evidence.within_nominal),
        any_of(
            all_of(asked.evidence.basis == Basis.FINAL_SHARE, asked.evidence.share <= 0),
            all_of(asked.evidence.basis == Basis.INITIAL_SHARE, asked.evidence.share < 0),
        ),
    )
    claim.prove(
        iff(taken.defined, any_of(within, by_share)),
        implies(within, taken.field("reason") == Reason.IN_COHORT_RECLAMATION),
        implies(by_share, taken.field("reason") == Reason.IN_COHORT_FAIR_SHARING),
    )
