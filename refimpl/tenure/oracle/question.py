"""One search for targets: what is asked, and what was found."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tenure.model import Amounts, Evidence, FlavorResource, Instant, Workload
from tenure.oracle.snapshot import Snapshot
from tenure.oracle.tree import NO_QUOTA, Usage, available_at, occupy, quota_at, release
from tenure.rules.ordering import order_key
from tenure.rules.quota import fits_quota, fits_request, is_within_quota
from tenure.rules.terms import PreemptionTerms

WITH_ADVANTAGE, ELSEWHERE, OWN = 0, 1, 2
"""The groups of candidates, in the order of KQ-220."""


@dataclass(frozen=True, slots=True)
class Question:
    """A search for targets.

    Args:
        snapshot: the tree around the preemptor's ClusterQueue.
        preemptor: the pending workload, with its effective priority.
        needed: the flavor-resources that lack quota; who uses none of them is no candidate.
        request: all that has to fit, each amount above zero.
        terms: what holds for the preemptor.
        now: the scheduling cycle's one clock value, ns since the epoch.
    """

    snapshot: Snapshot
    preemptor: Workload
    needed: frozenset[FlavorResource]
    request: Amounts
    terms: PreemptionTerms
    now: Instant

    def fits(self, usage: Usage, *, may_borrow: bool) -> bool:
        """Whether the whole request fits beside what is in use."""
        tree, place = self.snapshot.tree, self.snapshot.place
        used = usage[place]
        for asked, amount in self.request.items():
            nominal = quota_at(tree, place, asked).nominal
            borrows = not fits_quota(used.get(asked, 0), amount, nominal)
            if not fits_request(amount, available_at(tree, usage, place, asked), borrows, may_borrow):
                return False
        return True

    def without(self, usage: Usage, candidate: Candidate) -> Usage:
        """What is in use when a candidate has left."""
        return release(self.snapshot.tree, usage, candidate.place, candidate.workload.usage)

    def beside(self, usage: Usage, candidate: Candidate) -> Usage:
        """What is in use when a candidate has its quota back."""
        return occupy(self.snapshot.tree, usage, candidate.place, candidate.workload.usage)

    def exceeds_quota(self, usage: Usage, place: int) -> bool:
        """Whether a node uses more than its quota of any needed flavor-resource."""
        used, quotas = usage[place], self.snapshot.tree.nodes[place].quotas
        for asked in self.needed:
            if not is_within_quota(used.get(asked, 0), quotas.get(asked, NO_QUOTA).subtree):
                return True
        return False


@dataclass(frozen=True, slots=True)
class Candidate:
    """A workload that may be taken, with the evidence for it.

    Args:
        workload: who.
        evidence: what allows it, as far as it is known before its turn comes.
        place: of its ClusterQueue in the tree.
        group: see KQ-220.
        common: place of the lowest cohort that contains its queue and the preemptor's; None for its own.
    """

    workload: Workload
    evidence: Evidence
    place: int
    group: int
    common: int | None = None


@dataclass(frozen=True, slots=True)
class Selection:
    """What a search found.

    Args:
        candidates: who may be taken, in order.
        kept: who is taken, in the order of removal; empty when nothing sufficed.
        removed: who was removed on the way, in that order.
        spared: who of them got its quota back.
        usage: what is in use without those who are taken.
        may_borrow: whether the attempt that found targets let the preemptor's queue borrow.
        rejected: whom fair sharing's strategies did not allow, with the shares compared last.
    """

    candidates: tuple[Candidate, ...]
    kept: tuple[Candidate, ...]
    removed: tuple[Candidate, ...]
    spared: tuple[Candidate, ...]
    usage: Usage
    may_borrow: bool = True
    rejected: tuple[Candidate, ...] = ()


def uses_any(workload: Workload, needed: frozenset[FlavorResource]) -> bool:
    """Whether a workload was assigned one of the needed flavor-resources, with any amount.

    >>> gpu = FlavorResource("a100", "nvidia.com/gpu")
    >>> uses_any(Workload("ns", "w", "u", priority=0, created_at=0, usage={gpu: 0}), frozenset({gpu}))
    True
    """
    return not needed.isdisjoint(workload.usage)


def in_order(question: Question, candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Candidates in the order of KQ-220.

    Recorded snapshots may lack uids: equal candidates then stand by name, whatever the input's order.
    """
    preemptor, terms, now = question.preemptor, question.terms, question.now
    listed = list(candidates)
    if len(listed) < 2:
        return tuple(listed)

    def key(candidate: Candidate) -> tuple[int, int, int, int, int, str, str]:
        stands = order_key(candidate.workload, candidate.group, preemptor, terms, now)
        return (
            stands.running,
            stands.group,
            stands.priority,
            stands.unexpired,
            stands.recency,
            stands.uid,
            candidate.workload.key,
        )

    return tuple(sorted(listed, key=key))
