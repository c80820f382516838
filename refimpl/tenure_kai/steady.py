"""KAI-Scheduler's reclaim by steady fair shares: rules of its design, which v0.17.0 does not contain.

Queues without departments, GPUs alone, saturation multiplier 1. What a queue may keep is the larger of its
quota and its steady fair share, capped at its limit. It is given here, as the steady fair share is.

Source: `docs/developer/designs/steady-fair-share-reclaim.md` of KAI-Scheduler, commit `4c062161`, section 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SteadyQueue:
    """A queue, in GPUs.

    Args:
        allocated: what its jobs hold.
        steady: its steady fair share.
        keep: what it may keep.
        taken: what a reclaim takes from it.
    """

    allocated: int
    steady: int
    keep: int
    taken: int = 0


def is_reclaim_accepted(reclaimer: SteadyQueue, job: int, others: Sequence[SteadyQueue]) -> bool:
    """Whether the design accepts a reclaim.

    Args:
        reclaimer: the queue of the pending job.
        job: its GPUs.
        others: all other queues, with what is taken from each.

    Source: section 4, rules 1 to 4. Its own example, where 14 free GPUs and 2 of queue A make room:

    >>> is_reclaim_accepted(SteadyQueue(90, 100, 100), 16, [SteadyQueue(180, 100, 100, 2)])
    True
    """
    for queue in others:
        if queue.taken > 0 and not may_lose(reclaimer, job, queue):
            return False
    return job > 0 and reclaimer.allocated < reclaimer.keep


def may_lose(reclaimer: SteadyQueue, job: int, victim: SteadyQueue) -> bool:
    """Whether a queue may lose to the reclaimer what is taken from it.

    Args:
        reclaimer: the queue of the pending job.
        job: its GPUs.
        victim: another queue, from which some are taken.

    Source: section 4, rules 2 to 4.

    >>> may_lose(SteadyQueue(90, 100, 100), 16, SteadyQueue(180, 100, 100, 81))
    False
    """
    # Rule 3. It includes rule 2, since some are taken: the victim holds more than it may keep.
    if without_taken(victim).allocated < victim.keep:
        return False
    if with_job(reclaimer, job).allocated <= reclaimer.keep:
        return True
    return is_less_saturated(with_job(reclaimer, job), without_taken(victim))


def is_less_saturated(queue: SteadyQueue, other: SteadyQueue) -> bool:
    """Whether a queue holds less of its steady fair share than another one does of its own.

    Args:
        queue, other: two queues with a steady fair share above zero.

    Source: section 4, rule 4, with multiplier 1.

    >>> is_less_saturated(SteadyQueue(106, 100, 100), SteadyQueue(178, 100, 100))
    True
    """
    return queue.allocated * other.steady < other.allocated * queue.steady


def with_job(reclaimer: SteadyQueue, job: int) -> SteadyQueue:
    """The reclaimer once its job runs.

    Args:
        reclaimer: the queue.
        job: GPUs of its job.
    """
    return SteadyQueue(reclaimer.allocated + job, reclaimer.steady, reclaimer.keep)


def without_taken(victim: SteadyQueue) -> SteadyQueue:
    """A queue once what is taken from it is gone.

    Args:
        victim: the queue.
    """
    return SteadyQueue(victim.allocated - victim.taken, victim.steady, victim.keep)


def missing(queues: Sequence[SteadyQueue]) -> int:
    """How many GPUs all queues together lack of what they may keep.

    Args:
        queues: any of them.

    >>> missing([SteadyQueue(90, 100, 100), SteadyQueue(180, 100, 100), SteadyQueue(0, 100, 100)])
    110
    """
    total = 0
    for queue in queues:
        total = total + max(0, queue.keep - queue.allocated)
    return total
