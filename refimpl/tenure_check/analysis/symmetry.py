"""Which ClusterQueues of a tree are alike, so that what is known of one pair is known of another.

Two pairs are alike if a permutation of the tree takes one to the other that leaves every field as it is:
quotas, limits, weights, policies, flavors, what is inactive. A proof about all states of one pair is one of
the other with names exchanged. An example is not: names break ties. It is decided again with names exchanged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TypeAlias

from tenure.model import Workload
from tenure.oracle.tree import Node, Tree
from tenure_check.analysis.states import CellQuery, Example

PairKey: TypeAlias = tuple[tuple[int, ...], tuple[int, ...], int]


class Symmetry:
    """The permutations of a tree that leave all but names as it is.

    Args:
        tree: the tree.

    >>> from tenure.model import Cluster, ClusterQueue, FlavorQuotas, ResourceGroup
    >>> from tenure.oracle.tree import build_tree
    >>> quota = (ResourceGroup(("gpu",), (FlavorQuotas("a100", {"gpu": 4}),)),)
    >>> names = ("a", "b", "long")
    >>> queues = {name: ClusterQueue(name, quota, cohort="c", weight=len(name)) for name in names}
    >>> symmetry = Symmetry(build_tree(Cluster(queues), queues["a"]))
    >>> symmetry.first_like("b", "a"), symmetry.first_like("long", "b"), symmetry.first_like("b", "b")
    (('a', 'b'), ('long', 'a'), ('a', 'a'))
    >>> symmetry.names(("a", "b"), ("b", "a"))
    {'a': 'b', 'b': 'a', 'long': 'long'}
    """

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self._numbers: dict[object, int] = {}
        self._sorts = [0] * len(tree.nodes)
        for node in reversed(tree.nodes):  # children come after their parents
            self._sorts[node.place] = self._numbers.setdefault(self._fields(node), len(self._numbers))
        self._first: dict[PairKey, tuple[str, str]] = {}
        queues = sorted(tree.places)
        self._pairs = {(one, other): self._pair_key(one, other) for one in queues for other in queues}
        for pair, key in self._pairs.items():
            self._first.setdefault(key, pair)

    @property
    def queues(self) -> list[str]:
        """The first of all ClusterQueues that are alike, of every sort."""
        return [one for one, other in self._first.values() if one == other]

    @property
    def first_pairs(self) -> list[tuple[str, str]]:
        """The first of all pairs that are alike, of every sort."""
        return list(self._first.values())

    @property
    def others(self) -> dict[tuple[str, str], tuple[str, str]]:
        """Every other pair, and the first one that is like it."""
        firsts = {pair: self._first[key] for pair, key in self._pairs.items()}
        return {pair: first for pair, first in firsts.items() if pair != first}

    def first_like(self, preemptor: str, victim: str) -> tuple[str, str]:
        """Of all pairs that are like this one, the first by name."""
        return self._first[self._pairs[preemptor, victim]]

    def names(self, old: tuple[str, str], new: tuple[str, str]) -> dict[str, str]:
        """A permutation that takes a pair to another that is like it: the new name of every ClusterQueue."""
        fixed: dict[int, int] = {}
        for one, other in zip(old, new, strict=True):
            paths = (self.tree.nodes[self.tree.places[name]].path for name in (one, other))
            fixed.update(zip(*paths, strict=True))
        nodes = self.tree.nodes
        return {
            nodes[place].name: nodes[image].name
            for place, image in self._matched(0, 0, fixed)
            if nodes[place].queue is not None
        }

    def _fields(self, node: Node) -> object:
        """All of a node that decides, without names."""
        queue = None if node.queue is None else replace(node.queue, name="", cohort=None)
        below = sorted(self._sorts[child] for child in (*node.queues, *node.cohorts))
        quotas = sorted(node.quotas.items()), sorted(node.lends.items())
        return repr((queue, below, quotas, node.weight, node.height))

    def _pair_key(self, one: str, other: str) -> PairKey:
        paths = [self.tree.nodes[self.tree.places[name]].path[::-1] for name in (one, other)]
        mine, theirs = (tuple(self._sorts[place] for place in path) for path in paths)
        return mine, theirs, sum(place == image for place, image in zip(*paths, strict=False))

    def _matched(self, place: int, image: int, fixed: Mapping[int, int]) -> Iterator[tuple[int, int]]:
        yield place, image
        children, images = (
            [*self.tree.nodes[index].queues, *self.tree.nodes[index].cohorts] for index in (place, image)
        )
        kept = {child: fixed[child] for child in children if child in fixed}
        rest = sorted((child for child in children if child not in kept), key=self._sort_of)
        others = sorted((child for child in images if child not in kept.values()), key=self._sort_of)
        for child, other in (*kept.items(), *zip(rest, others, strict=True)):
            yield from self._matched(child, other, fixed)

    def _sort_of(self, place: int) -> int:
        return self._sorts[place]


def renamed(example: Example, names: Mapping[str, str], cell: CellQuery) -> Example:
    """An example with the names of ClusterQueues exchanged.

    Args:
        example: of a cell of the same priorities and reason.
        names: the new name of each ClusterQueue.
        cell: the cell that it is to be an example of.
    """

    def elsewhere(workload: Workload) -> Workload:
        return replace(workload, cluster_queue=names[workload.cluster_queue or ""])

    running = tuple(map(elsewhere, example.request.cluster.admitted))
    cluster = replace(example.request.cluster, admitted=running)
    return replace(example, request=replace(example.request, cluster=cluster, queue=cell.preemptor))
