"""Rules about a workload's position in its queue."""

from __future__ import annotations

from tenure.model import Duration, Instant, RequeuingTimestamp, Workload
from tenure.rules.registry import rule

REQUEUE_EPSILON: Duration = 1_000_000
"""One millisecond in ns: keeps a victim strictly behind a preemptor that was created as it was evicted."""


@rule("KQ-020")
def queue_order_timestamp(
    workload: Workload, requeuing_timestamp: RequeuingTimestamp, priority_sorting: bool
) -> Instant:
    """The time that a workload queues from.

    > A workload's queue-order timestamp is its creation time, except:
    >
    > 1. the time of its eviction, when it was evicted because its pods were
    >    not ready in time and Kueue requeues by eviction, or when an
    >    admission check evicted it;
    > 2. one millisecond after its preemption, when it was preempted with
    >    reason InCohortReclaimWhileBorrowing and gate
    >    PrioritySortingWithinCohort is off.

    Args:
        workload: any workload.
        requeuing_timestamp: the configured choice for evictions of pods that were not ready in time.
        priority_sorting: feature gate PrioritySortingWithinCohort.

    Returns:
        ns since the epoch.

    Source: Kueue main of August 2026, queue-order timestamp.

    >>> evicted = Workload("ns", "w", "u", priority=0, created_at=5, admission_check_evicted_at=9)
    >>> queue_order_timestamp(evicted, RequeuingTimestamp.CREATION, priority_sorting=True)
    9
    """
    if requeuing_timestamp == RequeuingTimestamp.EVICTION and workload.pods_ready_evicted_at is not None:
        return workload.pods_ready_evicted_at
    if workload.admission_check_evicted_at is not None:
        return workload.admission_check_evicted_at
    if not priority_sorting and workload.preempted_while_borrowing_at is not None:
        return workload.preempted_while_borrowing_at + REQUEUE_EPSILON
    return workload.created_at
