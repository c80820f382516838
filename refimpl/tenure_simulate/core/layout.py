"""Queues and cohorts as arrays: every tree of a cluster, parents before their children."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import ldexp

import numpy as np

from tenure.model import NANO, Amount, Cluster, ClusterQueue, Cohort, FlavorResource, ResourceGroup
from tenure.rules.amounts import minus, plus
from tenure.rules.quota import local_quota
from tenure_simulate.core.amounts import MOST
from tenure_simulate.core.tables import Array, Forest
from tenure_simulate.core.uncovered import require_numbers

Quota = tuple[Amount, Amount, Amount, Amount]
"""Nominal, subtree and local quota, and borrowing limit, unlimited for none."""

Quotas = dict[FlavorResource, Quota]


@dataclass(frozen=True, slots=True)
class Layout:
    """The nodes of all trees.

    Args:
        names: of every node.
        queues: node of each ClusterQueue by name; those below cohorts that form a circle are left out.
        heights: steps from each node down to the furthest active ClusterQueue or empty cohort.
        columns: column of each flavor-resource.
        forest: the same as arrays.
    """

    names: tuple[str, ...]
    queues: Mapping[str, int]
    heights: tuple[int, ...]
    columns: Mapping[FlavorResource, int]
    forest: Forest

    def path(self, node: int) -> Array:
        """From a node up to its root, int32[depth]."""
        found = []
        while node >= 0:
            found.append(node)
            node = int(self.forest.parent[node])
        return np.array(found, np.int32)


@dataclass(slots=True)
class _Node:
    name: str
    parent: int
    queue: ClusterQueue | None
    weight: int
    quotas: Quotas
    end: int = 0
    height: int = 0


def lay_out(cluster: Cluster, held: Iterable[FlavorResource]) -> Layout:
    """All trees of a cluster.

    Args:
        cluster: its queues and cohorts; its workloads are not looked at.
        held: further flavor-resources that get a column.

    Raises:
        Uncovered: more of them than 32 bits number.

    Source: Kueue main of August 2026, cohort trees and subtree quota.

    >>> lay_out(Cluster({"q": ClusterQueue("q", cohort="c")}), ()).names
    ('c', 'q')
    """
    nodes = _Builder(cluster).nodes
    known = {at for node in nodes for at in node.quotas}
    columns = {at: column for column, at in enumerate(sorted(known.union(held)))}
    require_numbers(len(nodes), "ClusterQueues and Cohorts")
    require_numbers(len(columns), "flavor-resources")
    return Layout(
        names=tuple(node.name for node in nodes),
        queues={node.name: place for place, node in enumerate(nodes) if node.queue is not None},
        heights=tuple(node.height for node in nodes),
        columns=columns,
        forest=_forest(nodes, columns),
    )


def _forest(nodes: list[_Node], columns: Mapping[FlavorResource, int]) -> Forest:
    quotas = np.zeros((4, len(nodes), len(columns)), np.int64)
    quotas[3] = MOST
    covered = np.zeros((len(nodes), len(columns)), np.bool_)
    roots: list[int] = []
    for place, node in enumerate(nodes):
        roots.append(place if node.parent < 0 else roots[node.parent])
        for at, quota in node.quotas.items():
            quotas[:, place, columns[at]] = quota
            covered[place, columns[at]] = True
    resources = {name: number for number, name in enumerate(sorted({at.resource for at in columns}))}
    return Forest(
        parent=np.array([node.parent for node in nodes], np.int32),
        root=np.array(roots, np.int32),
        end=np.array([node.end for node in nodes], np.int32),
        is_queue=np.array([node.queue is not None for node in nodes], np.bool_),
        active=np.array([node.queue is not None and not node.queue.inactive for node in nodes], np.bool_),
        nominal=quotas[0],
        subtree=quotas[1],
        local=quotas[2],
        limit=quotas[3],
        covered=covered,
        resource=np.array([resources[at.resource] for at in columns], np.int32),
        weight=np.array([weight_as_float(node.weight) for node in nodes], np.float64),
    )


class _Builder:
    def __init__(self, cluster: Cluster) -> None:
        self.nodes: list[_Node] = []
        self._cohorts = cluster.cohorts
        self._queues: dict[str, list[ClusterQueue]] = {}
        self._children: dict[str, list[str]] = {}
        queues = sorted(cluster.cluster_queues.values(), key=lambda cluster_queue: cluster_queue.name)
        for queue in queues:
            if queue.cohort is not None:
                self._queues.setdefault(queue.cohort, []).append(queue)
        for cohort in sorted(cluster.cohorts.values(), key=lambda cohort: cohort.name):
            if cohort.parent is not None:
                self._children.setdefault(cohort.parent, []).append(cohort.name)
        for queue in queues:
            if queue.cohort is None:
                self._add_queue(queue, -1)
        for name in self._roots():
            self._add_cohort(name, -1)

    def _roots(self) -> list[str]:
        """Cohorts without parent; those that are their own ancestors are below none of them."""
        known = {*self._cohorts, *self._children, *self._queues}
        return sorted(name for name in known if self._cohorts.get(name, Cohort(name)).parent is None)

    def _add_queue(self, queue: ClusterQueue, parent: int) -> _Node:
        quotas = {
            at: (own, own, local_quota(own, lends), limit)
            for at, own, limit, lends in own_quotas(queue.resource_groups)
        }
        node = _Node(queue.name, parent, queue, queue.weight, quotas, end=len(self.nodes) + 1)
        self.nodes.append(node)
        return node

    def _add_cohort(self, name: str, parent: int) -> _Node:
        cohort, place = self._cohorts.get(name, Cohort(name)), len(self.nodes)
        node = _Node(name, parent, None, cohort.weight, {})
        self.nodes.append(node)
        queues = [self._add_queue(queue, place) for queue in self._queues.get(name, ())]
        cohorts = [self._add_cohort(child, place) for child in self._children.get(name, ())]
        node.quotas = _sums(cohort, [*queues, *cohorts])
        node.end = len(self.nodes)
        some = bool(cohorts) or any(node.queue and not node.queue.inactive for node in queues)
        node.height = max([int(some), *(node.height + 1 for node in cohorts)])
        return node


def _sums(cohort: Cohort, children: list[_Node]) -> Quotas:
    own = {at: (nominal, limit, lends) for at, nominal, limit, lends in own_quotas(cohort.resource_groups)}
    subtree = {at: nominal for at, (nominal, _, _) in own.items()}
    for child in children:
        for at, (_, quota, local, _) in child.quotas.items():
            subtree[at] = plus(subtree.get(at, 0), minus(quota, local))  # KQ-130
    made: Quotas = {}
    for at, amount in subtree.items():
        nominal, limit, lends = own.get(at, (0, MOST, None))
        made[at] = (nominal, amount, local_quota(amount, lends), limit)
    return made


def own_quotas(
    groups: tuple[ResourceGroup, ...],
) -> Iterator[tuple[FlavorResource, Amount, Amount, Amount | None]]:
    """Every flavor-resource of an object with nominal quota, borrowing limit and lending limit."""
    for group in groups:
        for quotas in group.flavors:
            for resource, nominal in quotas.nominal.items():
                limit = quotas.borrowing_limits.get(resource, MOST)
                yield (
                    FlavorResource(quotas.flavor, resource),
                    nominal,
                    limit,
                    quotas.lending_limits.get(resource),
                )


@cache
def weight_as_float(weight: int) -> float:
    """A fair-sharing weight as Kubernetes makes a float of it: rounded to 64 bits, those to a double.

    Args:
        weight: in billionths.

    >>> weight_as_float(1_500_000_000), weight_as_float(2_877_000), weight_as_float(0)
    (1.5, 0.0028770000000000002, 0.0)
    """
    if weight == 0:
        return 0.0
    exact = Fraction(weight, NANO)
    shift = 64 - (exact.numerator.bit_length() - exact.denominator.bit_length())
    while exact * Fraction(2) ** shift >= 2**64:
        shift -= 1
    return ldexp(float(round(exact * Fraction(2) ** shift)), -shift)
