"""PreemptionConfigs of the model, and what they read of other objects, as Kueue's API objects."""

from __future__ import annotations

from typing import Any, Final

from tenure.manifests.kueue_api import PREEMPTION_CONFIG
from tenure.manifests.selectable import LIMIT_KIND, PREEMPTION_LIMIT_VERSIONS
from tenure.model import (
    CandidateSelector,
    ClassNames,
    ClusterQueue,
    LabelSelector,
    LimitScope,
    NumericLabel,
    PreemptionConfig,
    PreemptionLimit,
    PreemptionRule,
    Selectable,
)
from tenure.units import format_duration

Object = dict[str, Any]

API: Final = "kueue.x-k8s.io/v1alpha1"
INVALID: Final = {"matchExpressions": [{"key": "invalid", "operator": "invalid"}]}
"""A selector that Kueue cannot build; which one it was the model does not keep."""


def write_preemption_config(config: PreemptionConfig) -> Object:
    """A PreemptionConfig.

    >>> write_preemption_config(PreemptionConfig("none"))["spec"]
    {'rules': []}
    """
    rules = [_rule(rule) for rule in config.rules]
    labels = {"labels": dict(config.labels)} if config.labels else {}
    return {
        "apiVersion": API,
        "kind": "PreemptionConfig",
        "metadata": {"name": config.name, **labels},
        "spec": {"rules": rules},
    }


def write_named_config(written: Object, queue: ClusterQueue) -> None:
    """Add the PreemptionConfig that a ClusterQueue names, and its labels, to what was written of it."""
    if queue.preemption_config is not None:
        written["metadata"]["annotations"] = {PREEMPTION_CONFIG: queue.preemption_config}
    if queue.labels:
        written["metadata"]["labels"] = dict(queue.labels)


def write_preemption_limit(limit: PreemptionLimit) -> Object:
    """A PreemptionLimit as a manifest."""
    spec: Object = {
        "scope": limit.scope.label,
        "configSelector": _labels(limit.configs),
        "ruleNames": list(limit.rules),
        "limit": limit.limit,
        "limitWindowDuration": format_duration(limit.window),
    }
    if limit.scope != LimitScope.GLOBAL:
        spec["clusterQueueSelector"] = _labels(limit.queues)
    header = {"apiVersion": PREEMPTION_LIMIT_VERSIONS[0], "kind": LIMIT_KIND}
    return {**header, "metadata": {"name": limit.name}, "spec": spec}


def write_selectable(written: Object, selectable: Selectable | None) -> None:
    """Add the labels and the priority class of a Workload to what was written of it."""
    if selectable is None:
        return
    if selectable.labels:
        written["metadata"]["labels"] = dict(selectable.labels)
    if selectable.priority_class:
        written["spec"]["priorityClassRef"] = {
            "group": "kueue.x-k8s.io",
            "kind": "WorkloadPriorityClass",
            "name": selectable.priority_class,
        }


def _rule(rule: PreemptionRule) -> Object:
    return {
        "name": rule.name,
        "activationPolicy": {"trigger": rule.trigger.label},
        "preemptorSelector": _labels(rule.preemptors),
        "preemptorPriorityClassSelector": _names(rule.preemptor_classes),
        "candidateSelectors": [_selector(selector) for selector in rule.candidates],
    }


def _selector(selector: CandidateSelector) -> Object:
    priority = _names(selector.classes)
    if selector.mode is not None and selector.comparison is not None:
        priority |= {"mode": selector.mode.label, "comparison": selector.comparison.label}
    return {
        "scope": selector.scope.label,
        "clusterQueueSelector": _labels(selector.queues),
        "labelSelector": _labels(selector.workloads),
        "numericLabels": [_number(number) for number in selector.numbers],
        "priority": priority,
        **_minimum(selector),
    }


def _minimum(selector: CandidateSelector) -> Object:
    least = selector.min_execution
    return {} if least is None else {"minExecutionDuration": format_duration(least)}


def _labels(selector: LabelSelector) -> Object:
    if selector.fault:
        return INVALID
    expressions = [
        {"key": found.key, "operator": found.operator.label, "values": list(found.values)}
        for found in selector.requirements
    ]
    return {"matchExpressions": expressions}


def _names(names: ClassNames) -> Object:
    return {"matchNames": list(names.match), "notMatchNames": list(names.exclude)}


def _number(number: NumericLabel) -> Object:
    written = {
        "fallbackValue": number.fallback,
        "comparison": None if number.comparison is None else number.comparison.label,
        "minValue": number.minimum,
        "maxValue": number.maximum,
    }
    return {"key": number.key, **{name: value for name, value in written.items() if value is not None}}
