"""The terms that hold between a preemptor and every workload that it may preempt."""

from __future__ import annotations

from dataclasses import dataclass

from tenure.model import (
    BorrowWithinCohort,
    ClusterQueue,
    Duration,
    ReclaimWithinCohort,
    RequeuingTimestamp,
    Settings,
    WithinClusterQueue,
)
from tenure.readings import (
    AlwaysTrigger,
    ConfiguredCandidates,
    ExecutionStart,
    FairSharingRepair,
    HeroPrecedence,
    InvalidSelector,
    LimitSearch,
    NewerThan,
    Reading,
    RepairStrategy,
    RepairWithinNominal,
    RequeueOrder,
    SamePriorityGate,
)
from tenure.rules.hero_rank import is_hero


@dataclass(frozen=True, slots=True)
class PreemptionTerms:
    """Everything besides the workloads, the clock and the quotas that decides who may take whom.

    Args:
        cluster_queue: name of the preemptor's ClusterQueue.
        within_cluster_queue: its policy towards its own workloads.
        min_admit_duration: `withinClusterQueueConfig.minAdmitDuration` as configured, ns, valid or not.
        time_based_preemption: feature gate TimeBasedSamePriorityPreemption.
        requeuing_timestamp: where a workload that was evicted before its pods were ready queues from.
        priority_sorting_within_cohort: feature gate PrioritySortingWithinCohort.
        reclaim_within_cohort: the policy towards workloads of other queues.
        borrow_within_cohort, max_priority_threshold: whether that holds while the queue borrows.
        fair_sharing: whether targets in other queues are chosen by shares; for a hero they never are.
        hero: whether its queue is a hero (UCQ-050).
        same_priority_gate, newer_than, requeue_order, hero_precedence, configured_candidates, always_trigger,
            invalid_selector, execution_start, limit_search, fair_sharing_repair, repair_strategy,
            repair_within_nominal: the reading.
    """

    cluster_queue: str
    within_cluster_queue: WithinClusterQueue
    min_admit_duration: Duration | None
    time_based_preemption: bool
    requeuing_timestamp: RequeuingTimestamp
    priority_sorting_within_cohort: bool
    reclaim_within_cohort: ReclaimWithinCohort
    borrow_within_cohort: BorrowWithinCohort
    max_priority_threshold: int | None
    fair_sharing: bool
    hero: bool
    same_priority_gate: SamePriorityGate
    newer_than: NewerThan
    requeue_order: RequeueOrder
    hero_precedence: HeroPrecedence
    configured_candidates: ConfiguredCandidates
    always_trigger: AlwaysTrigger
    invalid_selector: InvalidSelector
    execution_start: ExecutionStart
    limit_search: LimitSearch
    fair_sharing_repair: FairSharingRepair
    repair_strategy: RepairStrategy
    repair_within_nominal: RepairWithinNominal


def terms_of(queue: ClusterQueue, settings: Settings, reading: Reading) -> PreemptionTerms:
    """The terms of a ClusterQueue under a reading."""
    hero = is_hero(queue.rules, queue.cohort is not None)
    return PreemptionTerms(
        cluster_queue=queue.name,
        within_cluster_queue=queue.within_cluster_queue,
        min_admit_duration=queue.min_admit_duration,
        time_based_preemption=settings.time_based_preemption,
        requeuing_timestamp=settings.requeuing_timestamp,
        priority_sorting_within_cohort=settings.priority_sorting_within_cohort,
        reclaim_within_cohort=queue.reclaim_within_cohort,
        borrow_within_cohort=queue.borrow_within_cohort,
        max_priority_threshold=queue.max_priority_threshold,
        fair_sharing=settings.fair_sharing is not None and not hero,
        hero=hero,
        same_priority_gate=reading.same_priority_gate,
        newer_than=reading.newer_than,
        requeue_order=reading.requeue_order,
        hero_precedence=reading.hero_precedence,
        configured_candidates=reading.configured_candidates,
        always_trigger=reading.always_trigger,
        invalid_selector=reading.invalid_selector,
        execution_start=reading.execution_start,
        limit_search=reading.limit_search,
        fair_sharing_repair=reading.fair_sharing_repair,
        repair_strategy=reading.repair_strategy,
        repair_within_nominal=reading.repair_within_nominal,
    )
