"""What a decision depends on, as one value, and the fields of it that a counterfactual may change."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import ClassVar, TypeAlias

from tenure.choices import Outcome
from tenure.model import Cluster, Instant, Workload
from tenure.oracle.decide import Decision, decide
from tenure.oracle.search import Search, find_targets
from tenure.oracle.snapshot import Snapshot
from tenure.readings import Reading


class FlipAnswer(StrEnum):
    """What a change changes: how the pending workload fares, or whether one running workload is preempted."""

    FITS = "fits"
    PREEMPTS = "preempts"
    WAITS = "waits"
    PREEMPTED = "preempted"
    KEPT = "kept"


@dataclass(frozen=True, slots=True)
class Situation:
    """Everything that one decision depends on.

    Args:
        cluster: queues, cohorts, workloads and settings.
        preemptor: the pending workload as its manifest has it, with the priority of its spec.
        queue: name of its ClusterQueue.
        now: the cycle's clock, ns since the epoch.
        reading: see `tenure.readings`.
    """

    cluster: Cluster
    preemptor: Workload
    queue: str
    now: Instant
    reading: Reading

    @classmethod
    def of(cls, decision: Decision) -> Situation:
        """The situation that a decision was made in.

        >>> from tenure.model import ClusterQueue
        >>> from tenure.readings import preset
        >>> waiting = Workload("ns", "w", "u", priority=0, created_at=0)
        >>> asked = Situation(Cluster({"q": ClusterQueue("q")}), waiting, "q", 0, preset("guaranteed"))
        >>> Situation.of(asked.decided()) == asked
        True
        """
        cluster, effective = decision.snapshot.cluster, decision.preemptor
        boost = effective.priority_boost if cluster.settings.priority_boost else 0
        preemptor = effective.with_priority(effective.priority - boost) if boost else effective
        return cls(cluster, preemptor, decision.queue.name, decision.now, decision.reading)

    def decided(self, snapshot: Snapshot | None = None, search: Search = find_targets) -> Decision:
        """The decision in this situation.

        Args:
            snapshot: of the same cluster and queue, where there is one; who is pending does not count.
            search: finds targets.

        Raises:
            InputError: no such ClusterQueue; cohorts that are their own ancestors.
        """
        return decide(
            self.cluster,
            self.preemptor,
            self.queue,
            self.now,
            self.reading,
            assignment=None,
            snapshot=snapshot,
            search=search,
        )

    def at(self, now: Instant) -> Situation:
        """The same situation at another time."""
        return dataclasses.replace(self, now=now)

    def asking(self, preemptor: Workload) -> Situation:
        """The same situation with the pending workload altered, in the cluster's list of them too."""
        pending = tuple(
            preemptor if workload.key == preemptor.key else workload for workload in self.cluster.pending
        )
        return dataclasses.replace(self, preemptor=preemptor, cluster=self._cluster(pending=pending))

    def running(self, altered: Workload) -> Situation:
        """The same situation with a running workload altered."""
        admitted = tuple(
            altered if workload.key == altered.key else workload for workload in self.cluster.admitted
        )
        return dataclasses.replace(self, cluster=self._cluster(admitted=admitted))

    def with_cluster(self, **fields: object) -> Situation:
        """The same situation with other fields of the cluster."""
        return dataclasses.replace(self, cluster=self._cluster(**fields))

    def _cluster(self, **fields: object) -> Cluster:
        return dataclasses.replace(self.cluster, **fields)  # type: ignore[arg-type] # checked by the callers


def answer_of(decision: Decision, target: str | None = None) -> FlipAnswer:
    """What a decision answers.

    Args:
        decision: the decision.
        target: `namespace/name` of a running workload; None for the pending one.
    """
    if target is not None:
        preempted = any(victim.workload.key == target for victim in decision.targets)
        return FlipAnswer.PREEMPTED if preempted else FlipAnswer.KEPT
    return _ANSWERS[decision.outcome]


_ANSWERS = {
    Outcome.FIT: FlipAnswer.FITS,
    Outcome.PREEMPT: FlipAnswer.PREEMPTS,
    Outcome.NO_CANDIDATES: FlipAnswer.WAITS,
    Outcome.NO_FIT: FlipAnswer.WAITS,
}

WORTH = {
    FlipAnswer.WAITS: 0,
    FlipAnswer.PREEMPTS: 1,
    FlipAnswer.FITS: 2,
    FlipAnswer.KEPT: 0,
    FlipAnswer.PREEMPTED: 0,
}
"""How good an answer is for the pending workload; of a running one neither is better than the other."""


Value: TypeAlias = int | None
"""Of a field, as the model holds it: a number, a member of an enum, ns; None where it is not set."""

CLOCK, ASKER, OWN_QUEUE, PATH, OTHERS = range(5)
"""How near an object is to the pending workload: of changes of one size the nearest comes first."""


class Knob(ABC):
    """One field of one object.

    A subclass is a frozen dataclass: equal knobs turn the same field.
    """

    fine: ClassVar[bool] = False
    """Whether its unit is finer than what people write, as a nanosecond or a byte is."""
    proposal: ClassVar[str | None] = None
    """Who proposes the field, where no release of Kueue has it."""

    @property
    @abstractmethod
    def object(self) -> str:
        """The object, as `ClusterQueue/team-a`."""

    @property
    @abstractmethod
    def field(self) -> str:
        """The field's path in the manifest."""

    @property
    def short(self) -> str:
        """The field as people call it: its path without what every such path begins with.

        >>> from tenure.explanation.counterfactuals.workload_fields import PodSetCount, Priority
        >>> Priority("ml/a", pending=True).short, PodSetCount("ml/a", 0).short
        ('priority', 'podSets[0].count')
        """
        return short_name(self.field)

    @property
    def about(self) -> str:
        """What the last part of the path is about, where that needs words; else empty."""
        return ""

    @property
    def kind(self) -> tuple[str, str]:
        """What knobs of several objects have in common: the last part of the path, and what it is about."""
        return (self.field.rsplit(".", 1)[-1], self.about)

    @abstractmethod
    def read(self, situation: Situation) -> Value:
        """The value that the field has."""

    @abstractmethod
    def write(self, situation: Situation, value: Value) -> Situation:
        """The situation with another value in this field, and nothing else changed."""

    @abstractmethod
    def show(self, value: Value) -> str:
        """A value as the manifest writes it."""

    def size(self, old: Value, new: Value) -> float:
        """How large a change is, from 0 to 1; see `tenure.explanation.counterfactuals.nearest`."""
        return relative_size(old, new)

    def is_plainer(self, value: Value, than: Value) -> bool:
        """Whether one value is written much shorter than another, which is one unit away; neither is None."""
        return self.fine and is_shorter(self.show(value), self.show(than))


def short_name(path: str) -> str:
    """A field's path as people call it: without what every such path begins with.

    >>> short_name("spec.resourceGroups[0].flavors[0].resources[1].nominalQuota")
    'nominalQuota'
    >>> short_name("spec.preemption.borrowWithinCohort.policy"), short_name("spec.fairSharing.weight")
    ('borrowWithinCohort.policy', 'fairSharing.weight')
    >>> short_name("spec.resourceGroups[0].flavors[0].name")
    "the flavor's name"
    """
    if path.startswith("spec.resourceGroups"):
        return "the flavor's name" if path.endswith(".name") else path.rsplit(".", 1)[-1]
    return path.removeprefix("spec.").removeprefix("preemption.").removeprefix("withinClusterQueueConfig.")


class Listed(Knob):
    """A field of which the values that can make a difference are known, so that all of them are tried."""

    @property
    def exhaustive(self) -> bool:
        """Whether nothing changes between two of its values; otherwise they are a choice of round ones."""
        return True

    @abstractmethod
    def values(self, decision: Decision) -> Iterable[Value]:
        """Every value that is tried besides the field's own."""


@dataclass(frozen=True, slots=True)
class Range:
    """Where a measured field is searched.

    Args:
        start: where the search begins: the field's value, or the number that an unset one amounts to.
        low, high: the ends, both included.
        granule: a step that most amounts in play are multiples of, at least 1.
    """

    start: int
    low: int
    high: int
    granule: int


class Measured(Knob):
    """A field with too many values to try them all, which is searched by doubling and halving."""

    @abstractmethod
    def range(self, decision: Decision) -> Range:
        """Where to search."""

    def without_harm(self, where: Range) -> Range:
        """The part of a range in which no value takes quota away or requests more; usually all of it."""
        return where


def is_shorter(text: str, than: str) -> bool:
    """Whether a text writes a number so much shorter that it is the plainer one.

    >>> is_shorter("4Gi", than="4294967295"), is_shorter("9", than="10")
    (True, False)
    """
    return len(than) - len(text) >= 2  # a carry alone makes one digit of difference


def relative_size(old: Value, new: Value) -> float:
    """How far a number moves, as a part of the larger one; 1 for a word, and for what is set or removed.

    >>> relative_size(100, 101) < relative_size(64, 77) < relative_size(None, 5) == relative_size(-1, 1)
    True
    """
    if old is None or new is None or isinstance(old, IntEnum):
        return 1.0
    return min(1.0, abs(new - old) / max(abs(old), abs(new), 1))
