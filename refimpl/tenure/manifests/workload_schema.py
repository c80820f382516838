"""The shape of a Workload and of its pods, as far as either decides."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, StrictBool

from tenure.errors import InputError, Problem
from tenure.manifests.fields import (
    Count,
    InstantText,
    Int32,
    Known,
    Metadata,
    Name,
    NonNegative,
    Open,
    Positive,
    Quantity,
    Text,
    refuse_any,
)
from tenure.manifests.schema import Toleration
from tenure.manifests.showing import show


class PodSet(Known):
    name: Name = "main"
    count: Count | None = None
    min_count: Positive | None = None
    template: Any = None
    topology_request: Any = None


class PriorityClassRef(Known):
    """Source: Kueue v1beta2 API, PriorityClassRef."""

    group: Text | None = None
    kind: Text | None = None
    name: Text | None = None


class WorkloadSpec(Known):
    """Source: Kueue v1beta2 API, WorkloadSpec."""

    pod_sets: list[PodSet] | None = None
    queue_name: Text | None = None
    priority: Int32 | None = None
    priority_class_ref: PriorityClassRef | None = None
    active: StrictBool | None = None
    maximum_execution_time_seconds: Int32 | None = None
    preemption_gates: list[Any] | None = None


class Condition(Known):
    """Source: Kubernetes metav1.Condition."""

    type: Name
    status: Literal["True", "False", "Unknown"]
    reason: Text | None = None
    message: Any = None
    last_transition_time: InstantText | None = None
    observed_generation: Any = None


class ReclaimablePod(Known):
    name: Name
    count: Count


class WorkloadStatus(Open):
    conditions: list[Condition] | None = None
    reclaimable_pods: list[ReclaimablePod] | None = None


class Labels(Open):
    job_uid: Text | None = Field(default=None, alias="kueue.x-k8s.io/job-uid")


class WorkloadMetadata(Metadata):
    labels: Labels | None = None


class WorkloadObject(Known):
    api_version: Any = None
    kind: Any = None
    metadata: WorkloadMetadata
    spec: WorkloadSpec | None = None
    status: WorkloadStatus | None = None


class PodSetAssignment(Known):
    name: Name = "main"
    flavors: dict[Name, Text] | None = None
    resource_usage: dict[Name, NonNegative] | None = None
    count: Count | None = None
    topology_assignment: Any = None
    delayed_topology_request: Any = None


class Admission(Known):
    """`status.admission`. Source: Kueue v1beta2 API."""

    cluster_queue: Name
    pod_set_assignments: list[PodSetAssignment] | None = None


class Resources(Known):
    requests: dict[Name, Quantity] | None = None
    limits: Any = None
    claims: Annotated[Any, refuse_any("dynamic resource allocation")] = None


class Container(Open):
    resources: Resources | None = None
    restart_policy: Text | None = None


def _comparable(value: NodeExpression) -> NodeExpression:
    """What Kubernetes requires of the values of an expression, so that comparing them cannot fail."""
    values = value.values or []
    expected = ""
    if value.operator in ("In", "NotIn") and not values:
        expected = f"at least one value for {value.operator}"
    elif value.operator in ("Exists", "DoesNotExist") and values:
        expected = f"no value for {value.operator}"
    elif value.operator in ("Gt", "Lt") and not (len(values) == 1 and _is_integer(values[0])):
        expected = f"one whole number as text for {value.operator}"
    if expected:
        raise InputError([Problem(".values", show(values), expected)])
    return value


def _is_integer(text: str) -> bool:
    digits = text[1:] if text[:1] in ("+", "-") else text
    return digits.isascii() and digits.isdigit() and len(digits) < 20 and -(2**63) <= int(text) < 2**63


class NodeExpression(Known):
    key: Name
    operator: Literal["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"]
    values: list[Text] | None = None


class NodeSelectorTerm(Known):
    """Kueue compares the labels of a flavor only; `matchFields` is about a node's name, and ignored."""

    match_expressions: list[Annotated[NodeExpression, AfterValidator(_comparable)]] | None = None
    match_fields: Any = None


class NodeSelector(Known):
    node_selector_terms: list[NodeSelectorTerm] | None = None


class NodeAffinity(Open):
    required: NodeSelector | None = Field(
        default=None, alias="requiredDuringSchedulingIgnoredDuringExecution"
    )


class Affinity(Open):
    node_affinity: NodeAffinity | None = None


class PodSpec(Open):
    """Preferences, and affinity between pods, choose no flavor, and are ignored."""

    containers: list[Container] | None = None
    init_containers: list[Container] | None = None
    overhead: dict[Name, Quantity] | None = None
    resources: Annotated[Any, refuse_any("a request of the pod as a whole")] = None
    resource_claims: Annotated[Any, refuse_any("dynamic resource allocation")] = None
    node_selector: dict[Name, Text] | None = None
    affinity: Affinity | None = None
    tolerations: list[Toleration] | None = None


class PodTemplate(Open):
    """`spec.podSets[].template`, checked only for a workload that is pending. Source: Kubernetes core/v1."""

    spec: PodSpec | None = None
