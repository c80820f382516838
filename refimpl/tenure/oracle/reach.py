"""How much a ClusterQueue may have of a flavor-resource, now and at most; a hero by rules of its own."""

from __future__ import annotations

from tenure.model import Amount, FlavorResource
from tenure.oracle.heroes.effective import tree_under
from tenure.oracle.heroes.fit import accessible_at, free_for_hero
from tenure.oracle.heroes.held import NOTHING_HELD, held_by
from tenure.oracle.heroes.plan import HeroPlan
from tenure.oracle.snapshot import Snapshot
from tenure.oracle.tree import Usage, available_at, empty_usage, potential_at


def most_at(snapshot: Snapshot, flavor_resource: FlavorResource) -> Amount:
    """The most that the snapshot's ClusterQueue could have of a flavor-resource.

    Args:
        snapshot: the tree around the queue.
        flavor_resource: the flavor-resource.

    Source: KQ-160; of a hero UCQ-210.
    """
    heroes = _heroes_of(snapshot)
    if heroes is not None:
        return accessible_at(heroes, snapshot.place, flavor_resource)
    return potential_at(snapshot.tree, snapshot.place, flavor_resource)


def free_at(snapshot: Snapshot, usage: Usage, flavor_resource: FlavorResource) -> Amount:
    """What the snapshot's ClusterQueue can have now; negative where there is a debt.

    Args:
        snapshot: the tree around the queue.
        usage: what is in use.
        flavor_resource: the flavor-resource.

    Source: KQ-180; of a hero UCQ-240.
    """
    if _heroes_of(snapshot) is not None:
        return free_for_hero(usage, snapshot.place, flavor_resource)
    return available_at(tree_under(usage, snapshot.tree), usage, snapshot.place, flavor_resource)


def if_nothing_ran(snapshot: Snapshot) -> Snapshot:
    """The same ClusterQueue in the same tree, with nothing in use anywhere.

    Args:
        snapshot: the tree around the queue.
    """
    if snapshot.heroes is None:
        usage, tree = empty_usage(snapshot.tree), snapshot.tree
        return Snapshot(snapshot.cluster, snapshot.queue, tree, snapshot.place, {}, usage)
    return snapshot.holding({}, NOTHING_HELD)


def if_no_hero_ran(snapshot: Snapshot) -> Snapshot:
    """The same ClusterQueue in the same tree, with nothing in use at heroes.

    Args:
        snapshot: the tree around the queue.
    """
    heroes = snapshot.heroes
    if heroes is None:
        return snapshot
    running = {place: row for place, row in snapshot.running.items() if place not in heroes.branch_of}
    return snapshot.holding(running, held_by(running, heroes.branch_of))


def running_heroes(snapshot: Snapshot) -> tuple[str, ...]:
    """The names of the heroes that run something and may bill the snapshot's ClusterQueue, in order.

    Args:
        snapshot: the tree around the queue.
    """
    if snapshot.heroes is None:
        return ()
    path, nodes = snapshot.tree.nodes[snapshot.place].path, snapshot.tree.nodes
    found = (
        nodes[place].name
        for place, branch in snapshot.heroes.branch_of.items()
        if branch.root in path and snapshot.running.get(place)
    )
    return tuple(sorted(found))


def _heroes_of(snapshot: Snapshot) -> HeroPlan | None:
    """The heroes, where the snapshot's ClusterQueue is one of them."""
    heroes = snapshot.heroes
    return heroes if heroes is not None and snapshot.place in heroes.branch_of else None
