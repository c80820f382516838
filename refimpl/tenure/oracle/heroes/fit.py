"""How far a hero may go, and what there is for it now."""

from __future__ import annotations

from dataclasses import replace

from tenure.model import Amount, FlavorMode, FlavorResource
from tenure.oracle.heroes.billing import counted_on
from tenure.oracle.heroes.effective import EffectiveUsage, as_effective
from tenure.oracle.heroes.plan import HeroPlan
from tenure.oracle.tree import NO_QUOTA, Usage, quota_at
from tenure.readings import HeroBilling
from tenure.rules.amounts import minus, plus
from tenure.rules.hero_fit import (
    accessible_to_hero,
    clamp_of_hero,
    hero_mode_without_search,
    hero_request_fits,
    room_beside,
)
from tenure.rules.quota import available, local_available


def accessible_at(plan: HeroPlan, place: int, flavor_resource: FlavorResource) -> Amount:
    """The most that a hero may use of a flavor-resource, whatever runs.

    Args:
        plan: the heroes of the tree.
        place: of the hero.
        flavor_resource: the flavor-resource.

    Source: KEP-8826, Implementation.
    """
    branch, nodes = plan.branch_of[place], plan.tree.nodes
    by_letter = plan.reading.hero_billing == HeroBilling.WHOLE
    nominal: dict[int, Amount] = {}
    for index in branch.nodes:
        counts = not by_letter or nodes[index].queue is not None
        nominal[index] = quota_at(plan.tree, index, flavor_resource).nominal if counts else 0
    lending = [node.lends.get(flavor_resource) for node in nodes]
    own = nominal[place]
    # No other node's limit is about what the hero has itself, so it is put back after the others are counted.
    nominal[place] = 0
    total = own
    for amount in counted_on(plan, branch, nominal, lending).values():
        total = plus(total, amount)
    mine = quota_at(plan.tree, place, flavor_resource)
    return accessible_to_hero(
        total, clamp_of_hero(mine.nominal, mine.borrowing_limit, plan.reading.hero_clamp)
    )


def room_at(usage: Usage, place: int, flavor_resource: FlavorResource) -> Amount:
    """What there is for a hero of a flavor-resource; negative where its subtree is in debt.

    Args:
        usage: what is in use.
        place: of the hero.
        flavor_resource: the flavor-resource.

    Source: KEP-8826, Cohort Interaction and Borrowing Subtree Isolation.
    """
    effective = as_effective(usage)
    plan, tree = effective.plan, effective.tree
    branch = plan.branch_of[place]
    room = _available_inside(effective, branch.root, flavor_resource)
    for index in branch.nodes:
        if index != branch.root:
            idle = local_available(
                quota_at(tree, index, flavor_resource), usage[index].get(flavor_resource, 0)
            )
            room = room_beside(room, idle, index == place, plan.reading.hero_lending)
    return room


def free_for_hero(usage: Usage, place: int, flavor_resource: FlavorResource) -> Amount:
    """What a hero can have of a flavor-resource now; negative where its subtree is in debt (UCQ-240)."""
    effective = as_effective(usage)
    left = minus(
        accessible_at(effective.plan, place, flavor_resource), effective.held.used(place, flavor_resource)
    )
    return min(left, room_at(usage, place, flavor_resource))


def fits_hero(usage: Usage, place: int, flavor_resource: FlavorResource, request: Amount) -> bool:
    """Whether a hero's request for a flavor-resource fits beside what is in use."""
    effective = as_effective(usage)
    return hero_request_fits(
        effective.held.used(place, flavor_resource),
        request,
        accessible_at(effective.plan, place, flavor_resource),
        room_at(usage, place, flavor_resource),
    )


def hero_mode(usage: Usage, place: int, flavor_resource: FlavorResource, request: Amount) -> FlavorMode:
    """How a flavor could serve a hero's request, as far as that shows without a search."""
    accessible = accessible_at(as_effective(usage).plan, place, flavor_resource)
    return hero_mode_without_search(request, fits_hero(usage, place, flavor_resource, request), accessible)


def _available_inside(usage: EffectiveUsage, root: int, flavor_resource: FlavorResource) -> Amount:
    """What is available at the root of a hero's subtree when that borrows nothing."""
    free: Amount | None = None
    for index in reversed(usage.tree.nodes[root].path):
        quota = usage.tree.nodes[index].quotas.get(flavor_resource, NO_QUOTA)
        if index == root and free is not None:
            quota = replace(quota, borrowing_limit=0)
        free = available(quota, usage[index].get(flavor_resource, 0), free)
    assert free is not None
    return free
