"""Shapes that answers share: one for each fact. JSON has the same fields with camelCase names."""

from __future__ import annotations

from dataclasses import dataclass

from tenure.explanation.identifiers import ReasonWord, RuleIds, WorkloadKey
from tenure.explanation.remarks import BASIS_RULES, CONFIG_RULES
from tenure.model import Assignment
from tenure.oracle.decide import Decision


@dataclass(frozen=True, slots=True)
class PreemptedWorkload:
    """A running workload that is preempted."""

    workload: WorkloadKey
    """`namespace/name`."""
    cluster_queue: str
    """The ClusterQueue whose quota it holds."""
    reason: ReasonWord
    """Of the Preempted condition."""
    rules: RuleIds
    """The rules that allow it, outermost first."""


@dataclass(frozen=True, slots=True)
class WorkloadWithReason:
    """A running workload that is preempted, or a pending one that preempts."""

    workload: WorkloadKey
    """`namespace/name`."""
    reason: ReasonWord
    """Of the Preempted condition."""


@dataclass(frozen=True, slots=True)
class AssignedPods:
    """A pod set and its flavors."""

    name: str
    """Of the pod set."""
    count: int
    """How many pods."""
    flavors: dict[str, str]
    """The flavors, by resource."""


@dataclass(frozen=True, slots=True)
class FlavorAmount:
    """An amount of a flavor-resource: what a made-up workload requests, or what is still short."""

    flavor: str
    """The flavor."""
    resource: str
    """The resource."""
    amount: str
    """How much, as Kubernetes writes quantities; of `pods` their number."""


def preempted_workloads(decision: Decision) -> tuple[PreemptedWorkload, ...]:
    """The workloads that are preempted, in the order of removal."""
    return tuple(
        PreemptedWorkload(
            workload=target.workload.key,
            cluster_queue=target.workload.cluster_queue or "",
            reason=target.reason.label,
            rules=BASIS_RULES[target.evidence.basis]
            if decision.selected_by_config(target.workload) is None
            else CONFIG_RULES,
        )
        for target in decision.targets
    )


def assigned_pods(assignment: Assignment) -> tuple[AssignedPods, ...]:
    """The pod sets of an assignment: how many pods each gets, on which flavors."""
    return tuple(
        AssignedPods(pods.name, pods.count, dict(sorted(pods.flavors.items())))
        for pods in assignment.pod_sets
    )
