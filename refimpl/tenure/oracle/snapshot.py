"""What a decision looks at: the tree around one ClusterQueue, its workloads and what they hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from tenure.errors import bad_input
from tenure.model import Amount, Amounts, Cluster, ClusterQueue, FlavorResource, Instant, Workload
from tenure.oracle.ageing import grown_priority
from tenure.oracle.heroes.effective import effective_usage
from tenure.oracle.heroes.fit import fits_hero
from tenure.oracle.heroes.held import (
    NOTHING_HELD,
    Held,
    held_beside,
    held_by,
    held_together,
    held_without,
)
from tenure.oracle.heroes.plan import HeroPlan, plan_heroes
from tenure.oracle.tree import Tree, Usage, build_tree, occupy, release, total_usage
from tenure.readings import Reading
from tenure.rules.dynamic_priority import priority_in_decision

Running: TypeAlias = Mapping[int, tuple[Workload, ...]]
"""The workloads that hold quota of each ClusterQueue, by the queue's place."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The tree around one ClusterQueue. Several decisions about its workloads may share one.

    Args:
        cluster: the cluster that it is of.
        queue: the ClusterQueue.
        tree: the tree that it is in.
        place: its place there.
        running: the workloads that hold quota of each ClusterQueue of the tree, by the queue's place, with
            their effective priorities.
        usage: what they hold, at every node.
        heroes: the heroes of the tree; None where it has none. `tree` and `usage` are the effective ones.
        held: what the workloads hold before any bill, where there are heroes.
    """

    cluster: Cluster
    queue: ClusterQueue
    tree: Tree
    place: int
    running: Running
    usage: Usage
    heroes: HeroPlan | None = None
    held: Held = NOTHING_HELD

    def around(self, queue_name: str) -> Snapshot:
        """The snapshot of the same tree around another of its ClusterQueues.

        Raises:
            KeyError: the tree has no such ClusterQueue.
        """
        place = self.tree.places[queue_name]
        queue = self.tree.nodes[place].queue
        assert queue is not None
        return replace(self, queue=queue, place=place)

    def without(self, workloads: Iterable[Workload]) -> Snapshot:
        """The snapshot once some workloads have left; those that do not run in its tree are left out."""
        leaving = [
            (place, workload)
            for workload in workloads
            if (place := self.tree.places.get(workload.cluster_queue or "")) is not None
        ]
        if not leaving:
            return self
        # A name is compared sooner than a key is put together.
        names, keys = {workload.name for _, workload in leaving}, {workload.key for _, workload in leaving}
        running = dict(self.running)
        for place in {place for place, _ in leaving}:
            running[place] = tuple(
                other for other in running.get(place, ()) if other.name not in names or other.key not in keys
            )
        usage, held = self.usage, self.held
        for place, workload in leaving:
            if self.heroes is None:
                usage = release(self.tree, usage, place, workload.usage)
            else:
                held = held_without(held, place, workload.usage)
        return (
            self._with(running, self.tree, usage, held)
            if self.heroes is None
            else self.holding(running, held)
        )

    def beside(self, amounts: Amounts) -> Snapshot:
        """The snapshot once its ClusterQueue has admitted a workload with these amounts."""
        if self.heroes is None:
            usage = occupy(self.tree, self.usage, self.place, amounts)
            return self._with(self.running, self.tree, usage, self.held)
        return self.holding(self.running, held_beside(self.held, self.place, amounts))

    def is_hero(self, place: int) -> bool:
        """Whether the node at a place is a hero."""
        return self.heroes is not None and place in self.heroes.branch_of

    def fits_hero(self, flavor_resource: FlavorResource, amount: Amount) -> bool:
        """Whether a request of its ClusterQueue, a hero, fits."""
        return fits_hero(self.usage, self.place, flavor_resource, amount)

    def holding(self, running: Running, held: Held) -> Snapshot:
        """The snapshot of a tree with heroes if something else ran in it."""
        assert self.heroes is not None
        usage = effective_usage(self.heroes, held)
        return self._with(running, usage.tree, usage, held)

    def _with(self, running: Running, tree: Tree, usage: Usage, held: Held) -> Snapshot:
        return Snapshot(
            cluster=self.cluster,
            queue=self.queue,
            tree=tree,
            place=self.place,
            running=running,
            usage=usage,
            heroes=self.heroes,
            held=held,
        )


def take_snapshot(cluster: Cluster, queue_name: str, now: Instant, reading: Reading) -> Snapshot:
    """The tree around a ClusterQueue as a cluster shows it at an instant.

    Args:
        cluster: every workload under `admitted` holds quota.
        queue_name: the ClusterQueue.
        now: the scheduling cycle's one clock value, ns since the epoch; priorities may grow with it.
        reading: see `tenure.readings`.

    Raises:
        InputError: no such ClusterQueue; cohorts that are their own ancestors; a WorkloadPriorityClass of a
            running workload of the tree that the reading refuses.

    >>> from tenure.readings import preset
    >>> take_snapshot(Cluster({"q": ClusterQueue("q")}), "q", 0, preset("guaranteed")).usage
    ({},)
    """
    queue = cluster.cluster_queues.get(queue_name)
    if queue is None:
        known = ", ".join(sorted(cluster.cluster_queues)) or "none is given"
        raise bad_input("clusterQueue", queue_name, f"the name of a given ClusterQueue: {known}")
    return _around(cluster, queue, now, reading)


def _around(cluster: Cluster, queue: ClusterQueue, now: Instant, reading: Reading) -> Snapshot:
    tree = build_tree(cluster, queue)
    inside = _running_in(tree, cluster.admitted)
    seen = tuple(with_effective_priority(workload, cluster, now, reading) for workload in inside)
    running = _by_queue(tree, seen)
    return snapshot_of(cluster, queue, tree, running, _held_by_queue(running), reading)


def _running_in(tree: Tree, workloads: Iterable[Workload]) -> tuple[Workload, ...]:
    return tuple(workload for workload in workloads if workload.cluster_queue in tree.places)


def _by_queue(tree: Tree, workloads: Iterable[Workload]) -> Running:
    running: dict[int, list[Workload]] = {}
    for workload in workloads:
        assert workload.cluster_queue is not None
        running.setdefault(tree.places[workload.cluster_queue], []).append(workload)
    return {place: tuple(own) for place, own in running.items()}


def _held_by_queue(running: Running) -> dict[int, Amounts]:
    return {place: held_together(workloads) for place, workloads in running.items()}


def snapshot_of(
    cluster: Cluster,
    queue: ClusterQueue,
    tree: Tree,
    running: Running,
    used: Mapping[int, Amounts],
    reading: Reading,
) -> Snapshot:
    """The snapshot around a ClusterQueue of which everything is known that runs in its tree.

    Args:
        cluster, queue: as for `take_snapshot`.
        tree: the tree that it is in, as `build_tree` makes it.
        running: see `Snapshot`.
        used: what the workloads of each ClusterQueue hold together, by the queue's place.
        reading: see `tenure.readings`.

    >>> from tenure.readings import preset
    >>> queue = ClusterQueue("q")
    >>> cluster = Cluster({"q": queue})
    >>> snapshot_of(cluster, queue, build_tree(cluster, queue), {}, {}, preset("guaranteed")).place
    0
    """
    place, heroes = tree.places[queue.name], plan_heroes(tree, reading)
    if heroes is None:
        return Snapshot(cluster, queue, tree, place, running, total_usage(tree, used))
    held = held_by(running, heroes.branch_of)
    usage = effective_usage(heroes, held)
    return Snapshot(cluster, queue, usage.tree, place, running, usage, heroes, held)


def with_effective_priority(workload: Workload, cluster: Cluster, now: Instant, reading: Reading) -> Workload:
    """The workload as rules see it: its priority is the one that decisions compare (DYN-070), at an instant.

    Args:
        workload: any workload.
        cluster: its classes and settings.
        now: the scheduling cycle's one clock value, ns since the epoch.
        reading: see `tenure.readings`.

    Raises:
        InputError: the reading refuses its WorkloadPriorityClass.

    Source: KEP-754, Priority Calculation; a priority boost is added to what comes out.

    >>> from tenure.model import Settings
    >>> from tenure.readings import preset
    >>> boosted = Workload("ns", "w", "u", priority=100, created_at=0, priority_boost=7)
    >>> cluster = Cluster({}, settings=Settings(priority_boost=True))
    >>> with_effective_priority(boosted, cluster, 0, preset("guaranteed")).priority
    107
    """
    priority = _compared(workload, cluster, now, reading)
    return workload if priority == workload.priority else workload.with_priority(priority)


def _compared(workload: Workload, cluster: Cluster, now: Instant, reading: Reading) -> int:
    grown = grown_priority(workload, cluster, now, reading)
    return priority_in_decision(workload, grown, cluster.settings.priority_boost)
