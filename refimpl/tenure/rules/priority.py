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


@rule("KQ-080")
def effective_priority(base: int, boost: int, boost_gate: bool) -> int:
    """The priority that counts.

    > A workload's effective priority is its own priority; with gate
    > PriorityBoost on, its own priority plus its boost.

    Args:
        base: `spec.priority`, 0 when it is not set.
        boost: annotation `kueue.x-k8s.io/priority-boost`; 0 when it is absent or no 32-bit integer.
        boost_gate: feature gate PriorityBoost, off by default.

    Returns:
        a sum that may lie outside 32 bits.

    Source: Kueue main of August 2026, effective priority.

    >>> effective_priority(base=100, boost=7, boost_gate=True), effective_priority(100, 7, False)
    (107, 100)
    """
    if boost_gate:
        return base + boost
    return base
