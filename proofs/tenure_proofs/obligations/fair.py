"""Who may be preempted by dominant resource shares, and whose turn it is.

Kueue counts shares in floating point, so the rules that compute and compare them are not lifted (KQ-440,
KQ-450, KQ-460). Where a claim needs shares it takes the exact ones, as whole numbers over one common
denominator, and how two of them compare as a fact; what it says of floats is what holds while those
compare as the exact ones do.
"""

from __future__ import annotations

from typing import Any

from tenure.model import UNLIMITED, Basis, Reason
from tenure.oracle.door import take_target
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
from tenure_proofs.amounts import within_64_bits
from tenure_proofs.defining import Cases, defines
from tenure_proofs.premises import any_question, is_own, reclaiming_allows
from tenure_proofs.registry import REFUTED, everywhere, obligation
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.logic import all_of, any_of, iff, implies, negation


def _compared(claim: Claim, name: str, first: Any, second: Any) -> Any:
    """How two exact shares compare: -1, 0 or 1."""
    share = claim.number(name)
    claim.grant(
        implies(first < second, share == -1),
        implies(first == second, share == 0),
        implies(first > second, share == 1),
    )
    return share


@defines("PO-KQ-400", claims_nominal)
def nominal_quota_is_claimed_within_it_while_the_gate_is_on(within: Any, gate: Any) -> Any:
    """Kueue main of August 2026, fair sharing: feature gate FairSharingPreemptWithinNominal."""
    return all_of(within, gate)


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


@defines("PO-KQ-420", basis_by_share)
def only_the_strategy_in_use_decides_unless_nominal_quota_is_claimed(
    preemptor: Any, target: Any, evidence: Any, terms: Any
) -> Cases:
    """Kueue main of August 2026, fair sharing: one strategy after the other, the first one named first.

    borrowWithinCohort and hierarchical advantages are ignored.
    """
    allowed = reclaiming_allows(preemptor, target, terms)
    within = all_of(allowed, evidence.within_nominal)
    by_shares = all_of(allowed, negation(evidence.within_nominal))
    final = all_of(by_shares, evidence.basis == Basis.FINAL_SHARE, evidence.share <= 0)
    initial = all_of(by_shares, evidence.basis == Basis.INITIAL_SHARE, evidence.share < 0)
    return [
        (within, Basis.WITHIN_NOMINAL),
        (final, Basis.FINAL_SHARE),
        (initial, Basis.INITIAL_SHARE),
        (negation(any_of(within, final, initial)), Basis.NONE),
    ]


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


@defines("PO-KQ-450", queue_wins)
def queues_are_visited_by_shares_and_then_in_the_order_of_candidates(share: Any, stands_before: Any) -> Any:
    """Kueue main of August 2026, order of target ClusterQueues: a strict order, as both of these are."""
    return any_of(share > 0, all_of(share == 0, stands_before))


@defines("PO-KQ-470", cohort_wins)
def a_cohort_wins_ties_and_the_last_of_equal_cohorts_is_visited(share: Any) -> Any:
    """Kueue main of August 2026, order of target ClusterQueues: "at least"; among cohorts DV-020."""
    return share >= 0


@defines("PO-KQ-480", stays_in_tournament)
def a_node_that_neither_borrows_nor_is_on_the_path_is_not_visited(borrowing: Any, on_path: Any) -> Any:
    """Kueue main of August 2026, order of target ClusterQueues: nodes that borrow nothing are left out."""
    return any_of(borrowing, on_path)


@defines(
    "PO-KQ-490", borrowed_amount, where=lambda usage, quota: all_of(within_64_bits(usage, quota), quota >= 0)
)
def nothing_is_borrowed_exactly_within_quota(usage: Any, quota: Any) -> Cases:
    """Kueue main of August 2026, dominant resource share; nodes that may lose workloads."""
    exact = all_of(usage > quota, usage < UNLIMITED)
    return [
        (usage <= quota, 0),
        (exact, usage - quota),
        (all_of(usage > quota, usage == UNLIMITED), UNLIMITED),
    ]


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
