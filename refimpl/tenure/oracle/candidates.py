"""Who may be preempted: the workloads of the ClusterQueues that a search looks into."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tenure.model import Basis, Evidence, Kin, WithinClusterQueue, Workload
from tenure.oracle.heroes.plan import STRANGERS
from tenure.oracle.question import OWN, Candidate, Question, in_order
from tenure.rules.eligibility import basis_for


class Offer(NamedTuple):
    """A ClusterQueue in which a search looks for candidates, and the facts that all of them share.

    Args:
        place: of the ClusterQueue.
        group: see KQ-220.
        common: place of the lowest cohort that contains it and the preemptor's; None for its own.
        over_quota, advantage: as in `Evidence`.
        by_share: whether shares are compared when a candidate's turn comes; until then there is no basis.
        kin: how its queue is related to the preemptor's, as far as heroes are concerned.
    """

    place: int
    group: int
    common: int | None = None
    over_quota: bool = False
    advantage: bool = False
    by_share: bool = False
    kin: Kin = STRANGERS


def candidates_among(question: Question, offers: Iterable[Offer]) -> tuple[Candidate, ...]:
    """The candidates of some ClusterQueues, in the order of KQ-220.

    Args:
        question: the search.
        offers: the queues.
    """
    if question.listing is not None:
        return question.listing(question, offers)
    return in_order(question, _offered_by(question, offers))


def _offered_by(question: Question, offers: Iterable[Offer]) -> list[Candidate]:
    found: list[Candidate] = []
    for offer in offers:
        for candidate in offered(question, offer):
            found.append(candidate)  # noqa: PERF402 - the prover reads loops
    return found


def own_offers(question: Question) -> list[Offer]:
    """The preemptor's own ClusterQueue, unless its policy is to preempt no workload."""
    if question.terms.within_cluster_queue == WithinClusterQueue.NEVER:
        return []
    return [Offer(question.snapshot.place, OWN)]


def offered(question: Question, offer: Offer) -> Iterator[Candidate]:
    """The workloads of one ClusterQueue that may be preempted; an inactive one offers none."""
    place, kin = offer.place, offer.kin
    queue = question.snapshot.tree.nodes[place].queue
    if queue is None or queue.inactive:
        return
    preemptor, needed, terms, now = question.preemptor, question.needed, question.terms, question.now
    # Every workload that passes the policy is a candidate; shares are checked at its turn.
    facts = Evidence(
        Basis.NONE, over_quota=offer.over_quota, advantage=offer.advantage, within_nominal=offer.by_share
    )
    for workload in question.snapshot.running.get(place, ()):
        if needed.isdisjoint(workload.usage):
            continue
        basis = basis_for(preemptor, workload, facts, terms, now, kin)
        if basis != Basis.NONE:
            yield _candidate(workload, basis, offer)


def _candidate(workload: Workload, basis: Basis, offer: Offer) -> Candidate:
    known = Basis.NONE if offer.by_share else basis
    evidence = Evidence(known, over_quota=offer.over_quota, advantage=offer.advantage)
    return Candidate(workload, evidence, offer.place, offer.group, offer.common, offer.kin)
