"""How long a running workload stays a victim, or stays none, if nothing but time passes."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from tenure.api import Loaded, decide_all
from tenure.choices import Engine
from tenure.errors import InputError
from tenure.model import Cluster, Instant, Workload
from tenure.oracle.ageing import grown_priority
from tenure.readings import Reading
from tenure.rules.dynamic_priority import next_step_at
from tenure.rules.terms import terms_of
from tenure.rules.time_based import duration_in_force
from tenure_play.diff.trees import WholeTree, of_tree, trees_of

MOST_DECISIONS = 2000
"""So many decisions at later instants are made at most, for all workloads that are asked about."""
MOST_INSTANTS = 100
"""So many instants are looked at in one tree at most."""


@dataclass(frozen=True, slots=True)
class Spell:
    """How long a running workload stays what it is: a victim of some pending one, or of none.

    Args:
        until: the last instant of it, ns; None where none was found.
        looked_until: until when was looked, ns; None where nothing can change later.
    """

    until: Instant | None = None
    looked_until: Instant | None = None


def spells(
    loaded: Loaded,
    now: Instant,
    reading: Reading,
    victims: Collection[str],
    asked: Collection[str],
    engine: Engine = Engine.AUTO,
) -> dict[str, Spell]:
    """How long running workloads stay victims, or stay none, of those who wait now.

    Args:
        loaded: the cluster, of which nothing but the time changes.
        now: the clock, ns since the epoch.
        reading: see `tenure.readings`.
        victims: the running workloads that some pending one preempts at the clock.
        asked: the running workloads that are asked about, `namespace/name`.
        engine: who decides.
    """
    found: dict[str, Spell] = {}
    left = MOST_DECISIONS
    for tree in trees_of(loaded).values():
        open_still = {workload.key for workload in tree.running} & set(asked)
        clock, part = now, of_tree(loaded, tree)
        for number, instant in enumerate(instants_after(loaded.cluster, tree, now, reading)):
            if not open_still:
                break
            clock = instant
            left -= len(tree.pending)
            if left < 0 or number >= MOST_INSTANTS:
                found |= dict.fromkeys(open_still, Spell(looked_until=instant - 1))
                break
            taken = _victims(part, instant, reading, engine)
            ended = {key for key in open_still if (key in taken) != (key in victims)}
            found |= dict.fromkeys(ended, Spell(until=clock - 1))
            open_still -= ended
        else:
            found |= dict.fromkeys(open_still, Spell())
    return found


def _victims(loaded: Loaded, now: Instant, reading: Reading, engine: Engine) -> set[str]:
    rows = decide_all(loaded, now=now, reading=reading, engine=engine)
    decisions = (row.decision for row in rows if row.decision is not None)
    return {target.workload.key for decision in decisions for target in decision.targets}


def instants_after(cluster: Cluster, tree: WholeTree, now: Instant, reading: Reading) -> Iterator[Instant]:
    """The instants after the clock from which on something may be decided otherwise in a tree, in order.

    These are the ends of protections and of back-offs, steps of priorities, and where the clock passes a
    stamp that lies ahead of it; no rule asks anything else of the clock.

    Args:
        cluster: the cluster.
        tree: one of its trees.
        now: the clock, ns since the epoch.
        reading: see `tenure.readings`.
    """
    workloads = [*tree.running, *(workload for workload, _ in tree.pending)]
    fixed = sorted({at for at in _fixed(cluster, tree, workloads, reading) if at > now}, reverse=True)
    growing = [workload for workload in workloads if workload.priority_class in cluster.growing]
    steps = {
        i: step for i, workload in enumerate(growing) if (step := _step(workload, cluster, now, reading))
    }
    while fixed or steps:
        instant = min([*fixed[-1:], *steps.values()])
        yield instant
        if fixed and fixed[-1] == instant:
            fixed.pop()
        for i in [i for i, step in steps.items() if step == instant]:
            step = _step(growing[i], cluster, instant, reading)
            steps = {**steps, i: step} if step else {each: at for each, at in steps.items() if each != i}


def _fixed(
    cluster: Cluster, tree: WholeTree, workloads: list[Workload], reading: Reading
) -> Iterator[Instant]:
    durations = {
        name: duration_in_force(terms_of(queue, cluster.settings, reading))
        for name, queue in tree.queues.items()
    }
    for workload in workloads:
        for stamp in (workload.created_at, workload.quota_reserved_at, workload.requeue_at):
            if stamp is not None:
                yield from (stamp, stamp + 1)
        duration = durations.get(workload.cluster_queue or "")
        if duration is not None and workload.quota_reserved_at is not None:
            # TBP-020: strictly more than the duration.
            yield workload.quota_reserved_at + duration + 1


def _step(workload: Workload, cluster: Cluster, now: Instant, reading: Reading) -> Instant | None:
    """When a priority takes its next step; None where it takes none any more."""
    policy = cluster.growing[workload.priority_class].policy
    if policy is None or policy.delay_for_step <= 0:
        return None
    at = next_step_at(workload, policy, now, reading.priority_steps)
    try:
        moves = grown_priority(workload, cluster, at, reading) != grown_priority(
            workload, cluster, now, reading
        )
    except InputError:
        return None
    return at if moves and at > now else None
