"""KEP-754 among several workloads: who is above whom as time passes, and what that does to KEP-8522.

Where a claim is false, the classes are small and concrete: one such pair suffices.
"""

from __future__ import annotations

from typing import Any

from tenure.model import MINUTE, DynamicPriorityPolicy, Evidence, Kin, Workload
from tenure.oracle.door import take_target
from tenure.rules.dynamic_priority import dynamic_priority, elapsed_steps, elapsed_time, priority_at
from tenure_proofs.premises import any_terms, creation_that_counts, duration_is_in_force
from tenure_proofs.registry import PROVED, REFUTED, everywhere, obligation, proved_under
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.logic import has_value, implies, is_set, negation, value_of

AGEING = ["DYN-010", "DYN-020", "DYN-030", "DYN-050"]
HIGHEST = 2**31 - 1


def _class(claim: Claim, name: str, step: int, delay: int) -> Any:
    """A policy with these numbers."""
    policy = claim.record(name, DynamicPriorityPolicy)
    claim.assume(policy.step == step, policy.delay_for_step == delay, has_value(policy, "max", 1000))
    return policy


@obligation("PO-DYN-200", rules=["DYN-010", "DYN-020", "DYN-030"])
def of_one_class_a_younger_job_never_has_a_higher_priority_than_an_older_one(claim: Claim) -> None:
    """KEP-754, Motivation: who has been deferred for longer; step by step, put together by PO-DYN-110."""
    older, younger = claim.records(Workload, "older", "younger")
    now, longer, shorter, more, fewer = claim.numbers("now", "longer", "shorter", "more", "fewer")
    base, policy = claim.number("base"), claim.record("policy", DynamicPriorityPolicy)
    since, count, after = claim.lift(elapsed_time), claim.lift(elapsed_steps), claim.lift(dynamic_priority)
    delay, counting = policy.delay_for_step, claim.reading.priority_steps
    claim.assume(
        creation_that_counts(older) <= creation_that_counts(younger),
        policy.step >= 0,
        delay > 0,
        base >= -HIGHEST,
        longer >= shorter,
        shorter >= 0,
        more >= fewer,
        fewer >= 0,
    )
    claim.prove(
        since(older, now).value >= since(younger, now).value,
        count(longer, delay, counting).value >= count(shorter, delay, counting).value,
        after(base, policy, more).value >= after(base, policy, fewer).value,
    )


@obligation("PO-DYN-210", rules=AGEING, expect=everywhere(REFUTED))
def two_of_one_class_that_are_equal_stay_equal(claim: Claim) -> None:
    """KEP-754, Priority Calculation: at the boundary of a step the older goes first."""
    older, younger = claim.record("older", Workload), claim.record("younger", Workload)
    now, later = claim.numbers("now", "later")
    policy, counting = _class(claim, "policy", 1, MINUTE), claim.reading.priority_steps
    priority = claim.lift(priority_at)

    def equal(at: Any) -> Any:
        return (
            priority(older, 100, policy, at, counting).value
            == priority(younger, 100, policy, at, counting).value
        )

    claim.assume(
        now <= later,
        creation_that_counts(older) <= now,
        creation_that_counts(younger) <= now,
        later - creation_that_counts(older) <= 4 * MINUTE,
    )
    claim.prove(implies(equal(now), equal(later)))


@obligation("PO-DYN-220", rules=AGEING, expect=everywhere(REFUTED))
def of_two_classes_one_overtakes_the_other_at_most_once(claim: Claim) -> None:
    """KEP-754, Priority Calculation: steps of two sizes and delays change the order again and again."""
    often, seldom = claim.record("often", Workload), claim.record("seldom", Workload)
    first, second, third = claim.numbers("first", "second", "third")
    small, large = _class(claim, "small", 2, 2 * MINUTE), _class(claim, "large", 3, 3 * MINUTE)
    priority, counting = claim.lift(priority_at), claim.reading.priority_steps

    def leads(at: Any) -> Any:
        return (
            priority(often, 100, small, at, counting).value - priority(seldom, 100, large, at, counting).value
        )

    claim.assume(
        creation_that_counts(often) == creation_that_counts(seldom),
        creation_that_counts(often) <= first,
        first < second,
        second < third,
        third - creation_that_counts(often) <= 12 * MINUTE,
        leads(first) > 0,
        leads(second) < 0,
    )
    claim.prove(leads(third) < 0)


def _protected(claim: Claim, policy: Any, base: Any) -> tuple[Any, Any, Any]:
    """In one ClusterQueue a workload waits, and one runs that is still protected; both of one class."""
    waiting, running = claim.record("waiting", Workload), claim.record("running", Workload)
    terms, evidence, now = any_terms(claim), claim.record("evidence", Evidence), claim.number("now")
    priority, counting = claim.lift(priority_at), claim.reading.priority_steps
    duration, reserved = value_of(terms, "min_admit_duration"), value_of(running, "quota_reserved_at")
    claim.assume(
        duration_is_in_force(terms),
        has_value(running, "cluster_queue", terms.cluster_queue),
        is_set(running, "quota_reserved_at"),
        now - reserved <= duration,
        *(creation_that_counts(item) <= now for item in (waiting, running)),
        *(item.priority == priority(item, base, policy, now, counting).value for item in (waiting, running)),
    )
    claim.prove(
        negation(
            claim.lift(take_target)(waiting, running, evidence, terms, now, claim.record("kin", Kin)).defined
        )
    )
    return waiting, running, now


@obligation("PO-DYN-230", rules=["KQ-010", "KQ-040", *AGEING], expect=everywhere(REFUTED))
def under_min_admit_duration_no_workload_of_a_class_with_a_policy_is_preempted_before_it_expires(
    claim: Claim,
) -> None:
    """KEP-8522, Story 1, with KEP-754: one that has aged preempts a protected one, as a lower priority."""
    waiting, running, now = _protected(claim, _class(claim, "policy", 1, MINUTE), 100)
    claim.assume(*(now - creation_that_counts(item) <= 4 * MINUTE for item in (waiting, running)))


@obligation(
    "PO-DYN-240",
    rules=["KQ-010", "KQ-030", "KQ-040", "TBP-010", "TBP-020", "TBP-050", *AGEING],
    expect=proved_under("guaranteed"),
    also={"guaranteed+priority_steps=ceil": PROVED},
    irrespective_of={"DYN-050": "equals of this instant are protected, however their priority has grown"},
)
def no_workload_is_preempted_before_it_expires_by_one_whose_priority_has_grown_equal(claim: Claim) -> None:
    """KEP-8522, Story 1, with KEP-754: the guarantee is among equals of that instant."""
    policy, base = claim.record("policy", DynamicPriorityPolicy), claim.number("base")
    waiting, running, _ = _protected(claim, policy, base)
    claim.assume(policy.delay_for_step > 0, waiting.priority == running.priority)
