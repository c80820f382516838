"""PreemptionLimits of KEP-13396's FUTURE_WORK, a proposal: how many preemptions, and how long one waits."""

from __future__ import annotations

from typing import Any

from tenure.model import LimitScope
from tenure.readings import LimitSearch
from tenure.rules.preemption_limit import (
    counts_with,
    is_beyond_limit_passed_over,
    is_limited,
    is_within_limit,
)
from tenure_proofs.defining import definition_of
from tenure_proofs.registry import REFUTED, everywhere, obligation
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.logic import all_of, any_of, implies, negation


def _numbers(claim: Claim) -> tuple[Any, Any, Any]:
    """What a limit counts before a search, its further victims, and the limit."""
    counted, further, limit = claim.numbers("counted", "further", "limit")
    claim.assume(counted >= 0, further > 0, limit >= 0)
    return counted, further, limit


def _earlier(claim: Claim, scope: Any, *, preempting: Any, victim: Any, now: Any) -> tuple[Any, Any, Any]:
    """An earlier preemption: whether it counts, when it was, and the window."""
    at, window = claim.numbers("at", "window")
    claim.assume(at <= now, window > 0)
    counts = claim.lift(counts_with)(scope, preempting, claim.flag("preempted"), victim, at, now, window)
    return counts.value, at, window


@obligation("PO-PCF-140", rules=["PCF-140"])
@definition_of(is_limited)
def a_limit_counts_exactly_what_all_of_its_selectors_select(
    scope: Any, config_selected: Any, rule_named: Any, preempting_selected: Any, preempted_selected: Any
) -> Any:
    """KEP-13396, FUTURE_WORK, Proposed API for PreemptionLimit."""
    preempts = scope == LimitScope.PREEMPTING_CLUSTER_QUEUE
    queue = any_of(all_of(preempts, preempting_selected), all_of(negation(preempts), preempted_selected))
    return all_of(config_selected, rule_named, queue)


@obligation("PO-PCF-150", rules=["PCF-150"])
@definition_of(counts_with)
def a_preemption_counts_with_those_of_its_scope_until_the_window_has_passed(
    scope: Any, same_preempting: Any, same_preempted: Any, same_victim: Any, at: Any, now: Any, window: Any
) -> Any:
    """KEP-13396, FUTURE_WORK: the map of timestamps, whose key depends on the scope."""
    of_scope = any_of(
        scope == LimitScope.GLOBAL,
        all_of(scope == LimitScope.PREEMPTING_CLUSTER_QUEUE, same_preempting),
        all_of(scope == LimitScope.PREEMPTED_CLUSTER_QUEUE, same_preempted),
        all_of(scope == LimitScope.PREEMPTED_WORKLOAD, same_victim),
    )
    return all_of(now < at + window, of_scope)


@obligation("PO-PCF-160", rules=["PCF-160"])
def with_a_search_that_it_allows_a_limit_counts_at_most_so_many(claim: Claim) -> None:
    """KEP-13396, FUTURE_WORK: for any number of searches in turn, each of which sees those before it."""
    counted, further, limit = _numbers(claim)
    claim.assume(claim.lift(is_within_limit)(counted, further, limit).value)
    claim.prove(counted + further <= limit)


@obligation("PO-PCF-162", rules=["PCF-160"], expect=everywhere(REFUTED))
def with_all_searches_of_a_cycle_a_limit_counts_at_most_so_many(claim: Claim) -> None:
    """KEP-13396, FUTURE_WORK, Story 1 ("at most 10 evictions"): all searches see one count."""
    counted, further, limit = _numbers(claim)
    other = claim.number("other")
    within = claim.lift(is_within_limit)
    claim.assume(other > 0, within(counted, further, limit).value, within(counted, other, limit).value)
    claim.prove(counted + further + other <= limit)


@obligation("PO-PCF-164", rules=["PCF-160"])
def each_search_of_a_cycle_adds_at_most_what_there_was_room_for_at_its_start(claim: Claim) -> None:
    """KEP-13396, FUTURE_WORK: so with n ClusterQueues a window has at most n times the limit."""
    counted, further, limit = _numbers(claim)
    before, most = claim.numbers("before", "most")
    claim.assume(before <= most, claim.lift(is_within_limit)(counted, further, limit).value)
    claim.prove(before + further <= most + (limit - counted))


@obligation("PO-PCF-166", rules=["PCF-150"])
def the_searches_of_a_cycle_share_no_count_where_the_scope_is_a_preempting_queue_or_a_workload(
    claim: Claim,
) -> None:
    """KEP-13396, FUTURE_WORK: each is of another ClusterQueue, and a workload is evicted once; so PO-PCF-160
    holds for a whole cycle."""
    other, preempted = claim.flags("other", "preempted")
    at, now, window = claim.numbers("at", "now", "window")
    counts = claim.lift(counts_with)
    claim.prove(
        negation(counts(LimitScope.PREEMPTING_CLUSTER_QUEUE, False, preempted, other, at, now, window).value),
        negation(counts(LimitScope.PREEMPTED_WORKLOAD, other, preempted, False, at, now, window).value),
    )


@obligation("PO-PCF-168", rules=["PCF-160"])
def a_search_of_whose_victims_a_limit_counts_none_has_room(claim: Claim) -> None:
    """KEP-13396, FUTURE_WORK: also where more count than limit, as it was lowered or a cycle passed it."""
    counted, limit = claim.numbers("counted", "limit")
    claim.prove(claim.lift(is_within_limit)(counted, 0, limit).value)


@obligation("PO-PCF-170", rules=["PCF-150", "PCF-160"])
def a_search_for_at_most_so_many_victims_has_room_once_nothing_counted_for_a_window(claim: Claim) -> None:
    """KEP-13396, FUTURE_WORK: how long a preemptor waits at most while none preempts before it."""
    scope, now = claim.member("scope", LimitScope), claim.number("now")
    counts, at, window = _earlier(
        claim, scope, preempting=claim.flag("preempting"), victim=claim.flag("victim"), now=now
    )
    _, further, limit = _numbers(claim)
    claim.assume(now >= at + window, further <= limit)
    claim.prove(negation(counts), claim.lift(is_within_limit)(0, further, limit).value)


@obligation("PO-PCF-172", rules=["PCF-160"])
def a_search_for_more_victims_than_its_limit_never_has_room(claim: Claim) -> None:
    """KEP-13396, FUTURE_WORK: no window ends the wait of a preemptor that needs them all."""
    counted, further, limit = _numbers(claim)
    claim.assume(further > limit)
    claim.prove(negation(claim.lift(is_within_limit)(counted, further, limit).value))


@obligation("PO-PCF-174", rules=["PCF-150", "PCF-160"], expect=everywhere(REFUTED))
def a_preemptor_of_at_most_so_many_victims_waits_at_most_a_window(claim: Claim) -> None:
    """KEP-13396, FUTURE_WORK: another may have preempted while it waited."""
    came, now = claim.numbers("came", "now")
    counts, at, window = _earlier(claim, LimitScope.GLOBAL, preempting=False, victim=False, now=now)
    _, further, limit = _numbers(claim)
    claim.assume(came <= at, now >= came + window, further <= limit)
    counted = claim.number("counted_by_then")
    claim.assume(implies(counts, counted == 1), implies(negation(counts), counted == 0))
    claim.prove(claim.lift(is_within_limit)(counted, further, limit).value)


@obligation("PO-PCF-176", rules=["PCF-170"])
@definition_of(is_beyond_limit_passed_over)
def a_candidate_without_room_is_passed_over_only_where_each_counts_alone(
    within: Any, limit_search: Any
) -> Any:
    """KEP-13396, FUTURE_WORK, which does not say what a search does then: reading limit_search."""
    return all_of(negation(within), limit_search == LimitSearch.EACH)
