"""KEP-8522: what time-based preemption promises, and what its text allows."""

from __future__ import annotations

from typing import Any

from tenure.model import Basis, Reason, WithinClusterQueue, Workload
from tenure.oracle.door import take_target
from tenure.readings import RequeueOrder
from tenure.rules.time_based import (
    duration_in_force,
    is_time_expired,
    queue_preemption_reason,
    requeue_timestamp,
)
from tenure_proofs.defining import Cases, defines
from tenure_proofs.premises import (
    MILLISECOND,
    Asked,
    any_question,
    any_terms,
    duration_is_in_force,
    is_own,
    queues_from,
)
from tenure_proofs.registry import obligation, proved_under
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.logic import all_of, any_of, choose, iff, implies, is_set, negation, value_of

OUTSIDE_THE_KEP = ("cluster_queue", "reclaim_within_cohort", "borrow_within_cohort", "fair_sharing", "hero")
"""What decides across ClusterQueues, with the threshold; the rest of the terms is about one."""


def _has_run(target: Any, now: Any) -> Any:
    """How long a target has held its quota; without a stamp it counts as reserved now."""
    return choose(is_set(target, "quota_reserved_at"), now - value_of(target, "quota_reserved_at"), now - now)


def _never_evicted(*workloads: Any) -> Any:
    """Workloads that queue from their creation, whatever the reading."""
    return all_of(
        *(
            negation(is_set(workload, stamp))
            for workload in workloads
            for stamp in (
                "pods_ready_evicted_at",
                "admission_check_evicted_at",
                "time_based_preempted_at",
                "preempted_while_borrowing_at",
            )
        )
    )


def _equals(claim: Claim) -> tuple[Any, Any, Any, Asked]:
    """A question about two equals of one ClusterQueue with a duration in force."""
    preemptor, target, terms, asked = any_question(claim)
    claim.assume(duration_is_in_force(terms), is_own(target, terms), preemptor.priority == target.priority)
    return preemptor, target, terms, asked


@obligation(
    "PO-TBP-010",
    rules=["KQ-030", "KQ-040", "TBP-010", "TBP-020", "TBP-050"],
    expect=proved_under("guaranteed"),
    title="No same-priority preemption under minAdmitDuration",
)
def a_protected_workload_is_never_preempted_by_an_equal(claim: Claim) -> None:
    """KEP-8522, Story 1: "each job is guaranteed 4 hours of runtime before it can be preempted"."""
    preemptor, target, terms, asked = any_question(claim)
    claim.assume(
        duration_is_in_force(terms),
        is_own(target, terms),
        preemptor.priority == target.priority,
        _has_run(target, asked.now) <= value_of(terms, "min_admit_duration"),
    )
    claim.prove(negation(claim.lift(take_target)(*asked).defined))


@obligation("PO-TBP-020", rules=["TBP-020", "KQ-030"])
def exactly_at_the_threshold_a_workload_is_kept(claim: Claim) -> None:
    """KEP-8522, Integration tests 5: exactly at the threshold it is not preempted."""
    target = claim.record("target", Workload)
    now, duration = claim.numbers("now", "min_admit_duration")
    claim.assume(duration >= 0, _has_run(target, now) == duration)
    claim.prove(negation(claim.lift(is_time_expired)(target, now, duration).value))


@obligation("PO-TBP-030", rules=["KQ-030", "KQ-040", "TBP-010", "TBP-020", "TBP-050"])
def an_expired_equal_can_be_preempted_with_the_time_based_reason(claim: Claim) -> None:
    """KEP-8522, Preemption Eligibility, condition 2, and the reason label: power against `return False`."""
    _, target, terms, asked = _equals(claim)
    claim.assume(_has_run(target, asked.now) > value_of(terms, "min_admit_duration"))
    taken = claim.lift(take_target)(*asked)
    claim.prove(
        iff(taken.defined, asked.evidence.basis == Basis.TIME_EXPIRED),
        implies(taken.defined, taken.field("reason") == Reason.IN_CLUSTER_QUEUE_TIME_BASED),
    )


@obligation("PO-TBP-040", rules=["KQ-040", "TBP-010", "TBP-020", "TBP-040"])
def without_the_field_every_reading_is_kueue(claim: Claim) -> None:
    """KEP-8522, Goals: existing configurations without minAdmitDuration behave exactly as before."""
    preemptor, target, terms, asked = any_question(claim)
    claim.assume(
        any_of(negation(is_set(terms, "min_admit_duration")), negation(terms.time_based_preemption)),
        is_own(target, terms),
        preemptor.priority == target.priority,
        *(
            negation(is_set(workload, stamp))
            for workload in (preemptor, target)
            for stamp in (
                "pods_ready_evicted_at",
                "admission_check_evicted_at",
                "preempted_while_borrowing_at",
            )
        ),
    )
    taken = claim.lift(take_target)(*asked)
    claim.prove(
        iff(
            taken.defined,
            all_of(
                terms.within_cluster_queue == WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY,
                target.created_at > preemptor.created_at,
                asked.evidence.basis == Basis.NEWER_EQUAL,
            ),
        )
    )


@obligation("PO-TBP-050", rules=["TBP-020", "KQ-030"])
def a_longer_duration_never_expires_more_workloads(claim: Claim) -> None:
    """KEP-8522, Preemption Eligibility, condition 2: expiry shrinks when the duration grows."""
    target, now = claim.record("target", Workload), claim.number("now")
    shorter, longer = claim.numbers("shorter", "longer")
    claim.assume(shorter <= longer)
    expired = claim.lift(is_time_expired)
    claim.prove(implies(expired(target, now, longer).value, expired(target, now, shorter).value))


@obligation(
    "PO-TBP-060", rules=["TBP-040", "TBP-050", "KQ-030"], expect=proved_under("as-written", "guaranteed")
)
def a_workload_that_held_quota_before_the_preemptor_was_created_is_not_newer(claim: Claim) -> None:
    """KEP-8522, Preemption Eligibility, condition 1: reserved more recently than the preemptor's creation."""
    preemptor, target, _, asked = _equals(claim)
    claim.assume(
        asked.evidence.basis == Basis.NEWER_EQUAL,
        asked.now - _has_run(target, asked.now) <= preemptor.created_at,
    )
    claim.prove(negation(claim.lift(take_target)(*asked).defined))


@obligation(
    "PO-TBP-070", rules=["TBP-030", "TBP-040", "TBP-050"], expect=proved_under("released", "guaranteed")
)
def condition_one_is_the_existing_behaviour(claim: Claim) -> None:
    """KEP-8522, Preemption Eligibility, condition 1: "Existing behavior", and what Kueue does."""
    preemptor, target, _, asked = _equals(claim)
    claim.assume(
        _never_evicted(preemptor, target),
        asked.evidence.basis == Basis.NEWER_EQUAL,
        target.created_at <= preemptor.created_at,
    )
    claim.prove(negation(claim.lift(take_target)(*asked).defined))


@obligation(
    "PO-TBP-080", rules=["KQ-040", "TBP-040", "TBP-050"], expect=proved_under("as-written", "released")
)
def a_newer_equal_can_be_preempted_before_it_expires(claim: Claim) -> None:
    """KEP-8522, Preemption Eligibility: "either of these conditions"; what the guarantee forbids."""
    preemptor, target, terms, asked = _equals(claim)
    claim.assume(
        _never_evicted(preemptor, target),
        asked.evidence.basis == Basis.NEWER_EQUAL,
        _has_run(target, asked.now) <= value_of(terms, "min_admit_duration"),
        asked.now - _has_run(target, asked.now) > preemptor.created_at,
        target.created_at > preemptor.created_at,
    )
    claim.prove(claim.lift(take_target)(*asked).defined)


@defines("PO-TBP-090", duration_in_force)
def a_duration_is_in_force_exactly_when_the_webhook_accepts_it(terms: Any) -> Cases:
    """KEP-8522, Webhook Validation 1-3, and the feature gate."""
    accepted = duration_is_in_force(terms)
    return [(accepted, value_of(terms, "min_admit_duration")), (negation(accepted), None)]


@obligation("PO-TBP-100", rules=["TBP-030", "KQ-020"], expect=proved_under("guaranteed"))
def a_victim_is_queued_behind_every_workload_pending_at_its_eviction(claim: Claim) -> None:
    """KEP-8522, Story 2: resource access rotates fairly among all pending workloads."""
    victim, waiting = claim.records(Workload, "victim", "waiting")
    terms = any_terms(claim)
    claim.assume(
        duration_is_in_force(terms),
        is_set(victim, "time_based_preempted_at"),
        waiting.created_at <= value_of(victim, "time_based_preempted_at"),
        _never_evicted(waiting),
    )
    stands = claim.lift(requeue_timestamp)
    claim.prove(stands(victim, terms).value > stands(waiting, terms).value)


@defines("PO-TBP-110", requeue_timestamp)
def a_workload_without_a_time_based_preemption_is_queued_as_in_kueue(workload: Any, terms: Any) -> Any:
    """KEP-8522, Goals: nothing else changes; and without the field no victim's place changes either.

    Reading `requeue_order: eviction`, for Story 2: else from a millisecond after its eviction.
    """
    stamp = "time_based_preempted_at"
    by_time = all_of(duration_is_in_force(terms), is_set(workload, stamp))
    kueue = queues_from(workload, terms.requeuing_timestamp, terms.priority_sorting_within_cohort)
    by_eviction = all_of(by_time, terms.requeue_order == RequeueOrder.EVICTION)
    return choose(by_eviction, value_of(workload, stamp) + MILLISECOND, kueue)


@defines("PO-TBP-120", queue_preemption_reason)
def only_an_expired_target_has_the_new_reason(basis: Any) -> Cases:
    """KEP-8522, Graduation Criteria, Beta: the label tells time-based preemptions from others."""
    expired = basis == Basis.TIME_EXPIRED
    return [(expired, Reason.IN_CLUSTER_QUEUE_TIME_BASED), (negation(expired), Reason.IN_CLUSTER_QUEUE)]


@obligation("PO-TBP-130", rules=["KQ-300"])
def preemption_in_other_queues_does_not_depend_on_the_duration(claim: Claim) -> None:
    """KEP-8522, Goals: within one ClusterQueue; reclaiming and borrowing stay as they are."""
    _, target, terms, asked = any_question(claim)
    others, door = any_terms(claim, "others"), claim.lift(take_target)
    claim.assume(
        negation(is_own(target, terms)),
        *(getattr(others, field) == getattr(terms, field) for field in OUTSIDE_THE_KEP),
        iff(is_set(others, "max_priority_threshold"), is_set(terms, "max_priority_threshold")),
        value_of(others, "max_priority_threshold") == value_of(terms, "max_priority_threshold"),
    )
    taken, otherwise = door(*asked), door(*asked._replace(terms=others))
    claim.prove(
        iff(taken.defined, otherwise.defined),
        implies(taken.defined, taken.field("reason") == otherwise.field("reason")),
    )
