"""A tree cut down to two ClusterQueues and their paths: the other children of each node are one amount.

What the others pass up is between nothing and what they lend and may borrow, each for itself and so all
together; what they use of their local quota no other node sees. Every consistent state of the tree is one of
the slice. After edits the others may pass up any amount of anything: that is up to the encoding, which
then uses no node's maximum. In both, what a node keeps for itself is as in the tree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce

from tenure.model import ClusterQueue, FlavorResource, NodeQuota
from tenure.oracle.tree import Node, Tree
from tenure.rules.amounts import plus
from tenure.rules.quota import quota_passed_up


def slice_of(tree: Tree, *places: int) -> Tree:
    """The slice of a tree around some of its ClusterQueues, whose names it keeps."""
    return _Cut(tree, frozenset(index for place in places for index in tree.nodes[place].path)).made()


class _Cut:
    """Lays out the slice from the root down."""

    def __init__(self, tree: Tree, kept: frozenset[int]) -> None:
        self._old, self._kept = tree.nodes, kept
        self._nodes: dict[int, Node] = {}
        self._places: dict[str, int] = {}

    def made(self) -> Tree:
        """The whole slice."""
        self._add(0, ())
        return Tree(tuple(self._nodes[place] for place in range(len(self._nodes))), self._places)

    def _add(self, old: int, above: tuple[int, ...]) -> int:
        place, node = self._next(), self._old[old]
        path = (place, *above)
        self._nodes[place] = node  # keeps the place until its children are known
        queues = [self._add(child, path) for child in node.queues if child in self._kept]
        cohorts = [self._add(child, path) for child in node.cohorts if child in self._kept]
        others = [self._old[child] for child in (*node.queues, *node.cohorts) if child not in self._kept]
        if others:
            queues.append(self._add_others(f"others of {node.name}", others, path))
        self._nodes[place] = Node(
            place=place,
            name=node.name,
            queue=node.queue,
            path=path,
            queues=tuple(queues),
            cohorts=tuple(cohorts),
            quotas=node.quotas,
            weight=node.weight,
            height=node.height,
            lends=node.lends,
        )
        if node.queue is not None:
            self._places[node.name] = place
        return place

    def _add_others(self, name: str, others: Sequence[Node], above: tuple[int, ...]) -> int:
        place = self._next()
        self._nodes[place] = Node(
            place=place,
            name=name,
            queue=ClusterQueue(name),
            path=(place, *above),
            queues=(),
            cohorts=(),
            quotas=_together(others),
            weight=0,
            height=0,
            lends={},
        )
        return place

    def _next(self) -> int:
        return len(self._nodes)


def _together(others: Sequence[Node]) -> Mapping[FlavorResource, NodeQuota]:
    """What several nodes lend, and the most that they may borrow, as the quota of one."""
    found: dict[FlavorResource, NodeQuota] = {}
    for at in sorted({at for node in others for at in node.quotas}):
        quotas = [node.quotas[at] for node in others if at in node.quotas]
        lent = reduce(plus, map(quota_passed_up, quotas))
        limits = [quota.borrowing_limit for quota in quotas if quota.borrowing_limit is not None]
        limit = reduce(plus, limits) if len(limits) == len(quotas) else None
        found[at] = NodeQuota(nominal=lent, subtree=lent, local=0, borrowing_limit=limit)
    return found
