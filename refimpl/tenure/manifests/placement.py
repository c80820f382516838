"""What a pending workload's pods require of the nodes they run on."""

from __future__ import annotations

from tenure.manifests.workload_schema import NodeExpression, NodeSelectorTerm, PodSpec
from tenure.model import NodeOperator, NodeRequirement

_OPERATORS = {
    "In": NodeOperator.IN,
    "NotIn": NodeOperator.NOT_IN,
    "Exists": NodeOperator.EXISTS,
    "DoesNotExist": NodeOperator.DOES_NOT_EXIST,
    "Gt": NodeOperator.GREATER,
    "Lt": NodeOperator.LESS,
}


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
    return tuple(_term(term) for term in (required.node_selector_terms or () if required else ()))


def _term(term: NodeSelectorTerm) -> tuple[NodeRequirement, ...]:
    return tuple(_requirement(expression) for expression in term.match_expressions or ())


def _requirement(expression: NodeExpression) -> NodeRequirement:
    return NodeRequirement(expression.key, _OPERATORS[expression.operator], tuple(expression.values or ()))
