"""Loops in a tree of ClusterQueues: the theorems that exclude them, or the conditions that are missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tenure.model import (
    Amount,
    Cluster,
    ClusterQueue,
    FlavorResource,
    QueueingStrategy,
    ReclaimWithinCohort,
    Settings,
    WithinClusterQueue,
)
from tenure.oracle.assignment import PODS
from tenure.oracle.topology import has_topology
from tenure.oracle.tree import build_tree, potential_at, quota_at
from tenure.readings import Reading
from tenure.rules.terms import terms_of
from tenure.rules.time_based import duration_in_force
from tenure.units import format_amount, format_duration, format_names
from tenure_check.analysis.closed_systems import CohortTree
from tenure_check.analysis.configured_order import MutualQueues, mutual_queues, queue_steps

_DOWN, _TURN, _PROMISE = ("PO-ANY-340",), ("PO-AN-050", "PO-ANY-350"), ("PO-ANY-350",)
_ONE_FLAVOR = "a resource group has one flavor, or its ClusterQueue is StrictFIFO"
_NO_PODS = "a ClusterQueue has no quota for pods, or is StrictFIFO"
_MEASURED, _TURN_MEASURED = "PO-ANY-335", ("PO-ANY-345", "PO-ANY-350")


@dataclass(frozen=True, slots=True)
class ProvedOfLoops:
    """Theorems about loops that apply to a tree."""

    theorems: tuple[str, ...]
    """Their identifiers; `tenure show` takes them."""
    excluded: bool
    """Whether there is no loop, of any number of workloads; nothing is simulated then."""
    text: str
    """Their claim."""


@dataclass(frozen=True, slots=True)
class FieldInTheWay:
    """A field of the configuration that contradicts a condition of a theorem."""

    object: str
    """The object, such as `ClusterQueue/a`."""
    field: str
    """Path of the field in v1beta2."""
    value: str
    """Its value; `not set` where there is none."""
    file: str = ""
    """Where the object was read."""
    line: int = 0
    """The field's line there, from 1; 0 where it is not found."""


@dataclass(frozen=True, slots=True)
class MissingCondition:
    """A condition of theorems that a tree does not meet."""

    theorems: tuple[str, ...]
    """Their identifiers; `tenure show` takes them."""
    condition: str
    """The condition."""
    fields: tuple[FieldInTheWay, ...]
    """The fields that contradict it; one borrowingLimit for each ClusterQueue."""
    example: str = ""
    """Of rules without a measure workloads that preempt each other in turn, by the rules alone: whether quota
    allows it is not looked at. Empty where none are known."""

    @property
    def of_rules(self) -> bool:
        """Whether it is that PreemptionConfigs have a measure."""
        return _MEASURED in self.theorems


def proved_of_loops(tree: CohortTree, reading: Reading) -> ProvedOfLoops | None:
    """The theorems that apply to a tree; None where none does.

    Args:
        tree: of ClusterQueues.
        reading: see `tenure.readings`.

    >>> from tenure_check.analysis.closed_systems import trees_of
    >>> from tenure.manifests import SourcedObject
    >>> from tenure.readings import preset
    >>> queue = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ClusterQueue", "metadata": {"name": "a"}}
    >>> (tree,), _ = trees_of([SourcedObject("", {**queue, "spec": {}})], preset("guaranteed"))
    >>> proved_of_loops(tree, preset("guaranteed")).theorems
    ('PO-KQ-270', 'PO-KQ-330')
    """
    cluster = tree.cluster
    if cluster.growing or not cluster.settings.priority_sorting_within_cohort:
        return None
    if tree.has_configs:
        return _proved_of_configs(tree, reading)
    alone = _is_each_alone(cluster)
    if not all(_goes_down(queue, cluster.settings, reading, alone=alone) for queue in tree.queues):
        return None
    if any(has_topology(queue, cluster) for queue in tree.queues) and not all(map(_never_may, tree.queues)):
        return None
    if not any(_preempts(queue) for queue in tree.queues):
        return ProvedOfLoops(("PO-KQ-270", "PO-KQ-330"), True, "no loop: no ClusterQueue preempts a workload")
    may_part = any(map(_may_part, tree.queues))
    if len(tree.queues) == 1 and not may_part:
        return ProvedOfLoops(
            ("PO-ANY-340", "PO-ANY-350"),
            True,
            "no loop of any number of workloads: every preemptor is before its victims in one order, and "
            "has its turn before any that is behind it",
        )
    if alone and not may_part:
        return ProvedOfLoops(
            ("PO-AN-050", "PO-ANY-340", "PO-ANY-350"),
            True,
            "no loop of any number of workloads: no ClusterQueue can use more than its nominal quota, so "
            "that each is as if alone, and every preemptor is before its victims in one order",
        )
    return ProvedOfLoops(
        ("PO-ANY-340",),
        False,
        "every preemptor is before its victims in one order: a loop needs one that does not get what its "
        "victims free",
    )


def _proved_of_configs(tree: CohortTree, reading: Reading) -> ProvedOfLoops | None:
    """The same where a ClusterQueue names a PreemptionConfig."""
    cluster, alone, groups = tree.cluster, _is_each_alone(tree.cluster), _groups(tree, reading)
    if any(terms_of(queue, cluster.settings, reading).hero for queue in tree.queues):
        return None
    if any(group.measure.unmeasured for group in groups):
        return None
    if not any(queue_steps(cluster, reading)):
        return ProvedOfLoops((_MEASURED,), True, "no loop: no ClusterQueue preempts a workload")
    measures = [_measured(group, tree) for group in groups]
    falls = "; ".join(measures) or "preemption goes one way only between ClusterQueues"
    if not any(_in_the_way(tree, reading, groups)):
        text = "no loop of any number of workloads, and every preemptor has its turn before its victims"
        if alone and len(tree.queues) > 1:
            text += "; no ClusterQueue can use more than its nominal quota, so that each is as if alone"
            return ProvedOfLoops(("PO-AN-050", _MEASURED, *_TURN_MEASURED), True, f"{text}: {falls}")
        return ProvedOfLoops((_MEASURED, *_TURN_MEASURED), True, f"{text}: {falls}")
    text = "no workload is preempted by one that it preempted, in however many steps"
    lacks = "a loop needs a preemptor that does not get what its victims free"
    return ProvedOfLoops((_MEASURED,), False, f"{text}: {falls}; {lacks}")


def _groups(tree: CohortTree, reading: Reading) -> tuple[MutualQueues, ...]:
    return mutual_queues(tree.cluster, reading, alone=_is_each_alone(tree.cluster))


def _measured(group: MutualQueues, tree: CohortTree) -> str:
    """What falls among ClusterQueues that preempt from each other."""
    among = "" if len(tree.queues) == 1 else f" among workloads of {format_names(group.queues, 3)}"
    return f"{group.measure.words} falls at every preemption{among}"


def missing_conditions(tree: CohortTree, reading: Reading) -> tuple[MissingCondition, ...]:
    """The conditions that keep theorems from excluding loops in a tree, each with the fields in the way.

    Args:
        tree: in which `proved_of_loops` excludes none.
        reading: see `tenure.readings`.
    """
    groups = _groups(tree, reading) if tree.has_configs else ()
    fields: dict[tuple[tuple[str, ...], str], list[FieldInTheWay]] = {}
    for theorems, condition, found in _in_the_way(tree, reading, groups):
        fields.setdefault((theorems, condition), []).append(found)
    missing = (MissingCondition(*key, tuple(found)) for key, found in fields.items())
    return tuple(replace(found, example=_example(groups)) if found.of_rules else found for found in missing)


def _example(groups: Sequence[MutualQueues]) -> str:
    """The first workloads that preempt each other in turn by rules without a measure."""
    turn = next((group.turn for group in groups if group.turn), ())
    if not turn:
        return ""
    first, second, *others = (found.words for found in turn)
    return ", which preempts ".join((f"{first} preempts {second}", *others, "the first"))


def _in_the_way(
    tree: CohortTree, reading: Reading, groups: Sequence[MutualQueues]
) -> Iterator[tuple[tuple[str, ...], str, FieldInTheWay]]:
    cluster, policies, beyond = tree.cluster, "spec.preemption", list(_beyond_nominal(tree.cluster))
    for name in cluster.growing:
        kind = f"WorkloadPriorityClass/{name}"
        yield _DOWN, "priorities do not grow", FieldInTheWay(kind, "dynamicPriorityPolicy", "set")
    if not cluster.settings.priority_sorting_within_cohort:
        gate = FieldInTheWay("Configuration", "featureGates.PrioritySortingWithinCohort", "false")
        yield _DOWN, "a cohort's ClusterQueues take turns by priority", gate
    if tree.has_configs:
        yield from _unmeasured(groups)
        yield from _out_of_turn(tree)
        yield from (found for queue in tree.queues for found in _parting(queue))
        return
    for queue in tree.queues:
        named = f"ClusterQueue/{queue.name}"
        terms = terms_of(queue, cluster.settings, reading)
        if duration_in_force(terms) is not None:
            path = f"{policies}.withinClusterQueueConfig.minAdmitDuration"
            value = format_duration(duration_in_force(terms) or 0)
            yield _DOWN, "no minAdmitDuration is in force", FieldInTheWay(named, path, value)
        if terms.hero:
            hero = FieldInTheWay(named, f"{policies}.rules", queue.rules.label)
            yield _DOWN, "no ClusterQueue is a hero", hero
        if beyond and terms.reclaim_within_cohort == ReclaimWithinCohort.ANY:
            reclaim = FieldInTheWay(named, f"{policies}.reclaimWithinCohort", "Any")
            yield _DOWN, "a ClusterQueue reclaims quota from lower priorities only", reclaim
        for quotas in (quotas for group in queue.resource_groups for quotas in group.flavors):
            flavor = cluster.flavors.get(quotas.flavor)
            if has_topology(queue, cluster) and flavor is not None and flavor.topology:
                placed = FieldInTheWay(
                    f"ResourceFlavor/{quotas.flavor}", "spec.topologyName", flavor.topology
                )
                yield _DOWN, "quota alone decides who fits", placed
        yield from _parting(queue) if _may_part(queue) else ()
    for name, path, value in beyond if len(tree.queues) > 1 else ():
        shared = FieldInTheWay(f"ClusterQueue/{name}", path, value)
        yield _TURN, "no ClusterQueue can use more than its nominal quota", shared


def _unmeasured(groups: Sequence[MutualQueues]) -> Iterator[tuple[tuple[str, ...], str, FieldInTheWay]]:
    """The rules and policies that have no measure together."""
    theorems, condition = (_MEASURED, *_TURN_MEASURED), "one measure falls at every preemption"
    for group in groups:
        for step in group.measure.unmeasured:
            yield theorems, condition, FieldInTheWay(step.object, step.field, step.words)


def _out_of_turn(tree: CohortTree) -> Iterator[tuple[tuple[str, ...], str, FieldInTheWay]]:
    """What lets a victim have its turn before its preemptor."""
    condition = "no ClusterQueue shares quota with others, and each is BestEffortFIFO"
    for queue in tree.queues:
        named = f"ClusterQueue/{queue.name}"
        if len(tree.queues) > 1 and not _is_each_alone(tree.cluster):
            shared = FieldInTheWay(named, "spec.cohortName", queue.cohort or "not set")
            yield _TURN_MEASURED, condition, shared
        if queue.queueing != QueueingStrategy.BEST_EFFORT_FIFO:
            strict = FieldInTheWay(named, "spec.queueingStrategy", queue.queueing.label)
            yield _TURN_MEASURED, condition, strict


def _parting(queue: ClusterQueue) -> Iterator[tuple[tuple[str, ...], str, FieldInTheWay]]:
    """The resource groups in which a preemptor may find no targets once its victims have left.

    It may get another flavor than the one that they leave, or lack pods, which its search leaves out.
    """
    for number, group in enumerate(queue.resource_groups):
        named, path = f"ClusterQueue/{queue.name}", f"spec.resourceGroups[{number}]"
        if len(group.flavors) > 1:
            names = format_names([quotas.flavor for quotas in group.flavors], 3)
            yield _PROMISE, _ONE_FLAVOR, FieldInTheWay(named, f"{path}.flavors", names)
        if PODS in group.covered_resources:
            yield _PROMISE, _NO_PODS, FieldInTheWay(named, f"{path}.coveredResources", PODS)


def _beyond_nominal(cluster: Cluster) -> Iterator[tuple[str, str, str]]:
    """The first borrowingLimit of each ClusterQueue that allows more than its nominal quota."""
    tree = build_tree(cluster, next(iter(cluster.cluster_queues.values())))
    for name, queue in cluster.cluster_queues.items():
        place = tree.places[name]
        for path, at, limit in _limits(queue):
            if potential_at(tree, place, at) > quota_at(tree, place, at).nominal:
                yield name, path, "not set" if limit is None else format_amount(at.resource, limit)
                break


def _limits(queue: ClusterQueue) -> Iterator[tuple[str, FlavorResource, Amount | None]]:
    for group, found in enumerate(queue.resource_groups):
        for flavor, quotas in enumerate(found.flavors):
            for place, resource in enumerate(quotas.nominal):
                path = f"spec.resourceGroups[{group}].flavors[{flavor}].resources[{place}].borrowingLimit"
                yield path, FlavorResource(quotas.flavor, resource), quotas.borrowing_limits.get(resource)


def _is_each_alone(cluster: Cluster) -> bool:
    """Whether no ClusterQueue can use more than its nominal quota, so that nothing is ever reclaimed."""
    return next(_beyond_nominal(cluster), None) is None


def _goes_down(queue: ClusterQueue, settings: Settings, reading: Reading, *, alone: bool) -> bool:
    """The hypotheses of PO-ANY-330; where each ClusterQueue is as if alone, nothing is ever reclaimed."""
    terms = terms_of(queue, settings, reading)
    return (
        (alone or terms.reclaim_within_cohort != ReclaimWithinCohort.ANY)
        and not terms.hero
        and duration_in_force(terms) is None
    )


def _never_may(queue: ClusterQueue) -> bool:
    """Whether no policy of a ClusterQueue allows preemption, whatever quota and topology allow."""
    return (
        queue.within_cluster_queue == WithinClusterQueue.NEVER
        and queue.reclaim_within_cohort == ReclaimWithinCohort.NEVER
    )


def _may_part(queue: ClusterQueue) -> bool:
    """Whether a preemptor may be parked while its victims leave (F-091), or once they have left."""
    waits = queue.queueing == QueueingStrategy.BEST_EFFORT_FIFO
    return waits and queue.within_cluster_queue != WithinClusterQueue.NEVER and any(_parting(queue))


def _preempts(queue: ClusterQueue) -> bool:
    return (
        queue.within_cluster_queue != WithinClusterQueue.NEVER
        or queue.reclaim_within_cohort == ReclaimWithinCohort.LOWER_PRIORITY
    )
