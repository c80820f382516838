"""The pending workloads of one ClusterQueue: a heap, those that wait aside, and the preemptor at its head."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any

from tenure.model import QueueingStrategy, TurnResult
from tenure.rules.cycle import awaits_targets, is_kept_at_head, joins_those_parked
from tenure.timeline.actors import Actor


class PendingQueue:
    """What Kueue keeps in memory about one ClusterQueue.

    Args:
        name: of the ClusterQueue.
        strategy: its `spec.queueingStrategy`.
        equivalence: gate SchedulingEquivalenceHashing.

    Source: Kueue main of August 2026, pending workloads of a ClusterQueue.

    >>> queue = PendingQueue("q", QueueingStrategy.BEST_EFFORT_FIFO)
    >>> len(queue.active), queue.preemptor
    (0, None)
    """

    def __init__(self, name: str, strategy: QueueingStrategy, *, equivalence: bool = True) -> None:
        self.name = name
        self.strategy = strategy
        self.equivalence = equivalence
        self.active: dict[str, Actor] = {}
        self.parked: dict[str, Actor] = {}
        self.resting: dict[str, Actor] = {}
        """Those whose `requeueAt` has not come: no event wakes them."""
        self.preemptor: str | None = None
        self.preemptor_sticks = False
        self._alike: set[Hashable] = set()

    @property
    def is_strict(self) -> bool:
        """Whether its head lets no other pass."""
        return self.strategy == QueueingStrategy.STRICT_FIFO

    def sticky(self, key: str) -> bool:
        """Whether a workload is at the head because it waits for its victims."""
        return self.preemptor_sticks and self.preemptor == key

    def push(self, actor: Actor, shape: Hashable) -> bool:
        """A workload joins; one like those that wait aside joins them, and is not looked at.

        Args:
            actor: the workload.
            shape: what it has in common with those that the scheduler treats alike.

        Returns:
            whether it is in the heap.
        """
        self.parked.pop(actor.key, None)
        if joins_those_parked(self.is_strict, shape in self._alike):
            self.parked[actor.key] = actor
            return False
        self.active[actor.key] = actor
        return True

    def rest(self, actor: Actor) -> None:
        """A workload joins that is not queued yet."""
        self.resting[actor.key] = actor

    def pop(self, order: Callable[[Actor], Any]) -> Actor | None:
        """Take the head out of the heap.

        Args:
            order: a workload's position; the lowest is the head.
        """
        if not self.active:
            return None
        head = min(self.active.values(), key=order)
        return self.active.pop(head.key)

    def requeue(self, actor: Actor, result: TurnResult, shape: Callable[[Actor], Hashable]) -> list[Actor]:
        """A head that was not admitted comes back.

        Args:
            actor: the workload.
            result: what became of it.
            shape: see `push`.

        Returns:
            who waits aside from now on: it, and those like it.
        """
        if awaits_targets(result):
            self.preemptor, self.preemptor_sticks = actor.key, is_kept_at_head(True, self.is_strict)
        if result != TurnResult.PARKED:
            self.active[actor.key] = actor
            return []
        self.parked[actor.key] = actor
        return [actor, *self._park_alike(shape(actor), shape)]

    def _park_alike(self, shape: Hashable, shape_of: Callable[[Actor], Hashable]) -> list[Actor]:
        if not self.equivalence:
            return []
        self._alike.add(shape)
        alike = [actor for actor in self.active.values() if shape_of(actor) == shape]
        for actor in alike:
            self.parked[actor.key] = self.active.pop(actor.key)
        return alike

    def wake(self, only: Iterable[str] | None = None) -> list[Actor]:
        """Put those that wait aside into the heap again.

        Args:
            only: these, if they wait aside; None for all.

        Returns:
            who was woken.
        """
        self._alike.clear()
        keys = list(self.parked) if only is None else [key for key in only if key in self.parked]
        woken = [self.parked.pop(key) for key in keys]
        self.active.update((actor.key, actor) for actor in woken)
        return woken

    def remove(self, key: str) -> None:
        """A workload is admitted, finished or deleted; only that ends its time as the preemptor."""
        self.active.pop(key, None)
        self.parked.pop(key, None)
        self.resting.pop(key, None)
        if self.preemptor == key:
            self.preemptor, self.preemptor_sticks = None, False

    def forget(self) -> None:
        """A restart: every waiting workload is in the heap, and none is known as a preemptor."""
        self.active.update(self.parked)
        self.parked.clear()
        self._alike.clear()
        self.preemptor, self.preemptor_sticks = None, False

    def waiting(self) -> list[Actor]:
        """Every waiting workload, in no order."""
        return [*self.active.values(), *self.parked.values(), *self.resting.values()]
