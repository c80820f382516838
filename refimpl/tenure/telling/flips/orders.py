"""The order of the flavors of a resource group, which a flip may change."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import factorial

from tenure.model import FlavorQuotas, ResourceGroup
from tenure.oracle.decide import Decision
from tenure.telling.flips.knob import Listed, Value
from tenure.telling.flips.situation import Situation

MOST_PERMUTED = 4
"""Of so many flavors every order is tried; of more, each flavor at the front."""


@dataclass(frozen=True, slots=True)
class FlavorOrder(Listed):
    """The order of the flavors of one resource group of a ClusterQueue, which is the order they are tried in.

    An order is written as its rank among all orders of the group's flavors, those sorted by name being 0.

    Args:
        queue: name of the ClusterQueue.
        group: index of the resource group.
        flavors: their names, sorted.
    """

    queue: str
    group: int
    flavors: tuple[str, ...]

    @property
    def object(self) -> str:
        return f"ClusterQueue/{self.queue}"

    @property
    def field(self) -> str:
        return f"spec.resourceGroups[{self.group}].flavors"

    @property
    def about(self) -> str:
        return "their order"

    def read(self, situation: Situation) -> Value:
        return rank_of([each.flavor for each in self._group(situation).flavors])

    def write(self, situation: Situation, value: Value) -> Situation:
        assert value is not None
        queue, group = situation.cluster.cluster_queues[self.queue], self._group(situation)
        by_name: dict[str, FlavorQuotas] = {each.flavor: each for each in group.flavors}
        flavors = tuple(by_name[name] for name in order_of(self.flavors, value))
        groups = list(queue.resource_groups)
        groups[self.group] = dataclasses.replace(group, flavors=flavors)
        fresh = dataclasses.replace(queue, resource_groups=tuple(groups))
        return situation.with_cluster(cluster_queues={**situation.cluster.cluster_queues, self.queue: fresh})

    def show(self, value: Value) -> str:
        assert value is not None
        return ", ".join(order_of(self.flavors, value))

    def size(self, old: Value, new: Value) -> float:
        return float(old != new)

    def values(self, decision: Decision) -> Iterator[int]:
        """Every order of a few flavors; of many, each flavor moved to the front."""
        if len(self.flavors) <= MOST_PERMUTED:
            yield from range(factorial(len(self.flavors)))
            return
        names = [each.flavor for each in self._group(Situation.of(decision)).flavors]
        for name in names:
            yield rank_of([name, *(other for other in names if other != name)])

    def _group(self, situation: Situation) -> ResourceGroup:
        return situation.cluster.cluster_queues[self.queue].resource_groups[self.group]


def order_knobs(situation: Situation) -> Iterator[FlavorOrder]:
    """The orders that may be changed: in the pending workload's ClusterQueue, of what it asks for."""
    asked = {name for pods in situation.preemptor.pod_sets for name, n in pods.requests.items() if n}
    queue = situation.cluster.cluster_queues[situation.queue]
    for index, group in enumerate(queue.resource_groups):
        names = {each.flavor for each in group.flavors}
        if 1 < len(names) == len(group.flavors) and asked & set(group.covered_resources):
            yield FlavorOrder(queue.name, index, tuple(sorted(names)))


def rank_of(order: Sequence[str]) -> int:
    """The place of an order among all orders of the same names, the sorted one being 0.

    >>> rank_of("abc"), rank_of("bca"), rank_of("cba")
    (0, 3, 5)
    """
    rest, rank = sorted(order), 0
    for name in order:
        place = rest.index(name)
        rest.pop(place)
        rank += place * factorial(len(rest))
    return rank


def order_of(names: Sequence[str], rank: int) -> tuple[str, ...]:
    """The order of some sorted names that has a rank.

    >>> order_of("abc", 3)
    ('b', 'c', 'a')
    """
    rest, order = list(names), []
    while rest:
        place, rank = divmod(rank, factorial(len(rest) - 1))
        order.append(rest.pop(place))
    return tuple(order)
