"""Fair sharing as the repairs of kueue#14543 would search: choices of the reading `fair_sharing_repair`.

The search of today removes candidates by the shares of its turn, and then gives quota back: at its end the
preemptor's side may have a greater share than the side that it took from. From the text of the analysis, and
from code of Kueue main behind two gates; not from a release that Tenure reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import reduce
from typing import Final, NamedTuple

from tenure.model import Basis, Evidence
from tenure.oracle.fair import (
    BASES,
    Tournament,
    beside_common,
    candidates_of,
    evidence_for,
    played,
    tournament_of,
)
from tenure.oracle.question import Attempt, Candidate, Question, Selection, SharesCompared
from tenure.oracle.selection import Chain, fill_back, in_order, some_of
from tenure.oracle.tree import Usage
from tenure.readings import FairSharingRepair, RepairStrategy, RepairWithinNominal
from tenure.rules.share import compare_shares

MOST_PASSES: Final = 8
"""How often offender pruning searches: constant MAX_PASSES of the analysis."""


class SearchEnd(NamedTuple):
    """What one search came to, quota given back.

    Args:
        attempts: what was tried, in order.
        removed: who was removed, in order; empty where the request does not fit after all.
        kept: who of them stays removed, in order.
        usage: what is in use of the needed and requested flavor-resources without those.
        unfair: the target for which the repair refuses the others too; no workload is preempted then.
    """

    attempts: tuple[Attempt, ...]
    removed: tuple[Candidate, ...]
    kept: tuple[Candidate, ...]
    usage: Usage
    unfair: Candidate | None = None


_Searched = Iterator[SearchEnd]
"""Searches in order; the last one is what a repair comes to."""


def select_by_repair(question: Question) -> Selection:
    """Find targets under fair sharing as a repair does, which may find none where today's search finds some.

    Args:
        question: the search; its terms name the repair.

    Source: kueue#14543, analysis of five repairs; KEP-13396, future work (guarded fill-back); Kueue main
    of autumn 2026, gates FairSharingReevaluatePreemptionCandidates and FairSharingVerifyFinalTargets.
    """
    candidates = candidates_of(question)
    tournament = tournament_of(question, question.charged())
    attempts: tuple[Attempt, ...] = ()
    last = SearchEnd((), (), (), question.snapshot.usage)
    for last in _SEARCHES[question.terms.fair_sharing_repair](tournament, candidates) if candidates else ():
        attempts += last.attempts
    if not attempts:
        attempts = (Attempt((), (), question.snapshot.usage, fits=False, strategy=tournament.strategies[0]),)
    return _selected(tournament, candidates, attempts, last)


def _selected(
    tournament: Tournament,
    candidates: tuple[Candidate, ...],
    attempts: tuple[Attempt, ...],
    last: SearchEnd,
) -> Selection:
    """What a repair comes to after its last search."""
    if tournament.question.terms.fair_sharing_repair in _CHECKED:
        last = _checked(tournament, last)
    return Selection(candidates, last.kept, last.removed, _spared(last), last.usage, attempts, last.unfair)


def _spared(end: SearchEnd) -> tuple[Candidate, ...]:
    return tuple(found for found in end.removed if found not in end.kept)


def _post_check(tournament: Tournament, candidates: tuple[Candidate, ...]) -> _Searched:
    """Repair 1: the targets of today's search, or none where one of them is unfair at the end."""
    yield _searched(tournament, candidates)


def _share_locking(tournament: Tournament, candidates: tuple[Candidate, ...]) -> _Searched:
    """Repair 2: the preemptor's side keeps the share that it has before the first removal."""
    yield _searched(_locked(tournament), candidates)


def _post_check_then_locking(tournament: Tournament, candidates: tuple[Candidate, ...]) -> _Searched:
    """Repair 3: repair 1, and where that finds none, repair 2 with the same check at its end."""
    found = _checked(tournament, _searched(tournament, candidates))
    yield found
    if not found.kept:
        yield _searched(_locked(tournament), candidates)


def _offender_pruning(tournament: Tournament, candidates: tuple[Candidate, ...]) -> _Searched:
    """Repair 4: search again without the first unfair target, for good, a bounded number of times."""
    left = candidates
    for _ in range(MOST_PASSES):
        found = _searched(tournament, left)
        found = _checked(tournament, found)
        yield found
        if found.unfair is None:
            return
        left = _without(left, found.unfair)


def _level_locked(tournament: Tournament, candidates: tuple[Candidate, ...]) -> _Searched:
    """Repair 5: after repair 1, give up own workloads one by one, and search others with a locked share."""
    found = _checked(tournament, _searched(tournament, candidates))
    yield found
    if found.unfair is None:
        return
    own = tuple(candidate for candidate in candidates if candidate.place == tournament.own)
    others = tuple(candidate for candidate in candidates if candidate.place != tournament.own)
    for given_up in range(len(own) + 1):
        for found in _with_own_given_up(tournament, own[:given_up], others):
            yield found
            if found.kept:
                return


def _with_own_given_up(
    tournament: Tournament, own: tuple[Candidate, ...], others: tuple[Candidate, ...]
) -> _Searched:
    first = tuple(
        replace(found, evidence=evidence_for(tournament, tournament.charged, found)) for found in own
    )
    search, left = _locked(_after(tournament, first)), others
    suffice = search.leaving.fits(search.leaving.usage, True)
    while True:
        searched = played(search, () if suffice else left)
        chosen, fits = in_order(searched.end.removed), suffice or searched.end.fits
        given_back = _given_back(tournament, searched.attempts, (*first, *chosen), fits)
        found = _checked(tournament, given_back)
        yield found
        if found.unfair is None or not chosen:
            return
        too_much = any(candidate not in given_back.kept for candidate in first)
        left = _without(left, chosen[-1] if too_much else found.unfair)


def _guarded_fill_back(tournament: Tournament, candidates: tuple[Candidate, ...]) -> _Searched:
    """Repair 6: no workload gets quota back by which a target would no longer be allowed."""
    searched = played(tournament, candidates)
    turns = (turn for attempt in searched.attempts for turn in attempt.turns if turn.removed)
    allowed = {turn.candidate.workload.key: turn.shares for turn in turns}

    def is_fair(kept: Sequence[Candidate]) -> bool:
        charged = _charged(tournament, kept)
        return all(_stays_below(tournament, charged, found, allowed[found.workload.key]) for found in kept)

    removed, fits = in_order(searched.end.removed), searched.end.fits
    yield _given_back(tournament, searched.attempts, removed, fits, is_fair)


def _reevaluation(tournament: Tournament, candidates: tuple[Candidate, ...]) -> _Searched:
    """Today's search, with a second run of the first strategy, and its fill-back: gate of kueue#14128.

    Verified, it finds none where one of the targets is unfair at the end.
    """
    yield _reevaluated(tournament, candidates)


def _reevaluated(tournament: Tournament, candidates: tuple[Candidate, ...]) -> SearchEnd:
    """Today's search, whose first strategy has a second run where own workloads have lowered the share.

    The second run compares no share where the preemptor is within its nominal quota by then.
    """
    first = played(replace(tournament, goes_again=False), candidates)
    removed, rejected = in_order(first.end.removed), first.attempts[0].rejected
    if first.end.fits or all(found.place != tournament.own for found in removed):
        return _searched(tournament, candidates)
    again = played(_after(tournament, removed), rejected)
    gone = (*removed, *in_order(again.end.removed))
    return _given_back(tournament, (*first.attempts, *again.attempts), gone, again.end.fits)


def _stays_below(
    tournament: Tournament, charged: Usage, candidate: Candidate, shares: SharesCompared | None
) -> bool:
    """Whether the strategy that took a candidate would still do so, with the share that its side had then."""
    if shares is None:
        return True
    share_of = tournament.shares.of
    compared = compare_shares(share_of(charged, shares.mine), shares.target)
    return _allows(tournament, candidate, candidate.evidence.basis, compared)


_SEARCHES: Final[Mapping[FairSharingRepair, Callable[[Tournament, tuple[Candidate, ...]], _Searched]]] = {
    FairSharingRepair.POST_CHECK: _post_check,
    FairSharingRepair.SHARE_LOCKING: _share_locking,
    FairSharingRepair.POST_CHECK_THEN_LOCKING: _post_check_then_locking,
    FairSharingRepair.OFFENDER_PRUNING: _offender_pruning,
    FairSharingRepair.LEVEL_LOCKED: _level_locked,
    FairSharingRepair.GUARDED_FILL_BACK: _guarded_fill_back,
    FairSharingRepair.REEVALUATION: _reevaluation,
    FairSharingRepair.VERIFIED_REEVALUATION: _reevaluation,
}

_CHECKED: Final = (
    FairSharingRepair.POST_CHECK,
    FairSharingRepair.POST_CHECK_THEN_LOCKING,
    FairSharingRepair.OFFENDER_PRUNING,
    FairSharingRepair.LEVEL_LOCKED,
    FairSharingRepair.VERIFIED_REEVALUATION,
)
"""The repairs that preempt no workload where a target is unfair at the end, however they have searched."""


def first_unfair(tournament: Tournament, kept: Sequence[Candidate]) -> Candidate | None:
    """The first target of another queue that the strategies would not allow in the end, if there is one.

    Args:
        tournament: the search, as it began.
        kept: the targets, in order.

    The preemptor's side is compared as it is with the request and without all targets; the target's side as
    it is then, and as it is with the target alone back. Exempt are the targets of a preemptor that is within
    its nominal quota as the search begins, not of one that is only without its own victims: level-locked
    search takes others without a comparison then, and may give those back. By verified reevaluation these
    are exempt too, if the preemptor is within its nominal quota in the end.
    """
    charged = _charged(tournament, kept)
    exempt = _exempt(tournament, charged)
    for found in kept:
        if not _is_fair(tournament, charged, exempt, kept, found):
            return found
    return None


def _exempt(tournament: Tournament, charged: Usage) -> frozenset[Basis]:
    """The targets of other queues that are not checked, by what they were taken on."""
    terms = tournament.question.terms
    if terms.repair_within_nominal != RepairWithinNominal.EXEMPT:
        return frozenset()
    if tournament.claims_nominal:
        return frozenset(Basis)
    by_end = terms.fair_sharing_repair == FairSharingRepair.VERIFIED_REEVALUATION
    claims = by_end and tournament_of(tournament.question, charged).claims_nominal
    return frozenset({Basis.WITHIN_NOMINAL} if claims else ())


def _is_fair(
    tournament: Tournament,
    charged: Usage,
    exempt: frozenset[Basis],
    kept: Sequence[Candidate],
    candidate: Candidate,
) -> bool:
    if candidate.place == tournament.own or candidate.evidence.basis in exempt:
        return True
    alone_back = _charged(tournament, _without(kept, candidate))
    final = _passes(tournament, charged, candidate, Basis.FINAL_SHARE, charged)
    return final or _passes(tournament, charged, candidate, Basis.INITIAL_SHARE, alone_back)


def _passes(tournament: Tournament, charged: Usage, candidate: Candidate, basis: Basis, then: Usage) -> bool:
    """Whether a strategy that counts for a target allows it, with its side's share of what is in use then."""
    mine, theirs = beside_common(tournament, candidate.place)
    share_of = tournament.shares.of
    compared = compare_shares(share_of(charged, mine), share_of(then, theirs))
    return _counts(tournament, candidate, basis) and _allows(tournament, candidate, basis, compared)


def _counts(tournament: Tournament, candidate: Candidate, basis: Basis) -> bool:
    """Whether the check goes by a strategy: that which took the target, or each that is configured."""
    taken_on = candidate.evidence.basis
    if tournament.question.terms.repair_strategy == RepairStrategy.SAME and taken_on in BASES.values():
        return basis == taken_on
    return basis in map(BASES.get, tournament.strategies)


def _allows(tournament: Tournament, candidate: Candidate, basis: Basis, compared: int) -> bool:
    judged = tournament.question.judged
    return judged(candidate, Evidence(basis, over_quota=True, share=compared)).basis != Basis.NONE


def _searched(tournament: Tournament, candidates: tuple[Candidate, ...]) -> SearchEnd:
    """Today's search and its fill-back."""
    searched = played(tournament, candidates)
    removed = in_order(searched.end.removed)
    return _given_back(tournament, searched.attempts, removed, searched.end.fits)


def _given_back(
    tournament: Tournament,
    attempts: tuple[Attempt, ...],
    removed: tuple[Candidate, ...],
    fits: bool,
    may_stay: Callable[[Sequence[Candidate]], bool] = lambda _: True,
) -> SearchEnd:
    """Give back, from the second last removed to the first, whose removal is not needed.

    Args:
        tournament: the search, as it began.
        attempts: what was tried.
        removed: who was removed, in order.
        fits: whether the request fits then; else none is.
        may_stay: whether exactly those may be the targets.
    """
    if not fits:
        return SearchEnd(attempts, (), (), tournament.leaving.usage)

    def suffice(gone: tuple[Candidate, ...]) -> bool:
        return tournament.leaving.fits(usage_left(tournament, gone), True) and may_stay(gone)

    none: Chain[Candidate] | None = None
    chain = some_of(reduce(lambda rest, found: Chain(found, rest), removed, none))
    kept = fill_back(chain, removed, suffice, _without).usage
    return SearchEnd(attempts, removed, kept, usage_left(tournament, kept))


def _checked(tournament: Tournament, found: SearchEnd) -> SearchEnd:
    """The same, with no victim where a target is unfair."""
    unfair = first_unfair(tournament, found.kept)
    if unfair is None:
        return found
    return SearchEnd(found.attempts, (), (), tournament.leaving.usage, unfair)


def _without(candidates: Iterable[Candidate], gone: Candidate) -> tuple[Candidate, ...]:
    return tuple(candidate for candidate in candidates if candidate.workload.key != gone.workload.key)


def usage_left(tournament: Tournament, removed: Iterable[Candidate]) -> Usage:
    """What is in use of the needed and requested flavor-resources when some have left.

    Args:
        tournament: the search, as it began.
        removed: candidates of it.
    """
    usage = tournament.leaving.usage
    for candidate in removed:
        usage = tournament.leaving.without(usage, candidate)
    return usage


def _charged(tournament: Tournament, removed: Iterable[Candidate]) -> Usage:
    """What is in use with the request when some have left."""
    usage = tournament.charged
    for candidate in removed:
        usage = tournament.question.without(usage, candidate)
    return usage


def _after(tournament: Tournament, removed: tuple[Candidate, ...]) -> Tournament:
    """The search that begins when some have left."""
    begun = tournament_of(tournament.question, _charged(tournament, removed))
    leaving = copy(tournament.leaving)
    leaving.usage = usage_left(tournament, removed)
    return replace(begun, leaving=leaving)


def _locked(tournament: Tournament) -> Tournament:
    """The same search, in which the shares on the preemptor's side are compared as they are before it."""
    return replace(tournament, locked=tournament.charged)
