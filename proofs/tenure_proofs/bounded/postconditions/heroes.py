"""KEP-8826: what heroes may reach."""

from __future__ import annotations

from dataclasses import replace

from tenure_proofs.bounded.case import Case, postcondition
from tenure_proofs.registry import PROVED, everywhere


@postcondition("WD-310", everywhere(PROVED))
def no_hero_is_admitted_above_its_accessible_quota(case: Case) -> bool | None:
    """KEP-8826, Accessible Quota: all nominal quota of its subtree, clamped by its borrowing limit."""
    if not case.is_hero or case.answer.outcome not in ("Fit", "Preempt"):
        return None
    used = sum(
        job.amount
        for index, job in enumerate(case.world.jobs)
        if job.queue == case.world.mine and index not in case.gone
    )
    return used + case.world.asking.amount <= case.facts.accessible(case.preset)


@postcondition("WD-320", everywhere(PROVED))
def a_hero_can_preempt_every_standard_workload_of_its_subtree(case: Case) -> bool | None:
    """KEP-8826, Goals, Absolute Preemption Authority, Universal Subtree Preemption: whatever the priorities.

    Where the request would fit without all of them, it is served.
    """
    world = case.world
    if not case.is_hero or case.answer.outcome in ("Fit", "NoFit"):
        return None
    scope = world.nodes[world.mine].above
    others = tuple(
        job for job in world.jobs if scope not in world.path(job.queue) or world.is_hero(job.queue)
    )
    if len(others) == len(world.jobs):
        return None
    if case.decide(replace(world, jobs=others), case.preset, False).outcome != "Fit":
        return None
    return case.answer.outcome == "Preempt"
