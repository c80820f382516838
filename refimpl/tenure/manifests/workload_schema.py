"""The shape of a Workload and of its pods, as far as it decides; what one field demands of another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    Required,  # pydantic asks for these before Python 3.12
)

from pydantic import (
    AfterValidator,
    Field,
    StrictBool,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    WithJsonSchema,
    WrapValidator,
    with_config,
)
from typing_extensions import TypedDict

from tenure.errors import ErrorCode, InputError, Problem
from tenure.manifests.fields import (
    KNOWN,
    OPEN,
    Count,
    InstantText,
    Int32,
    Known,
    Name,
    NonNegative,
    ObjectName,
    Open,
    Positive,
    Quantity,
    Text,
    refuse_any,
)
from tenure.manifests.kueue_api import annotations_of
from tenure.manifests.schema import Toleration
from tenure.manifests.showing import Place, comma_separated, show
from tenure.manifests.structure import dig, entries, items, repeated


def _while_pending(value: object, handler: ValidatorFunctionWrapHandler, info: ValidationInfo) -> object:
    return None if info.context is HOLDS_QUOTA else handler(value)


HOLDS_QUOTA: Final = "holds quota"
"""The context in which pod templates are not validated: they decide nothing any more."""

_WhilePending: Final = WrapValidator(_while_pending)


class Resources(Known):
    """The resources of a container, or of a pod as a whole."""

    requests: dict[Name, Quantity] | None = None
    limits: dict[Name, Quantity] | None = None
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
    resources: Resources | None = None
    resource_claims: Annotated[Any, refuse_any("dynamic resource allocation")] = None
    node_selector: dict[Name, Text] | None = None
    affinity: Affinity | None = None
    tolerations: list[Toleration] | None = None


class PodTemplate(Open):
    """`spec.podSets[].template`, checked only for a workload that is pending. Source: Kubernetes core/v1."""

    spec: PodSpec | None = None


class TopologySlices(Known):
    """One of `podsetSliceRequiredTopologyConstraints`."""

    topology: Text | None = None
    size: Int32 | None = None


class TopologyRequestSpec(Known):
    """Source: Kueue v1beta2 API, PodSetTopologyRequest; labels of indices name pods, and decide nothing."""

    required: Text | None = None
    preferred: Text | None = None
    unconstrained: StrictBool | None = None
    pod_index_label: Any = None
    sub_group_index_label: Any = None
    sub_group_count: Any = None
    pod_set_group_name: Text | None = None
    pod_set_slice_required_topology: Text | None = None
    pod_set_slice_size: Int32 | None = None
    podset_slice_required_topology_constraints: list[TopologySlices] | None = None


class PodSetSpec(Known):
    name: Name = "main"
    count: Count | None = None
    min_count: Positive | None = None
    template: Annotated[PodTemplate | None, _WhilePending, WithJsonSchema({})] = None
    topology_request: Annotated[TopologyRequestSpec | None, _WhilePending] = None


class PriorityClassRef(Known):
    """Source: Kueue v1beta2 API, PriorityClassRef."""

    group: Text | None = None
    kind: Text | None = None
    name: Text | None = None


# A dump holds a hundred thousand of these, and of conditions; pydantic makes a map sooner than a model.
@with_config(KNOWN)
class WorkloadSpec(TypedDict, total=False):
    """Source: Kueue v1beta2 API, WorkloadSpec."""

    podSets: list[PodSetSpec] | None
    queueName: Text | None
    priority: Int32 | None
    priorityClassRef: PriorityClassRef | None
    active: StrictBool | None
    maximumExecutionTimeSeconds: Int32 | None
    preemptionGates: list[Any] | None


@with_config(KNOWN)
class Condition(TypedDict, total=False):
    """Source: Kubernetes metav1.Condition."""

    type: Required[Name]
    status: Required[Literal["True", "False", "Unknown"]]
    reason: Text | None
    message: Any
    lastTransitionTime: InstantText | None
    observedGeneration: Any


class ReclaimablePod(Known):
    name: Name
    count: Count


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


class RequeueState(Open):
    """`status.requeueState`. Source: Kueue v1beta2 API."""

    requeue_at: InstantText | None = None


@with_config(OPEN)
class WorkloadStatus(TypedDict, total=False):
    conditions: list[Condition] | None
    requeueState: RequeueState | None
    reclaimablePods: list[ReclaimablePod] | None
    admission: Admission | None


Labels = TypedDict("Labels", {"kueue.x-k8s.io/job-uid": Text | None}, total=False)
with_config(OPEN)(Labels)


@with_config(OPEN)
class WorkloadMetadata(TypedDict, total=False):
    name: Required[ObjectName]
    namespace: Text | None
    uid: Text | None
    creationTimestamp: InstantText | None
    annotations: dict[str, Any] | None
    labels: Labels | None


class WorkloadObject(Known):
    api_version: Any = None
    kind: Any = None
    metadata: WorkloadMetadata
    spec: WorkloadSpec | None = None
    status: WorkloadStatus | None = None


def in_common(raw: object, *, holds_quota: bool) -> tuple[Any, ...]:
    """What a Workload may have in common with others: all but its metadata and the times of its conditions.

    Args:
        raw: the object, untrusted; what does not decide is left out of its pod sets and its status.
        holds_quota: whether its pod templates decide nothing any more.

    >>> raw = {"spec": {"podSets": [{"name": "main", "template": {"spec": {"hostname": "a"}}}]}}
    >>> in_common(raw, holds_quota=False)
    ('spec', {'podSets': [{'name': 'main', 'template': {'spec': {}}}]}, None)
    >>> admitted = {"type": "Admitted", "status": "True", "lastTransitionTime": "2026-03-02T14:00:00Z"}
    >>> in_common({"status": {"conditions": [admitted]}}, holds_quota=True)[-1]
    (None, None, None, [('type', 'status', 'lastTransitionTime', 'Admitted', 'True', None)])
    """
    if not isinstance(raw, dict):
        return (raw,)
    spec, status = raw.get("spec"), raw.get("status")
    if isinstance(spec, dict) and isinstance(pod_sets := spec.get("podSets"), list):
        spec = {**spec, "podSets": [_deciding(pod_set, holds_quota) for pod_set in pod_sets]}
    if isinstance(status, dict):
        conditions = status.get("conditions")
        if isinstance(conditions, list):
            # The message and the generation of a condition may be anything.
            conditions = [
                (*condition, condition.get("type"), condition.get("status"), condition.get("reason"))
                if isinstance(condition, dict)
                else condition
                for condition in conditions
            ]
        status = (
            status.get("admission"),
            status.get("reclaimablePods"),
            status.get("requeueState"),
            conditions,
        )
    return *raw, spec, status


def _deciding(pod_set: object, holds_quota: bool) -> object:
    if not isinstance(pod_set, dict):
        return pod_set
    if holds_quota:
        return {**pod_set, "template": None}
    template = pod_set.get("template")
    if not isinstance(template, dict):
        return pod_set
    pod = _only_fields(template.get("spec"), _POD)
    for field in _CONTAINERS if isinstance(pod, dict) else ():
        if isinstance(pod.get(field), list):
            pod[field] = [_only_fields(container, _CONTAINER) for container in pod[field]]
    return pod_set | {"template": {"spec": pod}}


def _only_fields(raw: object, fields: tuple[str, ...]) -> Any:
    return {key: raw[key] for key in fields if key in raw} if isinstance(raw, dict) else raw


_CONTAINERS: Final = ("containers", "initContainers")
_POD: Final = tuple(str(field.alias) for field in PodSpec.model_fields.values())
_CONTAINER: Final = tuple(str(field.alias) for field in Container.model_fields.values())


BOOST = "kueue.x-k8s.io/priority-boost"
"""The annotation that Kueue adds to a priority, with feature gate PriorityBoost."""

_DEFAULT_POD_SET = "main"


def workload_problems(raw: object, place: Place, *, holds_quota: bool) -> Iterator[Problem]:
    """Names that appear twice, and what does not go together with holding quota or with waiting for it.

    Args:
        raw: a Workload.
        place: the object, for the problems.
        holds_quota: whether it needs a `status.admission`, or its pods are looked at.

    Source: Kueue v1beta2 API, WorkloadSpec and WorkloadStatus; Kueue, the annotations its scheduler reads.
    """
    pod_sets = items(dig(raw, "spec", "podSets"))
    status = dig(raw, "status")
    for path, found, key in (
        ("spec.podSets", pod_sets, "name"),
        ("status.reclaimablePods", items(dig(status, "reclaimablePods")), "name"),
        ("status.conditions", items(dig(status, "conditions")), "type"),
    ):
        # Nothing appears twice in a list of one, and this runs for every workload of a cluster.
        if len(found) > 1:
            yield from _repeated_names(found, path, key, place)
    yield from _counts(pod_sets, place)
    yield from _annotations(dig(raw, "metadata", "annotations"), place, waits=not holds_quota)
    admission = dig(status, "admission")
    if holds_quota or admission is not None:
        yield from _admission(admission, pod_sets, place)


def _repeated_names(found: list[Any], path: str, key: str, place: Place) -> Iterator[Problem]:
    names = [
        name for entry in found if isinstance(entry, dict) and isinstance(name := _name(entry, key), str)
    ]
    # Paths are made only where they will be shown.
    if len(set(names)) < len(names):
        named = [(f"{path}[{i}].{key}", _name(entry, key)) for i, entry in entries(found)]
        yield from repeated(named, f"each {key} once", place)


def _name(entry: dict[str, Any], key: str) -> object:
    return entry.get(key, _DEFAULT_POD_SET if key == "name" else None)


def _counts(pod_sets: list[Any], place: Place) -> Iterator[Problem]:
    for i, pod_set in entries(pod_sets):
        least, count = pod_set.get("minCount"), pod_set.get("count")
        if (
            isinstance(least, int)
            and isinstance(count, int | None)
            and least > (1 if count is None else count)
        ):
            expected = f"at most count, {show(1 if count is None else count)}"
            yield place.problem(f"spec.podSets[{i}].minCount", show(least), expected)


def _annotations(annotations: object, place: Place, *, waits: bool) -> Iterator[Problem]:
    if not isinstance(annotations, dict):
        return
    if not isinstance(annotations.get(BOOST, ""), str):
        yield place.problem(f"metadata.annotations[{BOOST}]", show(annotations[BOOST]), "a string")
    for key, entry in annotations_of("Workload", "refused").items() if waits else ():
        # They are about getting quota, which a workload that holds it already has.
        if annotations.get(key) not in (None, ""):
            yield _not_modelled(place, f"metadata.annotations[{key}]", annotations[key], entry.why)


def _admission(admission: object, pod_sets: list[Any], place: Place) -> Iterator[Problem]:
    if admission is None:
        expected = "the admission of a workload that holds quota"
        yield place.problem("status.admission", "nothing", expected)
        return
    path = "status.admission.podSetAssignments"
    assignments = items(dig(admission, "podSetAssignments"))
    yield from _repeated_names(assignments, path, "name", place)
    known = {
        _name(pod_set, "name")
        for _, pod_set in entries(pod_sets)
        if isinstance(pod_set.get("name", _DEFAULT_POD_SET), str)
    }
    for i, assignment in entries(assignments):
        name = _name(assignment, "name")
        if isinstance(name, str) and name not in known:
            expected = f"the name of one of spec.podSets: {comma_separated(sorted(map(str, known)))}"
            yield place.problem(f"{path}[{i}].name", show(name), expected)


def _not_modelled(place: Place, field: str, found: object, reason: str) -> Problem:
    expected = f"nothing here: {reason} is not modelled"
    return place.problem(field, show(found), expected, ErrorCode.NOT_MODELLED)
