"""KEP-8826: who is a hero, what its subtree is, who is above whom, and whose turn it is."""

from __future__ import annotations

from typing import Any

from tenure.model import PreemptionRules
from tenure.readings import HeroScope
from tenure.rules.hero_rank import has_turn_before, is_above, is_hero, kinship, root_of_scope
from tenure_proofs.defining import Cases, defines
from tenure_proofs.premises import comes_first
from tenure_proofs.registry import REFUTED, obligation
from tenure_proofs.trusted.ancestors import cohorts
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.logic import all_of, any_of, iff, implies, negation
from tenure_proofs.trusted.schemas import along_every_path

TREE_SCOPE = ("as-written+hero_scope=tree", "guaranteed+hero_scope=tree")


@obligation("PO-UCQ-010", rules=["UCQ-010"])
def ancestors_of_a_cohort_form_a_path_to_the_root(claim: Claim) -> None:
    """KEP-8826, Goals, Hierarchical Protection: "closer to the root". By induction along the path walked.

    These are the axioms that other claims take for granted: each holds at a root, and at a node where it
    holds at the node above.
    """
    tree = cohorts(claim)
    first, second, node, parent = claim.numbers("first", "second", "node", "parent")
    is_root, above = claim.flag("is_root"), claim.lift(is_above)
    claim.assume(tree.unfolded(node, parent, is_root, first, second, node))
    claim.prove(tree.is_reflexive(node))

    def grows(below: Any) -> Any:
        return tree.grows(first, below)

    def is_ordered(below: Any) -> Any:
        return all_of(tree.is_transitive(first, second, below), tree.is_linear(first, second, below))

    for holds in (grows, is_ordered):
        along_every_path(
            claim,
            at_root=implies(is_root, holds(node)),
            above=all_of(negation(is_root), holds(parent)),
            here=holds(node),
        )
    grown = all_of(tree.grows(first, second), tree.grows(second, first))
    nearer = all_of(tree.contains(first, node), first != node)
    claim.prove(
        implies(grown, tree.is_antisymmetric(first, second)),
        iff(above(tree.contains(first, node), first == node).value, nearer),
    )


@obligation("PO-UCQ-020", rules=["UCQ-010"])
def above_is_a_strict_order_and_two_cohorts_above_one_are_above_each_other(claim: Claim) -> None:
    """KEP-8826, Goals, Hierarchical Protection: a hierarchy. In every tree, of any depth."""
    tree = cohorts(claim)
    first, second, third = tree.named("first", "second", "third")
    lifted = claim.lift(is_above)

    def above(one: Any, other: Any) -> Any:
        return lifted(tree.contains(one, other), one == other).value

    claim.prove(
        negation(above(first, first)),
        negation(all_of(above(first, second), above(second, first))),
        implies(all_of(above(first, second), above(second, third)), above(first, third)),
        implies(all_of(tree.contains(first, second), first != second), above(first, second)),
        implies(above(first, second), tree.height(first) < tree.height(second)),
        implies(
            all_of(above(first, third), above(second, third)),
            any_of(first == second, above(first, second), above(second, first)),
        ),
    )


@defines("PO-UCQ-035", has_turn_before)
def heads_of_heroes_come_first_the_higher_before_the_lower(first: Any, second: Any) -> Any:
    """KEP-8826, Goals, Hierarchical Protection; Non-Goals: "standard priority and creation time"."""
    by_rank = comes_first(
        (negation(second.hero), second.hero),
        (first.cohorts_above < second.cohorts_above, first.cohorts_above == second.cohorts_above),
        (first.priority > second.priority, first.priority == second.priority),
        last=first.queued_at < second.queued_at,
    )
    return all_of(first.hero, by_rank)


@obligation("PO-UCQ-040", rules=["UCQ-040"], also=dict.fromkeys(TREE_SCOPE, REFUTED))
def the_subtree_of_a_hero_is_that_of_its_parent_cohort(claim: Claim) -> None:
    """KEP-8826, Borrowing Subtree Isolation: "the resources defined within that specific branch"."""
    parent, root = claim.numbers("parent", "root")
    claim.prove(claim.lift(root_of_scope)(parent, root, claim.reading.hero_scope).value == parent)


@defines("PO-UCQ-045", root_of_scope)
def the_subtree_of_a_hero_begins_at_its_parent_cohort_or_at_the_root_of_its_tree(
    parent: Any, root: Any, choice: Any
) -> Cases:
    """KEP-8826, Goals, Subtree Containment: strictly scoped, and never "a different organizational tree"."""
    return [(choice == HeroScope.BRANCH, parent), (choice == HeroScope.TREE, root)]


@defines("PO-UCQ-050", is_hero)
def a_hero_is_a_queue_with_the_rules_and_a_cohort_and_nothing_else(rules: Any, has_cohort: Any) -> Any:
    """KEP-8826, API: the rules are chosen in the ClusterQueue; Goals, Subtree Containment: of its cohort."""
    return all_of(rules == PreemptionRules.UBER_CLUSTER_QUEUE, has_cohort)


@obligation("PO-UCQ-060", rules=["UCQ-010", "UCQ-060"])
def the_kinship_of_two_queues_is_that_in_the_tree(claim: Claim) -> None:
    """KEP-8826, Goals, Hierarchical Protection, Subtree Containment: closer to the root, and within.

    Of a subtree nothing is said but that it contains the parent cohort, as either of PO-UCQ-045 does. Both
    may be one.
    """
    tree = cohorts(claim)
    parent, other, scope, other_scope = tree.named("parent", "other", "scope", "other_scope")
    hero, other_hero, same = claim.flags("hero", "other_hero", "same_queue")
    alike = all_of(parent == other, iff(hero, other_hero), scope == other_scope)
    claim.assume(tree.contains(scope, parent), tree.contains(other_scope, other), implies(same, alike))
    inside, below = tree.contains(scope, other), tree.contains(parent, other)
    kin = claim.lift(kinship)(hero, other_hero, inside, below, parent == other, same)
    both = all_of(hero, other_hero)
    claim.prove(
        kin.defined,
        iff(kin.field("hero"), other_hero),
        iff(kin.field("in_scope"), all_of(hero, inside)),
        iff(kin.field("above"), all_of(both, below, parent != other)),
        iff(kin.field("peer"), all_of(both, parent == other, negation(same))),
    )
