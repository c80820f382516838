"""Whether a request fits, waits, or can never be served."""

from __future__ import annotations

from tenure_proofs.bounded.case import Case, postcondition
from tenure_proofs.bounded.clusters import NEVER
from tenure_proofs.bounded.facts import Facts
from tenure_proofs.bounded.policies import may_take
from tenure_proofs.bounded.sets import own_set_suffices, some_set_suffices
from tenure_proofs.registry import PROVED, REFUTED, everywhere


@postcondition("WD-010", everywhere(PROVED))
def a_request_fits_exactly_when_quota_is_available(case: Case) -> bool | None:
    """Kueue main of August 2026, flavor assigner: what is available fits without preemption."""
    if not (case.is_plain or case.is_plain_hero):
        return None
    return (case.answer.outcome == "Fit") == case.fits_without(frozenset())


@postcondition("WD-020", everywhere(PROVED))
def a_request_never_fits_exactly_when_no_state_could_serve_it(case: Case) -> bool | None:
    """Kueue main of August 2026, flavor assigner; KEP-8826, Accessible Quota, for a hero's request alone."""
    if case.is_hero:
        most = case.facts.accessible(case.preset)
        return (case.answer.outcome == "NoFit") == (case.world.asking.amount > most)
    if not case.is_plain:
        return None
    return (case.answer.outcome == "NoFit") == _is_refused(case.facts)


def _is_refused(facts: Facts) -> bool:
    """More than its queue could ever have; or beyond its nominal quota, where it may not preempt for that."""
    world, amount = facts.world, facts.world.asking.amount
    if amount > facts.quotas.capacity(world.mine):
        return True
    if facts.fits() or amount <= facts.quotas.subtree[world.mine] or world.policy.borrow != NEVER:
        return False
    if world.strategies is not None and world.policy.reclaim != NEVER:
        return False
    used, subtree = facts.used(), facts.quotas.subtree
    serving = [index for index, rest in facts.rests() if used[index] + rest <= subtree[index]]
    return not any(world.nodes[index].above is not None for index in serving[:1])


@postcondition("WD-030", everywhere(PROVED))
def there_are_victims_exactly_when_the_outcome_is_preempt(case: Case) -> bool | None:
    """Kueue main of August 2026: only a request that lacks quota has targets."""
    return bool(case.answer.victims) == (case.answer.outcome == "Preempt")


@postcondition("WD-040", everywhere(PROVED))
def without_candidates_no_preemption_within_its_queue_would_suffice(case: Case) -> bool | None:
    """Kueue main of August 2026, search for targets: own candidates leave until the request fits."""
    if case.answer.outcome != "NoCandidates" or not (case.is_plain or case.is_plain_hero):
        return None
    if not any(may_take(case.facts, index, case.preset) for index in case.facts.own()):
        return None
    return not own_set_suffices(case.facts, case.preset)


@postcondition("WD-050", everywhere(PROVED))
def without_candidates_among_workloads_of_one_size_no_allowed_preemption_would_suffice(
    case: Case,
) -> bool | None:
    """Kueue main of August 2026, classical search for targets; KEP-8826, Goals: no allowed set is missed."""
    sizes = {job.amount for job in case.world.jobs}
    if len(sizes) != 1 or (case.world.strategies is not None and not case.is_hero):
        return None
    return _misses_no_set(case)


@postcondition("WD-055", everywhere(REFUTED))
def without_candidates_no_allowed_preemption_would_suffice(case: Case) -> bool | None:
    """The same without those bounds, which no source promises: the search goes through its order once.

    A small workload that leaves first can bring its queue back within quota, and so keep a large one; and
    under fair sharing no candidate is asked once more when a victim of that queue has lowered the share.
    """
    return _misses_no_set(case)


def _misses_no_set(case: Case) -> bool | None:
    if case.answer.outcome != "NoCandidates" or not (case.is_plain or case.is_plain_hero):
        return None
    if not any(may_take(case.facts, index, case.preset) for index in range(len(case.world.jobs))):
        return None
    return not some_set_suffices(case.facts, case.preset)


@postcondition("WD-060", everywhere(PROVED))
def when_no_quota_is_exceeded_before_none_is_afterwards(case: Case) -> bool | None:
    """KEP-8826, Goals; Kueue: the quota of a whole tree is never exceeded by who is let in."""
    total = case.facts.quotas.subtree[0]
    if case.answer.outcome not in ("Fit", "Preempt") or case.facts.used()[0] > total:
        return None
    return case.facts.used(case.gone, case.world.asking.amount)[0] <= total
