"""The heroes of a tree: whose subtree is whose, and in which order they are billed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tenure.model import Kin
from tenure.oracle.tree import Node, Tree
from tenure.readings import HeroLending, Reading
from tenure.rules.hero_rank import is_hero, kinship, root_of_scope

STRANGERS = Kin()
"""Where neither queue is a hero."""


@dataclass(frozen=True, slots=True)
class Branch:
    """The subtree that some heroes share.

    Args:
        root: place of the cohort at its root.
        heroes: the places of the heroes whose subtree it is, by name.
        nodes: the places of all its nodes, the root first, each node before those below it, children by name.
    """

    root: int
    heroes: tuple[int, ...]
    nodes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class HeroPlan:
    """All about a tree with heroes that does not depend on what runs.

    Args:
        tree: with the quotas as they are configured.
        reading: see `tenure.readings`.
        branches: the deepest first, then by name; the order in which they are billed (UCQ-110).
        branch_of: the branch of each hero, by the hero's place.
        unlocks: whether lending limits may rise (UCQ-200), so that quotas depend on what runs everywhere.
    """

    tree: Tree
    reading: Reading
    branches: tuple[Branch, ...]
    branch_of: Mapping[int, Branch]
    unlocks: bool


def plan_heroes(tree: Tree, reading: Reading) -> HeroPlan | None:
    """The heroes of a tree; None where it has none.

    Args:
        tree: with the quotas as they are configured.
        reading: see `tenure.readings`.

    >>> from tenure.model import Cluster, ClusterQueue, PreemptionRules
    >>> from tenure.oracle.tree import build_tree
    >>> from tenure.readings import preset
    >>> hero = ClusterQueue("h", cohort="c", rules=PreemptionRules.UBER_CLUSTER_QUEUE)
    >>> plan = plan_heroes(build_tree(Cluster({"h": hero}), hero), preset("guaranteed"))
    >>> plan.branches
    (Branch(root=0, heroes=(1,), nodes=(0, 1)),)
    """
    heroes = [node for node in tree.nodes if node.queue is not None and _is_hero(node)]
    if not heroes:
        return None
    sharing: dict[int, list[Node]] = {}
    for node in sorted(heroes, key=lambda node: node.name):
        assert node.parent is not None
        sharing.setdefault(root_of_scope(node.parent, 0, reading.hero_scope), []).append(node)
    branches = [
        Branch(root, tuple(node.place for node in sharers), tuple(_preorder(tree, root)))
        for root, sharers in sharing.items()
    ]
    branches.sort(key=lambda branch: (-len(tree.nodes[branch.root].path), tree.nodes[branch.root].name))
    limited = any(
        tree.nodes[place].lends for branch in branches for place in branch.nodes if place != branch.root
    )
    return HeroPlan(
        tree=tree,
        reading=reading,
        branches=tuple(branches),
        branch_of={place: branch for branch in branches for place in branch.heroes},
        unlocks=limited and reading.hero_lending == HeroLending.IGNORE,
    )


def kin_between(plan: HeroPlan | None, mine: int, theirs: int) -> Kin:
    """How a target's ClusterQueue is related to the preemptor's: UCQ-060, by the tree.

    Args:
        plan: the heroes of their tree; None where it has none.
        mine, theirs: the places of the two queues.
    """
    if plan is None:
        return STRANGERS
    branch_at, nodes = plan.branch_of.get, plan.tree.nodes
    branch, other, parent = branch_at(mine), branch_at(theirs), nodes[mine].parent
    path = nodes[theirs].path
    return kinship(
        preemptor_hero=branch is not None,
        target_hero=other is not None,
        scope_contains=branch is not None and branch.root in path,
        parent_contains=parent in path,
        same_parent=parent == nodes[theirs].parent,
        same_queue=mine == theirs,
    )


def _is_hero(node: Node) -> bool:
    return node.queue is not None and is_hero(node.queue.rules, node.parent is not None)


def _preorder(tree: Tree, place: int) -> Iterator[int]:
    yield place
    node = tree.nodes[place]
    for child in sorted((*node.queues, *node.cohorts), key=lambda number: tree.nodes[number].name):
        yield from _preorder(tree, child)
