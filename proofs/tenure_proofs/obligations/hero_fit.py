"""KEP-8826: how far a hero may go, and what there is for it. One flavor-resource, trees of any shape."""

from __future__ import annotations

from typing import Any

from tenure.model import FlavorMode, NodeQuota
from tenure.readings import HeroClamp, HeroLending
from tenure.rules.hero_fit import (
    accessible_to_hero,
    clamp_of_hero,
    hero_mode_without_search,
    hero_request_fits,
    room_beside,
)
from tenure.rules.quota import available, local_available
from tenure_proofs.amounts import LARGE, ordinary
from tenure_proofs.defining import Cases, defines
from tenure_proofs.registry import REFUTED, everywhere, obligation, proved_under
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.logic import all_of, any_of, has_value, implies, negation
from tenure_proofs.trusted.schemas import over_every_fold

ROOM = ["KQ-100", "KQ-110", "KQ-150", "UCQ-230"]
AVAILABLE = ["KQ-130", "KQ-140", "KQ-170", "KQ-180"]


def _bounded(*amounts: Any) -> Any:
    """Amounts that may be negative, and that no few sums bring to the ends of 64 bits."""
    return all_of(*(all_of(amount >= -LARGE, amount <= LARGE) for amount in amounts))


@defines("PO-UCQ-400", accessible_to_hero)
def accessible_is_the_quota_of_the_subtree_as_far_as_the_clamp_allows(subtree: Any, clamp: Any) -> Cases:
    """KEP-8826, Implementation, formula and constraint: without a limit "the sum of the subtree"."""
    clamped = all_of(clamp.present, clamp.value <= subtree)
    return [(clamped, clamp.value), (negation(clamped), subtree)]


@defines("PO-UCQ-405", clamp_of_hero, where=lambda nominal, limit, _: ordinary(nominal, limit.value))
def a_borrowing_limit_clamps_what_is_borrowed_or_all(nominal: Any, limit: Any, clamp: Any) -> Cases:
    """KEP-8826, Implementation: "clamped by the borrowingLimit of the UCQ itself", both readings."""
    return [
        (negation(limit.present), None),
        (all_of(limit.present, clamp == HeroClamp.NOMINAL_PLUS_LIMIT), nominal + limit.value),
        (all_of(limit.present, clamp == HeroClamp.LIMIT), limit.value),
    ]


@obligation("PO-UCQ-410", rules=["KQ-100", "UCQ-210", "UCQ-220"], expect=proved_under("guaranteed"))
def no_borrowing_limit_keeps_a_hero_from_its_own_quota(claim: Claim) -> None:
    """KEP-8826, Implementation, Constraint: as written, a limit of zero stops the hero."""
    nominal, others, clamp = claim.numbers("nominal", "others", "clamp")
    limit = claim.optional_number("limit")
    claim.assume(ordinary(nominal, others, limit.value), limit.present)
    clamped = claim.lift(clamp_of_hero)(nominal, limit, claim.reading.hero_clamp)
    claim.assume(clamp == clamped.some)
    claim.prove(clamped.is_set, claim.lift(accessible_to_hero)(nominal + others, clamp).value >= nominal)


@defines(
    "PO-UCQ-420",
    hero_request_fits,
    where=lambda usage, request, accessible, room: all_of(
        ordinary(usage, request, accessible), _bounded(room)
    ),
)
def a_hero_never_uses_more_than_what_is_accessible_to_it(
    usage: Any, request: Any, accessible: Any, room: Any
) -> Any:
    """KEP-8826, Goals, Safety Caps, after each admission; who leaves makes it less. Fit is monotone."""
    return all_of(usage + request <= accessible, request <= room)


@obligation("PO-UCQ-440", rules=ROOM)
def less_usage_anywhere_never_reduces_the_room_for_a_hero(claim: Claim) -> None:
    """KEP-8826, Borrowing Subtree Isolation. By induction over the nodes of its subtree, bills as they are.

    What is available at the root of the subtree is no less by PO-KQ-220.
    """
    quota, own = claim.record("quota", NodeQuota), claim.flag("own")
    less, more, room, roomier = claim.numbers("less", "more", "room", "roomier")
    lending = claim.member("lending", HeroLending)
    claim.assume(ordinary(quota.local), _bounded(less, more, room, roomier), less <= more)
    idle, beside = claim.lift(local_available), claim.lift(room_beside)
    over_every_fold(
        claim,
        before=[room <= roomier],
        after=[
            beside(room, idle(quota, more).value, own, lending).value
            <= beside(roomier, idle(quota, less).value, own, lending).value
        ],
    )


@obligation("PO-UCQ-450", rules=[*ROOM, *AVAILABLE, "UCQ-240"])
def a_request_that_fits_a_hero_is_covered_by_its_subtree_without_borrowing_from_outside(claim: Claim) -> None:
    """KEP-8826, Proposal: it "cannot get more resources than it is defined in its subtree".

    By induction over the nodes of the subtree: what is quota of all of them, and what they use of it. At the
    root it begins with the root's subtree quota and usage, counted without what nodes below keep to
    themselves; each of these adds its local quota, and what is in use of that. Whatever fits leaves the usage
    of the subtree at or below its quota: borrowing from outside never grows.
    """
    root, quota = claim.record("root", NodeQuota), claim.record("quota", NodeQuota)
    usage, used, above, all_quota = claim.numbers("usage", "used", "above", "all_quota")
    all_usage, room = claim.numbers("all_usage", "room")
    own, lending, request = claim.flag("own"), claim.member("lending", HeroLending), claim.number("request")
    accessible, hero_usage = claim.numbers("accessible", "hero_usage")
    claim.assume(
        ordinary(usage, used, quota.local, root.local, root.subtree, request, accessible, hero_usage),
        _bounded(above, room),
        root.local <= root.subtree,
        has_value(root, "borrowing_limit", 0),
    )
    left = claim.lift(available)
    idle = claim.lift(local_available)(quota, used).value
    claim.prove(
        left(root, usage, above).value <= root.subtree - usage,
        left(root, usage, None).value == root.subtree - usage,
    )
    after = claim.lift(room_beside)(room, idle, own, lending).value
    with_quota, with_usage = all_quota + quota.local, all_usage + quota.local - idle
    fits = claim.lift(hero_request_fits)(hero_usage, request, accessible, after).value
    over_every_fold(
        claim,
        before=[room <= all_quota - all_usage],
        after=[after <= with_quota - with_usage],
        ends=[implies(fits, with_usage + request <= with_quota)],
    )


@obligation("PO-UCQ-460", rules=[*ROOM, *AVAILABLE])
def usage_outside_a_hero_s_subtree_changes_its_room_only_by_what_is_owed_to_it(claim: Claim) -> None:
    """KEP-8826, Goals, Subtree Containment: it depends on the subtree and on its balance at the boundary.

    What is available above counts only where it is less than what the subtree lends and does not use.
    """
    root, usage = claim.record("root", NodeQuota), claim.number("usage")
    above, other, idle = claim.numbers("above", "other", "idle")
    own, lending, beside = claim.flag("own"), claim.reading.hero_lending, claim.lift(room_beside)
    claim.assume(
        ordinary(usage, idle, root.local, root.subtree),
        _bounded(above, other),
        root.local <= root.subtree,
        has_value(root, "borrowing_limit", 0),
    )
    left = claim.lift(available)
    one, another = left(root, usage, above).value, left(root, usage, other).value
    enough = root.subtree - root.local
    claim.prove(
        implies(all_of(above >= enough, other >= enough), one == another),
        implies(above >= enough, one == root.subtree - usage),
        implies(all_of(usage <= root.local, above < enough), one == root.local - usage + above),
        implies(above <= other, one <= another),
        implies(
            above <= other,
            beside(one, idle, own, lending).value <= beside(another, idle, own, lending).value,
        ),
    )


@defines("PO-UCQ-470", hero_mode_without_search)
def a_request_can_never_fit_exactly_if_alone_it_is_more_than_what_is_accessible(
    request: Any, fits: Any, accessible: Any
) -> Cases:
    """KEP-8826, Goals, Safety Caps: what is in use may leave; more than there is, is never there."""
    possible = request <= accessible
    return [
        (negation(possible), FlavorMode.NO_FIT),
        (all_of(possible, fits), FlavorMode.FIT),
        (all_of(possible, negation(fits)), FlavorMode.NO_CANDIDATES),
    ]


@obligation("PO-UCQ-475", rules=["KQ-100", "UCQ-240", "UCQ-250"], expect=everywhere(REFUTED))
def a_request_that_would_exceed_what_is_accessible_beside_what_runs_never_fits(claim: Claim) -> None:
    """KEP-8826, Implementation: the formula is of the subtree, not of what is in use."""
    usage, request, accessible = claim.numbers("usage", "request", "accessible")
    claim.assume(ordinary(usage, request, accessible), usage + request > accessible, request < accessible)
    fits = claim.lift(hero_request_fits)(usage, request, accessible, accessible).value
    mode = claim.lift(hero_mode_without_search)(request, fits, accessible).value
    claim.prove(mode == FlavorMode.NO_FIT)


@defines("PO-UCQ-480", room_beside, where=lambda room, idle, *_: all_of(ordinary(idle), _bounded(room)))
def local_quota_of_others_is_room_unless_lending_limits_are_honoured(
    room: Any, idle: Any, own: Any, lending: Any
) -> Cases:
    """KEP-8826, Lending Limits: "a Hero Queue A must still be able to take them"; Bypass Limits."""
    counts = any_of(own, lending == HeroLending.IGNORE)
    return [(counts, room + idle), (negation(counts), room)]
