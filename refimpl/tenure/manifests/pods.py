"""What the pods of a pending workload request: amounts, nodes, tolerations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias

from tenure.manifests.quantities import amount_of, saturated
from tenure.manifests.schema import CheckedToleration
from tenure.manifests.structure import dig, items
from tenure.manifests.workload_schema import Container, NodeExpression, PodSpec
from tenure.model import Amount, NodeOperator, NodeRequirement, Toleration

Requests: TypeAlias = dict[str, Fraction]


def pod_requests(spec: PodSpec) -> Requests:
    """The request that the Kubernetes scheduler counts for a pod, per resource, exactly.

    Containers run together, and with them the init containers that restart always. While an ordinary
    init container runs, it and those started before it are there. The larger of both; for CPU, memory and
    huge pages the request of the pod as a whole, where it has one; plus the overhead.

    Args:
        spec: the pod template's spec, already checked.

    Source: Kubernetes, component-helpers PodRequests; KEP-753 (sidecar containers); KEP-2837 (pod level).

    >>> from tenure.manifests.workload_schema import PodSpec
    >>> def box(cpu, **more): return {"resources": {"requests": {"cpu": cpu}}, **more}
    >>> sidecar = box("1", restartPolicy="Always")
    >>> spec = {"containers": [box("2")], "initContainers": [sidecar, box("5")], "overhead": {"cpu": "100m"}}
    >>> str(pod_requests(PodSpec.model_validate(spec))["cpu"])
    '61/10'
    """
    running = _sum(_requests(container) for container in spec.containers or ())
    sidecars: Requests = {}
    peak: Requests = {}
    for container in spec.init_containers or ():
        own = _requests(container)
        starting = _sum((own, sidecars))
        if container.restart_policy == "Always":
            running = _sum((running, own))
            sidecars = starting
        peak = _largest(peak, starting)
    own = _requests(spec)
    of_pod = {
        resource: exact
        for resource, exact in own.items()
        if resource in ("cpu", "memory") or resource.startswith("hugepages-")
    }
    return _sum((_largest(running, peak) | of_pod, spec.overhead or {}))


def set_requests(spec: PodSpec, count: int) -> dict[str, Amount]:
    """The request of a pod set: one pod's request in whole amounts, times the number of pods.

    Args:
        spec: the pod template's spec, already checked.
        count: number of pods.

    Returns:
        Milli-CPU for `cpu`, base units for everything else; a negative request counts as zero.

    Source: Kueue, requests of a pending workload.

    >>> from tenure.manifests.workload_schema import PodSpec
    >>> spec = {"containers": [{"resources": {"requests": {"cpu": "0.0005"}}}]}
    >>> set_requests(PodSpec.model_validate(spec), 10)
    {'cpu': 10}
    """
    return {
        resource: saturated(max(0, amount_of(resource, exact)) * count)
        for resource, exact in pod_requests(spec).items()
    }


def _requests(asking: Container | PodSpec) -> Mapping[str, Fraction]:
    """The requests; a limit without request counts as one.

    Source: Kueue v0.19.2, pkg/workload/resources.go, UseLimitsAsMissingRequestsInPod: done in memory,
    whenever a Workload enters a queue; the object keeps its limits.
    """
    if asking.resources is None:
        return {}
    return {**(asking.resources.limits or {}), **(asking.resources.requests or {})}


def _sum(parts: Iterable[Mapping[str, Fraction]]) -> Requests:
    total: Requests = {}
    for part in parts:
        for resource, exact in part.items():
            total[resource] = total.get(resource, Fraction(0)) + exact
    return total


def _largest(one: Mapping[str, Fraction], other: Mapping[str, Fraction]) -> Requests:
    largest = dict(one)
    for resource, exact in other.items():
        largest[resource] = max(largest.get(resource, exact), exact)
    return largest


_OF_PODS = ("Container", "Pod")
_UNCOUNTED = (
    "is not counted: Kueue adds its {} to what pending pods ask for, and so must their manifests here"
)


def adds_to_requests(raw: object) -> str:
    """What Kueue would take from an object to complete requests, in words; empty where it takes nothing.

    Args:
        raw: an object of any kind, untrusted.

    Source: Kueue v0.19.2, pkg/workload/resources.go, handlePodOverhead and handlePodLimitRange.

    >>> runtime = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "kata"}}
    >>> adds_to_requests(runtime), adds_to_requests({**runtime, "overhead": {"podFixed": {"cpu": "1"}}})[:34]
    ('', 'is not counted: Kueue adds its ove')
    """
    kind = dig(raw, "apiVersion"), dig(raw, "kind")
    if kind == ("node.k8s.io/v1", "RuntimeClass") and dig(raw, "overhead", "podFixed"):
        return _UNCOUNTED.format("overhead")
    limits = items(dig(raw, "spec", "limits")) if kind == ("v1", "LimitRange") else []
    if any(dig(limit, "type") in _OF_PODS for limit in limits):
        return _UNCOUNTED.format("defaults")
    return ""


def node_affinity(spec: PodSpec) -> tuple[tuple[NodeRequirement, ...], ...]:
    """The terms of the required node affinity, of which a node must satisfy one; empty if there are none.

    Args:
        spec: the pod template's spec, already checked.

    Source: Kubernetes core/v1, NodeSelector; Kueue, which matches a flavor's labels with `matchExpressions`
    only, so that a term of `matchFields` alone requires nothing.

    >>> expression = {"key": "gpu", "operator": "In", "values": ["a100"]}
    >>> terms = {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}
    >>> required = {"requiredDuringSchedulingIgnoredDuringExecution": terms}
    >>> (requirement,), = node_affinity(PodSpec.model_validate({"affinity": {"nodeAffinity": required}}))
    >>> requirement.key, requirement.values
    ('gpu', ('a100',))
    """
    nodes = spec.affinity.node_affinity if spec.affinity else None
    required = nodes.required if nodes else None
    return tuple(
        tuple(map(_requirement, term.match_expressions or ()))
        for term in (required.node_selector_terms or () if required else ())
    )


def _requirement(expression: NodeExpression) -> NodeRequirement:
    return NodeRequirement(
        expression.key, NodeOperator.labelled()[expression.operator], tuple(expression.values or ())
    )


def tolerations_of(found: Sequence[CheckedToleration] | None) -> tuple[Toleration, ...]:
    """The tolerations as the model has them; an operator that is not named is Equal.

    Source: Kubernetes core/v1, Toleration.

    >>> tolerations_of([CheckedToleration.model_validate({"key": "gpu", "value": "a100"})])
    (Toleration(key='gpu', exists=False, value='a100', effect=None),)
    """
    return tuple(
        Toleration(
            key=checked_toleration.key or None,
            exists=checked_toleration.operator == "Exists",
            value=checked_toleration.value or "",
            effect=checked_toleration.effect or None,
        )
        for checked_toleration in found or ()
    )
