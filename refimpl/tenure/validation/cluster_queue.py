"""Policies of a ClusterQueue, as Kueue's webhook and the proposals check them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from tenure.manifests.showing import comma_separated, show
from tenure.manifests.structure import entries, items
from tenure.model import WithinClusterQueue
from tenure.validation.faults import (
    Fault,
    Subject,
    WarningType,
    duration,
    forbidden,
    invalid,
    not_supported,
    text,
)
from tenure.validation.labels import selector_faults

SHORTEST_ADMIT: Final = 60 * 10**9
"""The shortest `minAdmitDuration`: one minute."""

EQUALS: Final = WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY.label
"""The one policy that KEP-8522 adds to."""

_MOST_FLAVORS = 16
_CONFIG = "spec.preemption.withinClusterQueueConfig"
_POLICY = "spec.concurrentAdmissionPolicy"
_CONCURRENT = "ConcurrentAdmission"


def namespace_selector(subject: Subject) -> Iterator[Fault]:
    """Source: Kueue, ClusterQueue webhook."""
    yield from selector_faults(subject.get("spec", "namespaceSelector"), "spec.namespaceSelector")


def borrowing_needs_reclaiming(subject: Subject) -> Iterator[Fault]:
    """Who may preempt while borrowing may reclaim.

    Source: Kueue, ClusterQueue webhook, and a validation rule of its schema; the defaults are Never.

    >>> preemption = {"borrowWithinCohort": {"policy": "LowerPriority"}}
    >>> queue = Subject("ClusterQueue", {"spec": {"preemption": preemption}})
    >>> [fault.field for fault in borrowing_needs_reclaiming(queue)]
    ['spec.preemption']
    """
    preemption = subject.get("spec", "preemption")
    borrow = subject.get("spec", "preemption", "borrowWithinCohort", "policy")
    reclaim = subject.get("spec", "preemption", "reclaimWithinCohort")
    if borrow not in (None, "Never") and reclaim in (None, "Never"):
        expected = "borrowWithinCohort.policy Never, or a reclaimWithinCohort other than Never"
        yield invalid("spec.preemption", preemption, expected)


def preference_needs_trying(subject: Subject) -> Iterator[Fault]:
    """A preference among flavors needs that the next one is tried, whether borrowing or preempting.

    Source: Kueue, ClusterQueue webhook, and a validation rule of its schema. By default whenCanBorrow is
    MayStopSearch, and whenCanPreempt TryNextFlavor.
    """
    fungibility = subject.get("spec", "flavorFungibility")
    preference = subject.get("spec", "flavorFungibility", "preference")
    if preference is None:
        return
    words = (fungibility.get("whenCanBorrow"), fungibility.get("whenCanPreempt") or "TryNextFlavor")
    if words != ("TryNextFlavor", "TryNextFlavor"):
        expected = "no preference unless whenCanBorrow and whenCanPreempt are TryNextFlavor"
        yield invalid("spec.flavorFungibility.preference", preference, expected)


def time_based_config(subject: Subject) -> Iterator[Fault]:
    """A minimum of one minute, and beside one policy only; an empty configuration is one too.

    With its feature gate off the configuration is validated all the same.

    Source: KEP-8522, Webhook Validation, rules 1 to 3.

    >>> def refused(policy, config):
    ...     preemption = {"withinClusterQueue": policy, "withinClusterQueueConfig": config}
    ...     queue = Subject("ClusterQueue", {"spec": {"preemption": preemption}})
    ...     return [fault.type.value for fault in time_based_config(queue)]
    >>> refused("LowerOrNewerEqualPriority", {"minAdmitDuration": "1m"}), refused("Never", {})
    ([], ['FieldValueForbidden'])
    >>> refused("LowerOrNewerEqualPriority", {"minAdmitDuration": "59s"})
    ['FieldValueInvalid']
    """
    config = subject.get("spec", "preemption", "withinClusterQueueConfig")
    if config is None:
        return
    policy = subject.get("spec", "preemption", "withinClusterQueue")
    if policy in (None, "Never", "LowerPriority"):
        expected = f"nothing unless withinClusterQueue is {EQUALS}; it is {policy or 'Never'}"
        yield forbidden(_CONFIG, config, expected)
    written = subject.get("spec", "preemption", "withinClusterQueueConfig", "minAdmitDuration")
    least = duration(written)
    if least is not None and least < SHORTEST_ADMIT:
        yield invalid(f"{_CONFIG}.minAdmitDuration", written, "at least 1m")


def checks_on_flavors(subject: Subject) -> Iterator[Fault]:
    """An admission check is requested on flavors that the queue has.

    Of an update, what was already wrong and has not changed passes, unless feature gate
    RejectUpdatesToCQWithInvalidOnFlavors is on or the queue's flavors changed.

    Source: Kueue, ClusterQueue webhook.
    """
    flavors = flavor_names(subject.raw)
    before = _checks_before(subject, flavors)
    checks = subject.get("spec", "admissionChecksStrategy", "admissionChecks")
    for i, check in entries(checks):
        on = items(check.get("onFlavors"))
        if before.get(text(check.get("name"))) == set(map(text, on)):
            continue
        for j, name in enumerate(on):
            if isinstance(name, str) and name not in flavors:
                path = f"spec.admissionChecksStrategy.admissionChecks[{i}].onFlavors[{j}]"
                yield not_supported(path, name, flavors)


def concurrent_admission(subject: Subject) -> Iterator[Fault]:
    """What a policy of concurrent admission demands of the rest of the queue, with its feature gate.

    Source: Kueue, ClusterQueue webhook, with feature gate ConcurrentAdmission, which is off by default.
    """
    if subject.gates.get(_CONCURRENT, False):
        yield from _beside_policy(subject)


def concurrent_admission_later(subject: Subject) -> Iterator[Fault]:
    """The same as warnings where nothing switches the gate: whoever writes a policy means to switch it on."""
    if _CONCURRENT not in subject.gates:
        for fault in _beside_policy(subject):
            message = f"{fault.message}, where feature gate {_CONCURRENT} is on; it is off by default"
            yield Fault(WarningType.REFUSED_WITH_GATE, fault.field, message)


def _beside_policy(subject: Subject) -> Iterator[Fault]:
    if subject.get("spec", "concurrentAdmissionPolicy") is None:
        return
    groups = items(subject.get("spec", "resourceGroups"))
    if len(groups) != 1:
        yield invalid("spec.resourceGroups", len(groups), f"exactly one group beside {_POLICY}")
    elif len(flavors := _flavors(groups)) > _MOST_FLAVORS:
        expected = f"at most {_MOST_FLAVORS} flavors beside {_POLICY}"
        yield invalid("spec.resourceGroups[0].flavors", len(flavors), expected)
    yield from _migration(subject)
    if subject.get("spec", "queueingStrategy") == "StrictFIFO":
        yield invalid("spec.queueingStrategy", "StrictFIFO", f"BestEffortFIFO beside {_POLICY}")


def flavor_names(queue: object) -> list[str]:
    """The names of all flavors of a ClusterQueue or Cohort, in their order.

    >>> flavor_names({"spec": {"resourceGroups": [{"flavors": [{"name": "x86"}, {"name": "arm"}]}]}})
    ['x86', 'arm']
    """
    groups = items(Subject("", queue).get("spec", "resourceGroups"))
    return [name for flavor in _flavors(groups) if isinstance(name := flavor.get("name"), str)]


def _flavors(groups: list[Any]) -> list[dict[str, Any]]:
    return [flavor for _, group in entries(groups) for _, flavor in entries(group.get("flavors"))]


def _checks_before(subject: Subject, flavors: list[str]) -> dict[str, set[str]]:
    """The flavors of each admission check before an update, where they excuse it."""
    strict = subject.gates.get("RejectUpdatesToCQWithInvalidOnFlavors", False)
    if subject.old is None or strict or set(flavor_names(subject.old)) != set(flavors):
        return {}
    old = Subject(subject.kind, subject.old)
    checks = entries(old.get("spec", "admissionChecksStrategy", "admissionChecks"))
    return {text(check.get("name")): set(map(text, items(check.get("onFlavors")))) for _, check in checks}


def _migration(subject: Subject) -> Iterator[Fault]:
    path = ("spec", "concurrentAdmissionPolicy", "migration")
    constraints, mode = subject.get(*path, "constraints"), subject.get(*path, "mode")
    if constraints is None:
        return
    if mode not in (None, "", "TryPreferredFlavors"):
        expected = f"none unless mode is TryPreferredFlavors; it is {show(mode)}"
        yield forbidden(f"{_POLICY}.migration.constraints", constraints, expected)
        return
    last = subject.get(*path, "constraints", "lastAcceptableFlavorName")
    names = flavor_names(subject.raw)
    if isinstance(last, str) and last not in names:
        expected = f"one of the queue's flavors: {comma_separated(names)}"
        yield invalid(f"{_POLICY}.migration.constraints.lastAcceptableFlavorName", last, expected)
