"""What holds for a preemptor, as numbers for the kernels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tenure.fast.ageing import grown
from tenure.fast.amounts import MOST
from tenure.fast.arrays import REQUEUED_AFTER, Arrays
from tenure.fast.columns import FARTHEST
from tenure.fast.tables import Policy
from tenure.fast.uncovered import Uncovered
from tenure.model import (
    MINUTE,
    ClusterQueue,
    Duration,
    Instant,
    RequeuingTimestamp,
    Settings,
    WithinClusterQueue,
    Workload,
)
from tenure.readings import NewerThan, Reading, RequeueOrder, SamePriorityGate


class Terms(NamedTuple):
    """What holds for all workloads of a ClusterQueue under a reading.

    Args:
        duration: minAdmitDuration in force, ns; None where none is (TBP-010).
        since_eviction: whether victims of time-based preemption queue from that (TBP-030).
        by_reservation: whether an equal is newer by its reservation (TBP-040).
        expired_only: whether equals have to be expired (TBP-050).
    """

    duration: Duration | None
    since_eviction: bool
    by_reservation: bool
    expired_only: bool


def terms_of(queue: ClusterQueue, settings: Settings, reading: Reading) -> Terms:
    """The terms of a ClusterQueue.

    >>> from tenure.readings import preset
    >>> terms_of(ClusterQueue("q", min_admit_duration=MINUTE), Settings(), preset("guaranteed")).duration
    """
    duration = queue.min_admit_duration
    within = queue.within_cluster_queue == WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY
    if not (settings.time_based_preemption and within) or duration is None or duration < MINUTE:
        return Terms(None, since_eviction=False, by_reservation=False, expired_only=False)
    return Terms(
        duration,
        since_eviction=reading.requeue_order == RequeueOrder.EVICTION,
        by_reservation=reading.newer_than == NewerThan.RESERVED_AFTER_CREATED,
        expired_only=reading.same_priority_gate == SamePriorityGate.EXPIRED_ONLY,
    )


def policy_for(queue: ClusterQueue, terms: Terms) -> Policy:
    """What decides for all preemptors of a ClusterQueue; priority and instants are left out.

    Raises:
        Uncovered: a number beyond what the core counts with.
    """
    threshold, duration = queue.max_priority_threshold, terms.duration
    if not (-FARTHEST < (duration or 0) < FARTHEST and -FARTHEST < (threshold or 0) < FARTHEST):
        raise Uncovered("a number beyond 64 bits")
    return Policy(
        priority=0,
        queued=0,
        now=0,
        within=int(queue.within_cluster_queue),
        reclaim=int(queue.reclaim_within_cohort),
        borrow=int(queue.borrow_within_cohort),
        threshold=MOST if threshold is None else threshold,
        duration=-1 if duration is None else duration,
        expired_only=terms.expired_only,
        by_reservation=terms.by_reservation,
    )


def policy_of(
    policy: Policy, arrays: Arrays, preemptor: Workload, terms: Terms, now: Instant, reading: Reading
) -> Policy:
    """What decides who may be preempted for a pending workload.

    Args:
        policy: for all of its ClusterQueue.

    Raises:
        Uncovered: a number beyond what the core counts with.
    """
    queued = (
        preemptor.created_at if terms.by_reservation else _queued(preemptor, arrays.cluster.settings, terms)
    )
    priority = priority_of(arrays, preemptor, now, reading)
    near = -FARTHEST < priority < FARTHEST and -FARTHEST < queued < FARTHEST and -FARTHEST < now < FARTHEST
    if not near:
        raise Uncovered("a number beyond 64 bits")
    return Policy(priority, queued, now, *policy[3:])


def priority_of(arrays: Arrays, workload: Workload, now: Instant, reading: Reading) -> int:
    """The effective priority of a workload that need not be among the rows (DYN-050, KQ-080)."""
    priority = workload.priority
    growing = arrays.cluster.growing.get(workload.priority_class)
    if growing is not None and growing.policy is not None:
        created = workload.created_at if workload.job_created_at is None else workload.job_created_at
        since = np.array([created], np.int64)
        priority = int(grown(since, growing.base, growing.policy, now, reading.priority_steps)[0])
    return priority + workload.priority_boost if arrays.cluster.settings.priority_boost else priority


def _queued(workload: Workload, settings: Settings, terms: Terms) -> Instant:
    if terms.since_eviction and workload.time_based_preempted_at is not None:
        return workload.time_based_preempted_at + REQUEUED_AFTER
    eviction = settings.requeuing_timestamp == RequeuingTimestamp.EVICTION
    if eviction and workload.pods_ready_evicted_at is not None:
        return workload.pods_ready_evicted_at
    if workload.admission_check_evicted_at is not None:
        return workload.admission_check_evicted_at
    if not settings.priority_sorting_within_cohort and workload.preempted_while_borrowing_at is not None:
        return workload.preempted_while_borrowing_at + REQUEUED_AFTER
    return workload.created_at
