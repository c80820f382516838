"""Victims that another engine has named, removed one after the other in the reference's own tree.

What allows each of them is found as a search finds it at that candidate's turn. Nothing that is said about a
victim is listened to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tenure.model import Basis, Duration, Evidence, SelectedBy, Trigger, Workload
from tenure.oracle.classical import advantages_around
from tenure.oracle.configured import config_of, selected_among
from tenure.oracle.fair import evidence_for, tournament_of
from tenure.oracle.heroes.plan import kin_between
from tenure.oracle.leaving import leaving_of
from tenure.oracle.protection import protection_in
from tenure.oracle.question import ELSEWHERE, OWN, Candidate, Question, uses_any
from tenure.rules.preemption_config import is_tier_tried
from tenure.rules.protection import is_protected_from_others

_NOTHING = Evidence(Basis.NONE)


def evidence_of(question: Question, victims: Sequence[Workload]) -> tuple[Evidence, ...]:
    """What allows each victim when its turn comes, those before it having left and no other.

    A search may have removed others on the way, and given them back their quota; who is allowed only because
    they were away for a while is not allowed here.

    Args:
        question: the search that found the victims.
        victims: in the order of removal, with their effective priorities.

    Returns:
        the evidence for each; its basis is NONE for whom nothing allows.
    """
    candidates = [_candidate(question, victim) for victim in victims]
    known = [candidate for candidate in candidates if candidate is not None]
    if len(known) < len(candidates):
        return (_NOTHING,) * len(candidates)
    if question.terms.hero:
        return tuple(question.judged(candidate, _NOTHING) for candidate in known)
    judged, duration = _by_share if question.terms.fair_sharing else _by_quota, protection_in(question)
    return tuple(
        _NOTHING if _is_protected(question, victim, duration) else found
        for victim, found in zip(victims, judged(question, known), strict=True)
    )


def selected_by(question: Question, victim: Workload, *, may_borrow: bool) -> SelectedBy | None:
    """What of a PreemptionConfig selects a victim, in the first tier that does; None where none does.

    Args:
        question: the search that found the victim.
        victim: with its effective priority.
        may_borrow: whether the attempt that found it lets the preemptor's queue borrow.
    """
    # Where the request fits before, as it may if a number of pods is needed, it has no other victim.
    quota_fits = question.fits(question.snapshot.usage, may_borrow=may_borrow)
    config, stopped = config_of(question), _candidate(question, victim) is None
    for trigger in Trigger:
        has_rules = any(rule.trigger == trigger for rule in config.rules)
        if has_rules and is_tier_tried(trigger, quota_fits, stopped):
            found = selected_among(question, config, trigger, [victim])
            if found:
                return found[0][1]
            stopped = found is None
    return None


def _is_protected(question: Question, victim: Workload, duration: Duration | None) -> bool:
    """Whether a victim of another ClusterQueue has its turn later than now."""
    elsewhere = victim.cluster_queue != question.terms.cluster_queue
    return elsewhere and is_protected_from_others(victim, question.now, duration)


def _candidate(question: Question, victim: Workload) -> Candidate | None:
    """A victim as a candidate; None for one that no search looks at."""
    snapshot = question.snapshot
    place = snapshot.tree.places.get(victim.cluster_queue or "")
    queue = None if place is None else snapshot.tree.nodes[place].queue
    if place is None or queue is None or queue.inactive or not uses_any(victim, question.needed):
        return None
    kin = kin_between(snapshot.heroes, snapshot.place, place)
    if place == snapshot.place:
        return Candidate(victim, _NOTHING, place, OWN, None, kin)
    around = snapshot.tree.nodes[snapshot.place].path
    common = next(index for index in snapshot.tree.nodes[place].path if index in around)
    return Candidate(victim, _NOTHING, place, ELSEWHERE, common, kin)


def _by_quota(question: Question, candidates: list[Candidate]) -> Iterator[Evidence]:
    leaving = leaving_of(question)
    advantages = advantages_around(question)
    usage, over_quota = leaving.usage, []
    for candidate in candidates:
        # Whose queue is within its quota is no candidate, whether it was so at first or is back there.
        over_quota.append(
            candidate.common is not None
            and all(
                leaving.first_within(then, candidate.place, candidate.common) is None
                for then in (leaving.usage, usage)
            )
        )
        usage = leaving.without(usage, candidate)
    # An attempt without borrowing has ended where the request fits without.
    borrowing = not leaving.fits(usage, may_borrow=False)
    for candidate, over in zip(candidates, over_quota, strict=True):
        advantage = candidate.common is not None and advantages[candidate.common]
        facts = Evidence(Basis.NONE, over_quota=over, advantage=advantage, borrowing=borrowing)
        yield question.judged(candidate, facts)


def _by_share(question: Question, candidates: list[Candidate]) -> Iterator[Evidence]:
    charged = question.charged()
    tournament = tournament_of(question, charged)
    for candidate in candidates:
        own = candidate.group == OWN
        borrows = own or question.exceeds_quota(question.snapshot.usage, candidate.place)
        yield evidence_for(tournament, charged, candidate) if borrows else _NOTHING
        charged = question.without(charged, candidate)
