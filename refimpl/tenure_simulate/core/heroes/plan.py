"""The heroes of all trees of a store, as arrays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tenure.model import Amount, Cluster, FlavorResource, PreemptionRules, ResourceGroup
from tenure.readings import HeroLending, HeroScope, Reading
from tenure_simulate.core.amounts import MOST
from tenure_simulate.core.heroes.tables import (
    ACTIVE,
    AFTER,
    BRANCH,
    BY_NAME,
    DEPTH,
    END,
    FIRST,
    HERO,
    IS_QUEUE,
    PARENT,
    PLACE,
    STOP,
    UNLOCKS,
)
from tenure_simulate.core.layout import Layout
from tenure_simulate.core.tables import Array
from tenure_simulate.core.uncovered import require_numbers


def has_heroes(cluster: Cluster) -> bool:
    """Whether any ClusterQueue is a hero (UCQ-050).

    >>> has_heroes(Cluster({}))
    False
    """
    return any(
        cluster_queue.rules == PreemptionRules.UBER_CLUSTER_QUEUE and cluster_queue.cohort is not None
        for cluster_queue in cluster.cluster_queues.values()
    )


@dataclass(frozen=True, slots=True)
class Plan:
    """The heroes of all trees, as far as it does not depend on what runs.

    Args:
        tree, roots, heroes, heroes_end: as in `Books`.
        lends: lending limits, int64[nodes, columns]; unlimited for none.
    """

    tree: Array
    roots: Array
    heroes: Array
    heroes_end: Array
    lends: Array


def plan_of(layout: Layout, cluster: Cluster, reading: Reading) -> Plan:
    """The heroes of a cluster.

    Args:
        layout: of the cluster.
        cluster: its queues and cohorts.
        reading: of it the choices about heroes.
    """
    forest, depth = layout.forest, _depths(layout)
    nodes, lends = len(forest.parent), _lends(layout, cluster)
    by_name, after = _by_name(layout)
    heroes = [node for node in by_name.tolist() if _is_hero(layout, cluster, node)]
    branches = _branches(layout, heroes, depth, reading.hero_scope)
    require_numbers(sum(len(members) for _, members in branches), "heroes of all branches")
    tree = np.zeros((UNLOCKS + 1, nodes), np.int32)
    tree[PARENT], tree[END], tree[DEPTH] = forest.parent, forest.end, depth
    tree[IS_QUEUE], tree[ACTIVE] = forest.is_queue, forest.active
    tree[HERO, heroes], tree[BRANCH] = 1, -1
    tree[BY_NAME], tree[AFTER] = by_name, after
    tree[PLACE, by_name] = np.arange(nodes)
    for number, (root, members) in enumerate(branches):
        top = int(forest.root[root])
        tree[BRANCH, members] = number
        tree[FIRST, top] = tree[FIRST, top] if tree[STOP, top] else number
        tree[STOP, top] = number + 1
        limited = bool((lends[root + 1 : forest.end[root]] != MOST).any())
        tree[UNLOCKS, top] |= limited and reading.hero_lending == HeroLending.IGNORE
    return Plan(
        tree=tree,
        roots=np.array([root for root, _ in branches], np.int32),
        heroes=np.array([hero for _, members in branches for hero in members], np.int32),
        heroes_end=np.cumsum([len(members) for _, members in branches], dtype=np.int32),
        lends=lends,
    )


def _depths(layout: Layout) -> list[int]:
    depth: list[int] = []
    for above in layout.forest.parent.tolist():
        depth.append(0 if above < 0 else depth[above] + 1)
    return depth


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
            waiting += sorted(children[node], key=lambda number: (layout.names[number], number), reverse=True)
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
        sharing.items(), key=lambda pair: (int(forest.root[pair[0]]), -depth[pair[0]], layout.names[pair[0]])
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
