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
from tenure_proofs.defining import defines
from tenure_proofs.registry import REFUTED, everywhere, obligation
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.logic import all_of, any_of, implies, negation


def _numbers(claim: Claim) -> tuple[Any, Any, Any]:
    """What a limit counts before a search, its further victims, and the limit."""
    counted, further, limit = claim.numbers("counted", "further", "limit")
    claim.assume(counted >= 0, further > 0, limit >= 0)
    return counted, further, limit


@defines("PO-PCF-140", is_limited)
def a_limit_counts_exactly_what_all_of_its_selectors_select(
    scope: Any, config_selected: Any, rule_named: Any, preempting_selected: Any, preempted_selected: Any
) -> Any:
    """KEP-13396, FUTURE_WORK, Proposed API for PreemptionLimit."""
    preempts = scope == LimitScope.PREEMPTING_CLUSTER_QUEUE
    queue = any_of(all_of(preempts, preempting_selected), all_of(negation(preempts), preempted_selected))
    return all_of(config_selected, rule_named, queue)


@defines("PO-PCF-150", counts_with)
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


@defines("PO-PCF-160", is_within_limit)
def a_limit_allows_a_search_of_which_it_counts_nothing_or_with_which_it_counts_at_most_so_many(
    counted: Any, further: Any, limit: Any
) -> Any:
    """KEP-13396, FUTURE_WORK: for any number of searches in turn, each of which sees those before it.

    So a search for more victims than its limit never has room; and each search of one cycle adds at most what
    there was room for at its start.
    """
    return any_of(further == 0, counted + further <= limit)


@obligation("PO-PCF-162", rules=["PCF-160"], expect=everywhere(REFUTED))
def with_all_searches_of_a_cycle_a_limit_counts_at_most_so_many(claim: Claim) -> None:
    """KEP-13396, FUTURE_WORK, Story 1 ("at most 10 evictions"): all searches see one count."""
    counted, further, limit = _numbers(claim)
    other = claim.number("other")
    within = claim.lift(is_within_limit)
    claim.assume(other > 0, within(counted, further, limit).value, within(counted, other, limit).value)
    claim.prove(counted + further + other <= limit)


@obligation("PO-PCF-174", rules=["PCF-150", "PCF-160"], expect=everywhere(REFUTED))
def a_preemptor_of_at_most_so_many_victims_waits_at_most_a_window(claim: Claim) -> None:
    """KEP-13396, FUTURE_WORK: another may have preempted while it waited."""
    came, now = claim.numbers("came", "now")
    at, window = claim.numbers("at", "window")
    claim.assume(at <= now, window > 0)
    counts = claim.lift(counts_with)(LimitScope.GLOBAL, False, False, False, at, now, window).value
    _, further, limit = _numbers(claim)
    claim.assume(came <= at, now >= came + window, further <= limit)
    counted = claim.number("counted_by_then")
    claim.assume(implies(counts, counted == 1), implies(negation(counts), counted == 0))
    claim.prove(claim.lift(is_within_limit)(counted, further, limit).value)


@defines("PO-PCF-176", is_beyond_limit_passed_over)
def a_candidate_without_room_is_passed_over_only_where_each_counts_alone(
    within: Any, limit_search: Any
) -> Any:
    """KEP-13396, FUTURE_WORK, which does not say what a search does then: reading limit_search."""
    return all_of(negation(within), limit_search == LimitSearch.EACH)
