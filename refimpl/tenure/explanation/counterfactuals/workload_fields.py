"""The clock and the fields of workloads that a change may change."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from tenure.explanation.counterfactuals.situation import Listed, Measured, Range, Situation, Value
from tenure.model import MINUTE, Duration, Instant, PodSet, Workload
from tenure.oracle.decide import Decision
from tenure.rules.flavors import scaled_request
from tenure.rules.time_based import duration_in_force
from tenure.units import format_instant

DAY: Duration = 24 * 60 * MINUTE
"""A day in ns: the wait that counts as large as a change of a whole value."""


@dataclass(frozen=True, slots=True)
class Clock(Listed):
    """The cycle's clock. It only goes forward."""

    fine: ClassVar[bool] = True

    @property
    def object(self) -> str:
        return "clock"

    @property
    def field(self) -> str:
        return "now"

    def read(self, situation: Situation) -> Value:
        return situation.now

    def write(self, situation: Situation, value: Value) -> Situation:
        assert value is not None
        return situation.at(value)

    def show(self, value: Value) -> str:
        assert value is not None
        return format_instant(value)

    def size(self, old: Value, new: Value) -> float:
        assert old is not None
        assert new is not None
        return min(1.0, (new - old) / DAY)

    def values(self, decision: Decision) -> Iterator[Instant]:
        """When a protection ends, and where the clock meets the stamps that it is compared with."""
        duration = duration_in_force(decision.terms)
        stamps = [decision.preemptor.created_at]
        for workload in decision.running:
            if workload.quota_reserved_at is None:
                continue
            stamps.append(workload.quota_reserved_at)
            if duration is not None and workload.cluster_queue == decision.queue.name:
                yield workload.quota_reserved_at + duration + 1  # strictly more than the duration
        for stamp in stamps:
            yield from (stamp, stamp + 1)


INT32 = range(-(2**31), 2**31)
"""The values of a priority."""
MOST_TIMES = 4
"""How many times its pods a pod set is grown at most."""


@dataclass(frozen=True, slots=True)
class Priority(Listed):
    """`spec.priority` of the pending workload or of a running one.

    Decisions compare priorities and nothing else, so that only values at and beside those of the others, and
    of the threshold, can differ.

    Args:
        workload: `namespace/name`.
        pending: whether it is the pending one.
    """

    workload: str
    pending: bool

    @property
    def object(self) -> str:
        return f"Workload/{self.workload}"

    @property
    def field(self) -> str:
        return "spec.priority"

    def read(self, situation: Situation) -> Value:
        return self._found(situation).priority

    def write(self, situation: Situation, value: Value) -> Situation:
        assert value is not None
        found = self._found(situation)
        changed = found.with_priority(value)
        if found.selectable is not None:
            selectable = dataclasses.replace(found.selectable, priority=value)
            changed = dataclasses.replace(changed, selectable=selectable)
        return situation.asking(changed) if self.pending else situation.running(changed)

    def show(self, value: Value) -> str:
        return str(value)

    def values(self, decision: Decision) -> Iterator[int]:
        """Just below, at and just above every other workload's priority: effective, less its own boost, and,
        where a PreemptionConfig may compare it, base."""
        cluster = decision.snapshot.cluster
        own = self._found(Situation.of(decision)).priority_boost if cluster.settings.priority_boost else 0
        others = {workload.priority for workload in decision.running if workload.key != self.workload}
        if not self.pending:
            others.add(decision.preemptor.priority)
        if decision.terms.max_priority_threshold is not None:
            others.add(decision.terms.max_priority_threshold)
        bases = {
            base
            for each in (*decision.running, decision.preemptor)
            if each.key != self.workload
            and each.selectable is not None
            and (base := each.selectable.priority) is not None
        }
        for other in {*(other - own for other in others), *bases}:
            yield from (value for value in (other - 1, other, other + 1) if value in INT32)

    def _found(self, situation: Situation) -> Workload:
        if self.pending:
            return situation.preemptor
        return next(workload for workload in situation.cluster.admitted if workload.key == self.workload)


@dataclass(frozen=True, slots=True)
class PodSetField(Measured):
    """A field of a pod set of the pending workload.

    Args:
        workload: `namespace/name`.
        index: which pod set.
    """

    workload: str
    index: int

    @property
    def object(self) -> str:
        return f"Workload/{self.workload}"


@dataclass(frozen=True, slots=True)
class PodSetCount(PodSetField):
    """`spec.podSets[].count` of the pending workload."""

    @property
    def field(self) -> str:
        return f"spec.podSets[{self.index}].count"

    def read(self, situation: Situation) -> Value:
        return situation.preemptor.pod_sets[self.index].count

    def write(self, situation: Situation, value: Value) -> Situation:
        assert value is not None
        old = situation.preemptor.pod_sets[self.index]
        requests = {name: scaled_request(amount, old.count, value) for name, amount in old.requests.items()}
        return _with_pods(situation, self.index, dataclasses.replace(old, count=value, requests=requests))

    def show(self, value: Value) -> str:
        return str(value)

    def range(self, decision: Decision) -> Range:
        """From its minCount, or 1, to several times as many."""
        pods = decision.preemptor.pod_sets[self.index]
        return Range(pods.count, pods.min_count or 1, MOST_TIMES * pods.count, 1)

    def without_harm(self, where: Range) -> Range:
        return dataclasses.replace(where, high=where.start)


@dataclass(frozen=True, slots=True)
class MinCount(PodSetField):
    """`spec.podSets[].minCount` of the pending workload; not set, all pods are needed."""

    @property
    def field(self) -> str:
        return f"spec.podSets[{self.index}].minCount"

    def read(self, situation: Situation) -> Value:
        return situation.preemptor.pod_sets[self.index].min_count

    def write(self, situation: Situation, value: Value) -> Situation:
        pods = situation.preemptor.pod_sets[self.index]
        return _with_pods(situation, self.index, dataclasses.replace(pods, min_count=value))

    def show(self, value: Value) -> str:
        return "not set" if value is None else str(value)

    def range(self, decision: Decision) -> Range:
        """From 1 to the full number of pods, which is what an unset one amounts to."""
        pods = decision.preemptor.pod_sets[self.index]
        full = pods.count if pods.full_count is None else pods.full_count
        return Range(full if pods.min_count is None else pods.min_count, 1, full, 1)


def pod_set_knobs(situation: Situation) -> Iterator[PodSetCount | MinCount]:
    """The fields of the pending workload's pod sets that may be changed.

    The number of a pod set of which pods are reclaimable is left alone: its request is not in proportion.
    Kueue accepts a minCount in one pod set only.
    """
    preemptor = situation.preemptor
    for index, pods in enumerate(preemptor.pod_sets):
        if pods.full_count is None and pods.count > 0:
            yield PodSetCount(preemptor.key, index)
        others = (pod_set for pod_set in preemptor.pod_sets if pod_set is not pods)
        if pods.count > 0 and all(pod_set.min_count is None for pod_set in others):
            yield MinCount(preemptor.key, index)


def _with_pods(situation: Situation, index: int, pods: PodSet) -> Situation:
    preemptor = situation.preemptor
    pod_sets = (*preemptor.pod_sets[:index], pods, *preemptor.pod_sets[index + 1 :])
    return situation.asking(dataclasses.replace(preemptor, pod_sets=pod_sets))
