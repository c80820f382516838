"""The size that a made-up workload needs to preempt a running one: what comes out, the reference has decided.

First the likeliest sizes are tried, then `tenure.explanation.risk.ranges` goes through all of them. The
likeliest are found as follows. For one flavor-resource the requests fall into ranges in which candidates,
their order and the attempts are the same, since all of these compare the request with quota that is left at a
node. In a range a larger request removes what a smaller one removes, and more. So a search is made for the
largest request of each range; where the victim is among those removed, the request that just fits once it
has been removed cannot do without it. Others are requested only as far as they make a node count as one that
uses more than its quota.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations

from tenure.errors import InputError
from tenure.explanation.risk.policy import Prospect
from tenure.explanation.risk.ranges import Budget, sizes_that_preempt
from tenure.model import UNLIMITED, Amount, FlavorResource, PodSet, Toleration, Workload
from tenure.oracle.assignment import PODS
from tenure.oracle.decide import Decision, decide
from tenure.oracle.question import Attempt, Question
from tenure.oracle.reach import free_at, most_at
from tenure.oracle.search import find_targets
from tenure.oracle.tree import Usage, quota_at
from tenure.readings import Reading

_SEARCHES = 2
"""So many searches a decision about one flavor-resource makes: for the flavor, and for the whole request."""

MOST_BESIDE = 2
"""So many flavor-resources at most are requested beside the one whose size is searched."""


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of the sizes that a made-up workload may have.

    Args:
        decision: the reference's, about one that preempts the victim; None where none was found.
        complete: whether there is none of any other size where none was found.
    """

    decision: Decision | None
    complete: bool


def try_likeliest(
    prospect: Prospect, preemptor: Workload, reading: Reading, budget: Budget
) -> Decision | None:
    """A decision about one of the likeliest sizes that preempts the victim; None where none does.

    Args:
        prospect: the victim, and the ClusterQueue of the made-up workload.
        preemptor: the made-up workload, without pod sets.
        reading: see `tenure.readings`.
        budget: what may be spent.
    """
    tried: set[tuple[tuple[FlavorResource, Amount], ...]] = set()
    for request in _requests(prospect, preemptor, budget):
        key = tuple(sorted(request.items()))
        if key not in tried:
            tried.add(key)
            if not budget.spend(prospect, _SEARCHES):
                return None
            decision = _decided(prospect, preemptor, request, reading)
            if decision is not None:
                return decision
    return None


def try_every(prospect: Prospect, preemptor: Workload, reading: Reading, budget: Budget) -> Tried:
    """What comes of every size; arguments as for `try_likeliest`."""
    complete = True
    for request in sizes_that_preempt(prospect, preemptor, budget):
        decision = None if request is None else _decided(prospect, preemptor, request, reading)
        if decision is not None:
            return Tried(decision, complete=True)
        complete = False  # or labels distinguish no flavor, and no workload has this size
    return Tried(None, complete)


def smaller_request(prospect: Prospect, found: Decision, reading: Reading, budget: Budget) -> Decision:
    """A decision that preempts the victim for a request of fewer resources, and of less of each.

    One unit less of a resource does not preempt it, as far as the budget goes.

    Args:
        prospect: the victim, and the ClusterQueue of the made-up workload.
        found: a decision that preempts it.
        reading: see `tenure.readings`.
        budget: what may be spent.
    """
    request = dict(found.assignment.usage)

    def preempts(changed: Mapping[FlavorResource, Amount]) -> bool:
        nonlocal found, request
        if not changed or not budget.spend(prospect, _SEARCHES):
            return False
        decision = _decided(prospect, found.preemptor, changed, reading)
        if decision is not None:
            found, request = decision, dict(changed)
        return decision is not None

    for at in sorted(request, key=lambda at: _shortness(prospect, at), reverse=True):
        if not preempts({other: amount for other, amount in request.items() if other != at}):
            low, high = 0, request[at]
            if low < prospect.first(at) - 1 < high - 1 and not preempts(
                {**request, at: prospect.first(at) - 1}
            ):
                low = prospect.first(at) - 1
            while (high := request[at]) - low > 1:
                middle = low + (high - low) // 2
                if not preempts({**request, at: middle}):
                    low = middle
    return found


def _shortness(prospect: Prospect, at: FlavorResource) -> Fraction:
    """How much of what there could ever be is free: little of what is short."""
    return Fraction(prospect.first(at), max(1, most_at(prospect.snapshot, at)))


def pod_sets_for(prospect: Prospect, request: Mapping[FlavorResource, Amount]) -> tuple[PodSet, ...]:
    """One pod for each flavor of a request, which may use that flavor and, as far as labels decide, no other.

    Args:
        prospect: the ClusterQueue, and its cluster.
        request: how much of each flavor-resource; of `pods` the number of pods.
    """
    by_flavor: dict[str, dict[str, Amount]] = {}
    for at, amount in sorted(request.items()):
        by_flavor.setdefault(at.flavor, {})[at.resource] = amount
    return tuple(_pod_set(prospect, flavor, amounts) for flavor, amounts in by_flavor.items())


def _pod_set(prospect: Prospect, flavor: str, amounts: Mapping[str, Amount]) -> PodSet:
    described = prospect.snapshot.cluster.flavors.get(flavor)
    requests = {resource: amount for resource, amount in amounts.items() if resource != PODS}
    return PodSet(
        name=flavor,
        count=amounts.get(PODS, 1),
        requests=requests,
        node_selector={} if described is None else dict(described.labels),
        tolerations=()
        if described is None
        else tuple(Toleration(taint.key, False, taint.value, taint.effect) for taint in described.taints),
    )


def _decided(
    prospect: Prospect, preemptor: Workload, request: Mapping[FlavorResource, Amount], reading: Reading
) -> Decision | None:
    """The reference's decision about a request, if it preempts the victim."""
    snapshot = prospect.snapshot
    made = replace(preemptor, pod_sets=pod_sets_for(prospect, request))
    try:
        decision = decide(
            snapshot.cluster, made, snapshot.queue.name, prospect.now, reading, snapshot=snapshot
        )
    except InputError:  # sums without bound, which no decision is about
        return None
    preempted = any(target.workload.key == prospect.victim.key for target in decision.targets)
    return decision if preempted else None


def _requests(
    prospect: Prospect, preemptor: Workload, budget: Budget
) -> Iterator[dict[FlavorResource, Amount]]:
    """The requests that are worth deciding about, the likeliest first."""
    for at in sorted(prospect.held, key=lambda at: _shortness(prospect, at)):
        for beside in _beside(prospect, at):
            others = {other: prospect.first(other) for other in beside}
            for amount in _amounts(prospect, preemptor, at, others, budget):
                yield {**others, at: amount}


def _beside(prospect: Prospect, at: FlavorResource) -> Iterator[tuple[FlavorResource, ...]]:
    """What to request besides, so that every node on the victim's way exceeds its quota of one of them.

    A workload of the victim's ClusterQueue, a hero, and a PreemptionConfig need nothing of the kind.
    """
    if prospect.is_own or prospect.terms.hero or prospect.snapshot.queue.preemption_config is not None:
        yield ()
    if prospect.is_own or prospect.terms.hero:
        return
    nodes = prospect.between()[: 1 if prospect.terms.fair_sharing else None]
    exceeding = [set(prospect.exceeding(index)) for index in nodes]
    rest = [other for other in prospect.short if other != at]
    for count in range(min(MOST_BESIDE, len(rest)) + 1):
        for beside in combinations(rest, count):
            if all(found & {at, *beside} for found in exceeding):
                yield beside


def _amounts(
    prospect: Prospect,
    preemptor: Workload,
    at: FlavorResource,
    others: Mapping[FlavorResource, Amount],
    budget: Budget,
) -> Iterator[Amount]:
    """How much to request of one flavor-resource beside the others."""
    ends = _range_ends(prospect, at)
    for end in ends:
        request = {other: amount for other, amount in {**others, at: end}.items() if other.resource != PODS}
        question = Question(
            prospect.snapshot, preemptor, frozenset({at, *others}), request, prospect.terms, prospect.now
        )
        if not budget.spend(prospect):
            return
        for attempt in find_targets(question).attempts:
            yield from _just_enough(prospect, question, attempt, at, end)
    yield from ends


def _just_enough(
    prospect: Prospect, question: Question, attempt: Attempt, at: FlavorResource, end: Amount
) -> Iterator[Amount]:
    """The requests that just fit once the victim has been removed, and once all have been that were."""
    removed = attempt.removed
    victim = next(
        (step for step, candidate in enumerate(removed) if candidate.workload.key == prospect.victim.key),
        None,
    )
    if victim is None:
        return
    usage = question.snapshot.usage
    for step, candidate in enumerate(removed):
        usage = question.without(usage, candidate)
        if step in (victim, len(removed) - 1):
            yield from _within(_room(prospect, usage, at), prospect.first(at), end)
    yield end


def _room(prospect: Prospect, usage: Usage, at: FlavorResource) -> tuple[Amount, Amount]:
    """What there is for the ClusterQueue, and what of that leaves it within its nominal quota."""
    free, snapshot = free_at(prospect.snapshot, usage, at), prospect.snapshot
    left = quota_at(snapshot.tree, snapshot.place, at).nominal - usage[snapshot.place].get(at, 0)
    return free, min(free, left)


def _range_ends(prospect: Prospect, at: FlavorResource) -> tuple[Amount, ...]:
    """The largest request of each range, the largest first, and the smallest that is short at all."""
    first, most = prospect.first(at), min(most_at(prospect.snapshot, at), UNLIMITED - 1)
    nominal = quota_at(prospect.snapshot.tree, prospect.snapshot.place, at).nominal
    ends = {first, most, nominal, *prospect.fitting(at)}
    return tuple(sorted((end for end in ends if first <= end <= most), reverse=True))


def _within(amounts: Iterable[Amount], least: Amount, most: Amount) -> Iterator[Amount]:
    return (amount for amount in amounts if least <= amount <= most and amount < UNLIMITED)
