"""Fields of the pending workload's ClusterQueue that a flip may change, its quotas aside."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import ClassVar

from tenure.model import (
    MINUTE,
    BorrowWithinCohort,
    ClusterQueue,
    FlavorPreference,
    Fungibility,
    PreemptionRules,
    ReclaimWithinCohort,
    WithinClusterQueue,
)
from tenure.oracle.decide import Decision
from tenure.telling.flips.knob import Listed, Value
from tenure.telling.flips.situation import Situation
from tenure.telling.flips.workloads import INT32
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
class Choice(QueueField):
    """A field that is one of a few words.

    Args:
        choices: all words that the API server accepts.
    """

    choices: tuple[IntEnum, ...]

    def show(self, value: Value) -> str:
        assert isinstance(value, IntEnum)
        return "not set" if value == ReclaimWithinCohort.UNSET and self._reclaims() else word(value)

    def values(self, decision: Decision) -> Iterable[Value]:
        """Every word with which the webhook accepts the ClusterQueue."""
        for choice in self.choices:
            altered = self.write(Situation.of(decision), choice).cluster.cluster_queues[self.queue]
            if _is_accepted(altered):
                yield choice

    def _reclaims(self) -> bool:
        return isinstance(self.choices[0], ReclaimWithinCohort)


@dataclass(frozen=True, slots=True)
class Rules(Choice):
    """`rules`: whether a queue is a hero."""

    def show(self, value: Value) -> str:
        return _RULES[PreemptionRules(value or 0)]


@dataclass(frozen=True, slots=True)
class MinAdmitDuration(QueueField):
    """`minAdmitDuration`. Which workloads it protects changes only where one has run for exactly as long."""

    fine: ClassVar[bool] = True

    def show(self, value: Value) -> str:
        return "not set" if value is None else format_duration(value)

    def values(self, decision: Decision) -> Iterator[Value]:
        """How long each workload of the queue has run, and a nanosecond less; the shortest; none."""
        yield from (None, MINUTE)
        for workload in decision.running:
            if workload.cluster_queue != self.queue or workload.quota_reserved_at is None:
                continue
            held = decision.now - workload.quota_reserved_at
            yield from (each for each in (held, held - 1) if each >= MINUTE)


@dataclass(frozen=True, slots=True)
class Threshold(QueueField):
    """`maxPriorityThreshold`. Only the priorities of running workloads are compared with it."""

    def show(self, value: Value) -> str:
        return "not set" if value is None else str(value)

    def values(self, decision: Decision) -> Iterator[Value]:
        """Everybody's priority, and one below it; none."""
        yield None
        for workload in decision.running:
            yield from (each for each in (workload.priority, workload.priority - 1) if each in INT32)


def queue_knobs(situation: Situation) -> Iterator[QueueField]:
    """The fields of the pending workload's ClusterQueue that may be changed, its quotas aside."""
    queue = situation.cluster.cluster_queues[situation.queue]
    for path, attribute, choices in _CHOICES:
        if queue.cohort is not None or attribute not in _OF_A_COHORT:
            yield Choice(queue.name, path, attribute, choices)
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


def word(choice: IntEnum) -> str:
    """A member of an enum as the API writes it.

    >>> word(WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY)
    'LowerOrNewerEqualPriority'
    """
    return "".join(part.capitalize() for part in choice.name.split("_"))


def _is_accepted(queue: ClusterQueue) -> bool:
    """Whether Kueue's webhook, with KEP-8522's rules, accepts these policies together."""
    reclaims = queue.reclaim_within_cohort != ReclaimWithinCohort.NEVER
    timed = queue.within_cluster_queue == WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY
    if queue.borrow_within_cohort != BorrowWithinCohort.NEVER and not reclaims:
        return False
    return timed or queue.min_admit_duration is None


_RULES = {
    PreemptionRules.DEFAULT: "DefaultPreemptionRules",
    PreemptionRules.UBER_CLUSTER_QUEUE: "UberClusterQueueRules",
}
_OF_A_COHORT = ("reclaim_within_cohort", "borrow_within_cohort")
_RECLAIM = (ReclaimWithinCohort.NEVER, ReclaimWithinCohort.LOWER_PRIORITY, ReclaimWithinCohort.ANY)
_CHOICES: tuple[tuple[str, str, tuple[IntEnum, ...]], ...] = (
    ("spec.preemption.withinClusterQueue", "within_cluster_queue", tuple(WithinClusterQueue)),
    ("spec.preemption.reclaimWithinCohort", "reclaim_within_cohort", _RECLAIM),
    ("spec.preemption.borrowWithinCohort.policy", "borrow_within_cohort", tuple(BorrowWithinCohort)),
    ("spec.flavorFungibility.whenCanBorrow", "fungibility.when_can_borrow", tuple(Fungibility)),
    ("spec.flavorFungibility.whenCanPreempt", "fungibility.when_can_preempt", tuple(Fungibility)),
    ("spec.flavorFungibility.preference", "fungibility.preference", tuple(FlavorPreference)),
)
