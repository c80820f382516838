"""KEP-8826: whom a hero may take from other ClusterQueues, in which order, and who may not take from it."""

from __future__ import annotations

from tenure.model import Basis, Kin, Reason, Workload
from tenure.rules.hero_rank import may_take_from_hero
from tenure.rules.priority import has_lower_priority
from tenure.rules.registry import rule
from tenure.rules.terms import PreemptionTerms
from tenure.rules.time_based import queue_preemption_reason


@rule("UCQ-310")
def basis_for_hero(preemptor: Workload, target: Workload, terms: PreemptionTerms, kin: Kin) -> Basis:
    """On what basis a hero may preempt a workload of another ClusterQueue.

    > A hero may preempt every workload in its subtree that is not immune to
    > it (UCQ-340), whatever the workload's priority and whether or not its
    > ClusterQueue is within its quota. It may preempt no workload outside
    > its subtree.

    Args:
        preemptor: a pending workload of a hero.
        target: a workload of another ClusterQueue that holds quota.
        terms: what holds for the preemptor.
        kin: how the target's queue is related to the preemptor's.

    Returns:
        HERO or NONE.

    Source: KEP-8826, Goals, Absolute Preemption Authority, Universal Subtree Preemption, Subtree
        Containment.

    >>> from tenure.model import ClusterQueue, PreemptionRules, Settings
    >>> from tenure.readings import preset
    >>> from tenure.rules.terms import terms_of
    >>> hero = ClusterQueue("h", cohort="c", rules=PreemptionRules.UBER_CLUSTER_QUEUE)
    >>> terms = terms_of(hero, Settings(), preset("guaranteed"))
    >>> low, high = (Workload("ns", str(p), "u", priority=p, created_at=0) for p in (1, 2))
    >>> basis_for_hero(low, high, terms, Kin(in_scope=True)).name
    'HERO'
    """
    if not kin.in_scope:
        return Basis.NONE
    if is_immune(preemptor, target, terms, kin):
        return Basis.NONE
    return Basis.HERO


@rule("UCQ-320")
def group_for_hero(own: bool, over_quota: bool) -> int:
    """The group of a hero's candidate.

    > A hero's candidates are ordered by group:
    >
    > 1. candidates of other ClusterQueues that use more than their quota of
    >    a needed flavor-resource;
    > 2. candidates of other ClusterQueues that do not;
    > 3. candidates of the hero's ClusterQueue.

    Args:
        own: whether the candidate runs in the hero.
        over_quota: whether its queue uses more than its nominal quota, on the effective tree and after the
            removals so far.

    Returns:
        0, 1 or 2; KQ-220 orders candidates by these groups.

    Source: KEP-8826, Goals, Deterministic Victim Selection.

    >>> group_for_hero(False, True), group_for_hero(False, False), group_for_hero(True, True)
    (0, 1, 2)
    """
    if own:
        return 2
    return 0 if over_quota else 1


@rule("UCQ-330")
def hero_preemption_reason(basis: Basis) -> Reason:
    """The reason of a target that was preempted neither by reclaim nor by shares.

    > A target in another ClusterQueue that is preempted for a hero has
    > reason UberCQPreemption. For a target in the hero's ClusterQueue
    > TBP-070 gives the reason.

    Args:
        basis: why it is preempted; not NONE.

    Source: KEP-8826, Metrics and Status Condition.

    >>> hero_preemption_reason(Basis.HERO).label, hero_preemption_reason(Basis.LOWER_PRIORITY).label
    ('UberCQPreemption', 'InClusterQueue')
    """
    if basis == Basis.HERO:
        return Reason.UBER_CQ_PREEMPTION
    return queue_preemption_reason(basis)


@rule("UCQ-340")
def is_immune(preemptor: Workload, target: Workload, terms: PreemptionTerms, kin: Kin) -> bool:
    """Whether a workload may not be preempted because of the hero that it runs in.

    > A hero's workload is immune to every preemptor of a standard queue,
    > and to every hero that UCQ-020 does not allow to preempt it. A
    > workload of a standard queue is never immune.

    Args:
        preemptor: a pending workload of another ClusterQueue.
        target: a workload that holds quota.
        terms: what holds for the preemptor.
        kin: how the target's queue is related to the preemptor's.

    Source: KEP-8826, Goals, Hierarchical Protection.

    >>> from tenure.model import ClusterQueue, Settings
    >>> from tenure.readings import preset
    >>> from tenure.rules.terms import terms_of
    >>> terms = terms_of(ClusterQueue("q", cohort="c"), Settings(), preset("guaranteed"))
    >>> low, high = (Workload("ns", str(p), "u", priority=p, created_at=0) for p in (1, 2))
    >>> is_immune(high, low, terms, Kin(hero=True))
    True
    """
    if not kin.hero:
        return False
    if not terms.hero:
        return True
    return not may_take_from_hero(kin, has_lower_priority(preemptor, target), terms.hero_precedence)
