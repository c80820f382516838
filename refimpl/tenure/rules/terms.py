"""The terms that hold between a preemptor and the workloads of its ClusterQueue."""

from __future__ import annotations

from dataclasses import dataclass

from tenure.model import ClusterQueue, Duration, RequeuingTimestamp, Settings, WithinClusterQueue
from tenure.readings import NewerThan, Reading, RequeueOrder, SamePriorityGate


@dataclass(frozen=True, slots=True)
class PreemptionTerms:
    """Everything besides the two workloads and the clock that decides whether one may take the other.

    Args:
        within_cluster_queue: the queue's policy.
        min_admit_duration: `withinClusterQueueConfig.minAdmitDuration` as configured, ns, valid or not.
        time_based_preemption: feature gate TimeBasedSamePriorityPreemption.
        requeuing_timestamp: where a workload that was evicted before its pods were ready queues from.
        same_priority_gate, newer_than, requeue_order: the reading.
    """

    within_cluster_queue: WithinClusterQueue
    min_admit_duration: Duration | None
    time_based_preemption: bool
    requeuing_timestamp: RequeuingTimestamp
    same_priority_gate: SamePriorityGate
    newer_than: NewerThan
    requeue_order: RequeueOrder


def terms_of(queue: ClusterQueue, settings: Settings, reading: Reading) -> PreemptionTerms:
    """The terms of a ClusterQueue under a reading."""
    return PreemptionTerms(
        within_cluster_queue=queue.within_cluster_queue,
        min_admit_duration=queue.min_admit_duration,
        time_based_preemption=settings.time_based_preemption,
        requeuing_timestamp=settings.requeuing_timestamp,
        same_priority_gate=reading.same_priority_gate,
        newer_than=reading.newer_than,
        requeue_order=reading.requeue_order,
    )
