"""Rules about priority."""

from __future__ import annotations

from tenure.model import Workload
from tenure.rules.registry import rule


@rule("KQ-010")
def has_lower_priority(preemptor: Workload, target: Workload) -> bool:
    """Whether the target is less important than the preemptor.

    > A target has lower priority when its effective priority is strictly
    > below the preemptor's.

    Args:
        preemptor: the pending workload.
        target: a workload that holds quota.

    Source: Kueue v1beta2, `ClusterQueuePreemption.withinClusterQueue`, LowerPriority.

    >>> low, high = (Workload("ns", str(p), "u", priority=p, created_at=0) for p in (1, 2))
    >>> has_lower_priority(high, low), has_lower_priority(high, high)
    (True, False)
    """
    return target.priority < preemptor.priority
