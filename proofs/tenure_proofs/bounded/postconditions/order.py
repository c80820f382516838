"""In which order victims leave."""

from __future__ import annotations

from tenure_proofs.bounded.case import Case, postcondition
from tenure_proofs.bounded.policies import has_advantage, is_expired
from tenure_proofs.registry import PROVED, everywhere


def _standing(case: Case, index: int) -> tuple[int, int, int, int, int]:
    """A workload's position among those of its group: evicted, lower priority, expired, stamp, uid."""
    job = case.world.jobs[index]
    equal = job.queue == case.world.mine and job.priority == case.world.asking.priority
    expired = equal and is_expired(case.world, job)
    return (
        not job.evicted,
        job.priority,
        not expired,
        job.reserved if expired else -job.reserved,
        index,
    )


@postcondition("WD-200", everywhere(PROVED))
def victims_of_the_preemptors_queue_are_in_the_promised_order(case: Case) -> bool | None:
    """KEP-8522, order among same-priority candidates; Kueue: evicted, lower priority, later stamp, uid."""
    own = [index for index in case.answer.victims if case.world.jobs[index].queue == case.world.mine]
    if len(own) < 2:
        return None
    return own == sorted(own, key=lambda index: _standing(case, index))


@postcondition("WD-210", everywhere(PROVED))
def classical_victims_of_other_queues_come_first_by_advantage_and_rank(case: Case) -> bool | None:
    """Kueue main of August 2026, candidate order: evicted, hierarchical, other queues, its own; as above."""
    if case.is_hero or case.world.strategies is not None or not case.is_plain:
        return None
    if len(case.answer.victims) < 2:
        return None
    return list(case.answer.victims) == sorted(
        case.answer.victims, key=lambda index: _classical_standing(case, index)
    )


def _classical_standing(case: Case, index: int) -> tuple[bool, int, tuple[int, ...]]:
    job, facts = case.world.jobs[index], case.facts
    own = job.queue == case.world.mine
    advantage = not own and has_advantage(facts, facts.common(job.queue))
    return not job.evicted, 2 if own else 0 if advantage else 1, _standing(case, index)


@postcondition("WD-220", everywhere(PROVED))
def workloads_of_the_preempting_hero_come_last(case: Case) -> bool | None:
    """KEP-8826, Goals, Deterministic Victim Selection."""
    if not case.is_hero or len(case.answer.victims) < 2:
        return None
    own = [job.queue == case.world.mine for job in case.taken]
    if all(own) or not any(own) or any(job.evicted for job in case.taken):
        return None
    return own == sorted(own)
