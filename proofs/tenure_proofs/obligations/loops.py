"""What a loop of preemptions needs: refuted, and proved where a configuration excludes it; and starvation.

PO-ANY-330 and PO-ANY-340 leave a loop two ways: a preemption that goes up, which needs
`reclaimWithinCohort: Any`, or a preemptor that does not get what its victims free, since another one's turn
comes first, or since its victims end apart.
"""

from __future__ import annotations

from tenure.model import Basis, Contestant, CycleHead, Kin, ReclaimWithinCohort
from tenure.rules.cycle import has_earlier_turn, lost_work, wins_tournament, work_left
from tenure.rules.eligibility import basis_for
from tenure.rules.hero_targets import basis_for_hero
from tenure.rules.quota import fits_request
from tenure_proofs.premises import any_question, two_workloads
from tenure_proofs.registry import REFUTED, everywhere, obligation
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.logic import any_of, implies, is_set, negation, value_of

ELSEWHERE = ["KQ-010", "KQ-300", "KQ-320", "KQ-330", "KQ-340", "KQ-400", "KQ-420", "KQ-430"]
"""What decides about a workload of another ClusterQueue."""


def _goes_down(claim: Claim, *, any_of_them: bool) -> None:
    preemptor, target, terms, asked = any_question(claim)
    reclaims_any = terms.reclaim_within_cohort == ReclaimWithinCohort.ANY
    claim.assume(
        is_set(target, "cluster_queue"),
        value_of(target, "cluster_queue") != terms.cluster_queue,
        negation(terms.hero),
        reclaims_any if any_of_them else negation(reclaims_any),
    )
    basis = claim.lift(basis_for)(*asked).value
    claim.prove(implies(basis != Basis.NONE, preemptor.priority > target.priority))


@obligation("PO-KQ-700", rules=ELSEWHERE)
def without_reclaim_any_no_workload_of_another_queue_is_preempted_by_one_of_no_higher_priority(
    claim: Claim,
) -> None:
    """Kueue v1beta2, reclaimWithinCohort: classical, while borrowing, and under fair sharing alike."""
    _goes_down(claim, any_of_them=False)


@obligation("PO-KQ-710", rules=ELSEWHERE, expect=everywhere(REFUTED))
def with_reclaim_any_no_workload_of_another_queue_is_preempted_by_one_of_no_higher_priority(
    claim: Claim,
) -> None:
    """Kueue v1beta2, reclaimWithinCohort Any: so two workloads may each preempt the other (kueue#14543)."""
    _goes_down(claim, any_of_them=True)


@obligation("PO-CYC-210", rules=["CYC-020"], expect=everywhere(REFUTED))
def a_preemptor_that_borrows_has_its_turn_before_its_victim(claim: Claim) -> None:
    """Kueue main of August 2026, borrowWithinCohort (kueue#13662): the smallest loop is of two workloads.

    The victim is within its nominal quota, or borrows from nearer: once its pods have ended it is admitted
    again first. Example shared-cohort has such a loop, which `tenure analyze loops` finds.
    """
    mine, victim = claim.records(CycleHead, "preemptor", "victim")
    claim.assume(
        mine.priority > victim.priority,
        mine.level >= 0,
        victim.level >= 0,
        negation(any_of(mine.goes_first, victim.goes_first)),
    )
    claim.prove(claim.lift(has_earlier_turn)(mine, victim, True).value)


@obligation("PO-CYC-220", rules=["CYC-030"], expect=everywhere(REFUTED))
def under_fair_sharing_a_preemptor_of_no_lower_share_has_its_turn_before_its_victim(claim: Claim) -> None:
    """Kueue main of August 2026, fair sharing iterator: the smallest loop is of three (kueue#14543).

    Shares are compared with each request admitted, and the victim's is the lower one once it asks again,
    though both borrow: scenario kueue-14543-initial-share.
    """
    mine, victim = claim.records(Contestant, "preemptor", "victim")
    share = claim.number("share")
    claim.assume(
        mine.priority > victim.priority,
        negation(any_of(mine.goes_first, victim.goes_first)),
        implies(mine.borrows, victim.borrows),
        share >= 0,
    )
    claim.prove(claim.lift(wins_tournament)(mine, victim, share, True).value)


@obligation("PO-CYC-230", rules=["KQ-190"], expect=everywhere(REFUTED))
def while_one_victim_ends_no_other_victim_fits_again(claim: Claim) -> None:
    """Kueue main of August 2026, evictions that end apart (kueue#13797): the smallest loop is of three.

    What the first victim has freed is too little for the preemptor, and enough for the victim itself. Where
    it is the victim's turn then, they take turns: scenario kueue-13662-half-a-second-apart. Gate
    PrioritizePreemptorWorkloads does not exclude it, as kueue-13662-half-a-second-preemptors-first shows.
    """
    free, request, first, second = claim.numbers("free", "request", "first_victim", "second_victim")
    claim.assume(free >= 0, first > 0, second > 0, request > free + first, request <= free + first + second)
    claim.prove(negation(claim.lift(fits_request)(first, free + first, False, False).value))


def _rest_of_period(claim: Claim, *, bounded: bool, keeps: bool) -> None:
    """A job beside heroes for one period: how much it has left to work before and after."""
    work, progress, period, busy, gap = claim.numbers("work", "progress", "period", "heroes_run", "gap")
    claim.assume(progress >= 0, work > progress, gap > 0, busy >= 0, busy <= period)
    if bounded:
        claim.assume(busy <= period - gap)
    done = period - busy
    lost = claim.lift(lost_work)(keeps, done, progress).value
    left = claim.lift(work_left)
    before, after = left(work, progress).value, left(work, progress + done - lost).value
    claim.prove(any_of(after == 0, after <= before - gap))


@obligation("PO-UCQ-600", rules=["CYC-170", "CYC-180"])
def beside_heroes_that_leave_a_gap_in_every_period_a_job_that_keeps_its_work_has_less_left(
    claim: Claim,
) -> None:
    """KEP-8826, Risks and Mitigations, Resource Starvation: a bound on heroes' load bounds others' wait.

    In each period heroes hold the quota that the job needs for at most the period less a gap. After as many
    periods as gaps fit into its work, rounded up, the job has ended.
    """
    _rest_of_period(claim, bounded=True, keeps=True)


@obligation("PO-UCQ-610", rules=["CYC-170", "CYC-180"], expect=everywhere(REFUTED))
def beside_heroes_of_any_load_a_job_has_less_left_after_a_period(claim: Claim) -> None:
    """KEP-8826, Risks and Mitigations, Resource Starvation: heroes that run all the time leave it no time."""
    _rest_of_period(claim, bounded=False, keeps=True)


@obligation("PO-UCQ-620", rules=["CYC-170", "CYC-180"], expect=everywhere(REFUTED))
def a_bound_on_the_load_of_heroes_helps_a_job_that_loses_its_work(claim: Claim) -> None:
    """KEP-8826, Risks and Mitigations, Resource Starvation: where gaps are shorter than its work."""
    _rest_of_period(claim, bounded=True, keeps=False)


@obligation("PO-UCQ-630", rules=["UCQ-310", "UCQ-340"], expect=everywhere(REFUTED))
def some_priority_keeps_a_workload_of_its_subtree_from_a_hero(claim: Claim) -> None:
    """KEP-8826, Goals, Absolute Preemption Authority: so that only a bound on heroes' load protects it."""
    preemptor, target, terms = two_workloads(claim)
    kin = claim.record("kin", Kin)
    claim.assume(kin.in_scope, target.priority > preemptor.priority)
    claim.prove(claim.lift(basis_for_hero)(preemptor, target, terms, kin).value == Basis.NONE)
