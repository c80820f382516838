"""The least priority by which a ClusterQueue's new workloads could preempt a running one, at one instant."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from tenure.explanation.risk.policy import Prospect, asking
from tenure.explanation.risk.ranges import Budget
from tenure.explanation.risk.sizes import smaller_request, try_every, try_likeliest
from tenure.model import (
    BorrowWithinCohort,
    Instant,
    ReclaimWithinCohort,
    Target,
    WithinClusterQueue,
    Workload,
)
from tenure.oracle.decide import Decision
from tenure.readings import Reading

_NO_SIZE = "whatever the size, others are preempted first, or too little quota is freed"

MOST_FOR_LIKELIEST = 80_000
"""So many running workloads the searches for one answer look at, at most, for the likeliest sizes."""

MOST_PRIORITIES = 8
"""So many priorities are tried at most, from the least that nothing refuses upwards."""


@dataclass(frozen=True, slots=True)
class Least:
    """What one ClusterQueue's new workloads could do at an instant.

    Args:
        priority: the least with which a workload of some size preempts; None where none was found.
        decision: about such a workload, by the reference; None where none was found.
        target: the running workload, as that decision preempts it.
        refusal: what refuses workloads of every priority; empty where nothing does.
        open_from: the least priority of which not every size could be tried, so that it is not known
            whether one preempts; None where none of lower priority than `priority` does, of any size.
        unknown: what is not modelled, so that nothing is known; empty otherwise.
        most: the highest priority by which a PreemptionConfig allows it; None where there is none.
    """

    priority: int | None = None
    decision: Decision | None = None
    target: Target | None = None
    refusal: str = ""
    open_from: int | None = None
    unknown: str = ""
    most: int | None = None


def found_by(decision: Decision, priority: int, victim: str) -> Least:
    """What a decision shows that preempts the running workload of that name."""
    target = next(target for target in decision.targets if target.workload.key == victim)
    return Least(priority, decision, target)


@dataclass(slots=True)
class Spending:
    """What the searches for one answer may spend.

    Args:
        likeliest: on the likeliest sizes.
        every: on all sizes.
        smaller: on smaller requests than the first one found.
    """

    likeliest: Budget = field(default_factory=lambda: Budget(MOST_FOR_LIKELIEST))
    every: Budget = field(default_factory=Budget)
    smaller: Budget = field(default_factory=lambda: Budget(MOST_FOR_LIKELIEST))


def least_priority(prospect: Prospect, created_at: Instant, reading: Reading, spending: Spending) -> Least:
    """The least priority by which workloads of any size preempt a running one at an instant.

    The workload that shows it requests only what is short, and no more than it must.

    Args:
        prospect: the running workload, seen from a ClusterQueue of its tree.
        created_at: when the made-up workloads were created, ns.
        reading: see `tenure.readings`.
        spending: what searches may spend.
    """
    found = _least_priority(prospect, created_at, reading, spending)
    if found.decision is None or found.priority is None:
        return found
    smaller = smaller_request(prospect, found.decision, reading, spending.smaller)
    return replace(found_by(smaller, found.priority, prospect.victim.key), open_from=found.open_from)


def _least_priority(prospect: Prospect, created_at: Instant, reading: Reading, spending: Spending) -> Least:
    allowed = prospect.least_allowed(created_at)
    if allowed is None:
        return Least(refusal=prospect.refusal() or _no_basis(prospect))
    last = _Last(prospect)
    regions = [asking(prospect.now, priority, created_at) for priority in _regions(prospect, allowed)]
    regions = [preemptor for preemptor in regions if not last.refusal(preemptor)]
    asked, skipped = regions[:MOST_PRIORITIES], regions[MOST_PRIORITIES:]
    named = _first_named(prospect, asked, reading, spending.likeliest)
    found = named.priority
    below = [preemptor for preemptor in asked if found is None or preemptor.priority < found]
    least = _first_of_every(prospect, below, reading, spending.every)
    if least.priority is not None:
        return least
    open_from = least.open_from
    if open_from is None and found is None and skipped:
        open_from = skipped[0].priority
    if found is None and open_from is None:
        return Least(refusal=last.refusal(asking(prospect.now, allowed, created_at)) or _NO_SIZE)
    return replace(named, open_from=open_from)


def _first_named(prospect: Prospect, asked: list[Workload], reading: Reading, budget: Budget) -> Least:
    """The least priority of which one of the likeliest sizes preempts."""
    for preemptor in asked:
        decision = try_likeliest(prospect, preemptor, reading, budget)
        if decision is not None:
            return found_by(decision, preemptor.priority, prospect.victim.key)
    return Least()


def _first_of_every(prospect: Prospect, asked: list[Workload], reading: Reading, budget: Budget) -> Least:
    """The least priority of which any size preempts, or from which on that is not known."""
    with budget.part() as within:
        for preemptor in asked:
            tried = try_every(prospect, preemptor, reading, within)
            if tried.decision is not None:
                return found_by(tried.decision, preemptor.priority, prospect.victim.key)
            if not tried.complete:
                return Least(open_from=preemptor.priority)
    return Least()


def _no_basis(prospect: Prospect) -> str:
    name = prospect.victim.cluster_queue
    if prospect.is_own:
        return "no rule allows it, of any priority"
    return f"any request would borrow, and may not preempt workloads of {name} for that"


class _Last:
    """Why it is never the running workload's turn; computed once for all priorities that give one answer.

    Args:
        prospect: the running workload, seen from a ClusterQueue of its tree.
    """

    def __init__(self, prospect: Prospect) -> None:
        self._prospect = prospect
        self._known: dict[int, str] = {}

    def refusal(self, preemptor: Workload) -> str:
        """As `Prospect.goes_last`, which asks in its own ClusterQueue only whether they are equals."""
        compared = int(self._prospect.is_own and preemptor.priority == self._prospect.victim.priority)
        if compared not in self._known:
            self._known[compared] = self._prospect.goes_last(preemptor)
        return self._known[compared]


def _regions(prospect: Prospect, allowed: int) -> list[int]:
    """The priorities to try, from the least allowed one upwards.

    Between two of them candidates are the same: a rule that compares a preemptor with one of priority x
    distinguishes below it, equal to it and above it. Policies that compare no priorities need no regions:
    withinClusterQueue Never for its own workloads; for those of other ClusterQueues reclaimWithinCohort Any
    with borrowWithinCohort Never (KQ-330, KQ-340), without heroes (UCQ-020).
    """
    terms, heroes = prospect.terms, prospect.snapshot.heroes is not None
    own = heroes or terms.within_cluster_queue != WithinClusterQueue.NEVER
    others = (
        heroes
        or terms.reclaim_within_cohort == ReclaimWithinCohort.LOWER_PRIORITY
        or terms.borrow_within_cohort != BorrowWithinCohort.NEVER
    )
    seen = {
        workload.priority + more
        for place, workloads in prospect.snapshot.running.items()
        if (own if place == prospect.snapshot.place else others)
        for workload in workloads
        for more in (0, 1)
    }
    return [allowed, *sorted(priority for priority in seen if priority > allowed)]
