"""Rules about taking workloads of other ClusterQueues of the cohort, without fair sharing."""

from __future__ import annotations

from tenure.model import (
    Amount,
    Attempts,
    Basis,
    BorrowWithinCohort,
    Evidence,
    ReclaimWithinCohort,
    Workload,
)
from tenure.rules.priority import has_lower_priority
from tenure.rules.registry import rule
from tenure.rules.terms import PreemptionTerms


@rule("KQ-320")
def basis_across_queues(
    preemptor: Workload, target: Workload, evidence: Evidence, terms: PreemptionTerms
) -> Basis:
    """On what basis a workload may preempt one of another ClusterQueue.

    > Without fair sharing, a target of another ClusterQueue may be
    > preempted when KQ-330 allows it and at least one of these holds:
    >
    > 1. the preemptor has a hierarchical advantage over it;
    > 2. KQ-340 allows it;
    > 3. the attempt is one without borrowing.

    Args:
        preemptor: the pending workload.
        target: a workload of another ClusterQueue, one that uses more than its quota.
        evidence: whether there is an advantage, and whether the attempt lets the preemptor's queue borrow.
        terms: what holds for the preemptor.

    Returns:
        HIERARCHICAL, WHILE_BORROWING, WITHOUT_BORROWING or NONE.

    Source: Kueue v1beta2, `reclaimWithinCohort`, `borrowWithinCohort`; Kueue main of August 2026, classical
        preemption.

    >>> from tenure.model import ClusterQueue, Settings
    >>> from tenure.readings import preset
    >>> from tenure.rules.terms import terms_of
    >>> queue = ClusterQueue("q", cohort="c", reclaim_within_cohort=ReclaimWithinCohort.ANY)
    >>> terms = terms_of(queue, Settings(), preset("guaranteed"))
    >>> new = Workload("ns", "new", "u", priority=0, created_at=0)
    >>> basis_across_queues(new, new, Evidence(Basis.NONE, over_quota=True), terms).name
    'WITHOUT_BORROWING'
    """
    if not may_reclaim(preemptor, target, terms):
        return Basis.NONE
    if evidence.advantage:
        return Basis.HIERARCHICAL
    if may_take_while_borrowing(preemptor, target, terms):
        return Basis.WHILE_BORROWING
    return Basis.NONE if evidence.borrowing else Basis.WITHOUT_BORROWING


@rule("KQ-330")
def may_reclaim(preemptor: Workload, target: Workload, terms: PreemptionTerms) -> bool:
    """Whether the policy allows a workload to be preempted from another ClusterQueue.

    > Under reclaimWithinCohort Any, every workload may be preempted; under
    > LowerPriority, one of lower priority; under Never, none.

    Args:
        preemptor: the pending workload.
        target: a workload of another ClusterQueue.
        terms: what holds for the preemptor.

    Source: Kueue v1beta2, `ClusterQueuePreemption.reclaimWithinCohort`.

    >>> from tenure.model import ClusterQueue, Settings
    >>> from tenure.readings import preset
    >>> from tenure.rules.terms import terms_of
    >>> low, high = (Workload("ns", str(p), "u", priority=p, created_at=0) for p in (1, 2))
    >>> queue = ClusterQueue("q", cohort="c", reclaim_within_cohort=ReclaimWithinCohort.LOWER_PRIORITY)
    >>> terms = terms_of(queue, Settings(), preset("guaranteed"))
    >>> may_reclaim(high, low, terms), may_reclaim(low, high, terms)
    (True, False)
    """
    if terms.reclaim_within_cohort == ReclaimWithinCohort.ANY:
        return True
    if terms.reclaim_within_cohort == ReclaimWithinCohort.LOWER_PRIORITY:
        return has_lower_priority(preemptor, target)
    return False


@rule("KQ-340")
def may_take_while_borrowing(preemptor: Workload, target: Workload, terms: PreemptionTerms) -> bool:
    """Whether a workload may be preempted for a preemptor whose ClusterQueue borrows.

    > A preemptor whose ClusterQueue would borrow may preempt a workload
    > when borrowWithinCohort is LowerPriority, the workload has lower
    > priority, and its priority is at or below maxPriorityThreshold if one
    > is set.

    Args:
        preemptor: the pending workload.
        target: a workload of another ClusterQueue.
        terms: what holds for the preemptor.

    Source: Kueue v1beta2, `BorrowWithinCohort.policy`, `maxPriorityThreshold`.

    >>> from tenure.model import ClusterQueue, Settings
    >>> from tenure.readings import preset
    >>> from tenure.rules.terms import terms_of
    >>> low, high = (Workload("ns", str(p), "u", priority=p, created_at=0) for p in (1, 2))
    >>> queue = ClusterQueue("q", cohort="c", borrow_within_cohort=BorrowWithinCohort.LOWER_PRIORITY)
    >>> may_take_while_borrowing(high, low, terms_of(queue, Settings(), preset("guaranteed")))
    True
    """
    if terms.borrow_within_cohort == BorrowWithinCohort.NEVER:
        return False
    if not has_lower_priority(preemptor, target):
        return False
    if terms.max_priority_threshold is None:
        return True
    return target.priority <= terms.max_priority_threshold


@rule("KQ-350")
def has_advantage(fits_here: bool, advantage_below: bool) -> bool:
    """Whether the preemptor has an advantage over who borrows in the next wider subtree.

    > A preemptor has a hierarchical advantage in a subtree when its request
    > fits the quota of a smaller subtree that contains its ClusterQueue.

    Args:
        fits_here: whether what is left of the request fits the quota of this node (KQ-060).
        advantage_below: whether it fitted at a node further down.

    Source: Kueue main of August 2026, hierarchical reclaim.

    >>> has_advantage(fits_here=False, advantage_below=True)
    True
    """
    return fits_here or advantage_below


@rule("KQ-360")
def attempts(
    candidates_elsewhere: bool,
    advantage_somewhere: bool,
    below_nominal: bool,
    terms: PreemptionTerms,
) -> Attempts:
    """In which attempts targets are looked for.

    > Targets are searched for:
    >
    > 1. only with borrowing, when no candidate is in another ClusterQueue,
    >    or when borrowWithinCohort is Never and the preemptor's
    >    ClusterQueue is not below its nominal quota;
    > 2. first without borrowing and then with it, when borrowWithinCohort
    >    is Never and the preemptor has no hierarchical advantage over any
    >    candidate;
    > 3. first with borrowing and then without it otherwise.

    Args:
        candidates_elsewhere: whether any candidate runs in another ClusterQueue.
        advantage_somewhere: whether the preemptor has a hierarchical advantage over one of them.
        below_nominal: whether the queue uses strictly less than its nominal quota of every needed
            flavor-resource.
        terms: what holds for the preemptor.

    Source: Kueue main of August 2026, classical preemption.

    >>> from tenure.model import ClusterQueue, Settings
    >>> from tenure.readings import preset
    >>> from tenure.rules.terms import terms_of
    >>> attempts(True, False, True, terms_of(ClusterQueue("q"), Settings(), preset("guaranteed"))).name
    'WITHOUT_THEN_BORROWING'
    """
    if not candidates_elsewhere:
        return Attempts.BORROWING
    if terms.borrow_within_cohort != BorrowWithinCohort.NEVER:
        return Attempts.BORROWING_THEN_WITHOUT
    if not below_nominal:
        return Attempts.BORROWING
    return Attempts.BORROWING_THEN_WITHOUT if advantage_somewhere else Attempts.WITHOUT_THEN_BORROWING


@rule("KQ-370")
def is_below_nominal(usage: Amount, nominal: Amount) -> bool:
    """Whether a ClusterQueue has nominal quota left.

    > A ClusterQueue is below its nominal quota when its usage is strictly
    > less than that quota.

    Args:
        usage: what is in use at the ClusterQueue, without the preemptor.
        nominal: its nominal quota.

    Source: Kueue main of August 2026, classical preemption (attempts).

    >>> is_below_nominal(usage=4, nominal=4)
    False
    """
    return usage < nominal


@rule("KQ-380")
def stands_in_attempt(own: bool, over_quota: bool, basis: Basis, may_borrow: bool) -> bool:
    """Whether a candidate whose turn has come may still be preempted.

    > A candidate of the preemptor's ClusterQueue is always still eligible.
    > Any other candidate is when both hold:
    >
    > 1. its ClusterQueue and every cohort below the common one still use
    >    more than their quota;
    > 2. the attempt is one without borrowing, or the candidate may be
    >    preempted while borrowing too.

    Args:
        own: whether it runs in the preemptor's ClusterQueue.
        over_quota: whether each of those nodes exceeds its quota of some needed flavor-resource, after the
            removals so far (KQ-200).
        basis: on what basis it may be preempted.
        may_borrow: whether the attempt lets the preemptor's queue borrow.

    Source: Kueue main of August 2026, candidate iterator.

    >>> stands_in_attempt(own=False, over_quota=True, basis=Basis.WITHOUT_BORROWING, may_borrow=True)
    False
    """
    if own:
        return True
    if basis == Basis.WITHOUT_BORROWING and may_borrow:
        return False
    return over_quota
