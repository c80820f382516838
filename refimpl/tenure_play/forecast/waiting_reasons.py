"""What a workload waits for when a course has ended: quota, its turn, or the end of a protection."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tenure.choices import Outcome
from tenure.explanation.shapes import preempted_workloads
from tenure.explanation.shortages import NodeAccount, amount, shortages
from tenure.model import FlavorResource, TurnResult
from tenure.oracle.decide import Decision
from tenure.rules.reservation import quota_reservation_time
from tenure_play.actors import Actor, Phase
from tenure_play.forecast.answer_types import (
    LackOfQuota,
    LaterChance,
    ProtectedEqual,
    StillWaiting,
)
from tenure_play.forecast.run import MOST_PAIRS, Course, some_names, why_not_admitted
from tenure_play.state import PlayState
from tenure_play.story import PARKED
from tenure_play.timers import Timer, timers_after

MOST_INSTANTS = 50
"""So many instants at which something runs out are looked at."""
_AT_END = (TurnResult.PARKED, TurnResult.TRIED_AGAIN)
_SHORT = (Outcome.NO_CANDIDATES, Outcome.NO_FIT)


def still_waiting(course: Course, actors: Iterable[Actor]) -> Iterator[StillWaiting]:
    """What some workloads wait for that are not admitted when a course has ended.

    Args:
        course: it has ended.
        actors: the workloads.
    """
    waiting = list(actors)
    chances = later_chances(course, [actor for actor in waiting if _is_short(course, actor)])
    for actor in waiting:
        handled = course.last.get(actor.key)
        settled = handled is not None and handled.result in _AT_END
        decision = None if handled is None else handled.entry.decision
        yield StillWaiting(
            workload=actor.key,
            cluster_queue=actor.queue,
            decision=None if decision is None else str(decision.outcome),
            why=_why(course, actor),
            lacks=tuple(_lacks(decision)) if decision is not None and settled else (),
            later=chances.get(actor.key),
        )


def _is_short(course: Course, actor: Actor) -> bool:
    handled = course.last.get(actor.key)
    return handled is not None and handled.entry.outcome in _SHORT and handled.result in _AT_END


def _why(course: Course, actor: Actor) -> str:
    """Why a workload waits, in words."""
    world, handled = course.player.world, course.last.get(actor.key)
    if hold := world.cluster.hold_of(actor.workload):
        return hold
    if handled is not None and handled.result == TurnResult.PREEMPTING:
        leaving = [
            target.workload.key
            for target in handled.entry.decision.targets
            if world.actors[target.workload.key].phase == Phase.TERMINATING
        ]
        return f"it waits for the pods of {some_names(leaving)} to end" if leaving else "it is tried again"
    if handled is not None:
        return why_not_admitted(handled)
    queue = world.cluster.cluster_queues[actor.queue]
    if queue.inactive:
        return f"ClusterQueue {queue.name} is inactive: {queue.inactive}"
    lines = [line.text for line in course.journal.story if line.workload == actor.key]
    if world.is_parked(actor.key) and lines:
        reason = lines[-1].removeprefix(PARKED)
        return f"it {reason}" if reason == lines[-1] else f"Kueue skips it, because {reason}"
    waiting = world.queues[actor.queue].active.values()
    head = min(waiting, key=world.place, default=None)
    if world.queues[actor.queue].is_strict and head is not None and head is not actor:
        return (
            f"it waits behind {head.key}: the head of StrictFIFO ClusterQueue {queue.name} lets no other pass"
        )
    mine = world.place(actor)
    before = sum(1 for other in waiting if world.place(other) < mine)
    are = "is" if before == 1 else "are"
    return f"its turn has not come: {before} {are} ahead of it in ClusterQueue {queue.name}"


def _lacks(decision: Decision) -> Iterator[LackOfQuota]:
    for shortage in shortages(decision):
        at, binding = shortage.at, shortage.binding
        yield LackOfQuota(
            flavor=at.flavor,
            resource=at.resource,
            asked=amount(at, shortage.asked),
            available=amount(at, shortage.available),
            short=amount(at, shortage.short),
            node=f"{binding.kind} {binding.name}",
            held_by=tuple(_holders(decision, at, binding)),
        )


def _holders(decision: Decision, at: FlavorResource, binding: NodeAccount) -> list[str]:
    """Who holds a flavor-resource below a node of the preemptor's path; those that hold the most first."""
    snapshot = decision.snapshot
    nodes = snapshot.tree.nodes
    kinds = {
        place: "Cohort" if nodes[place].queue is None else "ClusterQueue"
        for place in nodes[snapshot.place].path
    }
    below = next(
        place for place, kind in kinds.items() if (kind, nodes[place].name) == (binding.kind, binding.name)
    )
    held = [
        (-workload.usage.get(at, 0), workload.key)
        for place, running in snapshot.running.items()
        if below in nodes[place].path
        for workload in running
        if workload.usage.get(at, 0) > 0
    ]
    return [key for _, key in sorted(held)]


def later_chances(course: Course, actors: list[Actor]) -> dict[str, LaterChance]:
    """When time alone changes what is decided for some workloads, were they tried then.

    Args:
        course: it has ended; everything else stays as it is at its end.
        actors: the workloads.

    Returns:
        by workload the first change; none for those whose decision stays, or where that would be too much
        to look at.
    """
    world, found = course.player.world, dict[str, LaterChance]()
    left = {actor.key: actor for actor in actors}
    cost = len(left) * sum(1 for _ in world.holders())
    ended, budget, mark = world.now, MOST_PAIRS, world.now
    for _ in range(MOST_INSTANTS):
        timers = timers_after(world, mark)
        budget -= cost
        if not timers or not left or budget < 0:
            break
        mark = world.now = timers[0].at
        found.update(_changed(course, left, timers))
        left = {key: actor for key, actor in left.items() if key not in found}
        world.now = ended
    return found


def _changed(
    course: Course, left: dict[str, Actor], timers: list[Timer]
) -> Iterator[tuple[str, LaterChance]]:
    world = course.player.world
    snapshots = world.snapshots()
    queues = {timer.actor.queue for timer in timers}
    for key, actor in left.items():
        if queues.isdisjoint(queue.name for queue in world.tree_of(actor.queue)):
            continue
        decision = snapshots.batch.decide(actor.workload, actor.queue)
        if decision.outcome not in _SHORT:
            because = "; ".join(map(_ran_out, timers[:3]))
            yield key, LaterChance(world.now, str(decision.outcome), preempted_workloads(decision), because)


def _ran_out(timer: Timer) -> str:
    what = "its priority takes a step" if timer.is_step else "its minAdmitDuration has passed"
    return f"{timer.actor.key}: {what}"


def protected_equals(world: PlayState, actor: Actor) -> tuple[ProtectedEqual, ...]:
    """Running workloads of a waiting one's ClusterQueue and priority that are protected from it now.

    Args:
        world: of a course that has ended.
        actor: the waiting workload.
    """
    duration = world.protection(actor.queue)
    if duration is None:
        return ()
    mine = world.priority(actor)
    found = [
        (quota_reservation_time(running.workload, world.clock) + duration, running.key)
        for running in world.holders()
        if running.queue == actor.queue and world.priority(running) == mine
    ]
    return tuple(ProtectedEqual(key, until) for until, key in sorted(found) if until >= world.clock)
