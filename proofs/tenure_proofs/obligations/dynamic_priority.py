"""KEP-754: a priority that grows with time, by the equation and by its prose.

Divisions and products of unknowns are hard for solvers. So claims about elapsed time are about the number of
steps, claims about priorities about any number of steps, and PO-DYN-110 says that DYN-050 is the one after
the other.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from tenure.model import DynamicPriorityPolicy, PolicyFault, Workload
from tenure.readings import InvalidClass, PrioritySteps
from tenure.rules.dynamic_priority import (
    dynamic_priority,
    elapsed_steps,
    elapsed_time,
    next_step_at,
    policy_fault,
    priority_at,
    priority_in_decision,
)
from tenure_proofs.defining import Cases, defines
from tenure_proofs.premises import creation_that_counts
from tenure_proofs.registry import PROVED, REFUTED, everywhere, obligation, proved_under
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.logic import (
    all_of,
    choose,
    implies,
    is_set,
    negation,
    quotient,
    value_of,
)
from tenure_proofs.trusted.schemas import lemma, one_after_the_other

REFUSED_ONLY = proved_under("guaranteed")
BY_THE_CLASS = {"as-written+invalid_class=refuse": PROVED, "guaranteed+invalid_class=compute": REFUTED}
"""What holds where faulty classes are refused, and only there."""

LOWEST, HIGHEST = -(2**31), 2**31 - 1
LONGEST = 2**63 - 1
"""The longest duration that 64 bits hold, and with it the largest number of steps."""

AGEING = ["DYN-010", "DYN-020", "DYN-030", "DYN-050"]


def _int32(*numbers: Any) -> Any:
    return all_of(*(all_of(number >= LOWEST, number <= HIGHEST) for number in numbers))


def _class(claim: Claim) -> tuple[Any, Any]:
    """A base and a policy as the API holds them, right or wrong; the delay is never 0 or less."""
    base, policy = claim.number("base"), claim.record("policy", DynamicPriorityPolicy)
    claim.grant(_int32(base, policy.step), implies(is_set(policy, "max"), _int32(value_of(policy, "max"))))
    claim.assume(policy.delay_for_step > 0, policy.delay_for_step <= LONGEST)
    return base, policy


def _sound_class(claim: Claim) -> tuple[Any, Any]:
    """A base and a policy that rises from it to a maximum."""
    base, policy = _class(claim)
    claim.assume(policy.step >= 0, is_set(policy, "max"), base <= value_of(policy, "max"))
    return base, policy


def _accepted(claim: Claim, base: Any, policy: Any) -> Any:
    """The class is one that this reading accepts."""
    fault = claim.lift(policy_fault)(base, policy, claim.reading.invalid_class)
    return fault.value == PolicyFault.NONE


def _steps(claim: Claim, *names: str) -> list[Any]:
    """Numbers of steps, from few to many."""
    made = [claim.number(name) for name in names]
    bounds = [0, *made, LONGEST]
    claim.assume(*(low <= high for low, high in pairwise(bounds)))
    return made


def _boosted(claim: Claim, base: Any, policy: Any) -> tuple[Any, Any, Any]:
    """A priority after any number of steps, for which PO-DYN-110 puts time; the boost; what is decided by."""
    (steps,) = _steps(claim, "steps")
    workload, gate = claim.record("workload", Workload), claim.flag("boost_gate")
    annotated = workload.priority_boost
    claim.assume(_int32(annotated))
    grown = claim.lift(dynamic_priority)(base, policy, steps).value
    decided = claim.lift(priority_in_decision)(workload, grown, gate).value
    return grown, choose(gate, annotated, annotated - annotated), decided


@obligation(
    "PO-DYN-010",
    rules=["DYN-030", "DYN-040", "DYN-070", "KQ-080"],
    expect=REFUSED_ONLY,
    also=BY_THE_CLASS,
    title="Bounded priority",
)
def the_priority_of_an_accepted_class_is_between_base_and_max(claim: Claim) -> None:
    """KEP-754, DynamicPriorityPolicy: "max defines the maximum number of Priority", and steps are added.

    Of the number that decisions compare (DYN-070), of a workload without a boost in force; PO-DYN-120 is
    about the others.
    """
    base, policy = _class(claim)
    _, boost, decided = _boosted(claim, base, policy)
    claim.assume(boost == 0)
    top = value_of(policy, "max")
    bounded = all_of(is_set(policy, "max"), base <= decided, decided <= top)
    claim.prove(implies(_accepted(claim, base, policy), bounded))


@obligation("PO-DYN-120", rules=["DYN-030", "DYN-070", "KQ-080"])
def with_a_boost_the_priority_is_between_base_and_max_each_plus_the_boost(claim: Claim) -> None:
    """KEP-754, DynamicPriorityPolicy, with Kueue's priority boost: the bound that F-035 leaves.

    Nothing is cut: two 32-bit integers are added, and what comes out may need 33 bits, never 64.
    """
    base, policy = _sound_class(claim)
    grown, boost, decided = _boosted(claim, base, policy)
    claim.prove(
        base + boost <= decided,
        decided <= value_of(policy, "max") + boost,
        decided - boost == grown,
        decided >= 2 * LOWEST,
        decided <= 2 * HIGHEST,
    )


@obligation("PO-DYN-130", rules=["DYN-030", "DYN-070", "KQ-080"], expect=everywhere(REFUTED))
def no_boost_lifts_a_priority_above_max(claim: Claim) -> None:
    """KEP-754, DynamicPriorityPolicy: "max defines the maximum number of Priority"; a boost comes after."""
    base, policy = _sound_class(claim)
    _, _, decided = _boosted(claim, base, policy)
    claim.prove(decided <= value_of(policy, "max"))


@defines("PO-DYN-140", priority_in_decision)
def a_workload_s_own_priority_counts_exactly_when_its_class_has_no_policy(
    workload: Any, grown: Any, gate: Any
) -> Any:
    """KEP-754, Proposal: a job without such a class keeps its priority; Kueue's boost adds to it."""
    own = choose(grown.present, grown.value, workload.priority)
    return choose(gate, own + workload.priority_boost, own)


@defines("PO-DYN-020", dynamic_priority, where=lambda _, policy, __: _int32(value_of(policy, "max")))
def a_priority_is_the_base_plus_its_steps_but_no_more_than_max_and_within_32_bits(
    base: Any, policy: Any, steps: Any
) -> Cases:
    """KEP-754, Priority Calculation; DynamicPriorityPolicy: `Max int32` with `omitempty`, as Go reads it.

    "We don't want it to go to infinity". Whatever step and max are, it never leaves 32 bits.
    """
    reached = base + steps * policy.step
    most = choose(is_set(policy, "max"), value_of(policy, "max"), 0 * base)
    return [
        (all_of(reached >= LOWEST, reached <= most), reached),
        (reached > most, most),
        (reached < LOWEST, LOWEST),
    ]


@obligation("PO-DYN-030", rules=["DYN-030", "DYN-040"], expect=REFUSED_ONLY, also=BY_THE_CLASS)
def the_priority_of_an_accepted_class_never_falls(claim: Claim) -> None:
    """KEP-754, Goals: "the priority of a job increase after a certain period of time"."""
    base, policy = _class(claim)
    fewer, more = _steps(claim, "fewer", "more")
    after = claim.lift(dynamic_priority)
    falls = after(base, policy, more).value < after(base, policy, fewer).value
    claim.prove(implies(_accepted(claim, base, policy), negation(falls)))


@obligation("PO-DYN-035", rules=["DYN-030", "DYN-040"], expect=REFUSED_ONLY, also=BY_THE_CLASS)
def a_max_below_the_base_lowers_no_priority(claim: Claim) -> None:
    """KEP-754, Priority Calculation: min(…, max) takes what the base gives; only a refusal prevents it."""
    base, policy = _class(claim)
    (steps,) = _steps(claim, "steps")
    claim.assume(policy.step >= 0, is_set(policy, "max"))
    priority = claim.lift(dynamic_priority)(base, policy, steps).value
    claim.prove(implies(_accepted(claim, base, policy), priority >= base))


@obligation(
    "PO-DYN-040",
    rules=["DYN-030", "DYN-040"],
    expect=REFUSED_ONLY,
    also=BY_THE_CLASS,
    irrespective_of={"DYN-030": "every class without a max is refused, before any priority is computed"},
)
def a_max_that_is_not_set_lowers_no_priority(claim: Claim) -> None:
    """KEP-754, DynamicPriorityPolicy: max is `omitempty`; absent it is Go's 0, and min(…, 0) counts.

    So a class whose priority would be lowered is not accepted.
    """
    base, policy = _class(claim)
    (steps,) = _steps(claim, "steps")
    claim.assume(policy.step >= 0)
    priority = claim.lift(dynamic_priority)(base, policy, steps).value
    lowered = all_of(negation(is_set(policy, "max")), priority < base)
    claim.prove(implies(lowered, negation(_accepted(claim, base, policy))))


@obligation("PO-DYN-060", rules=["DYN-020"])
def a_step_is_taken_with_every_full_delay_and_one_early_under_ceil(claim: Claim) -> None:
    """KEP-754, Priority Calculation: the equation rounds up; the comment on `step` rounds down."""
    elapsed, delay = claim.numbers("elapsed", "delay_for_step")
    claim.assume(elapsed >= 0, elapsed <= LONGEST, delay > 0, delay <= LONGEST)
    down = claim.lift(elapsed_steps)(elapsed, delay, PrioritySteps.FLOOR).value
    up = claim.lift(elapsed_steps)(elapsed, delay, PrioritySteps.CEIL).value
    claim.prove(
        down * delay <= elapsed,
        elapsed < (down + 1) * delay,
        (up - 1) * delay < elapsed,
        elapsed <= up * delay,
        down >= 0,
        up >= 0,
        up <= LONGEST,
    )


@defines("PO-DYN-070", elapsed_steps, where=lambda elapsed, delay, _: all_of(elapsed >= 0, delay > 0))
def the_number_of_steps_is_a_quotient_and_saturates(elapsed: Any, delay: Any, counting: Any) -> Cases:
    """KEP-754, Priority Calculation: steps only add up; Go's int ends, and counting stops there."""
    begun, full = quotient(elapsed + delay - 1, delay), quotient(elapsed, delay)
    steps = choose(counting == PrioritySteps.CEIL, begun, full)
    return [(steps <= LONGEST, steps), (steps > LONGEST, LONGEST)]


@defines("PO-DYN-075", elapsed_time)
def time_runs_from_the_jobs_creation_and_is_never_negative(workload: Any, now: Any) -> Cases:
    """KEP-754, Proposal: "the time since the Job was created"; the Workload's creation stands in for it."""
    created = creation_that_counts(workload)
    return [(now >= created, now - created), (now < created, 0)]


@defines("PO-DYN-080", policy_fault)
def a_class_is_refused_for_its_delay_and_else_only_where_the_reading_refuses(
    base: Any, policy: Any, choice: Any
) -> Cases:
    """KEP-754 says nothing about a step below 0, or a max that is unset or below the base."""
    late, top = policy.delay_for_step > 0, value_of(policy, "max")
    refuses = all_of(late, choice == InvalidClass.REFUSE)
    rises = all_of(refuses, policy.step >= 0)
    bounded = all_of(rises, is_set(policy, "max"))
    return [
        (negation(late), PolicyFault.NO_DELAY),
        (all_of(late, choice == InvalidClass.COMPUTE), PolicyFault.NONE),
        (all_of(refuses, policy.step < 0), PolicyFault.NEGATIVE_STEP),
        (all_of(rises, negation(is_set(policy, "max"))), PolicyFault.NO_MAX),
        (all_of(bounded, top < base), PolicyFault.MAX_BELOW_BASE),
        (all_of(bounded, top >= base), PolicyFault.NONE),
    ]


def _wrapped(number: Any) -> Any:
    """What is left of a number in 32 bits."""
    span = HIGHEST - LOWEST + 1
    return number - quotient(number - LOWEST, number - number + span) * span


@obligation("PO-DYN-095", rules=["DYN-030"], expect=everywhere(REFUTED))
def a_priority_above_zero_is_above_zero_in_32_bits_too(claim: Claim) -> None:
    """KEP-754, Priority Calculation: `int32` step times steps wraps, and a long wait loses its priority."""
    base, policy = _sound_class(claim)
    steps = claim.number("steps")
    claim.assume(steps >= 0, steps <= HIGHEST, policy.step == 2**30, base == 100)
    sum_of_steps = _wrapped(base + _wrapped(steps * 2**30))
    most = value_of(policy, "max")
    in_32_bits = choose(sum_of_steps < most, sum_of_steps, most)
    claim.prove(implies(claim.lift(dynamic_priority)(base, policy, steps).value > 0, in_32_bits > 0))


def _elapsed_by_cases(workload: Any, now: Any) -> tuple[tuple[Any, Any, Any], ...]:
    """When each case holds, the creation that counts, and how long ago it is then.

    Cases, because no solver likes to divide what a condition chooses.
    """
    by_job, job_created = is_set(workload, "job_created_at"), value_of(workload, "job_created_at")
    by_workload, created = negation(by_job), workload.created_at
    return (
        (all_of(by_job, now >= job_created), job_created, now - job_created),
        (all_of(by_job, now < job_created), job_created, now - now),
        (all_of(by_workload, now >= created), created, now - created),
        (all_of(by_workload, now < created), created, now - now),
    )


@obligation("PO-DYN-100", rules=["DYN-060", "DYN-010", "DYN-020"])
def until_the_next_step_the_number_of_steps_stays_and_then_it_is_one_more(claim: Claim) -> None:
    """KEP-754, Priority Calculation, as a moment to wake at: neither too early nor too late."""
    workload, policy = claim.record("workload", Workload), claim.record("policy", DynamicPriorityPolicy)
    now, later = claim.numbers("now", "later")
    delay, counting = policy.delay_for_step, claim.reading.priority_steps
    count = claim.lift(elapsed_steps)
    upcoming = claim.lift(next_step_at)(workload, policy, now, counting).value
    claim.assume(delay > 0, delay <= LONGEST, later >= 0)
    after = count(later, delay, counting).value
    goals = [upcoming > now]
    for case, start, elapsed in _elapsed_by_cases(workload, now):
        steps = count(elapsed, delay, counting).value
        claim.assume(implies(case, elapsed + delay <= LONGEST))
        goals += [
            lemma(implies(after >= steps + 1, (after - steps - 1) * delay >= 0)),
            lemma(implies(after <= steps - 1, (steps - 1 - after) * delay >= 0)),
            implies(all_of(case, elapsed <= later, start + later < upcoming), after == steps),
            implies(all_of(case, later + start == upcoming), after == steps + 1),
        ]
    one_after_the_other(claim, *goals)


@obligation("PO-DYN-110", rules=AGEING)
def with_a_policy_the_classs_base_counts_and_only_time_adds_to_it(claim: Claim) -> None:
    """KEP-754, Other points: calculated every time, "without updating the values"."""
    base, policy = _class(claim)
    workload, now = claim.record("workload", Workload), claim.number("now")
    counting = claim.reading.priority_steps
    count, after = claim.lift(elapsed_steps), claim.lift(dynamic_priority)
    priority = claim.lift(priority_at)(workload, base, policy, now, counting).value
    since = claim.lift(elapsed_time)(workload, now).value
    steps = count(since, policy.delay_for_step, counting).value
    claim.prove(
        priority == after(base, policy, steps).value,
        *(implies(case, since == elapsed) for case, _, elapsed in _elapsed_by_cases(workload, now)),
    )
