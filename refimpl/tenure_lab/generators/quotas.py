"""The amounts in which quotas are drawn, and what is left of them: what draws and measures reckon with.

It is written down a second time on purpose. What is drawn feeds both engines, so neither may decide what a
boundary is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from tenure.conformance.requests import DecideRequest
from tenure.model import Amount, ClusterQueue, Cohort, FlavorResource, ResourceGroup, Workload

CPU = "cpu"
GPU = "nvidia.com/gpu"
MEMORY = "memory"
PODS = "pods"
GIB = 2**30

_STEPS = {CPU: 1000, MEMORY: GIB}


def step_of(resource: str) -> Amount:
    """The amount in which quotas and requests are drawn: a core, a GiB, one device, one pod.

    >>> step_of("cpu"), step_of("nvidia.com/gpu")
    (1000, 1)
    """
    return _STEPS.get(resource, 1)


@dataclass(slots=True)
class QuotaNode:
    """A ClusterQueue or a cohort of the tree; amounts in milli-CPU for cpu, else in base units.

    Args:
        name: its name.
        parent: the cohort above it; None at a root.
        nominal, borrowing, lending: its own quota and limits.
        subtree: its nominal quota and what its children lend.
        usage: what is used here.
    """

    name: str
    parent: QuotaNode | None = None
    nominal: dict[FlavorResource, Amount] = field(default_factory=dict)
    borrowing: dict[FlavorResource, Amount] = field(default_factory=dict)
    lending: dict[FlavorResource, Amount] = field(default_factory=dict)
    subtree: dict[FlavorResource, Amount] = field(default_factory=dict)
    usage: dict[FlavorResource, Amount] = field(default_factory=dict)

    def local(self, place: FlavorResource) -> Amount:
        """The part of its quota that no other queue may borrow."""
        limit = self.lending.get(place)
        return 0 if limit is None else max(0, self.subtree.get(place, 0) - limit)

    def available(self, place: FlavorResource) -> Amount:
        """What may still be used; negative where a cohort above holds more than it has."""
        subtree, usage = self.subtree.get(place, 0), self.usage.get(place, 0)
        if self.parent is None:
            return subtree - usage
        local = self.local(place)
        above = self.parent.available(place)
        if place in self.borrowing:
            above = min(above, subtree - local - max(0, usage - local) + self.borrowing[place])
        return max(0, local - usage) + above

    def potential(self, place: FlavorResource) -> Amount:
        """What could be used if nothing were in use."""
        subtree = self.subtree.get(place, 0)
        if self.parent is None:
            return subtree
        most = self.local(place) + self.parent.potential(place)
        return min(most, subtree + self.borrowing[place]) if place in self.borrowing else most

    def use(self, place: FlavorResource, amount: Amount) -> None:
        """Count usage here, and above whatever exceeds the local part."""
        before = self.usage.get(place, 0)
        self.usage[place] = before + amount
        if self.parent is None:
            return
        local = self.local(place)
        over = max(0, before + amount - local) - max(0, before - local)
        if over:
            self.parent.use(place, over)

    def chain(self) -> Iterator[QuotaNode]:
        """The node and those above it, up to the root."""
        node: QuotaNode | None = self
        while node is not None:
            yield node
            node = node.parent

    @property
    def depth(self) -> int:
        """How many cohorts are above it.

        >>> QuotaNode("q0", parent=QuotaNode("c0")).depth
        1
        """
        return sum(1 for _ in self.chain()) - 1

    @property
    def root(self) -> QuotaNode:
        """The node above it that has none above; itself where it is alone."""
        *_, root = self.chain()
        return root


class Ledger:
    """The quota tree of a cluster and its usage.

    Args:
        queues, cohorts: of the cluster; a cohort that is only named as a parent has no quota of its own.

    >>> ledger = Ledger([ClusterQueue("q0", cohort="c0")], [])
    >>> ledger.queues["q0"].use(FlavorResource("f0", "cpu"), 500)
    >>> ledger.cohorts["c0"].usage
    {FlavorResource(flavor='f0', resource='cpu'): 500}
    """

    __slots__ = ("cohorts", "queues")

    def __init__(self, queues: Iterable[ClusterQueue], cohorts: Iterable[Cohort]) -> None:
        self.cohorts: dict[str, QuotaNode] = {}
        for cohort in cohorts:
            self._place(self._cohort(cohort.name), cohort.parent, cohort.resource_groups)
        self.queues = {queue.name: QuotaNode(queue.name) for queue in queues}
        for queue in queues:
            self._place(self.queues[queue.name], queue.cohort, queue.resource_groups)
        # From the leaves upwards, so that a cohort is complete before it lends.
        nodes = (*self.queues.values(), *self.cohorts.values())
        for node in sorted(nodes, key=lambda each: each.depth, reverse=True):
            _lend(node)

    def charge(self, workload: Workload) -> None:
        """Count what a workload holds; one of an unknown ClusterQueue counts nowhere."""
        queue = self.queues.get(workload.cluster_queue or "")
        if queue is not None:
            for place, amount in workload.usage.items():
                queue.use(place, amount)

    def _cohort(self, name: str) -> QuotaNode:
        return self.cohorts.setdefault(name, QuotaNode(name))

    def _place(self, node: QuotaNode, parent: str | None, groups: Iterable[ResourceGroup]) -> None:
        node.parent = self._cohort(parent) if parent is not None else None
        for group in groups:
            for quotas in group.flavors:
                for own, given in (
                    (node.nominal, quotas.nominal),
                    (node.borrowing, quotas.borrowing_limits),
                    (node.lending, quotas.lending_limits),
                ):
                    own.update(
                        {FlavorResource(quotas.flavor, name): amount for name, amount in given.items()}
                    )


def charged(request: DecideRequest) -> Ledger:
    """The quota tree of a scenario with everything charged that has a reservation."""
    ledger = Ledger(request.cluster.cluster_queues.values(), request.cluster.cohorts.values())
    for workload in request.cluster.admitted:
        if workload.quota_reserved_at is not None:
            ledger.charge(workload)
    return ledger


def _lend(node: QuotaNode) -> None:
    for place, amount in node.nominal.items():
        node.subtree[place] = node.subtree.get(place, 0) + amount
    if node.parent is None:
        return
    above = node.parent.subtree
    for place, amount in node.subtree.items():
        above[place] = above.get(place, 0) + amount - node.local(place)
