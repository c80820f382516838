"""Preemptions in vain: the preemptor does not get the quota that its victims give back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tenure.choices import Outcome
from tenure.engines import Searches
from tenure.joint import PreemptionInVain, names
from tenure.model import Workload
from tenure.oracle.decide import decide
from tenure_play.actors import Actor, Phase
from tenure_play.forecast.answer_types import LookEnd
from tenure_play.forecast.run import Course, admissions, heads_of
from tenure_play.record import Ending, Result

MOST_ADMITTED = 20
"""So many workloads that were admitted since, the last ones, are looked at to find who gets the quota."""
_SETTLED = (Result.PARKED, Result.TRIED_AGAIN)


def preemptions_in_vain(course: Course, ended: LookEnd) -> tuple[PreemptionInVain, ...]:
    """The preemptions of a course whose preemptor does not get the quota, in the order of time.

    A preemption is in vain if the pods of all its victims have ended, the preemptor was tried after that and
    was not admitted, and it is not admitted in any later cycle. Where the same cycles repeat for ever, it is
    in vain if the preemptor is admitted in none of them.

    Args:
        course: it has ended.
        ended: why. A course that ends with the admission of one workload leaves open what becomes of others.
    """
    if ended == LookEnd.ADMITTED:
        return ()
    victims: dict[str, list[tuple[str, int]]] = {}
    for preemption in course.journal.preemptions:
        victims.setdefault(preemption.preemptor, []).append((preemption.victim, preemption.at))
    admitted, tried = _heads(course)
    released = {
        (run.workload, run.stopped): run.end
        for run in course.journal.runs
        if run.ended_by == Ending.PREEMPTED
    }
    found = []
    for key, taken in victims.items():
        actor = course.player.world.actors[key]
        if actor.phase != Phase.WAITING:
            continue
        since = [(victim, at) for victim, at in taken if at >= admitted.get(key, at)]
        if not since:
            continue
        last = tried.get(key)
        ends = [released.get(victim) for victim in since]
        is_settled = (
            last is not None
            and last[1] in _SETTLED
            and all(end is not None and end <= last[0] for end in ends)
        )
        if is_settled or (ended == LookEnd.REPEATS and key not in admitted):
            found.append(_in_vain(course, actor, since))
    return tuple(found)


def _heads(course: Course) -> tuple[dict[str, int], dict[str, tuple[int, Result]]]:
    """By workload: when it was admitted last; when it was tried last, and what came of it."""
    admitted: dict[str, int] = {}
    tried: dict[str, tuple[int, Result]] = {}
    for cycle, head in heads_of(course.coming):
        tried[head.workload] = cycle.at, head.result
        if head.result == Result.ADMITTED:
            admitted[head.workload] = cycle.at
    return admitted, tried


def _in_vain(course: Course, actor: Actor, taken: Sequence[tuple[str, int]]) -> PreemptionInVain:
    victims = tuple(dict.fromkeys(victim for victim, _ in taken))
    instead = tuple(_instead(course, actor, min(at for _, at in taken)))
    are = "is" if len(victims) == 1 else "are"
    gets = f": {names(instead)} {'does' if len(instead) == 1 else 'do'}" if instead else ""
    text = f"{names(victims)} {are} preempted for {actor.key}, which does not get the quota{gets}"
    return PreemptionInVain(actor.key, victims, instead, text)


def _instead(course: Course, actor: Actor, since: int) -> Iterator[str]:
    """Who gets the quota: the last admitted since the preemption without whom the preemptor would fit."""
    world = course.player.world
    tree = {queue.name for queue in world.tree_of(actor.queue)}
    later = [head.workload for cycle, head in admissions(course.coming, tree) if cycle.at >= since]
    holding = (world.actors[key] for key in dict.fromkeys(reversed(later)))
    removed: list[Workload] = []
    for other in [each for each in holding if each.phase == Phase.RUNNING][:MOST_ADMITTED]:
        removed.append(other.workload)
        if _fits_without(course, actor, removed):
            break
    else:
        return
    for workload in list(removed):
        others = [each for each in removed if each is not workload]
        if _fits_without(course, actor, others):
            removed = others
    yield from (workload.key for workload in reversed(removed))


def _fits_without(course: Course, actor: Actor, leaving: Iterable[Workload]) -> bool:
    """Whether a workload that waits would fit at the end, had others left."""
    world = course.player.world
    snapshots = world.snapshots()
    after = snapshots.of(actor.queue).without(leaving)
    question = after.cluster, actor.workload, actor.queue, world.clock, world.reading
    search = Searches(keep_all=False, listings=snapshots.batch.listings)
    return decide(*question, snapshot=after, search=search).outcome == Outcome.FIT
