"""One flavor-resource of a tree while bills are carried out, by place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tenure.model import Amount, FlavorResource, NodeQuota
from tenure.oracle.heroes.held import Held
from tenure.oracle.tree import Tree, quota_at
from tenure.rules.amounts import plus
from tenure.rules.quota import local_available, local_quota, quota_passed_up, usage_passed_up


@dataclass(slots=True)
class Column:
    """Quotas and usage of one flavor-resource, which change as heroes are billed.

    Args:
        parents: the place above every node; None at the root.
        nominal: the nominal quota of every node.
        borrowing: its borrowing limit; None for no limit.
        lending: its lending limit; None for no limit.
        used: what is in use at it, where it is a ClusterQueue.
        bill: what it has been billed.
        credit: what it has been credited, where it is a hero.
    """

    parents: Sequence[int | None]
    nominal: list[Amount]
    borrowing: list[Amount | None]
    lending: list[Amount | None]
    used: list[Amount]
    bill: list[Amount]
    credit: list[Amount]

    def quotas(self) -> list[NodeQuota]:
        """The quota of every node, with what its children lend it."""
        subtree = list(self.nominal)
        made = [NodeQuota()] * len(subtree)
        for place in range(len(subtree) - 1, -1, -1):  # children come after their parents
            local = local_quota(subtree[place], self.lending[place])
            made[place] = NodeQuota(self.nominal[place], subtree[place], local, self.borrowing[place])
            parent = self.parents[place]
            if parent is not None:
                subtree[parent] = plus(subtree[parent], quota_passed_up(made[place]))
        return made

    def usage(self, quotas: list[NodeQuota]) -> list[Amount]:
        """What is in use at every node, given their quotas."""
        usage = list(self.used)
        for place in range(len(usage) - 1, -1, -1):
            parent = self.parents[place]
            if parent is not None:
                usage[parent] = plus(usage[parent], usage_passed_up(quotas[place], usage[place]))
        return usage

    def idle(self, quotas: list[NodeQuota], usage: list[Amount], place: int) -> Amount:
        """What is left of a node's local quota."""
        return local_available(quotas[place], usage[place])


def column_of(tree: Tree, held: Held, flavor_resource: FlavorResource) -> Column:
    """A flavor-resource as it is configured and held, no node billed yet."""
    quotas = [quota_at(tree, node.place, flavor_resource) for node in tree.nodes]
    lends: list[Mapping[FlavorResource, Amount]] = [node.lends for node in tree.nodes]
    nothing = [0] * len(quotas)
    return Column(
        parents=[node.parent for node in tree.nodes],
        nominal=[quota.nominal for quota in quotas],
        borrowing=[quota.borrowing_limit for quota in quotas],
        lending=[limits.get(flavor_resource) for limits in lends],
        used=[held.used(node.place, flavor_resource) for node in tree.nodes],
        bill=list(nothing),
        credit=list(nothing),
    )
