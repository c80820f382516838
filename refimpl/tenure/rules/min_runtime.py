"""Rules of KAI-Scheduler's MinRuntime plugin: which value counts, who is protected, what that refuses.

A walk through the tree of queues is one step at a time: each rule takes what the queue above came to. A job
with several sub-groups is one sub-group at a time.
"""

from __future__ import annotations

from tenure.model import Action, Duration, Instant, ResolveMethod
from tenure.readings import KaiVersion
from tenure.rules.registry import rule


@rule("KMR-010")
def nearest_set(own: Duration | None, above: Duration) -> Duration:
    """What a queue's minimum runtime comes to.

    > A queue's minimum runtime is its own value when one is set, however
    > small; otherwise that of the queue above it, and at the top the
    > default.

    Args:
        own: the queue's own value, ns; None where it is not set. `0s` is set, and so is a negative value.
        above: what the queue above comes to, or at the top the plugin's default, ns.

    Returns:
        ns.

    Source: KAI-Scheduler, MinRuntime Plugin, Preemption Resolution.

    >>> nearest_set(None, 600), nearest_set(0, 600)
    (600, 0)
    """
    if own is None:
        return above
    return own


@rule("KMR-020")
def default_of(argument: Duration | None) -> Duration:
    """The default that an argument of the plugin sets.

    > An argument that is missing, is not a duration or is negative sets the
    > default to 0s.

    Args:
        argument: ns; None where it is absent or no duration.

    Returns:
        ns.

    Source: KAI-Scheduler, MinRuntime Plugin, Configuration Parameters; of what is no duration or negative the
        document says nothing.

    >>> default_of(None), default_of(-1), default_of(600)
    (0, 0, 600)
    """
    if argument is None:
        return 0
    return max(0, argument)


@rule("KMR-030")
def counts_for_reclaim(method: ResolveMethod, top_level: bool, parent_is_common: bool) -> bool:
    """Whether a queue on the victim's path has a say in who may reclaim.

    > Under method queue, every queue on the victim's path counts. Under
    > method lca, a queue counts when it is top-level, or when its parent is
    > also on the reclaimer's path.

    Args:
        method: how values are resolved.
        top_level: whether the queue has no queue above it.
        parent_is_common: whether the queue above it is on the reclaimer's path as well.

    Source: KAI-Scheduler, MinRuntime Plugin, Reclamation Resolution.

    >>> counts_for_reclaim(ResolveMethod.LCA, top_level=False, parent_is_common=False)
    False
    """
    if method == ResolveMethod.QUEUE:
        return True
    return top_level or parent_is_common


@rule("KMR-040")
def value_down(own: Duration | None, above: Duration, counts: bool) -> Duration:
    """What the walk down the victim's path has come to at a queue.

    > A queue that counts passes down its own value when one is set.
    > Otherwise, and for a queue that does not count, the value from the
    > queue above is passed down unchanged.

    Args:
        own: the queue's own value, ns; None where it is not set.
        above: what the walk had come to above, at the top the plugin's default, ns.
        counts: whether the queue has a say (KMR-030).

    Returns:
        ns.

    Source: KAI-Scheduler, MinRuntime Plugin, Reclamation Resolution.

    >>> value_down(own=5, above=600, counts=False)
    600
    """
    if not counts:
        return above
    return nearest_set(own, above)


@rule("KMR-050")
def is_resolvable(action: Action, pending_known: bool, victim_known: bool) -> bool:
    """Whether the queues say what the minimum runtime is.

    > A minimum runtime is resolved only when the victim's queue exists, and
    > for a reclaim the reclaimer's queue too; otherwise the default
    > applies.

    Args:
        action: what the pending job wants to do.
        pending_known: whether the pending job's queue exists.
        victim_known: whether the victim's queue exists.

    Source: KAI-Scheduler, MinRuntime plugin, resolver; the document does not mention it.

    >>> is_resolvable(Action.PREEMPT, pending_known=False, victim_known=True)
    True
    """
    if action == Action.PREEMPT:
        return victim_known
    return victim_known and pending_known


@rule("KMR-060")
def is_protected(started_at: Instant | None, min_runtime: Duration, now: Instant) -> bool:
    """Whether a running job still has its minimum runtime before it.

    > A job is protected while the current time is strictly before its last
    > start plus its minimum runtime. A job without a start time is not
    > protected.

    Args:
        started_at: the last start, ns since the epoch; None where there is no stamp, or the zero time.
        min_runtime: what counts for the job, ns.
        now: the clock, ns since the epoch.

    Source: KAI-Scheduler, MinRuntime Plugin, Example Workflow.

    >>> is_protected(0, 600, 599), is_protected(0, 600, 600), is_protected(None, 600, 0)
    (True, False, False)
    """
    if started_at is None:
        return False
    return now < started_at + min_runtime


@rule("KMR-070")
def is_elastic(elastic_so_far: bool, min_available: int, pods: int) -> bool:
    """Whether a job is elastic, one sub-group after the other.

    > A job is elastic when at least one of its sub-groups has more pods
    > than its minAvailable, whatever state those pods are in.

    Args:
        elastic_so_far: whether a sub-group before this one made it elastic.
        min_available: of the sub-group.
        pods: how many pods the sub-group has.

    Source: KAI-Scheduler, MinRuntime Plugin, Elastic Jobs Handling.

    >>> is_elastic(False, min_available=2, pods=2), is_elastic(False, min_available=2, pods=3)
    (False, True)
    """
    return elastic_so_far or min_available < pods


@rule("KMR-080")
def passes_filter(elastic: bool, protected: bool) -> bool:
    """Whether a running job may be considered as a victim.

    > A job passes the filter when it is elastic or not protected.

    Args:
        elastic: whether the job is elastic (KMR-070).
        protected: whether it is protected (KMR-060).

    Source: KAI-Scheduler, MinRuntime Plugin, Elastic Jobs Handling, item 1.

    >>> passes_filter(elastic=False, protected=True)
    False
    """
    return elastic or not protected


@rule("KMR-090")
def must_keep_minimum(elastic: bool, protected: bool) -> bool:
    """Whether a victim job must keep its minimum in a scenario.

    > A job must keep its minimum when it is elastic and protected. No other
    > job is checked.

    Args:
        elastic: whether the job is elastic (KMR-070).
        protected: whether it is protected (KMR-060).

    Source: KAI-Scheduler, MinRuntime Plugin, Elastic Jobs Handling, item 2.

    >>> must_keep_minimum(elastic=True, protected=True)
    True
    """
    return elastic and protected


@rule("KMR-100")
def keeps_minimum(min_available: int, active: int, preempted: int) -> bool:
    """Whether a sub-group has its minimum left after a scenario.

    > A sub-group keeps its minimum when its active pods, less the pods to
    > be preempted, are still at least minAvailable. A sub-group that loses
    > no pod is not checked.

    Args:
        min_available: of the sub-group.
        active: how many of its pods are Allocated, Pipelined, Binding, Bound, Running or Releasing.
        preempted: how many of its pods the scenario names, whatever their state.

    Source: KAI-Scheduler, MinRuntime Plugin, Elastic Jobs Handling, item 2.

    >>> [keeps_minimum(min_available=2, active=3, preempted=count) for count in (1, 2)]
    [True, False]
    """
    if preempted == 0:
        return True
    return min_available <= active - preempted


@rule("KMR-110")
def value_in_session(kept: Duration | None, resolved: Duration) -> Duration:
    """The minimum runtime that a session goes on with.

    > Once a minimum runtime has been resolved in a session, it applies
    > until the session ends.

    Args:
        kept: what the session resolved before for the same queues, ns; None where it has not.
        resolved: what the queues say now, ns.

    Returns:
        ns.

    Source: KAI-Scheduler, MinRuntime Plugin, Caching.

    >>> value_in_session(None, 600), value_in_session(0, 600)
    (600, 0)
    """
    if kept is None:
        return resolved
    return kept


@rule("KMR-120")
def protection_in_session(kept: bool | None, asked_now: bool) -> bool:
    """Whether a session counts a job as protected.

    > Once a session has determined whether a job is protected, the answer
    > applies until the session ends.

    Args:
        kept: what the session answered before, for a reclaim about the same pair of jobs; None where it kept
            no answer.
        asked_now: whether the job is protected by the clock as it is now (KMR-060).

    Source: KAI-Scheduler, MinRuntime Plugin, Caching.

    >>> protection_in_session(None, True), protection_in_session(False, True)
    (True, False)
    """
    if kept is None:
        return asked_now
    return kept


@rule("KMR-130")
def is_answer_kept(started_at: Instant | None, version: KaiVersion) -> bool:
    """Whether a session keeps its answer about a job.

    > In the revision of March 2026, an answer about a job is kept when the
    > job has a start time. From v0.17.0, no answer about a job is kept.

    Args:
        started_at: the last start, ns since the epoch; None where there is no stamp, or the zero time.
        version: the reading, `kai_version`.

    Source: KAI-Scheduler, MinRuntime plugin; the document does not mention it.

    >>> is_answer_kept(None, KaiVersion.MARCH_2026), is_answer_kept(0, KaiVersion.MARCH_2026)
    (False, True)
    >>> is_answer_kept(0, KaiVersion.V0_17)
    False
    """
    return version == KaiVersion.MARCH_2026 and started_at is not None


@rule("KMR-140")
def least_members(min_member: int | None, in_sub_group: bool, version: KaiVersion) -> int:
    """The minimum of a job, or of one of its sub-groups.

    > The minimum is minMember, but never below one. From v0.17.0 that of
    > a sub-group may be zero. Without minMember the lowest counts.

    Args:
        min_member: as the PodGroup or its sub-group sets it; None where it does not.
        in_sub_group: whether a sub-group sets it, and not the PodGroup.
        version: the reading, `kai_version`.

    Source: KAI-Scheduler, PodGroup and its snapshot.

    >>> least_members(0, True, KaiVersion.MARCH_2026), least_members(0, True, KaiVersion.V0_17)
    (1, 0)
    """
    least = 1
    if in_sub_group and version == KaiVersion.V0_17:
        least = 0
    if min_member is None:
        return least
    return max(least, min_member)


@rule("KMR-150")
def delay_begins(created: Instant, evicted_at: Instant | None) -> Instant:
    """When the preemption delay of a pending job begins.

    > A preemption delay begins when the job is created, and begins again
    > with each later eviction of the job.

    Args:
        created: ns since the epoch.
        evicted_at: the last eviction, ns since the epoch; None where there was none.

    Returns:
        ns since the epoch.

    Source: KAI-Scheduler, Preemption Delay, Behavior.

    >>> delay_begins(5, None), delay_begins(5, 9)
    (5, 9)
    """
    if evicted_at is None:
        return created
    return max(created, evicted_at)


@rule("KMR-160")
def delay_ends(version: KaiVersion, delay: Duration | None, begins: Instant) -> Instant | None:
    """When the preemption delay of a pending job ends.

    > From v0.17.0, a preemption delay that is positive ends when it has
    > passed since its begin. A delay that is not positive has no effect.

    Args:
        version: the reading, `kai_version`.
        delay: the job's preemptionDelay, ns; None where it sets none.
        begins: when the delay begins, ns since the epoch (KMR-150).

    Returns:
        ns since the epoch; None without a delay.

    Source: KAI-Scheduler, Preemption Delay, Behavior.

    >>> delay_ends(KaiVersion.V0_17, 300, 5), delay_ends(KaiVersion.V0_17, 0, 5)
    (305, None)
    """
    if version == KaiVersion.MARCH_2026 or delay is None or delay <= 0:
        return None
    return begins + delay


@rule("KMR-170")
def is_delayed(ends: Instant | None, now: Instant) -> bool:
    """Whether a pending job must not evict yet.

    > A pending job evicts no workload while the current time is strictly
    > before the end of its preemption delay.

    Args:
        ends: when the delay ends, ns since the epoch (KMR-160); None without a delay.
        now: the clock, ns since the epoch.

    Source: KAI-Scheduler, Preemption Delay, Behavior.

    >>> is_delayed(300, 299), is_delayed(300, 300), is_delayed(None, 0)
    (True, False, False)
    """
    return ends is not None and now < ends
