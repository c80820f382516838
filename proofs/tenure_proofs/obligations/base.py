"""The Kueue base that the proposals must not disturb."""

from __future__ import annotations

from tenure.model import Ground, Reason, WithinClusterQueue
from tenure.oracle.door import take_target
from tenure.rules.priority import has_lower_priority
from tenure.rules.quota import can_ever_fit, fits_quota
from tenure.rules.reservation import quota_reservation_time
from tenure_proofs.registry import Verdict, everywhere, obligation
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.logic import (
    all_of,
    any_of,
    either_both_or_none,
    implies,
    is_set,
    negation,
    value_of,
)

PROVED = Verdict.PROVED


@obligation("PO-KQ-020", rules=["KQ-010", "KQ-040"], expect=everywhere(PROVED))
def a_workload_of_higher_priority_is_never_taken(claim: Claim) -> None:
    """Kueue v1beta2, withinClusterQueue: all three policies."""
    preemptor, target = claim.workload("preemptor"), claim.workload("target")
    terms, evidence, now = claim.terms(), claim.evidence("evidence"), claim.number("now")
    claim.assume(target.priority > preemptor.priority)
    claim.prove(negation(claim.lift(take_target)(preemptor, target, evidence, terms, now).defined))


@obligation("PO-KQ-030", rules=["KQ-010", "KQ-040"], expect=everywhere(PROVED))
def lower_priority_can_be_taken_unless_the_policy_is_never(claim: Claim) -> None:
    """Kueue v1beta2, withinClusterQueue: LowerPriority, and the part that both policies share."""
    preemptor, target = claim.workload("preemptor"), claim.workload("target")
    terms, evidence, now = claim.terms(), claim.evidence("evidence"), claim.number("now")
    claim.assume(target.priority < preemptor.priority)
    taken = claim.lift(take_target)(preemptor, target, evidence, terms, now)
    claim.prove(
        either_both_or_none(
            taken.defined,
            all_of(
                terms.within_cluster_queue != WithinClusterQueue.NEVER,
                evidence.ground == Ground.LOWER_PRIORITY,
            ),
        ),
        implies(taken.defined, taken.field("reason") == Reason.IN_CLUSTER_QUEUE),
    )


@obligation("PO-KQ-040", rules=["KQ-010", "KQ-040"], expect=everywhere(PROVED))
def an_equal_is_taken_under_one_policy_only(claim: Claim) -> None:
    """Kueue v1beta2, withinClusterQueue: LowerOrNewerEqualPriority."""
    preemptor, target = claim.workload("preemptor"), claim.workload("target")
    terms, evidence, now = claim.terms(), claim.evidence("evidence"), claim.number("now")
    claim.assume(
        target.priority == preemptor.priority,
        terms.within_cluster_queue != WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY,
    )
    claim.prove(
        negation(claim.lift(take_target)(preemptor, target, evidence, terms, now).defined),
        negation(claim.lift(has_lower_priority)(preemptor, target).value),
    )


@obligation("PO-KQ-050", rules=["KQ-030"], expect=everywhere(PROVED))
def quota_is_held_since_its_stamp_or_since_now(claim: Claim) -> None:
    """KEP-8522, Terminology; Kueue main of August 2026, candidate order."""
    target, now = claim.workload("target"), claim.number("now")
    since = claim.lift(quota_reservation_time)(target, now).value
    stamped = is_set(target, "quota_reserved_at")
    claim.prove(
        implies(stamped, since == value_of(target, "quota_reserved_at")),
        implies(negation(stamped), since == now),
    )


@obligation("PO-KQ-060", rules=["KQ-060"], expect=everywhere(PROVED))
def a_request_fits_up_to_the_nominal_quota_and_no_further(claim: Claim) -> None:
    """Kueue v1beta2, nominalQuota, for a ClusterQueue without cohort."""
    usage, request, free = claim.number("usage"), claim.number("request"), claim.number("free")
    fits = claim.lift(fits_quota)(usage, request, usage + free).value
    claim.prove(
        implies(free >= request, fits),
        implies(request > free, negation(fits)),
    )


@obligation("PO-KQ-070", rules=["KQ-060", "KQ-070"], expect=everywhere(PROVED))
def what_fits_an_empty_queue_is_what_can_ever_fit(claim: Claim) -> None:
    """Kueue main of August 2026, flavor assigner: maximum capacity."""
    usage, request, nominal = claim.number("usage"), claim.number("request"), claim.number("nominal")
    ever = claim.lift(can_ever_fit)(request, nominal).value
    claim.assume(usage >= 0)
    claim.prove(
        implies(claim.lift(fits_quota)(usage, request, nominal).value, ever),
        implies(ever, claim.lift(fits_quota)(nominal - nominal, request, nominal).value),
        any_of(ever, request > nominal),
    )
