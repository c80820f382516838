"""The clock: what changes by waiting, if nothing else happens."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from tenure.model import MINUTE, Duration, Instant
from tenure.oracle.decide import Decision
from tenure.rules.time_based import duration_in_force
from tenure.telling.flips.knob import Listed, Value
from tenure.telling.flips.situation import Situation
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
