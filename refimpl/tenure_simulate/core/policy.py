"""What holds for a preemptor, as numbers for the kernels."""

from __future__ import annotations

from tenure.model import Instant, Workload
from tenure.readings import FairSharingRepair, NewerThan, Reading, SamePriorityGate
from tenure.rules.dynamic_priority import priority_at, priority_in_decision
from tenure.rules.terms import PreemptionTerms
from tenure.rules.time_based import duration_in_force, requeue_timestamp
from tenure_simulate.core.amounts import MOST
from tenure_simulate.core.arrays import Arrays
from tenure_simulate.core.columns import FARTHEST
from tenure_simulate.core.tables import Policy
from tenure_simulate.core.uncovered import Uncovered


def policy_for(terms: PreemptionTerms) -> Policy:
    """What decides for all preemptors of a ClusterQueue; priority and instants are left out.

    Raises:
        Uncovered: a number beyond what the core counts with, or a search that it does not know.
    """
    if terms.fair_sharing and terms.fair_sharing_repair != FairSharingRepair.NONE:
        raise Uncovered("a repair of fair sharing")
    threshold, duration = terms.max_priority_threshold, duration_in_force(terms)
    if not (-FARTHEST < (duration or 0) < FARTHEST and -FARTHEST < (threshold or 0) < FARTHEST):
        raise Uncovered("a number beyond 64 bits")
    timed = duration is not None
    return Policy(
        priority=0,
        queued=0,
        now=0,
        within=int(terms.within_cluster_queue),
        reclaim=int(terms.reclaim_within_cohort),
        borrow=int(terms.borrow_within_cohort),
        threshold=MOST if threshold is None else threshold,
        duration=-1 if duration is None else duration,
        expired_only=timed and terms.same_priority_gate == SamePriorityGate.EXPIRED_ONLY,
        by_reservation=timed and terms.newer_than == NewerThan.RESERVED_AFTER_CREATED,
    )


def policy_of(
    policy: Policy,
    arrays: Arrays,
    preemptor: Workload,
    terms: PreemptionTerms,
    now: Instant,
    reading: Reading,
) -> Policy:
    """What decides who may be preempted for a pending workload.

    Args:
        policy: for all of its ClusterQueue.

    Raises:
        Uncovered: a number beyond what the core counts with.
    """
    queued = preemptor.created_at if policy.by_reservation else requeue_timestamp(preemptor, terms)
    priority = _priority_of(arrays, preemptor, now, reading)
    near = -FARTHEST < priority < FARTHEST and -FARTHEST < queued < FARTHEST and -FARTHEST < now < FARTHEST
    if not near:
        raise Uncovered("a number beyond 64 bits")
    return Policy(priority, queued, now, *policy[3:])


def _priority_of(arrays: Arrays, workload: Workload, now: Instant, reading: Reading) -> int:
    """The effective priority of a workload that need not be among the rows."""
    grown, growing = None, arrays.cluster.growing.get(workload.priority_class)
    if growing is not None and growing.policy is not None:
        if growing.policy.delay_for_step <= 0:
            raise Uncovered("a class that the reading refuses")
        grown = priority_at(workload, growing.base, growing.policy, now, reading.priority_steps)
    return priority_in_decision(workload, grown, arrays.cluster.settings.priority_boost)
