"""Victims: allowed, enough, none in vain, none protected."""

from __future__ import annotations

from tenure_proofs.bounded.case import Case, postcondition
from tenure_proofs.bounded.clusters import NEVER
from tenure_proofs.bounded.policies import (
    attempts,
    has_advantage,
    is_expired,
    is_protected,
    may_take,
    may_take_as_hero,
    may_take_classically,
    may_take_while_borrowing,
)
from tenure_proofs.bounded.shares import claims_its_own, is_legal
from tenure_proofs.registry import PROVED, REFUTED, everywhere


@postcondition("WD-100", everywhere(PROVED))
def every_victim_may_be_preempted(case: Case) -> bool | None:
    """Kueue v1beta2, `ClusterQueuePreemption`; KEP-8522, Preemption Eligibility; KEP-8826, Goals."""
    if not case.answer.victims or not (case.is_plain or case.is_hero):
        return None
    return all(may_take(case.facts, index, case.preset) for index in case.answer.victims)


@postcondition("WD-110", everywhere(PROVED))
def without_the_victims_the_request_fits(case: Case) -> bool | None:
    """Kueue main of August 2026, search for targets: it ends where the request fits."""
    if not case.answer.victims or not (case.is_plain or case.is_plain_hero):
        return None
    return case.fits_without(case.gone)


@postcondition("WD-120", everywhere(PROVED))
def no_victim_is_superfluous(case: Case) -> bool | None:
    """Kueue main of August 2026, fill-back: of those who leave no single one could stay.

    An attempt without borrowing must keep the preemptor's queue within its nominal quota as well.
    """
    if not case.answer.victims or not (case.is_plain or case.is_plain_hero):
        return None
    if case.is_hero or case.world.strategies is not None:
        return not any(case.fits_without(case.gone - {index}) for index in case.gone)
    return any(_is_an_attempt(case, borrowing) for borrowing in attempts(case.facts, case.preset))


def _is_an_attempt(case: Case, borrowing: bool) -> bool:
    """Whether these victims suffice, are allowed and cannot spare one, in an attempt of this kind."""
    facts = case.facts
    if not facts.fits(case.gone, borrowing=borrowing):
        return False
    allowed = all(may_take_classically(facts, index, case.preset, borrowing=borrowing) for index in case.gone)
    return allowed and not any(facts.fits(case.gone - {index}, borrowing=borrowing) for index in case.gone)


@postcondition("WD-130", {"as-written": REFUTED, "released": REFUTED, "guaranteed": PROVED})
def no_equal_is_preempted_before_its_duration_has_passed(case: Case) -> bool | None:
    """KEP-8522, Story 1: "each job is guaranteed 4 hours of runtime before it can be preempted"."""
    if not case.answer.victims or not any(is_protected(case.world, job) for job in case.world.jobs):
        return None
    return not any(is_protected(case.world, job) for job in case.taken)


@postcondition("WD-140", everywhere(PROVED))
def when_preempting_an_expired_equal_suffices_there_are_victims(case: Case) -> bool | None:
    """KEP-8522, condition 2: a target that has exceeded the duration is eligible."""
    world = case.world
    own = [index for index in case.facts.own() if is_expired(world, world.jobs[index])]
    equal = [index for index in own if world.jobs[index].priority == world.asking.priority]
    if not case.is_plain or case.facts.fits() or case.answer.outcome == "NoFit":
        return None
    if not any(case.facts.fits(frozenset({index})) for index in equal):
        return None
    return case.answer.outcome == "Preempt"


@postcondition("WD-150", everywhere(PROVED))
def no_equal_is_preempted_when_one_of_lower_priority_would_suffice_instead(case: Case) -> bool | None:
    """KEP-8522, Integration tests 3: lower before same priority, as far as fill-back leaves it so."""
    equals, lower = _equals_and_spared(case)
    if not equals or not lower:
        return None
    return not any(case.facts.fits(case.gone - {one} | {other}) for one in equals for other in lower)


@postcondition("WD-155", everywhere(REFUTED))
def no_equal_is_preempted_while_one_of_lower_priority_keeps_running(case: Case) -> bool | None:
    """KEP-8522, Integration tests 3, "always preempted before same-priority", read of victims: F-024."""
    equals, lower = _equals_and_spared(case)
    return not lower if equals else None


def _equals_and_spared(case: Case) -> tuple[list[int], list[int]]:
    """The victims of the preemptor's queue and priority, and who of lower priority stays there."""
    world = case.world
    if not case.is_plain or world.policy.within == NEVER:
        return [], []
    own = [(index, world.jobs[index].priority) for index in case.facts.own()]
    equals = [index for index, priority in own if index in case.gone and priority == world.asking.priority]
    lower = [index for index, priority in own if index not in case.gone and priority < world.asking.priority]
    return equals, lower


@postcondition("WD-160", everywhere(PROVED))
def a_victim_by_shares_was_above_the_preemptor_at_its_removal(case: Case) -> bool | None:
    """Kueue's fair sharing, rules S2-a and S2-b, of every workload removed on the way, in that order."""
    return _legal(case, case.answer.removed)


@postcondition("WD-170", everywhere(REFUTED))
def a_victim_by_shares_was_above_the_preemptor_with_only_the_victims_removed(case: Case) -> bool | None:
    """The same without those who got their quota back, which nothing promises: kueue#14543."""
    return _legal(case, case.answer.victims)


def _legal(case: Case, order: tuple[int, ...]) -> bool | None:
    world = case.world
    if world.strategies is None or not case.is_plain:
        return None
    if not case.answer.victims or claims_its_own(case.facts):
        return None
    if all(world.jobs[index].queue == world.mine for index in order):
        return None
    return all(
        world.jobs[index].queue == world.mine or is_legal(case.facts, index, frozenset(order[:turn]))
        for turn, index in enumerate(order)
    )


@postcondition("WD-180", everywhere(PROVED))
def every_victim_has_the_reason_that_allows_its_preemption(case: Case) -> bool | None:
    """Kueue v1beta2, reasons of condition Preempted; KEP-8522, Beta; KEP-8826, Status Condition."""
    if not case.answer.victims or not (case.is_plain or case.is_hero):
        return None
    return all(
        reason in _reasons(case, index)
        for index, reason in zip(case.answer.victims, case.answer.reasons, strict=True)
    )


def _reasons(case: Case, index: int) -> tuple[str, ...]:
    world, facts = case.world, case.facts
    job = world.jobs[index]
    if job.queue == world.mine:
        timed = is_expired(world, job) and job.priority == world.asking.priority
        return ("InClusterQueueTimeBased" if timed else "InClusterQueue",)
    if case.is_hero:
        return ("UberCQPreemption",)
    if world.strategies is not None:
        return ("InCohortReclamation" if claims_its_own(facts) else "InCohortFairSharing",)
    if has_advantage(facts, facts.common(job.queue)) or not may_take_while_borrowing(world, job):
        return ("InCohortReclamation",)
    return ("InCohortReclaimWhileBorrowing",)


@postcondition("WD-190", everywhere(PROVED))
def workloads_of_heroes_are_preempted_by_rank_only(case: Case) -> bool | None:
    """KEP-8826, Hierarchical Protection: by a hero above, or by a peer of higher priority; by no other."""
    world = case.world
    if not any(world.is_hero(job.queue) and job.queue != world.mine for job in world.jobs):
        return None
    if not case.answer.victims:
        return None
    return all(
        case.is_hero and may_take_as_hero(world, job, case.preset)
        for job in case.taken
        if world.is_hero(job.queue) and job.queue != world.mine
    )
