"""A hero's search for targets: one attempt, and the order is found again after each removal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from tenure.oracle.candidates import Offer, candidates_among, own_offers
from tenure.oracle.heroes.effective import (
    EffectiveUsage,
    as_effective,
    effective_beside,
    effective_usage,
    effective_without,
)
from tenure.oracle.heroes.fit import accessible_at, room_at
from tenure.oracle.heroes.plan import HeroPlan, kin_between
from tenure.oracle.leaving import as_it_is, selection_after
from tenure.oracle.question import (
    ELSEWHERE,
    Attempt,
    Candidate,
    Question,
    Selection,
    Turn,
    exceeds_any,
    sort_key,
)
from tenure.oracle.selection import Chain, in_order, remove_in_turn
from tenure.oracle.tree import quota_at
from tenure.rules.hero_fit import hero_request_fits
from tenure.rules.hero_targets import group_for_hero

_Rank = tuple[int, int, tuple[int | str, ...]]


def select_for_hero(question: Question) -> Selection:
    """Find targets for a workload of a hero, whether or not fair sharing is configured.

    Args:
        question: the search; its ClusterQueue is a hero.

    Source: KEP-8826, Implementation; Goals, Deterministic Victim Selection.
    """
    search = HeroSearch(question)
    end = remove_in_turn(
        search.candidates, search.start, search.rank, search.at_turn, search.fits, search.without
    )
    attempt = Attempt(search.candidates, _turns_of(end.removed), end.usage, end.fits)
    return selection_after(question, search.candidates, (attempt,), end, search.fits, search.beside, as_it_is)


def _turns_of(removed: Chain[Candidate] | None) -> tuple[Turn, ...]:
    return tuple(Turn(candidate, removed=True) for candidate in in_order(removed))


class HeroSearch:
    """The checks of a hero's search at every step.

    Args:
        question: the search.
    """

    def __init__(self, question: Question) -> None:
        snapshot = question.snapshot
        plan = snapshot.heroes
        assert plan is not None
        self._question, self._plan, self._place = question, plan, snapshot.place
        self._watched = question.needed.union(question.request)
        # Bills of heroes above do not follow who leaves, or a hero would be billed for making room.
        root = plan.branch_of[self._place].root
        above = frozenset(plan.tree.nodes[root].path[1:])
        bills = as_effective(snapshot.usage).bills
        frozen = {key: shares for key, shares in bills.items() if key[0] in above}
        self.start = effective_usage(plan, snapshot.held, frozen, self._watched)
        self._accessible = {
            flavor_resource: accessible_at(plan, self._place, flavor_resource)
            for flavor_resource in question.request
        }
        found = candidates_among(question, (*own_offers(question), *_offers_inside(question, plan)))
        keys = {one.workload.key: sort_key(question, one.workload, one.group) for one in found}
        self._fixed = {name: (key[0], key[2:]) for name, key in keys.items()}
        self._places = {candidate.place for candidate in found}
        self.candidates = tuple(
            self.at_turn(self.start, candidate) for candidate in sorted(found, key=self.rank(self.start))
        )

    def fits(self, usage: EffectiveUsage) -> bool:
        """Whether the whole request fits beside what is in use."""
        return all(
            hero_request_fits(
                usage.held.used(self._place, flavor_resource),
                amount,
                self._accessible[flavor_resource],
                room_at(usage, self._place, flavor_resource),
            )
            for flavor_resource, amount in self._question.request.items()
        )

    def without(self, usage: EffectiveUsage, candidate: Candidate) -> EffectiveUsage:
        """What is in use when a candidate has left."""
        return effective_without(usage, candidate.place, candidate.workload.usage)

    def beside(self, usage: EffectiveUsage, candidate: Candidate) -> EffectiveUsage:
        """What is in use when a candidate has come back."""
        return effective_beside(usage, candidate.place, candidate.workload.usage)

    def rank(self, usage: EffectiveUsage) -> Callable[[Candidate], _Rank]:
        """What candidates are sorted by; their queues are looked at as they are now, each once."""
        groups = {place: self._group(place, usage) for place in self._places}

        def ranked(candidate: Candidate) -> _Rank:
            running, others = self._fixed[candidate.workload.key]
            return running, groups[candidate.place], others

        return ranked

    def at_turn(self, usage: EffectiveUsage, candidate: Candidate) -> Candidate:
        """A candidate with the group that it is in now."""
        return replace(candidate, group=self._group(candidate.place, usage))

    def _group(self, place: int, usage: EffectiveUsage) -> int:
        quotas = [(at, quota_at(usage.tree, place, at).subtree) for at in self._question.needed]
        return group_for_hero(place == self._place, exceeds_any(usage[place], quotas))


def _offers_inside(question: Question, plan: HeroPlan) -> Iterator[Offer]:
    """All other queues of the hero's subtree."""
    mine = question.snapshot.place
    branch = plan.branch_of[mine]
    for place in branch.nodes:
        if place != mine and plan.tree.nodes[place].queue is not None:
            # Groups are computed at every step; here they only separate other candidates from own ones.
            yield Offer(place, ELSEWHERE, branch.root, kin=kin_between(plan, mine, place))
