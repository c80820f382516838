"""Rules about quota of a ClusterQueue without a cohort, one flavor-resource at a time."""

from __future__ import annotations

from tenure.model import Amount
from tenure.rules.registry import rule


@rule("KQ-060")
def fits_quota(usage: Amount, request: Amount, nominal: Amount) -> bool:
    """Whether a request fits beside what is in use.

    > A request fits when usage plus request is at most the nominal quota.

    Args:
        usage: what the ClusterQueue's workloads hold of the flavor-resource.
        request: what is asked for, above zero.
        nominal: the nominal quota.

    Source: Kueue v1beta2, `ResourceQuota.nominalQuota`, for a ClusterQueue without cohort.

    >>> fits_quota(usage=3, request=1, nominal=4), fits_quota(usage=4, request=1, nominal=4)
    (True, False)
    """
    return usage + request <= nominal


@rule("KQ-070")
def can_ever_fit(request: Amount, nominal: Amount) -> bool:
    """Whether a request could fit an empty ClusterQueue.

    > A request above the nominal quota can never fit.

    Args:
        request: what is asked for.
        nominal: the nominal quota.

    Source: Kueue main of August 2026, flavor assigner (maximum capacity), for a ClusterQueue without
        cohort.

    >>> can_ever_fit(request=5, nominal=4)
    False
    """
    return request <= nominal
