"""The Kueue base that the proposals must not disturb: priority, policies, the door."""

from __future__ import annotations

from typing import Any

from tenure.model import Basis, Evidence, Reason, WithinClusterQueue
from tenure.oracle.door import take_target
from tenure.rules.priority import effective_priority, has_lower_priority
from tenure.rules.queue_order import queue_order_timestamp
from tenure.rules.reservation import quota_reservation_time
from tenure_proofs.defining import Cases, defines
from tenure_proofs.premises import any_question, is_own, queues_from
from tenure_proofs.registry import obligation
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.logic import all_of, any_of, iff, implies, is_set, negation, value_of

FACTS = ("over_quota", "advantage", "borrowing", "within_nominal", "share")
"""Everything in the evidence but its basis."""


@defines("PO-KQ-010", queue_order_timestamp)
def a_workload_queues_from_its_creation_or_its_relevant_eviction(
    workload: Any, configured: Any, sorting: Any
) -> Any:
    """Kueue main of August 2026, queue-order timestamp, and gate PrioritySortingWithinCohort."""
    return queues_from(workload, configured, sorting)


@obligation("PO-KQ-020", rules=["KQ-010", "KQ-040", "KQ-300"])
def a_workload_of_higher_priority_is_never_preempted_in_its_cluster_queue(claim: Claim) -> None:
    """Kueue v1beta2, withinClusterQueue: all three policies."""
    preemptor, target, terms, asked = any_question(claim)
    claim.assume(is_own(target, terms), target.priority > preemptor.priority)
    claim.prove(negation(claim.lift(take_target)(*asked).defined))


@obligation("PO-KQ-030", rules=["KQ-010", "KQ-040", "KQ-300"])
def a_workload_of_lower_priority_can_be_preempted_unless_the_policy_is_never(claim: Claim) -> None:
    """Kueue v1beta2, withinClusterQueue: LowerPriority, and the part that both policies share."""
    preemptor, target, terms, asked = any_question(claim)
    claim.assume(is_own(target, terms), target.priority < preemptor.priority)
    taken = claim.lift(take_target)(*asked)
    claim.prove(
        iff(
            taken.defined,
            all_of(
                terms.within_cluster_queue != WithinClusterQueue.NEVER,
                asked.evidence.basis == Basis.LOWER_PRIORITY,
            ),
        ),
        implies(taken.defined, taken.field("reason") == Reason.IN_CLUSTER_QUEUE),
    )


@obligation("PO-KQ-040", rules=["KQ-010", "KQ-040", "KQ-300"])
def an_equal_is_preempted_only_under_lower_or_newer_equal_priority(claim: Claim) -> None:
    """Kueue v1beta2, withinClusterQueue: LowerOrNewerEqualPriority."""
    preemptor, target, terms, asked = any_question(claim)
    claim.assume(
        is_own(target, terms),
        target.priority == preemptor.priority,
        terms.within_cluster_queue != WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY,
    )
    claim.prove(
        negation(claim.lift(take_target)(*asked).defined),
        negation(claim.lift(has_lower_priority)(preemptor, target).value),
    )


@defines("PO-KQ-050", quota_reservation_time)
def quota_is_held_since_its_stamp_or_since_now(target: Any, now: Any) -> Cases:
    """KEP-8522, Terminology; Kueue main of August 2026, candidate order."""
    stamped = is_set(target, "quota_reserved_at")
    return [(stamped, value_of(target, "quota_reserved_at")), (negation(stamped), now)]


@defines("PO-KQ-080", effective_priority)
def a_boost_counts_exactly_where_its_gate_is_on(base: Any, boost: Any, gate: Any) -> Cases:
    """Kueue main of August 2026, effective priority: spec.priority, and its sum with the annotation."""
    return [(gate, base + boost), (negation(gate), base)]


@obligation("PO-KQ-265", rules=["KQ-300"])
def the_target_is_the_workload_that_the_door_was_asked_about_with_the_given_evidence(claim: Claim) -> None:
    """Kueue main of August 2026, preemption; KEP-8826, Deterministic Victim Selection."""
    _, target, _, asked = any_question(claim)
    made = claim.lift(take_target)(*asked)
    claim.assume(made.defined)
    claim.prove(made.hands_on("workload", target), made.hands_on("evidence", asked.evidence))


@obligation("PO-KQ-270", rules=["KQ-040", "KQ-300"])
def under_within_cluster_queue_never_no_workload_of_the_queue_is_preempted(claim: Claim) -> None:
    """Kueue v1beta2, withinClusterQueue: Never, whatever the policies towards other queues and the shares."""
    _, target, terms, asked = any_question(claim)
    claim.assume(is_own(target, terms), terms.within_cluster_queue == WithinClusterQueue.NEVER)
    claim.prove(negation(claim.lift(take_target)(*asked).defined))


@obligation("PO-KQ-280", rules=["KQ-040", "KQ-300", "KQ-320"])
def evidence_with_a_false_basis_preempts_no_workload(claim: Claim) -> None:
    """Design, One door: a target is constructed with the evidence of the rule that allows it, or not at all.

    Under fair sharing the basis of the evidence says which strategy is in use, so there both may be.
    """
    _, target, terms, asked = any_question(claim)
    evidence, forged, door = asked.evidence, claim.record("forged", Evidence), claim.lift(take_target)
    claim.assume(
        any_of(is_own(target, terms), negation(terms.fair_sharing)),
        forged.basis != evidence.basis,
        *(getattr(forged, fact) == getattr(evidence, fact) for fact in FACTS),
    )
    opens, opens_to_forged = door(*asked).defined, door(*asked._replace(evidence=forged)).defined
    claim.prove(
        implies(opens, negation(opens_to_forged)), implies(evidence.basis == Basis.NONE, negation(opens))
    )
