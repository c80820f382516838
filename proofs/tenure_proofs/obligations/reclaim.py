"""Who may be preempted in other ClusterQueues of the cohort, and in which attempt."""

from __future__ import annotations

from typing import Any

from tenure.model import Attempts, Basis, BorrowWithinCohort, Evidence, Reason, ReclaimWithinCohort
from tenure.oracle.classical import reclaims_nominal_quota_alone
from tenure.oracle.door import take_target
from tenure.rules.eligibility import basis_for, preemption_reason
from tenure.rules.quota import fits_quota, fits_request
from tenure.rules.reclaim import (
    attempts,
    basis_across_queues,
    has_advantage,
    is_below_nominal,
    may_reclaim,
    may_take_while_borrowing,
    stands_in_attempt,
)
from tenure_proofs.defining import Cases, defines
from tenure_proofs.premises import any_question, any_terms, is_own, reclaiming_allows, two_workloads
from tenure_proofs.registry import obligation
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.logic import all_of, any_of, iff, implies, is_set, negation, value_of

ACROSS_RULES = ["KQ-010", "KQ-320", "KQ-330", "KQ-340"]
OWN_BASES = (Basis.LOWER_PRIORITY, Basis.NEWER_EQUAL, Basis.TIME_EXPIRED)
CLASSICAL_BASES = (Basis.HIERARCHICAL, Basis.WITHOUT_BORROWING, Basis.WHILE_BORROWING)
FAIR_BASES = (Basis.WITHIN_NOMINAL, Basis.FINAL_SHARE, Basis.INITIAL_SHARE)


def _one_of(basis: Any, members: tuple[Basis, ...]) -> Any:
    return any_of(*(basis == member for member in members))


def _borrowing_allows(preemptor: Any, target: Any, terms: Any) -> Any:
    """What borrowWithinCohort says of the two priorities."""
    return all_of(
        terms.borrow_within_cohort == BorrowWithinCohort.LOWER_PRIORITY,
        target.priority < preemptor.priority,
        implies(
            is_set(terms, "max_priority_threshold"),
            target.priority <= value_of(terms, "max_priority_threshold"),
        ),
    )


@obligation("PO-KQ-300", rules=["KQ-300", *ACROSS_RULES])
def a_queue_loses_workloads_to_others_only_while_it_exceeds_its_quota(claim: Claim) -> None:
    """Kueue main of August 2026, candidates: and beyond it by reclaimWithinCohort, power of the door."""
    preemptor, target, terms, asked = any_question(claim)
    claim.assume(negation(is_own(target, terms)), negation(any_of(terms.hero, asked.kin.hero)))
    taken = claim.lift(take_target)(*asked)
    while_borrowing = _borrowing_allows(preemptor, target, terms)
    basis = any_of(
        all_of(asked.evidence.advantage, asked.evidence.basis == Basis.HIERARCHICAL),
        all_of(
            negation(asked.evidence.advantage), while_borrowing, asked.evidence.basis == Basis.WHILE_BORROWING
        ),
        all_of(
            negation(any_of(asked.evidence.advantage, while_borrowing, asked.evidence.borrowing)),
            asked.evidence.basis == Basis.WITHOUT_BORROWING,
        ),
    )
    claim.prove(
        implies(negation(asked.evidence.over_quota), negation(taken.defined)),
        implies(
            all_of(asked.evidence.over_quota, negation(terms.fair_sharing)),
            iff(taken.defined, all_of(reclaiming_allows(preemptor, target, terms), basis)),
        ),
    )


@obligation("PO-KQ-310", rules=["KQ-040", "KQ-300", "KQ-320", "KQ-330", "KQ-400"])
def each_location_and_each_kind_of_search_has_its_own_bases(claim: Claim) -> None:
    """Kueue v1beta2, ClusterQueuePreemption: the policies within a queue and across queues do not mix."""
    _, target, terms, asked = any_question(claim)
    basis = claim.lift(basis_for)(*asked).value
    own = is_own(target, terms)
    standard = all_of(negation(own), negation(terms.hero))
    by_shares = all_of(standard, terms.fair_sharing)
    classical = all_of(standard, negation(terms.fair_sharing))
    claim.prove(
        implies(_one_of(basis, OWN_BASES), own),
        implies(_one_of(basis, FAIR_BASES), by_shares),
        implies(_one_of(basis, CLASSICAL_BASES), classical),
        implies(basis == Basis.HERO, all_of(negation(own), terms.hero)),
    )


@defines("PO-KQ-320", preemption_reason)
def the_reason_distinguishes_reclamation_borrowing_and_shares(basis: Any) -> Cases:
    """Kueue v1beta2, reasons of condition Preempted."""
    reclaims = (Basis.HIERARCHICAL, Basis.WITHOUT_BORROWING, Basis.WITHIN_NOMINAL)
    others = (Basis.NONE, Basis.LOWER_PRIORITY, Basis.NEWER_EQUAL)
    return [
        (_one_of(basis, reclaims), Reason.IN_COHORT_RECLAMATION),
        (basis == Basis.WHILE_BORROWING, Reason.IN_COHORT_RECLAIM_WHILE_BORROWING),
        (_one_of(basis, (Basis.FINAL_SHARE, Basis.INITIAL_SHARE)), Reason.IN_COHORT_FAIR_SHARING),
        (basis == Basis.TIME_EXPIRED, Reason.IN_CLUSTER_QUEUE_TIME_BASED),
        (basis == Basis.HERO, Reason.UBER_CQ_PREEMPTION),
        (_one_of(basis, others), Reason.IN_CLUSTER_QUEUE),
    ]


@obligation("PO-KQ-330", rules=["KQ-300", "KQ-320", "KQ-330", "KQ-400"])
def under_reclaim_within_cohort_never_no_workload_of_another_queue_is_preempted(claim: Claim) -> None:
    """Kueue v1beta2, reclaimWithinCohort: Never, or no policy at all; with and without fair sharing."""
    _, target, terms, asked = any_question(claim)
    claim.assume(
        negation(is_own(target, terms)),
        negation(terms.hero),
        any_of(
            terms.reclaim_within_cohort == ReclaimWithinCohort.NEVER,
            terms.reclaim_within_cohort == ReclaimWithinCohort.UNSET,
        ),
    )
    claim.prove(negation(claim.lift(take_target)(*asked).defined))


@defines("PO-KQ-340", may_reclaim)
def reclaim_any_ignores_priority_and_lower_priority_is_strict(preemptor: Any, target: Any, terms: Any) -> Any:
    """Kueue v1beta2, reclaimWithinCohort: Any and LowerPriority."""
    return reclaiming_allows(preemptor, target, terms)


@defines("PO-KQ-350", may_take_while_borrowing)
def a_preemptor_that_borrows_preempts_only_lower_priority_up_to_the_threshold(
    preemptor: Any, target: Any, terms: Any
) -> Any:
    """Kueue v1beta2, BorrowWithinCohort: policy, and maxPriorityThreshold with its own value included."""
    return _borrowing_allows(preemptor, target, terms)


@defines("PO-KQ-360", has_advantage)
def a_hierarchical_advantage_persists_up_the_tree(fits_here: Any, below: Any) -> Any:
    """Kueue main of August 2026, hierarchical reclaim: what fits below has an advantage all the way up."""
    return any_of(fits_here, below)


@defines("PO-KQ-370", basis_across_queues)
def in_another_queue_the_basis_is_an_advantage_a_policy_or_an_attempt_without_borrowing(
    preemptor: Any, target: Any, evidence: Any, terms: Any
) -> Cases:
    """Kueue main of August 2026, classical preemption: an attempt without borrowing has more candidates."""
    allowed, policy = reclaiming_allows(preemptor, target, terms), _borrowing_allows(preemptor, target, terms)
    hierarchical = all_of(allowed, evidence.advantage)
    borrowing = all_of(allowed, negation(evidence.advantage), policy)
    without = all_of(allowed, negation(any_of(evidence.advantage, policy, evidence.borrowing)))
    return [
        (hierarchical, Basis.HIERARCHICAL),
        (borrowing, Basis.WHILE_BORROWING),
        (without, Basis.WITHOUT_BORROWING),
        (negation(any_of(hierarchical, borrowing, without)), Basis.NONE),
    ]


@obligation("PO-KQ-380", rules=[*ACROSS_RULES, "KQ-380"])
def a_candidate_is_eligible_in_an_attempt_exactly_when_it_has_a_basis_in_it(claim: Claim) -> None:
    """Kueue main of August 2026, candidate iterator: bases are found once, and hold in both attempts."""
    preemptor, target, terms = two_workloads(claim)
    found, asked = claim.record("found", Evidence), claim.record("asked", Evidence)
    own, over_quota = claim.flags("own", "over_quota")
    any_basis, may_borrow = claim.member("any_basis", Basis), claim.flag("may_borrow")
    claim.assume(
        negation(found.borrowing),
        asked.borrowing == may_borrow,
        found.advantage == asked.advantage,
    )
    basis = claim.lift(basis_across_queues)
    first = basis(preemptor, target, found, terms).value
    again = basis(preemptor, target, asked, terms).value
    stands = claim.lift(stands_in_attempt)
    claim.prove(
        iff(
            all_of(stands(False, over_quota, first, may_borrow).value, first != Basis.NONE),
            all_of(over_quota, again != Basis.NONE),
        ),
        implies(again != Basis.NONE, again == first),
        implies(own, stands(own, over_quota, any_basis, may_borrow).value),
        implies(
            all_of(negation(own), any_of(negation(may_borrow), any_basis != Basis.WITHOUT_BORROWING)),
            iff(stands(own, over_quota, any_basis, may_borrow).value, over_quota),
        ),
        negation(stands(False, over_quota, Basis.WITHOUT_BORROWING, True).value),
    )


@obligation("PO-KQ-390", rules=["KQ-360", "KQ-370"])
def targets_are_looked_for_in_exactly_three_ways(claim: Claim) -> None:
    """Kueue main of August 2026, attempts: with borrowing; without, then with; with, then without."""
    terms, usage, nominal = any_terms(claim), claim.number("usage"), claim.number("nominal")
    elsewhere, advantage = claim.flags("elsewhere", "advantage")
    below = claim.lift(is_below_nominal)(usage, nominal).value
    tried = claim.lift(attempts)(elsewhere, advantage, below, terms).value
    never = terms.borrow_within_cohort == BorrowWithinCohort.NEVER
    claim.prove(
        iff(below, usage < nominal),
        implies(negation(elsewhere), tried == Attempts.BORROWING),
        implies(all_of(never, usage >= nominal), tried == Attempts.BORROWING),
        implies(
            all_of(elsewhere, never, usage < nominal, negation(advantage)),
            tried == Attempts.WITHOUT_THEN_BORROWING,
        ),
        implies(
            all_of(elsewhere, never, usage < nominal, advantage),
            tried == Attempts.BORROWING_THEN_WITHOUT,
        ),
        implies(all_of(elsewhere, negation(never)), tried == Attempts.BORROWING_THEN_WITHOUT),
    )


@obligation(
    "PO-KQ-395",
    rules=["KQ-060", "KQ-190", "KQ-300", "KQ-340", "KQ-350", "KQ-380"],
    irrespective_of={
        "KQ-060": "it says for the advantage and for the attempt alike whether the request borrows",
    },
)
def where_nominal_quota_alone_is_reclaimed_none_elsewhere_helps_without_an_advantage(claim: Claim) -> None:
    """Kueue main of August 2026, classical preemption: what `finds_no_target` knows of other ClusterQueues.

    The request is of two flavor-resources. None of them has a turn in an attempt that borrows. And where
    what its ClusterQueue has left of nominal quota does not suffice for it, it does not fit in an attempt
    without borrowing, however much is available.
    """
    _, target, terms, asked = any_question(claim)
    beside_heroes = claim.flag("beside_heroes")
    within, fits = [], []
    for name in ("one", "another"):
        request, usage, nominal, free = (
            claim.number(f"{what} of {name}") for what in ("request", "usage", "nominal", "free")
        )
        within.append(claim.lift(fits_quota)(usage, request, nominal).value)
        fits.append(claim.lift(fits_request)(request, free, negation(within[-1]), False).value)
    claim.assume(
        negation(is_own(target, terms)),
        implies(any_of(terms.hero, asked.kin.hero), beside_heroes),
        negation(asked.evidence.advantage),
        negation(claim.lift(has_advantage)(all_of(*within), False).value),
    )
    alone = claim.lift(reclaims_nominal_quota_alone)(terms, beside_heroes).value
    basis = claim.lift(basis_for)(*asked).value
    has_a_turn = claim.lift(stands_in_attempt)(False, claim.flag("over_quota"), basis, True).value
    claim.prove(
        implies(all_of(alone, basis != Basis.NONE), negation(has_a_turn)),
        negation(all_of(*fits)),
    )
