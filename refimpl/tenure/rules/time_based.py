"""KEP-8522: time-based preemption among workloads of equal priority in one ClusterQueue."""

from __future__ import annotations

from tenure.model import MINUTE, Basis, Duration, Instant, Reason, WithinClusterQueue, Workload
from tenure.readings import NewerThan, RequeueOrder, SamePriorityGate
from tenure.rules.queue_order import REQUEUE_EPSILON, queue_order_timestamp
from tenure.rules.registry import rule
from tenure.rules.reservation import quota_reservation_time
from tenure.rules.terms import PreemptionTerms


@rule("TBP-010")
def duration_in_force(terms: PreemptionTerms) -> Duration | None:
    """The minimum admit duration that protects and expires, if there is one.

    > minAdmitDuration is in force when all hold:
    >
    > 1. its feature gate is on;
    > 2. withinClusterQueue is LowerOrNewerEqualPriority;
    > 3. its value is at least one minute.

    Args:
        terms: what holds in the ClusterQueue.

    Returns:
        ns; None when time-based preemption is off.

    Source: KEP-8522, Webhook Validation 1-3; Graduation Criteria, Beta (feature gate). A configuration
        that the webhook would refuse has no effect.

    >>> from tenure.model import ClusterQueue, Settings
    >>> from tenure.readings import preset
    >>> from tenure.rules.terms import terms_of
    >>> queue = ClusterQueue("q", min_admit_duration=MINUTE)
    >>> duration_in_force(terms_of(queue, Settings(), preset("guaranteed"))) is None  # policy is Never
    True
    """
    if not terms.time_based_preemption:
        return None
    if terms.within_cluster_queue != WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY:
        return None
    if terms.min_admit_duration is None or terms.min_admit_duration < MINUTE:
        return None
    return terms.min_admit_duration


@rule("TBP-020")
def is_time_expired(target: Workload, now: Instant, min_admit_duration: Duration | None) -> bool:
    """Whether a running workload has used up its protected time.

    > A target has exceeded minAdmitDuration when strictly more than that
    > duration has passed since its quota was reserved.

    Args:
        target: a workload that holds quota; `quota_reserved_at` in ns since the epoch.
        now: the scheduling cycle's one clock value, ns since the epoch.
        min_admit_duration: ns; None means that no duration is in force.

    Source: KEP-8522, Preemption Eligibility, condition 2; Integration tests 5 (exactly at the threshold
        is kept).

    >>> target = Workload("ns", "w", "u", priority=0, created_at=0, quota_reserved_at=0)
    >>> is_time_expired(target, now=MINUTE, min_admit_duration=MINUTE)
    False
    >>> is_time_expired(target, now=MINUTE + 1, min_admit_duration=MINUTE)
    True
    """
    if min_admit_duration is None:
        return False
    return now - quota_reservation_time(target, now) > min_admit_duration


@rule("TBP-030")
def requeue_timestamp(workload: Workload, terms: PreemptionTerms) -> Instant:
    """The time that a workload queues from where minAdmitDuration is in force.

    > When requeue_order is eviction and minAdmitDuration is in force, the
    > queue-order timestamp of a victim of time-based preemption is one
    > millisecond after its eviction. For every other workload it is Kueue's
    > (KQ-020).

    Args:
        workload: any workload.
        terms: what holds in its ClusterQueue.

    Returns:
        ns since the epoch.

    Source: KEP-8522, Story 2 and Integration tests 2 promise rotation; the KEP does not say where the
        victim queues. Reading key `requeue_order`.

    >>> from tenure.model import ClusterQueue, Settings
    >>> from tenure.readings import preset
    >>> from tenure.rules.terms import terms_of
    >>> policy = WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY
    >>> queue = ClusterQueue("q", within_cluster_queue=policy, min_admit_duration=MINUTE)
    >>> victim = Workload("ns", "w", "u", priority=0, created_at=0, time_based_preempted_at=MINUTE)
    >>> requeue_timestamp(victim, terms_of(queue, Settings(), preset("guaranteed"))) - MINUTE
    1000000
    """
    if terms.requeue_order == RequeueOrder.CREATION or duration_in_force(terms) is None:
        return queue_order_timestamp(
            workload, terms.requeuing_timestamp, terms.priority_sorting_within_cohort
        )
    if workload.time_based_preempted_at is None:
        return queue_order_timestamp(
            workload, terms.requeuing_timestamp, terms.priority_sorting_within_cohort
        )
    return workload.time_based_preempted_at + REQUEUE_EPSILON


@rule("TBP-040")
def is_newer_equal(preemptor: Workload, target: Workload, terms: PreemptionTerms, now: Instant) -> bool:
    """Whether a target of equal priority is newer than the preemptor.

    > A target is newer than the preemptor when its queue-order timestamp is
    > strictly later. When minAdmitDuration is in force and the KEP is read
    > literally, a target is newer when its quota was reserved strictly
    > after the preemptor was created.

    Args:
        preemptor: the pending workload.
        target: a workload of the same priority that holds quota.
        terms: what holds in their ClusterQueue.
        now: the scheduling cycle's one clock value, ns since the epoch.

    Source: KEP-8522, Preemption Eligibility, condition 1; Kueue v1beta2, LowerOrNewerEqualPriority.
        Reading key `newer_than`. Without a duration in force every reading is Kueue's.

    >>> from tenure.model import ClusterQueue, Settings
    >>> from tenure.readings import preset
    >>> from tenure.rules.terms import terms_of
    >>> terms = terms_of(ClusterQueue("q"), Settings(), preset("as-written"))
    >>> old, new = (Workload("ns", "w", "u", priority=0, created_at=t, quota_reserved_at=9) for t in (1, 2))
    >>> is_newer_equal(old, new, terms, now=9), is_newer_equal(new, old, terms, now=9)
    (True, False)
    """
    if duration_in_force(terms) is not None and terms.newer_than == NewerThan.RESERVED_AFTER_CREATED:
        return quota_reservation_time(target, now) > preemptor.created_at
    return requeue_timestamp(target, terms) > requeue_timestamp(preemptor, terms)


@rule("TBP-050")
def basis_among_equals(preemptor: Workload, target: Workload, terms: PreemptionTerms, now: Instant) -> Basis:
    """On what basis a workload may preempt another of its own priority.

    > A target of equal priority may be preempted when it has exceeded
    > minAdmitDuration, or when it is newer than the preemptor. When
    > same_priority_gate is expired_only and minAdmitDuration is in force,
    > being newer does not suffice. A target that meets both conditions
    > counts as expired.

    Args:
        preemptor: the pending workload.
        target: a workload of the same priority that holds quota.
        terms: what holds in their ClusterQueue.
        now: the scheduling cycle's one clock value, ns since the epoch.

    Returns:
        TIME_EXPIRED, NEWER_EQUAL or NONE.

    Source: KEP-8522, Preemption Eligibility, conditions 1 and 2, against Story 1. Reading key
        `same_priority_gate`.

    >>> from tenure.model import ClusterQueue, Settings
    >>> from tenure.readings import preset
    >>> from tenure.rules.terms import terms_of
    >>> policy = WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY
    >>> queue = ClusterQueue("q", within_cluster_queue=policy, min_admit_duration=MINUTE)
    >>> old, new = (Workload("ns", "w", "u", priority=0, created_at=t, quota_reserved_at=9) for t in (1, 2))
    >>> basis_among_equals(old, new, terms_of(queue, Settings(), preset("as-written")), now=9).name
    'NEWER_EQUAL'
    >>> basis_among_equals(old, new, terms_of(queue, Settings(), preset("guaranteed")), now=9).name
    'NONE'
    """
    if is_time_expired(target, now, duration_in_force(terms)):
        return Basis.TIME_EXPIRED
    if duration_in_force(terms) is not None and terms.same_priority_gate == SamePriorityGate.EXPIRED_ONLY:
        return Basis.NONE
    if is_newer_equal(preemptor, target, terms, now):
        return Basis.NEWER_EQUAL
    return Basis.NONE


@rule("TBP-060")
def precedes_among_equals(
    first: Workload, second: Workload, now: Instant, min_admit_duration: Duration | None
) -> bool:
    """Which of two candidates of equal priority is preempted first.

    > Candidates of equal priority are ordered by, in turn:
    >
    > 1. whether they have exceeded minAdmitDuration, expired first;
    > 2. quota reservation time: earliest first if they are expired, latest
    >    first if not;
    > 3. uid, lowest first.

    Args:
        first, second: two candidates of equal priority.
        now: the scheduling cycle's one clock value, ns since the epoch.
        min_admit_duration: ns; None means that no duration is in force for them.

    Source: KEP-8522, Preemption Eligibility, preemption order among same-priority candidates 1-3;
        Integration tests 7 (deterministic).

    >>> long = Workload("ns", "w", "u", priority=0, created_at=0, quota_reserved_at=1)
    >>> short = Workload("ns", "v", "u", priority=0, created_at=0, quota_reserved_at=2)
    >>> precedes_among_equals(long, short, 3 * MINUTE, MINUTE)  # both expired: the longest-running
    True
    >>> precedes_among_equals(long, short, 3 * MINUTE, None)  # the most recent
    False
    """
    expired = is_time_expired(first, now, min_admit_duration)
    if expired != is_time_expired(second, now, min_admit_duration):
        return expired
    first_reserved = quota_reservation_time(first, now)
    second_reserved = quota_reservation_time(second, now)
    if first_reserved == second_reserved:
        return first.uid < second.uid
    if expired:
        return first_reserved < second_reserved
    return first_reserved > second_reserved


@rule("TBP-070")
def queue_preemption_reason(basis: Basis) -> Reason:
    """The reason that a target's condition, event and metric carry.

    > A target preempted because it has exceeded minAdmitDuration has reason
    > InClusterQueueTimeBased; every other target in the preemptor's
    > ClusterQueue has reason InClusterQueue.

    Args:
        basis: why it is preempted; not NONE.

    Source: KEP-8522, Graduation Criteria, Beta (reason label); Kueue v1beta2, reason InClusterQueue.

    >>> queue_preemption_reason(Basis.NEWER_EQUAL).label
    'InClusterQueue'
    """
    if basis == Basis.TIME_EXPIRED:
        return Reason.IN_CLUSTER_QUEUE_TIME_BASED
    return Reason.IN_CLUSTER_QUEUE
