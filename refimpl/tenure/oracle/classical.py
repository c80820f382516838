"""Classical preemption: who may be preempted, and the attempts with and without borrowing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from tenure.model import Amounts, Attempts, BorrowWithinCohort, Evidence
from tenure.oracle.candidates import Offer, candidates_among, offered, own_offers
from tenure.oracle.heroes.plan import kin_between
from tenure.oracle.leaving import Leaving, fitting, leaving_of, selection_after
from tenure.oracle.question import (
    ELSEWHERE,
    OWN,
    WITH_ADVANTAGE,
    Attempt,
    Candidate,
    Question,
    Selection,
    Turn,
)
from tenure.oracle.selection import (
    Chain,
    Removal,
    attempts_until_one_fits,
    in_order,
    remove_until_fits,
    some_of,
)
from tenure.oracle.tree import Tree, Usage, quota_at
from tenure.rules.quota import fits_quota, remaining_request
from tenure.rules.reclaim import attempts, has_advantage, is_below_nominal, stands_in_attempt
from tenure.rules.terms import PreemptionTerms

MAY_BORROW = {
    Attempts.BORROWING: (True,),
    Attempts.WITHOUT_THEN_BORROWING: (False, True),
    Attempts.BORROWING_THEN_WITHOUT: (True, False),
}
"""Whether each attempt, in order, lets the preemptor's queue borrow."""

NOWHERE = -1
"""The place of no node."""


def select_classically(question: Question) -> Selection:
    """Find targets without fair sharing.

    Args:
        question: the search.

    Source: Kueue main of August 2026, classical preemption.
    """
    candidates = _candidates(question)
    leaving = leaving_of(question)
    tried = partial(_attempt, leaving, candidates)
    made = attempts_until_one_fits(_choices(question, candidates), tried, _has_found)
    last = some_of(made).head  # at least one is made
    borrowing, attempts_made = last.attempt.may_borrow, _attempts_in(made)
    fits, completed = fitting(leaving, borrowing), partial(_in_attempt, borrowing)
    return selection_after(question, candidates, attempts_made, last.end, fits, leaving.beside, completed)


def classical_ends(question: Question, leaving: Leaving) -> tuple[tuple[Candidate, ...], Iterator[_Tried]]:
    """The candidates of `spec.preemption`, and its attempts in order, each made when it is drawn.

    Args:
        question: the search.
        leaving: what leaves for it.
    """
    candidates = _candidates(question)
    return candidates, (_attempt(leaving, candidates, choice) for choice in _choices(question, candidates))


def completed_in(may_borrow: bool) -> Callable[[Candidate], Candidate]:
    """Completes the evidence of a candidate of an attempt that lets the preemptor's queue borrow, or not."""
    return partial(_in_attempt, may_borrow)


class _Tried(NamedTuple):
    """An attempt, and what its removals came to."""

    attempt: Attempt
    end: Removal[Usage, Candidate]


def _candidates(question: Question) -> tuple[Candidate, ...]:
    return candidates_among(question, _offers(question))


def _offers(question: Question) -> list[Offer]:
    offers = own_offers(question)
    for offer in _offers_elsewhere(question):
        offers.append(offer)
    return offers


def _choices(question: Question, candidates: tuple[Candidate, ...]) -> tuple[bool, ...]:
    return MAY_BORROW[_attempts_of(question, candidates)]


def _has_found(tried: _Tried) -> bool:
    return tried.attempt.fits


def _attempts_in(made: Chain[_Tried] | None) -> tuple[Attempt, ...]:
    return tuple(tried.attempt for tried in in_order(made))


def _offers_elsewhere(question: Question) -> list[Offer]:
    """Other queues that exceed their quota, in subtrees that do."""
    nodes, advantage_at = question.snapshot.tree.nodes, advantages_around(question).get
    offers: list[Offer] = []
    for place, cohort in enumerate(_common_cohorts(question)):
        advantage = advantage_at(cohort)
        if advantage is not None and nodes[place].queue is not None:
            offers.append(_offer_elsewhere(question, place, cohort, advantage))
    return offers


def _offer_elsewhere(question: Question, place: int, cohort: int, advantage: bool) -> Offer:
    group = WITH_ADVANTAGE if advantage else ELSEWHERE
    kin = kin_between(question.snapshot.heroes, question.snapshot.place, place)
    return Offer(place, group, cohort, over_quota=True, advantage=advantage, kin=kin)


def _common_cohorts(question: Question) -> list[int]:
    nodes, usage = question.snapshot.tree.nodes, question.snapshot.usage
    path = nodes[question.snapshot.place].path
    links = [(node.place, node.path[:2][-1], node.place in path) for node in nodes]
    return common_cohorts(links, [NOWHERE] * len(nodes), partial(question.exceeds_quota, usage))


def common_cohorts(
    links: Sequence[tuple[int, int, bool]], common: list[int], exceeds: Callable[[int], bool]
) -> list[int]:
    """The lowest node that each node has in common with the preemptor's ClusterQueue, where it is reached.

    A node is reached where it exceeds its quota, and so does every node between it and the one in common.

    Args:
        links: of every node its place, that of the node above it, its own at the root, and whether the
            preemptor's ClusterQueue is below it or is this node; by place.
        common: as long as the links; filled in.
        exceeds: whether the node of a place exceeds its quota.

    Returns:
        By place; `NOWHERE` where a node is not reached.

    Source: Kueue main of August 2026, classical preemption: subtrees within their quota are skipped.

    >>> common_cohorts([(0, 0, True), (1, 0, True), (2, 0, False), (3, 2, False)], [-1] * 4, lambda at: True)
    [0, 1, 0, 0]
    """
    for place, above, around in links:
        if around:
            common[place] = place
        else:
            common[place] = common[above] if exceeds(place) else NOWHERE
    return common


def subtrees_around(question: Question) -> Iterator[tuple[int, int, bool]]:
    """The cohorts above the preemptor's ClusterQueue, the nearest first.

    Each comes with the node below it on the way, and with whether the preemptor has an advantage there.
    """
    below: Level | None = None
    for level in levels_of(question):
        if below is not None:
            yield level.place, below.place, below.advantage
        below = level


def advantages_around(question: Question) -> dict[int, bool]:
    """Whether the preemptor has an advantage in a cohort above its ClusterQueue, by the cohort's place."""
    return {cohort: advantage for cohort, _, advantage in subtrees_around(question)}


def finds_no_target(question: Question) -> bool:
    """Whether it is seen without a list of candidates that a search finds no target.

    A preemptor without a hierarchical advantage (KQ-350) requests more than its ClusterQueue has left of its
    nominal quota. Without borrowWithinCohort (KQ-340) it preempts workloads of other ClusterQueues in an
    attempt without borrowing alone, which fails then, as what runs elsewhere does not count there. So no
    target is found if no workload may be preempted in its own ClusterQueue either.

    Args:
        question: the search.

    Returns:
        False where that is not known, too: in trees with heroes and under fair sharing.
    """
    if not reclaims_nominal_quota_alone(question.terms, question.snapshot.heroes is not None):
        return False
    return not (_has_advantage_somewhere(question) or _has_own_candidate(question))


def reclaims_nominal_quota_alone(terms: PreemptionTerms, beside_heroes: bool) -> bool:
    """Whether a search takes of other ClusterQueues only what its own has left of its nominal quota.

    Unless it has a hierarchical advantage.

    Args:
        terms: what holds for the preemptor.
        beside_heroes: whether the tree has heroes.
    """
    if beside_heroes or terms.fair_sharing:
        return False
    return terms.borrow_within_cohort == BorrowWithinCohort.NEVER


def _has_advantage_somewhere(question: Question) -> bool:
    advantages = advantages_around(question).values
    return any(advantages())


def _has_own_candidate(question: Question) -> bool:
    for offer in own_offers(question):
        for _ in offered(question, offer):
            return True
    return False


class Level(NamedTuple):
    """A node on the way from the preemptor's ClusterQueue to the root.

    Args:
        place: of the node.
        rest: the part of the request that is left for it, after the own quota of the nodes below.
        fits: whether that fits the node's quota.
        advantage: whether the preemptor has a hierarchical advantage over what is outside the node.
    """

    place: int
    rest: Amounts
    fits: bool
    advantage: bool


def levels_of(question: Question) -> Iterator[Level]:
    """The nodes from the preemptor's ClusterQueue up to the root, with the request left for each."""
    snapshot = question.snapshot
    return levels_along(snapshot.tree, snapshot.usage, snapshot.place, question.request)


def levels_along(tree: Tree, usage: Usage, place: int, request: Amounts) -> Iterator[Level]:
    """The nodes from a ClusterQueue up to the root, with the part of a request left for each.

    Args:
        tree, usage: the tree, and what is in use.
        place: of the preemptor's ClusterQueue.
        request: its request.
    """
    advantage, rest = False, dict(request)
    for index in tree.nodes[place].path:
        used = usage[index]
        fits_here = all(
            fits_quota(used.get(flavor_resource, 0), amount, quota_at(tree, index, flavor_resource).subtree)
            for flavor_resource, amount in rest.items()
        )
        advantage = has_advantage(fits_here, advantage)
        yield Level(index, rest, fits_here, advantage)
        rest = {
            flavor_resource: remaining_request(
                amount, quota_at(tree, index, flavor_resource), used.get(flavor_resource, 0)
            )
            for flavor_resource, amount in rest.items()
        }


def _attempts_of(question: Question, candidates: tuple[Candidate, ...]) -> Attempts:
    """In which attempts targets are looked for among these candidates."""
    snapshot = question.snapshot
    used = snapshot.usage[snapshot.place]
    below_nominal = all(
        is_below_nominal(
            used.get(flavor_resource, 0), quota_at(snapshot.tree, snapshot.place, flavor_resource).nominal
        )
        for flavor_resource in question.needed
    )
    return attempts(
        any(candidate.group != OWN for candidate in candidates),
        any(candidate.group == WITH_ADVANTAGE for candidate in candidates),
        below_nominal,
        question.terms,
    )


def _attempt(leaving: Leaving, candidates: tuple[Candidate, ...], may_borrow: bool) -> _Tried:
    """Remove candidates in order until the request fits or all have had their turn."""
    turns, fits = Turns(leaving, may_borrow), fitting(leaving, may_borrow)
    end = remove_until_fits(candidates, leaving.usage, turns.may_leave, fits, leaving.without)
    return _Tried(Attempt(candidates, turns.made, end.usage, end.fits, may_borrow), end)


class Turns:
    """Whether a candidate is still eligible at its turn in an attempt; the answer is recorded."""

    def __init__(self, leaving: Leaving, may_borrow: bool) -> None:
        self._leaving, self._may_borrow = leaving, may_borrow
        self._made: list[Turn] = []

    def may_leave(self, usage: Usage, candidate: Candidate) -> bool:
        """Whether it is eligible beside what is in use (KQ-380)."""
        own = candidate.group == OWN
        within = None if own else self._leaving.first_within(usage, candidate.place, candidate.common)
        may = stands_in_attempt(own, within is None, candidate.evidence.basis, self._may_borrow)
        self._made.append(Turn(candidate, may, within))
        return may

    @property
    def made(self) -> tuple[Turn, ...]:
        """The turns so far, in order."""
        return tuple(self._made)


def _in_attempt(may_borrow: bool, candidate: Candidate) -> Candidate:
    """The candidate with the evidence completed by what the attempt allows."""
    known = candidate.evidence
    evidence = Evidence(
        known.basis, over_quota=known.over_quota, advantage=known.advantage, borrowing=may_borrow
    )
    return replace(candidate, evidence=evidence)
