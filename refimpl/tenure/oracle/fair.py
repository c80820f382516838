"""Fair sharing: the tournament among ClusterQueues, and the strategies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from tenure.model import Evidence, FairStrategy, Ground, ReclaimWithinCohort
from tenure.oracle.candidates import Offer, candidates_among, own_offers
from tenure.oracle.heroes.plan import kin_between
from tenure.oracle.leaving import as_it_is, fitting, leaving_of, selection_after
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
from tenure.oracle.tree import Usage, common_place, places_below, quota_at
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

GROUNDS = {
    FairStrategy.LESS_THAN_OR_EQUAL_TO_FINAL_SHARE: Ground.FINAL_SHARE,
    FairStrategy.LESS_THAN_INITIAL_SHARE: Ground.INITIAL_SHARE,
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
        usage: what is in use after the removals so far, without the request; of what it asks for.
        charged: the same with the request; shares are counted on it.
        waiting: the candidates that have not had their turn, by the place of their queue.
        turns: those who have had their turn by this strategy, the last one first.
        removed: those who have been removed by any, the last one first.
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

    def ended(self) -> Round:
        """The same state with no queue left to visit."""
        return replace(self, over=True)

    def left_with(self, place: int, waiting: tuple[Candidate, ...]) -> Round:
        """The same state with other candidates waiting in one queue."""
        queues = {**self.waiting, place: waiting}
        return replace(self, waiting=queues)

    def rejecting(self, candidate: Candidate, shares: SharesCompared) -> Round:
        """The same state with one more candidate rejected."""
        turns = Chain(Turn(candidate, removed=False, shares=shares), self.turns)
        return replace(self, turns=turns)


def select_fairly(question: Question) -> Selection:
    """Find targets under fair sharing.

    Args:
        question: the search.

    Source: Kueue main of August 2026, fair-sharing preemption.
    """
    candidates = _candidates(question)
    if not candidates:
        return _none_yet(question)
    tournament = _tournament_of(question)
    leaving, found = tournament.leaving, _played(tournament, candidates)
    fits = fitting(leaving, True)
    return selection_after(question, candidates, found.attempts, found.end, fits, leaving.beside, as_it_is)


class _Played(NamedTuple):
    """The attempts of a tournament, and what the removals of all of them came to."""

    attempts: tuple[Attempt, ...]
    end: Removal[Usage, Candidate]


def _candidates(question: Question) -> tuple[Candidate, ...]:
    return candidates_among(question, (*own_offers(question), *_borrowers(question)))


def _none_yet(question: Question) -> Selection:
    usage = question.snapshot.usage
    none = Attempt((), (), usage, fits=False, strategy=_strategies_of(question)[0])
    return Selection((), (), (), (), usage, (none,))


def _tournament_of(question: Question) -> Tournament:
    return Tournament(question, question.charged())


def _played(tournament: Tournament, candidates: tuple[Candidate, ...]) -> _Played:
    """Visit queues by the first strategy until the request fits or no candidate is left.

    After that each queue of rejected candidates is visited once, by the second strategy, if there is one.
    """
    start = Round(tournament.leaving.usage, tournament.charged, by_queue(candidates))
    end = rounds(candidates, start, tournament.first_step, _has_ended)
    first = _attempt(candidates, end, tournament.strategies[0])
    if end.fits or not tournament.goes_again:
        return _Played((first,), _removal(end))
    again = Round(end.usage, end.charged, by_queue(first.rejected), removed=end.removed)
    end = rounds(first.rejected, again, tournament.second_step, _has_ended)
    second = _attempt(first.rejected, end, tournament.strategies[1])
    return _Played((first, second), _removal(end))


class Tournament:
    """The fold's steps for one question.

    Args:
        question: the search.
        charged: what is in use at its start, the request included.
    """

    def __init__(self, question: Question, charged: Usage) -> None:
        snapshot = question.snapshot
        self._question = question
        self.leaving = leaving_of(question)
        self._tree = snapshot.tree
        self._own = snapshot.place
        self._path = frozenset(snapshot.tree.nodes[snapshot.place].path)
        self._shares = SharesOf(snapshot.tree)
        settings = snapshot.cluster.settings
        self.strategies = _strategies_of(question)
        self.goes_again = len(self.strategies) > 1
        self.charged = charged
        self.claims_nominal = claims_nominal(
            _is_within_nominal(question, charged), settings.fair_sharing_preempt_within_nominal
        )

    def first_step(self, state: Round) -> Round:
        """Visit the queue whose turn it is: take one of its candidates, or reject all of them."""
        place = self.next_queue(state)
        if place is None:
            return state.ended()
        if place == self._own or self.claims_nominal:
            candidate, state = _pop(state, place)
            return self._take(state, candidate, self._without_comparison(candidate))
        while state.waiting[place]:
            candidate, state = _pop(state, place)
            facts, shares = self.compared(state.charged, candidate, GROUNDS[self.strategies[0]])
            evidence = self._question.judged(candidate, facts)
            if evidence.ground != Ground.NONE:
                return self._take(state, candidate, evidence, shares)
            state = state.rejecting(_found(candidate, facts), shares)
        return state

    def second_step(self, state: Round) -> Round:
        """Visit the queue whose turn it is: take its first candidate or not, and do not come back."""
        place = self.next_queue(state)
        if place is None:
            return state.ended()
        candidate = state.waiting[place][0]
        state = state.left_with(place, ())
        facts, shares = self.compared(state.charged, candidate, Ground.INITIAL_SHARE)
        evidence = self._question.judged(candidate, facts)
        if evidence.ground == Ground.NONE:
            return state.rejecting(_found(candidate, facts), shares)
        return self._take(state, candidate, evidence, shares)

    def compared(
        self, charged: Usage, candidate: Candidate, ground: Ground
    ) -> tuple[Evidence, SharesCompared]:
        """How a strategy finds a candidate of another queue, with the shares that it compares.

        Args:
            charged: what is in use at its turn, the request included.
            candidate: whose turn it is.
            ground: what the strategy allows it on.
        """
        mine, theirs = self._beside_common(candidate.place)
        then = self._question.without(charged, candidate) if ground == Ground.FINAL_SHARE else charged
        preemptor, target = self._shares.of(charged, mine), self._shares.of(then, theirs)
        shares = SharesCompared(mine, theirs, preemptor, target, compare_shares(preemptor, target))
        return Evidence(ground, over_quota=True, share=shares.compared), shares

    def evidence_for(self, charged: Usage, candidate: Candidate) -> Evidence:
        """What allows a candidate at its turn, by the first strategy that does; of ground NONE if none does.

        Args:
            charged: what is in use then, the request included.
            candidate: whose turn it is.
        """
        if candidate.place == self._own or self.claims_nominal:
            return self._without_comparison(candidate)
        again = (Ground.INITIAL_SHARE,) if self.goes_again else ()
        for ground in (GROUNDS[self.strategies[0]], *again):
            facts, _ = self.compared(charged, candidate, ground)
            evidence = self._question.judged(candidate, facts)
            if evidence.ground != Ground.NONE:
                return evidence
        return evidence

    def _without_comparison(self, candidate: Candidate) -> Evidence:
        """What allows a candidate whose share is not compared: in the preemptor's queue, or under KQ-410."""
        facts = Evidence(Ground.NONE, over_quota=True, within_nominal=self.claims_nominal)
        return self._question.judged(candidate, facts)

    def _take(
        self, state: Round, candidate: Candidate, evidence: Evidence, shares: SharesCompared | None = None
    ) -> Round:
        without, fits, uncharged = self.leaving.without, self.leaving.fits, self._question.without
        found, usage = _found(candidate, evidence), without(state.usage, candidate)
        return Round(
            usage=usage,
            charged=uncharged(state.charged, candidate),
            waiting=state.waiting,
            turns=_turned(found, shares, state.turns),
            removed=Chain(found, state.removed),
            fits=fits(usage, True),
        )

    def _beside_common(self, place: int) -> tuple[int, int]:
        """The two nodes below the lowest common cohort, on the preemptor's side and on the target's."""
        common = common_place(self._tree, place, self._own)
        mine, theirs = (places_below(self._tree, node, common)[-1] for node in (self._own, place))
        return mine, theirs

    def next_queue(self, state: Round) -> int | None:
        """The queue whose turn it is, from the root down by the highest share; None when none is left."""
        if self._tree.nodes[self._own].parent is None:
            return self._own if state.waiting.get(self._own) else None
        return self._winner(state, 0)

    def _winner(self, state: Round, cohort: int) -> int | None:
        queue = self._best_queue(state, cohort)
        winner = self._best_cohort(state, cohort)
        if winner is None:
            return None if queue is None else queue.place
        if queue is None or cohort_wins(compare_shares(winner.share, queue.share)):
            return self._winner(state, winner.place)
        return queue.place

    def _best_queue(self, state: Round, cohort: int) -> Contender | None:
        waiting = (place for place in self._tree.nodes[cohort].queues if state.waiting.get(place))

        def stays(queue: Contender) -> bool:
            return stays_in_tournament(queue.share.borrowing, queue.place == self._own)

        def beats(queue: Contender, best: Contender) -> bool:
            before = self._stands_before(state.waiting[queue.place][0], state.waiting[best.place][0])
            return queue_wins(compare_shares(queue.share, best.share), before)

        return best_of(self._contenders(state, waiting), NO_CONTENDER, stays, beats)

    def _best_cohort(self, state: Round, cohort: int) -> Contender | None:
        def stays(contender: Contender) -> bool:
            place, share = contender
            if not stays_in_tournament(share.borrowing, place in self._path):
                return False
            return self._winner(state, place) is not None

        def beats(contender: Contender, best: Contender) -> bool:
            return cohort_wins(compare_shares(contender.share, best.share))

        contenders = self._contenders(state, self._tree.nodes[cohort].cohorts)
        return best_of(contenders, NO_CONTENDER, stays, beats)

    def _contenders(self, state: Round, places: Iterable[int]) -> Iterator[Contender]:
        return (Contender(place, self._shares.of(state.charged, place)) for place in places)

    def _stands_before(self, first: Candidate, second: Candidate) -> bool:
        question = self._question
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


def _turned(found: Candidate, shares: SharesCompared | None, turns: Chain[Turn] | None) -> Chain[Turn]:
    return Chain(Turn(found, removed=True, shares=shares), turns)


def by_queue(candidates: tuple[Candidate, ...]) -> dict[int, tuple[Candidate, ...]]:
    """Candidates by the place of their queue, in each in their order."""
    waiting: dict[int, list[Candidate]] = {}
    for candidate in candidates:
        waiting.setdefault(candidate.place, []).append(candidate)
    return {place: tuple(queue) for place, queue in waiting.items()}


def _found(candidate: Candidate, evidence: Evidence) -> Candidate:
    return replace(candidate, evidence=evidence)


def _pop(state: Round, place: int) -> tuple[Candidate, Round]:
    first, *rest = state.waiting[place]
    return first, state.left_with(place, tuple(rest))


def _is_within_nominal(question: Question, charged: Usage) -> bool:
    tree, place = question.snapshot.tree, question.snapshot.place
    return all(
        is_within_quota(charged[place].get(asked, 0), quota_at(tree, place, asked).nominal)
        for asked in question.needed
    )
