"""Classical preemption: who may be taken, and the attempts with and without borrowing."""

from __future__ import annotations

from collections.abc import Iterator

from tenure.model import Attempts, Evidence, Ground, WithinClusterQueue
from tenure.oracle.question import (
    ELSEWHERE,
    OWN,
    WITH_ADVANTAGE,
    Candidate,
    Question,
    Selection,
    in_order,
    uses_any,
)
from tenure.oracle.selection import Removal, fill_back, remove_until_fits
from tenure.oracle.tree import Usage, quota_at
from tenure.rules.eligibility import ground_for
from tenure.rules.quota import fits_quota, remaining_request
from tenure.rules.reclaim import attempts, has_advantage, is_below_nominal, stands_in_attempt

MAY_BORROW = {
    Attempts.BORROWING: (True,),
    Attempts.WITHOUT_THEN_BORROWING: (False, True),
    Attempts.BORROWING_THEN_WITHOUT: (True, False),
}
"""Whether each attempt, in order, lets the preemptor's queue borrow."""


def select_classically(question: Question) -> Selection:
    """Find targets without fair sharing.

    Args:
        question: the search.

    Source: Kueue main of August 2026, classical preemption.
    """
    candidates = in_order(question, (*own_candidates(question), *_candidates_elsewhere(question)))
    for may_borrow in MAY_BORROW[attempts_of(question, candidates)]:
        removal = attempt(question, candidates, may_borrow)
        if removal.fits:
            return _filled_back(question, candidates, removal, may_borrow)
    return Selection(candidates, (), (), (), question.snapshot.usage)


def own_candidates(question: Question) -> Iterator[Candidate]:
    """The workloads of the preemptor's own ClusterQueue that may be taken."""
    if question.terms.within_cluster_queue == WithinClusterQueue.NEVER:
        return
    yield from candidates_in(question, question.snapshot.place, Evidence(Ground.NONE), OWN, None)


def candidates_in(
    question: Question, place: int, evidence: Evidence, group: int, common: int | None
) -> Iterator[Candidate]:
    """The workloads of one ClusterQueue that may be taken.

    Args:
        question: the search.
        place: of the ClusterQueue; an inactive one offers nobody.
        evidence: the facts that are the same for all of them.
        group: see KQ-220.
        common: place of the lowest cohort that contains the queue and the preemptor's; None for its own.
    """
    queue = question.snapshot.tree.nodes[place].queue
    if queue is None or queue.inactive:
        return
    preemptor, needed, terms, now = question.preemptor, question.needed, question.terms, question.now
    found: dict[Ground, Evidence] = {}
    for workload in question.snapshot.running.get(place, ()):
        if not uses_any(workload, needed):
            continue
        ground = ground_for(preemptor, workload, evidence, terms, now)
        if ground == Ground.NONE:
            continue
        if ground not in found:
            found[ground] = Evidence(ground, over_quota=evidence.over_quota, advantage=evidence.advantage)
        yield Candidate(workload, found[ground], place, group, common)


def exceeds_below(question: Question, usage: Usage, place: int, common: int | None) -> bool:
    """Whether a ClusterQueue and every cohort between it and the common one exceed their quotas."""
    for index in question.snapshot.tree.nodes[place].path:
        if index == common:
            break
        if not question.exceeds_quota(usage, index):
            return False
    return True


def _candidates_elsewhere(question: Question) -> Iterator[Candidate]:
    """Candidates of other queues, from the preemptor's cohort up to the root."""
    snapshot = question.snapshot
    advantage, rest, below = False, dict(question.request), None
    for place in snapshot.tree.nodes[snapshot.place].path:
        if below is not None:
            group = WITH_ADVANTAGE if advantage else ELSEWHERE
            evidence = Evidence(Ground.NONE, over_quota=True, advantage=advantage)
            for queue in _exceeding_queues(question, place, below):
                yield from candidates_in(question, queue, evidence, group, place)
        fits_here = all(
            fits_quota(
                snapshot.usage[place].get(asked, 0), amount, quota_at(snapshot.tree, place, asked).subtree
            )
            for asked, amount in rest.items()
        )
        advantage = has_advantage(fits_here, advantage)
        rest = {
            asked: remaining_request(
                amount, quota_at(snapshot.tree, place, asked), snapshot.usage[place].get(asked, 0)
            )
            for asked, amount in rest.items()
        }
        below = place


def _exceeding_queues(question: Question, cohort: int, skipped: int) -> Iterator[int]:
    """The queues below a cohort that exceed their quota, in subtrees that do, except what was seen before."""
    node = question.snapshot.tree.nodes[cohort]
    usage = question.snapshot.usage
    for place in node.queues:
        if place != skipped and question.exceeds_quota(usage, place):
            yield place
    for place in node.cohorts:
        if place != skipped and question.exceeds_quota(usage, place):
            yield from _exceeding_queues(question, place, skipped)


def attempts_of(question: Question, candidates: tuple[Candidate, ...]) -> Attempts:
    """In which attempts targets are looked for among these candidates."""
    snapshot = question.snapshot
    used = snapshot.usage[snapshot.place]
    below_nominal = all(
        is_below_nominal(used.get(asked, 0), quota_at(snapshot.tree, snapshot.place, asked).nominal)
        for asked in question.needed
    )
    return attempts(
        any(candidate.group != OWN for candidate in candidates),
        any(candidate.group == WITH_ADVANTAGE for candidate in candidates),
        below_nominal,
        question.terms,
    )


def attempt(
    question: Question, candidates: tuple[Candidate, ...], may_borrow: bool
) -> Removal[Usage, Candidate]:
    """One attempt: remove candidates in order until the request fits or all have had their turn."""

    def stands(usage: Usage, candidate: Candidate) -> bool:
        own = candidate.group == OWN
        over_quota = own or exceeds_below(question, usage, candidate.place, candidate.common)
        return stands_in_attempt(own, over_quota, candidate.evidence.ground, may_borrow)

    def fits(usage: Usage) -> bool:
        return question.fits(usage, may_borrow=may_borrow)

    return remove_until_fits(candidates, question.snapshot.usage, stands, fits, question.without)


def _filled_back(
    question: Question,
    candidates: tuple[Candidate, ...],
    removal: Removal[Usage, Candidate],
    may_borrow: bool,
) -> Selection:
    assert removal.removed is not None

    def fits(usage: Usage) -> bool:
        return question.fits(usage, may_borrow=may_borrow)

    filled = fill_back(removal.removed, removal.usage, fits, question.beside)
    return Selection(
        candidates=candidates,
        kept=tuple(_in_attempt(candidate, may_borrow) for candidate in filled.kept),
        removed=tuple(reversed(tuple(removal.removed))),
        spared=tuple(filled.spared or ()),
        usage=filled.usage,
        may_borrow=may_borrow,
    )


def _in_attempt(candidate: Candidate, may_borrow: bool) -> Candidate:
    """The candidate with the evidence completed by what the attempt allows."""
    known = candidate.evidence
    evidence = Evidence(
        known.ground, over_quota=known.over_quota, advantage=known.advantage, borrowing=may_borrow
    )
    return Candidate(candidate.workload, evidence, candidate.place, candidate.group, candidate.common)
