"""What one object may hold and hardly means: legal, and dangerous or without effect."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tenure.manifests.feature_gates import TIME_BASED
from tenure.manifests.kueue_api import unmodelled_in
from tenure.manifests.quantities import MAX_AMOUNT, quota_of
from tenure.manifests.showing import show
from tenure.manifests.structure import dig, entries
from tenure.model import PreemptionRules
from tenure.readings import RequeueOrder
from tenure.validation.cluster_queue import EQUALS
from tenure.validation.faults import Fault, Subject, WarningType, duration, quantity, text

HERO = PreemptionRules.UBER_CLUSTER_QUEUE.label
_CAN_BORROW = ("spec", "flavorFungibility", "whenCanBorrow")
_PREEMPTION = "spec.preemption"


def not_modelled(subject: Subject) -> Iterator[Fault]:
    """What Kueue may decide by, and Tenure does not model.

    Source: spec/kueue-api.toml.

    >>> queue = Subject("ClusterQueue", {"metadata": {"name": "a"}, "status": {"effectiveQuotas": {}}})
    >>> [fault.type.value for fault in not_modelled(queue)]
    ['NotModelled']
    """
    for found in unmodelled_in(subject.raw, subject.kind, subject.name):
        if subject.gates.get(found.gate, True):
            without = f"; it has no effect while feature gate {found.gate} is off" if found.gate else ""
            message = f"{found.text}: answers that it touches are not known{without}"
            yield Fault(WarningType.NOT_MODELLED, found.field, message)


def unused_time_based_config(subject: Subject) -> Iterator[Fault]:
    """A `withinClusterQueueConfig` that does nothing.

    Source: KEP-8522, Webhook Validation, rule 2; its feature gate.

    >>> preemption = {"withinClusterQueue": "LowerOrNewerEqualPriority", "withinClusterQueueConfig": {}}
    >>> queue = Subject("ClusterQueue", {"spec": {"preemption": preemption}})
    >>> [fault.type.value for fault in unused_time_based_config(queue)]
    ['NoEffect']
    """
    config = subject.get("spec", "preemption", "withinClusterQueueConfig")
    if config is None or subject.get("spec", "preemption", "withinClusterQueue") != EQUALS:
        return
    path = f"{_PREEMPTION}.withinClusterQueueConfig"
    if subject.get("spec", "preemption", "withinClusterQueueConfig", "minAdmitDuration") is None:
        message = "without minAdmitDuration the configuration has no effect: set it, or leave both out"
        yield Fault(WarningType.NO_EFFECT, path, message)
    elif not subject.gates.get(TIME_BASED, True):
        message = f"feature gate {TIME_BASED} is off, so that no duration is in force: switch it on"
        yield Fault(WarningType.NO_EFFECT, f"{path}.minAdmitDuration", message)


def alternating_victims(subject: Subject) -> Iterator[Fault]:
    """Where a victim keeps its place by creation time, the oldest of some equals alternate for ever.

    Source: finding F-003; key `requeue_order` of the readings.
    """
    path = ("spec", "preemption", "withinClusterQueueConfig", "minAdmitDuration")
    in_force = duration(subject.get(*path)) is not None and subject.gates.get(TIME_BASED, True)
    if in_force and subject.reading.requeue_order == RequeueOrder.CREATION:
        message = (
            "under this reading a victim queues again from its creation, so that the oldest equals take the "
            "quota from each other for ever and younger ones never run (F-003)"
        )
        yield Fault(WarningType.ALTERNATING_VICTIMS, ".".join(path), message)


def unused_policies(subject: Subject) -> Iterator[Fault]:
    """A policy about the cohort where there is none, and a threshold that nothing uses.

    Source: Kueue v1beta2 API, ClusterQueuePreemption.

    >>> queue = Subject("", {"spec": {"preemption": {"reclaimWithinCohort": "Any"}}})
    >>> [fault.field for fault in unused_policies(queue)]
    ['spec.preemption.reclaimWithinCohort']
    """
    if is_hero(subject.raw):
        return
    reclaim = subject.get("spec", "preemption", "reclaimWithinCohort")
    if not subject.get("spec", "cohortName") and reclaim not in (None, "Never"):
        message = "the queue is in no cohort, where nothing can be reclaimed: name a cohort, or leave it out"
        yield Fault(WarningType.NO_EFFECT, f"{_PREEMPTION}.reclaimWithinCohort", message)
    # The other choice is the default, which the API server writes into every queue.
    if not subject.get("spec", "cohortName") and subject.get(*_CAN_BORROW) == "TryNextFlavor":
        message = "the queue is in no cohort, where nothing can be borrowed: name a cohort, or leave it out"
        yield Fault(WarningType.NO_EFFECT, ".".join(_CAN_BORROW), message)
    borrow = subject.get("spec", "preemption", "borrowWithinCohort")
    threshold = dig(borrow, "maxPriorityThreshold")
    if threshold is not None and dig(borrow, "policy") in (None, "Never"):
        message = "no effect beside policy Never: set policy LowerPriority, or leave the threshold out"
        yield Fault(WarningType.NO_EFFECT, f"{_PREEMPTION}.borrowWithinCohort.maxPriorityThreshold", message)


def hero_queue(subject: Subject) -> Iterator[Fault]:
    """What a hero queue ignores, and a hero without effect.

    Source: KEP-8826, API: the existing fields are overridden or augmented; the scope is the cohort's subtree.

    >>> preemption = {"rules": "UberClusterQueueRules", "reclaimWithinCohort": "Any"}
    >>> [fault.type.value for fault in hero_queue(Subject("", {"spec": {"preemption": preemption}}))]
    ['HeroWithoutCohort', 'NoEffect']
    """
    if not is_hero(subject.raw):
        return
    if not subject.get("spec", "cohortName"):
        message = "a hero preempts in its cohort's subtree; in no cohort it is an ordinary queue: name one"
        yield Fault(WarningType.HERO_WITHOUT_COHORT, f"{_PREEMPTION}.rules", message)
    for field, path in (
        ("reclaimWithinCohort", ("reclaimWithinCohort",)),
        ("borrowWithinCohort.policy", ("borrowWithinCohort", "policy")),
    ):
        if subject.get("spec", "preemption", *path) not in (None, "Never"):
            message = f"no effect beside rules {HERO}, which take its place: leave it out"
            yield Fault(WarningType.NO_EFFECT, f"{_PREEMPTION}.{field}", message)


def limits(subject: Subject) -> Iterator[Fault]:
    """Limits that turn borrowing or lending off.

    Source: Kueue, borrowing and lending limits; rules KQ-120 and KQ-150.

    >>> quota = {"name": "cpu", "nominalQuota": 8, "borrowingLimit": 0}
    >>> group = {"flavors": [{"name": "x86", "resources": [quota]}]}
    >>> queue = Subject("", {"spec": {"cohortName": "all", "resourceGroups": [group]}})
    >>> [fault.type.value for fault in limits(queue)]
    ['NeverBorrows']
    """
    alone = not subject.get("spec", "cohortName")
    for path, quota in quotas(subject.raw):
        yield from _limit_faults(path, quota, alone=alone)


def unlimited_lends_nothing(subject: Subject) -> Iterator[Fault]:
    """What remains of an unlimited quota beside a lending limit is unlimited, so that nothing is passed up.

    Source: Kueue, saturating amounts; rules KQ-110, KQ-120 and KQ-130.
    """
    for path, quota in quotas(subject.raw):
        name = text(quota.get("name"))
        nominal, lent = quantity(quota.get("nominalQuota")), quantity(quota.get("lendingLimit"))
        if nominal is None or not lent:
            continue
        if quota_of(name, nominal) == MAX_AMOUNT and quota_of(name, lent) < MAX_AMOUNT:
            message = (
                "beside an unlimited nominalQuota nothing is lent, whatever the limit: leave the limit "
                "out, or write a quota that is finite"
            )
            yield Fault(WarningType.UNLIMITED_LENDS_NOTHING, f"{path}.lendingLimit", message)


def unreadable_weight(subject: Subject) -> Iterator[Fault]:
    """A weight that has the form of a quantity, so that the API server accepts it, but is no number.

    Source: Kueue v1beta2 API, the pattern of FairSharing; Kubernetes API machinery, resource.ParseQuantity.

    >>> queue = Subject("LocalQueue", {"spec": {"fairSharing": {"weight": "1e1.5"}}})
    >>> [fault.type.value for fault in unreadable_weight(queue)]
    ['Unreadable']
    """
    written = subject.get("spec", "fairSharing", "weight")
    if isinstance(written, str) and quantity(written) is None:
        message = f"found {show(written)}: the API server takes it, and Kueue cannot read the LocalQueue"
        yield Fault(WarningType.UNREADABLE, "spec.fairSharing.weight", message)


def zero_weight(subject: Subject) -> Iterator[Fault]:
    """A weight of 0 makes every borrowed amount an infinite share.

    Source: Kueue, FairSharing: whoever borrows with weight 0 is the first to be preempted; issue #6774.

    >>> [fault.field for fault in zero_weight(Subject("", {"spec": {"fairSharing": {"weight": "0"}}}))]
    ['spec.fairSharing.weight']
    """
    if quantity(subject.get("spec", "fairSharing", "weight")) == 0:
        message = (
            "with weight 0 the share is infinite as soon as anything is borrowed: among its siblings the "
            "first to be preempted, and then preempting in none that has a weight. If that is not meant, "
            "write a weight above 0"
        )
        yield Fault(WarningType.ZERO_WEIGHT, "spec.fairSharing.weight", message)


def is_hero(queue: object) -> bool:
    """Whether a ClusterQueue uses KEP-8826's rules."""
    return bool(dig(queue, "spec", "preemption", "rules") == HERO)


def quotas(holder: object) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every quota of a ClusterQueue or Cohort, with its path.

    >>> group = {"flavors": [{"resources": [{"name": "cpu"}]}]}
    >>> list(quotas({"spec": {"resourceGroups": [group]}}))
    [('spec.resourceGroups[0].flavors[0].resources[0]', {'name': 'cpu'})]
    """
    for i, group in entries(dig(holder, "spec", "resourceGroups")):
        for j, flavor in entries(group.get("flavors")):
            for k, quota in entries(flavor.get("resources")):
                yield f"spec.resourceGroups[{i}].flavors[{j}].resources[{k}]", quota


def _limit_faults(path: str, quota: dict[str, Any], *, alone: bool) -> Iterator[Fault]:
    nominal = quantity(quota.get("nominalQuota"))
    never_borrows = quantity(quota.get("borrowingLimit")) == 0
    if nominal == 0 and (alone or never_borrows):
        message = "no quota and no borrowing: no workload that requests this resource ever fits this flavor"
        yield Fault(WarningType.NOTHING_FITS, f"{path}.nominalQuota", message)
    elif never_borrows and not alone:
        message = (
            "0 means that nothing is ever borrowed, not that there is no limit: for no limit leave it out"
        )
        yield Fault(WarningType.NEVER_BORROWS, f"{path}.borrowingLimit", message)
