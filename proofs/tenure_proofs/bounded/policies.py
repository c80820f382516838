"""Who may be preempted by whom, written from the sources: for each workload and each way of taking it."""

from __future__ import annotations

from tenure_proofs.bounded.clusters import ANY, LOWER, NEVER, NEWER, NOW, Job, World
from tenure_proofs.bounded.facts import Facts


def is_expired(world: World, job: Job) -> bool:
    """Whether a workload has run strictly longer than the minAdmitDuration of the preemptor's queue.

    Source: KEP-8522, condition 2; without the policy the duration means nothing.
    """
    policy = world.policy
    return policy.within == NEWER and policy.duration is not None and NOW - job.reserved > policy.duration


def is_protected(world: World, job: Job) -> bool:
    """Whether a workload is an equal of the preemptor's queue that has not run longer than the duration.

    Source: KEP-8522, Story 1.
    """
    policy = world.policy
    equal = job.queue == world.mine and job.priority == world.asking.priority
    return equal and policy.within == NEWER and policy.duration is not None and not is_expired(world, job)


def may_take_own(world: World, job: Job, preset: str) -> bool:
    """Whether a workload of the preemptor's ClusterQueue may be preempted.

    Source: Kueue v1beta2, `withinClusterQueue`; KEP-8522, Preemption Eligibility. As written a target is
    newer when it was admitted after the preemptor was created, in Kueue when it was created later; under the
    guarantee only who has expired may be preempted.
    """
    policy, asking = world.policy, world.asking
    if policy.within == NEVER or job.priority > asking.priority:
        return False
    if job.priority < asking.priority:
        return True
    if policy.within == LOWER:
        return False
    if policy.duration is None:
        return job.created > asking.created
    if is_expired(world, job):
        return True
    newer = {"as-written": job.reserved > asking.created, "released": job.created > asking.created}
    return newer.get(preset, False)


def may_reclaim(world: World, job: Job) -> bool:
    """Whether `reclaimWithinCohort` allows a workload of another queue.

    Source: Kueue v1beta2, `ClusterQueuePreemption.reclaimWithinCohort`.
    """
    reclaim = world.policy.reclaim
    return reclaim == ANY or (reclaim == LOWER and job.priority < world.asking.priority)


def may_take_while_borrowing(world: World, job: Job) -> bool:
    """Whether `borrowWithinCohort` allows a workload of another queue although the preemptor's borrows.

    Source: Kueue v1beta2, `BorrowWithinCohort`.
    """
    policy = world.policy
    if policy.borrow == NEVER or job.priority >= world.asking.priority:
        return False
    return policy.threshold is None or job.priority <= policy.threshold


def has_advantage(facts: Facts, common: int) -> bool:
    """Whether the request fits the quota of a narrower subtree around the preemptor's queue than this.

    Source: Kueue main of August 2026, hierarchical reclaim.
    """
    used, subtree = facts.used(), facts.quotas.subtree
    rests = facts.rests()
    return any(
        used[index] + max(0, rest) <= subtree[index]
        for index, rest in rests[: [index for index, _ in rests].index(common)]
    )


def may_take_classically(facts: Facts, job: int, preset: str, *, borrowing: bool) -> bool:
    """Whether classical preemption may take a workload in an attempt with or without borrowing.

    Source: Kueue main of August 2026, classical preemption; KEP-8826, Hierarchical Protection: a hero's
    workloads are immune to a standard queue.
    """
    world = facts.world
    target = world.jobs[job]
    if target.queue == world.mine:
        return may_take_own(world, target, preset)
    if world.is_hero(target.queue) or not may_reclaim(world, target) or not facts.is_exposed(job):
        return False
    if not borrowing or has_advantage(facts, facts.common(target.queue)):
        return True
    return may_take_while_borrowing(world, target)


def may_take_fairly(facts: Facts, job: int, preset: str) -> bool:
    """Whether fair sharing may take a workload at all, whatever the shares say when its turn comes.

    Source: Kueue main of August 2026, fair sharing: only from ClusterQueues that use more than their quota.
    """
    world = facts.world
    target = world.jobs[job]
    if target.queue == world.mine:
        return may_take_own(world, target, preset)
    if world.is_hero(target.queue) or not may_reclaim(world, target):
        return False
    return facts.quotas.is_over(facts.used(), target.queue)


def may_take_as_hero(world: World, job: Job, preset: str) -> bool:
    """Whether a hero may take a workload.

    Source: KEP-8826, Goals: Absolute Preemption Authority, Subtree Containment, Hierarchical Protection. Of a
    hero below anything, of a peer what has lower priority; as written lower priority suffices anywhere.
    """
    if job.queue == world.mine:
        return may_take_own(world, job, preset)
    scope, theirs = world.nodes[world.mine].above, world.nodes[job.queue].above
    assert scope is not None
    assert theirs is not None
    if scope not in world.path(theirs):
        return False
    if not world.is_hero(job.queue) or theirs != scope:
        return True
    return job.priority < world.asking.priority


def may_take(facts: Facts, job: int, preset: str) -> bool:
    """Whether a workload may be preempted in any way."""
    world = facts.world
    if world.is_hero(world.mine):
        return may_take_as_hero(world, world.jobs[job], preset)
    if world.strategies is not None:
        return may_take_fairly(facts, job, preset)
    return may_take_classically(facts, job, preset, borrowing=False)


def attempts(facts: Facts, preset: str) -> tuple[bool, ...]:
    """Whether each attempt of classical preemption, in order, lets the preemptor's queue borrow.

    Source: Kueue main of August 2026, classical preemption: without borrowing first, or only with it, as
    `borrowWithinCohort` says and as there is nominal quota left and a candidate elsewhere.
    """
    world = facts.world
    elsewhere = [
        index
        for index, job in enumerate(world.jobs)
        if job.queue != world.mine and may_take_classically(facts, index, preset, borrowing=False)
    ]
    if not elsewhere:
        return (True,)
    if world.policy.borrow != NEVER:
        return (True, False)
    if facts.used()[world.mine] >= facts.quotas.subtree[world.mine]:
        return (True,)
    advantage = any(has_advantage(facts, facts.common(world.jobs[index].queue)) for index in elsewhere)
    return (True, False) if advantage else (False, True)
