"""When the mere passing of time may change a decision: durations that end, priorities that take a step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tenure.model import Instant
from tenure.rules.dynamic_priority import next_step_at, priority_at
from tenure.rules.reservation import quota_reservation_time
from tenure.timeline.actors import Actor
from tenure.timeline.world import World


@dataclass(frozen=True, slots=True)
class Timer:
    """An instant at which something runs out.

    Args:
        at: on the scenario's clock; the first instant at which the decision may be another one.
        actor: whose duration ends, or whose priority takes a step.
        is_step: whether it is the priority.
        falls: whether the priority is lower from then on.
    """

    at: Instant
    actor: Actor
    is_step: bool
    falls: bool = False


def timers_after(world: World, mark: Instant) -> list[Timer]:
    """The earliest instant after another at which anything runs out, with all that does.

    Args:
        world: the play.
        mark: on the scenario's clock; what ran out until then has been looked at.
    """
    found = [timer for timer in _every(world, mark) if timer.at > mark]
    first = min((timer.at for timer in found), default=0)
    return [timer for timer in found if timer.at == first]


def _every(world: World, mark: Instant) -> Iterator[Timer]:
    protections = {name: world.protection(name) for name in world.cluster.cluster_queues}
    for actor in world.alive.values():
        duration = protections.get(actor.queue)
        if actor.holds and duration is not None:
            # TBP-020 asks for strictly more than the duration: the first such instant is one nanosecond on.
            end = quota_reservation_time(actor.workload, world.clock) + duration + 1
            yield Timer(end - world.offset, actor, is_step=False)
        if actor.workload.priority_class in world.cluster.growing:
            yield from _step(world, actor, mark)


def _step(world: World, actor: Actor, mark: Instant) -> Iterator[Timer]:
    growing, reading = world.cluster.growing[actor.workload.priority_class], world.reading
    if growing.policy is None or growing.policy.step == 0:
        return
    workload, policy, clock = actor.workload, growing.policy, mark + world.offset
    before = priority_at(workload, growing.base, policy, clock, reading.priority_steps)
    at = next_step_at(workload, policy, clock, reading.priority_steps)
    after = priority_at(workload, growing.base, policy, at, reading.priority_steps)
    if after != before:
        yield Timer(at - world.offset, actor, is_step=True, falls=after < before)
