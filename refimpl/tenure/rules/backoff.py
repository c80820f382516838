"""KEP-14468: when quota that was reclaimed may be borrowed again. A proposal, from its text, not run."""

from __future__ import annotations

from tenure.model import Amount, Duration, Instant, Reason
from tenure.readings import BackoffDeadline
from tenure.rules.registry import rule


@rule("RBO-010")
def arms_backoff(reason: Reason, held: Amount, usage: Amount, nominal: Amount) -> bool:
    """Whether a preemption arms the back-off of a flavor-resource.

    > A preemption for reason InCohortReclamation or
    > InCohortReclaimWhileBorrowing arms the back-off of each flavor-resource
    > that the victim holds, and of which its ClusterQueue uses more than its
    > nominal quota.

    Args:
        reason: of the preemption.
        held: how much of the flavor-resource the victim holds.
        usage: how much its ClusterQueue uses, the victim included.
        nominal: the nominal quota of its ClusterQueue.

    Source: KEP-14468, Arming the backoff.

    >>> arms_backoff(Reason.IN_COHORT_RECLAMATION, 2, 2, 0), arms_backoff(Reason.IN_CLUSTER_QUEUE, 2, 2, 0)
    (True, False)
    """
    reclaimed = reason == Reason.IN_COHORT_RECLAMATION or reason == Reason.IN_COHORT_RECLAIM_WHILE_BORROWING
    return reclaimed and held > 0 and usage > nominal


@rule("RBO-020")
def cooldown_after(
    before: Duration | None, quiet: Duration, base: Duration, most: Duration, reset: Duration
) -> Duration:
    """How long a ClusterQueue may not borrow a flavor-resource after a reclaim.

    > The first cooldown is backoffBaseSeconds. Each further reclaim doubles
    > it, up to backoffMaxSeconds. When more than backoffResetSeconds have
    > passed since the last reclaim, it is backoffBaseSeconds again.

    Args:
        before: the cooldown of the last reclaim, ns; None for the first.
        quiet: how long ago that was, ns.
        base, most, reset: the three fields, ns.

    Returns:
        ns, without the jitter of at most 0.01 %.

    Source: KEP-14468, Proposal; Kueue Configuration API; Backoff state tracker.

    >>> [cooldown_after(before, 600, 60, 3600, 600) for before in (None, 60, 2400)]
    [60, 120, 3600]
    """
    if before is None or quiet > reset:
        return base
    return min(2 * before, most)


@rule("RBO-030")
def cooldown_end(
    before: Instant | None, now: Instant, cooldown: Duration, backoff_deadline: BackoffDeadline
) -> Instant:
    """When the cooldown of a flavor-resource ends after a reclaim.

    > A cooldown ends as long after the reclaim as it lasts. When
    > backoff_deadline is latest, it does not end before the one that it
    > replaces.

    Args:
        before: when the cooldown that it replaces ends, ns; None without one.
        now: when the reclaim is.
        cooldown: how long it lasts, ns.
        backoff_deadline: the reading.

    Source: KEP-14468, Backoff state tracker, which does not say whether a reclaim can shorten a cooldown.

    >>> [cooldown_end(960, 661, 60, reading) for reading in BackoffDeadline]
    [721, 960]
    """
    end = now + cooldown
    if backoff_deadline == BackoffDeadline.LATEST and before is not None:
        return max(before, end)
    return end


@rule("RBO-040")
def is_deferred(request: Amount, usage: Amount, nominal: Amount, now: Instant, end: Instant) -> bool:
    """Whether a cooldown keeps a request from a flavor-resource.

    > A request that takes the usage of its ClusterQueue above the nominal
    > quota does not fit, by preemption either, before the cooldown of the
    > flavor-resource has ended.

    Args:
        request: how much of the flavor-resource.
        usage: how much the ClusterQueue uses, the request excluded.
        nominal: its nominal quota.
        now: the scheduling cycle's one clock value.
        end: of the cooldown.

    Source: KEP-14468, Deferring assignments.

    >>> [is_deferred(2, 0, 1, now, end=60) for now in (59, 60)]
    [True, False]
    """
    return request > 0 and usage + request > nominal and now < end
