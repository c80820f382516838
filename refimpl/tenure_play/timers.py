"""When the mere passing of time may change a decision: the end of protected time, steps of priorities."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from tenure.model import Instant
from tenure.oracle.ageing import grown_priority
from tenure.rules.cycle import protection_ended_at
from tenure.rules.dynamic_priority import next_step_at
from tenure.rules.protection import admission_time
from tenure.rules.reservation import quota_reservation_time
from tenure_play.actors import Actor

if TYPE_CHECKING:
    from tenure_play.state import PlayState


@dataclass(frozen=True, slots=True)
class Timer:
    """An instant at which something runs out.

    Args:
        at: on the scenario's clock; the first instant at which the decision may be another one.
        actor: whose duration ends, or whose priority takes a step.
        is_step: whether it is the priority.
        falls: whether the priority is lower from then on.
        across: whether it is a protection from other ClusterQueues (KEP-9876) that ends.
    """

    at: Instant
    actor: Actor
    is_step: bool
    falls: bool = False
    across: bool = False


class Ends:
    """When the protected time of workloads that hold quota ends, by the controller's clock, in that order.

    >>> Ends().is_quiet(0, 9)
    True
    """

    def __init__(self) -> None:
        self._ends: list[_End] = []
        self._of: dict[int, tuple[tuple[_End, ...], Actor]] = {}
        self._unstamped: dict[int, Actor] = {}
        """Those of whom it is not known since when they hold it: theirs ends later with every instant."""

    def add(self, actor: Actor, world: PlayState) -> None:
        """One more workload holds quota."""
        if actor.workload.quota_reserved_at is None:
            self._unstamped[actor.number] = actor
        elif ends := tuple(_ends_of(actor, world)):
            for end in ends:
                insort(self._ends, end)
            self._of[actor.number] = ends, actor

    def drop(self, actor: Actor) -> None:
        """It holds none any more."""
        self._unstamped.pop(actor.number, None)
        if actor.number in self._of:
            for end in self._of.pop(actor.number)[0]:
                del self._ends[bisect_left(self._ends, end)]

    def is_quiet(self, clock: Instant, other: Instant) -> bool:
        """Whether between two instants, by the controller's clock, no protected time ends."""
        if self._unstamped and clock != other:
            return False
        return self._place(clock) == self._place(other)

    def after(self, clock: Instant, world: PlayState) -> Iterator[tuple[Instant, Actor, bool]]:
        """The next ends after an instant, by the controller's clock, and whether it is of others."""
        first = self._place(clock)
        if first < len(self._ends):
            last = self._place(self._ends[first].at)
            yield from ((end.at, self._of[end.number][1], end.across) for end in self._ends[first:last])
        for actor in self._unstamped.values():
            yield from ((end.at, actor, end.across) for end in _ends_of(actor, world))

    def _place(self, clock: Instant) -> int:
        return bisect_right(self._ends, clock, key=lambda end: end.at)


class _End(NamedTuple):
    """The first instant at which a workload is not protected any more, and from whom it was."""

    at: Instant
    number: int
    across: bool


def _ends_of(actor: Actor, world: PlayState) -> Iterator[_End]:
    workload, duration = actor.workload, world.protection(actor.queue)
    if duration is not None:
        reserved = quota_reservation_time(workload, world.clock)
        yield _End(protection_ended_at(reserved, duration), actor.number, across=False)
    start = world.execution_start(workload) if world.executions() else None
    if start is not None:
        yield from (_End(start + least, actor.number, across=False) for least in world.executions())
    for across in world.protections():
        if workload.admission_delay is not None:
            yield _End(admission_time(workload, world.clock) + across, actor.number, across=True)


def timers_after(world: PlayState, mark: Instant) -> list[Timer]:
    """The earliest instant after another at which anything runs out, with all that does.

    Args:
        world: the play.
        mark: on the scenario's clock; what ran out until then has been looked at.
    """
    found = [timer for timer in _every(world, mark) if timer.at > mark]
    first = min((timer.at for timer in found), default=0)
    return sorted((timer for timer in found if timer.at == first), key=_in_order_of_joining)


def _in_order_of_joining(timer: Timer) -> tuple[int, bool]:
    return timer.actor.number, timer.is_step


def _every(world: PlayState, mark: Instant) -> Iterator[Timer]:
    for end, actor, across in world.ends.after(mark + world.offset, world):
        yield Timer(end - world.offset, actor, is_step=False, across=across)
    growing: Iterable[Actor] = world.alive.values() if world.cluster.growing else ()
    for actor in growing:
        if actor.workload.priority_class in world.cluster.growing:
            yield from _step(world, actor, mark)


def _step(world: PlayState, actor: Actor, mark: Instant) -> Iterator[Timer]:
    growing, reading = world.cluster.growing[actor.workload.priority_class], world.reading
    if growing.policy is None or growing.policy.step == 0:
        return
    workload, policy, clock = actor.workload, growing.policy, mark + world.offset
    before = grown_priority(workload, world.cluster, clock, reading)
    at = next_step_at(workload, policy, clock, reading.priority_steps)
    after = grown_priority(workload, world.cluster, at, reading)
    assert before is not None
    assert after is not None
    if after != before:
        yield Timer(at - world.offset, actor, is_step=True, falls=after < before)
