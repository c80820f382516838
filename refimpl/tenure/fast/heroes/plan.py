"""The heroes of all trees of a store, as arrays."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tenure.fast.amounts import MOST
from tenure.fast.heroes.tables import Plan
from tenure.fast.layout import Layout
from tenure.fast.tables import Array
from tenure.model import Amount, Cluster, FlavorResource, PreemptionRules, ResourceGroup
from tenure.readings import AccessibleRounding, HeroBilling, HeroLending, HeroScope, Reading


def has_heroes(cluster: Cluster) -> bool:
    """Whether any ClusterQueue is a hero (UCQ-050).

    >>> has_heroes(Cluster({}))
    False
    """
    return any(
        each.rules == PreemptionRules.UBER_CLUSTER_QUEUE and each.cohort is not None
        for each in cluster.cluster_queues.values()
    )


def plan_of(layout: Layout, cluster: Cluster, reading: Reading) -> Plan:
    """The heroes of a cluster.

    Args:
        layout: of the cluster.
        cluster: its queues and cohorts.
        reading: of it the choices about heroes.
    """
    forest = layout.forest
    nodes = len(forest.parent)
    by_name, after = _by_name(layout)
    place = np.empty(nodes, np.int32)
    place[by_name] = np.arange(nodes, dtype=np.int32)
    heroes = [node for node in by_name.tolist() if _is_hero(layout, cluster, node)]
    depth = [0] * nodes
    for node, above in enumerate(forest.parent.tolist()):
        depth[node] = 0 if above < 0 else depth[above] + 1
    branches = _branches(layout, heroes, depth, reading.hero_scope)
    of_node = np.full(nodes, -1, np.int32)
    for number, (_, members) in enumerate(branches):
        of_node[members] = number
    lends = _lends(layout, cluster)
    honour = reading.hero_lending == HeroLending.HONOUR
    first, end, unlocks = np.zeros(nodes, np.int32), np.zeros(nodes, np.int32), np.zeros(nodes, np.bool_)
    for number, (root, _) in enumerate(branches):
        top = int(forest.root[root])
        first[top] = first[top] if end[top] else number
        end[top] = number + 1
        unlocks[top] |= not honour and bool((lends[root + 1 : forest.end[root]] != MOST).any())
    return Plan(
        hero=np.isin(np.arange(nodes), heroes),
        branch=of_node,
        depth=np.array(depth, np.int32),
        by_name=by_name,
        place=place,
        after=after,
        first=first,
        end=end,
        root=np.array([root for root, _ in branches], np.int32),
        heroes=np.array([hero for _, members in branches for hero in members], np.int32),
        heroes_end=np.cumsum([len(members) for _, members in branches], dtype=np.int32),
        lends=lends,
        unlocks=unlocks,
        whole=reading.hero_billing == HeroBilling.WHOLE,
        floor=reading.accessible_rounding == AccessibleRounding.FLOOR,
        honour=honour,
    )


def _is_hero(layout: Layout, cluster: Cluster, node: int) -> bool:
    forest = layout.forest
    if not forest.is_queue[node] or forest.parent[node] < 0:
        return False
    return cluster.cluster_queues[layout.names[node]].rules == PreemptionRules.UBER_CLUSTER_QUEUE


def _by_name(layout: Layout) -> tuple[Array, Array]:
    """All nodes, each before those below it, children by name; and where what is below each ends."""
    parent = layout.forest.parent.tolist()
    children: list[list[int]] = [[] for _ in parent]
    for node, above in enumerate(parent):
        if above >= 0:
            children[above].append(node)
    found: list[int] = []
    after = np.empty(len(parent), np.int32)
    for top, above in enumerate(parent):
        if above >= 0:
            continue
        waiting = [top]
        while waiting:
            node = waiting.pop()
            after[node] = len(found) + int(layout.forest.end[node]) - node
            found.append(node)
            waiting += sorted(children[node], key=lambda each: (layout.names[each], each), reverse=True)
    return np.array(found, np.int32), after


def _branches(
    layout: Layout, heroes: list[int], depth: list[int], scope: HeroScope
) -> list[tuple[int, list[int]]]:
    """The cohort and the heroes of each branch, tree by tree, the deepest first, then by name (UCQ-040)."""
    forest = layout.forest
    sharing: dict[int, list[int]] = {}
    for hero in sorted(heroes, key=layout.names.__getitem__):
        root = int(forest.parent[hero] if scope == HeroScope.BRANCH else forest.root[hero])
        sharing.setdefault(root, []).append(hero)
    return sorted(
        sharing.items(), key=lambda each: (int(forest.root[each[0]]), -depth[each[0]], layout.names[each[0]])
    )


def _lends(layout: Layout, cluster: Cluster) -> Array:
    """Every lending limit, int64[nodes, columns]."""
    made = np.full(layout.forest.nominal.shape, MOST, np.int64)
    for node, name in enumerate(layout.names):
        owner = (cluster.cluster_queues if layout.forest.is_queue[node] else cluster.cohorts).get(name)
        for at, limit in () if owner is None else _limits(owner.resource_groups):
            made[node, layout.columns[at]] = min(limit, MOST)
    return made


def _limits(groups: tuple[ResourceGroup, ...]) -> Iterator[tuple[FlavorResource, Amount]]:
    for group in groups:
        for quotas in group.flavors:
            for resource, limit in quotas.lending_limits.items():
                if resource in quotas.nominal:
                    yield FlavorResource(quotas.flavor, resource), limit
