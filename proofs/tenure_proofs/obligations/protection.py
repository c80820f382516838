"""KEP-9876, a proposal: how long other ClusterQueues must leave a workload, and how long an owner waits."""

from __future__ import annotations

from typing import Any

from tenure.model import Basis, Evidence, ReclaimWithinCohort, Workload
from tenure.rules.cycle import keeps_capacity
from tenure.rules.protection import (
    admission_time,
    can_always_reclaim,
    is_protected_from_others,
    is_rebalancing,
)
from tenure.rules.reclaim import basis_across_queues
from tenure.rules.time_based import is_time_expired
from tenure_proofs.defining import defines
from tenure_proofs.premises import any_terms
from tenure_proofs.registry import REFUTED, everywhere, obligation
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.logic import all_of, any_of, choose, iff, implies, is_set, negation, value_of

PROTECTION = ["KQ-030", "PPR-020", "PPR-030"]


def _admitted(claim: Claim) -> tuple[Any, Any, Any]:
    """A workload that is admitted and not evicted, a duration, and the clock."""
    target = claim.record("target", Workload)
    duration, now = claim.numbers("duration", "now")
    claim.assume(
        is_set(target, "quota_reserved_at"), is_set(target, "admission_delay"), negation(target.evicted)
    )
    return target, duration, now


def _since(target: Any, now: Any) -> Any:
    """When it was admitted; without a stamp quota is held since now."""
    reserved = choose(is_set(target, "quota_reserved_at"), value_of(target, "quota_reserved_at"), now)
    return choose(is_set(target, "admission_delay"), reserved + value_of(target, "admission_delay"), reserved)


@defines("PO-PPR-010", is_protected_from_others)
def an_admitted_workload_is_protected_for_exactly_its_duration(target: Any, now: Any, duration: Any) -> Any:
    """KEP-9876, Preemption Eligibility: eligible once its runtime is greater than or equal to it.

    Admission Time, Validation: what is evicted or not admitted is not protected, nor what has no duration.
    """
    admitted = all_of(is_set(target, "admission_delay"), negation(target.evicted))
    return all_of(admitted, duration.present, now < _since(target, now) + duration.value)


@defines("PO-PPR-020", admission_time)
def a_workload_is_admitted_its_delay_after_its_reservation(target: Any, now: Any) -> Any:
    """KEP-9876, Admission Time."""
    return _since(target, now)


@obligation("PO-PPR-030", rules=["KQ-320", "KQ-330", *PROTECTION])
def an_owner_may_preempt_who_was_admitted_before_it_came_once_the_duration_has_passed(claim: Claim) -> None:
    """KEP-9876, Story 2: a grace period of an owner that takes its nominal quota back."""
    target, duration, now = _admitted(claim)
    owner, terms, came = claim.record("owner", Workload), any_terms(claim), claim.number("came")
    claim.assume(
        _since(target, now) <= came,
        came + duration <= now,
        terms.reclaim_within_cohort == ReclaimWithinCohort.ANY,
    )
    facts = claim.record("facts", Evidence)
    claim.assume(negation(facts.borrowing))
    basis = claim.lift(basis_across_queues)(owner, target, facts, terms).value
    claim.prove(
        basis != Basis.NONE, negation(claim.lift(is_protected_from_others)(target, now, duration).value)
    )


@obligation("PO-PPR-040", rules=PROTECTION, expect=everywhere(REFUTED))
def an_owner_may_preempt_whatever_borrows_once_the_duration_has_passed(claim: Claim) -> None:
    """KEP-9876, Risks: every borrower that is admitted while the owner waits is protected from then on."""
    target, duration, now = _admitted(claim)
    came = claim.number("came")
    claim.assume(duration > 0, came + duration <= now, _since(target, now) <= now)
    claim.prove(negation(claim.lift(is_protected_from_others)(target, now, duration).value))


@obligation("PO-PPR-060", rules=[*PROTECTION, "TBP-020"])
def kep_9876_and_kep_8522_differ_at_one_instant_only(claim: Claim) -> None:
    """KEP-9876 protects strictly before the end; KEP-8522 preempts strictly after it."""
    target, duration, now = _admitted(claim)
    claim.assume(value_of(target, "admission_delay") == 0)
    protected = claim.lift(is_protected_from_others)(target, now, duration).value
    expired = claim.lift(is_time_expired)(target, now, duration).value
    ran = now - value_of(target, "quota_reserved_at")
    claim.prove(
        implies(ran != duration, iff(protected, negation(expired))),
        implies(ran == duration, all_of(negation(protected), negation(expired))),
    )


@obligation("PO-PPR-070", rules=[*PROTECTION, "TBP-020"], expect=everywhere(REFUTED))
def kep_9876_and_kep_8522_count_the_same_time(claim: Claim) -> None:
    """KEP-9876 counts from Admitted, KEP-8522 from QuotaReserved: admission checks come between."""
    target, duration, now = _admitted(claim)
    claim.assume(value_of(target, "admission_delay") >= 0)
    ran = now - value_of(target, "quota_reserved_at")
    protected = claim.lift(is_protected_from_others)(target, now, duration).value
    expired = claim.lift(is_time_expired)(target, now, duration).value
    claim.prove(implies(ran != duration, iff(protected, negation(expired))))


@defines("PO-PPR-080", is_rebalancing)
def shares_choose_the_duration_of_fair_sharing_unless_the_preemptor_stays_within_nominal_quota(
    fair_sharing: Any, claims_nominal: Any
) -> Any:
    """KEP-9876, Preemption Eligibility: the fair sharing path."""
    return all_of(fair_sharing, negation(claims_nominal))


@obligation("PO-PPR-090", rules=["CYC-100", "PPR-040"])
def while_reclaim_is_protected_against_every_head_but_a_hero_is_kept_its_quota(claim: Claim) -> None:
    """KEP-9876, Preemption Eligibility: CanAlwaysReclaim is false then."""
    anyone, hero, first = claim.flags("anyone", "hero", "first")
    always, keeps = claim.lift(can_always_reclaim), claim.lift(keeps_capacity)
    claim.prove(
        iff(keeps(always(anyone, True).value, hero, first).value, any_of(first, negation(hero))),
        iff(always(anyone, False).value, anyone),
    )
