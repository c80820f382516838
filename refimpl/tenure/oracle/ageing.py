"""Classes whose priority grows with time: which of them a reading refuses."""

from __future__ import annotations

from collections.abc import Iterator

from tenure.errors import InputError, Problem
from tenure.model import Cluster, DynamicPriorityPolicy, PolicyFault, WorkloadPriorityClass
from tenure.readings import Reading
from tenure.rules.dynamic_priority import policy_fault


def refuse_faulty_classes(cluster: Cluster, reading: Reading) -> None:
    """Refuse a cluster with a WorkloadPriorityClass that the reading refuses.

    Args:
        cluster: its classes that have a policy.
        reading: see `tenure.readings`; key `invalid_class`.

    Raises:
        InputError: every such class, with the field that is wrong.

    Source: KEP-754 is silent; rule DYN-040.

    >>> from tenure.readings import preset
    >>> falling = WorkloadPriorityClass("c", 5, DynamicPriorityPolicy(step=-1, max=9, delay_for_step=1))
    >>> refuse_faulty_classes(Cluster({}, growing={"c": falling}), preset("as-written"))
    >>> refuse_faulty_classes(
    ...     Cluster({}, growing={"c": falling}), preset("guaranteed")
    ... )  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tenure.errors.InputError: WorkloadPriorityClass/c: spec.dynamicPriorityPolicy.step: found -1, expected ...
    """
    if not cluster.growing:
        return
    problems = [
        problem
        for priority_class in cluster.growing.values()
        for problem in faults_of(priority_class, reading)
    ]
    if problems:
        raise InputError(problems)


def faults_of(growing: WorkloadPriorityClass, reading: Reading) -> Iterator[Problem]:
    """What is wrong with one class under a reading, the first fault only.

    >>> from tenure.readings import preset
    >>> list(faults_of(WorkloadPriorityClass("c", 5), preset("guaranteed")))
    []
    """
    if growing.policy is None:
        return
    fault = policy_fault(growing.base, growing.policy, reading.invalid_class)
    if fault != PolicyFault.NONE:
        field, found, expected = _said(fault, growing.base, growing.policy)
        place = f"WorkloadPriorityClass/{growing.name}"
        yield Problem(f"{growing.policy_path}.{field}", found, expected, object=place)


def _said(fault: PolicyFault, base: int, policy: DynamicPriorityPolicy) -> tuple[str, str, str]:
    """The field, what was found there and what would have been right."""
    if fault == PolicyFault.NO_DELAY:
        return "delayForStep", f"{policy.delay_for_step} ns", "a time above 0s: the equation divides by it"
    if fault == PolicyFault.NEGATIVE_STEP:
        return "step", str(policy.step), "0 or more: a priority that falls with time admits no workload"
    if fault == PolicyFault.NO_MAX:
        return "max", "nothing", "a maximum: without one it counts as 0"
    return "max", str(policy.max), f"at least the base, {base}"
