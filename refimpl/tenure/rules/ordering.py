"""Rules about the order in which candidates are taken."""

from __future__ import annotations

from tenure.model import Instant, Workload
from tenure.rules.registry import rule
from tenure.rules.terms import PreemptionTerms
from tenure.rules.time_based import duration_in_force, precedes_among_equals


@rule("KQ-050")
def candidate_precedes(
    first: Workload, second: Workload, preemptor: Workload, terms: PreemptionTerms, now: Instant
) -> bool:
    """Which of two candidates of one ClusterQueue is taken first.

    > A candidate that is already evicted goes first; then the one of lower
    > priority; among candidates of the preemptor's own priority TBP-060
    > decides with the duration in force, among others without one.

    Args:
        first, second: two candidates.
        preemptor: the pending workload.
        terms: what holds in their ClusterQueue.
        now: the scheduling cycle's one clock value, ns since the epoch.

    Source: Kueue main of August 2026, candidate order (evicted, priority, later reservation, uid);
        KEP-8522, Preemption Eligibility, preemption order among same-priority candidates.

    >>> from tenure.model import ClusterQueue, Settings
    >>> from tenure.readings import preset
    >>> from tenure.rules.terms import terms_of
    >>> low, high = (Workload("ns", str(p), "u", priority=p, created_at=0) for p in (1, 2))
    >>> candidate_precedes(low, high, high, terms_of(ClusterQueue("q"), Settings(), preset("released")), 0)
    True
    """
    if first.evicted != second.evicted:
        return first.evicted
    if first.priority != second.priority:
        return first.priority < second.priority
    if first.priority == preemptor.priority:
        return precedes_among_equals(first, second, now, duration_in_force(terms))
    return precedes_among_equals(first, second, now, None)
