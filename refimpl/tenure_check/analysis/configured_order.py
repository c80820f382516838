"""The order of workloads where ClusterQueues name PreemptionConfigs, or the rules that have none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from tenure.model import Cluster, ClusterQueue, PreemptionConfig, PreemptionRule
from tenure.oracle.configured import first_stopped
from tenure.oracle.tiers import may_be_tried
from tenure.oracle.topology import has_topology
from tenure.preemption_measures import (
    PreemptionMeasure,
    PreemptionStep,
    measure_of,
    selector_steps,
    steps_across_queues,
    steps_within_queue,
)
from tenure.readings import Reading
from tenure_check.analysis.mutual_preemption import MutualWorkload, mutual_workloads
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
        turn: without a measure, workloads each of which preempts the next one, and the last the first; empty
            where three are not enough.
    """

    queues: tuple[str, ...]
    measure: PreemptionMeasure
    turn: tuple[MutualWorkload, ...] = ()


def mutual_queues(cluster: Cluster, reading: Reading, *, alone: bool = False) -> tuple[MutualQueues, ...]:
    """The ClusterQueues of a tree among which preemption may go round, each group with its measure.

    Between groups preemption goes one way only. So preemption has no cycle if every group has a measure.
    Other trees are left out: a victim there frees no quota, and is given back what it holds.

    Args:
        cluster: the ClusterQueues of one tree; none of them a hero (KEP-8826).
        reading: see `tenure.readings`.
        alone: no ClusterQueue can use more than its nominal quota: a victim elsewhere is given back, too.

    >>> from tenure.readings import preset
    >>> mutual_queues(Cluster({"a": ClusterQueue("a")}), preset("released"))
    ()
    """
    steps = [*queue_steps(cluster, reading)]
    if alone:
        own = (replace(found, victims=found.victims & {found.queue}) for found in steps)
        steps = [found for found in own if found.victims]
    reached = _reached(steps)
    groups = dict.fromkeys(
        tuple(sorted(name for name in above if queue in reached.get(name, ())))
        for queue, above in reached.items()
        if queue in above
    )
    return tuple(_mutual(group, steps) for group in groups)


def _mutual(group: tuple[str, ...], steps: Iterable[QueueSteps]) -> MutualQueues:
    """ClusterQueues with the measure of all steps among them."""
    among = [found for found in steps if found.queue in group and not found.victims.isdisjoint(group)]
    different = tuple(dict.fromkeys(found.step for found in among))
    measure = measure_of(different)

    def reaches(step: PreemptionStep, queue: str, other: str) -> bool:
        same = (found for found in among if (found.step.falls, found.step.sides) == (step.falls, step.sides))
        return any(found.queue == queue and other in found.victims for found in same)

    # Where these go one way between ClusterQueues, another step leads back.
    tried = [measure.unmeasured, *((*measure.unmeasured, step) for step in different)]
    turns = (mutual_workloads(some, group, reaches) for some in tried if measure.unmeasured)
    return MutualQueues(group, measure, next(filter(None, turns), ()))


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


def queue_steps(cluster: Cluster, reading: Reading) -> Iterator[QueueSteps]:
    """Every way to preempt in a tree.

    Args:
        cluster, reading: see `mutual_queues`.
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
            live = _without_untried(config, queue, cluster, reading)
            yield from _config_steps(queue, live, active, boosts=boosts)


def _without_untried(
    config: PreemptionConfig, queue: ClusterQueue, cluster: Cluster, reading: Reading
) -> PreemptionConfig:
    """A PreemptionConfig without the selectors of rules whose tier is tried for no preemptor of a queue."""
    first = first_stopped(config, reading.invalid_selector)

    def is_tried(rule: PreemptionRule) -> bool:
        stopped = first is not None and first <= rule.trigger
        return not stopped and (has_topology(queue, cluster) or may_be_tried(rule, queue))

    rules = (rule if is_tried(rule) else replace(rule, candidates=()) for rule in config.rules)
    return replace(config, rules=tuple(rules))


def _config_steps(
    queue: ClusterQueue, config: PreemptionConfig, active: Mapping[str, ClusterQueue], *, boosts: bool
) -> Iterator[QueueSteps]:
    for selector, step in selector_steps(config, boosts=boosts):
        victims = frozenset(
            name for name, other in active.items() if is_queue_selected(selector, queue, other)
        )
        if victims:
            yield QueueSteps(queue.name, victims, step)
