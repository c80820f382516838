"""Rules about the order in which candidates are preempted."""

from __future__ import annotations

from tenure.model import Instant, OrderKey, Workload
from tenure.rules.registry import rule
from tenure.rules.reservation import quota_reservation_time
from tenure.rules.terms import PreemptionTerms
from tenure.rules.time_based import duration_in_force, is_time_expired, precedes_among_equals


@rule("KQ-050")
def candidate_precedes(
    first: Workload, second: Workload, preemptor: Workload, terms: PreemptionTerms, now: Instant
) -> bool:
    """Which of two candidates of one group is preempted first.

    > Candidates are ordered by, in turn:
    >
    > 1. whether they are already evicted, evicted first;
    > 2. priority, lowest first;
    > 3. TBP-060, which uses minAdmitDuration only for candidates of the
    >    preemptor's ClusterQueue and priority.

    Args:
        first, second: two candidates, both of the preemptor's ClusterQueue or both of others.
        preemptor: the pending workload.
        terms: what holds for the preemptor.
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
    if first.cluster_queue == terms.cluster_queue and first.priority == preemptor.priority:
        return precedes_among_equals(first, second, now, duration_in_force(terms))
    return precedes_among_equals(first, second, now, None)


@rule("KQ-220")
def stands_before(
    first: Workload,
    first_group: int,
    second: Workload,
    second_group: int,
    preemptor: Workload,
    terms: PreemptionTerms,
    now: Instant,
) -> bool:
    """Which of two candidates is preempted first, whatever their groups.

    > Candidates are ordered by group, and within a group by KQ-050:
    >
    > 1. candidates that are already evicted;
    > 2. candidates over which the preemptor has a hierarchical advantage;
    > 3. other candidates of other ClusterQueues;
    > 4. candidates of the preemptor's ClusterQueue.

    Args:
        first, second: two candidates.
        first_group, second_group: 0 with hierarchical advantage, 1 of another ClusterQueue, 2 of the own.
            Fair sharing knows no advantage.
        preemptor: the pending workload.
        terms: what holds for the preemptor.
        now: the scheduling cycle's one clock value, ns since the epoch.

    Source: Kueue main of August 2026, candidate order and candidate iterator.

    >>> from tenure.model import ClusterQueue, Settings
    >>> from tenure.readings import preset
    >>> from tenure.rules.terms import terms_of
    >>> low, high = (Workload("ns", str(p), "u", priority=p, created_at=0) for p in (1, 2))
    >>> stands_before(low, 2, high, 1, high, terms_of(ClusterQueue("q"), Settings(), preset("released")), 0)
    False
    """
    if first.evicted != second.evicted:
        return first.evicted
    if first_group != second_group:
        return first_group < second_group
    return candidate_precedes(first, second, preemptor, terms, now)


@rule("KQ-230")
def order_key(
    candidate: Workload, group: int, preemptor: Workload, terms: PreemptionTerms, now: Instant
) -> OrderKey:
    """The key by which a candidate is sorted.

    > Sorting candidates by their keys gives the order of KQ-220.

    Args:
        candidate: a workload that may be preempted.
        group: see KQ-220.
        preemptor: the pending workload.
        terms: what holds for the preemptor.
        now: the scheduling cycle's one clock value, ns since the epoch.

    Source: KQ-220, of which this is another form: a sort that needs one key a candidate is faster than
        one that compares candidates. That both agree is proved (PO-KQ-100).

    >>> from tenure.model import ClusterQueue, Settings
    >>> from tenure.readings import preset
    >>> from tenure.rules.terms import terms_of
    >>> low, high = (Workload("ns", str(p), "u", priority=p, created_at=0) for p in (1, 2))
    >>> order_key(low, 1, high, terms_of(ClusterQueue("q"), Settings(), preset("released")), 9).recency
    -9
    """
    reserved = quota_reservation_time(candidate, now)
    running = 0 if candidate.evicted else 1
    equal = candidate.cluster_queue == terms.cluster_queue and candidate.priority == preemptor.priority
    if equal and is_time_expired(candidate, now, duration_in_force(terms)):
        return OrderKey(running, group, candidate.priority, 0, reserved, candidate.uid)
    return OrderKey(running, group, candidate.priority, 1, -reserved, candidate.uid)
