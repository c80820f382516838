"""The pending workloads of one ClusterQueue: heaps of equals, those that are parked, and the preemptor."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field

from tenure.api import HeapPlace
from tenure.model import QueueingStrategy, TurnResult
from tenure.rules.cycle import awaits_targets, is_kept_at_head, joins_those_parked
from tenure_play.actors import Actor


@dataclass(frozen=True, slots=True)
class QueueOrder:
    """What a queue needs to know about its workloads.

    Args:
        place: a workload's position; the lowest is the head.
        shape: what it has in common with those that the scheduler treats alike.
        equivalence: gate SchedulingEquivalenceHashing.
        moves: whether time alone changes places and shapes.
        in_order: whether workloads that move together are listed in the order in which they came there.
    """

    place: Callable[[Actor], HeapPlace]
    shape: Callable[[Actor], Hashable]
    equivalence: bool = True
    moves: bool = False
    in_order: bool = True


@dataclass(slots=True)
class _Pending:
    """A workload in a heap, with its place and shape at the instant when it came there."""

    place: HeapPlace
    actor: Actor
    shape: Hashable

    def __lt__(self, other: _Pending) -> bool:
        return self.place < other.place


@dataclass(slots=True)
class _Alike:
    """Workloads that the scheduler treats alike: a heap of those that it tries, and those that are parked."""

    active: list[_Pending] = field(default_factory=list)
    parked: list[_Pending] = field(default_factory=list)

    def park(self) -> None:
        """All of them are parked."""
        self.active, self.parked = [], _together(self.parked, self.active)

    def wake(self) -> None:
        """All of them are tried."""
        self.active, self.parked = _together(self.active, self.parked), []


def _place_in(heap: list[_Pending], key: str) -> int | None:
    return next((at for at, pending in enumerate(heap) if pending.actor.key == key), None)


def _together(some: list[_Pending], more: list[_Pending]) -> list[_Pending]:
    if not some or not more:
        return some or more
    some.extend(more)
    heapq.heapify(some)
    return some


def preemptor_after(preemptor: str | None, key: str, result: TurnResult) -> str | None:
    """The preemptor of a ClusterQueue after a head's turn; None without one.

    Args:
        preemptor: before it.
        key: the head.
        result: what became of it; one that is finished or deleted leaves as one that is admitted.

    >>> [preemptor_after("a", "b", result) for result in (TurnResult.PREEMPTING, TurnResult.ADMITTED)]
    ['b', 'a']
    """
    if awaits_targets(result):
        return key
    return None if result == TurnResult.ADMITTED and preemptor == key else preemptor


class PendingQueue:
    """What Kueue keeps in memory about one ClusterQueue.

    Workloads that are alike are parked and woken together, whatever their number. Where time changes who is
    alike, each of them is by itself.

    Args:
        name: of the ClusterQueue.
        strategy: its `spec.queueingStrategy`.
        order: what it needs to know about its workloads.

    Source: Kueue main of August 2026, pending workloads of a ClusterQueue.

    >>> from tenure.api import heap_place
    >>> order = QueueOrder(lambda actor: HeapPlace(False, 0, 0, ("", actor.key)), lambda actor: actor.key)
    >>> queue = PendingQueue("q", QueueingStrategy.BEST_EFFORT_FIFO, order)
    >>> len(queue.active), queue.preemptor
    (0, None)
    """

    def __init__(self, name: str, strategy: QueueingStrategy, order: QueueOrder) -> None:
        self.name = name
        self.strategy = strategy
        self.resting: dict[str, Actor] = {}
        """Those whose `requeueAt` has not come: no event wakes them."""
        self.preemptor: str | None = None
        self.preemptor_sticks = False
        self._order = order
        self._alike: dict[Hashable, _Alike] = {}
        self._kept: _Pending | None = None
        """The preemptor that is kept at the head, while it is in the queue; it is in no heap."""
        self._kept_is_parked = False
        self._where: dict[str, Hashable] = {}
        """By name, for each workload in a heap: which."""
        self._tried = 0
        self._shapes_parked: set[Hashable] = set()
        self._numbers: dict[str, int] = {}
        self._number = 0

    @property
    def is_strict(self) -> bool:
        """Whether its head lets no other pass."""
        return self.strategy == QueueingStrategy.STRICT_FIFO

    @property
    def has_active(self) -> bool:
        """Whether any workload is tried."""
        return self._tried > 0

    @property
    def active(self) -> dict[str, Actor]:
        """The workloads that are tried, by name, in no order."""
        return {pending.actor.key: pending.actor for pending in self._all(parked=False)}

    @property
    def parked(self) -> dict[str, Actor]:
        """The parked workloads, by name, in no order."""
        return {pending.actor.key: pending.actor for pending in self._all(parked=True)}

    def is_parked(self, key: str) -> bool:
        """Whether a workload is parked."""
        if self._kept is not None and self._kept.actor.key == key:
            return self._kept_is_parked
        return key in self._where and _place_in(self._alike[self._where[key]].parked, key) is not None

    def sticky(self, key: str) -> bool:
        """Whether a workload is at the head because it waits for its victims."""
        return self.preemptor_sticks and self.preemptor == key

    def push(self, actor: Actor) -> bool:
        """A workload joins; one like those that are parked joins them, untried.

        Returns:
            whether it is tried.
        """
        self._take_out(actor.key)
        shape = self._order.shape(actor)
        aside = joins_those_parked(self.is_strict, shape in self._shapes_parked)
        self._put(actor, shape, parked=aside)
        self._came([actor])
        return not aside

    def rest(self, actor: Actor) -> None:
        """A workload joins that is not queued yet."""
        self.resting[actor.key] = actor

    def pop(self) -> Actor | None:
        """Take the head out of the heap."""
        if not self._tried:
            return None
        best: _Pending | None = None
        for pending in self._heads():
            if best is None or pending < best:
                best = pending
        assert best is not None
        self._tried -= 1
        if best is self._kept:
            self._kept = None
        else:
            heap = self._where.pop(best.actor.key)
            heapq.heappop(self._alike[heap].active)
            self._forget_empty(heap)
        return best.actor

    def _forget_empty(self, heap: Hashable) -> None:
        alike = self._alike[heap]
        if not alike.active and not alike.parked:
            del self._alike[heap]

    def _heads(self) -> Iterator[_Pending]:
        """Of all that are tried, some of which one is the head."""
        for alike in self._alike.values():
            if alike.active:
                yield self._now(alike.active[0]) if self._order.moves else alike.active[0]
        if self._kept is not None and not self._kept_is_parked:
            yield self._kept

    def _now(self, pending: _Pending) -> _Pending:
        """The same with its place as it is now."""
        return _Pending(self._order.place(pending.actor), pending.actor, pending.shape)

    def requeue(self, actor: Actor, result: TurnResult) -> list[Actor]:
        """A head that was not admitted comes back; who is the preemptor from now on is known.

        Args:
            actor: the workload.
            result: what became of it.

        Returns:
            the workloads that are parked from now on: it and, where they are listed, those like it.
        """
        shape = self._order.shape(actor)
        if awaits_targets(result):
            self._displace()
            self.preemptor_sticks = is_kept_at_head(True, self.is_strict)
        if result != TurnResult.PARKED:
            self._put(actor, shape, parked=False)
            self._came([actor])
            return []
        alike = self._park_alike(shape) if self._order.equivalence else []
        self._put(actor, shape, parked=True)
        return self._came([actor, *alike])

    def _displace(self) -> None:
        """Another workload is the preemptor from now on: the one before goes to those like it."""
        kept, parked = self._kept, self._kept_is_parked
        if kept is not None:
            self._take_out(kept.actor.key)
            self.preemptor_sticks = False
            self._put(kept.actor, kept.shape, parked=parked)

    def _park_alike(self, shape: Hashable) -> list[Actor]:
        """All of a shape are parked.

        Returns:
            who did not before, in order, where that is listed.
        """
        self._shapes_parked.add(shape)
        moved: list[_Pending] = []
        for alike in self._of_shape(shape):
            self._tried -= len(alike.active)
            moved += alike.active if self._order.in_order else ()
            alike.park()
        kept = self._kept
        if kept is not None and not self._kept_is_parked and self._shape_of(kept) == shape:
            moved.append(kept)
            self._kept_is_parked = True
            self._tried -= 1
        return self._in_order(moved)

    def _of_shape(self, shape: Hashable) -> Iterable[_Alike]:
        if self._order.moves:
            every = self._alike.values()
            return [alike for alike in every if alike.active and self._shape_of(alike.active[0]) == shape]
        found = self._alike.get(shape)
        return () if found is None else (found,)

    def _shape_of(self, pending: _Pending) -> Hashable:
        return self._order.shape(pending.actor) if self._order.moves else pending.shape

    def wake(self, only: Iterable[str] | None = None) -> list[Actor]:
        """Try parked workloads again.

        Args:
            only: these, if they are parked; None for all.

        Returns:
            those that were woken, in order; where they are not listed, one of each heap.
        """
        self._shapes_parked.clear()
        if only is not None:
            return self._came([actor for key in only for actor in self._woken_alone(key)])
        moved: list[_Pending] = []
        for alike in self._alike.values():
            if alike.parked:
                self._tried += len(alike.parked)
                moved += alike.parked if self._order.in_order else alike.parked[:1]
                alike.wake()
        if self._kept is not None and self._kept_is_parked:
            moved.append(self._kept)
            self._kept_is_parked = False
            self._tried += 1
        return self._came(self._in_order(moved))

    def _woken_alone(self, key: str) -> Iterator[Actor]:
        if self.is_parked(key):
            pending = self._take_out(key)
            assert pending is not None
            self._put(pending.actor, pending.shape, parked=False)
            yield pending.actor

    def remove(self, key: str) -> None:
        """A workload is admitted, finished or deleted, and not the preemptor any more."""
        self._take_out(key)
        self.resting.pop(key, None)
        self.preemptor_sticks = self.preemptor_sticks and self.preemptor is not None

    def start_over(self) -> None:
        """A restart: every waiting workload is in the heap, and none is known as a preemptor."""
        self.wake()
        self._displace()
        self.preemptor, self.preemptor_sticks = None, False

    def reorder(self, strategy: QueueingStrategy, order: QueueOrder) -> None:
        """From now on the queue has another strategy, and its workloads have other places.

        Args:
            strategy, order: see there.
        """
        self.strategy, self._order = strategy, order
        waiting = [
            (pending.actor, parked) for parked in (False, True) for pending in self._all(parked=parked)
        ]
        self._alike.clear()
        self._where.clear()
        self._kept, self._tried = None, 0
        for actor, parked in waiting:
            self._put(actor, order.shape(actor), parked=parked)

    def _all(self, *, parked: bool) -> Iterator[_Pending]:
        for alike in self._alike.values():
            yield from alike.parked if parked else alike.active
        if self._kept is not None and self._kept_is_parked == parked:
            yield self._kept

    def _put(self, actor: Actor, shape: Hashable, *, parked: bool) -> None:
        pending = _Pending(self._order.place(actor), actor, shape)
        self._tried += not parked
        if self.sticky(actor.key):
            self._kept, self._kept_is_parked = pending, parked
            return
        heap = self._where[actor.key] = actor.key if self._order.moves else shape
        alike = self._alike.get(heap)
        if alike is None:
            alike = self._alike[heap] = _Alike()
        heapq.heappush(alike.parked if parked else alike.active, pending)

    def _take_out(self, key: str) -> _Pending | None:
        """Take a workload out of wherever it waits; None where it does not."""
        kept = self._kept
        if kept is not None and kept.actor.key == key:
            self._tried -= not self._kept_is_parked
            self._kept = None
            return kept
        if key not in self._where:
            return None
        shape = self._where.pop(key)
        alike = self._alike[shape]
        heap = alike.active
        at = _place_in(heap, key)
        if at is None:
            heap = alike.parked
            at = _place_in(heap, key)
        else:
            self._tried -= 1
        assert at is not None
        found, heap[at] = heap[at], heap[-1]
        heap.pop()
        heapq.heapify(heap)
        self._forget_empty(shape)
        return found

    def _in_order(self, moved: list[_Pending]) -> list[Actor]:
        """Those who move, in the order in which they came to where they were."""
        actors = [pending.actor for pending in moved]
        if self._order.in_order:
            actors.sort(key=lambda actor: self._numbers[actor.key])
        return actors

    def _came(self, actors: list[Actor]) -> list[Actor]:
        """Those who have moved came to where they are in this order."""
        if self._order.in_order:
            for number, actor in enumerate(actors, self._number):
                self._numbers[actor.key] = number
            self._number += len(actors)
        return actors
