"""Which flavor a pending workload gets, and with how many pods."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from tenure.model import (
    BorrowWithinCohort,
    FlavorMode,
    FlavorPreference,
    Fungibility,
    ReclaimWithinCohort,
)
from tenure.rules.flavors import (
    is_higher_mode,
    is_preferred,
    may_preempt_while_borrowing,
    mode_after_search,
    mode_without_search,
    reduced_count,
    scaled_request,
    tolerates,
    tries_next_flavor,
)
from tenure.rules.quota import is_within_quota
from tenure_proofs.defining import Cases, defines
from tenure_proofs.premises import comes_first
from tenure_proofs.registry import REFUTED, everywhere, obligation
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.logic import (
    all_of,
    any_of,
    iff,
    implies,
    is_set,
    negation,
    notion,
    quotient,
    value_of,
)

FROM_THE_LOWEST = (
    FlavorMode.NO_FIT,
    FlavorMode.NO_CANDIDATES,
    FlavorMode.PREEMPT,
    FlavorMode.RECLAIM,
    FlavorMode.FIT,
)


def _higher(mode: Any, other: Any) -> Any:
    """Whether a mode is further up the list than another."""
    return notion(
        any_of(
            *(
                all_of(mode == upper, other == lower)
                for place, upper in enumerate(FROM_THE_LOWEST)
                for lower in FROM_THE_LOWEST[:place]
            )
        )
    )


def _viable(mode: Any) -> Any:
    """Whether something can come of a mode: not NoFit, not NoCandidates."""
    return all_of(mode != FlavorMode.NO_FIT, mode != FlavorMode.NO_CANDIDATES)


@defines("PO-KQ-520", mode_without_search)
def a_request_fits_up_to_what_is_free_and_never_beyond_the_potential(
    request: Any, free: Any, potential: Any, nominal: Any, reaches: Any
) -> Cases:
    """Kueue main of August 2026, flavor assigner: at each boundary the boundary itself included."""
    possible, fits = request <= potential, request <= free
    searched = all_of(possible, negation(fits), any_of(request <= nominal, reaches))
    return [
        (all_of(possible, fits), FlavorMode.FIT),
        (searched, FlavorMode.NO_CANDIDATES),
        (negation(any_of(all_of(possible, fits), searched)), FlavorMode.NO_FIT),
    ]


@defines("PO-KQ-530", may_preempt_while_borrowing)
def a_policy_that_is_not_set_counts_as_not_never_while_borrowing(terms: Any) -> Any:
    """Kueue main of August 2026, flavor assigner: borrowWithinCohort, or under fair sharing reclaim."""
    not_never = (ReclaimWithinCohort.UNSET, ReclaimWithinCohort.LOWER_PRIORITY, ReclaimWithinCohort.ANY)
    reclaims = any_of(*(terms.reclaim_within_cohort == policy for policy in not_never))
    borrows = terms.borrow_within_cohort != BorrowWithinCohort.NEVER
    return any_of(borrows, all_of(terms.fair_sharing, reclaims))


@defines("PO-KQ-540", mode_after_search)
def a_search_ends_in_reclaim_preemption_or_no_candidates(any_target: Any, any_own: Any) -> Cases:
    """Kueue main of August 2026, preemption oracle: to preempt in other ClusterQueues only is the best."""
    return [
        (negation(any_target), FlavorMode.NO_CANDIDATES),
        (all_of(any_target, negation(any_own)), FlavorMode.RECLAIM),
        (all_of(any_target, any_own), FlavorMode.PREEMPT),
    ]


@defines("PO-KQ-580", is_preferred)
def a_preference_decides_what_is_looked_at_first(
    mode: Any, level: Any, other: Any, other_level: Any, preference: Any
) -> Any:
    """Kueue v1beta2, FlavorFungibility.preference: mode, then level; or level, then mode.

    What cannot be assigned is never preferred, however near its quota.
    """
    by_level = level < other_level, level == other_level
    level_first = preference == FlavorPreference.PREEMPTION_OVER_BORROWING
    found = comes_first(
        (other == FlavorMode.NO_FIT, other != FlavorMode.NO_FIT),
        (all_of(_viable(mode), negation(_viable(other))), iff(_viable(mode), _viable(other))),
        (all_of(level_first, by_level[0]), any_of(negation(level_first), by_level[1])),
        (_higher(mode, other), mode == other),
        last=by_level[0],
    )
    return all_of(mode != FlavorMode.NO_FIT, found)


@defines("PO-KQ-590", is_higher_mode)
def the_five_modes_are_in_one_strict_order(mode: Any, other: Any) -> Any:
    """Kueue main of August 2026, flavor assigner: NoFit, NoCandidates, Preempt, Reclaim, Fit."""
    return any_of(
        *(all_of(other == lower, mode == upper) for lower, upper in combinations(FROM_THE_LOWEST, 2))
    )


@defines("PO-KQ-600", tries_next_flavor)
def the_search_for_a_flavor_goes_on_in_exactly_these_cases(mode: Any, level: Any, fungibility: Any) -> Any:
    """Kueue v1beta2, FlavorFungibility: whenCanPreempt and whenCanBorrow."""
    preempts = any_of(mode == FlavorMode.PREEMPT, mode == FlavorMode.RECLAIM)
    leaves_preemption = fungibility.when_can_preempt == Fungibility.TRY_NEXT_FLAVOR
    leaves_borrowing = fungibility.when_can_borrow == Fungibility.TRY_NEXT_FLAVOR
    leaves = any_of(all_of(preempts, leaves_preemption), all_of(level != 0, leaves_borrowing))
    return any_of(negation(_viable(mode)), leaves)


@defines("PO-KQ-620", tolerates)
def a_toleration_covers_what_it_names_and_everything_that_it_does_not(toleration: Any, taint: Any) -> Any:
    """Kubernetes core/v1, tolerations: an empty key with Exists covers all; the effect must match."""
    return all_of(
        implies(is_set(toleration, "effect"), value_of(toleration, "effect") == taint.effect),
        implies(is_set(toleration, "key"), value_of(toleration, "key") == taint.key),
        any_of(toleration.exists, toleration.value == taint.value),
    )


def _lost(claim: Claim, count: Any, most: Any, step: Any, steps: Any) -> Any:
    """How many pods a step takes from a pod set that can lose `most`.

    Written with `most`, not with minCount: one product fewer, which the second solver needs.
    """
    return count - claim.lift(reduced_count)(count, count - most, step, steps).value


@obligation("PO-KQ-630", rules=["KQ-600", "KQ-610"])
def a_reduced_count_goes_from_the_full_one_to_min_count_and_never_outside(claim: Claim) -> None:
    """Kueue v1beta2, PodSet.minCount, for one pod set among several; who loses no pod asks for all."""
    count, most, step, steps, request = claim.numbers("count", "most", "step", "steps", "request")
    claim.assume(most >= 0, most <= count, steps > 0, step >= 0, step <= steps)
    lost = _lost(claim, count, most, step, steps)
    asked = claim.lift(scaled_request)(request, count, count - lost).value
    claim.prove(
        _lost(claim, count, most, 0, steps) == 0,
        _lost(claim, count, most, steps, steps) == most,
        _lost(claim, count, 0, step, steps) == 0,
        lost >= 0,
        lost <= most,
        implies(lost == 0, asked == request),
    )


@obligation("PO-KQ-645", rules=["KQ-200", "KQ-520"], expect=everywhere(REFUTED))
def fewer_pods_have_candidates_elsewhere_wherever_more_have(claim: Claim) -> None:
    """Kueue v0.19, pod set reducer: only then does the search by halves take the most pods that find a place.

    Each pod asks for one unit of each of two resources. Another ClusterQueue, whose workloads use both, has
    candidates only where it exceeds its quota of a resource that is short; more pods are short of more.
    """
    fewer, more = claim.numbers("fewer", "more")
    claim.assume(fewer >= 1, fewer < more)
    mode, within = claim.lift(mode_without_search), claim.lift(is_within_quota)
    quotas, short, offered = {}, {}, {}
    for resource in ("cpu", "gpu"):
        names = ("free", "potential", "nominal", "other_usage", "other_quota")
        free, potential, nominal, usage, quota = (claim.number(f"{resource}_{name}") for name in names)
        claim.assume(free >= 0, free <= potential, nominal >= 0, nominal <= potential, usage >= 0, quota >= 0)
        quotas[resource] = (free, potential, nominal), negation(within(usage, quota).value)
    for name, count in (("fewer", fewer), ("more", more)):
        modes = [(mode(count, *known, True).value, exceeds) for known, exceeds in quotas.values()]
        claim.assume(*(found != FlavorMode.NO_FIT for found, _ in modes))
        short[name] = any_of(*(found == FlavorMode.NO_CANDIDATES for found, _ in modes))
        offered[name] = any_of(*(all_of(found == FlavorMode.NO_CANDIDATES, over) for found, over in modes))
    claim.prove(implies(all_of(offered["more"], short["fewer"]), offered["fewer"]))


@defines("PO-KQ-650", reduced_count, where=lambda *given: given[-1] > 0)
def a_pod_set_loses_pods_in_proportion_to_the_step(count: Any, least: Any, step: Any, steps: Any) -> Any:
    """Kueue main of August 2026, pod set reducer: there are as many steps as pods to lose in all pod sets.

    So a pod set alone loses one pod at each step, and several together at most one.
    """
    return count - quotient((count - least) * step, steps)


@defines("PO-KQ-660", scaled_request, where=lambda _, count, __: count >= 0)
def a_scaled_request_is_whole_pods_and_never_more_than_its_proportion(
    request: Any, count: Any, other: Any
) -> Cases:
    """Kueue main of August 2026, scaling of pod sets: divides, then multiplies; all pods ask for all."""
    whole = any_of(count == 0, count == other)
    return [(whole, request), (negation(whole), quotient(request, count) * other)]


@obligation("PO-KQ-690", rules=["KQ-600", "KQ-610"])
def a_later_step_never_has_more_pods(claim: Claim) -> None:
    """Kueue main of August 2026, pod set reducer: the search by halves among the steps needs it."""
    count, most, steps, step, later = claim.numbers("count", "most", "steps", "step", "later")
    request = claim.number("request")
    claim.assume(most >= 0, steps > 0, step <= later)
    lost = _lost(claim, count, most, step, steps)
    asked = claim.lift(scaled_request)(request, count, count - lost).value
    claim.prove(
        lost <= _lost(claim, count, most, later, steps),
        implies(lost == 0, asked == request),
    )
