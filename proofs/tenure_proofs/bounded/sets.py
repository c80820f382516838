"""Sets of workloads that could leave one after the other, by brute force."""

from __future__ import annotations

from collections.abc import Callable

from tenure_proofs.bounded.facts import NONE_GONE, Facts, Gone
from tenure_proofs.bounded.policies import (
    attempts,
    may_take_as_hero,
    may_take_classically,
    may_take_fairly,
    may_take_own,
)
from tenure_proofs.bounded.shares import is_legal


def own_set_suffices(facts: Facts, preset: str) -> bool:
    """Whether the request fits when all that may be preempted in the preemptor's ClusterQueue leave.

    Less usage never leaves less, so all of them are enough if any of them are.
    """
    world = facts.world
    own = frozenset(index for index in facts.own() if may_take_own(world, world.jobs[index], preset))
    if not own:
        return False
    return facts.hero_fits(own) if world.is_hero(world.mine) else facts.fits(own)


def some_set_suffices(facts: Facts, preset: str) -> bool:
    """Whether the request fits after any sequence of removals, each of them allowed when it happens."""
    world = facts.world
    jobs = range(len(world.jobs))
    if world.is_hero(world.mine):
        candidates = frozenset(job for job in jobs if may_take_as_hero(world, world.jobs[job], preset))
        return bool(candidates) and facts.hero_fits(candidates)
    if world.strategies is not None:
        fair = [job for job in jobs if may_take_fairly(facts, job, preset)]
        return _reaches(facts, fair, lambda job, gone: _may_leave_fairly(facts, job, gone), borrowing=True)
    return any(
        _reaches(
            facts,
            [job for job in jobs if may_take_classically(facts, job, preset, borrowing=borrowing)],
            lambda job, gone: facts.world.jobs[job].queue == facts.world.mine or facts.is_exposed(job, gone),
            borrowing=borrowing,
        )
        for borrowing in attempts(facts, preset)
    )


def _may_leave_fairly(facts: Facts, job: int, gone: Gone) -> bool:
    queue = facts.world.jobs[job].queue
    if queue == facts.world.mine:
        return True
    return facts.quotas.is_over(facts.used(gone), queue) and is_legal(facts, job, gone)


def _reaches(
    facts: Facts, jobs: list[int], may_leave: Callable[[int, Gone], bool], *, borrowing: bool
) -> bool:
    """Whether some order of removals ends where the request fits."""
    seen, rest = {NONE_GONE}, [NONE_GONE]
    while rest:
        gone = rest.pop()
        if gone and facts.fits(gone, borrowing=borrowing):
            return True
        for job in jobs:
            after = gone | {job}
            if job not in gone and after not in seen and may_leave(job, gone):
                seen.add(after)
                rest.append(after)
    return False
