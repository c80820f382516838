"""Dominant resource shares over arrays, in the same floating-point steps as KQ-440 to KQ-460."""

from __future__ import annotations

from typing import NamedTuple

from tenure.rules import share as rules
from tenure_simulate.core.amounts import minus, plus
from tenure_simulate.core.compiled import compiled, compiled_rule, inlined
from tenure_simulate.core.tables import Array, Forest

borrowed_amount = compiled_rule(rules.borrowed_amount, minus=minus)
borrowed_ratio = compiled_rule(rules.borrowed_ratio)

INFINITE = float("inf")

NOT_BORROWING = -1.0
"""Stands for the share of a node that borrows nothing, which counts as 0."""


@compiled
def count_lendable(forest: Forest, most: Array, lendable: Array) -> None:
    """What every node could have of each resource, over all flavors that its tree knows.

    Args:
        most: room for what it could have of each flavor-resource (KQ-160), int64[nodes, columns].
        lendable: the result, all zero before, int64[nodes, resources].
    """
    for node in range(len(forest.parent)):
        above = forest.parent[node]
        for at in range(len(forest.resource)):
            most[node, at] = forest.subtree[node, at]
            if above >= 0:
                reach = plus(forest.local[node, at], most[above, at])
                most[node, at] = min(plus(forest.subtree[node, at], forest.limit[node, at]), reach)
            if forest.covered[forest.root[node], at]:
                resource = forest.resource[at]
                lendable[node, resource] = plus(lendable[node, resource], most[node, at])


@compiled
def ratio_of(forest: Forest, usage: Array, lendable: Array, node: int, borrowed: Array) -> float:
    """The largest of what a node has borrowed of each resource over what its parent could have (KQ-440).

    Args:
        lendable: by parent, int64[nodes, resources].
        borrowed: room, int64[resources].

    Returns:
        in thousandths; `NOT_BORROWING` for a root and for a node that borrows nothing.
    """
    if forest.parent[node] < 0:
        return NOT_BORROWING
    for resource in range(len(borrowed)):
        borrowed[resource] = 0
    for at in range(len(forest.resource)):
        if forest.covered[node, at]:
            beyond = borrowed_amount(usage[node, at], forest.subtree[node, at])
            borrowed[forest.resource[at]] = plus(borrowed[forest.resource[at]], beyond)
    most = NOT_BORROWING
    for resource in range(len(borrowed)):
        if borrowed[resource] > 0:
            of = lendable[forest.parent[node], resource]
            most = max(most, borrowed_ratio(borrowed[resource], of))
    return most


class KernelShare(NamedTuple):
    """As `tenure.rules.share.Share`, as far as rules read it, and with it the share by its weight."""

    ratio: float
    weight: float
    weighted: float


@compiled
def _weighted(share: KernelShare) -> float:
    return share.weighted


weighted_share = compiled_rule(rules.weighted_share)
compare_shares = compiled_rule(rules.compare_shares, weighted_share=_weighted)


@inlined
def weigh(ratio: float, weight: float) -> float:
    """A share: a ratio by its node's weight, infinite for one that borrows without any (KQ-460)."""
    return float(weighted_share(KernelShare(max(0.0, ratio), weight, 0.0)))


@inlined
def compare(first: float, first_ratio: float, second: float, second_ratio: float) -> int:
    """How two shares compare, -1, 0 or 1; where both are infinite, their ratios (KQ-450)."""
    one = KernelShare(float(first_ratio), 0.0 if first == INFINITE else 1.0, float(first))
    other = KernelShare(float(second_ratio), 0.0 if second == INFINITE else 1.0, float(second))
    return int(compare_shares(one, other))
