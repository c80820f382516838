"""Fair sharing: the tournament among ClusterQueues, and the strategies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from tenure.model import Basis, Evidence, FairStrategy, ReclaimWithinCohort
from tenure.oracle.candidates import Offer, candidates_among, own_offers
from tenure.oracle.heroes.plan import kin_between
from tenure.oracle.leaving import Leaving, as_it_is, fitting, leaving_of, selection_after
from tenure.oracle.question import (
    ELSEWHERE,
    Attempt,
    Candidate,
    Question,
    Selection,
    SharesCompared,
    Turn,
)
from tenure.oracle.selection import Chain, Removal, best_of, rounds
from tenure.oracle.shares import SharesOf
from tenure.oracle.tree import Tree, Usage, common_place, places_below, quota_at
from tenure.rules.ordering import stands_before
from tenure.rules.quota import is_within_quota
from tenure.rules.share import (
    Share,
    claims_nominal,
    cohort_wins,
    compare_shares,
    queue_wins,
    stays_in_tournament,
)

BASES = {
    FairStrategy.LESS_THAN_OR_EQUAL_TO_FINAL_SHARE: Basis.FINAL_SHARE,
    FairStrategy.LESS_THAN_INITIAL_SHARE: Basis.INITIAL_SHARE,
}


class Contender(NamedTuple):
    """A node that may be visited, with its share.

    Args:
        place: of the ClusterQueue or cohort.
        share: of it, the request included.
    """

    place: int
    share: Share


NO_CONTENDER = Contender(-1, Share(borrowing=False, ratio=0.0, weight=0.0))


@dataclass(frozen=True, slots=True)
class Round:
    """State of the tournament: one step visits one ClusterQueue.

    Args:
        usage: of the requested flavor-resources, after the removals so far, without the request.
        charged: the same with the request; shares are counted on it.
        waiting: the candidates that have not had their turn, by the place of their queue.
        turns: candidates that have had their turn by this strategy, the last one first.
        removed: candidates removed by any strategy, the last one first.
        fits: whether the request fits now.
        over: whether no queue is left to visit.
    """

    usage: Usage
    charged: Usage
    waiting: Mapping[int, tuple[Candidate, ...]]
    turns: Chain[Turn] | None = None
    removed: Chain[Candidate] | None = None
    fits: bool = False
    over: bool = False


def select_fairly(question: Question) -> Selection:
    """Find targets under fair sharing.

    Args:
        question: the search.

    Source: Kueue main of August 2026, fair-sharing preemption.
    """
    candidates = candidates_of(question)
    if not candidates:
        return _none_yet(question)
    tournament = _tournament_of(question)
    leaving, found = tournament.leaving, played(tournament, candidates)
    fits = fitting(leaving, True)
    return selection_after(question, candidates, found.attempts, found.end, fits, leaving.beside, as_it_is)


def fair_end(question: Question) -> tuple[tuple[Candidate, ...], Played]:
    """The candidates of `spec.preemption`, and what the removals of both strategies came to.

    Args:
        question: the search.
    """
    candidates = candidates_of(question)
    if candidates:
        return candidates, played(_tournament_of(question), candidates)
    return (), Played(_none_yet(question).attempts, Removal(leaving_of(question).usage, None, fits=False))


class Played(NamedTuple):
    """The attempts of a tournament, and what the removals of all of them came to."""

    attempts: tuple[Attempt, ...]
    end: Removal[Usage, Candidate]


def candidates_of(question: Question) -> tuple[Candidate, ...]:
    return candidates_among(question, (*own_offers(question), *_borrowers(question)))


def _none_yet(question: Question) -> Selection:
    usage = question.snapshot.usage
    none = Attempt((), (), usage, fits=False, strategy=_strategies_of(question)[0])
    return Selection((), (), (), (), usage, (none,))


def _tournament_of(question: Question) -> Tournament:
    return tournament_of(question, question.charged())


def played(tournament: Tournament, candidates: tuple[Candidate, ...]) -> Played:
    """Visit queues by the first strategy until the request fits or no candidate is left.

    After that each queue of rejected candidates is visited once, by the second strategy, if there is one.
    """
    start = Round(tournament.leaving.usage, tournament.charged, by_queue(candidates))
    end = rounds(candidates, start, partial(first_step, tournament), _has_ended)
    first = _attempt(candidates, end, tournament.strategies[0])
    if end.fits or not tournament.goes_again:
        return Played((first,), _removal(end))
    again = Round(end.usage, end.charged, by_queue(first.rejected), removed=end.removed)
    end = rounds(first.rejected, again, partial(second_step, tournament), _has_ended)
    second = _attempt(first.rejected, end, tournament.strategies[1])
    return Played((first, second), _removal(end))


@dataclass(frozen=True, slots=True)
class Tournament:
    """What the rounds of one search are held on.

    Args:
        question: the search.
        leaving: what is in use without the request, and how it changes as workloads leave.
        charged: what is in use at its start, the request included.
        tree: the tree of the preemptor's ClusterQueue.
        own: its place.
        path: that place, and those of the cohorts above.
        shares: of the nodes of the tree.
        strategies: in order.
        goes_again: whether there is a second one.
        claims_nominal: whether no shares are compared (KQ-410).
        locked: what is in use, the request included, where strategies compare the preemptor's side as it is
            before the first removal; None where they compare it as it is at each turn.
    """

    question: Question
    leaving: Leaving
    charged: Usage
    tree: Tree
    own: int
    path: frozenset[int]
    shares: SharesOf
    strategies: tuple[FairStrategy, ...]
    goes_again: bool
    claims_nominal: bool
    locked: Usage | None = None


def tournament_of(question: Question, charged: Usage) -> Tournament:
    """What the rounds of a search are held on.

    Args:
        question: the search.
        charged: what is in use at its start, the request included.
    """
    snapshot, strategies = question.snapshot, _strategies_of(question)
    within, gate = is_within_nominal(question, charged), snapshot.cluster.settings
    return Tournament(
        question=question,
        leaving=leaving_of(question),
        charged=charged,
        tree=snapshot.tree,
        own=snapshot.place,
        path=frozenset(snapshot.tree.nodes[snapshot.place].path),
        shares=SharesOf(snapshot.tree),
        strategies=strategies,
        goes_again=len(strategies) > 1,
        claims_nominal=claims_nominal(within, gate.fair_sharing_preempt_within_nominal),
    )


def first_step(tournament: Tournament, state: Round) -> Round:
    """Visit the queue whose turn it is: take one of its candidates, or reject all of them."""
    place = next_queue(tournament, state)
    if place is None:
        return _ended(state)
    if place == tournament.own or tournament.claims_nominal:
        candidate, state = _pop(state, place)
        return _take(tournament, state, candidate, _without_comparison(tournament, candidate), None)
    basis, judged = BASES[tournament.strategies[0]], tournament.question.judged
    while _waits_at(state, place):
        candidate, state = _pop(state, place)
        facts, shares = compared(tournament, state.charged, candidate, basis)
        evidence = judged(candidate, facts)
        if evidence.basis != Basis.NONE:
            return _take(tournament, state, candidate, evidence, shares)
        state = _rejecting(state, candidate, facts, shares)
    return state


def second_step(tournament: Tournament, state: Round) -> Round:
    """Visit the queue whose turn it is: take its first candidate or not, and do not come back."""
    place = next_queue(tournament, state)
    if place is None:
        return _ended(state)
    candidate, state = _pop_all(state, place)
    judged = tournament.question.judged
    facts, shares = compared(tournament, state.charged, candidate, Basis.INITIAL_SHARE)
    evidence = judged(candidate, facts)
    if evidence.basis == Basis.NONE:
        return _rejecting(state, candidate, facts, shares)
    return _take(tournament, state, candidate, evidence, shares)


def compared(
    tournament: Tournament, charged: Usage, candidate: Candidate, basis: Basis
) -> tuple[Evidence, SharesCompared]:
    """How a strategy finds a candidate of another queue, with the shares that it compares.

    Args:
        tournament: the search.
        charged: what is in use at its turn, the request included.
        candidate: whose turn it is.
        basis: what the strategy allows it on.
    """
    mine, theirs = beside_common(tournament, candidate.place)
    without, share_of = tournament.question.without, tournament.shares.of
    then = without(charged, candidate) if basis == Basis.FINAL_SHARE else charged
    counted = charged if tournament.locked is None else tournament.locked
    preemptor, target = share_of(counted, mine), share_of(then, theirs)
    shares = SharesCompared(mine, theirs, preemptor, target, compare_shares(preemptor, target))
    return Evidence(basis, over_quota=True, share=shares.compared), shares


def evidence_for(tournament: Tournament, charged: Usage, candidate: Candidate) -> Evidence:
    """What allows a candidate at its turn, by the first strategy that does; of basis NONE if none does.

    Args:
        tournament: the search.
        charged: what is in use then, the request included.
        candidate: whose turn it is.
    """
    if candidate.place == tournament.own or tournament.claims_nominal:
        return _without_comparison(tournament, candidate)
    again = (Basis.INITIAL_SHARE,) if tournament.goes_again else ()
    for basis in (BASES[tournament.strategies[0]], *again):
        facts, _ = compared(tournament, charged, candidate, basis)
        evidence = tournament.question.judged(candidate, facts)
        if evidence.basis != Basis.NONE:
            return evidence
    return evidence


def _without_comparison(tournament: Tournament, candidate: Candidate) -> Evidence:
    """What allows a candidate whose share is not compared: in the preemptor's queue, or under KQ-410."""
    facts = Evidence(Basis.NONE, over_quota=True, within_nominal=tournament.claims_nominal)
    return tournament.question.judged(candidate, facts)


def _take(
    tournament: Tournament,
    state: Round,
    candidate: Candidate,
    evidence: Evidence,
    shares: SharesCompared | None,
) -> Round:
    leaving = tournament.leaving
    without, fits, uncharged = leaving.without, leaving.fits, tournament.question.without
    found, usage = _found(candidate, evidence), without(state.usage, candidate)
    return Round(
        usage=usage,
        charged=uncharged(state.charged, candidate),
        waiting=state.waiting,
        turns=_turned(found, True, shares, state.turns),
        removed=Chain(found, state.removed),
        fits=fits(usage, True),
    )


def beside_common(tournament: Tournament, place: int) -> tuple[int, int]:
    """The two nodes below the lowest common cohort, on the preemptor's side and on the target's."""
    tree, own = tournament.tree, tournament.own
    common = common_place(tree, place, own)
    mine, theirs = (places_below(tree, node, common)[-1] for node in (own, place))
    return mine, theirs


def next_queue(tournament: Tournament, state: Round) -> int | None:
    """The queue whose turn it is, from the root down by the highest share; None when none is left."""
    if tournament.tree.nodes[tournament.own].parent is None:
        return tournament.own if _waits_at(state, tournament.own) else None
    return _winner(tournament, state, 0)


def _winner(tournament: Tournament, state: Round, cohort: int) -> int | None:
    queue = _best_queue(tournament, state, cohort)
    winner = _best_cohort(tournament, state, cohort)
    if winner is None:
        return None if queue is None else queue.place
    if queue is None or _cohort_beats(winner, queue):
        return _winner(tournament, state, winner.place)
    return queue.place


def _best_queue(tournament: Tournament, state: Round, cohort: int) -> Contender | None:
    queues = _waiting_among(state, tournament.tree.nodes[cohort].queues)
    stays, beats = partial(_queue_stays, tournament), partial(_queue_beats, tournament, state)
    return best_of(_contenders(tournament, state, queues), NO_CONTENDER, stays, beats)


def _queue_stays(tournament: Tournament, queue: Contender) -> bool:
    return stays_in_tournament(queue.share.borrowing, queue.place == tournament.own)


def _queue_beats(tournament: Tournament, state: Round, queue: Contender, best: Contender) -> bool:
    before = _stands_before(tournament.question, _first_at(state, queue.place), _first_at(state, best.place))
    return queue_wins(compare_shares(queue.share, best.share), before)


def _best_cohort(tournament: Tournament, state: Round, cohort: int) -> Contender | None:
    cohorts = _contenders(tournament, state, tournament.tree.nodes[cohort].cohorts)
    return best_of(cohorts, NO_CONTENDER, partial(_cohort_stays, tournament, state), _cohort_beats)


def _cohort_stays(tournament: Tournament, state: Round, cohort: Contender) -> bool:
    if not stays_in_tournament(cohort.share.borrowing, cohort.place in tournament.path):
        return False
    return _winner(tournament, state, cohort.place) is not None


def _cohort_beats(cohort: Contender, best: Contender) -> bool:
    return cohort_wins(compare_shares(cohort.share, best.share))


def _contenders(tournament: Tournament, state: Round, places: Sequence[int]) -> tuple[Contender, ...]:
    share_of = tournament.shares.of
    return tuple(Contender(place, share_of(state.charged, place)) for place in places)


def _stands_before(question: Question, first: Candidate, second: Candidate) -> bool:
    return stands_before(
        first.workload,
        first.group,
        second.workload,
        second.group,
        question.preemptor,
        question.terms,
        question.now,
    )


def _strategies_of(question: Question) -> tuple[FairStrategy, ...]:
    """The configured strategies, in order; both where none is named."""
    return question.snapshot.cluster.settings.fair_sharing or tuple(FairStrategy)


def _has_ended(state: Round) -> bool:
    return state.fits or state.over


def _removal(end: Round) -> Removal[Usage, Candidate]:
    return Removal(end.usage, end.removed, end.fits)


def _attempt(waiting: tuple[Candidate, ...], end: Round, strategy: FairStrategy) -> Attempt:
    turns = tuple(end.turns or ())[::-1]
    return Attempt(waiting, turns, end.usage, end.fits, strategy=strategy)


def _borrowers(question: Question) -> Iterator[Offer]:
    """All other queues of the tree that exceed their nominal quota."""
    snapshot = question.snapshot
    root = snapshot.tree.nodes[snapshot.place].path[-1]
    if root == snapshot.place or question.terms.reclaim_within_cohort == ReclaimWithinCohort.NEVER:
        return
    for node in snapshot.tree.nodes:
        if node.queue is None or node.place == snapshot.place:
            continue
        if question.exceeds_quota(snapshot.usage, node.place):
            kin = kin_between(snapshot.heroes, snapshot.place, node.place)
            yield Offer(node.place, ELSEWHERE, over_quota=True, by_share=True, kin=kin)


def _ended(state: Round) -> Round:
    """The same state with no queue left to visit."""
    return Round(
        state.usage, state.charged, state.waiting, state.turns, state.removed, fits=state.fits, over=True
    )


def _rejecting(state: Round, candidate: Candidate, evidence: Evidence, shares: SharesCompared) -> Round:
    """The same state with one more candidate rejected."""
    turns = _turned(_found(candidate, evidence), False, shares, state.turns)
    return Round(state.usage, state.charged, state.waiting, turns, state.removed, fits=state.fits)


def _turned(
    found: Candidate, removed: bool, shares: SharesCompared | None, turns: Chain[Turn] | None
) -> Chain[Turn]:
    return Chain(Turn(found, removed=removed, shares=shares), turns)


def by_queue(candidates: tuple[Candidate, ...]) -> dict[int, tuple[Candidate, ...]]:
    """Candidates by the place of their queue, in each in their order."""
    waiting: dict[int, list[Candidate]] = {}
    for candidate in candidates:
        waiting.setdefault(candidate.place, []).append(candidate)
    return {place: tuple(queue) for place, queue in waiting.items()}


def _found(candidate: Candidate, evidence: Evidence) -> Candidate:
    return replace(candidate, evidence=evidence)


def left_with(state: Round, place: int, waiting: tuple[Candidate, ...]) -> Round:
    """The same state with other candidates waiting in one queue."""
    return replace(state, waiting={**state.waiting, place: waiting})


def _waiting_at(state: Round, place: int) -> tuple[Candidate, ...]:
    return state.waiting.get(place, ())


def _waits_at(state: Round, place: int) -> bool:
    return len(_waiting_at(state, place)) > 0


def _waiting_among(state: Round, queues: Iterable[int]) -> list[int]:
    waiting: list[int] = []
    for place in queues:
        if _waits_at(state, place):
            waiting.append(place)  # noqa: PERF401 - the prover reads loops
    return waiting


def _first_at(state: Round, place: int) -> Candidate:
    return _waiting_at(state, place)[0]


def _pop(state: Round, place: int) -> tuple[Candidate, Round]:
    """The first candidate of a queue, and the state in which the others of it wait."""
    waiting = _waiting_at(state, place)
    return waiting[0], left_with(state, place, waiting[1:])


def _pop_all(state: Round, place: int) -> tuple[Candidate, Round]:
    """The first candidate of a queue, and the state in which none of it waits."""
    return _first_at(state, place), left_with(state, place, ())


def is_within_nominal(question: Question, charged: Usage) -> bool:
    """Whether the preemptor's ClusterQueue stays within its nominal quota of all that the request needs.

    Args:
        question: the search.
        charged: what is in use, the request included.
    """
    tree, place = question.snapshot.tree, question.snapshot.place
    return all(
        is_within_quota(
            charged[place].get(flavor_resource, 0), quota_at(tree, place, flavor_resource).nominal
        )
        for flavor_resource in question.needed
    )
