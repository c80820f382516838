"""KEP-8522 at one instant: another duration, whole-second stamps, and who comes before whom."""

from __future__ import annotations

from typing import Any

from tenure.model import MINUTE, SECOND, Basis, Evidence, Kin, Reason, Workload
from tenure.oracle.door import take_target
from tenure.rules.eligibility import basis_within_queue
from tenure.rules.ordering import candidate_precedes
from tenure.rules.time_based import is_time_expired, requeue_timestamp
from tenure_proofs.premises import any_terms, duration_is_in_force
from tenure_proofs.registry import REFUTED, everywhere, obligation, proved_under
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.logic import all_of, equal_fields, has_value, implies, is_set, negation, value_of
from tenure_proofs.trusted.transitions import OneQueue, is_evicted

BASIS_RULES = ["KQ-010", "KQ-030", "KQ-040", "TBP-010", "TBP-020", "TBP-040", "TBP-050"]
GUARANTEED_ONLY = proved_under("guaranteed")


def _two_durations(claim: Claim) -> tuple[Any, Any]:
    """Terms that differ in their duration only, both in force: the shorter and the longer."""
    shorter, longer = any_terms(claim, "shorter"), any_terms(claim, "longer")
    claim.assume(
        duration_is_in_force(shorter),
        equal_fields(shorter, longer, "min_admit_duration"),
        is_set(longer, "min_admit_duration"),
        value_of(shorter, "min_admit_duration") <= value_of(longer, "min_admit_duration"),
    )
    return shorter, longer


def _equals_of_one_queue(claim: Claim) -> tuple[Any, Any, Any]:
    """Two workloads of one priority in one ClusterQueue with a duration in force, and the terms."""
    one, other, terms = claim.record("one", Workload), claim.record("other", Workload), any_terms(claim)
    claim.assume(
        duration_is_in_force(terms),
        one.priority == other.priority,
        *(has_value(item, "cluster_queue", terms.cluster_queue) for item in (one, other)),
    )
    return one, other, terms


def _one_preempts_the_other(claim: Claim, one: Any, other: Any, terms: Any) -> tuple[Any, Any]:
    """Whether the first may preempt the second, and whether the second may preempt the first."""
    now, basis = claim.number("now"), claim.lift(basis_within_queue)
    forth, back = basis(one, other, terms, now).value, basis(other, one, terms, now).value
    return forth != Basis.NONE, back != Basis.NONE


@obligation(
    "PO-TBP-140",
    rules=BASIS_RULES,
    expect=GUARANTEED_ONLY,
    irrespective_of={
        "basis_within_queue(one, other, terms, now)": "as guaranteed, an equal that waits is never "
        "preempted, whether or not it may preempt the other"
    },
)
def a_pending_and_a_running_equal_never_preempt_each_other(claim: Claim) -> None:
    """KEP-8522, Preemption Eligibility, at one instant: who waits has no stamp to expire."""
    waiting, running, terms = _equals_of_one_queue(claim)
    claim.assume(negation(is_set(waiting, "quota_reserved_at")), is_set(running, "quota_reserved_at"))
    takes, is_taken = _one_preempts_the_other(claim, waiting, running, terms)
    claim.prove(implies(takes, negation(is_taken)))


@obligation("PO-TBP-145", rules=BASIS_RULES, expect=everywhere(REFUTED))
def no_two_equals_preempt_each_other(claim: Claim) -> None:
    """KEP-8522, Preemption Eligibility, condition 2: of two that run, both may have exceeded their time."""
    one, other, terms = _equals_of_one_queue(claim)
    claim.prove(negation(all_of(*_one_preempts_the_other(claim, one, other, terms))))


@obligation("PO-TBP-150", rules=BASIS_RULES)
def a_longer_duration_never_makes_more_workloads_eligible(claim: Claim) -> None:
    """KEP-8522, Preemption Eligibility: within the ClusterQueue, between two durations that are in force."""
    preemptor, target = claim.records(Workload, "taker", "taken")
    now = claim.number("now")
    shorter, longer = _two_durations(claim)
    basis = claim.lift(basis_within_queue)
    claim.prove(
        implies(
            basis(preemptor, target, longer, now).value != Basis.NONE,
            basis(preemptor, target, shorter, now).value != Basis.NONE,
        )
    )


@obligation(
    "PO-TBP-155",
    rules=["KQ-050", "TBP-060", *BASIS_RULES],
    expect=GUARANTEED_ONLY,
    irrespective_of={
        "basis_within_queue(taker, first, shorter, now)": "it follows from the first's place before "
        "the second; where the claim is false it makes the first a candidate"
    },
)
def a_longer_duration_keeps_the_first_candidate_of_the_preemptors_queue(claim: Claim) -> None:
    """KEP-8522, Preemption order, with none evicted yet: so a search finds the same targets, or none.

    A candidate ordered before one that remains also remains, and before it. Where newer
    equals may be preempted, one that is no longer expired falls back among them.
    """
    preemptor, now = claim.record("taker", Workload), claim.number("now")
    first, second = claim.record("first", Workload), claim.record("second", Workload)
    shorter, longer = _two_durations(claim)
    basis, precedes = claim.lift(basis_within_queue), claim.lift(candidate_precedes)

    def may(target: Any, terms: Any) -> Any:
        return basis(preemptor, target, terms, now).value != Basis.NONE

    claim.assume(
        *(negation(item.evicted) for item in (first, second)),
        *(has_value(item, "cluster_queue", shorter.cluster_queue) for item in (first, second)),
        may(first, shorter),
        may(second, longer),
        precedes(first, second, preemptor, shorter, now).value,
    )
    claim.prove(may(first, longer), precedes(first, second, preemptor, longer, now).value)


def _expired_by_a_whole_second_timestamp(claim: Claim) -> tuple[Any, Any]:
    """Whether a workload counts as expired, and for how long it has really run."""
    target, now, duration = claim.record("taken", Workload), claim.number("now"), claim.number("duration")
    reserved, stamp, seconds = claim.numbers("really_reserved_at", "stamp", "seconds")
    claim.assume(
        duration >= MINUTE,
        has_value(target, "quota_reserved_at", stamp),
        stamp == seconds * SECOND,
        stamp <= reserved,
        reserved < stamp + SECOND,
        claim.lift(is_time_expired)(target, now, duration).value,
    )
    return now - reserved, duration


@obligation("PO-TBP-160", rules=["KQ-030", "TBP-020"])
def a_whole_second_timestamp_protects_for_all_but_a_second(claim: Claim) -> None:
    """KEP-8522, Terminology: a LastTransitionTime, which Kubernetes cuts down to the second."""
    ran, duration = _expired_by_a_whole_second_timestamp(claim)
    claim.prove(ran > duration - SECOND)


@obligation("PO-TBP-165", rules=["KQ-030", "TBP-020"], expect=everywhere(REFUTED))
def a_whole_second_timestamp_protects_for_the_whole_duration(claim: Claim) -> None:
    """KEP-8522, Story 1: "guaranteed 4 hours"; by such a stamp it is up to a second less."""
    ran, duration = _expired_by_a_whole_second_timestamp(claim)
    claim.prove(ran >= duration)


def _preempted_in_the_queue(claim: Claim) -> tuple[OneQueue, Any, Any, Any, Any]:
    """A queue, a workload that waits, one that it may preempt now, the clock, and why."""
    queue = OneQueue(
        any_terms(claim), claim.lift(requeue_timestamp), claim.lift(take_target), claim.record("kin", Kin)
    )
    taker, running = claim.records(Workload, "taker", "running")
    now = claim.number("now")
    taken = queue.takes(taker, running, claim.record("evidence", Evidence), now)
    claim.assume(queue.is_pending(taker), queue.holds_a_place(running), taken.defined)
    return queue, taker, running, now, taken.field("reason") == Reason.IN_CLUSTER_QUEUE_TIME_BASED


@obligation("PO-TBP-170", rules=["KQ-020", "TBP-030", *BASIS_RULES])
def without_a_duration_a_preemptor_is_ordered_before_its_victim(claim: Claim) -> None:
    """Kueue v1beta2, withinClusterQueue: no victim comes back before its preemptor."""
    queue, taker, running, _, _ = _preempted_in_the_queue(claim)
    claim.assume(negation(duration_is_in_force(queue.terms)))
    claim.prove(queue.is_ahead(taker, running))


@obligation("PO-TBP-175", rules=["KQ-020", "TBP-030", *BASIS_RULES], expect=everywhere(REFUTED))
def with_a_duration_a_preemptor_was_ordered_before_its_victim(claim: Claim) -> None:
    """KEP-8522, Notes: who has exceeded the duration is preempted "regardless of relative age"."""
    queue, taker, running, _, _ = _preempted_in_the_queue(claim)
    claim.assume(duration_is_in_force(queue.terms))
    claim.prove(queue.is_ahead(taker, running))


@obligation(
    "PO-TBP-180",
    rules=["KQ-020", "TBP-030", *BASIS_RULES],
    expect=GUARANTEED_ONLY,
    also={"guaranteed+requeue_order=creation": REFUTED},
    irrespective_of={
        "requeue_timestamp(taker, terms)": "the victim queues from its eviction, behind every "
        "workload that has queued before"
    },
)
def with_a_duration_a_preemptor_is_ordered_before_the_victim_after_preemption(claim: Claim) -> None:
    """KEP-8522, Story 2: "rotates fairly"; the victim behind its preemptor, once it waits again."""
    queue, taker, running, now, by_time = _preempted_in_the_queue(claim)
    victim = claim.record("victim", Workload)
    claim.assume(
        duration_is_in_force(queue.terms),
        is_evicted(running, victim, by_time, now),
        queue.queues_from(taker) <= now,
    )
    claim.prove(queue.is_ahead(taker, victim))
