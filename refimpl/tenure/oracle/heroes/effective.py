"""The effective tree: quotas and usage with all bills carried out (KEP-8826)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tenure.model import Amount, Amounts, FlavorResource, NodeQuota
from tenure.oracle.heroes.billing import Frozen, bill_branch, unlock_branch
from tenure.oracle.heroes.column import Column, column_of
from tenure.oracle.heroes.held import Held, held_beside, held_without
from tenure.oracle.heroes.plan import HeroPlan
from tenure.oracle.tree import NO_QUOTA, Tree, Usage, occupy, release, total_usage

NOTHING_FROZEN: Frozen = {}


@dataclass(frozen=True, slots=True)
class Charge:
    """A request that is counted although it does not run: no bill and no limit takes notice of it.

    Args:
        place: of its ClusterQueue.
        amounts: its request.
    """

    place: int
    amounts: Amounts


@dataclass(frozen=True, slots=True)
class EffectiveUsage(Sequence[Mapping[FlavorResource, Amount]]):
    """What is in use at every node of an effective tree, with that tree.

    Args:
        plan: the heroes of the tree.
        amounts: what is in use, by place.
        tree: with the quotas as bills leave them.
        held: what runs.
        bills: what each node of each branch is billed, in the order of the tree.
        columns: what was billed, by flavor-resource; none where no hero runs.
        frozen: the bills that were not made again.
        charge: a request that is counted beside what runs.
        watched: the flavor-resources that are needed; None for all.
    """

    plan: HeroPlan
    amounts: Usage
    tree: Tree
    held: Held
    bills: Frozen
    columns: Mapping[FlavorResource, Column]
    frozen: Frozen
    charge: Charge | None
    watched: frozenset[FlavorResource] | None

    def __getitem__(self, place: Any) -> Any:
        """What is in use at a node."""
        return self.amounts[place]

    def __len__(self) -> int:
        """How many nodes there are."""
        return len(self.amounts)


def effective_usage(
    plan: HeroPlan,
    held: Held,
    frozen: Frozen = NOTHING_FROZEN,
    watched: frozenset[FlavorResource] | None = None,
    charge: Charge | None = None,
) -> EffectiveUsage:
    """Tree and usage while heroes run.

    Args:
        plan: the heroes of the tree.
        held: what runs.
        frozen: bills that stay as they were.
        watched: the flavor-resources that are needed; None for all.
        charge: a request that is counted beside what runs.

    Source: KEP-8826, Implementation.
    """
    amounts, tree, bills, columns = _counted(plan, held, frozen, watched, charge)
    return EffectiveUsage(plan, amounts, tree, held, bills, columns, frozen, charge, watched)


def effective_without(usage: EffectiveUsage, place: int, amounts: Amounts) -> EffectiveUsage:
    """The usage once a workload has left a ClusterQueue; nothing but what is held is another one."""
    return _holding(usage, held_without(usage.held, place, amounts))


def effective_beside(usage: EffectiveUsage, place: int, amounts: Amounts) -> EffectiveUsage:
    """The usage once a workload has come to a ClusterQueue."""
    return _holding(usage, held_beside(usage.held, place, amounts))


def _holding(usage: EffectiveUsage, held: Held) -> EffectiveUsage:
    return effective_usage(usage.plan, held, usage.frozen, usage.watched, usage.charge)


def as_effective(usage: Usage) -> EffectiveUsage:
    """The usage of a tree that has heroes, with what is known of them.

    Args:
        usage: of a snapshot whose `heroes` is not None.

    Raises:
        TypeError: the usage is of a tree without heroes.
    """
    if not isinstance(usage, EffectiveUsage):
        raise TypeError("found the usage of a tree without heroes, expected one with heroes")
    return usage


def bills_in(usage: Usage) -> Mapping[FlavorResource, Column]:
    """What heroes bill, by flavor-resource; nothing where no hero runs."""
    return usage.columns if isinstance(usage, EffectiveUsage) else {}


def tree_under(usage: Usage, tree: Tree) -> Tree:
    """The tree that a usage is counted on: its own where heroes run, else the one given."""
    return usage.tree if isinstance(usage, EffectiveUsage) else tree


def usage_without(tree: Tree, usage: Usage, place: int, amounts: Amounts) -> Usage:
    """The usage once a workload has left a ClusterQueue."""
    if isinstance(usage, EffectiveUsage):
        return effective_without(usage, place, amounts)
    return release(tree, usage, place, amounts)


def charged_usage(tree: Tree, usage: Usage, place: int, amounts: Amounts) -> Usage:
    """The usage with a request counted at a ClusterQueue, which bills no node."""
    if isinstance(usage, EffectiveUsage) and usage.plan.unlocks:
        charge = Charge(place, amounts)
        return effective_usage(usage.plan, usage.held, usage.frozen, usage.watched, charge)
    return occupy(tree, usage, place, amounts)


def _counted(
    plan: HeroPlan,
    held: Held,
    frozen: Frozen,
    watched: frozenset[FlavorResource] | None,
    charge: Charge | None,
) -> tuple[Usage, Tree, Frozen, Mapping[FlavorResource, Column]]:
    """What is in use, on which tree, and the bills and columns that lead to it."""
    columns: dict[FlavorResource, Column] = {}
    bills: dict[tuple[int, FlavorResource], Mapping[int, Amount]] = {}
    for flavor_resource in sorted(_in_use(plan, held, watched)):
        column = columns[flavor_resource] = column_of(plan.tree, held, flavor_resource)
        for branch in plan.branches:
            shares = bill_branch(plan, branch, held, flavor_resource, column, frozen)
            if shares:
                bills[branch.root, flavor_resource] = shares
        if plan.unlocks:
            for branch in plan.branches:
                unlock_branch(plan, branch, held, flavor_resource, column)
    tree = _with_columns(plan.tree, columns)
    usage = total_usage(tree, _effective_held(held, columns, watched))
    if charge is not None:
        usage = occupy(tree, usage, charge.place, charge.amounts)
    return usage, tree, bills, columns


def _in_use(
    plan: HeroPlan, held: Held, watched: frozenset[FlavorResource] | None
) -> Iterable[FlavorResource]:
    """The flavor-resources that any hero uses."""
    found = {
        flavor_resource
        for place in plan.branch_of
        for flavor_resource, amount in held.amounts.get(place, {}).items()
        if amount > 0
    }
    return found if watched is None else found & watched


def _effective_held(
    held: Held, columns: Mapping[FlavorResource, Column], watched: frozenset[FlavorResource] | None
) -> dict[int, Amounts]:
    made: dict[int, Amounts] = {}
    for place, amounts in held.amounts.items():
        made[place] = {
            flavor_resource: columns[flavor_resource].used[place] if flavor_resource in columns else amount
            for flavor_resource, amount in amounts.items()
            if watched is None or flavor_resource in watched
        }
    return made


def _with_columns(tree: Tree, columns: Mapping[FlavorResource, Column]) -> Tree:
    """The tree with other quotas of some flavor-resources."""
    if not columns:
        return tree
    changed: list[dict[FlavorResource, NodeQuota]] = [dict(node.quotas) for node in tree.nodes]
    for flavor_resource, column in columns.items():
        for quotas, quota in zip(changed, column.quotas(), strict=True):
            if flavor_resource in quotas or quota != NO_QUOTA:
                quotas[flavor_resource] = quota
    nodes = (replace(node, quotas=quotas) for node, quotas in zip(tree.nodes, changed, strict=True))
    return replace(tree, nodes=tuple(nodes))
