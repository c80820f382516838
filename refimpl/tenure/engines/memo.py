"""What decisions of one batch share: a search is made once for all workloads that no rule distinguishes."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from operator import itemgetter
from typing import Final, Generic, TypeAlias, TypeVar

from tenure.model import Instant, PodSet, WithinClusterQueue, Workload
from tenure.oracle.candidates import Offer, offered
from tenure.oracle.classical import finds_no_target
from tenure.oracle.question import OWN, Candidate, Question, Selection, exceeds_any, sort_key, uses_any
from tenure.oracle.search import find_targets
from tenure.oracle.snapshot import Snapshot
from tenure.readings import NewerThan
from tenure.rules.amounts import minus
from tenure.rules.reclaim import stands_in_attempt
from tenure.rules.reservation import quota_reservation_time
from tenure.rules.terms import PreemptionTerms
from tenure.rules.time_based import duration_in_force, requeue_timestamp

MOST_LISTED: Final = 2**20
"""So many candidates are kept at most, of searches that other decisions may share."""
MOST_RANKED: Final = 2**18
"""So many candidates are kept at most, of ClusterQueues that other searches may share."""


T = TypeVar("T")


class Remembered(Generic[T]):
    """What was found, by what decides it; all is forgotten once too many candidates are listed in it.

    Args:
        most: so many candidates; None for `MOST_LISTED`.
    """

    def __init__(self, most: int | None = None) -> None:
        self._most = MOST_LISTED if most is None else most
        self._found: dict[Hashable, T] = {}
        self._candidates = 0

    def get(self, key: Hashable) -> T | None:
        """What was found, if it is known."""
        return self._found.get(key)

    def keep(self, key: Hashable, found: T, candidates: int) -> None:
        """Keep what was found.

        Args:
            candidates: how many candidates it lists.
        """
        self._candidates += candidates
        if self._candidates > self._most:
            self._found.clear()
            self._candidates = candidates
        self._found[key] = found


_Ranked: TypeAlias = tuple[tuple[object, ...], Candidate]
"""A candidate, after what it is sorted by."""


@dataclass(slots=True)
class _Listed:
    """The candidates among some workloads of a ClusterQueue, sorted.

    Args:
        running: the workloads.
        ranked: the candidates.
        borrowing: those that may be preempted in attempts with borrowing too.
        left: the same among the workloads that were left when it was asked for last.
    """

    running: tuple[Workload, ...]
    ranked: tuple[_Ranked, ...]
    borrowing: tuple[_Ranked, ...]
    left: _Listed | None = None

    def among(self, running: tuple[Workload, ...]) -> _Listed | None:
        """The candidates among other workloads of the ClusterQueue; None where one was not looked at."""
        for known in (self, self.left):
            if known is not None and running is known.running:
                return known
        left = set(map(id, running))
        if not left.issubset(map(id, self.running)):
            return None
        ranked, borrowing = (
            tuple(each for each in listed if id(each[1].workload) in left)
            for listed in (self.ranked, self.borrowing)
        )
        self.left = _Listed(running, ranked, borrowing)
        return self.left


class Listings:
    """The candidates of one ClusterQueue, judged once for all preemptors that no rule distinguishes.

    What runs in a ClusterQueue is looked at once, whatever flavor-resources are needed and however much of
    them, also where some workloads have left since.
    """

    def __init__(self) -> None:
        self._known: Remembered[_Listed] = Remembered(MOST_RANKED)

    def among(self, question: Question, offers: Iterable[Offer], age: int) -> tuple[Candidate, ...]:
        """As `tenure.oracle.candidates.candidates_among`.

        Args:
            question: the search.
            offers: the queues.
            age: how the preemptor's age compares with those of its own ClusterQueue; see `Searches.age`.
        """
        lists = self._lists(question, offers, age)
        return _in_order(each for _, listed in lists for each in _using_needed(question, listed.ranked))

    def with_a_turn(self, question: Question, offers: Iterable[Offer], age: int) -> tuple[Candidate, ...]:
        """As `among`, without those that classical preemption passes over in any case.

        Usage only falls while candidates leave. So who has its turn after workloads of its ClusterQueue that
        bring this within its quota is passed over (KQ-380): they have left, or were passed over themselves
        because a cohort above is within its quota, and still is.

        Args:
            question, offers, age: as of `among`; of classical preemption in a tree without heroes.
        """
        found: dict[tuple[object, ...], Candidate] = {}
        for offer, listed in self._lists(question, offers, age):
            if offer.group == OWN:
                found.update(_using_needed(question, listed.ranked))
                continue
            found.update(_until_within(question, offer.place, listed.ranked))
            if 0 < len(listed.borrowing) < len(listed.ranked):
                found.update(_until_within(question, offer.place, listed.borrowing))
        return _in_order(found.items())

    def _lists(
        self, question: Question, offers: Iterable[Offer], age: int
    ) -> Iterator[tuple[Offer, _Listed]]:
        """The candidates of each ClusterQueue, whatever flavor-resources they use."""
        terms, priority = question.terms, question.preemptor.priority
        own = terms, priority, age, question.now
        # Towards other ClusterQueues the preemptor's name and age decide nothing.
        elsewhere = replace(terms, cluster_queue=""), priority, question.now
        for offer in offers:
            yield offer, self._of(question, offer, own if offer.group == OWN else elsewhere)

    def _of(self, question: Question, offer: Offer, decides: Hashable) -> _Listed:
        running = question.snapshot.running.get(offer.place, ())
        key = offer, decides
        known = self._known.get(key)
        found = None if known is None else known.among(running)
        if found is None:
            every = replace(question, needed=frozenset(at for workload in running for at in workload.usage))
            candidates = offered(every, offer)
            keyed = ((sort_key(question, each.workload, offer.group), each) for each in candidates)
            ranked = tuple(sorted(keyed, key=itemgetter(0)))
            borrowing = tuple(
                each for each in ranked if stands_in_attempt(False, True, each[1].evidence.basis, True)
            )
            found = _Listed(running, ranked, borrowing)
            self._known.keep(key, found, 1 + len(running))
        return found


def _in_order(ranked: Iterable[_Ranked]) -> tuple[Candidate, ...]:
    return tuple(candidate for _, candidate in sorted(ranked, key=itemgetter(0)))


def _using_needed(question: Question, ranked: Iterable[_Ranked]) -> Iterator[_Ranked]:
    return (each for each in ranked if uses_any(each[1].workload, question.needed))


def _until_within(question: Question, place: int, ranked: Iterable[_Ranked]) -> Iterator[_Ranked]:
    """The candidates of a ClusterQueue up to the one that brings it within its quota."""
    quotas, used = question.needed_at(place), question.snapshot.usage[place]
    left = {at: used.get(at, 0) for at in question.needed}
    for each in _using_needed(question, ranked):
        if not exceeds_any(left, quotas):
            return
        yield each
        usage = each[1].workload.usage
        left.update((at, minus(amount, usage.get(at, 0))) for at, amount in left.items())


class Searches:
    """Searches for targets within one call, each made once for all workloads that no rule distinguishes.

    The call is about one cluster at one instant: every question about a ClusterQueue has the same snapshot.

    Args:
        keep_all: whether it is needed which candidates had a turn, and who they are where no target is found.
        listings: the candidates that searches of other snapshots of this cluster have listed.

    >>> from tenure.model import Cluster, ClusterQueue
    >>> from tenure.oracle.decide import decide
    >>> from tenure.readings import preset
    >>> workload = Workload("ns", "w", "u", priority=0, created_at=0)
    >>> arguments = Cluster({"q": ClusterQueue("q")}), workload, "q", 0
    >>> decide(*arguments, preset("guaranteed"), search=Searches()).outcome.value
    'Fit'
    """

    def __init__(self, *, keep_all: bool = True, listings: Listings | None = None) -> None:
        self.listings = listings or Listings()
        self._known: Remembered[Selection] = Remembered()
        self._instants: dict[str, list[Instant]] = {}
        self._keeps_all = keep_all
        self.looked_at = 0

    def __call__(self, question: Question) -> Selection:
        """As `tenure.oracle.search.find_targets`."""
        if question.snapshot.queue.preemption_config is not None:
            self.looked_at += sum(map(len, question.snapshot.running.values()))
            return find_targets(question)  # its rules tell workloads apart that nothing else does
        key = (
            question.terms.cluster_queue,
            question.preemptor.priority,
            self.age(question.preemptor, question.terms, question.snapshot, question.now),
            question.needed,
            tuple(question.request.items()),
        )
        found = self._known.get(key)
        if found is None:
            found = self._find(question)
            self._known.keep(key, found, 1 + len(found.candidates))
        return found

    def _find(self, question: Question) -> Selection:
        if not self._keeps_all and finds_no_target(question):
            return Selection((), (), (), (), question.snapshot.usage, ())
        self.looked_at += sum(map(len, question.snapshot.running.values()))
        age = self.age(question.preemptor, question.terms, question.snapshot, question.now)
        if self._keeps_all or not _is_classical(question):
            return find_targets(replace(question, listing=partial(self.listings.among, age=age)))
        listed: list[Offer] = []

        def with_a_turn(asked: Question, offers: Iterable[Offer]) -> tuple[Candidate, ...]:
            listed.extend(offers)
            return self.listings.with_a_turn(asked, listed, age)

        found = find_targets(replace(question, listing=with_a_turn))
        if found.kept or not listed:
            return found
        # How many candidates there are is part of why a search finds no target.
        return replace(found, candidates=self.listings.among(question, listed, age))

    def age(self, mine: Workload, terms: PreemptionTerms, snapshot: Snapshot, now: Instant) -> int:
        """How many instants that the age of a preemptor is compared with are not later than its own.

        Only equals of the same ClusterQueue are compared by age (KQ-040, TBP-040), and only under one policy.

        Args:
            mine: the preemptor.
            terms: what holds for it.
            snapshot: the tree around its ClusterQueue.
            now: the clock, ns since the epoch.
        """
        if terms.within_cluster_queue != WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY:
            return 0
        by_reservation = (
            duration_in_force(terms) is not None and terms.newer_than == NewerThan.RESERVED_AFTER_CREATED
        )
        instants = self._instants.get(terms.cluster_queue)
        if instants is None:
            running = snapshot.running.get(snapshot.place, ())
            instants = self._instants[terms.cluster_queue] = sorted(
                quota_reservation_time(workload, now)
                if by_reservation
                else requeue_timestamp(workload, terms)
                for workload in running
            )
        return bisect_right(instants, mine.created_at if by_reservation else requeue_timestamp(mine, terms))


def _is_classical(question: Question) -> bool:
    """Whether a search is one of classical preemption, in a tree whose quotas no hero changes."""
    return not (question.terms.hero or question.terms.fair_sharing) and question.snapshot.heroes is None


def what_decides(preemptor: Workload, queue_name: str, age: int) -> Hashable:
    """What is the same for all pending workloads of a batch that no rule distinguishes.

    Args:
        preemptor: with its effective priority.
        queue_name: its ClusterQueue.
        age: see `Searches.age`.
    """
    return queue_name, preemptor.priority, age, tuple(map(_pods, preemptor.pod_sets))


def _pods(pods: PodSet) -> Hashable:
    maps = (pods.requests, pods.node_selector, pods.settled)
    counts = pods.name, pods.count, pods.min_count, pods.full_count
    constraints = pods.node_affinity, pods.tolerations, pods.topology
    return *counts, *constraints, *(frozenset(found.items()) for found in maps)
