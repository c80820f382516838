"""A WorkloadPriorityClass whose priority grows with time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from tenure.manifests.structure import whole
from tenure.readings import InvalidClass, Reading
from tenure.validation.faults import Fault, Subject, WarningType, duration, invalid, required

_PLACES: Final = (("dynamicPriorityPolicy",), ("spec", "dynamicPriorityPolicy"))


def base_priority(subject: Subject) -> Iterator[Fault]:
    """A class has one base: the released `value`, or the proposal's `spec.priority`, or both alike.

    Source: Kueue v1beta2 API, WorkloadPriorityClass; KEP-754, WorkloadPriorityClass API.

    >>> [fault.field for fault in base_priority(Subject("", {"value": 1, "spec": {"priority": 2}}))]
    ['spec.priority']
    """
    value, proposed = subject.get("value"), subject.get("spec", "priority")
    if value is None and proposed is None:
        yield required("value", "the priority of the class")
    elif value is not None and proposed is not None and value != proposed:
        yield invalid("spec.priority", proposed, f"the same as value, {value}, or nothing")


def one_policy(subject: Subject) -> Iterator[Fault]:
    """The policy is in one of its two places."""
    both = [subject.get(*place) for place in _PLACES]
    if all(policy is not None for policy in both) and both[0] != both[1]:
        yield invalid("spec.dynamicPriorityPolicy", both[1], "one policy, beside value or below spec")


def step_delay(subject: Subject) -> Iterator[Fault]:
    """The time between two steps is positive, under every reading.

    Source: KEP-754, Priority Calculation: the equation divides by `delayForStep`.

    >>> never = Subject("WorkloadPriorityClass", {"dynamicPriorityPolicy": {"delayForStep": "0s"}})
    >>> [fault.type.value for fault in step_delay(never)]
    ['FieldValueInvalid']
    """
    for path, policy in policies(subject):
        written = policy.get("delayForStep")
        delay = duration(written)
        if written is None:
            yield required(f"{path}.delayForStep", "a time above 0s: the equation divides by it")
        elif delay is not None and delay <= 0:
            yield invalid(f"{path}.delayForStep", written, "a time above 0s: the equation divides by it")


def refused_growth(subject: Subject) -> Iterator[Fault]:
    """A policy that cannot grow, where the reading refuses it.

    Source: KEP-754 is silent; key `invalid_class` of the readings.

    >>> policy = {"step": -1, "max": 5, "delayForStep": "1h"}
    >>> [fault.field for fault in refused_growth(Subject("", {"value": 10, "dynamicPriorityPolicy": policy}))]
    ['dynamicPriorityPolicy.step', 'dynamicPriorityPolicy.max']
    """
    if refuses(subject.reading):
        yield from _shrinking(subject)


def computed_growth(subject: Subject) -> Iterator[Fault]:
    """The same policy as a warning, where the reading computes the equation all the same."""
    if not refuses(subject.reading):
        for fault in _shrinking(subject):
            message = f"{fault.message}; the reading {subject.reading.name} computes with it"
            yield Fault(WarningType.INVALID_PRIORITY_CLASS, fault.field, message)


def no_growth(subject: Subject) -> Iterator[Fault]:
    """A step of 0 never changes a priority."""
    for path, policy in policies(subject):
        if policy.get("step") in (None, 0):
            message = "the priority never changes with a step of 0: set a step, or leave the policy out"
            yield Fault(WarningType.NO_EFFECT, f"{path}.step", message)


def refuses(reading: Reading) -> bool:
    """Whether a class that cannot grow is refused.

    >>> from tenure.readings import preset
    >>> refuses(preset("guaranteed")), refuses(preset("released"))
    (True, False)
    """
    return reading.invalid_class == InvalidClass.REFUSE


def policies(subject: Subject) -> list[tuple[str, dict[str, Any]]]:
    """The policies of a class, each with its path."""
    found = [(".".join(place), subject.get(*place)) for place in _PLACES]
    return [(path, policy) for path, policy in found if isinstance(policy, dict)]


def _shrinking(subject: Subject) -> Iterator[Fault]:
    base = whole(subject.get("value"))
    base = whole(subject.get("spec", "priority")) if base is None else base
    for path, policy in policies(subject):
        step, most = whole(policy.get("step")), whole(policy.get("max"))
        if step is not None and step < 0:
            yield invalid(
                f"{path}.step", step, "at least 0: a priority that falls with time admits no workload"
            )
        if policy.get("max") is None:
            yield required(f"{path}.max", "a maximum: without one it counts as 0")
        elif most is not None and base is not None and most < base:
            yield invalid(f"{path}.max", most, f"at least the base, {base}")
