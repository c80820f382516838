"""PreemptionLimits, of KEP-13396's FUTURE_WORK: how many preemptions by rules a window allows.

A proposal, from its text, not run.
"""

from __future__ import annotations

from tenure.model import Duration, Instant, LimitScope
from tenure.readings import LimitSearch
from tenure.rules.registry import rule


@rule("PCF-140")
def is_limited(
    scope: LimitScope,
    config_selected: bool,
    rule_named: bool,
    preempting_selected: bool,
    preempted_selected: bool,
) -> bool:
    """Whether a PreemptionLimit is about a preemption.

    > A PreemptionLimit counts a preemption when rules of a PreemptionConfig
    > select the victim, and these hold:
    >
    > 1. configSelector selects the PreemptionConfig;
    > 2. ruleNames is empty, or names one of these rules;
    > 3. clusterQueueSelector selects the preemptor's ClusterQueue when scope
    >    is PreemptingClusterQueue, and the victim's ClusterQueue otherwise.

    Args:
        scope: of the limit.
        config_selected: the first.
        rule_named: the second.
        preempting_selected: the selector selects the preemptor's ClusterQueue.
        preempted_selected: the selector selects the victim's ClusterQueue.

    Source: KEP-13396, FUTURE_WORK, PreemptionLimit.

    >>> [is_limited(scope, True, True, False, True) for scope in LimitScope]
    [True, False, True, True]
    """
    if scope == LimitScope.PREEMPTING_CLUSTER_QUEUE:
        return config_selected and rule_named and preempting_selected
    return config_selected and rule_named and preempted_selected


@rule("PCF-150")
def counts_with(
    scope: LimitScope,
    same_preempting: bool,
    same_preempted: bool,
    same_victim: bool,
    at: Instant,
    now: Instant,
    window: Duration,
) -> bool:
    """Whether a PreemptionLimit counts an earlier preemption beside one that is proposed.

    > An earlier preemption counts until limitWindowDuration has passed since
    > it, and beside these:
    >
    > 1. all others when scope is Global;
    > 2. those by the same ClusterQueue when it is PreemptingClusterQueue;
    > 3. those in the same ClusterQueue when it is PreemptedClusterQueue;
    > 4. those of the same workload when it is PreemptedWorkload.

    Args:
        scope: of the limit.
        same_preempting, same_preempted: whether both have the same preemptor's or victim's ClusterQueue.
        same_victim: whether both victims have the same namespace and name.
        at: when the earlier one was, ns.
        now: the scheduling cycle's one clock value.
        window: `limitWindowDuration`, ns.

    Source: KEP-13396, FUTURE_WORK, PreemptionLimit.

    >>> [counts_with(LimitScope.GLOBAL, False, False, False, 0, now, 60) for now in (59, 60)]
    [True, False]
    """
    if now - at >= window:
        return False
    if scope == LimitScope.PREEMPTING_CLUSTER_QUEUE:
        return same_preempting
    if scope == LimitScope.PREEMPTED_CLUSTER_QUEUE:
        return same_preempted
    return scope == LimitScope.GLOBAL or same_victim


@rule("PCF-160")
def is_within_limit(counted: int, further: int, limit: int) -> bool:
    """Whether a PreemptionLimit has room for the victims of a search.

    > A PreemptionLimit allows a search of whose victims it counts none, or
    > one with which it counts at most limit preemptions.

    Args:
        counted: the earlier preemptions that it counts beside these.
        further: the victims that it counts, without those that are evicted already.
        limit: of the limit.

    Source: KEP-13396, FUTURE_WORK, PreemptionLimit.

    >>> [is_within_limit(1, further, 2) for further in (0, 1, 2)]
    [True, True, False]
    """
    return further == 0 or counted + further <= limit


@rule("PCF-170")
def is_beyond_limit_passed_over(within: bool, limit_search: LimitSearch) -> bool:
    """Whether a search passes over a candidate because a PreemptionLimit has no room for it.

    > A search does not regard PreemptionLimits, and preempts none of its
    > victims when one of them has no room for all. When limit_search is each,
    > it passes over a candidate for which there is no room beside those that
    > it has removed.

    Args:
        within: there is room for the candidate.
        limit_search: the reading.

    Source: KEP-13396, FUTURE_WORK, PreemptionLimit, which does not say it.

    >>> [is_beyond_limit_passed_over(False, choice) for choice in LimitSearch]
    [False, True]
    """
    return not within and limit_search == LimitSearch.EACH
