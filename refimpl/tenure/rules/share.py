"""Rules of fair sharing: dominant resource shares, and who may be preempted by them.

Kueue counts shares in floating point. So does Tenure, in the rules that say `lift=False` and nowhere else;
what follows from a comparison of two shares is whole numbers again.
"""

from __future__ import annotations

from dataclasses import dataclass

from tenure.model import Amount, Basis, Evidence, Workload
from tenure.rules.amounts import minus
from tenure.rules.reclaim import may_reclaim
from tenure.rules.registry import rule
from tenure.rules.terms import PreemptionTerms

_FLOATS = "shares are floating-point numbers in Kueue, and ties between them decide"


@dataclass(frozen=True, slots=True)
class Share:
    """The dominant resource share of a node.

    Args:
        borrowing: whether the node uses more than its quota of any flavor-resource.
        ratio: the largest ratio over resources, in thousandths of what its cohort can lend.
        weight: fair-sharing weight.
    """

    borrowing: bool
    ratio: float
    weight: float


@rule("KQ-400")
def basis_by_share(
    preemptor: Workload, target: Workload, evidence: Evidence, terms: PreemptionTerms
) -> Basis:
    """On what basis fair sharing preempts a workload of another ClusterQueue.

    > Under fair sharing, a target of another ClusterQueue may be preempted
    > when KQ-330 allows it and one of these holds:
    >
    > 1. the preemptor's ClusterQueue stays within its nominal quota
    >    (KQ-410);
    > 2. the strategy in use allows it: KQ-420 or KQ-430.

    Args:
        preemptor: the pending workload.
        target: a workload of another ClusterQueue, one that borrows.
        evidence: the strategy in use as its basis, the comparison of shares, and whether the preemptor's
            queue stays within its nominal quota.
        terms: what holds for the preemptor.

    Returns:
        WITHIN_NOMINAL, FINAL_SHARE, INITIAL_SHARE or NONE.

    Source: Kueue main of August 2026, fair sharing; rules S2-a and S2-b of its fair-sharing proposal.

    >>> from tenure.model import ClusterQueue, ReclaimWithinCohort, Settings
    >>> from tenure.readings import preset
    >>> from tenure.rules.terms import terms_of
    >>> queue = ClusterQueue("q", cohort="c", reclaim_within_cohort=ReclaimWithinCohort.ANY)
    >>> terms = terms_of(queue, Settings(fair_sharing=()), preset("guaranteed"))
    >>> new = Workload("ns", "new", "u", priority=0, created_at=0)
    >>> basis_by_share(new, new, Evidence(Basis.INITIAL_SHARE, share=0), terms).name
    'NONE'
    """
    if not may_reclaim(preemptor, target, terms):
        return Basis.NONE
    if evidence.within_nominal:
        return Basis.WITHIN_NOMINAL
    if evidence.basis == Basis.FINAL_SHARE and passes_final_share(evidence.share):
        return Basis.FINAL_SHARE
    if evidence.basis == Basis.INITIAL_SHARE and passes_initial_share(evidence.share):
        return Basis.INITIAL_SHARE
    return Basis.NONE


@rule("KQ-410")
def claims_nominal(within_nominal: bool, gate: bool) -> bool:
    """Whether a preemptor may take what borrowers use without comparing shares.

    > With gate FairSharingPreemptWithinNominal on, shares are not compared
    > when the preemptor's ClusterQueue, with the request included, stays
    > within its nominal quota of every needed flavor-resource.

    Args:
        within_nominal: whether the queue's usage with the request is within nominal quota (KQ-200).
        gate: feature gate FairSharingPreemptWithinNominal, on by default.

    Source: Kueue main of August 2026, fair sharing.

    >>> claims_nominal(within_nominal=True, gate=False)
    False
    """
    return gate and within_nominal


@rule("KQ-420")
def passes_final_share(share: int) -> bool:
    """Whether strategy LessThanOrEqualToFinalShare allows a target.

    > The preemptor's share, with the request included, is at most the
    > target's share after the target is removed.

    Args:
        share: how the two compare: -1 when the preemptor's is lower, 0 when they are equal, 1 when it is
            higher (KQ-450).

    Source: Kueue's Configuration, `fairSharing.preemptionStrategies`; rule S2-a.

    >>> passes_final_share(0)
    True
    """
    return share <= 0


@rule("KQ-430")
def passes_initial_share(share: int) -> bool:
    """Whether strategy LessThanInitialShare allows a target.

    > The preemptor's share, with the request included, is strictly less
    > than the target's share before the target is removed.

    Args:
        share: how the two compare: -1 when the preemptor's is lower, 0 when they are equal, 1 when it is
            higher (KQ-450).

    Source: Kueue's Configuration, `fairSharing.preemptionStrategies`; rule S2-b.

    >>> passes_initial_share(0)
    False
    """
    return share < 0


@rule("KQ-440", lift=False, reason=_FLOATS)
def borrowed_ratio(borrowed: Amount, lendable: Amount) -> float:
    """How much of what a cohort can lend a node has borrowed of one resource.

    > The ratio is 1000 times the borrowed amount divided by what the cohort
    > can lend; it is zero when the cohort can lend nothing.

    Args:
        borrowed: what the node uses of the resource beyond its quota, over all flavors; above zero.
        lendable: what the node's cohort could have of the resource, over all flavors (KQ-160).

    Source: Kueue main of August 2026, dominant resource share.

    >>> borrowed_ratio(3, 4)
    750.0
    """
    if lendable <= 0:
        return 0.0
    return float(borrowed) * 1000.0 / float(lendable)


@rule("KQ-450", lift=False, reason=_FLOATS)
def compare_shares(first: Share, second: Share) -> int:
    """How two shares compare.

    > A node with weight zero and a ratio above zero has a greater share
    > than any node that is not such. Two such nodes compare by ratio; any
    > other two by ratio divided by weight.

    Args:
        first, second: the dominant resource shares of two nodes.

    Returns:
        -1, 0 or 1.

    Source: Kueue main of August 2026, comparison of dominant resource shares.

    >>> compare_shares(Share(True, 500.0, 0.0), Share(True, 900.0, 1.0))
    1
    """
    first_infinite = first.weight == 0 and first.ratio != 0.0
    second_infinite = second.weight == 0 and second.ratio != 0.0
    if first_infinite != second_infinite:
        return 1 if first_infinite else -1
    if first_infinite:
        return (first.ratio > second.ratio) - (first.ratio < second.ratio)
    one, other = weighted_share(first), weighted_share(second)
    return (one > other) - (one < other)


@rule("KQ-460", lift=False, reason=_FLOATS)
def weighted_share(share: Share) -> float:
    """A share as a number.

    > The weighted share is the ratio divided by the weight. It is zero when
    > the ratio is zero, and infinite when only the weight is zero.

    Args:
        share: the dominant resource share of a node.

    Source: Kueue v1beta2, `FairSharing.weight`; Kueue main of August 2026, precise weighted share.

    >>> weighted_share(Share(True, 500.0, 2.0)), weighted_share(Share(True, 1.0, 0.0))
    (250.0, inf)
    """
    if share.ratio == 0.0:
        return 0.0
    if share.weight == 0:
        return float("inf")
    return share.ratio / share.weight


@rule("KQ-470")
def borrowed_amount(usage: Amount, quota: Amount) -> Amount:
    """What a node borrows of a flavor-resource.

    > A node borrows the part of its usage that exceeds its quota.

    Args:
        usage: what is in use at the node, the request included where it runs there.
        quota: nominal quota of a ClusterQueue, subtree quota of a Cohort.

    Source: Kueue main of August 2026, dominant resource share.

    >>> borrowed_amount(usage=7, quota=4), borrowed_amount(usage=4, quota=7)
    (3, 0)
    """
    return max(0, minus(usage, quota))


@rule("KQ-480")
def stays_in_tournament(borrowing: bool, on_path: bool) -> bool:
    """Whether a node may be visited for targets.

    > A node stays in the tournament while it borrows. The preemptor's
    > ClusterQueue and the cohorts above it always stay.

    Args:
        borrowing: whether the node uses more than its quota of any flavor-resource.
        on_path: whether it is the preemptor's ClusterQueue or one of its cohorts.

    Source: Kueue main of August 2026, order of target ClusterQueues.

    >>> stays_in_tournament(borrowing=False, on_path=False)
    False
    """
    return borrowing or on_path


@rule("KQ-490")
def queue_wins(share: int, first_candidate_stands_before: bool) -> bool:
    """Whether one ClusterQueue is visited rather than another of the same cohort.

    > The ClusterQueue with the higher share is visited; of two with equal
    > shares, the one whose first candidate comes earlier.

    Args:
        share: how its share compares with the other's, -1, 0 or 1 (KQ-450).
        first_candidate_stands_before: whether its first candidate goes before the other's (KQ-220).

    Source: Kueue main of August 2026, order of target ClusterQueues.

    >>> queue_wins(0, first_candidate_stands_before=True)
    True
    """
    if share == 0:
        return first_candidate_stands_before
    return share > 0


@rule("KQ-500")
def cohort_wins(share: int) -> bool:
    """Whether a cohort is visited rather than a ClusterQueue, or an earlier cohort, beside it.

    > A cohort is visited when its share is at least that of the
    > ClusterQueue or cohort that it is compared with. Cohorts are compared
    > in order of name, so the last of several with equal shares wins.

    Args:
        share: how its share compares with the other's, -1, 0 or 1 (KQ-450).

    Source: Kueue main of August 2026, order of target ClusterQueues; among cohorts of equal shares Kueue
        itself is not deterministic (DV-020).

    >>> cohort_wins(0)
    True
    """
    return share >= 0
