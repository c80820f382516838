"""Rules about who may be taken within a ClusterQueue."""

from __future__ import annotations

from tenure.model import Ground, Instant, WithinClusterQueue, Workload
from tenure.rules.priority import has_lower_priority
from tenure.rules.registry import rule
from tenure.rules.terms import PreemptionTerms
from tenure.rules.time_based import ground_among_equals


@rule("KQ-040")
def ground_within_queue(
    preemptor: Workload, target: Workload, terms: PreemptionTerms, now: Instant
) -> Ground:
    """On what ground a workload may take another of its own ClusterQueue.

    > Under policy Never nobody may be taken. Under the other two policies a
    > workload of lower priority may be taken; under LowerOrNewerEqualPriority
    > also one of equal priority, on the grounds of TBP-050.

    Args:
        preemptor: the pending workload.
        target: a workload that holds quota of the same ClusterQueue.
        terms: what holds in that ClusterQueue.
        now: the scheduling cycle's one clock value, ns since the epoch.

    Returns:
        the ground, NONE when it may not be taken.

    Source: Kueue v1beta2, `ClusterQueuePreemption.withinClusterQueue`; KEP-8522, Preemption Eligibility.

    >>> from tenure.model import ClusterQueue, Settings
    >>> from tenure.readings import preset
    >>> from tenure.rules.terms import terms_of
    >>> low, high = (Workload("ns", str(p), "u", priority=p, created_at=0) for p in (1, 2))
    >>> queue = ClusterQueue("q", within_cluster_queue=WithinClusterQueue.LOWER_PRIORITY)
    >>> ground_within_queue(high, low, terms_of(queue, Settings(), preset("guaranteed")), now=0).name
    'LOWER_PRIORITY'
    """
    if terms.within_cluster_queue == WithinClusterQueue.NEVER:
        return Ground.NONE
    if has_lower_priority(preemptor, target):
        return Ground.LOWER_PRIORITY
    if terms.within_cluster_queue == WithinClusterQueue.LOWER_PRIORITY:
        return Ground.NONE
    if target.priority != preemptor.priority:
        return Ground.NONE
    return ground_among_equals(preemptor, target, terms, now)
