"""KEP-754: a priority that grows while a job waits and runs."""

from __future__ import annotations

from tenure.model import Duration, DynamicPriorityPolicy, Instant, PolicyFault, Workload
from tenure.readings import InvalidClass, PrioritySteps
from tenure.rules.priority import effective_priority
from tenure.rules.registry import rule

MOST_STEPS = 2**63 - 1
"""The largest number of steps that is counted: Go's largest int."""

LEAST_PRIORITY = -(2**31)
"""The lowest priority that `int32` can hold; the policy's `max` is the bound above."""


@rule("DYN-010")
def elapsed_time(workload: Workload, now: Instant) -> Duration:
    """How long a job has existed.

    > A job's age is the time since its Job was created, or since its
    > Workload was created when the Job's creation is unknown. Before that
    > moment the age is zero.

    Args:
        workload: whose job it is.
        now: the scheduling cycle's one clock value, ns since the epoch.

    Returns:
        ns, never below 0.

    Source: KEP-754, Proposal ("the time since the Job was created") and Other points.

    >>> elapsed_time(Workload("ns", "w", "u", priority=0, created_at=5, job_created_at=2), now=7)
    5
    >>> elapsed_time(Workload("ns", "w", "u", priority=0, created_at=5), now=4)
    0
    """
    if workload.job_created_at is None:
        return max(0, now - workload.created_at)
    return max(0, now - workload.job_created_at)


@rule("DYN-020")
def elapsed_steps(elapsed: Duration, delay_for_step: Duration, counting: PrioritySteps) -> int:
    """How many steps a priority has grown.

    > A priority grows by one step each time a full delayForStep has passed;
    > when the KEP's equation is read literally, as soon as each
    > delayForStep begins. The number of steps is capped so that it cannot
    > overflow.

    Args:
        elapsed: ns since the job was created, not below 0.
        delay_for_step: ns, above 0.
        counting: how a part of a delay counts.

    Source: KEP-754, Priority Calculation (`ceil`), against the comment on `step` ("every time the duration
        defined by delayForStep elapses"). Reading key `priority_steps`.

    >>> elapsed_steps(7, 5, PrioritySteps.CEIL), elapsed_steps(7, 5, PrioritySteps.FLOOR)
    (2, 1)
    >>> elapsed_steps(5, 5, PrioritySteps.CEIL), elapsed_steps(5, 5, PrioritySteps.FLOOR)
    (1, 1)
    """
    if counting == PrioritySteps.FLOOR:
        return min(elapsed // delay_for_step, MOST_STEPS)
    return min((elapsed + delay_for_step - 1) // delay_for_step, MOST_STEPS)


@rule("DYN-030")
def dynamic_priority(base: int, policy: DynamicPriorityPolicy, steps: int) -> int:
    """A class's priority after a number of steps.

    > The dynamic priority is the base plus the steps so far, capped at max;
    > an unset max counts as 0. The result stays within 32 bits.

    Args:
        base: the class's `value`, or `spec.priority`.
        policy: how it grows.
        steps: how many steps it has grown (DYN-020).

    Source: KEP-754, Priority Calculation: `min(priority + steps * step, max)`; Go reads an absent `max` as 0.

    >>> hourly = DynamicPriorityPolicy(step=400, max=1000, delay_for_step=3600)
    >>> [dynamic_priority(100, hourly, steps) for steps in (0, 1, 2, 3, 4)]
    [100, 500, 900, 1000, 1000]
    """
    if policy.max is None:
        return max(LEAST_PRIORITY, min(base + steps * policy.step, 0))
    return max(LEAST_PRIORITY, min(base + steps * policy.step, policy.max))


@rule("DYN-040")
def policy_fault(base: int, policy: DynamicPriorityPolicy, invalid_class: InvalidClass) -> PolicyFault:
    """What is wrong with a class whose priority grows.

    > A policy is invalid when its delayForStep is not above zero. When
    > classes are checked strictly, it is also invalid when its step is
    > negative, or when its max is unset or below the base.

    Args:
        base: the class's `value`, or `spec.priority`.
        policy: how it grows.
        invalid_class: whether the equation is computed whatever comes out.

    Returns:
        the first fault, NONE without one.

    Source: KEP-754 is silent; Priority Calculation divides by `delayForStep`. Reading key `invalid_class`.

    >>> falling = DynamicPriorityPolicy(step=-1, max=9, delay_for_step=1)
    >>> [policy_fault(5, falling, choice).name for choice in (InvalidClass.REFUSE, InvalidClass.COMPUTE)]
    ['NEGATIVE_STEP', 'NONE']
    """
    if policy.delay_for_step <= 0:
        return PolicyFault.NO_DELAY
    if invalid_class == InvalidClass.COMPUTE:
        return PolicyFault.NONE
    if policy.step < 0:
        return PolicyFault.NEGATIVE_STEP
    if policy.max is None:
        return PolicyFault.NO_MAX
    if policy.max < base:
        return PolicyFault.MAX_BELOW_BASE
    return PolicyFault.NONE


@rule("DYN-050")
def priority_at(
    workload: Workload, base: int, policy: DynamicPriorityPolicy, now: Instant, counting: PrioritySteps
) -> int:
    """The priority of a workload whose class has a policy.

    > When a workload's class has a policy, its priority starts at the
    > class's base and grows with the age of the job. The workload's own
    > priority is ignored.

    Args:
        workload: whose priority it is.
        base: its class's `value`, or `spec.priority`.
        policy: its class's.
        now: the scheduling cycle's one clock value, ns since the epoch.
        counting: how a part of a delay counts.

    Source: KEP-754, Priority Calculation and Other points.

    >>> hourly = DynamicPriorityPolicy(step=400, max=1000, delay_for_step=3600)
    >>> waiting = Workload("ns", "w", "u", priority=7, created_at=0)
    >>> priority_at(waiting, 100, hourly, 3600, PrioritySteps.FLOOR)
    500
    """
    steps = elapsed_steps(elapsed_time(workload, now), policy.delay_for_step, counting)
    return dynamic_priority(base, policy, steps)


@rule("DYN-060")
def next_step_at(
    workload: Workload, policy: DynamicPriorityPolicy, now: Instant, counting: PrioritySteps
) -> Instant:
    """When a workload's priority takes its next step.

    > A priority takes its next step when the next delayForStep has passed
    > in full; when the KEP's equation is read literally, one nanosecond
    > after the current delayForStep ends.

    Args:
        workload: whose priority it is.
        policy: its class's, with a delay above 0.
        now: the scheduling cycle's one clock value, ns since the epoch.
        counting: how a part of a delay counts.

    Returns:
        ns since the epoch, after `now`; whether the priority still changes there is for DYN-030 to say.

    Source: KEP-754, Priority Calculation: the first instant at which the number of steps is another one.

    >>> hourly = DynamicPriorityPolicy(step=400, max=1000, delay_for_step=3600)
    >>> waiting = Workload("ns", "w", "u", priority=0, created_at=0)
    >>> next_step_at(waiting, hourly, 3600, PrioritySteps.FLOOR)
    7200
    >>> next_step_at(waiting, hourly, 3600, PrioritySteps.CEIL)
    3601
    """
    elapsed = elapsed_time(workload, now)
    steps = elapsed_steps(elapsed, policy.delay_for_step, counting)
    start = workload.created_at if workload.job_created_at is None else workload.job_created_at
    if counting == PrioritySteps.FLOOR:
        return start + (steps + 1) * policy.delay_for_step
    return start + steps * policy.delay_for_step + 1


@rule("DYN-070")
def priority_in_decision(workload: Workload, grown: int | None, boost_gate: bool) -> int:
    """The one number that decisions compare as a workload's priority.

    > A decision uses the priority that the class's policy gives, or the
    > workload's own priority when its class has no policy. KQ-080 adds the
    > boost to either, after max has been applied.

    Args:
        workload: whose priority it is.
        grown: what its class's policy gives (DYN-050); None where its class has no policy.
        boost_gate: feature gate PriorityBoost.

    Returns:
        a sum that may lie above max, and outside 32 bits.

    Source: KEP-754, Proposal and Priority Calculation; Kueue main of August 2026, effective priority.

    >>> boosted = Workload("ns", "w", "u", priority=100, created_at=0, priority_boost=7)
    >>> [priority_in_decision(boosted, grown, boost_gate=True) for grown in (None, 500)]
    [107, 507]
    """
    if grown is None:
        return effective_priority(workload.priority, workload.priority_boost, boost_gate)
    return effective_priority(grown, workload.priority_boost, boost_gate)
