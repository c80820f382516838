"""Rules about who may be preempted."""

from __future__ import annotations

from tenure.model import Basis, Evidence, Instant, Kin, Reason, WithinClusterQueue, Workload
from tenure.rules.hero_targets import basis_for_hero, hero_preemption_reason, is_immune
from tenure.rules.priority import has_lower_priority
from tenure.rules.reclaim import basis_across_queues
from tenure.rules.registry import rule
from tenure.rules.share import basis_by_share
from tenure.rules.terms import PreemptionTerms
from tenure.rules.time_based import basis_among_equals


@rule("KQ-040")
def basis_within_queue(preemptor: Workload, target: Workload, terms: PreemptionTerms, now: Instant) -> Basis:
    """On what basis a workload may preempt another of its own ClusterQueue.

    > Under withinClusterQueue:
    >
    > 1. Never: no workload may be preempted.
    > 2. LowerPriority: a workload of lower priority may be preempted.
    > 3. LowerOrNewerEqualPriority: a workload of lower priority may be
    >    preempted, and one of equal priority if TBP-050 allows it.

    Args:
        preemptor: the pending workload.
        target: a workload that holds quota of the same ClusterQueue.
        terms: what holds in that ClusterQueue.
        now: the scheduling cycle's one clock value, ns since the epoch.

    Returns:
        the basis, NONE when it may not be preempted.

    Source: Kueue v1beta2, `ClusterQueuePreemption.withinClusterQueue`; KEP-8522, Preemption Eligibility.

    >>> from tenure.model import ClusterQueue, Settings
    >>> from tenure.readings import preset
    >>> from tenure.rules.terms import terms_of
    >>> low, high = (Workload("ns", str(p), "u", priority=p, created_at=0) for p in (1, 2))
    >>> queue = ClusterQueue("q", within_cluster_queue=WithinClusterQueue.LOWER_PRIORITY)
    >>> basis_within_queue(high, low, terms_of(queue, Settings(), preset("guaranteed")), now=0).name
    'LOWER_PRIORITY'
    """
    if terms.within_cluster_queue == WithinClusterQueue.NEVER:
        return Basis.NONE
    if has_lower_priority(preemptor, target):
        return Basis.LOWER_PRIORITY
    if terms.within_cluster_queue == WithinClusterQueue.LOWER_PRIORITY:
        return Basis.NONE
    if target.priority != preemptor.priority:
        return Basis.NONE
    return basis_among_equals(preemptor, target, terms, now)


@rule("KQ-300")
def basis_for(
    preemptor: Workload,
    target: Workload,
    evidence: Evidence,
    terms: PreemptionTerms,
    now: Instant,
    kin: Kin,
) -> Basis:
    """On what basis a workload may preempt another, wherever that runs.

    > Which rule decides:
    >
    > 1. In the preemptor's ClusterQueue, KQ-040.
    > 2. Elsewhere, if the preemptor's ClusterQueue is a hero, UCQ-310.
    > 3. Otherwise no target may be preempted that is immune (UCQ-340), or
    >    whose ClusterQueue, and without fair sharing every cohort below the
    >    common one, does not use more than its quota.
    > 4. Any other target: under fair sharing KQ-400, otherwise KQ-320.

    Args:
        preemptor: the pending workload.
        target: a workload that holds quota.
        evidence: the facts about the target's place in the tree and about shares.
        terms: what holds for the preemptor.
        now: the scheduling cycle's one clock value, ns since the epoch.
        kin: how the target's ClusterQueue is related to the preemptor's, as far as heroes are concerned.

    Returns:
        the basis, NONE when it may not be preempted.

    Source: Kueue v1beta2, `ClusterQueuePreemption`; Kueue main of August 2026, candidates; KEP-8826, Goals.

    >>> from tenure.model import ClusterQueue, ReclaimWithinCohort, Settings
    >>> from tenure.readings import preset
    >>> from tenure.rules.terms import terms_of
    >>> queue = ClusterQueue("q", cohort="c", reclaim_within_cohort=ReclaimWithinCohort.ANY)
    >>> terms = terms_of(queue, Settings(), preset("guaranteed"))
    >>> new = Workload("ns", "new", "u", priority=0, created_at=0)
    >>> old = Workload("ns", "old", "v", priority=9, created_at=0, cluster_queue="other")
    >>> evidence = Evidence(Basis.HIERARCHICAL, over_quota=True, advantage=True)
    >>> basis_for(new, old, evidence, terms, 0, Kin()).name
    'HIERARCHICAL'
    >>> basis_for(new, old, evidence, terms, 0, Kin(hero=True)).name
    'NONE'
    """
    if target.cluster_queue == terms.cluster_queue:
        return basis_within_queue(preemptor, target, terms, now)
    if terms.hero:
        return basis_for_hero(preemptor, target, terms, kin)
    if not evidence.over_quota or is_immune(preemptor, target, terms, kin):
        return Basis.NONE
    if terms.fair_sharing:
        return basis_by_share(preemptor, target, evidence, terms)
    return basis_across_queues(preemptor, target, evidence, terms)


@rule("KQ-310")
def preemption_reason(basis: Basis) -> Reason:
    """The reason that a target's condition, event and metric carry.

    > A preemption has the reason:
    >
    > 1. InCohortReclamation, when its basis is hierarchical advantage,
    >    reclaim without borrowing, or a preemptor within its nominal quota;
    > 2. InCohortReclaimWhileBorrowing, when its basis is reclaim while
    >    borrowing;
    > 3. InCohortFairSharing, when its basis is a comparison of shares;
    > 4. the one that UCQ-330 gives otherwise.

    Args:
        basis: why it is preempted; not NONE.

    Source: Kueue v1beta2, reasons of condition Preempted.

    >>> preemption_reason(Basis.WITHIN_NOMINAL).label
    'InCohortReclamation'
    """
    if basis == Basis.HIERARCHICAL or basis == Basis.WITHOUT_BORROWING:
        return Reason.IN_COHORT_RECLAMATION
    if basis == Basis.WITHIN_NOMINAL:
        return Reason.IN_COHORT_RECLAMATION
    if basis == Basis.WHILE_BORROWING:
        return Reason.IN_COHORT_RECLAIM_WHILE_BORROWING
    if basis == Basis.FINAL_SHARE or basis == Basis.INITIAL_SHARE:
        return Reason.IN_COHORT_FAIR_SHARING
    return hero_preemption_reason(basis)
