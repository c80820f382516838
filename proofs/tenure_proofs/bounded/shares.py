"""Dominant resource shares as exact ratios, and whom a fair-sharing strategy allows at one moment.

All weights are 1 in every family, and there is one resource, so a share is what a node has borrowed over what
its cohort could ever lend. Source: Kueue main of August 2026, dominant resource share; rules S2-a and S2-b.
"""

from __future__ import annotations

from fractions import Fraction

from tenure_proofs.bounded.clusters import FINAL, INITIAL
from tenure_proofs.bounded.facts import Facts, Gone


def share(facts: Facts, node: int, gone: Gone, asking: int) -> Fraction:
    """The share of a node when some have left and the preemptor's queue uses so much more."""
    above = facts.world.nodes[node].above
    if above is None:
        return Fraction(0)
    borrowed = max(0, facts.used(gone, asking)[node] - facts.quotas.subtree[node])
    lendable = facts.quotas.capacity(above)
    return Fraction(borrowed, lendable) if borrowed and lendable > 0 else Fraction(0)


def claims_its_own(facts: Facts) -> bool:
    """Whether the preemptor's queue stays within nominal quota with the request: no shares are compared."""
    used, mine = facts.used(), facts.world.mine
    return used[mine] + facts.world.asking.amount <= facts.quotas.subtree[mine]


def is_legal(facts: Facts, job: int, gone: Gone) -> bool:
    """Whether a strategy allows a workload of another queue to be preempted when these have left.

    Source: Kueue's Configuration, `fairSharing.preemptionStrategies`: the first is asked of all, and
    where there is a second one it is LessThanInitialShare.
    """
    if claims_its_own(facts):
        return True
    mine, theirs = _beside_common(facts, facts.world.jobs[job].queue)
    asking, strategies = facts.world.asking.amount, facts.world.strategies
    assert strategies is not None
    new = share(facts, mine, gone, asking)
    if strategies[0] == FINAL and new <= share(facts, theirs, gone | {job}, asking):
        return True
    initial = strategies[0] == INITIAL or len(strategies) > 1
    return initial and new < share(facts, theirs, gone, asking)


def _beside_common(facts: Facts, queue: int) -> tuple[int, int]:
    """The two nodes below the lowest common cohort, on the preemptor's side and on the other."""
    common = facts.common(queue)
    mine, theirs = facts.world.path(facts.world.mine), facts.world.path(queue)
    return mine[mine.index(common) - 1], theirs[theirs.index(common) - 1]
