"""Queues and scheduling cycles over time: whose turn it is, what becomes of a head, when anything is due."""

from __future__ import annotations

from typing import Any

from tenure.model import SECOND, TurnResult, Workload
from tenure.rules.cycle import (
    awaits_targets,
    capacity_kept,
    cycle_due_at,
    has_earlier_turn,
    is_ahead_in_queue,
    is_decided_again,
    is_kept_at_head,
    joins_those_parked,
    keeps_capacity,
    lost_work,
    must_still_fit,
    persisted,
    protection_ended_at,
    result_of_turn,
    wake_due_at,
    wants_cycle,
    wins_tournament,
    work_left,
)
from tenure.rules.time_based import is_time_expired
from tenure_proofs.defining import Cases, defines
from tenure_proofs.premises import comes_first
from tenure_proofs.registry import obligation
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.logic import all_of, any_of, choose, iff, implies, is_set, negation, value_of


@defines("PO-CYC-020", is_ahead_in_queue)
def a_head_that_is_kept_comes_first_then_priority_then_time_then_uid(
    sticks: Any, other_sticks: Any, priority: Any, other: Any, queued: Any, other_queued: Any, lower: Any
) -> Any:
    """Kueue main of August 2026, order of a ClusterQueue's heap; of two, exactly one, by unique uids."""
    return comes_first(
        (all_of(sticks, negation(other_sticks)), iff(sticks, other_sticks)),
        (priority > other, priority == other),
        (queued < other_queued, queued == other_queued),
        last=lower,
    )


def _by_priority(mine: Any, theirs: Any, gate: Any) -> tuple[Any, Any]:
    """Gate PrioritySortingWithinCohort."""
    higher, equal = mine.priority > theirs.priority, mine.priority == theirs.priority
    return all_of(gate, higher), any_of(negation(gate), equal)


@defines("PO-CYC-030", has_earlier_turn)
def a_head_has_its_turn_by_preemptor_level_priority_and_time(mine: Any, theirs: Any, gate: Any) -> Any:
    """Kueue main of August 2026, classical iterator; each criterion counts among equals."""
    return comes_first(
        (all_of(mine.goes_first, negation(theirs.goes_first)), iff(mine.goes_first, theirs.goes_first)),
        (mine.level < theirs.level, mine.level == theirs.level),
        _by_priority(mine, theirs, gate),
        last=mine.queued_at < theirs.queued_at,
    )


@defines("PO-CYC-040", wins_tournament)
def a_head_wins_by_preemptor_borrowing_share_priority_and_time(
    mine: Any, theirs: Any, share: Any, gate: Any
) -> Any:
    """Kueue main of August 2026, fair sharing iterator; each criterion counts among equals."""
    return comes_first(
        (all_of(mine.goes_first, negation(theirs.goes_first)), iff(mine.goes_first, theirs.goes_first)),
        (all_of(negation(mine.borrows), theirs.borrows), iff(mine.borrows, theirs.borrows)),
        (share < 0, share == 0),
        _by_priority(mine, theirs, gate),
        last=mine.queued_at < theirs.queued_at,
    )


@defines("PO-CYC-050", is_decided_again)
def only_a_head_whose_targets_are_preempted_is_decided_again_and_with_the_gate_it_is(
    overlaps: Any, gate: Any
) -> Any:
    """Kueue main of August 2026, gate RecomputeAssignmentUponPreemptionTargetsOverlap."""
    return all_of(overlaps, gate)


@defines("PO-CYC-065", must_still_fit)
def exactly_the_heads_that_could_go_on_are_checked(nothing: Any, defers: Any, overlaps: Any) -> Any:
    """Kueue main of August 2026, scheduling cycle."""
    return negation(any_of(nothing, defers, overlaps))


@defines("PO-CYC-070", result_of_turn)
def every_head_has_the_result_that_its_decision_and_the_cycle_leave_it(
    nothing: Any, strict: Any, defers: Any, fits: Any, preempts: Any
) -> Cases:
    """Kueue main of August 2026, scheduling cycle, and requeueing by strategy."""
    found, goes_on = negation(nothing), all_of(negation(nothing), negation(defers))
    return [
        (all_of(nothing, strict), TurnResult.TRIED_AGAIN),
        (all_of(nothing, negation(strict)), TurnResult.PARKED),
        (all_of(found, defers), TurnResult.WAITS_FOR_TARGETS),
        (all_of(goes_on, negation(fits)), TurnResult.SKIPPED),
        (all_of(goes_on, fits, preempts), TurnResult.PREEMPTING),
        (all_of(goes_on, fits, negation(preempts)), TurnResult.ADMITTED),
    ]


@obligation("PO-CYC-080", rules=["CYC-070", "CYC-080"])
def a_head_that_waits_for_targets_is_kept_at_the_head_of_a_best_effort_queue_only(claim: Claim) -> None:
    """Kueue main of August 2026, preemptor of a ClusterQueue."""
    result, strict = claim.member("result", TurnResult), claim.flag("strict")
    awaits = claim.lift(awaits_targets)(result).value
    kept = claim.lift(is_kept_at_head)(awaits, strict).value
    waiting = any_of(result == TurnResult.PREEMPTING, result == TurnResult.WAITS_FOR_TARGETS)
    claim.prove(
        iff(awaits, waiting),
        implies(strict, negation(kept)),
        implies(negation(strict), iff(kept, waiting)),
    )


@defines("PO-CYC-090", joins_those_parked)
def a_workload_is_parked_untried_only_beside_one_like_it_in_a_best_effort_queue(
    strict: Any, alike: Any
) -> Any:
    """Kueue main of August 2026, gate SchedulingEquivalenceHashing."""
    return all_of(alike, negation(strict))


@defines("PO-CYC-100", keeps_capacity)
def quota_is_kept_for_whom_cannot_reclaim_it_and_for_a_preemptor_that_goes_first(
    reclaims: Any, hero: Any, goes_first: Any
) -> Any:
    """Kueue main of August 2026, scheduling cycle; F-059."""
    return any_of(goes_first, negation(any_of(reclaims, hero)))


@defines("PO-CYC-110", capacity_kept)
def what_is_kept_is_what_the_head_asks_for_or_all_that_its_quota_leaves(
    amount: Any, usage: Any, nominal: Any, limited: Any, limit: Any, borrows: Any
) -> Cases:
    """Kueue main of August 2026, resources to reserve: as much as the queue could give it, and no more."""
    idle = choose(borrows, nominal + limit - usage, nominal - usage)
    least = choose(any_of(amount <= idle, all_of(borrows, negation(limited))), amount, idle)
    return [(any_of(borrows, least >= 0), least), (all_of(negation(borrows), least < 0), 0)]


@defines("PO-CYC-120", wants_cycle)
def a_cycle_is_due_when_something_changed_a_controller_runs_and_a_head_waits(
    changed: Any, down: Any, pending: Any
) -> Any:
    """Kueue main of August 2026, which waits for a head of any queue."""
    return all_of(changed, negation(down), pending)


@defines("PO-CYC-130", cycle_due_at)
def a_cycle_begins_at_the_first_instant_that_the_gap_allows(now: Any, last: Any, gap: Any) -> Any:
    """A play's `timing.cycle`."""
    return choose(last + gap > now, last + gap, now)


@defines("PO-CYC-140", wake_due_at)
def whatever_happens_in_a_tree_is_answered_by_a_wake_within_one_retry_interval(
    planned: Any, planned_at: Any, now: Any, retry: Any
) -> Any:
    """Kueue main of August 2026, inadmissible workloads: a second event delays no wake."""
    return choose(planned, planned_at, now + retry)


@obligation("PO-CYC-150", rules=["CYC-150", "TBP-020"])
def the_end_of_a_protected_time_is_the_first_instant_at_which_it_has_expired(claim: Claim) -> None:
    """KEP-8522, Preemption Eligibility, condition 2: strictly more than minAdmitDuration."""
    target, now = claim.record("target", Workload), claim.number("now")
    duration = claim.optional_number("duration")
    claim.assume(is_set(target, "quota_reserved_at"), duration.present)
    expired = claim.lift(is_time_expired)(target, now, duration).value
    end = claim.lift(protection_ended_at)(value_of(target, "quota_reserved_at"), duration.value).value
    claim.prove(iff(expired, now >= end))


@obligation("PO-CYC-160", rules=["CYC-160"])
def a_stamp_is_the_whole_second_that_has_begun(claim: Claim) -> None:
    """Kubernetes metav1.Time; F-046 and KEP-8522 lose up to a second by it."""
    seconds, fraction = claim.numbers("seconds", "fraction")
    claim.assume(fraction >= 0, fraction < SECOND)
    stamp = claim.lift(persisted)(seconds * SECOND + fraction).value
    claim.prove(stamp == seconds * SECOND)


@defines("PO-CYC-170", lost_work)
def a_preemption_loses_no_work_or_all_of_it(kept: Any, done: Any, progress: Any) -> Cases:
    """A play's `progress`."""
    return [(kept, 0), (negation(kept), progress + done)]


@defines("PO-CYC-180", work_left)
def work_that_is_left_completes_the_work_and_is_never_less_than_none(work: Any, progress: Any) -> Cases:
    """A play's `work`."""
    return [(progress <= work, work - progress), (progress > work, 0)]
