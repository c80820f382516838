"""The order of workloads where ClusterQueues name PreemptionConfigs, or the rules that have none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from tenure.model import Cluster, ClusterQueue, PreemptionConfig
from tenure.preemption_measures import (
    PreemptionMeasure,
    PreemptionStep,
    measure_of,
    selector_steps,
    steps_across_queues,
    steps_within_queue,
)
from tenure_check.analysis.selections import is_queue_selected


@dataclass(frozen=True, slots=True)
class QueueSteps:
    """The ways in which workloads of a ClusterQueue preempt those of some ClusterQueues.

    Args:
        queue: of the preemptors.
        victims: names of the ClusterQueues of the victims.
        step: what falls.
    """

    queue: str
    victims: frozenset[str]
    step: PreemptionStep


@dataclass(frozen=True, slots=True)
class MutualQueues:
    """ClusterQueues of which each can preempt from each other, directly or through others, and their measure.

    Args:
        queues: their names; one alone preempts among its own workloads.
        measure: of all ways to preempt among them.
    """

    queues: tuple[str, ...]
    measure: PreemptionMeasure


def mutual_queues(cluster: Cluster) -> tuple[MutualQueues, ...]:
    """The ClusterQueues of a tree among which preemption may go round, each group with its measure.

    Between groups preemption goes one way only. So preemption has no cycle if every group has a measure.
    Other trees are left out: a victim there frees no quota, and is given back what it holds.

    Args:
        cluster: the ClusterQueues of one tree; none of them a hero (KEP-8826).

    >>> mutual_queues(Cluster({"a": ClusterQueue("a")}))
    ()
    """
    steps = [*queue_steps(cluster)]
    reached = _reached(steps)
    groups = dict.fromkeys(
        tuple(sorted(name for name in above if queue in reached.get(name, ())))
        for queue, above in reached.items()
        if queue in above
    )
    return tuple(MutualQueues(group, measure_of(_among(steps, group))) for group in groups)


def _among(steps: Iterable[QueueSteps], group: tuple[str, ...]) -> list[PreemptionStep]:
    among = (found.step for found in steps if found.queue in group and not found.victims.isdisjoint(group))
    return [*dict.fromkeys(among)]


def _reached(steps: Iterable[QueueSteps]) -> dict[str, set[str]]:
    """By ClusterQueue the ClusterQueues that it preempts from, directly or through others."""
    found: dict[str, set[str]] = {}
    for step in steps:
        found.setdefault(step.queue, set()).update(step.victims)
    for through in found:
        for reached in found.values():
            if through in reached:
                reached |= found[through]
    return found


def queue_steps(cluster: Cluster) -> Iterator[QueueSteps]:
    """Every way to preempt in a tree.

    Args:
        cluster: see `mutual_queues`.
    """
    active = {name: queue for name, queue in cluster.cluster_queues.items() if not queue.inactive}
    boosts = cluster.settings.priority_boost
    for name, queue in active.items():
        others = frozenset(active) - {name}
        for step in steps_within_queue(queue, boosts=boosts):
            yield QueueSteps(name, frozenset({name}), step)
        for step in steps_across_queues(queue, boosts=boosts) if others else ():
            yield QueueSteps(name, others, step)
        config = cluster.config_of(queue)
        if config is not None:
            yield from _config_steps(queue, config, active, boosts=boosts)


def _config_steps(
    queue: ClusterQueue, config: PreemptionConfig, active: Mapping[str, ClusterQueue], *, boosts: bool
) -> Iterator[QueueSteps]:
    for selector, step in selector_steps(config, boosts=boosts):
        victims = frozenset(
            name for name, other in active.items() if is_queue_selected(selector, queue, other)
        )
        if victims:
            yield QueueSteps(queue.name, victims, step)
