"""What the cluster would show of a decision."""

from __future__ import annotations

from dataclasses import dataclass

from tenure.model import Reason, SelectedBy, Target
from tenure.oracle.decide import Decision
from tenure.oracle.tree import Tree

PREEMPTED_METRIC = "kueue_preempted_workloads_total"
"""Counter of preempted workloads per preempting ClusterQueue and reason."""

CAUSES = {
    Reason.IN_CLUSTER_QUEUE: "prioritization in the ClusterQueue",
    Reason.IN_CLUSTER_QUEUE_TIME_BASED: "time-based prioritization in the ClusterQueue",
    Reason.IN_COHORT_RECLAMATION: "reclamation within the cohort",
    Reason.IN_COHORT_RECLAIM_WHILE_BORROWING: "reclamation within the cohort while borrowing",
    Reason.IN_COHORT_FAIR_SHARING: "Fair Sharing within the cohort",
    Reason.UBER_CQ_PREEMPTION: "preemption by a hero within the cohort",
}
"""The words that Kueue's message has for each reason; neither KEP-8522 nor KEP-8826 has any for its own."""

UNKNOWN = "UNKNOWN"


@dataclass(frozen=True, slots=True)
class Proposed:
    """What a proposal requires in addition to what Kueue shows.

    Args:
        event: type, reason and message of the event about the target.
        labels: the metric's labels in the proposal's words; Kueue's own are others.
    """

    event: tuple[str, str, str]
    labels: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Effect:
    """What becomes of one target: its conditions and one increment of the metric.

    Args:
        workload: `namespace/name`.
        conditions: (type, reason) of the conditions that become True.
        message: of both conditions and of the event.
        metric: name of the counter.
        labels: its labels, as far as the decision determines them.
        proposed: what KEP-8826 requires; None if no hero preempted the target.
    """

    workload: str
    conditions: tuple[tuple[str, str], ...]
    message: str
    metric: str
    labels: tuple[tuple[str, str], ...]
    proposed: Proposed | None = None


def effects_of(decision: Decision) -> tuple[Effect, ...]:
    """The effects of a decision, one for each target, in its order.

    A target that is already evicted gets no new condition and counts no second time.

    Source: Kueue v1beta2, conditions Evicted and Preempted; KEP-8522, Graduation Criteria, Beta;
        KEP-8826, Observability and Metrics.
    """
    return tuple(
        Effect(
            workload=target.workload.key,
            conditions=(("Evicted", "Preempted"), ("Preempted", target.reason.label)),
            message=_message(decision, target),
            metric=PREEMPTED_METRIC,
            labels=(
                ("preempting_cluster_queue", decision.queue.name),
                ("reason", target.reason.label),
            ),
            proposed=_proposed(decision, target.reason),
        )
        for target in decision.targets
        if not target.workload.evicted
    )


def _message(decision: Decision, target: Target) -> str:
    tree, preemptor = decision.snapshot.tree, decision.preemptor
    selected = decision.selected_by_config(target.workload)
    if selected is not None:
        return configured_message(preemptor.key, selected)
    return preemption_message(
        preemptor.uid,
        preemptor.job_uid,
        CAUSES[target.reason],
        queue_path(tree, decision.queue.name),
        queue_path(tree, target.workload.cluster_queue or ""),
    )


def configured_message(preemptor: str, selected: SelectedBy) -> str:
    """The message of a preemption by a PreemptionConfig.

    Args:
        preemptor: `namespace/name`.
        selected: what selects the target.

    Source: Kueue of September 2026, message of the target; its documentation has other words.

    >>> from tenure.model import SelectorFacts, Trigger
    >>> selected = SelectedBy("hero", Trigger.ALWAYS, (("any", (0,)),), SelectorFacts(*[True] * 8))
    >>> configured_message("ml/train", selected)
    'Preempted by ml/train because of preemption config hero rule any/0'
    """
    return f"Preempted by {preemptor} because of preemption config {selected.config} rule {selected.words}"


def _proposed(decision: Decision, reason: Reason) -> Proposed | None:
    if reason != Reason.UBER_CQ_PREEMPTION:
        return None
    name, queue = decision.preemptor.name, decision.queue.name
    message = f"Preempted by Hero Workload {name} in Queue {queue}"
    return Proposed(("Warning", "Preempted", message), (("reason", reason.label), ("queue", queue)))


def preemption_message(uid: str, job_uid: str, cause: str, preemptor_path: str, preemptee_path: str) -> str:
    """The message of the conditions and events of a preemption; what is empty reads as unknown.

    Args:
        uid, job_uid: of the preemptor, and of its Job.
        cause: why, in words.
        preemptor_path, preemptee_path: from the root of the cohort tree to the two ClusterQueues.

    Source: Kueue main of August 2026, message of the Preempted condition.

    >>> preemption_message("u1", "", CAUSES[Reason.IN_CLUSTER_QUEUE], "/a", "/a").split(" due to ")[0]
    'Preempted to accommodate a workload (UID: u1, JobUID: UNKNOWN)'
    """
    return (
        f"Preempted to accommodate a workload (UID: {uid or UNKNOWN}, JobUID: {job_uid or UNKNOWN}) "
        f"due to {cause or UNKNOWN}; preemptor path: {preemptor_path or UNKNOWN}; "
        f"preemptee path: {preemptee_path or UNKNOWN}"
    )


def queue_path(tree: Tree, name: str) -> str:
    """The names from the root of a tree down to one of its ClusterQueues, each behind a slash."""
    return "".join(f"/{tree.nodes[place].name}" for place in reversed(tree.nodes[tree.places[name]].path))
