"""What is accessible to every node of a cluster while heroes run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tenure.model import Amount, Cluster, FlavorResource, Instant
from tenure.oracle.heroes.effective import bills_in
from tenure.oracle.heroes.fit import accessible_at
from tenure.oracle.snapshot import Snapshot, take_snapshot
from tenure.oracle.tree import NO_QUOTA, Node
from tenure.oracle.unmodelled import refuse_unmodelled
from tenure.readings import Reading
from tenure.rules.hero_tree import effective_nominal


@dataclass(frozen=True, slots=True)
class Account:
    """What a node has of a flavor-resource.

    Args:
        flavor_resource: the flavor-resource.
        nominal: its nominal quota, as configured.
        bill: what heroes bill it.
        accessible: what is accessible to it; of a hero the most that it may use, whatever runs.
        borrowing_limit: as it is while heroes run; None for no limit.
    """

    flavor_resource: FlavorResource
    nominal: Amount
    bill: Amount
    accessible: Amount
    borrowing_limit: Amount | None


@dataclass(frozen=True, slots=True)
class NodeAccounts:
    """The accounts of one node.

    Args:
        name: of the ClusterQueue or Cohort.
        is_queue: which of the two.
        hero: whether it is a hero.
        depth: how many cohorts it has above it.
        accounts: by flavor and resource.
    """

    name: str
    is_queue: bool
    hero: bool
    depth: int
    accounts: tuple[Account, ...]


def accessible_trees(cluster: Cluster, now: Instant, reading: Reading) -> Iterator[tuple[NodeAccounts, ...]]:
    """The nodes of each tree of a cluster, from the root down; the trees by the names of their roots.

    Args:
        cluster: the queues, cohorts and running workloads.
        now: the clock, ns since the epoch.
        reading: see `tenure.readings`.

    Raises:
        InputError: cohorts that are their own ancestors; a WorkloadPriorityClass that the reading refuses;
            quotas that are not modelled.

    Source: KEP-8826, Implementation.
    """
    seen: set[str] = set()
    found: list[tuple[str, Snapshot]] = []
    for name in sorted(cluster.cluster_queues):
        if name not in seen:
            snapshot = take_snapshot(cluster, name, now, reading)
            refuse_unmodelled(snapshot.tree.unmodelled)
            seen.update(snapshot.tree.places)
            found.append((snapshot.tree.nodes[0].name, snapshot))
    for _, snapshot in sorted(found, key=lambda pair: pair[0]):
        yield accessible_tree(snapshot)


def accessible_tree(snapshot: Snapshot) -> tuple[NodeAccounts, ...]:
    """The nodes of one tree, from the root down.

    Args:
        snapshot: of the tree.
    """
    return tuple(_accounts(snapshot, node) for node in _from_above(snapshot))


def _from_above(snapshot: Snapshot) -> Iterator[Node]:
    """The nodes as a picture has them: each above those below it, children by name."""
    nodes = snapshot.tree.nodes
    rest = [0]
    while rest:
        node = nodes[rest.pop()]
        yield node
        rest += sorted((*node.queues, *node.cohorts), key=lambda number: nodes[number].name, reverse=True)


def _accounts(snapshot: Snapshot, node: Node) -> NodeAccounts:
    heroes = snapshot.heroes
    hero = heroes is not None and node.place in heroes.branch_of
    tree = snapshot.tree if heroes is None else heroes.tree
    own = tree.nodes[node.place]
    return NodeAccounts(
        name=node.name,
        is_queue=node.queue is not None,
        hero=hero,
        depth=len(node.path) - 1,
        accounts=tuple(
            _account(snapshot, own, node, flavor_resource, hero) for flavor_resource in sorted(own.quotas)
        ),
    )


def _account(
    snapshot: Snapshot, own: Node, node: Node, flavor_resource: FlavorResource, hero: bool
) -> Account:
    nominal = own.quotas[flavor_resource].nominal
    column = bills_in(snapshot.usage).get(flavor_resource)
    bill = 0 if column is None else column.bill[node.place]
    if hero and snapshot.heroes is not None:
        accessible = accessible_at(snapshot.heroes, node.place, flavor_resource)
    else:
        accessible = effective_nominal(nominal, bill, 0)
    limit = node.quotas.get(flavor_resource, NO_QUOTA).borrowing_limit
    return Account(flavor_resource, nominal, bill, accessible, limit)
