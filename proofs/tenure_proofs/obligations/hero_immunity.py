"""KEP-8826: what a hero may not preempt, and what may not preempt it. Trees are of any shape and depth."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from tenure.model import Basis, DynamicPriorityPolicy, Evidence, Head, Kin, Workload
from tenure.oracle.door import take_target
from tenure.readings import HeroPrecedence
from tenure.rules.dynamic_priority import dynamic_priority
from tenure.rules.hero_rank import has_turn_before, kinship, may_take_from_hero, root_of_scope
from tenure.rules.hero_targets import basis_for_hero, is_immune
from tenure_proofs.defining import Cases, defines
from tenure_proofs.premises import any_question, any_terms, is_own
from tenure_proofs.registry import PROVED, REFUTED, everywhere, obligation
from tenure_proofs.trusted.ancestors import Cohorts, Stand, cohorts, kin_is
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.logic import all_of, any_of, has_value, iff, implies, negation
from tenure_proofs.trusted.schemas import over_every_fold

RANK = ["UCQ-010", "UCQ-020", "UCQ-040", "UCQ-060"]
IMMUNITY = [*RANK, "KQ-300", "UCQ-310", "UCQ-340"]
TERMS = {"preemptor": "terms", "target": "theirs"}
"""What terms are called in claims about one decision, which are told as a story."""

BY_RANK = {
    "UCQ-040": "where rank comes first, a hero of another branch is neither below nor a peer, whatever the "
    "subtree"
}
"""Why some claims about heroes do not depend on their subtrees, as guaranteed; as written they do."""

WRITTEN_TREE, GUARANTEED_TREE = "as-written+hero_scope=tree", "guaranteed+hero_scope=tree"
BRANCH_OR_RANK = {WRITTEN_TREE: REFUTED, GUARANTEED_TREE: PROVED}
"""What holds of whole trees only where rank comes first."""
BRANCH = {WRITTEN_TREE: REFUTED, GUARANTEED_TREE: REFUTED}
"""What holds of subtrees of parent cohorts only."""


@dataclass(frozen=True, slots=True)
class Side:
    """A workload, the place of its ClusterQueue, and what holds there.

    Args:
        workload: the workload.
        hero: whether its ClusterQueue is a hero.
        parent, root: the parent cohort of that queue, and the root of its tree.
        terms: what holds in it.
    """

    workload: Any
    hero: Any
    parent: Any
    root: Any
    terms: Any


def sides(claim: Claim, tree: Cohorts, *names: str) -> tuple[Side, ...]:
    """Workloads of ClusterQueues of one tree, heroes or not."""
    *parents, root = tree.named(*(f"{name}_parent" for name in names), "root")
    claim.assume(tree.under(root, *parents))
    terms = [any_terms(claim, TERMS.get(name, f"{name}_terms")) for name in names]
    return tuple(
        Side(claim.record(name, Workload), its.hero, parent, root, its)
        for name, its, parent in zip(names, terms, parents, strict=True)
    )


def scope_of(claim: Claim, side: Side) -> Any:
    """The cohort whose subtree is that of a side's ClusterQueue."""
    return claim.lift(root_of_scope)(side.parent, side.root, claim.reading.hero_scope).value


def kin_between(claim: Claim, tree: Cohorts, name: str, mine: Side, theirs: Side) -> Any:
    """What UCQ-060 says of two sides. Two sides are of two ClusterQueues; a side alone is of one."""
    kin, scope = claim.record(name, Kin), scope_of(claim, mine)
    stands = Stand(mine.hero, mine.parent, scope), Stand(theirs.hero, theirs.parent, scope)
    claim.assume(kin_is(kin, tree, *stands, claim.lift(kinship), same_queue=mine is theirs))
    return kin


def taken_by(claim: Claim, mine: Side, theirs: Side, kin: Any, name: str = "evidence") -> Any:
    """What the door says of a workload of another ClusterQueue, on any evidence, forged or not."""
    evidence, now = claim.record(name, Evidence), claim.number("now" if name == "evidence" else f"{name}_now")
    claim.assume(negation(has_value(theirs.workload, "cluster_queue", mine.terms.cluster_queue)))
    return claim.lift(take_target)(mine.workload, theirs.workload, evidence, mine.terms, now, kin).defined


def _two(claim: Claim) -> tuple[Cohorts, Side, Side, Any]:
    tree = cohorts(claim)
    mine, theirs = sides(claim, tree, "preemptor", "target")
    return tree, mine, theirs, taken_by(claim, mine, theirs, kin_between(claim, tree, "kin", mine, theirs))


@obligation(
    "PO-UCQ-100",
    rules=IMMUNITY,
    also=BRANCH_OR_RANK,
    irrespective_of=BY_RANK,
    title="Hero immunity hierarchy",
)
def a_heros_workload_is_preempted_only_by_a_hero_above_or_a_peer_of_higher_priority(claim: Claim) -> None:
    """KEP-8826, Goals, Hierarchical Protection: a specific immunity hierarchy. In every tree."""
    tree, mine, theirs, taken = _two(claim)
    parent, other = mine.parent, theirs.parent
    claim.assume(theirs.hero)
    below = all_of(tree.contains(other, parent), parent != other)
    equal = all_of(parent == other, mine.workload.priority <= theirs.workload.priority)
    claim.prove(implies(any_of(negation(mine.hero), below, equal), negation(taken)))


@obligation("PO-UCQ-110", rules=IMMUNITY, also=BRANCH, title="Subtree containment")
def a_hero_preempts_no_workload_outside_the_subtree_of_its_parent_cohort(claim: Claim) -> None:
    """KEP-8826, Goals, Subtree Containment, Cross-Cohort Dominance. In every tree, of any depth."""
    tree, mine, theirs, taken = _two(claim)
    claim.assume(mine.hero, negation(tree.contains(mine.parent, theirs.parent)))
    claim.prove(negation(taken))


@obligation("PO-UCQ-115", rules=["UCQ-310"], also={WRITTEN_TREE: PROVED})
def a_hero_preempts_no_workload_of_another_tree(claim: Claim) -> None:
    """KEP-8826, Goals, Subtree Containment: "a different organizational tree", under every reading."""
    tree = cohorts(claim)
    (mine,) = sides(claim, tree, "preemptor")
    top, elsewhere = tree.named("top", "elsewhere")
    target, hero = claim.record("target", Workload), claim.flag("hero")
    theirs = Side(target, hero, elsewhere, top, mine.terms)
    kin = kin_between(claim, tree, "kin", mine, theirs)
    scope = scope_of(claim, mine)
    claim.assume(mine.hero, tree.under(top, elsewhere), negation(tree.contains(top, mine.parent)))
    claim.grant(
        tree.is_linear(top, scope, elsewhere),
        tree.grows(scope, top),
        tree.is_transitive(top, scope, mine.parent),
    )
    claim.prove(claim.lift(basis_for_hero)(mine.workload, target, mine.terms, kin).value == Basis.NONE)


@obligation("PO-UCQ-120", rules=["UCQ-340"], also={WRITTEN_TREE: PROVED})
def no_standard_queue_preempts_a_workload_of_a_hero_whatever_the_priorities(claim: Claim) -> None:
    """KEP-8826, Test Plan: hero jobs are not preempted by high priority jobs."""
    preemptor, target = claim.record("preemptor", Workload), claim.record("target", Workload)
    terms, kin = any_terms(claim), claim.record("kin", Kin)
    claim.assume(negation(terms.hero))
    immune = claim.lift(is_immune)(preemptor, target, terms, kin).value
    claim.prove(iff(immune, kin.hero))


@obligation("PO-UCQ-130", rules=IMMUNITY, also=BRANCH_OR_RANK, irrespective_of=BY_RANK)
def no_two_workloads_of_heroes_may_preempt_each_other_and_none_itself(claim: Claim) -> None:
    """KEP-8826, Goals, Hierarchical Protection: a hierarchy. Irreflexive and asymmetric, in every tree."""
    tree = cohorts(claim)
    one, other = sides(claim, tree, "one", "other")
    claim.assume(one.hero, other.hero)
    takes = taken_by(claim, one, other, kin_between(claim, tree, "seen", one, other), "first")
    back = taken_by(claim, other, one, kin_between(claim, tree, "back", other, one), "second")
    itself = kin_between(claim, tree, "itself", one, one)
    basis = claim.lift(basis_for_hero)(one.workload, one.workload, one.terms, itself).value
    claim.prove(negation(all_of(takes, back)), basis == Basis.NONE)


@obligation("PO-UCQ-140", rules=IMMUNITY, also=BRANCH_OR_RANK, irrespective_of=BY_RANK)
def no_cycle_of_heroes_exists_in_which_each_may_preempt_the_next(claim: Claim) -> None:
    """KEP-8826, Goals, Hierarchical Protection. By induction over the length of a chain of preemptors.

    Every taking goes further from the root, or stays in one cohort and goes to lower priority. So whoever a
    chain ends with cannot be whom it began with.
    """
    tree = cohorts(claim)
    first, last, following = sides(claim, tree, "first", "last", "following")
    kin = kin_between(claim, tree, "kin", last, following)
    claim.assume(*(side.hero for side in (first, last, following)))

    def further(one: Side, other: Side) -> Any:
        depth, deeper = tree.height(one.parent), tree.height(other.parent)
        lower = other.workload.priority < one.workload.priority
        return any_of(depth < deeper, all_of(depth == deeper, lower))

    takes = taken_by(claim, last, following, kin)
    one_step = implies(takes, further(last, following))
    same_place = first.parent == following.parent
    same = all_of(same_place, first.workload.priority == following.workload.priority)
    claim.prove(one_step)
    over_every_fold(
        claim,
        before=[further(first, last), takes],
        after=[further(first, following)],
        ends=[negation(same)],
    )


@obligation("PO-UCQ-150", rules=RANK, also=BRANCH)
def whether_rank_comes_first_or_either_suffices_makes_no_difference(claim: Claim) -> None:
    """KEP-8826, Hierarchical Protection: containment forbids what "or a higher priority" would add.

    In every tree; where a hero's subtree is that of its parent cohort.
    """
    tree = cohorts(claim)
    mine, theirs = sides(claim, tree, "preemptor", "target")
    kin = kin_between(claim, tree, "kin", mine, theirs)
    may, lower = claim.lift(may_take_from_hero), claim.flag("lower")
    claim.assume(mine.hero, theirs.hero, kin.in_scope)
    either, rank = (
        may(kin, lower, choice).value for choice in (HeroPrecedence.EITHER, HeroPrecedence.RANK_FIRST)
    )
    claim.prove(iff(either, rank))


@obligation("PO-UCQ-160", rules=IMMUNITY, also=BRANCH_OR_RANK, irrespective_of=BY_RANK)
def heroes_of_two_branches_never_preempt_each_other(claim: Claim) -> None:
    """KEP-8826, Goals, Cross-Cohort Dominance: not a goal. In every tree."""
    tree, mine, theirs, taken = _two(claim)
    parent, other = mine.parent, theirs.parent
    claim.assume(theirs.hero, negation(tree.contains(parent, other)), negation(tree.contains(other, parent)))
    claim.prove(negation(taken))


@defines("PO-UCQ-170", may_take_from_hero)
def a_hero_above_may_preempt_all_a_peer_lower_priority_and_the_rest_depends_on_the_reading(
    kin: Any, lower: Any, choice: Any
) -> Cases:
    """KEP-8826, Goals, Hierarchical Protection, both conditions, each alone."""
    return [
        (choice == HeroPrecedence.EITHER, any_of(kin.above, lower)),
        (choice == HeroPrecedence.RANK_FIRST, any_of(kin.above, all_of(kin.peer, lower))),
    ]


@obligation(
    "PO-UCQ-180",
    rules=["KQ-300", "UCQ-340", "DYN-030"],
    irrespective_of={"DYN-030": "no priority helps against a hero, whatever it has grown to"},
)
def a_standard_workload_whose_priority_has_grown_preempts_no_hero(claim: Claim) -> None:
    """KEP-8826 with KEP-754: a priority that grows is a priority; it does not make a queue a hero."""
    preemptor, target, terms, asked = any_question(claim)
    base, steps = claim.numbers("base", "steps")
    aged = claim.lift(dynamic_priority)(base, claim.record("policy", DynamicPriorityPolicy), steps).value
    claim.assume(
        asked.kin.hero,
        negation(terms.hero),
        negation(is_own(target, terms)),
        preemptor.priority == aged,
        aged > target.priority,
    )
    claim.prove(negation(claim.lift(take_target)(*asked).defined))


@obligation("PO-UCQ-185", rules=[*IMMUNITY, "KQ-010", "DYN-030"], expect=everywhere(REFUTED))
def of_two_heroes_of_one_cohort_only_one_ever_preempts_the_other(claim: Claim) -> None:
    """KEP-8826, Complex Peer Fair Sharing, with KEP-754: priorities that change turn the relation round."""
    tree = cohorts(claim)
    one, other = sides(claim, tree, "one", "other")
    seen, back = (
        kin_between(claim, tree, name, *two) for name, two in (("seen", (one, other)), ("back", (other, one)))
    )
    policy = claim.record("policy", DynamicPriorityPolicy)
    steps, later = claim.number("steps"), claim.record("later", Workload)
    claim.assume(
        one.hero,
        other.hero,
        one.parent == other.parent,
        policy.step == 1,
        steps >= 0,
        steps <= 4,
        other.workload.priority >= 0,
        later.priority == claim.lift(dynamic_priority)(other.workload.priority, policy, steps).value,
    )
    grown = replace(other, workload=later)
    takes = taken_by(claim, one, other, seen, "first")
    claim.prove(implies(takes, negation(taken_by(claim, grown, one, back, "second"))))


@obligation(
    "PO-UCQ-190", rules=["KQ-010", "UCQ-030", *IMMUNITY], also=BRANCH_OR_RANK, irrespective_of=BY_RANK
)
def a_head_that_may_preempt_a_hero_is_considered_before_it(claim: Claim) -> None:
    """KEP-8826, Goals, Hierarchical Protection: else both would be preempted and let in again in turn."""
    tree, mine, theirs, taken = _two(claim)
    first, second = claim.record("first", Head), claim.record("second", Head)
    claim.assume(
        theirs.hero,
        *(
            all_of(
                head.hero == side.hero,
                head.cohorts_above == tree.height(side.parent),
                head.priority == side.workload.priority,
            )
            for head, side in ((first, mine), (second, theirs))
        ),
    )
    before = claim.lift(has_turn_before)
    claim.prove(implies(taken, all_of(before(first, second).value, negation(before(second, first).value))))
