"""One search for targets: its input and its result."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from tenure.model import (
    Amount,
    Amounts,
    Evidence,
    FairStrategy,
    FlavorResource,
    Instant,
    Kin,
    NodeQuota,
    PreemptionLimit,
    SelectedBy,
    Workload,
)
from tenure.oracle.heroes.effective import charged_usage, tree_under, usage_without
from tenure.oracle.heroes.plan import STRANGERS
from tenure.oracle.snapshot import Snapshot
from tenure.oracle.tree import NO_QUOTA, Tree, Usage, quota_at
from tenure.rules.eligibility import basis_for
from tenure.rules.ordering import order_key
from tenure.rules.quota import available, fits_quota, fits_request, is_within_quota
from tenure.rules.share import Share
from tenure.rules.terms import PreemptionTerms

WITH_ADVANTAGE, ELSEWHERE, OWN = 0, 1, 2
"""The groups of candidates, in the order of KQ-220."""


class ResourceRequest(NamedTuple):
    """A flavor-resource of a request.

    Args:
        at: the flavor-resource.
        amount: how much of it, above zero.
        quotas: place and quota of every node from the root down to the preemptor's ClusterQueue.
    """

    at: FlavorResource
    amount: Amount
    quotas: tuple[tuple[int, NodeQuota], ...]


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
        listing: lists the candidates of some ClusterQueues, where several searches share such lists; as
            `tenure.oracle.candidates.candidates_among` does.
    """

    snapshot: Snapshot
    preemptor: Workload
    needed: frozenset[FlavorResource]
    request: Amounts
    terms: PreemptionTerms
    now: Instant
    listing: Callable[[Question, Iterable[Any]], tuple[Candidate, ...]] | None = None

    def resource_requests(self, tree: Tree | None = None) -> tuple[ResourceRequest, ...]:
        """Every flavor-resource of the request, with the quotas of a tree that it has to fit."""
        tree, place = tree or self.snapshot.tree, self.snapshot.place
        above = tree.nodes[place].path[::-1]
        return tuple(
            ResourceRequest(at, amount, tuple((index, quota_at(tree, index, at)) for index in above))
            for at, amount in self.request.items()
        )

    def fits(self, usage: Usage, *, may_borrow: bool) -> bool:
        """Whether the whole request fits beside what is in use."""
        return all_fit(self.resource_requests(self.tree_under(usage)), usage, may_borrow)

    def tree_under(self, usage: Usage) -> Tree:
        """The tree that a usage is counted on; while heroes run it may change with the usage."""
        return tree_under(usage, self.snapshot.tree)

    def charged(self) -> Usage:
        """What would be in use with the request, which takes part in no bill."""
        snapshot = self.snapshot
        return charged_usage(snapshot.tree, snapshot.usage, snapshot.place, self.request)

    def without(self, usage: Usage, candidate: Candidate) -> Usage:
        """What is in use when a candidate has left."""
        return usage_without(self.snapshot.tree, usage, candidate.place, candidate.workload.usage)

    def judged(self, candidate: Candidate, facts: Evidence) -> Evidence:
        """Facts about a candidate, on the basis that KQ-300 finds by them: NONE where they allow nothing."""
        basis = basis_for(self.preemptor, candidate.workload, facts, self.terms, self.now, candidate.kin)
        return Evidence(
            basis,
            over_quota=facts.over_quota,
            advantage=facts.advantage,
            borrowing=facts.borrowing,
            within_nominal=facts.within_nominal,
            share=facts.share,
        )

    def needed_at(self, place: int, tree: Tree | None = None) -> tuple[tuple[FlavorResource, Amount], ...]:
        """Every needed flavor-resource, with a node's quota of it in a tree."""
        return tuple((at, quota_at(tree or self.snapshot.tree, place, at).subtree) for at in self.needed)

    def exceeds_quota(self, usage: Usage, place: int) -> bool:
        """Whether a node uses more than its quota of any needed flavor-resource."""
        return exceeds_any(usage[place], self.needed_at(place, self.tree_under(usage)))


@dataclass(frozen=True, slots=True)
class Candidate:
    """A workload that may be preempted, with the evidence for it.

    Args:
        workload: who.
        evidence: what allows it, as far as it is known before its turn comes.
        place: of its ClusterQueue in the tree.
        group: see KQ-220.
        common: place of the lowest cohort that contains its queue and the preemptor's; None for its own.
        kin: how its queue is related to the preemptor's, as far as heroes are concerned.
        selected: what selects it, where a PreemptionConfig does and `spec.preemption` has not removed it.
    """

    workload: Workload
    evidence: Evidence
    place: int
    group: int
    common: int | None = None
    kin: Kin = STRANGERS
    selected: SelectedBy | None = None


@dataclass(frozen=True, slots=True)
class SharesCompared:
    """The shares of two sides, as they were compared when a candidate had its turn.

    Args:
        mine, theirs: places of the nodes below the lowest common cohort, on the preemptor's side and on the
            candidate's.
        preemptor: the share of the preemptor's side, the request included.
        target: the share of the candidate's side, after its removal for LessThanOrEqualToFinalShare, before
            it for LessThanInitialShare.
        compared: -1 where the preemptor's is lower, 0 where they are equal, 1 where it is higher.

    A share is in thousandths of what the cohort can lend, divided by the weight.
    """

    mine: int
    theirs: int
    preemptor: Share
    target: Share
    compared: int


@dataclass(frozen=True, slots=True)
class Turn:
    """What became of a candidate when its turn came.

    Args:
        candidate: who, with the evidence found at its turn under fair sharing.
        removed: whether it was removed; otherwise it was passed over.
        within: place of the first node, from its ClusterQueue up to below the common cohort, that was within
            its quota; None if there was none, or if it was not needed.
        shares: what fair sharing compared; None where it compared nothing.
    """

    candidate: Candidate
    removed: bool
    within: int | None = None
    shares: SharesCompared | None = None


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt to find targets.

    Args:
        waiting: the candidates at its start.
        turns: in order; who is not named had no turn.
        usage: what is in use of the needed and requested flavor-resources after the removals.
        fits: whether the request fits then.
        may_borrow: whether the preemptor's queue may borrow.
        strategy: of fair sharing; None otherwise.
    """

    waiting: tuple[Candidate, ...]
    turns: tuple[Turn, ...]
    usage: Usage
    fits: bool
    may_borrow: bool = True
    strategy: FairStrategy | None = None

    @property
    def removed(self) -> tuple[Candidate, ...]:
        """The candidates that were removed, in order."""
        return tuple(turn.candidate for turn in self.turns if turn.removed)

    @property
    def rejected(self) -> tuple[Candidate, ...]:
        """The candidates that were passed over, in order."""
        return tuple(turn.candidate for turn in self.turns if not turn.removed)


@dataclass(frozen=True, slots=True)
class Selection:
    """What a search found.

    Args:
        candidates: who may be preempted, in order.
        kept: who is preempted, in the order of removal; empty when nothing sufficed.
        removed: who was removed on the way, in that order.
        spared: who of them got its quota back.
        usage: what is in use of the needed and requested flavor-resources without the victims.
        attempts: what was tried, in order; the last one found the targets, if any did.
        unfair: the target for which a repair of fair sharing refuses all; None if it does not.
        exhausted: the PreemptionLimit that has no room for all targets; None if all have.
    """

    candidates: tuple[Candidate, ...]
    kept: tuple[Candidate, ...]
    removed: tuple[Candidate, ...]
    spared: tuple[Candidate, ...]
    usage: Usage
    attempts: tuple[Attempt, ...]
    unfair: Candidate | None = None
    exhausted: PreemptionLimit | None = None

    @property
    def may_borrow(self) -> bool:
        """Whether the attempt that found targets let the preemptor's queue borrow."""
        return self.attempts[-1].may_borrow


def all_fit(request: Iterable[ResourceRequest], usage: Usage, may_borrow: bool) -> bool:
    """Whether all of a request fits beside what is in use.

    Args:
        request: its flavor-resources.
        usage: what is in use of these, at least, at every node.
        may_borrow: whether the attempt lets the preemptor's queue borrow.

    >>> request = ResourceRequest(FlavorResource("f", "cpu"), 2, ((0, NodeQuota(nominal=4, subtree=4)),))
    >>> all_fit([request], ({},), False)
    True
    """
    return all(fits_beside(resource_request, usage, may_borrow) for resource_request in request)


def fits_beside(resource_request: ResourceRequest, usage: Usage, may_borrow: bool) -> bool:
    """Whether one flavor-resource of a request fits beside what is in use, as `all_fit`."""
    at, amount, quotas = resource_request
    free: Amount | None = None
    used, quota = 0, NO_QUOTA
    for place, quota in quotas:
        used = usage[place].get(at, 0)
        free = available(quota, used, free)
    assert free is not None
    return fits_request(amount, free, not fits_quota(used, amount, quota.nominal), may_borrow)


def exceeds_any(used: Amounts, quotas: Iterable[tuple[FlavorResource, Amount]]) -> bool:
    """Whether more is in use than one of some quotas.

    >>> exceeds_any({FlavorResource("f", "cpu"): 5}, [(FlavorResource("f", "cpu"), 4)])
    True
    """
    return any(not is_within_quota(used.get(at, 0), quota) for at, quota in quotas)


def uses_any(workload: Workload, needed: frozenset[FlavorResource]) -> bool:
    """Whether a workload was assigned one of the needed flavor-resources, with any amount.

    >>> gpu = FlavorResource("a100", "nvidia.com/gpu")
    >>> uses_any(Workload("ns", "w", "u", priority=0, created_at=0, usage={gpu: 0}), frozenset({gpu}))
    True
    """
    return not needed.isdisjoint(workload.usage)


def in_order(question: Question, candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Candidates in the order of KQ-220.

    Recorded snapshots may lack uids: equal candidates then are ordered by name, whatever the input's order.
    """
    given = tuple(candidates)
    if len(given) < 2:
        return given
    return tuple(sorted(given, key=lambda candidate: sort_key(question, candidate.workload, candidate.group)))


def sort_key(question: Question, workload: Workload, group: int) -> tuple[int, int, int, int, int, str, str]:
    """What a candidate of a group is sorted by: KQ-230, then the name for those that lack a uid."""
    key = order_key(workload, group, question.preemptor, question.terms, question.now)
    return (
        key.running,
        key.group,
        key.priority,
        key.unexpired,
        key.recency,
        key.uid,
        workload.key,
    )
