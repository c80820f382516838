"""Quota in the cohort tree: amounts, one node, and all the nodes of a path by induction."""

from __future__ import annotations

from typing import Any

from tenure.model import UNLIMITED
from tenure.rules.amounts import minus, plus
from tenure.rules.quota import (
    available,
    available_above,
    can_ever_fit,
    fits_quota,
    fits_request,
    is_within_quota,
    local_available,
    local_quota,
    potential_available,
    quota_passed_up,
    remaining_request,
    usage_passed_up,
)
from tenure_proofs.amounts import (
    HIGHEST,
    LARGE,
    LOWEST,
    any_node,
    bounded_node,
    is_bounded,
    ordinary,
    ordinary_or_unlimited,
    within_64_bits,
)
from tenure_proofs.defining import Cases, defines
from tenure_proofs.registry import obligation
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.logic import all_of, any_of, choose, iff, implies, is_set, negation, value_of
from tenure_proofs.trusted.schemas import along_every_path, over_every_sum

AVAILABLE = ["KQ-100", "KQ-110", "KQ-130", "KQ-140", "KQ-150", "KQ-170", "KQ-180"]
"""The rules that `available` comes to."""


@defines("PO-KQ-060", fits_quota, where=within_64_bits)
def a_request_fits_up_to_the_quota_and_no_further(usage: Any, request: Any, quota: Any) -> Any:
    """Kueue v1beta2, nominalQuota; borrowing begins beyond it. A quota without end takes everything."""
    bounded = all_of(usage < HIGHEST, request < HIGHEST)
    return any_of(quota == UNLIMITED, all_of(bounded, usage + request <= quota))


@obligation("PO-KQ-070", rules=["KQ-070", "KQ-160", "KQ-190", *AVAILABLE])
def what_fits_an_empty_tree_is_what_can_ever_fit(claim: Claim) -> None:
    """Kueue main of August 2026, flavor assigner: maximum capacity. By induction along a path.

    With nothing in use anywhere, what is available at a node is the most that it could ever have.
    """
    quota = bounded_node(claim)
    free, most, request = claim.numbers("free", "most", "request")
    claim.assume(free >= 0, free <= LARGE, request > 0, request <= LARGE)
    left, could = claim.lift(available), claim.lift(potential_available)
    here, ever = left(quota, 0, free).value, could(quota, most).value
    along_every_path(
        claim,
        at_root=left(quota, 0, None).value == could(quota, None).value,
        above=free == most,
        here=here == ever,
    )
    fits = claim.lift(fits_request)(request, free, True, True).value
    claim.prove(implies(free == most, iff(claim.lift(can_ever_fit)(request, most).value, fits)))


def _saturated(bounded: Any, exact: Any) -> Cases:
    """An exact result as far as 64 bits hold it."""
    return [
        (all_of(bounded, exact > HIGHEST), HIGHEST),
        (all_of(bounded, exact < LOWEST), LOWEST),
        (all_of(bounded, exact >= LOWEST, exact <= HIGHEST), exact),
    ]


@defines("PO-KQ-085", plus, where=within_64_bits)
def a_sum_is_ordinary_within_64_bits_and_stops_at_their_ends(first: Any, second: Any) -> Cases:
    """Kueue main of August 2026, quota amounts: int64 that saturates; unlimited absorbs."""
    unlimited = any_of(first == HIGHEST, second == HIGHEST)
    return [(unlimited, HIGHEST), *_saturated(negation(unlimited), first + second)]


@defines("PO-KQ-090", minus, where=within_64_bits)
def a_difference_is_ordinary_within_64_bits_and_stops_at_their_ends(first: Any, second: Any) -> Cases:
    """Kueue main of August 2026, quota amounts: unlimited less a bounded amount stays unlimited."""
    from_unlimited, of_unlimited = first == HIGHEST, second == HIGHEST
    return [
        (all_of(from_unlimited, negation(of_unlimited)), HIGHEST),
        (all_of(from_unlimited, of_unlimited), 0),
        (all_of(negation(from_unlimited), of_unlimited), LOWEST),
        *_saturated(negation(any_of(from_unlimited, of_unlimited)), first - second),
    ]


@defines("PO-KQ-120", local_quota, where=lambda subtree, limit: ordinary_or_unlimited(subtree, limit.value))
def what_a_node_has_beyond_its_lending_limit_is_local(subtree: Any, limit: Any) -> Cases:
    """Kueue v1beta2, lendingLimit; Kueue main of August 2026, quota amounts: without end, all of it."""
    keeps = all_of(limit.present, limit.value < subtree)
    return [
        (negation(keeps), 0),
        (all_of(keeps, subtree < HIGHEST), subtree - limit.value),
        (all_of(keeps, subtree == HIGHEST), HIGHEST),
    ]


def _has_local_quota(quota: Any) -> Any:
    """Part of a node's quota is its own."""
    return all_of(ordinary_or_unlimited(quota.subtree, quota.local), quota.local <= quota.subtree)


@defines("PO-KQ-125", quota_passed_up, where=_has_local_quota)
def a_node_lends_what_is_not_local(quota: Any) -> Cases:
    """Kueue main of August 2026, subtree quota: without end all of it is local, or none (PO-KQ-120)."""
    bounded, all_local = quota.subtree < HIGHEST, quota.local == HIGHEST
    return [
        (bounded, quota.subtree - quota.local),
        (all_of(negation(bounded), all_local), 0),
        (negation(any_of(bounded, all_local)), HIGHEST),
    ]


def _used(quota: Any, usage: Any) -> Any:
    """What is in use at a node with a local quota, and once more as much."""
    return all_of(ordinary(quota.local), usage >= 0, usage <= 2 * LARGE)


@defines("PO-KQ-130", usage_passed_up, where=_used)
def usage_fills_the_local_quota_first_and_the_rest_goes_up(quota: Any, usage: Any) -> Cases:
    """Kueue main of August 2026, usage of cohorts: no amount is counted twice or lost (PO-KQ-132)."""
    return [(usage <= quota.local, 0), (usage > quota.local, usage - quota.local)]


@defines("PO-KQ-132", local_available, where=_used)
def what_usage_leaves_of_the_local_quota_is_available(quota: Any, usage: Any) -> Cases:
    """Kueue main of August 2026, local availability: what is added goes up beyond this, and no more."""
    return [(usage <= quota.local, quota.local - usage), (usage > quota.local, 0)]


@defines(
    "PO-KQ-140",
    potential_available,
    where=lambda quota, above: all_of(is_bounded(quota), ordinary(above.value)),
)
def what_a_node_could_ever_have_is_bounded_by_the_tree_and_by_its_limit(quota: Any, above: Any) -> Cases:
    """Kueue v1beta2, borrowingLimit; Kueue main of August 2026, potential availability."""
    reach, ceiling = quota.local + above.value, quota.subtree + value_of(quota, "borrowing_limit")
    capped = all_of(above.present, is_set(quota, "borrowing_limit"), reach > ceiling)
    return [
        (negation(above.present), quota.subtree),
        (capped, ceiling),
        (all_of(above.present, negation(capped)), reach),
    ]


@obligation("PO-KQ-150", rules=["KQ-160", *AVAILABLE])
def nothing_is_ever_available_beyond_what_a_node_could_have(claim: Claim) -> None:
    """Kueue main of August 2026, availability and potential availability. By induction along a path."""
    quota = any_node(claim)
    usage, free, most = claim.numbers("usage", "free", "most")
    claim.assume(within_64_bits(usage, free, most), usage >= 0)
    left, could = claim.lift(available), claim.lift(potential_available)
    along_every_path(
        claim,
        at_root=left(quota, usage, None).value <= could(quota, None).value,
        above=free <= most,
        here=left(quota, usage, free).value <= could(quota, most).value,
    )


@obligation("PO-KQ-160", rules=AVAILABLE)
def without_limits_every_node_has_what_the_root_has_left(claim: Claim) -> None:
    """Kueue v1beta2, lendingLimit and borrowingLimit unset. By induction along a path."""
    quota, root = any_node(claim), bounded_node(claim, "root")
    usage, root_usage, free = claim.numbers("usage", "root_usage", "free")
    claim.assume(
        ordinary(root_usage),
        within_64_bits(usage, free),
        usage >= 0,
        quota.local == 0,
        negation(is_set(quota, "borrowing_limit")),
    )
    left = claim.lift(available)
    at_root = left(root, root_usage, None).value
    along_every_path(
        claim,
        at_root=at_root == root.subtree - root_usage,
        above=free == root.subtree - root_usage,
        here=left(quota, usage, free).value == root.subtree - root_usage,
    )


@obligation("PO-KQ-170", rules=["KQ-190", *AVAILABLE])
def a_request_that_fits_keeps_to_the_borrowing_limit_of_its_queue(claim: Claim) -> None:
    """Kueue v1beta2, borrowingLimit: the most that may be borrowed beyond the quota; at a root nothing."""
    quota = bounded_node(claim)
    usage, request, above = claim.numbers("usage", "request", "above")
    claim.assume(ordinary(usage, request), request > 0, above >= -LARGE, above <= LARGE)
    left, fits = claim.lift(available), claim.lift(fits_request)
    below_root = fits(request, left(quota, usage, above).value, True, True).value
    at_root = fits(request, left(quota, usage, None).value, True, True).value
    claim.prove(
        implies(
            all_of(is_set(quota, "borrowing_limit"), below_root),
            usage + request <= quota.subtree + value_of(quota, "borrowing_limit"),
        ),
        implies(at_root, usage + request <= quota.subtree),
    )


@defines(
    "PO-KQ-175",
    available_above,
    where=lambda quota, usage, above: all_of(
        is_bounded(quota), ordinary(usage), above >= -LARGE, above <= LARGE
    ),
)
def what_comes_from_above_is_capped_by_what_is_lent_and_unused_plus_the_limit(
    quota: Any, usage: Any, above: Any
) -> Cases:
    """Kueue v1beta2, borrowingLimit; Kueue main of August 2026, availability."""
    lent, over = quota.subtree - quota.local, choose(usage > quota.local, usage - quota.local, usage - usage)
    cap = lent - over + value_of(quota, "borrowing_limit")
    capped = all_of(is_set(quota, "borrowing_limit"), cap <= above)
    return [(capped, cap), (negation(capped), above)]


@defines("PO-KQ-180", fits_request)
def a_request_fits_what_is_free_and_borrows_only_where_it_may(
    request: Any, free: Any, borrows: Any, may_borrow: Any
) -> Any:
    """Kueue main of August 2026, search for targets: attempts with and without borrowing."""
    return all_of(any_of(request <= free, request <= 0), implies(borrows, may_borrow))


@defines("PO-KQ-190", is_within_quota, where=within_64_bits)
def a_node_exceeds_its_quota_exactly_when_nothing_more_fits_it(usage: Any, quota: Any) -> Any:
    """Kueue main of August 2026, nodes that may lose workloads: usage at the quota is within it."""
    return usage <= quota


@defines(
    "PO-KQ-200", remaining_request, where=lambda request, quota, usage: ordinary(quota.local, usage, request)
)
def a_request_reaches_the_node_above_less_what_is_left_locally(request: Any, quota: Any, usage: Any) -> Cases:
    """Kueue main of August 2026, hierarchical advantage: walking up, the request is reduced."""
    left = quota.local - usage
    return [
        (left <= 0, request),
        (all_of(left > 0, request <= left), 0),
        (all_of(left > 0, request > left), request - left),
    ]


@obligation("PO-KQ-210", rules=["KQ-100", "KQ-110", "KQ-140"])
def less_usage_below_is_never_more_usage_above(claim: Claim) -> None:
    """Kueue main of August 2026, usage of cohorts. By induction over the children of a cohort.

    A cohort's usage is the sum of what its children pass up; that of a ClusterQueue is what its workloads
    hold. So with less in use in any queues, no node anywhere has more in use.
    """
    quota = any_node(claim)
    less, more, sum_of_less, sum_of_more = claim.numbers("less", "more", "sum_of_less", "sum_of_more")
    claim.assume(within_64_bits(less, more, sum_of_less, sum_of_more), less <= more)
    passed, add = claim.lift(usage_passed_up), claim.lift(plus)
    over_every_sum(
        claim,
        lambda one, other: one <= other,
        before=(sum_of_less, sum_of_more),
        after=(
            add(sum_of_less, passed(quota, less).value).value,
            add(sum_of_more, passed(quota, more).value).value,
        ),
    )


@obligation("PO-KQ-220", rules=AVAILABLE)
def less_usage_anywhere_never_reduces_what_is_available(claim: Claim) -> None:
    """Kueue main of August 2026, availability. By induction along a path, for any tree and any depth.

    With PO-KQ-210, usage that is less in any queues is no more at any node of the path.
    """
    quota = any_node(claim)
    less, more, free, freer = claim.numbers("less", "more", "free", "freer")
    claim.assume(within_64_bits(less, more, free, freer), less <= more)
    left = claim.lift(available)
    along_every_path(
        claim,
        at_root=left(quota, less, None).value >= left(quota, more, None).value,
        above=freer >= free,
        here=left(quota, less, freer).value >= left(quota, more, free).value,
    )


@obligation("PO-KQ-230", rules=["KQ-060", "KQ-100", "KQ-190"])
def less_usage_anywhere_never_makes_a_fitting_request_unfit(claim: Claim) -> None:
    """Kueue main of August 2026, search for targets. With PO-KQ-210 and PO-KQ-220: fit is monotone.

    Of each flavor-resource by itself, so of all of them together.
    """
    less, more, nominal, free, freer = claim.numbers("less", "more", "nominal", "free", "freer")
    request, may_borrow = claim.number("request"), claim.flag("may_borrow")
    claim.assume(within_64_bits(less, more, free, freer, request, nominal), less <= more, freer >= free)
    within, fits = claim.lift(fits_quota), claim.lift(fits_request)
    before = fits(request, free, negation(within(more, request, nominal).value), may_borrow).value
    after = fits(request, freer, negation(within(less, request, nominal).value), may_borrow).value
    claim.prove(implies(before, after))
