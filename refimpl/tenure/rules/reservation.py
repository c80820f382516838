"""Rules about since when a workload holds its quota."""

from __future__ import annotations

from tenure.model import Instant, Workload
from tenure.rules.registry import rule


@rule("KQ-030")
def quota_reservation_time(target: Workload, now: Instant) -> Instant:
    """Since when a workload holds its quota.

    > A workload's quota reservation time is the last transition of its
    > condition QuotaReserved. Without one, the current time is used.

    Args:
        target: a workload that holds quota.
        now: the scheduling cycle's one clock value, ns since the epoch.

    Returns:
        ns since the epoch.

    Source: KEP-8522, Summary, Terminology; Kueue main of August 2026, candidate order (missing = now).

    >>> quota_reservation_time(Workload("ns", "w", "u", priority=0, created_at=0), now=7)
    7
    """
    if target.quota_reserved_at is None:
        return now
    return target.quota_reserved_at
