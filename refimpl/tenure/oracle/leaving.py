"""What is in use while candidates leave and come back, as far as one search asks about it."""

from __future__ import annotations

from collections.abc import Callable

from tenure.model import Amount, Amounts, FlavorResource
from tenure.oracle.heroes.effective import EffectiveUsage, effective_usage, tree_under
from tenure.oracle.question import Candidate, Question, Selection, all_fit, exceeds_any
from tenure.oracle.selection import Chain, fill_back
from tenure.oracle.tree import Usage, occupy, release


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
        self._question, self._requested = question, question.asked()
        self._held: dict[int, Amounts] = {}
        self._equal: dict[tuple[tuple[FlavorResource, Amount], ...], Amounts] = {}
        self._quotas: dict[int, tuple[tuple[FlavorResource, Amount], ...]] = {}
        self.usage: Usage = tuple(map(self._of, snapshot.usage))

    def fits(self, usage: Usage, may_borrow: bool) -> bool:
        """As `Question.fits`."""
        return all_fit(self._requested, usage, may_borrow)

    def without(self, usage: Usage, candidate: Candidate) -> Usage:
        """As `Question.without`."""
        return release(self._tree, usage, candidate.place, self._amounts(candidate))

    def exceeds_below(self, usage: Usage, place: int, common: int | None) -> bool:
        """Whether a ClusterQueue and every cohort between it and the common one exceed their quotas."""
        for index in self._tree.nodes[place].path:
            if index == common:
                break
            quotas = self._quotas.get(index)
            if quotas is None:
                quotas = self._quotas[index] = self._question.needed_at(index)
            if not exceeds_any(usage[index], quotas):
                return False
        return True

    def selection(
        self,
        candidates: tuple[Candidate, ...],
        removed: Chain[Candidate],
        usage: Usage,
        may_borrow: bool,
        completed: Callable[[Candidate, bool], Candidate],
        rejected: tuple[Candidate, ...] = (),
    ) -> Selection:
        """What a search found, after giving back whoever need not leave after all.

        Args:
            candidates: who might be taken, in order.
            removed: the last one first; after that one the request fits.
            usage: what is in use without all of them.
            may_borrow: of the attempt.
            completed: a candidate that is taken, with all evidence that `may_borrow` adds.
            rejected: whom fair sharing did not allow.
        """
        add, fits = self._returning(may_borrow)
        filled = fill_back(removed, usage, fits, add)
        return Selection(
            candidates=candidates,
            kept=tuple(completed(candidate, may_borrow) for candidate in filled.kept),
            removed=tuple(removed)[::-1],
            spared=tuple(filled.spared or ()),
            usage=filled.usage,
            may_borrow=may_borrow,
            rejected=rejected,
        )

    def _returning(
        self, may_borrow: bool
    ) -> tuple[Callable[[Usage, Candidate], Usage], Callable[[Usage], bool]]:
        """What fill-back asks, once for all who hold the same in the same ClusterQueue.

        Most of those who were removed stay so, and the usage that they would come back to is still the same.
        """
        before: Usage | None = None
        beside: dict[tuple[int, int], Usage] = {}
        fitting: dict[int, bool] = {}

        def add(usage: Usage, candidate: Candidate) -> Usage:
            nonlocal before
            if usage is not before:
                before = usage
                beside.clear()
                fitting.clear()
            amounts = self._amounts(candidate)
            key = (candidate.place, id(amounts))
            found = beside.get(key)
            if found is None:
                found = beside[key] = self.come_back(usage, candidate.place, amounts)
            return found

        def fits(usage: Usage) -> bool:
            known = fitting.get(id(usage))
            if known is None:
                known = fitting[id(usage)] = self.fits(usage, may_borrow)
            return known

        return add, fits

    def come_back(self, usage: Usage, place: int, amounts: Amounts) -> Usage:
        """What is in use when a candidate has come back."""
        return occupy(self._tree, usage, place, amounts)

    def _amounts(self, candidate: Candidate) -> Amounts:
        """What the question asks of what a candidate holds; equal amounts are one object."""
        # The snapshot keeps what its workloads hold, so no other object gets the identity meanwhile.
        held = candidate.workload.usage
        known = self._held.get(id(held))
        if known is None:
            amounts = self._of(held)
            known = self._held[id(held)] = self._equal.setdefault(tuple(amounts.items()), amounts)
        return known

    def _of(self, amounts: Amounts) -> Amounts:
        return {asked: amount for asked, amount in amounts.items() if asked in self._watched}


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
        return all_fit(self._question.asked(tree_under(usage, self._tree)), usage, may_borrow)

    def without(self, usage: Usage, candidate: Candidate) -> Usage:
        """As `Question.without`."""
        assert isinstance(usage, EffectiveUsage)
        return usage.without(candidate.place, candidate.workload.usage)

    def exceeds_below(self, usage: Usage, place: int, common: int | None) -> bool:
        """As in the class above, each usage on its own tree."""
        tree = tree_under(usage, self._tree)
        for index in tree.nodes[place].path:
            if index == common:
                break
            if not exceeds_any(usage[index], self._question.needed_at(index, tree)):
                return False
        return True

    def come_back(self, usage: Usage, place: int, amounts: Amounts) -> Usage:
        """What is in use when a candidate has come back."""
        assert isinstance(usage, EffectiveUsage)
        return usage.beside(place, amounts)
