"""Fields of the pending workload's ClusterQueue that a change may change, its quotas aside."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import factorial
from typing import ClassVar

from tenure.explanation.counterfactuals.situation import Listed, Situation, Value
from tenure.explanation.counterfactuals.workload_fields import INT32
from tenure.model import (
    MINUTE,
    ApiEnum,
    BorrowWithinCohort,
    ClusterQueue,
    FlavorPreference,
    FlavorQuotas,
    Fungibility,
    PreemptionRules,
    ReclaimWithinCohort,
    ResourceGroup,
    WithinClusterQueue,
)
from tenure.oracle.decide import Decision
from tenure.units import format_duration


@dataclass(frozen=True, slots=True)
class QueueField(Listed):
    """A field of one ClusterQueue.

    Args:
        queue: its name.
        path: of the field in the manifest.
        attribute: of the model; with a dot, of its fungibility.
    """

    queue: str
    path: str
    attribute: str

    @property
    def object(self) -> str:
        return f"ClusterQueue/{self.queue}"

    @property
    def field(self) -> str:
        return self.path

    def read(self, situation: Situation) -> Value:
        found: object = situation.cluster.cluster_queues[self.queue]
        for name in self.attribute.split("."):
            found = getattr(found, name)
        assert found is None or isinstance(found, int)
        return found

    def write(self, situation: Situation, value: Value) -> Situation:
        queue = situation.cluster.cluster_queues[self.queue]
        outer, _, inner = self.attribute.partition(".")
        given = dataclasses.replace(getattr(queue, outer), **{inner: value}) if inner else value
        changed = dataclasses.replace(queue, **{outer: given})  # type: ignore[arg-type] # by the field's own type
        queues = {**situation.cluster.cluster_queues, self.queue: changed}
        return situation.with_cluster(cluster_queues=queues)


@dataclass(frozen=True, slots=True)
class PolicyChoice(QueueField):
    """A field that is one of a few words.

    Args:
        choices: all words that the API server accepts.
    """

    choices: tuple[ApiEnum, ...]

    def show(self, value: Value) -> str:
        if value is None or value is ReclaimWithinCohort.UNSET:
            return "not set"
        assert isinstance(value, ApiEnum)
        return value.label

    def values(self, decision: Decision) -> Iterable[Value]:
        """Every word with which the webhook accepts the ClusterQueue."""
        for choice in self.choices:
            altered = self.write(Situation.of(decision), choice).cluster.cluster_queues[self.queue]
            if _is_accepted(altered):
                yield choice


@dataclass(frozen=True, slots=True)
class Rules(PolicyChoice):
    """`rules`: whether a queue is a hero."""

    proposal: ClassVar[str | None] = "KEP-8826"


@dataclass(frozen=True, slots=True)
class MinAdmitDuration(QueueField):
    """`minAdmitDuration`. Which workloads it protects changes only where one has run for exactly as long."""

    fine: ClassVar[bool] = True
    proposal: ClassVar[str | None] = "KEP-8522"

    def show(self, value: Value) -> str:
        return "not set" if value is None else format_duration(value)

    def values(self, decision: Decision) -> Iterator[Value]:
        """How long each workload of the queue has run, and a nanosecond less; the shortest; none."""
        yield from (None, MINUTE)
        for workload in decision.running:
            if workload.cluster_queue != self.queue or workload.quota_reserved_at is None:
                continue
            held = decision.now - workload.quota_reserved_at
            yield from (number for number in (held, held - 1) if number >= MINUTE)


@dataclass(frozen=True, slots=True)
class Threshold(QueueField):
    """`maxPriorityThreshold`. Only the priorities of running workloads are compared with it."""

    def show(self, value: Value) -> str:
        return "not set" if value is None else str(value)

    def values(self, decision: Decision) -> Iterator[Value]:
        """Every workload's priority, and one below it; none."""
        yield None
        for workload in decision.running:
            yield from (number for number in (workload.priority, workload.priority - 1) if number in INT32)


def queue_knobs(situation: Situation) -> Iterator[QueueField]:
    """The fields of the pending workload's ClusterQueue that may be changed, its quotas aside."""
    queue = situation.cluster.cluster_queues[situation.queue]
    preferred = queue.fungibility.preferred
    for path, attribute, words in _CHOICES:
        # The preference in force need not be set.
        choices = tuple(word for word in words if word is not preferred)
        if queue.cohort is not None or attribute not in _OF_A_COHORT:
            yield PolicyChoice(queue.name, path, attribute, choices)
    if queue.within_cluster_queue == WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY:
        path = "spec.preemption.withinClusterQueueConfig.minAdmitDuration"
        yield MinAdmitDuration(queue.name, path, "min_admit_duration")
    if queue.cohort is not None and queue.borrow_within_cohort != BorrowWithinCohort.NEVER:
        path = "spec.preemption.borrowWithinCohort.maxPriorityThreshold"
        yield Threshold(queue.name, path, "max_priority_threshold")


def rule_knobs(decision: Decision, place: int) -> Iterator[Rules]:
    """Whether a ClusterQueue is a hero; asked of heroes, and of the pending workload's queue beside one.

    Args:
        decision: made for the pending workload.
        place: of a node in the decision's tree.
    """
    snapshot = decision.snapshot
    queue = snapshot.tree.nodes[place].queue
    mine = place == snapshot.place and snapshot.heroes is not None
    if queue is not None and (mine or snapshot.is_hero(place)):
        yield Rules(queue.name, "spec.preemption.rules", "rules", tuple(PreemptionRules))


def _is_accepted(queue: ClusterQueue) -> bool:
    """Whether Kueue's webhook, with KEP-8522's rules, accepts these policies together."""
    reclaims = queue.reclaim_within_cohort != ReclaimWithinCohort.NEVER
    timed = queue.within_cluster_queue == WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY
    if queue.borrow_within_cohort != BorrowWithinCohort.NEVER and not reclaims:
        return False
    flavors = queue.fungibility
    tries = {flavors.when_can_borrow, flavors.when_can_preempt} == {Fungibility.TRY_NEXT_FLAVOR}
    if flavors.preference is not None and not tries:
        return False
    return timed or queue.min_admit_duration is None


_OF_A_COHORT = ("reclaim_within_cohort", "borrow_within_cohort")
_RECLAIM = (ReclaimWithinCohort.NEVER, ReclaimWithinCohort.LOWER_PRIORITY, ReclaimWithinCohort.ANY)
_CHOICES: tuple[tuple[str, str, tuple[ApiEnum, ...]], ...] = (
    ("spec.preemption.withinClusterQueue", "within_cluster_queue", tuple(WithinClusterQueue)),
    ("spec.preemption.reclaimWithinCohort", "reclaim_within_cohort", _RECLAIM),
    ("spec.preemption.borrowWithinCohort.policy", "borrow_within_cohort", tuple(BorrowWithinCohort)),
    ("spec.flavorFungibility.whenCanBorrow", "fungibility.when_can_borrow", tuple(Fungibility)),
    ("spec.flavorFungibility.whenCanPreempt", "fungibility.when_can_preempt", tuple(Fungibility)),
    ("spec.flavorFungibility.preference", "fungibility.preference", tuple(FlavorPreference)),
)


MOST_PERMUTED = 4
"""Of so many flavors every order is tried; of more, each flavor at the front."""


@dataclass(frozen=True, slots=True)
class FlavorOrder(Listed):
    """The order of the flavors of one resource group of a ClusterQueue, which is the order they are tried in.

    An order is written as its rank among all orders of the group's flavors, those sorted by name being 0.

    Args:
        queue: name of the ClusterQueue.
        group: index of the resource group.
        flavors: their names, sorted.
    """

    queue: str
    group: int
    flavors: tuple[str, ...]

    @property
    def object(self) -> str:
        return f"ClusterQueue/{self.queue}"

    @property
    def field(self) -> str:
        return f"spec.resourceGroups[{self.group}].flavors"

    @property
    def about(self) -> str:
        return f"their order in resourceGroups[{self.group}]"

    def read(self, situation: Situation) -> Value:
        return rank_of([flavor.flavor for flavor in self._group(situation).flavors])

    def write(self, situation: Situation, value: Value) -> Situation:
        assert value is not None
        queue, group = situation.cluster.cluster_queues[self.queue], self._group(situation)
        by_name: dict[str, FlavorQuotas] = {flavor.flavor: flavor for flavor in group.flavors}
        flavors = tuple(by_name[name] for name in order_of(self.flavors, value))
        groups = list(queue.resource_groups)
        groups[self.group] = dataclasses.replace(group, flavors=flavors)
        fresh = dataclasses.replace(queue, resource_groups=tuple(groups))
        return situation.with_cluster(cluster_queues={**situation.cluster.cluster_queues, self.queue: fresh})

    def show(self, value: Value) -> str:
        assert value is not None
        return ", ".join(order_of(self.flavors, value))

    def size(self, old: Value, new: Value) -> float:
        return float(old != new)

    def values(self, decision: Decision) -> Iterator[int]:
        """Every order of a few flavors; of many, each flavor moved to the front."""
        if len(self.flavors) <= MOST_PERMUTED:
            yield from range(factorial(len(self.flavors)))
            return
        names = [flavor.flavor for flavor in self._group(Situation.of(decision)).flavors]
        for name in names:
            yield rank_of([name, *(other for other in names if other != name)])

    def _group(self, situation: Situation) -> ResourceGroup:
        return situation.cluster.cluster_queues[self.queue].resource_groups[self.group]


def order_knobs(situation: Situation) -> Iterator[FlavorOrder]:
    """The orders that may be changed: in the pending workload's ClusterQueue, of what it requests."""
    asked = {name for pods in situation.preemptor.pod_sets for name, n in pods.requests.items() if n}
    queue = situation.cluster.cluster_queues[situation.queue]
    for index, group in enumerate(queue.resource_groups):
        names = {flavor.flavor for flavor in group.flavors}
        if 1 < len(names) == len(group.flavors) and asked & set(group.covered_resources):
            yield FlavorOrder(queue.name, index, tuple(sorted(names)))


def rank_of(order: Sequence[str]) -> int:
    """The place of an order among all orders of the same names, the sorted one being 0.

    >>> rank_of("abc"), rank_of("bca"), rank_of("cba")
    (0, 3, 5)
    """
    rest, rank = sorted(order), 0
    for name in order:
        place = rest.index(name)
        rest.pop(place)
        rank += place * factorial(len(rest))
    return rank


def order_of(names: Sequence[str], rank: int) -> tuple[str, ...]:
    """The order of some sorted names that has a rank.

    >>> order_of("abc", 3)
    ('b', 'c', 'a')
    """
    rest, order = list(names), []
    while rest:
        place, rank = divmod(rank, factorial(len(rest) - 1))
        order.append(rest.pop(place))
    return tuple(order)
