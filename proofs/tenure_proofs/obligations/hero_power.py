"""KEP-8826: which workloads a hero can preempt, on what basis and for what reason, and in which order."""

from __future__ import annotations

from typing import Any

from tenure.model import Basis, Evidence, Kin, Reason, Workload
from tenure.oracle.door import take_target
from tenure.rules.hero_targets import basis_for_hero, group_for_hero, hero_preemption_reason, is_immune
from tenure.rules.ordering import stands_before
from tenure_proofs.defining import Cases, defines
from tenure_proofs.obligations.hero_immunity import (
    GUARANTEED_TREE,
    IMMUNITY,
    WRITTEN_TREE,
    Side,
    kin_between,
    sides,
)
from tenure_proofs.premises import any_question, any_terms, duration_is_in_force, is_own
from tenure_proofs.registry import PROVED, REFUTED, everywhere, obligation, proved_under
from tenure_proofs.trusted.ancestors import cohorts
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.logic import all_of, any_of, has_value, iff, implies, is_set, negation, value_of

BOTH_TREES = {WRITTEN_TREE: PROVED, GUARANTEED_TREE: PROVED}
OWN_QUEUE = ["KQ-030", "KQ-040", "KQ-300", "TBP-010", "TBP-020", "TBP-050"]


def _inside(claim: Claim) -> tuple[Side, Side, Any]:
    """A hero, a workload of another ClusterQueue of its subtree, and whether the door opens for it."""
    tree = cohorts(claim)
    mine, theirs = sides(claim, tree, "preemptor", "target")
    kin, evidence = kin_between(claim, tree, "kin", mine, theirs), claim.record("evidence", Evidence)
    claim.assume(
        mine.hero,
        tree.contains(mine.parent, theirs.parent),
        negation(has_value(theirs.workload, "cluster_queue", mine.terms.cluster_queue)),
        evidence.basis == Basis.HERO,
    )
    door, now = claim.lift(take_target), claim.number("now")
    taken = door(mine.workload, theirs.workload, evidence, mine.terms, now, kin)
    claim.prove(implies(taken.defined, taken.field("reason") == Reason.UBER_CQ_PREEMPTION))
    return mine, theirs, taken.defined


def _is_protected(target: Any, terms: Any, now: Any) -> Any:
    """A queue has the feature of KEP-8522 configured, and a workload has not run for the duration."""
    return all_of(
        duration_is_in_force(terms),
        is_set(target, "quota_reserved_at"),
        now - value_of(target, "quota_reserved_at") <= value_of(terms, "min_admit_duration"),
    )


@obligation("PO-UCQ-200", rules=IMMUNITY, also=BOTH_TREES)
def a_hero_can_preempt_every_standard_workload_of_its_subtree(claim: Claim) -> None:
    """KEP-8826, Goals, Absolute Preemption Authority, Universal Subtree Preemption: whatever its priority."""
    _, theirs, taken = _inside(claim)
    claim.assume(negation(theirs.hero))
    claim.prove(taken)


@obligation("PO-UCQ-210", rules=IMMUNITY, also=BOTH_TREES)
def a_hero_can_preempt_every_workload_of_a_hero_below_it(claim: Claim) -> None:
    """KEP-8826, Goals, Hierarchical Protection: closer to the root; whatever the priorities."""
    mine, theirs, taken = _inside(claim)
    claim.assume(theirs.hero, mine.parent != theirs.parent)
    claim.prove(taken)


@obligation("PO-UCQ-220", rules=["KQ-010", *IMMUNITY], also=BOTH_TREES)
def a_hero_can_preempt_a_workload_of_a_peer_exactly_when_it_has_lower_priority(claim: Claim) -> None:
    """KEP-8826, Non-Goals, Complex Peer Fair Sharing: "standard priority"."""
    mine, theirs, taken = _inside(claim)
    claim.assume(theirs.hero, mine.parent == theirs.parent)
    lower = theirs.workload.priority < mine.workload.priority
    claim.prove(iff(taken, lower))


@obligation("PO-UCQ-230", rules=["UCQ-310", "UCQ-340"])
def a_hero_preempts_in_other_queues_on_one_basis_only_and_never_an_immune_workload(claim: Claim) -> None:
    """KEP-8826, Goals, Universal Subtree Preemption: any other workload that is not protected."""
    preemptor, target = claim.record("preemptor", Workload), claim.record("target", Workload)
    terms, kin = any_terms(claim), claim.record("kin", Kin)
    basis = claim.lift(basis_for_hero)(preemptor, target, terms, kin).value
    immune = claim.lift(is_immune)(preemptor, target, terms, kin).value
    claim.prove(
        any_of(basis == Basis.HERO, basis == Basis.NONE),
        iff(basis == Basis.HERO, all_of(kin.in_scope, negation(immune))),
        implies(negation(kin.hero), negation(immune)),
    )


@defines("PO-UCQ-240", hero_preemption_reason)
def exactly_the_targets_of_heroes_in_other_queues_have_the_new_reason(basis: Any) -> Cases:
    """KEP-8826, Metrics, Status Condition: UberCQPreemption tells these evictions from others."""
    expired, own = basis == Basis.TIME_EXPIRED, all_of(basis != Basis.TIME_EXPIRED, basis != Basis.HERO)
    return [
        (basis == Basis.HERO, Reason.UBER_CQ_PREEMPTION),
        (expired, Reason.IN_CLUSTER_QUEUE_TIME_BASED),
        (own, Reason.IN_CLUSTER_QUEUE),
    ]


@obligation("PO-UCQ-250", rules=["UCQ-310", "UCQ-340"], expect=everywhere(REFUTED))
def under_min_admit_duration_no_hero_preempts_a_workload_before_it_expires(claim: Claim) -> None:
    """KEP-8522, Story 1, with KEP-8826: a hero preempts it, whatever the duration of its queue."""
    preemptor, target, terms, asked = any_question(claim)
    theirs = any_terms(claim, "theirs")
    claim.assume(
        terms.hero,
        asked.kin.in_scope,
        has_value(target, "cluster_queue", theirs.cluster_queue),
        terms.cluster_queue != theirs.cluster_queue,
        preemptor.priority == target.priority,
        _is_protected(target, theirs, asked.now),
    )
    claim.prove(negation(claim.lift(take_target)(*asked).defined))


@obligation("PO-UCQ-260", rules=OWN_QUEUE, expect=proved_under("guaranteed"))
def in_its_own_cluster_queue_a_hero_respects_min_admit_duration(claim: Claim) -> None:
    """KEP-8522, Story 1, with KEP-8826, API: the fields about preemption within the queue remain."""
    preemptor, target, terms, asked = any_question(claim)
    claim.assume(
        terms.hero,
        is_own(target, terms),
        preemptor.priority == target.priority,
        _is_protected(target, terms, asked.now),
    )
    claim.prove(negation(claim.lift(take_target)(*asked).defined))


@defines("PO-UCQ-265", group_for_hero)
def borrowers_are_preempted_first_then_others_and_the_heros_own_workloads_last(
    own: Any, over_quota: Any
) -> Cases:
    """KEP-8826, Goals, Deterministic Victim Selection: three groups, which are counted from 0."""
    elsewhere = negation(own)
    return [(own, 2), (all_of(elsewhere, over_quota), 0), (all_of(elsewhere, negation(over_quota)), 1)]


@obligation("PO-UCQ-290", rules=["UCQ-320", "KQ-220"], expect=everywhere(REFUTED))
def a_hero_always_preempts_lower_priority_before_higher(claim: Claim) -> None:
    """KEP-8826, Goals, Deterministic Victim Selection: who borrows goes first, whatever its priority."""
    preemptor, terms, now = claim.record("preemptor", Workload), any_terms(claim), claim.number("now")
    first, second = claim.records(Workload, "first", "second")
    claim.assume(
        negation(any_of(first.evicted, second.evicted)),
        *(negation(is_own(item, terms)) for item in (first, second)),
        first.priority < second.priority,
    )
    group = claim.lift(group_for_hero)
    within, over = group(False, False).value, group(False, True).value
    claim.prove(claim.lift(stands_before)(first, within, second, over, preemptor, terms, now).value)
