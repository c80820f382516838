"""A solver's values as states: for each ClusterQueue one workload that stays, and those that leave.

What a slice has as one amount, the others of a node, is spread over them: over a few, or so that they keep
within nominal quota where that is enough, since no share is larger than theirs then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product, starmap
from typing import Any, TypeAlias

import z3

from tenure.conformance.requests import DecideRequest
from tenure.model import UNLIMITED, Amount, Cluster, FlavorResource, Instant, NodeQuota, PodSet, Workload
from tenure.oracle.tree import Tree, quota_at
from tenure.readings import Reading
from tenure.rules.quota import quota_passed_up
from tenure_check.analysis.encoding import Pair
from tenure_check.analysis.heroes import kind_and_name
from tenure_check.analysis.states import NAMESPACE, STAMPS, CellQuery
from tenure_check.analysis.symbolic_usage import MOMENTS

Held: TypeAlias = dict[FlavorResource, Amount]

HIGHEST = 10**6
"""Of workloads that stay: nothing preempts them by priority."""


@dataclass(frozen=True, slots=True)
class Arrangement:
    """What the values leave open.

    Args:
        staying: the priority of who stays: as none, the preemptor's, the victim's, or none below it.
        later: the priority of who leaves after the victim, likewise.
        in_few: whether the others of a node are as few as possible, or borrow as little as possible.
    """

    staying: int
    later: int
    in_few: bool


def requests_of(
    pair: Pair, tree: Tree, cluster: Cluster, reading: Reading, cell: CellQuery, model: z3.ModelRef
) -> Iterator[DecideRequest]:
    """The states that values may stand for, the likeliest first.

    Args:
        pair: whose values they are.
        tree: the whole tree; the pair's is it, or a slice of it.
        cluster, reading: the configuration.
        cell: the cell in question.
        model: the values.
    """
    written = _Written(pair, tree, cluster, reading, cell, model)
    below = min(cell.low, cell.high - 1)
    seen: set[str] = set()
    stay = (HIGHEST, cell.low, cell.high, -HIGHEST)
    leave = (cell.high - 1, below, cell.high, cell.low)
    spread = (False, True) if pair.terms.fair_sharing else (True, False)
    for arrangement in starmap(Arrangement, product(stay, leave, spread)):
        request = written.request(arrangement)
        key = repr(request.cluster.admitted)
        if key not in seen:  # where no workload stays, or leaves later, arrangements are the same
            seen.add(key)
            yield request


class _Written:
    def __init__(
        self,
        pair: Pair,
        tree: Tree,
        cluster: Cluster,
        reading: Reading,
        cell: CellQuery,
        model: z3.ModelRef,
    ) -> None:
        self._pair, self._tree, self._cluster, self._reading = pair, tree, cluster, reading
        self._cell, self._model = cell, model
        self._now = self._number(z3.Int("now"))

    def request(self, arrangement: Arrangement) -> DecideRequest:
        """The state of one arrangement."""
        running = (self._victim(), *self._others(arrangement))
        cluster = replace(self._cluster, admitted=running, pending=(), local_queues={})
        return DecideRequest(
            cluster,
            self._preemptor(),
            self._cell.preemptor,
            self._now,
            self._reading,
            assignment=None,
            explained=False,
        )

    def _number(self, term: Any) -> int:
        value: int = self._model.eval(term, model_completion=True).as_long()
        return value

    def _stamps(self, workload: str) -> dict[str, Any]:
        return {
            name: self._number(z3.Int(f"{workload}.{name}"))
            if z3.is_true(self._model.eval(z3.Bool(f"{workload}.{name}?"), model_completion=True))
            else None
            for name in STAMPS
            if name != "created_at"
        }

    def _victim(self) -> Workload:
        usage = {at: self._number(amount.term) for at, amount in self._pair.victim.items()}
        return Workload(
            namespace=NAMESPACE,
            name="victim",
            uid="m",
            priority=self._cell.low,
            created_at=self._number(z3.Int("V.created_at")),
            cluster_queue=self._cell.victim,
            usage={at: amount for at, amount in usage.items() if amount},
            **self._stamps("V"),
        )

    def _preemptor(self) -> Workload:
        requested: dict[str, dict[str, Amount]] = {}
        for at, amount in self._pair.request.items():
            if (wanted := self._number(amount.term)) and at.resource != "pods":
                requested.setdefault(at.flavor, {})[at.resource] = wanted
        stamps: dict[str, Any] = {**self._stamps("P"), "quota_reserved_at": None}
        return Workload(
            namespace=NAMESPACE,
            name="pending",
            uid="p",
            priority=self._cell.high,
            created_at=self._number(z3.Int("P.created_at")),
            pod_sets=tuple(PodSet(f"set{number}", 1, part) for number, part in enumerate(requested.values())),
            **stamps,
        )

    def _others(self, arrangement: Arrangement) -> Iterator[Workload]:
        reserved = self._number(z3.Int("V.quota_reserved_at"))
        before = max(0, reserved - 1)
        first = min(self._cell.low, self._cell.high - 1)
        for name, held in self._held_by_queue(in_few=arrangement.in_few).items():
            start, turn, back, final = held
            yield from self._other("stays", name, final, arrangement.staying, 0)
            yield from self._other("later", name, _less(turn, back), arrangement.later, before)
            yield from self._other("earlier", name, _less(start, turn), first, self._now)

    def _held_by_queue(self, *, in_few: bool) -> dict[str, list[Held]]:
        """What the workloads of every ClusterQueue hold, by moment, the victim left out."""
        found: dict[str, list[Held]] = {}
        for place in self._pair.queues:
            name = self._pair.tree.nodes[place].name
            held = [self._held(moment, place) for moment in MOMENTS]
            if name in self._tree.places:
                found[name] = held
            else:
                self._spread(place, held, found, in_few=in_few)
        return found

    def _spread(self, place: int, held: list[Held], found: dict[str, list[Held]], *, in_few: bool) -> None:
        """Spread what the others of a node pass up to it over the ClusterQueues below them."""
        nodes = self._pair.tree.nodes
        parent = nodes[place].parent
        assert parent is not None
        kept = {kind_and_name(node) for node in nodes}
        above = next(node for node in self._tree.nodes if kind_and_name(node) == kind_and_name(nodes[parent]))
        children = (self._tree.nodes[index] for index in (*above.queues, *above.cohorts))
        others = [node.place for node in children if kind_and_name(node) not in kept]
        for at in held[0]:
            passing = Passing(self._tree, at, in_few=in_few)
            for moment, name, amount in passing.over(others, [usage[at] for usage in held[::-1]]):
                usage = found.setdefault(name, [{} for _ in MOMENTS])[::-1]
                usage[moment][at] = amount

    def _held(self, moment: str, place: int) -> Held:
        return {at: self._number(held.term) for at, held in self._pair.held[moment][place].items()}

    def _other(
        self, name: str, queue: str, usage: Held, priority: int, reserved: Instant
    ) -> Iterator[Workload]:
        usage = {at: amount for at, amount in usage.items() if amount}
        if usage:
            yield Workload(
                namespace=NAMESPACE,
                name=f"{name}-{queue}",
                uid=name,
                priority=priority,
                created_at=0,
                quota_reserved_at=reserved,
                cluster_queue=queue,
                usage=usage,
            )


class Passing:
    """Spreads what is passed up to a node over those below it, of one flavor-resource.

    Args:
        tree: the tree.
        at: the flavor-resource.
        in_few: whether a few have as much as they may, or all as little as possible beyond their quota.
    """

    def __init__(self, tree: Tree, at: FlavorResource, *, in_few: bool) -> None:
        self._tree, self._at = tree, at
        self._steps = (self._most,) if in_few else (self._lent, self._most)

    def over(self, places: Sequence[int], amounts: Sequence[Amount]) -> Iterator[tuple[int, str, Amount]]:
        """What ClusterQueues use: the number of the amount, the name, and how much; of nothing, nothing.

        Args:
            places: the children of a node, among which it is spread.
            amounts: what they pass up together at several moments, rising.
        """
        passed = dict.fromkeys(places, 0)
        found: dict[int, list[Amount]] = {place: [] for place in places}
        for amount in amounts:
            rest = amount - sum(passed.values())
            for most in self._steps:
                for place in sorted(places, key=most, reverse=True):
                    more = max(0, min(rest, most(place) - passed[place]))
                    passed[place] += more
                    rest -= more
            for place in places:
                found[place].append(passed[place])
        for place, shares in found.items():
            if shares[-1]:
                yield from self._below(place, [share + self._quota(place).local for share in shares])

    def _below(self, place: int, used: Sequence[Amount]) -> Iterator[tuple[int, str, Amount]]:
        node = self._tree.nodes[place]
        if node.queue is None:
            yield from self.over((*node.queues, *node.cohorts), used)
            return
        yield from ((number, node.name, amount) for number, amount in enumerate(used))

    def _quota(self, place: int) -> NodeQuota:
        return quota_at(self._tree, place, self._at)

    def _lent(self, place: int) -> Amount:
        return quota_passed_up(self._quota(place))

    def _most(self, place: int) -> Amount:
        limit = self._quota(place).borrowing_limit
        return UNLIMITED if limit is None else self._lent(place) + limit


def _less(one: Held, other: Held) -> Held:
    return {at: amount - other.get(at, 0) for at, amount in one.items()}
