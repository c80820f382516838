"""The steps of histories, as formulas and as plain execution: of the same rules, on the same workloads.

A small queue is played with the real rules, and after every step the transition relation is asked whether
that was one. What the obligations claim of every history is checked of these as well.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tenure.model import (
    MINUTE,
    SECOND,
    Basis,
    ClusterQueue,
    Evidence,
    Kin,
    Settings,
    WithinClusterQueue,
    Workload,
)
from tenure.oracle.door import NotAllowed, take_target
from tenure.readings import preset, preset_names
from tenure.rules.eligibility import basis_within_queue
from tenure.rules.ordering import order_key
from tenure.rules.terms import PreemptionTerms, terms_of
from tenure.rules.time_based import requeue_timestamp
from tenure_proofs.models import text_of
from tests.tenure_proofs.relations import says as asked

MILLISECOND = SECOND // 1000
DURATION = MINUTE
LONGEST_PAUSE = 20 * SECOND
"""The longest time without a cycle: the delay of PO-TBP-330."""

OWN = 2


def terms_under(reading: str) -> PreemptionTerms:
    """The terms of the queue that is played."""
    policy = WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY
    queue = ClusterQueue(text_of(7), within_cluster_queue=policy, min_admit_duration=DURATION)
    return terms_of(queue, Settings(), preset(reading))


def says(part: str, reading: str, **values: Any) -> bool:
    """What the transition relation says of these values."""
    return asked(part, reading, terms=terms_under(reading), **values)


def new_workload(number: int, created_at: int) -> Workload:
    """A pending workload whose texts are ranks."""
    blank: dict[str, Any] = {
        field.name: text_of(0)
        for field in dataclasses.fields(Workload)
        if field.type == "str" and field.name not in ("uid", "name")
    }
    return Workload(**blank, name=text_of(number), uid=text_of(number), priority=0, created_at=created_at)


@dataclasses.dataclass
class Waiting:
    """Since when a workload waits, and with how many not behind it."""

    since: int
    waiting: int


class Queue(RuleBasedStateMachine):
    """One ClusterQueue with a few places, played by the rules."""

    reading = "guaranteed"

    @initialize(places=st.integers(1, 3))
    def start(self, places: int) -> None:
        self.terms = terms_under(self.reading)
        self.now = 10 * MINUTE
        self.places: list[tuple[Workload, int] | None] = [None] * places
        self.pending: list[Workload] = []
        self.number = 0
        self.waits: dict[str, Waiting] = {}
        self.victims: dict[tuple[str, int], int] = {}
        self.changes: list[list[int]] = [[] for _ in range(places)]

    @rule()
    def arrive(self) -> None:
        self.pause(2 * MILLISECOND)
        self.number += 1
        self.joins(new_workload(self.number, self.now))
        self.look()

    @rule(
        by=st.sampled_from(
            [2 * MILLISECOND, SECOND, LONGEST_PAUSE - SECOND, LONGEST_PAUSE - 10 * MILLISECOND]
        )
    )
    def time_passes(self, by: int) -> None:
        self.pause(by)
        self.look()

    @precondition(lambda self: any(self.places))
    @rule(choice=st.integers(0, 2))
    def leave(self, choice: int) -> None:
        held = [index for index, pair in enumerate(self.places) if pair]
        self.places[held[choice % len(held)]] = None
        self.look()

    def pause(self, by: int) -> None:
        self.now += by

    def order(self, workload: Workload) -> tuple[int, int, str]:
        return (-workload.priority, requeue_timestamp(workload, self.terms), workload.uid)

    def joins(self, workload: Workload) -> None:
        assert says("waits", self.reading, before=workload)
        self.pending.append(workload)
        ahead = sum(self.order(waiting) <= self.order(workload) for waiting in self.pending)
        self.waits[workload.uid] = Waiting(self.now, ahead)

    def look(self) -> None:
        """The head is served for as long as it can be; a moment passes with each."""
        while self.pending and self.served(min(self.pending, key=self.order)):
            self.pause(2 * MILLISECOND)

    def served(self, head: Workload) -> bool:
        for other in self.pending:
            if other is not head:
                assert says("is ahead", self.reading, before=head, after=other)
                assert not says("is ahead", self.reading, before=other, after=head)
        place = self.places.index(None) if None in self.places else self.taken_for(head)
        if place is None:
            return False
        after = dataclasses.replace(
            head, cluster_queue=self.terms.cluster_queue, quota_reserved_at=self.now, **without_stamps()
        )
        assert says("is reserved", self.reading, before=head, after=after, now=self.now)
        assert not says("is reserved", self.reading, before=head, after=after, now=self.now + 1)
        assert says("holds", self.reading, before=after)
        self.pending.remove(head)
        self.places[place] = (after, self.now)
        self.in_time(head)
        return True

    def taken_for(self, head: Workload) -> int | None:
        """The place of the first candidate, after its eviction."""
        candidates = [
            (index, pair[0], basis)
            for index, pair in enumerate(self.places)
            if pair and (basis := basis_within_queue(head, pair[0], self.terms, self.now)) != Basis.NONE
        ]
        if not candidates:
            return None
        place, victim, basis = min(
            candidates,
            key=lambda row: dataclasses.astuple(order_key(row[1], OWN, head, self.terms, self.now)),
        )
        take_target(head, victim, Evidence(basis), self.terms, self.now, Kin())
        self.evict(victim, place, by_time=basis == Basis.TIME_EXPIRED)
        return place

    def evict(self, victim: Workload, place: int, *, by_time: bool) -> None:
        stamps = {**without_stamps(), "time_based_preempted_at": self.now if by_time else None}
        after = dataclasses.replace(victim, cluster_queue=None, quota_reserved_at=None, **stamps)
        step = {"before": victim, "after": after, "now": self.now}
        assert says("is evicted", self.reading, by_time=by_time, **step)
        assert not says("is evicted", self.reading, by_time=not by_time, **step)
        self.changes[place].append(self.now)
        self.now += 2 * MILLISECOND
        self.joins(after)
        self.returned(place, by_time=by_time)

    def returned(self, place: int, *, by_time: bool) -> None:
        """PO-TBP-300 and PO-TBP-310, of this history."""

    def in_time(self, head: Workload) -> None:
        """PO-TBP-330, of this history."""

    @invariant()
    def nobody_is_lost(self) -> None:
        names = [workload.uid for workload in self.pending] + [place[0].uid for place in self.places if place]
        assert len(names) == len(set(names))


class Guaranteed(Queue):
    """Under the guarantee the claims hold of every history."""

    def returned(self, place: int, *, by_time: bool) -> None:
        assert by_time
        held = self.places[place]
        assert held is not None
        assert self.changes[place][-1] - held[1] > DURATION

    def in_time(self, head: Workload) -> None:
        waited = self.waits[head.uid]
        delay = LONGEST_PAUSE + 100 * MILLISECOND  # each service takes a moment of its own
        assert self.now <= waited.since + waited.waiting * (DURATION + delay)

    @invariant()
    def places_change_hands_rarely(self) -> None:
        for times in getattr(self, "changes", []):
            for first in range(len(times)):
                for last in range(first, len(times)):
                    assert last - first + 1 <= (times[last] - times[first]) // DURATION + 1


class AsWritten(Queue):
    """The relation is the same where the claims are false."""

    reading = "as-written"

    @rule()
    def time_passes(self) -> None:
        """The one that waits preempts at once, for ever: only arrivals start a cycle."""
        self.pause(SECOND)

    def look(self) -> None:
        if self.pending:
            self.served(min(self.pending, key=self.order))


class Released(AsWritten):
    """The same, as released."""

    reading = "released"


QUIET = settings(
    max_examples=12,
    stateful_step_count=25,
    deadline=None,
    # A failing play is short enough as it is, and shrinking it would ask the formulas for minutes.
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
TestGuaranteed = Guaranteed.TestCase
TestGuaranteed.settings = QUIET
TestAsWritten = AsWritten.TestCase
TestAsWritten.settings = QUIET
TestReleased = Released.TestCase
TestReleased.settings = QUIET


def without_stamps() -> dict[str, Any]:
    """What a reservation and an eviction clear."""
    return {
        "evicted": False,
        "pods_ready_evicted_at": None,
        "admission_check_evicted_at": None,
        "time_based_preempted_at": None,
        "preempted_while_borrowing_at": None,
    }


@pytest.mark.parametrize("reading", preset_names())
def test_a_step_that_writes_anything_else_is_none(reading: str) -> None:
    waiting = new_workload(1, created_at=5)
    held = dataclasses.replace(waiting, cluster_queue=text_of(7), quota_reserved_at=9)
    assert says("is reserved", reading, before=waiting, after=held, now=9)
    for wrong in ({"created_at": 6}, {"priority": 1}, {"cluster_queue": text_of(8)}, {"evicted": True}):
        after = dataclasses.replace(held, **wrong)
        assert not says("is reserved", reading, before=waiting, after=after, now=9)


def test_the_door_stays_closed_for_who_is_not_eligible() -> None:
    terms, running = terms_under("guaranteed"), new_workload(1, created_at=0)
    held = dataclasses.replace(running, cluster_queue=text_of(7), quota_reserved_at=0)
    with pytest.raises(NotAllowed):
        take_target(new_workload(2, created_at=0), held, Evidence(Basis.TIME_EXPIRED), terms, DURATION, Kin())
