"""Small states that two configurations decide otherwise, those of the fewest running workloads first."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice, product
from typing import TypeAlias

from tenure.conformance.requests import DecideRequest
from tenure.minimising import Minimiser
from tenure.model import (
    MINUTE,
    Amount,
    Duration,
    FlavorResource,
    PodSet,
    WithinClusterQueue,
    Workload,
)
from tenure.oracle.assignment import PODS
from tenure.oracle.tree import Tree, potential_at, quota_at
from tenure_check.analysis.admissions import free_at, in_use_with, nothing_in_use
from tenure_check.analysis.states import LARGEST, NAMESPACE, NOW, PriorityLevel, States
from tenure_check.analysis.two_configurations import DecisionPair, TwoConfigurations

MOST_OF_A_PAIR = 150
"""Small states that are decided of one pair, with one running workload and with two."""
MOST_MADE = 2_000
"""States of a pair that are made for that; most fit without preemption, or are no states of the scope."""
MOST_STATES = 3_000
"""Small states that are decided in all."""
MOST_PLACES = 2
"""Flavors and resources of a pair that its states hold, each alone."""
MOST_QUEUES = 3
"""ClusterQueues of which pairs are looked at where no cell has changed."""
RANDOM_STATES = 100
"""Random states for each of these ClusterQueues, where no small one is decided otherwise."""

IsShown: TypeAlias = Callable[[DecisionPair], bool]
Cut: TypeAlias = Callable[[DecideRequest], DecideRequest]


@dataclass(frozen=True, slots=True)
class PairQuery:
    """Where a workload waits and where one runs, and their priorities on one side."""

    preemptor: str
    high: PriorityLevel
    victim: str
    low: PriorityLevel


class SmallStates:
    """Searches states of few workloads, each of which holds one flavor and resource.

    Args:
        both: the two configurations.
    """

    def __init__(self, both: TwoConfigurations) -> None:
        self._both = both
        self._ages = _ages(both)
        self._left = MOST_STATES

    def shown(self, pair: PairQuery, home: int, is_shown: IsShown) -> DecisionPair | None:
        """The first state in which a pair shows what is looked for, with one running workload or with two.

        Args:
            pair: the pair; priorities are those of the side.
            home: the side on which the victim is preempted.
            is_shown: whether a state shows it.
        """
        for count in (1, 2):
            short = partial(self._is_short, pair, home)
            made = islice(self._states(pair, home, count), MOST_MADE)
            for request in islice(filter(short, made), min(MOST_OF_A_PAIR, self._left)):
                self._left -= 1
                twice = self._both.decided_on_both(request, home)
                if is_shown(twice):
                    return twice
        return None

    def otherwise(self, pairs: Sequence[PairQuery], home: int) -> DecisionPair | None:
        """The first state of some pairs that is decided otherwise, with as few running workloads as can be.

        Args:
            pairs: the pairs; priorities are those of the side.
            home: the side that states are made of.
        """
        for count in (0, 1, 2):
            for pair in pairs:
                made = self._states(pair, home, count)
                for request in islice(made, min(MOST_OF_A_PAIR, self._left)):
                    self._left -= 1
                    twice = self._both.decided_on_both(request, home)
                    if twice.is_otherwise:
                        return twice
        return None

    def random_otherwise(self, queues: Sequence[str], home: int, dice: random.Random) -> DecisionPair | None:
        """A random state that is decided otherwise, without what it does not need.

        Args:
            queues: in which a workload waits.
            home: the side that states are made of.
            dice: draw the states.
        """
        side, trees = self._both.sides[home], self._both.trees[home]
        for queue in queues:
            states = States(side.cluster, trees[queue], side.reading, side.levels, self._both.scope)
            for _ in range(RANDOM_STATES):
                twice = self._both.decided_on_both(states.drawn(dice, queue), home)
                if twice.is_otherwise:
                    return self.shrunk(twice, home, lambda fewer: fewer.is_otherwise)
        return None

    def shrunk(self, twice: DecisionPair, home: int, is_shown: IsShown) -> DecisionPair:
        """A state without what it does not need: workloads, resources, ages, amounts that decide nothing.

        Args:
            twice: the state, which shows what is looked for.
            home: the side that it is of.
            is_shown: whether a state shows it.
        """
        search = Minimiser(twice, is_shown)
        amounts = self._amounts_of_all(twice.requests[home], home)
        for cut in _cuts(twice.requests[home], amounts):
            request = cut(search.best.requests[home])
            if request != search.best.requests[home]:
                search.tries(self._both.decided_on_both(request, home))
        return search.best

    # -- states -------------------------------------------------------------------------------------------

    def _states(self, pair: PairQuery, home: int, count: int) -> Iterator[DecideRequest]:
        """All that hold and ask for amounts that may decide, the smallest first."""
        places = self._places(pair, home)
        amounts = [self._amounts(pair, at) for at in places]
        longest = max(map(len, amounts), default=0)
        for sizes in sorted(product(range(longest), repeat=count + 1), key=sum):
            for at, known in zip(places, amounts, strict=True):
                if max(sizes) < len(known):
                    chosen = [known[size] for size in sizes]
                    yield from self._of_sizes(pair, home, at, chosen)

    def _of_sizes(
        self, pair: PairQuery, home: int, at: FlavorResource, sizes: Sequence[Amount]
    ) -> Iterator[DecideRequest]:
        victims = [(pair.victim, pair.low, age) for age in self._ages]
        others = [
            (queue, level, age)
            for queue in dict.fromkeys((pair.preemptor, pair.victim))
            for level in dict.fromkeys((pair.low, pair.high))
            for age in self._ages
        ]
        asked, *held = sizes
        for kinds in product(*(victims, others)[: len(held)]):
            running = tuple(
                _running(number, *kind, {at: size})
                for number, (kind, size) in enumerate(zip(kinds, held, strict=True))
            )
            if self._is_admitted(running, pair, home, at):
                for created in self._created(pair):
                    yield self._state(pair, home, running, _waiting(pair.high, created, {at.resource: asked}))

    def _state(
        self, pair: PairQuery, home: int, running: tuple[Workload, ...], waiting: Workload
    ) -> DecideRequest:
        side = self._both.sides[home]
        cluster = replace(side.cluster, admitted=running)
        return DecideRequest(
            cluster, waiting, pair.preemptor, NOW, side.reading, assignment=None, explained=False
        )

    def _is_admitted(
        self, running: Sequence[Workload], pair: PairQuery, home: int, at: FlavorResource
    ) -> bool:
        """Whether all that run are admitted one after the other."""
        tree = self._both.trees[home][pair.preemptor]
        usage = nothing_in_use(tree, self._both.sides[home].reading)
        for workload in running:
            place = tree.places.get(workload.cluster_queue or "")
            if place is None or free_at(tree, usage, place, at) < workload.usage[at]:
                return False
            usage = in_use_with(tree, usage, place, workload.usage)
        return True

    def _is_short(self, pair: PairQuery, home: int, request: DecideRequest) -> bool:
        """Whether quota is short of what is asked for, in the one flavor that is used."""
        tree = self._both.trees[home][pair.preemptor]
        usage = nothing_in_use(tree, self._both.sides[home].reading)
        for workload in request.cluster.admitted:
            usage = in_use_with(tree, usage, tree.places[workload.cluster_queue or ""], workload.usage)
        at = next(iter(request.cluster.admitted[0].usage))
        asked = request.preemptor.pod_sets[0].requests[at.resource]
        return free_at(tree, usage, tree.places[pair.preemptor], at) < asked

    # -- amounts ------------------------------------------------------------------------------------------

    def _places(self, pair: PairQuery, home: int) -> list[FlavorResource]:
        tree = self._both.trees[home][pair.preemptor]
        known = [at for at in _quotas(tree, pair.preemptor) if at in _quotas(tree, pair.victim)]
        useful = [at for at in known if at.resource != PODS and potential_at(tree, 0, at) > 0]
        return useful[:MOST_PLACES]

    def _amounts(self, pair: PairQuery, at: FlavorResource) -> list[Amount]:
        """Amounts near what decides on either side, the least first."""
        nominal: set[Amount] = set()
        potential: set[Amount] = set()
        for trees in self._both.trees:
            for queue in (pair.preemptor, pair.victim):
                if queue in trees:
                    place = trees[queue].places[queue]
                    nominal.add(quota_at(trees[queue], place, at).nominal)
                    potential.add(potential_at(trees[queue], place, at))
        least = min((amount for amount in (*nominal, *potential) if amount > 0), default=1)
        unit = max(1, least // 4)
        near = {unit, 2 * unit, *nominal, *potential, *(amount + unit for amount in nominal)}
        near |= {amount - unit for amount in potential}
        near |= {amount - most + unit for amount in potential for most in nominal}
        return sorted(amount for amount in near if 0 < amount <= min(LARGEST, max(potential) + unit))

    def _amounts_of_all(self, request: DecideRequest, home: int) -> dict[FlavorResource, list[Amount]]:
        tree = self._both.trees[home][request.queue]
        level = PriorityLevel("", 0)
        queues = {workload.cluster_queue or "" for workload in request.cluster.admitted}
        found: dict[FlavorResource, list[Amount]] = {}
        for at in tree.nodes[0].quotas:
            near = {
                amount
                for queue in queues
                for amount in self._amounts(PairQuery(request.queue, level, queue, level), at)
            }
            found[at] = sorted(near)
        return found

    def _created(self, pair: PairQuery) -> Sequence[int]:
        """After all that run; and before them where the order among equals may matter."""
        queues = [side.cluster.cluster_queues.get(pair.preemptor) for side in self._both.sides]
        newer = any(
            queue is not None
            and queue.within_cluster_queue == WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY
            for queue in queues
        )
        return (NOW, NOW - 2 * max(self._ages)) if newer else (NOW,)


def _ages(both: TwoConfigurations) -> tuple[Duration, ...]:
    """How long workloads have run: a minute, and longer than each minAdmitDuration."""
    lengths = {
        queue.min_admit_duration for side in both.sides for queue in side.cluster.cluster_queues.values()
    }
    return (MINUTE, *sorted(length + MINUTE for length in lengths if length is not None))


def _running(
    number: int, queue: str, level: PriorityLevel, age: Duration, usage: dict[FlavorResource, Amount]
) -> Workload:
    return Workload(
        namespace=NAMESPACE,
        name=f"w{number}",
        uid=str(number),
        priority=level.priority,
        created_at=NOW - age,
        quota_reserved_at=NOW - age,
        cluster_queue=queue,
        usage=usage,
    )


def _waiting(level: PriorityLevel, created: int, asked: dict[str, Amount]) -> Workload:
    return Workload(
        namespace=NAMESPACE,
        name="pending",
        uid="p",
        priority=level.priority,
        created_at=created,
        pod_sets=(PodSet("main", 1, asked),),
    )


def _quotas(tree: Tree, queue: str) -> Sequence[FlavorResource]:
    return list(tree.nodes[tree.places[queue]].quotas) if queue in tree.places else []


# -- cuts -------------------------------------------------------------------------------------------------


def _cuts(request: DecideRequest, amounts: dict[FlavorResource, list[Amount]]) -> Iterator[Cut]:
    """What may be taken from a state; each leaves it as it is where it has nothing to take."""
    running, waiting = request.cluster.admitted, request.preemptor.pod_sets
    held = [(workload.key, at) for workload in running for at in workload.usage]
    asked = [(pods.name, resource) for pods in waiting for resource in pods.requests]
    yield from (partial(_without_workload, workload.key) for workload in running)
    yield from (partial(_with_usage, key, at, 0) for key, at in held)
    yield from (partial(_with_asked, name, resource, 0) for name, resource in asked)
    yield from (partial(_with_plain_age, workload.key) for workload in running)
    for key, at in held:
        yield from (partial(_with_usage, key, at, amount) for amount in amounts.get(at, ()))
    for name, resource in asked:
        near = sorted({amount for at in amounts if at.resource == resource for amount in amounts[at]})
        yield from (partial(_with_asked, name, resource, amount) for amount in near)


def _without_workload(key: str, request: DecideRequest) -> DecideRequest:
    running = tuple(workload for workload in request.cluster.admitted if workload.key != key)
    return replace(request, cluster=replace(request.cluster, admitted=running))


def _with_workload(key: str, change: Callable[[Workload], Workload], request: DecideRequest) -> DecideRequest:
    running = tuple(
        change(workload) if workload.key == key else workload for workload in request.cluster.admitted
    )
    return replace(request, cluster=replace(request.cluster, admitted=running))


def _with_usage(key: str, at: FlavorResource, amount: Amount, request: DecideRequest) -> DecideRequest:
    """With less of something in use by a workload, which uses something else too where that is nothing."""

    def with_less(workload: Workload) -> Workload:
        others = {known: used for known, used in workload.usage.items() if known != at}
        if workload.usage.get(at, 0) <= amount or not (amount or others):
            return workload
        return replace(workload, usage={**others, at: amount} if amount else others)

    return _with_workload(key, with_less, request)


def _with_plain_age(key: str, request: DecideRequest) -> DecideRequest:
    """With quota reserved a minute ago, when it was created."""
    at = NOW - MINUTE
    return _with_workload(key, lambda known: replace(known, created_at=at, quota_reserved_at=at), request)


def _with_asked(name: str, resource: str, amount: Amount, request: DecideRequest) -> DecideRequest:
    """With less of a resource asked for, or nothing of it where something else is asked for."""
    made: list[PodSet] = []
    for pods in request.preemptor.pod_sets:
        asked = pods.requests
        if pods.name == name and asked.get(resource, 0) > amount:
            asked = {known: wanted for known, wanted in asked.items() if known != resource}
            asked = {**asked, resource: amount} if amount else asked
        if asked:
            made.append(replace(pods, requests=asked))
    if not made:
        return request
    return replace(request, preemptor=replace(request.preemptor, pod_sets=tuple(made)))
