"""A workload while it is played."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Any, Final

from tenure.model import Amounts, Assignment, Duration, Instant, PodSet, PodSetFlavors, Reason, Workload
from tenure.rules.cycle import persisted, work_left
from tenure_play.scenario import Submission

NOTHING_USED: Final[Amounts] = {}


class Phase(IntEnum):
    """What a workload does."""

    WAITING = 0
    RUNNING = 1
    TERMINATING = 2
    """It is evicted, and holds its quota while its pods end."""
    DONE = 3


@dataclass(slots=True)
class Actor:
    """A workload on its way through a play; it changes.

    Args:
        workload: as the cluster shows it now.
        queue: its ClusterQueue.
        work: how long it must run in all, ns; None without end.
        keeps: whether progress survives a preemption.
        eviction: how long its pods take to end, ns; None for that of `timing`.
        submitted: when it joined.
        is_done: whether it is finished or deleted.
        since: since when it does what it does.
        stay: number of its stay with quota; distinguishes events of earlier stays.
        reserved: when it got its quota, on the scenario's clock.
        stopped: when it was evicted.
        progress: what it has worked and not lost, in earlier stays, ns.
        preempted_by: who took its quota last.
        manifest: the Workload as it was when it came.
        is_as_it_came: whether nothing has happened to it since.
        pod_sets: what its pod sets hold or held last.
        reason: for which it was preempted last.
        preempted: its condition about that: the message, and when by the controller's clock.
        number: how many have joined before it.
        key: `namespace/name`; one text, because every line of a story has it.
    """

    workload: Workload
    queue: str
    work: Duration | None
    keeps: bool
    eviction: Duration | None
    submitted: Instant
    is_done: bool = False
    since: Instant = 0
    stay: int = 0
    reserved: Instant = 0
    stopped: Instant = 0
    progress: Duration = 0
    preempted_by: str | None = None
    manifest: Mapping[str, Any] = field(default_factory=dict)
    is_as_it_came: bool = True
    pod_sets: tuple[PodSetFlavors, ...] = ()
    reason: Reason | None = None
    preempted: tuple[str, Instant] | None = None
    number: int = 0
    key: str = field(init=False)

    def __post_init__(self) -> None:
        self.key = self.workload.key

    @property
    def phase(self) -> Phase:
        """What it does."""
        return Phase.DONE if self.is_done else phase_of(self.workload)

    @property
    def holds(self) -> bool:
        """Whether it holds quota."""
        return self.phase in (Phase.RUNNING, Phase.TERMINATING)

    def left(self) -> Duration | None:
        """What it still has to work when a stay begins, ns; None without end."""
        return None if self.work is None else work_left(self.work, self.progress)


def phase_of(workload: Workload) -> Phase:
    """What a workload does that is not done, as the cluster shows it.

    >>> phase_of(Workload("ml", "a", "u", priority=0, created_at=0, evicted=True)).name
    'WAITING'
    """
    if workload.cluster_queue is None:
        return Phase.WAITING
    return Phase.TERMINATING if workload.evicted else Phase.RUNNING


def joined(submission: Submission, at: Instant) -> Actor:
    """The actor of a submission, waiting since an instant."""
    workload = submission.workload
    return Actor(
        workload=workload,
        queue=submission.queue,
        work=submission.work,
        keeps=submission.keeps,
        eviction=submission.eviction,
        submitted=at,
        since=at,
        manifest=submission.manifest,
    )


def admitted(workload: Workload, queue: str, assignment: Assignment, clock: Instant) -> Workload:
    """The workload once quota is reserved for it; what was recorded of its last eviction is reset.

    Args:
        workload: as it waited.
        queue: the ClusterQueue.
        assignment: what it gets.
        clock: what the controller's clock shows, ns.

    Source: Kueue main of August 2026, quota reservation; it resets the conditions Evicted and Preempted.
    """
    return replace(
        workload,
        quota_reserved_at=persisted(clock),
        admission_delay=0,  # a reservation is an admission
        evicted=False,
        pods_ready_evicted_at=None,
        admission_check_evicted_at=None,
        time_based_preempted_at=None,
        preempted_while_borrowing_at=None,
        requeue_at=None,
        cluster_queue=queue,
        usage=dict(assignment.usage),
    )


def evicted(workload: Workload, reason: Reason, clock: Instant) -> Workload:
    """The workload once it is preempted: it holds its quota still.

    Args:
        workload: as it ran.
        reason: of its Preempted condition.
        clock: what the controller's clock shows, ns.

    Source: Kueue main of August 2026, conditions Evicted and Preempted.
    """
    stamp = persisted(clock)
    return replace(
        workload,
        evicted=True,
        time_based_preempted_at=stamp if reason == Reason.IN_CLUSTER_QUEUE_TIME_BASED else None,
        preempted_while_borrowing_at=stamp if reason == Reason.IN_COHORT_RECLAIM_WHILE_BORROWING else None,
    )


def released(workload: Workload) -> Workload:
    """The workload once its pods are gone: it waits again, and its conditions stay."""
    return replace(
        workload, quota_reserved_at=None, admission_delay=None, cluster_queue=None, usage=NOTHING_USED
    )


def shape_of(workload: Workload) -> Hashable:
    """What the scheduler takes for equivalent: the same effective priority and the same pods.

    Args:
        workload: with its effective priority.

    Source: Kueue main of August 2026, scheduling equivalence hash.

    >>> one, other = (Workload("ns", name, name, priority=1, created_at=0) for name in "ab")
    >>> shape_of(one) == shape_of(other), shape_of(one) == shape_of(other.with_priority(2))
    (True, False)
    """
    return workload.priority, tuple(_pods(pod_set) for pod_set in workload.pod_sets)


def _pods(pod_set: PodSet) -> Hashable:
    return (
        pod_set.name,
        pod_set.count,
        pod_set.min_count,
        tuple(sorted(pod_set.requests.items())),
        tuple(sorted(pod_set.node_selector.items())),
        pod_set.node_affinity,
        pod_set.tolerations,
        pod_set.topology,
    )
