"""Cohort trees of any shape, of which a claim names a few nodes, and how two ClusterQueues stand in them.

What is assumed of a tree are axioms without quantifiers, for the named nodes. They are universal:
what holds of some nodes in every tree needs them for these nodes only, and values that satisfy them are a
tree. That walking up from node to parent satisfies them is proved (PO-UCQ-010).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

from tenure_proofs.trusted.claim import Claim, Lifting
from tenure_proofs.trusted.logic import all_of, any_of, iff, implies, negation
from tenure_proofs.trusted.symbols import SymBool, SymFunction


@dataclass(frozen=True, slots=True)
class Cohorts:
    """The cohorts of one tree.

    Args:
        claim: the claim that speaks of them.
        contains: whether the second node is the first, or below it.
        height: how many cohorts stand above a node.
    """

    claim: Claim
    contains: SymFunction
    height: SymFunction

    def named(self, *names: str) -> tuple[Any, ...]:
        """Some arbitrary cohorts, perhaps the same."""
        nodes = tuple(self.claim.number(name) for name in names)
        self.claim.grant(
            *(self.is_reflexive(node) for node in nodes),
            *(self.is_antisymmetric(*two) for two in product(nodes, repeat=2)),
            *(self.grows(*two) for two in product(nodes, repeat=2)),
            *(self.is_transitive(*three) for three in product(nodes, repeat=3)),
            *(self.is_linear(*three) for three in product(nodes, repeat=3)),
        )
        return nodes

    def is_reflexive(self, node: Any) -> SymBool:
        """A node contains itself, and has no fewer than no cohorts above it."""
        return all_of(self.contains(node, node), self.height(node) >= 0)

    def is_antisymmetric(self, first: Any, second: Any) -> SymBool:
        """Of two nodes one does not contain the other."""
        return implies(all_of(self.contains(first, second), self.contains(second, first)), first == second)

    def grows(self, first: Any, second: Any) -> SymBool:
        """A node has fewer cohorts above it than any other that it contains."""
        nearer = self.height(first) < self.height(second)
        return implies(self.contains(first, second), any_of(first == second, nearer))

    def is_transitive(self, first: Any, second: Any, third: Any) -> SymBool:
        """What is contained in what a node contains is contained in the node."""
        return implies(
            all_of(self.contains(first, second), self.contains(second, third)), self.contains(first, third)
        )

    def is_linear(self, first: Any, second: Any, third: Any) -> SymBool:
        """Of two nodes that contain a third one contains the other."""
        return implies(
            all_of(self.contains(first, third), self.contains(second, third)),
            any_of(self.contains(first, second), self.contains(second, first)),
        )

    def under(self, root: Any, *nodes: Any) -> SymBool:
        """All these are in the tree of a root."""
        return all_of(self.height(root) == 0, *(self.contains(root, node) for node in nodes))

    def unfolded(self, node: Any, parent: Any, is_root: SymBool, *nodes: Any) -> SymBool:
        """What walking up from a node finds: itself, and what walking up from its parent finds."""
        found = (
            iff(
                self.contains(item, node),
                any_of(item == node, all_of(negation(is_root), self.contains(item, parent))),
            )
            for item in nodes
        )
        return all_of(
            *found,
            self.height(parent) >= 0,
            implies(is_root, self.height(node) == 0),
            implies(negation(is_root), self.height(node) == self.height(parent) + 1),
        )


def cohorts(claim: Claim) -> Cohorts:
    """A tree of which nothing is known but that it is one."""
    return Cohorts(claim, claim.function("contains", bool, 2), claim.function("height", int, 1))


@dataclass(frozen=True, slots=True)
class Stand:
    """Where a ClusterQueue stands.

    Args:
        hero: whether it is a hero.
        parent: its parent cohort.
        scope: the cohort whose subtree is its own, where it is a hero.
    """

    hero: SymBool
    parent: Any
    scope: Any


def kin_is(
    kin: Any, tree: Cohorts, mine: Stand, theirs: Stand, kinship: Lifting, *, same_queue: bool
) -> SymBool:
    """A record says what UCQ-060 makes of how two ClusterQueues stand in the tree.

    Args:
        kin: the record, about the second queue as seen from the first.
        tree: the tree of both.
        mine, theirs: the two queues.
        kinship: the rule, lifted.
        same_queue: whether both are one queue.
    """
    said = kinship(
        mine.hero,
        theirs.hero,
        tree.contains(mine.scope, theirs.parent),
        tree.contains(mine.parent, theirs.parent),
        mine.parent == theirs.parent,
        same_queue,
    )
    return all_of(
        *(iff(getattr(kin, name), said.field(name)) for name in ("hero", "in_scope", "above", "peer"))
    )
