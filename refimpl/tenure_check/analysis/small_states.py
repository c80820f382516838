"""Small states that two configurations decide otherwise, those of the fewest running workloads first."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice, product
from typing import Final, TypeAlias

from tenure.conformance.requests import DecideRequest
from tenure.minimising import Minimiser
from tenure.model import (
    MINUTE,
    Amount,
    Cluster,
    Duration,
    FlavorResource,
    PodSet,
    Reason,
    WithinClusterQueue,
    Workload,
)
from tenure.oracle.assignment import PODS
from tenure.oracle.tree import Tree, Usage, potential_at, quota_at
from tenure.readings import Reading
from tenure_check.analysis.admissions import free_at, in_use_with, nothing_in_use
from tenure_check.analysis.selections import selections_of
from tenure_check.analysis.states import (
    LARGEST,
    NAMESPACE,
    NOW,
    CellQuery,
    Example,
    PriorityLevel,
    States,
    hits_of,
    is_replayed,
)
from tenure_check.analysis.two_configurations import AFTER, Configuration, DecisionPair, TwoConfigurations
from tenure_check.choices import Scope

MOST_OF_A_PAIR = 300
"""Small states that are decided of one pair, with one running workload and with two."""
MOST_MADE = 4_000
"""States of a pair that are made for that; most fit without preemption, or are no states of the scope."""
MOST_STATES = 3_000
"""Small states that are decided in all."""
MOST_VICTIMS = 2
"""All that run in them may be victims."""
MOST_PLACES = 2
"""Flavors and resources of a pair that its states hold, each alone."""
MOST_QUEUES = 3
"""ClusterQueues of which pairs are looked at where no cell has changed."""
RANDOM_STATES = 100
"""Random states for each of these ClusterQueues, where no small one is decided otherwise."""

MOST_OTHERS = 6
"""Further ClusterQueues of a tree in which the second of two workloads runs."""
_BYTES: Final = (2**30, 2**20, 2**10, 1)
_UNITS: Final = {"cpu": (1000, 1), "memory": _BYTES, "ephemeral-storage": _BYTES}
"""Units that amounts are counted in, the largest first: whole CPUs, GiB, MiB and KiB."""

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
        self._units: dict[FlavorResource, Amount] = {}
        self._selections = tuple(selections_of(side.cluster) for side in both.sides)

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
        first = twice.requests[home]
        for cut in _cuts(first):
            self._tries(search, home, cut)
        for change, amount, at in _amounts(search.best.requests[home]):
            unit = self._unit(at)
            step = 1 << max(0, amount // unit).bit_length()
            while step := step // 2:
                left = amount - step * unit
                if left > 0 and self._tries(search, home, partial(change, left)):
                    amount, step = left, step * 2
        return search.best

    def _tries(self, search: Minimiser[DecisionPair], home: int, cut: Cut) -> bool:
        request = cut(search.best.requests[home])
        if request == search.best.requests[home]:
            return False
        return bool(search.tries(self._both.decided_on_both(request, home)))

    # -- states -------------------------------------------------------------------------------------------

    def _states(self, pair: PairQuery, home: int, count: int) -> Iterator[DecideRequest]:
        """All that hold and request amounts that may decide, the least first, in units of each resource."""
        made = [
            (sum(amounts) // self._unit(at), at, queues, amounts)
            for at in self._places(pair, home)
            for queues in self._holders(pair, count)
            for amounts in self._sizes(pair, home, at, queues)
        ]
        # Of equal sums the least that is requested comes first: what runs is what an owner sees.
        for _, at, queues, amounts in sorted(made, key=lambda found: (found[0], found[3][-1])):
            yield from self._of_sizes(pair, home, at, queues, amounts)

    def _holders(self, pair: PairQuery, count: int) -> Iterator[tuple[str, ...]]:
        """The ClusterQueues of the workloads that run, the victim's first."""
        if count < 2:
            yield (pair.victim,) * count
            return
        trees = (trees[pair.preemptor] for trees in self._both.trees if pair.preemptor in trees)
        others = sorted({queue for tree in trees for queue in tree.places} - {pair.preemptor, pair.victim})
        for queue in (*dict.fromkeys((pair.preemptor, pair.victim)), *others[:MOST_OTHERS]):
            yield pair.victim, queue

    def _sizes(
        self, pair: PairQuery, home: int, at: FlavorResource, queues: Sequence[str]
    ) -> Iterator[tuple[Amount, ...]]:
        """What is held in each of some ClusterQueues, and what is requested, least."""
        held: list[tuple[Amount, ...]] = [()]
        for place, queue in enumerate(queues):
            held = [
                (*before, amount)
                for before in held
                for amount in self._held(pair, at, queues[:place], before, queue)
                if self._fits(home, pair, at, queues[:place], before, queue, amount)
            ]
        for amounts in held:
            yield from ((*amounts, requested) for requested in self._asked(pair, at, queues, amounts))

    def _of_sizes(
        self,
        pair: PairQuery,
        home: int,
        at: FlavorResource,
        queues: Sequence[str],
        sizes: Sequence[Amount],
    ) -> Iterator[DecideRequest]:
        *held, requested = sizes
        kinds: list[list[tuple[str, PriorityLevel, Duration]]] = []
        for place, queue in enumerate(queues):
            levels = (pair.low,) if place == 0 else self._levels(pair, home)
            kinds.append([(queue, level, age) for level in levels for age in self._ages])
        for chosen in product(*kinds):
            running = tuple(
                _running(number, *kind, {at: size})
                for number, (kind, size) in enumerate(zip(chosen, held, strict=True))
            )
            for created in self._created(pair):
                waiting = _waiting(pair.high, created, {at.resource: requested})
                yield from self._labelled(pair, home, self._state(pair, home, running, waiting))

    def _labelled(self, pair: PairQuery, home: int, request: DecideRequest) -> Iterator[DecideRequest]:
        """The state with labels by which rules of PreemptionConfigs select the victim."""
        known = self._selections[home]
        if known is None:
            yield request
        else:
            sides = pair.preemptor, pair.high.priority, pair.victim, pair.low.priority
            yield from known.selected(request, CellQuery(*sides, Reason.CONFIGURABLE_PREEMPTION))

    def _levels(self, pair: PairQuery, home: int) -> Sequence[PriorityLevel]:
        """Priorities of a second workload that runs: the pair's, and the lowest and the highest."""
        known = sorted(self._both.sides[home].levels, key=lambda level: level.priority)
        alike = {level.priority: level for level in (*known[:1], *known[-1:], pair.high, pair.low)}
        return sorted(alike.values(), key=lambda level: level not in (pair.low, pair.high))

    def _held(
        self,
        pair: PairQuery,
        at: FlavorResource,
        queues: Sequence[str],
        before: Sequence[Amount],
        queue: str,
    ) -> list[Amount]:
        """The least amounts of one ClusterQueue at which a limit is reached on either side, beside others."""
        unit, found = self._unit(at), {self._unit(at)}
        for trees in self._both.trees:
            tree = trees.get(pair.preemptor)
            if tree is None or queue not in tree.places:
                continue
            usage = self._usage(tree, at, queues, before)
            place, waits = tree.places[queue], tree.places[pair.preemptor]
            for node in tree.nodes[place].path:
                used = usage[node].get(at, 0)
                quota = tree.nodes[node].quotas.get(at)
                found |= set() if quota is None else {quota.subtree - used, quota.nominal - used}
                found |= set() if quota is None else {quota.local - used}
            most = free_at(tree, usage, place, at)
            own = quota_at(tree, waits, at).nominal - usage[waits].get(at, 0)
            for left in {0, own, own - unit, potential_at(tree, waits, at) - unit}:
                found.add(self._filling(tree, at, usage, (place, waits), most, left))
            found.add(most)
        near = {amount + more for amount in found for more in (0, unit)}
        return sorted(amount for amount in near if 0 < amount <= LARGEST)

    def _filling(
        self,
        tree: Tree,
        at: FlavorResource,
        usage: Usage,
        places: tuple[int, int],
        most: Amount,
        left: Amount,
    ) -> Amount:
        """The least that one node holds so that no more than something is left for another; 0 where none."""
        place, waits = places
        unit = self._unit(at)
        low, high = 0, most // unit
        while low < high:
            middle = (low + high) // 2
            with_it = in_use_with(tree, usage, place, {at: middle * unit})
            if free_at(tree, with_it, waits, at) <= left:
                high = middle
            else:
                low = middle + 1
        return low * unit

    def _asked(
        self, pair: PairQuery, at: FlavorResource, queues: Sequence[str], held: Sequence[Amount]
    ) -> list[Amount]:
        """The least amounts that no longer fit, borrow, or exceed what there is, on either side."""
        unit, found = self._unit(at), {0}
        for trees in self._both.trees:
            tree = trees.get(pair.preemptor)
            if tree is None:
                continue
            usage, place = self._usage(tree, at, queues, held), tree.places[pair.preemptor]
            own = usage[place].get(at, 0)
            quota = quota_at(tree, place, at)
            found |= {free_at(tree, usage, place, at), quota.nominal - own, quota.subtree - own, quota.local}
            found |= {potential_at(tree, place, at), potential_at(tree, place, at) - own, quota.nominal}
        near = {amount + more for amount in found for more in (0, unit)}
        return sorted(amount for amount in near if 0 < amount <= LARGEST)

    def _usage(self, tree: Tree, at: FlavorResource, queues: Sequence[str], held: Sequence[Amount]) -> Usage:
        usage = nothing_in_use(tree, self._both.sides[AFTER].reading)
        for queue, amount in zip(queues, held, strict=True):
            if queue in tree.places:
                usage = in_use_with(tree, usage, tree.places[queue], {at: amount})
        return usage

    def _fits(
        self,
        home: int,
        pair: PairQuery,
        at: FlavorResource,
        queues: Sequence[str],
        before: Sequence[Amount],
        queue: str,
        amount: Amount,
    ) -> bool:
        """Whether a ClusterQueue is admitted with an amount beside others."""
        tree = self._both.trees[home][pair.preemptor]
        place = tree.places.get(queue)
        return place is not None and free_at(tree, self._usage(tree, at, queues, before), place, at) >= amount

    def _unit(self, at: FlavorResource) -> Amount:
        """The unit that amounts are counted in: the largest usual one that divides every quota."""
        if at not in self._units:
            quotas = {
                amount
                for trees in self._both.trees
                for tree in trees.values()
                for node in tree.nodes
                if at in node.quotas
                for amount in (
                    node.quotas[at].nominal,
                    node.quotas[at].local,
                    node.quotas[at].borrowing_limit,
                )
                if amount
            }
            self._units[at] = next(
                unit for unit in _UNITS.get(at.resource, (1,)) if all(amount % unit == 0 for amount in quotas)
            )
        return self._units[at]

    def _state(
        self, pair: PairQuery, home: int, running: tuple[Workload, ...], waiting: Workload
    ) -> DecideRequest:
        side = self._both.sides[home]
        cluster = replace(side.cluster, admitted=running)
        return DecideRequest(
            cluster, waiting, pair.preemptor, NOW, side.reading, assignment=None, explained=False
        )

    def _is_short(self, pair: PairQuery, home: int, request: DecideRequest) -> bool:
        """Whether quota is short of what is requested, in the one flavor that is used."""
        tree = self._both.trees[home][pair.preemptor]
        usage = nothing_in_use(tree, self._both.sides[home].reading)
        for workload in request.cluster.admitted:
            usage = in_use_with(tree, usage, tree.places[workload.cluster_queue or ""], workload.usage)
        at = next(iter(request.cluster.admitted[0].usage))
        requested = request.preemptor.pod_sets[0].requests[at.resource]
        return free_at(tree, usage, tree.places[pair.preemptor], at) < requested

    # -- amounts ------------------------------------------------------------------------------------------

    def _places(self, pair: PairQuery, home: int) -> list[FlavorResource]:
        tree = self._both.trees[home][pair.preemptor]
        known = [at for at in _quotas(tree, pair.preemptor) if at in _quotas(tree, pair.victim)]
        useful = [at for at in known if at.resource != PODS and potential_at(tree, 0, at) > 0]
        return useful[:MOST_PLACES]

    def _created(self, pair: PairQuery) -> Sequence[int]:
        """After all that run; and before them where the order among equals may matter."""
        queues = [side.cluster.cluster_queues.get(pair.preemptor) for side in self._both.sides]
        newer = any(
            queue is not None
            and queue.within_cluster_queue == WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY
            for queue in queues
        )
        return (NOW, NOW - 2 * max(self._ages)) if newer else (NOW,)


def smallest_example(
    cluster: Cluster,
    reading: Reading,
    cell: CellQuery,
    scope: Scope = Scope.CONSISTENT,
    most: int = MOST_VICTIMS,
) -> Example | None:
    """The smallest example of a cell: fewest running workloads, then least amounts.

    Args:
        cluster: the configuration, without workloads.
        reading: see `tenure.readings`.
        cell: the cell.
        scope: which states there are.
        most: victims at most.

    Returns:
        None where no state with one or two running workloads is one.
    """
    levels = PriorityLevel("high", cell.high), PriorityLevel("low", cell.low)
    side = Configuration(cluster, tuple(dict.fromkeys(levels)), reading)

    def found_in(twice: DecisionPair) -> Example | None:
        decision = twice.decisions[AFTER]
        hits = () if decision is None else hits_of(twice.requests[AFTER], decision)
        return next((example for hit, example in hits if hit == cell and example.victims <= most), None)

    twice = SmallStates(TwoConfigurations(side, side, scope)).shown(
        PairQuery(cell.preemptor, levels[0], cell.victim, levels[1]),
        AFTER,
        lambda state: found_in(state) is not None,
    )
    example = None if twice is None else found_in(twice)
    return example if example is not None and is_replayed(cell, example) else None


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


def _waiting(level: PriorityLevel, created: int, requested: dict[str, Amount]) -> Workload:
    return Workload(
        namespace=NAMESPACE,
        name="pending",
        uid="p",
        priority=level.priority,
        created_at=created,
        pod_sets=(PodSet("main", 1, requested),),
    )


def _quotas(tree: Tree, queue: str) -> Sequence[FlavorResource]:
    return list(tree.nodes[tree.places[queue]].quotas) if queue in tree.places else []


# -- cuts -------------------------------------------------------------------------------------------------


def _cuts(request: DecideRequest) -> Iterator[Cut]:
    """What may be taken from a state; each leaves it as it is where it has nothing to take."""
    running, waiting = request.cluster.admitted, request.preemptor.pod_sets
    yield from (partial(_without_workload, workload.key) for workload in running)
    yield from (partial(_with_usage, workload.key, at, 0) for workload in running for at in workload.usage)
    yield from (partial(_with_asked, pods.name, name, 0) for pods in waiting for name in pods.requests)
    yield from (partial(_with_plain_age, workload.key) for workload in running)


def _amounts(
    request: DecideRequest,
) -> Iterator[tuple[Callable[[Amount, DecideRequest], DecideRequest], Amount, FlavorResource]]:
    """The amounts of a state, each with what changes it."""
    for workload in request.cluster.admitted:
        for at, amount in workload.usage.items():
            yield partial(_with_usage, workload.key, at), amount, at
    for pods in request.preemptor.pod_sets:
        for name, amount in pods.requests.items():
            yield partial(_with_asked, pods.name, name), amount, FlavorResource("", name)


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
    """With a smaller request of a resource, or none where something else is requested."""
    made: list[PodSet] = []
    for pods in request.preemptor.pod_sets:
        requested = pods.requests
        if pods.name == name and requested.get(resource, 0) > amount:
            requested = {known: wanted for known, wanted in requested.items() if known != resource}
            requested = {**requested, resource: amount} if amount else requested
        if requested:
            made.append(replace(pods, requests=requested))
    if not made:
        return request
    return replace(request, preemptor=replace(request.preemptor, pod_sets=tuple(made)))
