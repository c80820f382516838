"""Quota arithmetic in its plainest form, for one flavor-resource of a small tree.

What is available is stated as a minimum over all nodes above, and not as Kueue's walk from the root, so that
both cannot be wrong in the same way.

Source: Kueue main of August 2026: a child's usage and quota reach its cohort beyond what the lending limit
keeps; a node may use its subtree's quota and its borrowing limit beyond; a root may not borrow.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from tenure_proofs.bounded.clusters import Node


class Quotas:
    """What does not depend on who runs.

    Args:
        nodes: a tree, each cohort before what is below it.
    """

    def __init__(self, nodes: tuple[Node, ...]) -> None:
        self.nodes = nodes
        self.subtree = [node.nominal for node in nodes]
        self.kept = [0] * len(nodes)
        for index in reversed(range(len(nodes))):
            node = nodes[index]
            if node.lends is not None:
                self.kept[index] = max(0, self.subtree[index] - node.lends)
            if node.above is not None:
                self.subtree[node.above] += self.subtree[index] - self.kept[index]

    def used(self, held: Sequence[int]) -> list[int]:
        """What is in use at every node, given what the ClusterQueues hold."""
        used = list(held)
        for index in reversed(range(len(self.nodes))):
            above = self.nodes[index].above
            if above is not None:
                used[above] += max(0, used[index] - self.kept[index])
        return used

    def free(self, used: Sequence[int], queue: int) -> int:
        """What is available: the least that a node above leaves, and what is idle and kept below that."""
        least, idle = None, 0
        for index in self._path(queue):
            slack = self._most(index)
            if slack is not None and (least is None or idle + slack - used[index] < least):
                least = idle + slack - used[index]
            idle += max(0, self.kept[index] - used[index])
        assert least is not None
        return least

    def capacity(self, queue: int) -> int:
        """What would be available if nothing ran."""
        return self.free([0] * len(self.nodes), queue)

    def is_over(self, used: Sequence[int], index: int) -> bool:
        """Whether a node uses more than its quota."""
        return used[index] > self.subtree[index]

    def _most(self, index: int) -> int | None:
        """The most that a node may use; None where nothing limits it."""
        node = self.nodes[index]
        if node.above is None:
            return self.subtree[index]
        return None if node.borrows is None else self.subtree[index] + node.borrows

    def _path(self, index: int | None) -> Sequence[int]:
        path = []
        while index is not None:
            path.append(index)
            index = self.nodes[index].above
        return path


@lru_cache(maxsize=1024)
def quotas_of(nodes: tuple[Node, ...]) -> Quotas:
    """The same for every cluster with these nodes."""
    return Quotas(nodes)
