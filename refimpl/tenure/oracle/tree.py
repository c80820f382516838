"""The cohort tree around a ClusterQueue, and what is in use at each of its nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from tenure.errors import bad_input
from tenure.model import (
    Amount,
    Amounts,
    Cluster,
    ClusterQueue,
    Cohort,
    FlavorResource,
    NodeQuota,
    Reach,
    ResourceGroup,
    Unmodelled,
)
from tenure.rules.amounts import minus, plus
from tenure.rules.quota import (
    available,
    fits_quota,
    local_available,
    local_quota,
    potential_available,
    quota_passed_up,
    usage_passed_up,
)

NO_QUOTA = NodeQuota()
"""What a node has of a flavor-resource that it does not cover."""

Usage: TypeAlias = Sequence[Mapping[FlavorResource, Amount]]
"""What is in use at every node of a tree, by the node's place; a value, never changed."""

Path: TypeAlias = tuple[int, ...]
"""The places from a node up to the root."""

_Member = TypeVar("_Member")


@dataclass(frozen=True, slots=True)
class Node:
    """A ClusterQueue or a Cohort in its place.

    Args:
        place: its index among the tree's nodes.
        name: of the object.
        queue: the ClusterQueue; None for a Cohort.
        path: the places from itself up to the root.
        queues, cohorts: the places of its children, each in the order of their names.
        quotas: by flavor-resource; of a Cohort also those that its children cover.
        weight: fair-sharing weight in billionths.
        height: steps down to the furthest active ClusterQueue or empty cohort.
        lends: the lending limits that it has; their effect is in `quotas` already.
    """

    place: int
    name: str
    queue: ClusterQueue | None
    path: Path
    queues: tuple[int, ...]
    cohorts: tuple[int, ...]
    quotas: Mapping[FlavorResource, NodeQuota]
    weight: int
    height: int
    lends: Mapping[FlavorResource, Amount]

    @property
    def parent(self) -> int | None:
        """The place of the node above; None at a root."""
        return self.path[1] if len(self.path) > 1 else None


@dataclass(frozen=True, slots=True)
class Tree:
    """A root and all below it.

    Args:
        nodes: by place; the root is the first.
        places: place of each ClusterQueue by name.
        unmodelled: what its objects say that is not modelled and may decide everything in it.
    """

    nodes: tuple[Node, ...]
    places: Mapping[str, int]
    unmodelled: tuple[Unmodelled, ...] = ()


def build_tree(cluster: Cluster, queue: ClusterQueue) -> Tree:
    """The tree that a ClusterQueue is in; a queue without cohort is a tree of its own.

    Args:
        cluster: every queue and cohort there is.
        queue: one of its queues.

    Raises:
        InputError: cohorts that are their own ancestors.

    Source: Kueue main of August 2026, cohort trees and subtree quota.

    >>> queue = ClusterQueue("q", cohort="c")
    >>> [node.name for node in build_tree(Cluster({"q": queue}), queue).nodes]
    ['c', 'q']
    """
    of_cohort = _members_by_cohort(cluster)
    root = queue if queue.cohort is None else _cohort(cluster, _root_of(cluster, queue))

    def below(member: ClusterQueue | Cohort) -> Sequence[ClusterQueue | Cohort]:
        return () if isinstance(member, ClusterQueue) else of_cohort.get(member.name, ())

    members, paths = laid_out(root, below)
    nodes = _nodes(members, paths, children_of(paths, [[] for _ in paths]))
    places = {node.name: node.place for node in nodes if node.queue is not None}
    return Tree(nodes, places, tuple(_of_all(cluster, nodes)))


def laid_out(
    root: _Member, below: Callable[[_Member], Sequence[_Member]]
) -> tuple[list[_Member], list[Path]]:
    """A root and all below it, each after the one that it is in, with the path of each.

    Args:
        root: the first.
        below: what is directly below one, the last first.

    Returns:
        Who is at each place, and the path of each place: itself, and the path of what it is in.

    >>> laid_out("c", {"a": (), "b": "", "c": "ba"}.__getitem__)
    (['c', 'a', 'b'], [(0,), (1, 0), (2, 0)])
    """
    members: list[_Member] = []
    paths: list[Path] = []
    waiting = [root]
    above: list[Path] = [()]
    while waiting:
        member = waiting.pop()
        up = above.pop()
        path = (len(paths), *up)
        members.append(member)
        paths.append(path)
        for child in below(member):
            waiting.append(child)
            above.append(path)
    return members, paths


def children_of(paths: Sequence[Path], children: list[list[int]]) -> list[list[int]]:
    """The places of what is directly below each place.

    Args:
        paths: by place.
        children: as many empty lists; filled in.

    >>> children_of([(0,), (1, 0), (2, 1, 0)], [[], [], []])
    [[1], [2], []]
    """
    for place, path in enumerate(paths):
        if len(path) > 1:
            children[path[1]].append(place)
    return children


def _of_all(cluster: Cluster, nodes: Iterable[Node]) -> Iterator[Unmodelled]:
    for node in nodes:
        holder = node.queue if node.queue is not None else cluster.cohorts.get(node.name)
        if holder is not None and holder.unmodelled:
            yield from (found for found in holder.unmodelled if found.reach == Reach.TREE)


def empty_usage(tree: Tree) -> Usage:
    """Nothing in use anywhere.

    >>> queue = ClusterQueue("q")
    >>> empty_usage(build_tree(Cluster({"q": queue}), queue))
    ({},)
    """
    return tuple({} for _ in tree.nodes)


def occupy(tree: Tree, usage: Usage, place: int, amounts: Amounts) -> Usage:
    """The usage with amounts added at a ClusterQueue, and above it as far as they reach.

    Args:
        tree: the tree.
        usage: what is in use before.
        place: of the ClusterQueue.
        amounts: what is added.

    Source: Kueue main of August 2026, usage of cohorts.

    >>> gpu, queue = FlavorResource("a100", "nvidia.com/gpu"), ClusterQueue("q", cohort="c")
    >>> tree = build_tree(Cluster({"q": queue}), queue)
    >>> occupy(tree, empty_usage(tree), tree.places["q"], {gpu: 2})[0] == {gpu: 2}
    True
    """
    return _change(tree, usage, place, amounts, adding=True)


def release(tree: Tree, usage: Usage, place: int, amounts: Amounts) -> Usage:
    """The usage with amounts subtracted at a ClusterQueue, and above it as far as they reached."""
    return _change(tree, usage, place, amounts, adding=False)


def total_usage(tree: Tree, held: Mapping[int, Amounts]) -> Usage:
    """What is in use at every node, given what the workloads of each ClusterQueue hold together.

    Args:
        tree: the tree.
        held: by the ClusterQueue's place.
    """
    usage: list[dict[FlavorResource, Amount]] = [dict(held.get(node.place, {})) for node in tree.nodes]
    for node in reversed(tree.nodes):  # children come after their parents
        if node.parent is not None:
            for flavor_resource in usage[node.place]:
                usage[node.parent].setdefault(flavor_resource, 0)
    for flavor_resource in usage[0]:
        links = [
            (node.place, above, node.quotas.get(flavor_resource, NO_QUOTA))
            for node in tree.nodes
            if (above := node.parent) is not None
        ]
        summed = summed_up(links, [used.get(flavor_resource, 0) for used in usage])
        for used, amount in zip(usage, summed, strict=True):
            if flavor_resource in used:
                used[flavor_resource] = amount
    return tuple(usage)


def summed_up(links: Sequence[tuple[int, int, NodeQuota]], used: list[Amount]) -> list[Amount]:
    """What is in use of one flavor-resource at every node, given what each node's own workloads hold.

    Args:
        links: of every node but the root its place, that of the node above it, and its quota; by place.
        used: what is held at every node, by place; changed in place.

    Source: Kueue main of August 2026, usage of cohorts.

    >>> summed_up([(1, 0, NodeQuota(local=2)), (2, 0, NodeQuota())], [0, 3, 4])
    [5, 3, 4]
    """
    for place, above, quota in reversed(links):  # children come after their parents
        used[above] = plus(used[above], usage_passed_up(quota, used[place]))
    return used


def available_at(tree: Tree, usage: Usage, place: int, flavor_resource: FlavorResource) -> Amount:
    """What is available of a flavor-resource at a node; negative where more is in use than there is."""
    free: Amount | None = None
    nodes = tree.nodes
    for index in reversed(nodes[place].path):
        free = available(
            nodes[index].quotas.get(flavor_resource, NO_QUOTA), usage[index].get(flavor_resource, 0), free
        )
    assert free is not None
    return free


def potential_at(tree: Tree, place: int, flavor_resource: FlavorResource) -> Amount:
    """The most that a node could ever have of a flavor-resource."""
    potential: Amount | None = None
    for index in reversed(tree.nodes[place].path):
        potential = potential_available(tree.nodes[index].quotas.get(flavor_resource, NO_QUOTA), potential)
    assert potential is not None
    return potential


def quota_at(tree: Tree, place: int, flavor_resource: FlavorResource) -> NodeQuota:
    """A node's quota of a flavor-resource; none of what it does not cover."""
    return tree.nodes[place].quotas.get(flavor_resource, NO_QUOTA)


def places_below(tree: Tree, place: int, common: int | None) -> tuple[int, ...]:
    """The places from a node up to below one that it is in; up to the root where that is None."""
    path = tree.nodes[place].path
    return path if common is None else path[: path.index(common)]


def common_place(tree: Tree, place: int, other: int) -> int:
    """The place of the lowest node that two nodes of one tree are in."""
    path = tree.nodes[other].path
    return next(index for index in tree.nodes[place].path if index in path)


def borrowing_level(
    tree: Tree, usage: Usage, place: int, flavor_resource: FlavorResource, request: Amount
) -> tuple[int, bool]:
    """How far up the tree quota for a request comes from, and whether that is below the root.

    Args:
        tree, usage: the tree, and what is in use.
        place: of the ClusterQueue.
        flavor_resource: the flavor-resource.
        request: how much of it.

    Returns:
        height of the smallest subtree whose quota the request fits, 0 for the queue itself; and whether
        that subtree is smaller than the tree.

    Source: Kueue main of August 2026, lowest subtree that fits.
    """
    path = tree.nodes[place].path
    rest = request
    for index in path:
        quota, used = quota_at(tree, index, flavor_resource), usage[index].get(flavor_resource, 0)
        if fits_quota(used, rest, quota.subtree):
            return tree.nodes[index].height, index != path[-1]
        rest = minus(rest, local_available(quota, used))  # unlike KQ-210 this may go below zero
    return tree.nodes[path[-1]].height, False


def climb(quotas: Sequence[NodeQuota], used: list[Amount], amount: Amount, *, adding: bool) -> list[Amount]:
    """Change what is in use of one flavor-resource on a path, from a ClusterQueue up, as far as it reaches.

    Args:
        quotas: of every node of the path, the ClusterQueue's first.
        used: what is in use at every node of the path; changed in place.
        amount: how much is added or subtracted at the ClusterQueue.
        adding: whether it is added.

    Source: Kueue main of August 2026, usage of cohorts.

    >>> climb([NodeQuota(nominal=4, subtree=4, local=4), NodeQuota()], [3, 0], 2, adding=True)
    [5, 1]
    """
    rest = amount
    for place, quota in enumerate(quotas):
        if rest == 0:
            break
        before = used[place]
        after = plus(before, rest) if adding else minus(before, rest)
        used[place] = after
        if quota.local:  # without local quota all of it passes up
            low, high = (before, after) if adding else (after, before)
            rest = minus(usage_passed_up(quota, high), usage_passed_up(quota, low))
    return used


def _change(tree: Tree, usage: Usage, place: int, amounts: Amounts, *, adding: bool) -> Usage:
    path = tree.nodes[place].path
    along = {at: _climbed(tree, usage, path, at, amount, adding) for at, amount in amounts.items()}
    changed = [
        {**usage[here], **{at: used[step] for at, used in along.items()}} for step, here in enumerate(path)
    ]
    return tuple(write_at(path, changed, list(usage)))


def _climbed(
    tree: Tree, usage: Usage, path: Path, flavor_resource: FlavorResource, amount: Amount, adding: bool
) -> Sequence[Amount]:
    """What is in use of a flavor-resource at every node of a path after a change."""
    quotas = [quota_at(tree, here, flavor_resource) for here in path]
    return climb(quotas, [usage[here].get(flavor_resource, 0) for here in path], amount, adding=adding)


def write_at(places: Sequence[int], new: Sequence[_Member], items: list[_Member]) -> list[_Member]:
    """Write items at some places of a list, each at one of its own.

    Args:
        places: from 0, each once.
        new: what is written at each of them.
        items: changed in place.

    >>> write_at([2, 0], ["c", "a"], ["x", "b", "x"])
    ['a', 'b', 'c']
    """
    for step, place in enumerate(places):
        items[place] = new[step]
    return items


def _root_of(cluster: Cluster, queue: ClusterQueue) -> str:
    name = queue.cohort
    seen: list[str] = []
    while name is not None:
        if name in seen:
            circle = " -> ".join((*seen[seen.index(name) :], name))
            raise bad_input("spec.parentName", circle, "cohorts that form a tree", object=f"Cohort/{name}")
        seen.append(name)
        cohort = cluster.cohorts.get(name)
        name = cohort.parent if cohort is not None else None
    return seen[-1]


def _cohort(cluster: Cluster, name: str) -> Cohort:
    return cluster.cohorts.get(name, Cohort(name))


def _members_by_cohort(cluster: Cluster) -> dict[str, list[ClusterQueue | Cohort]]:
    """What is directly below each cohort, the last first: ClusterQueues come before cohorts, each by name."""
    of_cohort: dict[str, list[ClusterQueue | Cohort]] = {}
    for cohort in sorted(cluster.cohorts.values(), key=lambda cohort: cohort.name, reverse=True):
        if cohort.parent is not None:
            of_cohort.setdefault(cohort.parent, []).append(cohort)
    for queue in sorted(cluster.cluster_queues.values(), key=lambda queue: queue.name, reverse=True):
        if queue.cohort is not None:
            of_cohort.setdefault(queue.cohort, []).append(queue)
    return of_cohort


def _nodes(
    members: Sequence[ClusterQueue | Cohort], paths: Sequence[Path], children: Sequence[Sequence[int]]
) -> tuple[Node, ...]:
    """The nodes by place; what a node lends is summed up from the last one on."""
    made: dict[int, Node] = {}
    for place in reversed(range(len(members))):  # children come after their parents
        made[place] = _node(members[place], paths[place], [made[child] for child in children[place]])
    return tuple(reversed(made.values()))


def _node(member: ClusterQueue | Cohort, path: Path, children: Sequence[Node]) -> Node:
    own = list(_own_quotas(member.resource_groups))
    queue = member if isinstance(member, ClusterQueue) else None
    queues, cohorts = list[Node](), list[Node]()
    for child in children:
        (cohorts if child.queue is None else queues).append(child)
    return Node(
        place=path[0],
        name=member.name,
        queue=queue,
        path=path,
        queues=tuple([child.place for child in queues]),
        cohorts=tuple([child.place for child in cohorts]),
        quotas=_quotas(own, children),
        weight=member.weight,
        height=0 if queue is not None else _height(queues, cohorts),
        lends={flavor_resource: lends for flavor_resource, _, lends in own if lends is not None},
    )


def _height(queues: Sequence[Node], cohorts: Sequence[Node]) -> int:
    active = any(child.queue is not None and not child.queue.inactive for child in queues)
    return max([int(active or bool(cohorts)), *(child.height + 1 for child in cohorts)])


def _quotas(
    owned: Iterable[tuple[FlavorResource, NodeQuota, Amount | None]], children: Iterable[Node]
) -> dict[FlavorResource, NodeQuota]:
    subtree: dict[FlavorResource, Amount] = {}
    own: dict[FlavorResource, tuple[NodeQuota, Amount | None]] = {}
    for flavor_resource, quota, lends in owned:
        own[flavor_resource] = (quota, lends)
        subtree[flavor_resource] = quota.nominal
    for child in children:
        for flavor_resource, lent in child.quotas.items():
            subtree[flavor_resource] = plus(subtree.get(flavor_resource, 0), quota_passed_up(lent))
    made: dict[FlavorResource, NodeQuota] = {}
    for flavor_resource, amount in subtree.items():
        quota, lends = own.get(flavor_resource, (NO_QUOTA, None))
        made[flavor_resource] = NodeQuota(
            quota.nominal, amount, local_quota(amount, lends), quota.borrowing_limit
        )
    return made


def _own_quotas(
    groups: tuple[ResourceGroup, ...],
) -> Iterator[tuple[FlavorResource, NodeQuota, Amount | None]]:
    """Every flavor-resource of an object, its nominal quota and borrowing limit, and its lending limit."""
    for group in groups:
        for quotas in group.flavors:
            for resource, nominal in quotas.nominal.items():
                limit = quotas.borrowing_limits.get(resource)
                quota = NodeQuota(nominal=nominal, subtree=nominal, borrowing_limit=limit)
                lends = quotas.lending_limits.get(resource)
                yield FlavorResource(quotas.flavor, resource), quota, lends
