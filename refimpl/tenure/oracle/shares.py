"""Dominant resource shares of the nodes of a tree."""

from __future__ import annotations

from collections.abc import Mapping
from math import ldexp

from tenure.model import NANO, Amount
from tenure.oracle.heroes.effective import tree_under
from tenure.oracle.tree import Tree, Usage, potential_at
from tenure.rules.amounts import plus
from tenure.rules.share import Share, borrowed_amount, borrowed_ratio


class Shares:
    """The shares in one tree; what its cohorts can lend does not depend on usage and is counted once.

    Args:
        tree: the tree.

    Source: Kueue main of August 2026, dominant resource share.

    >>> from tenure.model import Cluster, ClusterQueue, FlavorQuotas, FlavorResource, ResourceGroup
    >>> from tenure.oracle.tree import build_tree
    >>> def queue(name): return ClusterQueue(
    ...     name, (ResourceGroup(("gpu",), (FlavorQuotas("f", {"gpu": 4}),)),), cohort="c")
    >>> tree = build_tree(Cluster({name: queue(name) for name in "ab"}), queue("a"))
    >>> Shares(tree).of(({}, {FlavorResource("f", "gpu"): 6}, {}), 1).ratio
    250.0
    """

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._lendable = {
            node.place: lendable_at(tree, node.place) for node in tree.nodes if node.queue is None
        }

    def of(self, usage: Usage, place: int) -> Share:
        """The share of a node, given what is in use; a root has none."""
        node, used = self._tree.nodes[place], usage[place]
        if node.parent is None:
            return Share(borrowing=False, ratio=0.0, weight=weight_as_float(node.weight))
        borrowed: dict[str, Amount] = {}
        for flavor_resource, quota in node.quotas.items():
            beyond = borrowed_amount(used.get(flavor_resource, 0), quota.subtree)
            if beyond:
                borrowed[flavor_resource.resource] = plus(borrowed.get(flavor_resource.resource, 0), beyond)
        if not borrowed:
            return Share(borrowing=False, ratio=0.0, weight=weight_as_float(node.weight))
        lendable = self._lendable[node.parent]
        ratios = (borrowed_ratio(amount, lendable.get(resource, 0)) for resource, amount in borrowed.items())
        return Share(borrowing=True, ratio=max(ratios), weight=weight_as_float(node.weight))


class SharesOf:
    """The shares in the tree that a usage is counted on; while heroes run it may change with the usage.

    Args:
        tree: the tree of a usage that has none of its own.
    """

    def __init__(self, tree: Tree) -> None:
        self._shares = Shares(tree)
        self._tree = tree

    def of(self, usage: Usage, place: int) -> Share:
        """The share of a node, given what is in use; a root has none."""
        tree = tree_under(usage, self._tree)
        if tree is not self._tree:
            self._shares, self._tree = Shares(tree), tree
        return self._shares.of(usage, place)


def lendable_at(tree: Tree, cohort: int) -> Mapping[str, Amount]:
    """What a cohort could have of each resource, over all flavors that its tree knows.

    Args:
        tree: the tree.
        cohort: the cohort's place.
    """
    lendable: dict[str, Amount] = {}
    for flavor_resource in tree.nodes[0].quotas:
        potential = potential_at(tree, cohort, flavor_resource)
        lendable[flavor_resource.resource] = plus(lendable.get(flavor_resource.resource, 0), potential)
    return lendable


def weight_as_float(weight: int) -> float:
    """A fair-sharing weight as Kubernetes makes a float of a quantity: rounded to 64 bits, those to a double.

    Args:
        weight: in billionths.

    Source: Kubernetes, floats of quantities; what is rounded twice may differ from what is rounded once.

    >>> weight_as_float(1_500_000_000), weight_as_float(2_877_000), weight_as_float(0)
    (1.5, 0.0028770000000000002, 0.0)
    """
    if weight == 0:
        return 0.0
    shift = 64 - weight.bit_length() + NANO.bit_length()
    quotient, rest = _shifted(weight, shift)
    while quotient >= 2**64:
        shift -= 1
        quotient, rest = _shifted(weight, shift)
    if 2 * rest > NANO or (2 * rest == NANO and quotient % 2):
        quotient += 1
    return ldexp(float(quotient), -shift)


def _shifted(weight: int, shift: int) -> tuple[int, int]:
    return divmod(weight << shift, NANO) if shift >= 0 else divmod(weight, NANO << -shift)
