"""Priorities that grow with time, and the classes that a reading refuses."""

from __future__ import annotations

from tenure.errors import InputError, Problem
from tenure.model import Cluster, DynamicPriorityPolicy, Instant, PolicyFault, Workload, WorkloadPriorityClass
from tenure.readings import Reading
from tenure.rules.dynamic_priority import policy_fault, priority_at


def grown_priority(workload: Workload, cluster: Cluster, now: Instant, reading: Reading) -> int | None:
    """The priority that a workload's class gives it at an instant; None where its class has no policy.

    Args:
        workload: any workload.
        cluster: its classes that have a policy.
        now: ns since the epoch.
        reading: see `tenure.readings`; keys `priority_steps` and `invalid_class`.

    Raises:
        InputError: the reading refuses the class. One that no workload of a decision uses refuses nothing.

    Source: KEP-754, Priority Calculation; it is silent on faulty classes, see rule DYN-040.

    >>> from tenure.readings import preset
    >>> falling = WorkloadPriorityClass("c", 5, DynamicPriorityPolicy(step=-1, max=9, delay_for_step=1))
    >>> cluster = Cluster({}, growing={"c": falling})
    >>> arguments = Workload("ns", "w", "u", priority=0, created_at=0, priority_class="c"), cluster, 3
    >>> grown_priority(*arguments, preset("as-written"))
    2
    >>> grown_priority(*arguments, preset("guaranteed"))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tenure.errors.InputError: WorkloadPriorityClass/c: spec.dynamicPriorityPolicy.step: found -1, expected ...
    """
    class_named = cluster.growing.get
    growing = class_named(workload.priority_class)
    if growing is None or growing.policy is None:
        return None
    return _given_by(growing, growing.policy, workload, now, reading)


def _given_by(
    growing: WorkloadPriorityClass,
    policy: DynamicPriorityPolicy,
    workload: Workload,
    now: Instant,
    reading: Reading,
) -> int:
    fault = policy_fault(growing.base, policy, reading.invalid_class)
    if fault != PolicyFault.NONE:
        raise InputError([_problem(growing, policy, fault)])
    return priority_at(workload, growing.base, policy, now, reading.priority_steps)


def _problem(growing: WorkloadPriorityClass, policy: DynamicPriorityPolicy, fault: PolicyFault) -> Problem:
    field, found, expected = _field_found_expected(fault, growing.base, policy)
    place = f"WorkloadPriorityClass/{growing.name}"
    return Problem(f"{growing.policy_path}.{field}", found, expected, object=place)


def _field_found_expected(
    fault: PolicyFault, base: int, policy: DynamicPriorityPolicy
) -> tuple[str, str, str]:
    """The field, what was found there and what would have been right."""
    if fault == PolicyFault.NO_DELAY:
        return "delayForStep", f"{policy.delay_for_step} ns", "a time above 0s: the equation divides by it"
    if fault == PolicyFault.NEGATIVE_STEP:
        return "step", str(policy.step), "0 or more: a priority that falls with time admits no workload"
    if fault == PolicyFault.NO_MAX:
        return "max", "nothing", "a maximum: without one it counts as 0"
    return "max", str(policy.max), f"at least the base, {base}"
