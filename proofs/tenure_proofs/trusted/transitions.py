"""What decisions do to one ClusterQueue over time, and the schemas for what holds through every history.

Rules say what may be preempted and from when it queues; they come in lifted. What is added here is not
theirs and is believed: the order of a queue, what an eviction and a reservation write into a workload, and
how soon a workload is served. Workloads before and after a step are records of their own, tied by what the
step writes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tenure_proofs.trusted.claim import Claim, Lifted, Lifting
from tenure_proofs.trusted.logic import (
    all_of,
    any_of,
    equal_fields,
    has_value,
    iff,
    implies,
    is_set,
    negation,
    notion,
)
from tenure_proofs.trusted.symbols import SymBool, SymInt

EVICTION_STAMPS = (
    "pods_ready_evicted_at",
    "admission_check_evicted_at",
    "time_based_preempted_at",
    "preempted_while_borrowing_at",
)
"""What the conditions Evicted and Preempted say of a workload, by their reasons."""

WRITTEN = ("cluster_queue", "quota_reserved_at", "admission_delay", "evicted", *EVICTION_STAMPS)
"""What a step writes into a workload; everything else stays as it is."""


@dataclass(frozen=True, slots=True)
class OneQueue:
    """A ClusterQueue whose workloads take each other's places.

    Args:
        terms: what holds in it.
        timestamp: the rule from when a workload queues, lifted; of a workload and the terms.
        door: what makes a target, lifted; of preemptor, target, evidence, terms, the clock and a kinship.
        kin: a standing that has no effect, since all are of one ClusterQueue.
    """

    terms: Any
    timestamp: Lifting
    door: Lifting
    kin: Any

    def queues_from(self, workload: Any) -> SymInt:
        """The instant by which a pending workload is sorted."""
        stamp: SymInt = self.timestamp(workload, self.terms).value
        return stamp

    def is_ahead(self, first: Any, second: Any) -> SymBool:
        """The order of the queue: higher priority, then the earlier instant, then the lower uid."""
        mine, theirs = self.queues_from(first), self.queues_from(second)
        earlier = any_of(mine < theirs, all_of(mine == theirs, first.uid < second.uid))
        return notion(
            any_of(first.priority > second.priority, all_of(first.priority == second.priority, earlier))
        )

    def heads(self, head: Any, *others: Any) -> SymBool:
        """None of these others that wait stands before it."""
        return all_of(*(negation(self.is_ahead(other, head)) for other in others))

    def is_pending(self, workload: Any) -> SymBool:
        """It waits: it holds no quota."""
        return all_of(
            negation(is_set(workload, "cluster_queue")), negation(is_set(workload, "quota_reserved_at"))
        )

    def holds_a_place(self, workload: Any) -> SymBool:
        """It holds quota here, by a stamp that no eviction has followed yet."""
        return all_of(
            has_value(workload, "cluster_queue", self.terms.cluster_queue),
            is_set(workload, "quota_reserved_at"),
            negation(workload.evicted),
        )

    def takes(self, preemptor: Any, target: Any, evidence: Any, now: SymInt) -> Lifted:
        """Whether the door opens, and for what reason."""
        return self.door(preemptor, target, evidence, self.terms, now, self.kin)


def is_evicted(before: Any, after: Any, by_time: SymBool, now: SymInt) -> SymBool:
    """A target loses its quota and waits again.

    The conditions Evicted and Preempted are written again, so older reasons are gone. Only a preemption by
    time leaves a stamp that a rule asks for.
    """
    others = (stamp for stamp in EVICTION_STAMPS if stamp != "time_based_preempted_at")
    return all_of(
        equal_fields(before, after, *WRITTEN),
        *(
            negation(is_set(after, name))
            for name in ("cluster_queue", "quota_reserved_at", "admission_delay")
        ),
        iff(is_set(after, "time_based_preempted_at"), by_time),
        implies(by_time, has_value(after, "time_based_preempted_at", now)),
        *(negation(is_set(after, stamp)) for stamp in others),
    )


def is_reserved(before: Any, after: Any, cluster_queue: Any, at: SymInt) -> SymBool:
    """A pending workload gets its quota at an instant; Kueue then sets Evicted and Preempted to False."""
    return all_of(
        equal_fields(before, after, *WRITTEN),
        has_value(after, "cluster_queue", cluster_queue),
        has_value(after, "quota_reserved_at", at),
        negation(after.evicted),
        *(negation(is_set(after, stamp)) for stamp in EVICTION_STAMPS),
    )


def is_served_within(delay: SymInt, at: SymInt, *, possible: SymBool, since: SymInt) -> SymBool:
    """Whoever heads the queue and may take a place from an instant on has it before the delay has passed.

    A place that its holder leaves by itself before is had no later. What is believed is that a scheduler is
    awake: nothing here says how.
    """
    return implies(possible, at < since + delay)


def through_every_history(
    claim: Claim,
    *,
    at_first: tuple[SymBool, ...],
    before: tuple[SymBool, ...],
    after: tuple[SymBool, ...],
    ends: tuple[SymBool, ...] = (),
) -> None:
    """An invariant holds at every point of every history.

    A history is a first state and any number of steps. So what holds at first, and is kept by one arbitrary
    step, holds throughout, and so does what it amounts to.

    Args:
        claim: the claim it is proved in; its facts say what first states and steps are.
        at_first: the invariant, of an arbitrary first state.
        before: the invariant, before an arbitrary step; of that state nothing else may be assumed.
        after: the invariant, after the step.
        ends: what the invariant amounts to in this step.
    """
    claim.prove(*at_first, implies(all_of(*before), all_of(*after, *ends)))


def one_fewer_is_ahead(
    claim: Claim, *, joins: tuple[SymBool, ...], leaves: SymBool, ahead: SymInt, ahead_after: SymInt
) -> None:
    """With every step, fewer workloads stand before one that waits, itself included.

    They are finitely many. So where an arbitrary workload that was not among them is not after the step
    either, and one of them is gone, they are at least one fewer; no other has moved, because a place in
    the queue depends on nothing but the workload.

    Args:
        claim: the claim it is proved in.
        joins: workloads that were not among them are now: one for each way to come to wait.
        leaves: one that was among them no longer is.
        ahead, ahead_after: how many they are; the second is only said to be fewer.
    """
    claim.prove(*(negation(term) for term in joins), leaves)
    claim.assume(ahead >= 1, ahead_after <= ahead - 1)
