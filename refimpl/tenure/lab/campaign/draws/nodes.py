"""The quota arithmetic that drawing needs, on the ledger's nodes: neither engine is asked what fits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain

from tenure.lab.strategies.ledger import Node, lend_upwards
from tenure.lab.strategies.tree import Tree
from tenure.model import ClusterQueue, Cohort, ResourceGroup, Workload


class Nodes:
    """A node for every ClusterQueue and cohort, quotas lent upwards.

    Args:
        tree: where they stand.
        queues, cohorts: by name; a cohort of the tree may have no object.
    """

    __slots__ = ("queues",)

    def __init__(self, tree: Tree, queues: Mapping[str, ClusterQueue], cohorts: Mapping[str, Cohort]) -> None:
        above = {name: Node(name) for name in tree.cohorts}
        for name, parent in tree.cohorts.items():
            above[name].parent = above[parent] if parent is not None else None
            _fill(above[name], cohorts[name].resource_groups if name in cohorts else ())
        self.queues = {
            name: Node(name, above[parent] if parent is not None else None)
            for name, parent in tree.queues.items()
        }
        for name, node in self.queues.items():
            _fill(node, queues[name].resource_groups)
        lend_upwards(chain(self.queues.values(), above.values()))

    def charge(self, workload: Workload) -> None:
        """Count what a workload holds."""
        assert workload.cluster_queue is not None
        for place, amount in workload.usage.items():
            self.queues[workload.cluster_queue].use(place, amount)


def _fill(node: Node, groups: Iterable[ResourceGroup]) -> None:
    for group in groups:
        for quotas in group.flavors:
            for resource, amount in quotas.nominal.items():
                place = quotas.flavor, resource
                node.nominal[place] = amount
                if resource in quotas.borrowing_limits:
                    node.borrowing[place] = quotas.borrowing_limits[resource]
                if resource in quotas.lending_limits:
                    node.lending[place] = quotas.lending_limits[resource]
