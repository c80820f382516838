"""Who uses how much, and what is left: the quota arithmetic that draws and measures need.

It is written down a second time on purpose. The strategies feed the oracle, so they must not take
its word for what a boundary is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tenure.lab.strategies.amounts import read
from tenure.model import Amount

Object = dict[str, Any]
Place = tuple[str, str]
"""Flavor and resource."""


@dataclass(slots=True)
class Node:
    """A ClusterQueue or a cohort of the tree; amounts in milli-CPU for cpu, else in base units.

    Args:
        name: its name.
        parent: the cohort above it; None at a root.
        nominal, borrowing, lending: its own quota and limits.
        subtree: its nominal quota and what its children lend.
        usage: what is used here.
    """

    name: str
    parent: Node | None = None
    nominal: dict[Place, Amount] = field(default_factory=dict)
    borrowing: dict[Place, Amount] = field(default_factory=dict)
    lending: dict[Place, Amount] = field(default_factory=dict)
    subtree: dict[Place, Amount] = field(default_factory=dict)
    usage: dict[Place, Amount] = field(default_factory=dict)

    def local(self, place: Place) -> Amount:
        """The part of its quota that nobody else may borrow."""
        limit = self.lending.get(place)
        return 0 if limit is None else max(0, self.subtree.get(place, 0) - limit)

    def available(self, place: Place) -> Amount:
        """What may still be used; negative where a cohort above holds more than it has."""
        subtree, usage = self.subtree.get(place, 0), self.usage.get(place, 0)
        if self.parent is None:
            return subtree - usage
        local = self.local(place)
        above = self.parent.available(place)
        if place in self.borrowing:
            above = min(above, subtree - local - max(0, usage - local) + self.borrowing[place])
        return max(0, local - usage) + above

    def potential(self, place: Place) -> Amount:
        """What could be used if nobody used anything."""
        subtree = self.subtree.get(place, 0)
        if self.parent is None:
            return subtree
        most = self.local(place) + self.parent.potential(place)
        return min(most, subtree + self.borrowing[place]) if place in self.borrowing else most

    def use(self, place: Place, amount: Amount) -> None:
        """Count usage here, and above whatever exceeds the local part."""
        before = self.usage.get(place, 0)
        self.usage[place] = before + amount
        if self.parent is None:
            return
        local = self.local(place)
        over = max(0, before + amount - local) - max(0, before - local)
        if over:
            self.parent.use(place, over)

    def chain(self) -> Iterator[Node]:
        """The node and those above it, up to the root."""
        node: Node | None = self
        while node is not None:
            yield node
            node = node.parent


class Ledger:
    """The quota tree of a scenario and its usage.

    Args:
        cluster_queues, cohorts: API objects; no cycle among the cohorts.

    >>> quota = {"name": "cpu", "nominalQuota": "2"}
    >>> group = {"coveredResources": ["cpu"], "flavors": [{"name": "f0", "resources": [quota]}]}
    >>> queue = {"metadata": {"name": "q0"}, "spec": {"cohortName": "c0", "resourceGroups": [group]}}
    >>> ledger = Ledger([queue], [])
    >>> ledger.queues["q0"].use(("f0", "cpu"), 500)
    >>> ledger.queues["q0"].available(("f0", "cpu")), ledger.cohorts["c0"].usage
    (1500, {('f0', 'cpu'): 500})
    """

    __slots__ = ("cohorts", "queues")

    def __init__(self, cluster_queues: list[Object], cohorts: list[Object]) -> None:
        self.cohorts: dict[str, Node] = {}
        for raw in cohorts:
            self._place(self._cohort(raw["metadata"]["name"]), raw, "parentName")
        self.queues: dict[str, Node] = {}
        for raw in cluster_queues:
            node = self.queues[raw["metadata"]["name"]] = Node(raw["metadata"]["name"])
            self._place(node, raw, "cohortName")
        lend_upwards((*self.queues.values(), *self.cohorts.values()))

    def charge(self, workload: Object) -> None:
        """Count what an admitted workload holds; one of an unknown ClusterQueue counts nowhere."""
        admission = workload["status"]["admission"]
        queue = self.queues.get(admission["clusterQueue"])
        if queue is None or not is_reserved(workload):
            return
        for place, amount in usage_of(workload).items():
            queue.use(place, amount)

    def _cohort(self, name: str) -> Node:
        return self.cohorts.setdefault(name, Node(name))

    def _place(self, node: Node, raw: Object, parent: str) -> None:
        spec = raw.get("spec") or {}
        if spec.get(parent):
            node.parent = self._cohort(spec[parent])
        for place, quota in quotas_of(spec):
            resource = place[1]
            node.nominal[place] = read(quota["nominalQuota"], resource)
            for limits, key in ((node.borrowing, "borrowingLimit"), (node.lending, "lendingLimit")):
                if quota.get(key) is not None:
                    limits[place] = read(quota[key], resource)


def quotas_of(spec: Mapping[str, Any]) -> Iterator[tuple[Place, Mapping[str, Any]]]:
    """Every quota of a ClusterQueue's or Cohort's spec, with its flavor and resource.

    >>> quota = {"name": "cpu", "nominalQuota": "2"}
    >>> group = {"coveredResources": ["cpu"], "flavors": [{"name": "f0", "resources": [quota]}]}
    >>> [place for place, _ in quotas_of({"resourceGroups": [group]})]
    [('f0', 'cpu')]
    """
    for group in spec.get("resourceGroups") or ():
        for flavor in group["flavors"]:
            for quota in flavor["resources"]:
                yield (flavor["name"], quota["name"]), quota


def usage_of(workload: Object) -> dict[Place, Amount]:
    """What an admitted workload holds, without the pods that are reclaimable.

    >>> assigned = {"name": "main", "count": 2, "flavors": {"cpu": "f0"}, "resourceUsage": {"cpu": "2"}}
    >>> status = {"admission": {"clusterQueue": "q0", "podSetAssignments": [assigned]}}
    >>> usage_of({"status": {**status, "reclaimablePods": [{"name": "main", "count": 1}]}})
    {('f0', 'cpu'): 1000}
    """
    status = workload["status"]
    spare = {entry["name"]: entry["count"] for entry in status.get("reclaimablePods") or ()}
    usage: dict[Place, Amount] = {}
    for assigned in status["admission"]["podSetAssignments"]:
        count = assigned["count"]
        left = count - spare.get(assigned["name"], 0)
        for resource, text in assigned["resourceUsage"].items():
            place = assigned["flavors"][resource], resource
            usage[place] = usage.get(place, 0) + read(text, resource) // max(count, 1) * left
    return usage


def is_reserved(workload: Object) -> bool:
    """Whether condition QuotaReserved is True.

    >>> is_reserved({"status": {"conditions": [{"type": "QuotaReserved", "status": "True"}]}})
    True
    """
    conditions = workload["status"].get("conditions") or ()
    return any(each["type"] == "QuotaReserved" and each["status"] == "True" for each in conditions)


def depth(node: Node) -> int:
    """How many cohorts are above a node.

    >>> depth(Node("q0", parent=Node("c0")))
    1
    """
    return sum(1 for _ in node.chain()) - 1


def lend_upwards(nodes: Iterable[Node]) -> None:
    """Fill in what every node of whole trees has with what is lent to it.

    >>> cohort = Node("c0")
    >>> lend_upwards([cohort, Node("q0", cohort, nominal={("f0", "cpu"): 2000})])
    >>> cohort.subtree
    {('f0', 'cpu'): 2000}
    """
    # From the leaves upwards, so that a cohort is complete before it lends.
    for node in sorted(nodes, key=depth, reverse=True):
        _lend(node)


def _lend(node: Node) -> None:
    for place, amount in node.nominal.items():
        node.subtree[place] = node.subtree.get(place, 0) + amount
    if node.parent is None:
        return
    above = node.parent.subtree
    for place, amount in node.subtree.items():
        above[place] = above.get(place, 0) + amount - node.local(place)
