"""Usage while candidates leave and come back, as far as one search needs it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from tenure.model import Amounts
from tenure.oracle.heroes.effective import (
    as_effective,
    effective_beside,
    effective_usage,
    effective_without,
    tree_under,
)
from tenure.oracle.question import Attempt, Candidate, Question, Selection, all_fit, exceeds_any
from tenure.oracle.selection import Removal, as_tuple, fill_back, in_order, some_of
from tenure.oracle.tree import Usage, occupy, places_below, release

_Usage = TypeVar("_Usage", bound=Usage)


def leaving_of(question: Question) -> Leaving:
    """What leaves for a question; where heroes let lending limits rise, quotas follow who has left.

    Args:
        question: the search.
    """
    heroes = question.snapshot.heroes
    if heroes is not None and heroes.unlocks:
        return LeavingBesideHeroes(question)
    return Leaving(question)


class Leaving:
    """The flavor-resources of one question, at every node; what is in use of others decides nothing here.

    Args:
        question: the search.

    >>> from tenure.model import Cluster, ClusterQueue, Settings, Workload
    >>> from tenure.oracle.snapshot import take_snapshot
    >>> from tenure.readings import preset
    >>> from tenure.rules.terms import terms_of
    >>> queue, waiting = ClusterQueue("q"), Workload("ns", "w", "u", priority=0, created_at=0)
    >>> snapshot = take_snapshot(Cluster({"q": queue}), "q", 0, preset("released"))
    >>> terms = terms_of(queue, Settings(), preset("released"))
    >>> Leaving(Question(snapshot, waiting, frozenset(), {}, terms, now=0)).usage
    ({},)
    """

    def __init__(self, question: Question) -> None:
        snapshot = question.snapshot
        self._tree, self._place = snapshot.tree, snapshot.place
        self._watched = question.needed.union(question.request)
        self._question, self._requested = question, question.resource_requests()
        self._quotas = tuple(question.needed_at(node.place) for node in snapshot.tree.nodes)
        self.usage: Usage = tuple(map(self._of, snapshot.usage))

    def fits(self, usage: Usage, may_borrow: bool) -> bool:
        """As `Question.fits`."""
        return all_fit(self._requested, usage, may_borrow)

    def without(self, usage: Usage, candidate: Candidate) -> Usage:
        """As `Question.without`."""
        return release(self._tree, usage, candidate.place, self._of(candidate.workload.usage))

    def first_within(self, usage: Usage, place: int, common: int | None) -> int | None:
        """The first node, from a ClusterQueue up to below the common cohort, that is within its quota.

        None where all of them exceed their quotas.
        """
        for index in places_below(self._tree, place, common):
            if not exceeds_any(usage[index], self._quotas[index]):
                return index
        return None

    def beside(self, usage: Usage, candidate: Candidate) -> Usage:
        """What is in use when a candidate has come back."""
        return occupy(self._tree, usage, candidate.place, self._of(candidate.workload.usage))

    def _of(self, amounts: Amounts) -> Amounts:
        return {
            flavor_resource: amount
            for flavor_resource, amount in amounts.items()
            if flavor_resource in self._watched
        }


class LeavingBesideHeroes(Leaving):
    """The same where every usage has a tree of its own, because lending limits rise with what runs.

    Args:
        question: the search.
    """

    def __init__(self, question: Question) -> None:
        super().__init__(question)
        heroes = question.snapshot.heroes
        assert heroes is not None
        self.usage = effective_usage(heroes, question.snapshot.held, watched=self._watched)

    def fits(self, usage: Usage, may_borrow: bool) -> bool:
        """As `Question.fits`."""
        return all_fit(self._question.resource_requests(tree_under(usage, self._tree)), usage, may_borrow)

    def without(self, usage: Usage, candidate: Candidate) -> Usage:
        """As `Question.without`."""
        return effective_without(as_effective(usage), candidate.place, candidate.workload.usage)

    def first_within(self, usage: Usage, place: int, common: int | None) -> int | None:
        """As in the class above, each usage on its own tree."""
        tree = tree_under(usage, self._tree)
        for index in places_below(tree, place, common):
            if not exceeds_any(usage[index], self._question.needed_at(index, tree)):
                return index
        return None

    def beside(self, usage: Usage, candidate: Candidate) -> Usage:
        """What is in use when a candidate has come back."""
        return effective_beside(as_effective(usage), candidate.place, candidate.workload.usage)


def fitting(leaving: Leaving, may_borrow: bool) -> Callable[[Usage], bool]:
    """Whether the request fits, in an attempt that may borrow or not."""
    return lambda usage: leaving.fits(usage, may_borrow)


def as_it_is(candidate: Candidate) -> Candidate:
    """A candidate whose evidence was complete when its turn came."""
    return candidate


def selection_after(
    question: Question,
    candidates: tuple[Candidate, ...],
    attempts: tuple[Attempt, ...],
    end: Removal[_Usage, Candidate],
    fits: Callable[[_Usage], bool],
    beside: Callable[[_Usage, Candidate], _Usage],
    completed: Callable[[Candidate], Candidate],
) -> Selection:
    """What a search found, after giving back every workload whose removal is not needed.

    Args:
        question: the search.
        candidates: who might be preempted, in order.
        attempts: what was tried, in order.
        end: of the last of them; where the request does not fit then, none is preempted.
        fits: whether the request fits beside what is in use.
        beside: what is in use when a candidate has come back.
        completed: a candidate that is preempted, with all evidence for it.
    """
    if not end.fits:
        return Selection(candidates, (), (), (), question.snapshot.usage, attempts)
    removed = some_of(end.removed)  # the last removal made it fit
    filled = fill_back(removed, end.usage, fits, beside)
    kept = filled.kept
    return Selection(
        candidates=candidates,
        kept=tuple(completed(candidate) for candidate in kept),
        removed=in_order(removed),
        spared=as_tuple(filled.spared),
        usage=filled.usage,
        attempts=attempts,
    )
