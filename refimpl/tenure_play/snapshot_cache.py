"""Who holds quota in a play, and what decisions look at; kept from one cycle to the next.

Trees, and what the workloads of a ClusterQueue hold together, are computed when something has changed there,
from all that runs there, and in no other way than `tenure.oracle` does for one cluster.
"""

from __future__ import annotations

import dataclasses
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field

from tenure.model import Amounts, Cluster, Instant, Workload
from tenure.oracle.heroes.held import held_together
from tenure.oracle.snapshot import Snapshot, snapshot_of, with_effective_priority
from tenure.oracle.tree import Tree, build_tree
from tenure.readings import Reading
from tenure_play.actors import Actor


@dataclass(slots=True)
class _Numbered:
    """Workloads by the number of their actors, in the order of joining."""

    numbers: list[int] = field(default_factory=list)
    workloads: list[Workload] = field(default_factory=list)

    def put(self, number: int, workload: Workload) -> None:
        """One holds quota, or holds it in another way."""
        at = bisect_left(self.numbers, number)
        if at < len(self.numbers) and self.numbers[at] == number:
            self.workloads[at] = workload
        else:
            self.numbers.insert(at, number)
            self.workloads.insert(at, workload)

    def drop(self, number: int) -> None:
        """It holds none any more."""
        at = bisect_left(self.numbers, number)
        del self.numbers[at], self.workloads[at]


@dataclass(slots=True)
class _Queue:
    """What runs in one ClusterQueue; None where that is not computed yet."""

    held: _Numbered = field(default_factory=_Numbered)
    running: tuple[Workload, ...] | None = None
    used: Amounts | None = None


@dataclass(slots=True)
class _Kept:
    """A tree, and the last snapshot of it; None where something has changed there since."""

    tree: Tree
    snapshot: Snapshot | None = None


class SnapshotCache:
    """The workloads that hold quota.

    Args:
        reading: see `tenure.readings`.

    >>> from tenure.readings import preset
    >>> SnapshotCache(preset("guaranteed")).workloads()
    ()
    """

    def __init__(self, reading: Reading) -> None:
        self.version = 0
        """Another number whenever anything has changed."""
        self._reading = reading
        self._all = _Numbered()
        self._actors: dict[int, Actor] = {}
        self._queues: dict[str, _Queue] = {}
        self._trees: dict[str, _Kept] = {}

    def __len__(self) -> int:
        return len(self._actors)

    def __iter__(self) -> Iterator[Actor]:
        """In the order of joining."""
        return (self._actors[number] for number in self._all.numbers)

    def workloads(self) -> tuple[Workload, ...]:
        """What they show, in the order of joining."""
        return tuple(self._all.workloads)

    def put(self, actor: Actor) -> None:
        """A workload holds quota, or what it shows has changed while it does."""
        self._actors[actor.number] = actor
        self._all.put(actor.number, actor.workload)
        self._changed(actor).put(actor.number, actor.workload)

    def drop(self, actor: Actor) -> None:
        """A workload holds none any more."""
        del self._actors[actor.number]
        self._all.drop(actor.number)
        self._changed(actor).drop(actor.number)

    def _changed(self, actor: Actor) -> _Numbered:
        self.version += 1
        queue = self._queues.setdefault(actor.queue, _Queue())
        queue.running = queue.used = None
        if actor.queue in self._trees:
            self._trees[actor.queue].snapshot = None
        return queue.held

    def forget_trees(self) -> None:
        """The objects are other ones from now on."""
        self.version += 1
        self._trees.clear()
        for queue in self._queues.values():
            queue.running = queue.used = None

    def snapshot(self, cluster: Cluster, queue_name: str, now: Instant) -> Snapshot:
        """The same as `tenure.oracle.snapshot.take_snapshot` of a cluster with these workloads.

        Args:
            cluster: with them under `admitted`.
            queue_name: one of its ClusterQueues.
            now: the clock, ns since the epoch.

        Raises:
            InputError: as `take_snapshot`.
        """
        kept = self._trees.get(queue_name)
        if kept is None:
            kept = _Kept(build_tree(cluster, cluster.cluster_queues[queue_name]))
            self._trees.update(dict.fromkeys(kept.tree.places, kept))
        if kept.snapshot is None or cluster.growing:
            kept.snapshot = self._taken(kept.tree, cluster, queue_name, now)
        elif kept.snapshot.cluster is not cluster:
            kept.snapshot = dataclasses.replace(kept.snapshot, cluster=cluster)
        return kept.snapshot.around(queue_name)

    def _taken(self, tree: Tree, cluster: Cluster, queue_name: str, now: Instant) -> Snapshot:
        running: dict[int, tuple[Workload, ...]] = {}
        used: dict[int, Amounts] = {}
        for name, place in tree.places.items():
            queue = self._queues.get(name)
            if queue is None or not queue.held.numbers:
                continue
            if queue.running is None or queue.used is None or cluster.growing:
                queue.running = tuple(
                    with_effective_priority(workload, cluster, now, self._reading)
                    for workload in queue.held.workloads
                )
                queue.used = held_together(queue.running)
            running[place], used[place] = queue.running, queue.used
        queue_object = cluster.cluster_queues[queue_name]
        return snapshot_of(cluster, queue_object, tree, running, used, self._reading)
