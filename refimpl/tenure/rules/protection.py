"""KEP-9876: protection from preemption by other ClusterQueues. A proposal, from its text, not run."""

from __future__ import annotations

from tenure.model import Duration, Instant, Workload
from tenure.rules.registry import rule
from tenure.rules.reservation import quota_reservation_time


@rule("PPR-010")
def is_rebalancing(fair_sharing: bool, claims_nominal: bool) -> bool:
    """Whether a preemption across ClusterQueues is a rebalancing by shares, rather than a reclaim.

    > The minAdmitDuration of preemptionProtection.fairSharing counts under
    > fair sharing, unless the preemptor's ClusterQueue stays within its
    > nominal quota and shares are not compared (KQ-410). In every other
    > preemption across ClusterQueues that of
    > preemptionProtection.reclaimWithinCohort counts.

    Args:
        fair_sharing: whether targets in other ClusterQueues are chosen by shares.
        claims_nominal: whether no shares are compared.

    Source: KEP-9876, Preemption Eligibility.

    >>> is_rebalancing(fair_sharing=True, claims_nominal=False)
    True
    """
    return fair_sharing and not claims_nominal


@rule("PPR-020")
def admission_time(target: Workload, now: Instant) -> Instant:
    """Since when a workload is admitted.

    > A workload is admitted from the last transition of its condition
    > Admitted to True, which may be later than its quota reservation.

    Args:
        target: a workload that holds quota and is admitted.
        now: the scheduling cycle's one clock value, ns since the epoch.

    Returns:
        ns since the epoch.

    Source: KEP-9876, Admission Time.

    >>> admission_time(Workload("ns", "w", "u", 0, 0, quota_reserved_at=5, admission_delay=2), now=9)
    7
    """
    delay = 0 if target.admission_delay is None else target.admission_delay
    return quota_reservation_time(target, now) + delay


@rule("PPR-030")
def is_protected_from_others(target: Workload, now: Instant, min_admit_duration: Duration | None) -> bool:
    """Whether a workload is protected from preemption by other ClusterQueues.

    > A workload is protected while less than minAdmitDuration has passed
    > since its admission (PPR-020). It is not protected when no duration is
    > set, when it is not admitted, or when it is evicted already.

    Args:
        target: a workload that holds quota.
        now: the scheduling cycle's one clock value, ns since the epoch.
        min_admit_duration: of the field that counts (PPR-010), ns; None where it is not set.

    Source: KEP-9876, Preemption Eligibility; Admission Time.

    >>> target = Workload("ns", "w", "u", 0, 0, quota_reserved_at=0, admission_delay=0)
    >>> [is_protected_from_others(target, now, 60) for now in (59, 60)]
    [True, False]
    """
    if min_admit_duration is None or target.evicted or target.admission_delay is None:
        return False
    return now - admission_time(target, now) < min_admit_duration


@rule("PPR-040")
def can_always_reclaim(reclaims_any: bool, is_protecting: bool) -> bool:
    """Whether a ClusterQueue can reclaim its nominal quota at any time.

    > A ClusterQueue can always reclaim its quota when reclaimWithinCohort is
    > Any and no minAdmitDuration protects from reclaim.

    Args:
        reclaims_any: whether reclaimWithinCohort of the ClusterQueue is Any.
        is_protecting: whether preemptionProtection.reclaimWithinCohort has a minAdmitDuration.

    Source: KEP-9876, Preemption Eligibility (CanAlwaysReclaim).

    >>> can_always_reclaim(reclaims_any=True, is_protecting=True)
    False
    """
    return reclaims_any and not is_protecting
