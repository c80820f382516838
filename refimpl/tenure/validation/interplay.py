"""Policies of several objects that together do something else than each of them says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tenure.manifests.showing import listed
from tenure.model import FairStrategy
from tenure.validation.cautions import is_hero, quotas
from tenure.validation.faults import Fault, WarningType
from tenure.validation.overview import Overview
from tenure.validation.subject import Subject, quantity, text, whole

_BORROW = ("spec", "preemption", "borrowWithinCohort")


def thresholds(overview: Overview) -> Iterator[tuple[Subject, Fault]]:
    """A threshold that no priority class is above bounds nothing; one that all are above allows nothing.

    Source: Kueue v1beta2 API, BorrowWithinCohort.

    >>> from tenure.validation.overview import overview
    >>> borrow = {"policy": "LowerPriority", "maxPriorityThreshold": 1000}
    >>> queue = Subject("ClusterQueue", {"spec": {"preemption": {"borrowWithinCohort": borrow}}})
    >>> classes = [Subject("WorkloadPriorityClass", {"value": value}) for value in (10, 100)]
    >>> [fault.type.value for _, fault in thresholds(overview([queue, *classes]))]
    ['ThresholdBoundsNothing']
    """
    priorities = [
        value
        for each in overview.of("WorkloadPriorityClass")
        if (value := whole(each.get("value"))) is not None
    ]
    for queue in overview.of("ClusterQueue"):
        threshold = whole(queue.get(*_BORROW, "maxPriorityThreshold"))
        if threshold is None or not priorities or queue.get(*_BORROW, "policy") in (None, "Never"):
            continue
        message = None
        if threshold >= max(priorities):
            message = (
                f"no priority class is above {threshold} (the highest is {max(priorities)}), so that it "
                "protects nobody: lower it, or leave it out"
            )
        elif threshold < min(priorities):
            message = (
                f"every priority class is above {threshold} (the lowest is {min(priorities)}), so that only "
                "workloads without a class may be taken while borrowing: raise it, or set policy Never"
            )
        if message is not None:
            path = f"{'.'.join(_BORROW)}.maxPriorityThreshold"
            yield queue, Fault(WarningType.THRESHOLD_BOUNDS_NOTHING, path, message)


def lent_for_good(overview: Overview) -> Iterator[tuple[Subject, Fault]]:
    """Who lends and never reclaims waits until the borrower is done.

    Source: Kueue v1beta2 API, ClusterQueuePreemption: reclaimWithinCohort is Never by default.
    """
    roots = [overview.root(queue) for queue in overview.of("ClusterQueue")]
    members = Counter(roots)
    for queue, root in zip(overview.of("ClusterQueue"), roots, strict=True):
        shared = bool(root) and members[root] > 1
        reclaim = queue.get("spec", "preemption", "reclaimWithinCohort")
        if shared and reclaim in (None, "Never") and not is_hero(queue.raw) and _lends(queue):
            message = (
                "the queue lends what it does not use and never takes it back: its own workloads wait until "
                "the borrowers are done. Set LowerPriority or Any, or lendingLimit 0"
            )
            yield queue, Fault(WarningType.LENT_FOR_GOOD, "spec.preemption.reclaimWithinCohort", message)


def borrowing_under_fair_sharing(overview: Overview) -> Iterator[tuple[Subject, Fault]]:
    """Fair sharing does not look at `borrowWithinCohort`.

    Source: Kueue, preemption under fair sharing.
    """
    for queue in overview.of("ClusterQueue") if overview.fair_sharing is not None else ():
        if queue.get(*_BORROW, "policy") not in (None, "Never"):
            message = "no effect under fair sharing, which the Configuration switches on: leave it out"
            yield queue, Fault(WarningType.NO_EFFECT, f"{'.'.join(_BORROW)}.policy", message)


def fair_sharing_loop(overview: Overview) -> Iterator[tuple[Subject, Fault]]:
    """With LessThanInitialShare, two queues that take from themselves and from each other may do so for ever.

    Source: kubernetes-sigs/kueue, issue #14543: fill-back may leave an eviction that the strategies forbid.
    """
    if FairStrategy.LESS_THAN_INITIAL_SHARE not in (overview.fair_sharing or ()):
        return
    by_root: dict[str, list[str]] = {}
    for queue in overview.of("ClusterQueue"):
        policies = [
            queue.get("spec", "preemption", f"{name}")
            for name in ("withinClusterQueue", "reclaimWithinCohort")
        ]
        root = overview.root(queue)
        if root and not is_hero(queue.raw) and not any(policy in (None, "Never") for policy in policies):
            by_root.setdefault(root, []).append(queue.name)
    for configuration in overview.of("Configuration"):
        for names in by_root.values():
            if len(names) > 1:
                message = (
                    f"with LessThanInitialShare {listed(names)} may evict each other for ever, because each "
                    "also takes from itself (kubernetes-sigs/kueue#14543): name LessThanOrEqualToFinalShare "
                    "alone, or set withinClusterQueue Never"
                )
                field = "fairSharing.preemptionStrategies"
                yield configuration, Fault(WarningType.EVICTION_LOOP, field, message)


def bypassed_lending_limits(overview: Overview) -> Iterator[tuple[Subject, Fault]]:
    """A hero takes idle quota below its cohort whatever the lending limits there say.

    Source: KEP-8826, Lending Limits.
    """
    heroes = [queue for queue in overview.of("ClusterQueue") if is_hero(queue.raw)]
    scopes = {text(hero.get("spec", "cohortName")): hero.name for hero in heroes}
    members = [(each, each.get("spec", "cohortName")) for each in overview.of("ClusterQueue")]
    members += [(each, each.get("spec", "parentName")) for each in overview.of("Cohort")]
    for member, parent in members:
        above = [scopes[cohort] for cohort in overview.above(parent) if cohort in scopes]
        if not above or is_hero(member.raw) or _honours_lending(member):
            continue
        for path, quota in quotas(member.raw):
            if quota.get("lendingLimit") is not None:
                message = f"the hero queue {above[0]} takes idle quota here whatever the limit says"
                yield member, Fault(WarningType.LENDING_LIMIT_BYPASSED, f"{path}.lendingLimit", message)


def _honours_lending(subject: Subject) -> bool:
    """Whether the reading lets a hero honour lending limits."""
    chosen = getattr(subject.reading, "hero_lending", None)
    return chosen is not None and chosen.name == "HONOUR"


def _lends(queue: Subject) -> bool:
    return any(
        (quantity(quota.get("nominalQuota")) or 0) > 0 and quantity(quota.get("lendingLimit")) != 0
        for _, quota in quotas(queue.raw)
    )
