"""Random states of a configuration, and which workloads are preempted in them.

A state is consistent if admission alone can produce it: at every node of the tree nothing less than zero is
available, and each workload was created before its quota was reserved, which was not after now. In a tree
with heroes all were admitted in the order in which they got their quota. After edits anything may be in use;
see `tenure_check.analysis.scopes`. Who runs in the files plays no part: every state of the scope is meant.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from typing import Any

from tenure.conformance.requests import DecideRequest, read_decide_request
from tenure.model import (
    MINUTE,
    Amount,
    Amounts,
    Cluster,
    ClusterQueue,
    FlavorResource,
    Instant,
    PodSet,
    Reason,
    Workload,
)
from tenure.oracle.assignment import PODS
from tenure.oracle.bounded import with_bounded_usage
from tenure.oracle.decide import Decision, decide
from tenure.oracle.heroes.held import held_by
from tenure.oracle.heroes.plan import plan_heroes
from tenure.oracle.snapshot import Snapshot, with_effective_priority
from tenure.oracle.tree import Tree, Usage, available_at, potential_at, quota_at
from tenure.readings import Reading
from tenure_check.analysis.admissions import (
    are_admitted,
    free_at,
    has_heroes,
    in_order_of_admission,
    in_use_with,
    nothing_in_use,
)
from tenure_check.analysis.scopes import tree_before_edits
from tenure_check.analysis.selections import selections_of
from tenure_check.choices import Scope
from tenure_lab.generators.writing import write_request

NOW: Instant = 1_767_614_400_000_000_000
"""The clock of every example: noon of 5 January 2026, ns since the epoch."""

LARGEST: Amount = 2**50
"""No drawn amount is larger; quotas without end have no other scale."""

MOST_WORKLOADS = 14
EARLIER_TREES = 40
"""Trees before edits, of which one is taken for each state."""
NAMESPACE = "x"
FILLS = "fills-"
TOGETHER = 6
"""Of more than `MOST_WORKLOADS` so many are left out at once, where that is possible."""
FEW_FILLING = 3
"""Of more that fill other ClusterQueues all are needed, or none."""

STAMPS = (
    "created_at",
    "quota_reserved_at",
    "pods_ready_evicted_at",
    "admission_check_evicted_at",
    "time_based_preempted_at",
    "preempted_while_borrowing_at",
)
"""The instants of a workload that rules read, ns."""


@dataclass(frozen=True, slots=True)
class PriorityLevel:
    """A priority that stands for all that no rule distinguishes from it.

    Args:
        name: of the WorkloadPriorityClass, or of a region of priorities where none is given.
        priority: the class's value, or one of the region.
    """

    name: str
    priority: int


@dataclass(frozen=True, slots=True)
class CellQuery:
    """Whether a workload of one ClusterQueue and priority may be preempted by one of another, for a reason.

    Args:
        preemptor, victim: the names of the ClusterQueues.
        high, low: the preemptor's priority, and the victim's.
        reason: of condition Preempted.
    """

    preemptor: str
    high: int
    victim: str
    low: int
    reason: Reason


@dataclass(frozen=True, slots=True)
class Example:
    """A state in which a workload is preempted.

    Args:
        request: the state, and the pending workload in it.
        victim: key of the workload that is preempted.
        preempted: keys of all that are preempted together.
        why: why the victim is; empty where that is still to be explained.
    """

    request: DecideRequest
    victim: str
    preempted: frozenset[str]
    why: tuple[str, ...] = ()

    @property
    def victims(self) -> int:
        """How many are preempted together."""
        return len(self.preempted)

    @property
    def size(self) -> tuple[int, int, int]:
        """Fewest victims first, then fewest workloads, then the least in use."""
        running = self.request.cluster.admitted
        return self.victims, len(running), sum(sum(workload.usage.values()) for workload in running)


class Filling(Enum):
    """What other ClusterQueues than two have in use."""

    NOTHING = 0
    NOMINAL = 1
    """Each its nominal quota: of these none borrows."""
    ALL = 2
    """All that is free, in as few as possible."""


class States:
    """Draws states of one tree of a configuration.

    Args:
        cluster: the configuration; its workloads are left out.
        tree: a tree of its queues.
        reading: see `tenure.readings`.
        levels: the priorities that workloads have.
        scope: which states there are.

    >>> from tenure.model import FlavorQuotas, ResourceGroup, WithinClusterQueue
    >>> from tenure.oracle.tree import build_tree
    >>> from tenure.readings import preset
    >>> quotas = (ResourceGroup(("gpu",), (FlavorQuotas("a100", {"gpu": 4}),)),)
    >>> queue = ClusterQueue("q", quotas, within_cluster_queue=WithinClusterQueue.LOWER_PRIORITY)
    >>> cluster = Cluster({"q": queue})
    >>> levels = (PriorityLevel("low", 0), PriorityLevel("high", 1))
    >>> states = States(cluster, build_tree(cluster, queue), preset("guaranteed"), levels)
    >>> hit = {cell for _ in range(40) for cell, _ in states.hits(random.Random(_), "q")}
    >>> sorted((cell.high, cell.low, cell.reason.label) for cell in hit)
    [(1, 0, 'InClusterQueue')]
    """

    def __init__(
        self,
        cluster: Cluster,
        tree: Tree,
        reading: Reading,
        levels: Sequence[PriorityLevel],
        scope: Scope = Scope.CONSISTENT,
    ) -> None:
        self._cluster = replace(cluster, admitted=(), pending=(), local_queues={})
        self._tree, self._reading, self._scope = tree, reading, scope
        self._priorities = [level.priority for level in levels]
        self._plan = plan_heroes(tree, reading)
        self._selections = selections_of(cluster)
        self._nothing = nothing_in_use(tree, reading)
        self._earlier: list[Tree] = []
        self._fine = False
        self._grain = {
            at: min(_given(node.quotas[at].nominal for node in tree.nodes if at in node.quotas)) // 4
            for at in tree.nodes[0].quotas
        }
        self._filled: dict[tuple[tuple[int, int], Filling], Sequence[Workload]] = {}
        edited = scope == Scope.EDITED
        self._places = [
            node.place for node in tree.nodes if node.queue is not None and (edited or node.quotas)
        ]

    def hits(self, dice: random.Random, queue: str) -> Iterator[tuple[CellQuery, Example]]:
        """Draw a state with a workload that waits in a queue; who is preempted there, with the state."""
        yield from self._hits(self.drawn(dice, queue))

    def near(self, dice: random.Random, cell: CellQuery) -> Iterator[tuple[CellQuery, Example]]:
        """As `hits`, of a state that may well hit a cell: the other ClusterQueues leave little to its two."""
        both = self._tree.places[cell.preemptor], self._tree.places[cell.victim]
        shares = self._cluster.settings.fair_sharing is not None  # who borrows most goes first
        some = Filling.NOMINAL if shares else Filling.ALL
        others = self._others(both, dice.choice((Filling.NOTHING, Filling.ALL, some)))
        request = self.drawn(dice, cell.preemptor, (*both, both[1]), others)
        request = replace(request, preemptor=request.preemptor.with_priority(cell.high))
        yield from self._hits(self._labelled(dice, request, cell))

    def _hits(self, request: DecideRequest) -> Iterator[tuple[CellQuery, Example]]:
        decision = self.decided(request)
        # What fills other ClusterQueues was not admitted in an order; without heroes that is all the same.
        if self._plan is None or (decision.targets and is_in_scope(request, self._tree, self._scope)):
            yield from hits_of(request, decision)

    def drawn(
        self,
        dice: random.Random,
        queue: str,
        preferred: Sequence[int] = (),
        others: Sequence[Workload] = (),
    ) -> DecideRequest:
        """A state with a workload that waits in a queue.

        Args:
            dice: draw it.
            queue: the ClusterQueue.
            preferred: places in which most workloads run.
            others: workloads that run besides.
        """
        self._fine = dice.random() < 0.5
        tree = self._admitting(dice)
        usage, running = self._used_by(tree, others), list(others)
        for number in range(dice.randint(1, MOST_WORKLOADS)):
            place = dice.choice(preferred if preferred and dice.random() < 0.7 else self._places)
            amounts = self._held(dice, tree, usage, place)
            if amounts:
                usage = in_use_with(tree, usage, place, amounts)
                running.append(self._running(dice, number, place, amounts))
        if (
            preferred and tree is self._tree and dice.random() < 0.5
        ):  # the last one of these has all that is left
            running += self._last(dice, usage, preferred[-1])
        waiting = self._waiting(dice, self._tree.places[queue])
        admitted = tuple(running) if self._plan is None else in_order_of_admission(running)
        cluster = replace(self._cluster, admitted=admitted)
        request = DecideRequest(cluster, waiting, queue, NOW, self._reading, assignment=None, explained=False)
        return self._labelled(dice, request)

    def _labelled(
        self, dice: random.Random, request: DecideRequest, cell: CellQuery | None = None
    ) -> DecideRequest:
        """The state with what rules of PreemptionConfigs read of workloads."""
        return request if self._selections is None else self._selections.labelled(dice, request, cell)

    def _admitting(self, dice: random.Random) -> Tree:
        """The tree in which what runs was admitted: the one that there is, or one before edits."""
        if self._scope == Scope.CONSISTENT:
            return self._tree
        if len(self._earlier) < EARLIER_TREES:
            self._earlier.append(tree_before_edits(dice, self._cluster, self._tree))
            return self._earlier[-1]
        return dice.choice(self._earlier)

    def _used_by(self, tree: Tree, workloads: Sequence[Workload]) -> Usage:
        usage = self._nothing if tree is self._tree else nothing_in_use(tree, self._reading)
        for workload in workloads:
            place = self._tree.places[workload.cluster_queue or ""]
            usage = in_use_with(tree, usage, place, workload.usage)
        return usage

    def _others(self, both: tuple[int, int], filling: Filling) -> Sequence[Workload]:
        """What runs in other ClusterQueues than two: old workloads of the highest priority."""
        if (both, filling) not in self._filled:
            if self._filled and next(iter(self._filled))[0] != both:
                self._filled.clear()
            self._filled[both, filling] = tuple(self._filling(both, filling))
        return self._filled[both, filling]

    def _filling(self, both: tuple[int, int], filling: Filling) -> Iterator[Workload]:
        usage = self._nothing
        for place in sorted(set(both)):  # their nominal quota is left to them
            usage = in_use_with(self._tree, usage, place, self._nominal(place))
        nodes = self._tree.nodes
        others = [place for place in self._places if place not in both and filling != Filling.NOTHING]
        if filling == Filling.ALL:
            others.sort(key=lambda place: sum(self._free(usage, place).values()), reverse=True)
        for place in others:
            free = self._free(usage, place)
            most = self._nominal(place) if filling == Filling.NOMINAL else free
            amounts = {at: min(amount, free[at]) for at, amount in most.items() if min(amount, free[at]) > 0}
            if amounts:
                usage = in_use_with(self._tree, usage, place, amounts)
                yield Workload(
                    namespace=NAMESPACE,
                    name=f"{FILLS}{nodes[place].name}",
                    uid="f",
                    priority=max(self._priorities),
                    created_at=0,
                    quota_reserved_at=0,
                    cluster_queue=nodes[place].name,
                    usage=amounts,
                )

    def _last(self, dice: random.Random, usage: Usage, place: int) -> Iterator[Workload]:
        free = self._free(usage, place)
        flavor = dice.choice(sorted(free)).flavor if free else ""
        amounts = {at: amount for at, amount in free.items() if at.flavor == flavor and amount > 0}
        if amounts:
            yield self._running(dice, MOST_WORKLOADS, place, amounts)

    def _nominal(self, place: int) -> dict[FlavorResource, Amount]:
        quotas = self._tree.nodes[place].quotas
        return {at: min(LARGEST, quota.nominal) for at, quota in quotas.items()}

    def _free(self, usage: Usage, place: int) -> dict[FlavorResource, Amount]:
        quotas = self._tree.nodes[place].quotas
        return {at: min(LARGEST, free_at(self._tree, usage, place, at)) for at in quotas}

    def decided(self, request: DecideRequest) -> Decision:
        """What the reference decides about a state of this tree, which is not built again."""
        queue = request.cluster.cluster_queues[request.queue]
        by_place: dict[int, list[Workload]] = {}
        for workload in self._seen(request):
            by_place.setdefault(self._tree.places[workload.cluster_queue or ""], []).append(workload)
        running = {place: tuple(workloads) for place, workloads in by_place.items()}
        place = self._tree.places[request.queue]
        if self._plan is None:
            usage = self._used_by(self._tree, request.cluster.admitted)
            snapshot = Snapshot(request.cluster, queue, self._tree, place, running, usage)
        else:
            none = Snapshot(request.cluster, queue, self._tree, place, {}, self._nothing, self._plan)
            snapshot = none.holding(running, held_by(running, self._plan.branch_of))
        return decide(
            request.cluster,
            request.preemptor,
            request.queue,
            request.now,
            request.reading,
            snapshot=with_bounded_usage(snapshot),
        )

    def _seen(self, request: DecideRequest) -> Sequence[Workload]:
        """What runs, with the priorities that decisions compare."""
        cluster = request.cluster
        if not (cluster.growing or cluster.settings.priority_boost):
            return cluster.admitted
        compared = partial(with_effective_priority, cluster=cluster, now=request.now, reading=request.reading)
        return [*map(compared, cluster.admitted)]

    def _held(self, dice: random.Random, tree: Tree, usage: Usage, place: int) -> Amounts:
        """What a workload is admitted with, on one flavor of each resource: all of it is available."""
        known = self._tree.nodes[0].quotas
        quotas = [at for at in tree.nodes[place].quotas if at in known]
        if not quotas:
            return {}
        flavors: dict[str, list[FlavorResource]] = {}
        for at in quotas:
            flavors.setdefault(at.resource, []).append(at)
        found: dict[FlavorResource, Amount] = {}
        flavor = dice.choice(quotas).flavor
        for choices in flavors.values():
            at = next((at for at in choices if at.flavor == flavor), dice.choice(choices))
            free = free_at(tree, usage, place, at)
            wanted = self._amount(dice, place, at, free)
            if dice.random() < 0.8 and 0 < wanted <= free:
                found[at] = wanted
        return found

    def _amount(self, dice: random.Random, place: int, at: FlavorResource, free: Amount) -> Amount:
        """An amount near what decides: quotas, what is free, their halves and neighbours."""
        nominal = quota_at(self._tree, place, at).nominal
        if self._fine:
            return dice.randint(1, 3) * max(1, min(LARGEST, self._grain[at]))
        scale = dice.choice((nominal, free, potential_at(self._tree, place, at), 4))
        scale = min(LARGEST, max(1, scale))
        return max(1, dice.choice((1, 2, scale, scale // 2, scale // 4, scale + 1, scale - 1, scale // 3)))

    def _running(self, dice: random.Random, number: int, place: int, amounts: Amounts) -> Workload:
        queue = self._tree.nodes[place].queue
        assert queue is not None
        created, reserved = sorted(dice.choice(self._instants(queue)) for _ in range(2))
        return Workload(
            namespace=NAMESPACE,
            name=f"w{number}",
            uid=f"{dice.randint(0, 9)}{number}",
            priority=dice.choice(self._priorities),
            created_at=created,
            quota_reserved_at=reserved,
            cluster_queue=queue.name,
            usage=amounts,
        )

    def _instants(self, queue: ClusterQueue) -> Sequence[Instant]:
        least = queue.min_admit_duration or MINUTE
        before = (0, 1, MINUTE, least - 1, least, least + 1, 2 * least)
        return [NOW - length for length in before]

    def _waiting(self, dice: random.Random, place: int) -> Workload:
        queue = self._tree.nodes[place].queue
        assert queue is not None
        requested: dict[str, Amount] = {}
        for at in queue.nominal():
            free = self._amount(dice, place, at, potential_at(self._tree, place, at))
            if at.resource != PODS and dice.random() < 0.8:
                requested[at.resource] = free
        both = dice.random() < 0.25 and len(requested) > 1
        parts: list[Mapping[str, Amount]] = [requested]
        if both:
            first = dice.choice(list(requested))
            rest = {resource: amount for resource, amount in requested.items() if resource != first}
            parts = [{first: requested[first]}, rest]
        return Workload(
            namespace=NAMESPACE,
            name="pending",
            uid="p",
            priority=dice.choice(self._priorities),
            created_at=dice.choice(self._instants(queue)),
            pod_sets=tuple(PodSet(f"set{number}", 1, part) for number, part in enumerate(parts)),
        )


def still_in_scope(tree: Tree, scope: Scope) -> Callable[[DecideRequest], bool]:
    """Whether a state of the scope is one of it once something was changed: without heroes it always is."""
    if not has_heroes(tree):
        return lambda _: True
    return lambda request: is_in_scope(request, tree, scope)


def is_in_scope(request: DecideRequest, tree: Tree, scope: Scope) -> bool:
    """Whether a state is one of the scope."""
    return is_consistent(request, tree) if scope == Scope.CONSISTENT else has_ordered_stamps(request)


def is_in_scope_by_stamps(request: DecideRequest, tree: Tree, scope: Scope) -> bool:
    """As `is_in_scope`, of a state that has only other stamps and priorities than one of the scope."""
    return is_in_scope(request, tree, scope) if has_heroes(tree) else has_ordered_stamps(request)


def has_ordered_stamps(request: DecideRequest) -> bool:
    """Whether every running workload was created before its quota was reserved, neither after now."""
    return all(
        workload.created_at <= (workload.quota_reserved_at or 0) <= request.now
        for workload in request.cluster.admitted
    )


def is_consistent(request: DecideRequest, tree: Tree) -> bool:
    """Whether admission alone can produce the state: nothing is short at any node, stamps are in order."""
    if has_heroes(tree):
        return has_ordered_stamps(request) and are_admitted(tree, request.reading, request.cluster.admitted)
    usage = nothing_in_use(tree, request.reading)
    for workload in request.cluster.admitted:
        usage = in_use_with(tree, usage, tree.places[workload.cluster_queue or ""], workload.usage)
    return has_ordered_stamps(request) and all(
        available_at(tree, usage, node.place, at) >= 0 for node in tree.nodes for at in node.quotas
    )


def _given(quotas: Iterable[Amount]) -> Sequence[Amount]:
    """Quotas that are not nothing; one where there is none."""
    return [quota for quota in quotas if quota] or [1]


def hits_of(request: DecideRequest, decision: Decision) -> Iterator[tuple[CellQuery, Example]]:
    """Who is preempted in a state, as cells, each with the state."""
    high = request.preemptor.priority
    preempted = frozenset(target.workload.key for target in decision.targets)
    for target in decision.targets:
        workload = target.workload
        cell = CellQuery(request.queue, high, workload.cluster_queue or "", workload.priority, target.reason)
        yield cell, Example(request, workload.key, preempted)


def decided(request: DecideRequest) -> Decision:
    """What the reference decides about a state."""
    return decide(request.cluster, request.preemptor, request.queue, request.now, request.reading)


def written_state(request: DecideRequest) -> dict[str, Any]:
    """A state as manifests, in the `input` of call `decide`; who admits nothing is stopped."""
    written = write_request(request)
    for queue in written["clusterQueues"]:
        if request.cluster.cluster_queues[queue["metadata"]["name"]].inactive:
            queue["spec"]["stopPolicy"] = "Hold"
    return written


def is_replayed(cell: CellQuery, example: Example) -> bool:
    """Whether the example, written as manifests and read again, preempts the victim of the cell."""
    return _preempts(cell, reread(example.request))


def reread(request: DecideRequest) -> DecideRequest:
    """A state written as manifests and read again."""
    return read_decide_request(written_state(request))


def _preempts(cell: CellQuery, request: DecideRequest) -> bool:
    return any(found == cell for found, _ in hits_of(request, decided(request)))


def made_small(
    cell: CellQuery,
    example: Example,
    decide_one: Callable[[DecideRequest], Decision] = decided,
    is_state: Callable[[DecideRequest], bool] = lambda _: True,
) -> Example:
    """The example without the running workloads that it does not need.

    Args:
        cell: what it is an example of.
        example: the example.
        decide_one: what decides; each smaller state is decided by it.
        is_state: whether admission produces a state too from which a workload was taken.
    """

    def without(left_out: Collection[str]) -> Example | None:
        running = tuple(
            workload for workload in example.request.cluster.admitted if workload.key not in left_out
        )
        request = replace(example.request, cluster=replace(example.request.cluster, admitted=running))
        smaller = [found for hit, found in hits_of(request, decide_one(request)) if hit == cell]
        return min(smaller, key=lambda found: found.size) if smaller and is_state(request) else None

    groups = deque(_left_out(example))
    while groups:
        running = {workload.key for workload in example.request.cluster.admitted}
        together = [key for key in groups.popleft() if key in running]
        found = without(together) if together else None
        example = found or example
        if found is None:
            groups.extendleft(reversed(_parts(together)))
    waiting = example.request.preemptor
    for labelled in (*example.request.cluster.admitted, waiting):
        if labelled.selectable is not None and labelled.selectable.labels:
            request = _without_labels(example.request, labelled.key)
            plain = (found for hit, found in hits_of(request, decide_one(request)) if hit == cell)
            example = next(plain, example)
    return example


def _without_labels(request: DecideRequest, key: str) -> DecideRequest:
    """A state in which a workload has none of the labels that rules of PreemptionConfigs read."""

    def changed(workload: Workload) -> Workload:
        known = workload.selectable
        if known is None or workload.key != key:
            return workload
        return replace(workload, selectable=replace(known, labels={}))

    running = tuple(map(changed, request.cluster.admitted))
    cluster = replace(request.cluster, admitted=running)
    return replace(request, cluster=cluster, preemptor=changed(request.preemptor))


def _left_out(example: Example) -> Iterator[Sequence[str]]:
    """What may be left out: those that fill other queues together, few others one after the other."""
    keys = [workload.key for workload in example.request.cluster.admitted if workload.key != example.victim]
    filling = [key for key in keys if _fills(key)]
    if filling:
        yield filling
    if len(filling) > FEW_FILLING:
        keys = [key for key in keys if key not in filling]
    yield from [keys] if len(keys) > MOST_WORKLOADS else [[key] for key in keys]


def _parts(together: Sequence[str]) -> Sequence[Sequence[str]]:
    """What may be left out of some that cannot be left out together; of those that fill queues nothing."""
    if len(together) < 2 or _fills(together[0]):
        return ()
    step = TOGETHER if len(together) > TOGETHER else 1
    return [together[start : start + step] for start in range(0, len(together), step)]


def _fills(key: str) -> bool:
    return key.startswith(f"{NAMESPACE}/{FILLS}")
