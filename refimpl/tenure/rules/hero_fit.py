"""KEP-8826: whether a hero's request fits, one flavor-resource at a time."""

from __future__ import annotations

from tenure.model import Amount, FlavorMode
from tenure.readings import HeroClamp, HeroLending
from tenure.rules.amounts import plus
from tenure.rules.registry import rule


@rule("UCQ-210")
def accessible_to_hero(subtree: Amount, clamp: Amount | None) -> Amount:
    """The most that a hero may use.

    > The quota accessible to a hero is the sum of the nominal quotas in its
    > subtree, at most the clamp of UCQ-220 if the hero has a borrowing
    > limit. The bills of other heroes do not reduce it.

    Args:
        subtree: the sum of what a hero may count on (UCQ-260) over its subtree.
        clamp: the clamp (UCQ-220); None without a borrowing limit.

    Source: KEP-8826, Implementation, formula and constraint for AccessibleHero.

    >>> accessible_to_hero(40, clamp=25), accessible_to_hero(40, clamp=None)
    (25, 40)
    """
    if clamp is None:
        return subtree
    return min(subtree, clamp)


@rule("UCQ-220")
def clamp_of_hero(nominal: Amount, borrowing_limit: Amount | None, clamp: HeroClamp) -> Amount | None:
    """What a hero's borrowing limit clamps it to.

    > With a borrowing limit, a hero's accessible quota is clamped to its
    > nominal quota plus the limit; when the KEP's constraint is read
    > literally, to the limit alone.

    Args:
        nominal: the hero's own nominal quota.
        borrowing_limit: its own borrowing limit; None for no limit.
        clamp: which of the two.

    Source: KEP-8826, Implementation ("clamped by the borrowingLimit of the UCQ itself"). Reading key
        `hero_clamp`.

    >>> [clamp_of_hero(10, 5, choice) for choice in HeroClamp]
    [15, 5]
    """
    if borrowing_limit is None:
        return None
    if clamp == HeroClamp.LIMIT:
        return borrowing_limit
    return plus(nominal, borrowing_limit)


@rule("UCQ-230")
def room_beside(room: Amount, locally_available: Amount, own: bool, lending: HeroLending) -> Amount:
    """The room for a hero, with one more node of its subtree looked at.

    > The room for a hero is what is available at the root of its subtree
    > without borrowing from outside, plus what is locally available at
    > every node of the subtree. When lending limits are honoured, only the
    > hero's own local quota is added.

    Args:
        room: the room found so far; at first what is available at the root of the subtree.
        locally_available: what is left of this node's local quota (KQ-150).
        own: whether the node is the hero itself.
        lending: whether limits are honoured.

    Source: KEP-8826, Cohort Interaction and Borrowing Subtree Isolation; Lending Limits. Reading key
        `hero_lending`.

    >>> [room_beside(3, 4, False, choice) for choice in HeroLending]
    [7, 3]
    """
    if lending == HeroLending.HONOUR and not own:
        return room
    return plus(room, locally_available)


@rule("UCQ-240")
def hero_request_fits(usage: Amount, request: Amount, accessible: Amount, room: Amount) -> bool:
    """Whether a hero's request fits.

    > A hero's request fits when its usage plus the request is at most its
    > accessible quota, and the request is at most the room for the hero.

    Args:
        usage: all that is in use at the hero, paid for by others or not.
        request: the requested amount.
        accessible: what is accessible to the hero (UCQ-210).
        room: the room for it (UCQ-230).

    Source: KEP-8826, Implementation; Goals, Safety Caps.

    >>> hero_request_fits(usage=4, request=6, accessible=10, room=6)
    True
    >>> hero_request_fits(usage=5, request=6, accessible=10, room=6)
    False
    """
    return plus(usage, request) <= accessible and request <= room


@rule("UCQ-250")
def hero_mode_without_search(request: Amount, fits: bool, accessible: Amount) -> FlavorMode:
    """How a flavor could serve a hero's request, as far as that shows without a search for targets.

    > A hero's request can never fit when it exceeds the quota accessible to
    > the hero. A request that fits now has mode Fit; for any other, targets
    > are searched for.

    Args:
        request: the requested amount.
        fits: whether it fits now (UCQ-240).
        accessible: what is accessible to the hero (UCQ-210).

    Returns:
        NO_FIT, FIT, or NO_CANDIDATES if only a search decides.

    Source: KEP-8826, Implementation; Goals, Safety Caps.

    >>> hero_mode_without_search(11, fits=False, accessible=10).name
    'NO_FIT'
    """
    if request > accessible:
        return FlavorMode.NO_FIT
    return FlavorMode.FIT if fits else FlavorMode.NO_CANDIDATES
