"""What the cluster would show of a decision."""

from __future__ import annotations

from dataclasses import dataclass

from tenure.oracle.decide import Decision

PREEMPTED_METRIC = "kueue_preempted_workloads_total"
"""Counter of preempted workloads per preempting ClusterQueue and reason."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What becomes of one target: its conditions and one increment of the metric.

    Args:
        workload: `namespace/name`.
        conditions: (type, reason) of the conditions that become True.
        metric: name of the counter.
        labels: its labels, as far as the decision determines them.
    """

    workload: str
    conditions: tuple[tuple[str, str], ...]
    metric: str
    labels: tuple[tuple[str, str], ...]


def effects_of(decision: Decision) -> tuple[Effect, ...]:
    """The effects of a decision, one for each target, in its order.

    A target that is already evicted gets no new condition and counts no second time.

    Source: Kueue v1beta2, conditions Evicted and Preempted; KEP-8522, Graduation Criteria, Beta.
    """
    return tuple(
        Effect(
            workload=target.workload.key,
            conditions=(("Evicted", "Preempted"), ("Preempted", target.reason.label)),
            metric=PREEMPTED_METRIC,
            labels=(
                ("preempting_cluster_queue", decision.queue.name),
                ("reason", target.reason.label),
            ),
        )
        for target in decision.targets
        if not target.workload.evicted
    )
