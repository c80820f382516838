"""A PreemptionConfig (KEP-13396): its shape, and what Kueue accepts and then does not follow."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from tenure.manifests.kueue_api import PREEMPTION_CONFIG
from tenure.manifests.preemption_configs import selector_conflicts
from tenure.manifests.selectable import KIND
from tenure.manifests.served import SUBDOMAIN, Fields, Items, Named, Number, Text, Word
from tenure.manifests.showing import printable, show
from tenure.manifests.structure import entries, items
from tenure.model import CandidateScope, Comparison, PriorityMode, Trigger
from tenure.validation.cross_object_warnings import Overview, missing
from tenure.validation.faults import Fault, Subject, WarningType, invalid, required
from tenure.validation.labels import selector_faults

SELECTOR: Final = Fields(
    {
        "matchLabels": Named(Text()),
        "matchExpressions": Items(
            Fields({"key": Text(), "operator": Text(), "values": Items(Text())}, required=("key", "operator"))
        ),
    }
)
"""A label selector. Source: Kubernetes, meta/v1 LabelSelector."""
_NAMES: Final = Items(Text(longest=253, shortest=1), most=32)
_CLASSES: Final = {"matchNames": _NAMES, "notMatchNames": _NAMES}
_COMPARISON: Final = Word(tuple(Comparison.labelled()))
_BOUND: Final = Number(least=0)
_NUMBER: Final = Fields(
    {
        "key": Text(longest=316, shortest=1),
        "fallbackValue": Number(),
        "comparison": _COMPARISON,
        "minValue": _BOUND,
        "maxValue": _BOUND,
    },
    required=("key",),
)
_PRIORITY: Final = Fields(
    {"mode": Word(tuple(PriorityMode.labelled())), "comparison": _COMPARISON, **_CLASSES}
)
_CANDIDATES: Final = Fields(
    {
        "scope": Word(tuple(CandidateScope.labelled())),
        "clusterQueueSelector": SELECTOR,
        "labelSelector": SELECTOR,
        "numericLabels": Items(_NUMBER, most=32),
        "priority": _PRIORITY,
    },
    required=("scope",),
)
_RULE: Final = Fields(
    {
        "name": Text(longest=63, shortest=1, pattern="^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"),
        "preemptorSelector": SELECTOR,
        "preemptorPriorityClassSelector": Fields(_CLASSES),
        "activationPolicy": Fields({"trigger": Word(tuple(Trigger.labelled()))}, required=("trigger",)),
        "candidateSelectors": Items(_CANDIDATES, most=32),
    },
    required=("name", "activationPolicy"),
)
SPEC: Final = Fields({"rules": Items(_RULE, most=64, key=("name",))})
"""What the schema demands. Source: Kueue v0.20, PreemptionConfigSpec of v1alpha1."""

_OWN: Final = "kueue.x-k8s.io/"
_PODS: Final = "pods"


def numbers_and_priorities(subject: Subject) -> Iterator[Fault]:
    """A minimum is at most its maximum; mode and comparison of a priority come together.

    >>> selector = {"scope": "AnyClusterQueue", "priority": {"mode": "Base"}}
    >>> rule = {"name": "r", "candidateSelectors": [selector]}
    >>> [fault.field for fault in numbers_and_priorities(Subject(KIND, {"spec": {"rules": [rule]}}))]
    ['spec.rules[0].candidateSelectors[0].priority.comparison']
    """
    for path, selector in _selectors(subject):
        for field, found, expected in selector_conflicts(selector, path):
            yield required(field, expected) if found is None else invalid(field, found, expected)


def invalid_selectors(subject: Subject) -> Iterator[Fault]:
    """A label selector that Kueue cannot build switches off its trigger and all later ones.

    Source: Kueue of September 2026, evaluator of PreemptionConfigs; the API server accepts it.

    >>> wrong = {"matchExpressions": [{"key": "tier", "operator": "Notin", "values": ["low"]}]}
    >>> rule = {"name": "r", "activationPolicy": {"trigger": "Always"}, "preemptorSelector": wrong}
    >>> [fault.type.value for fault in invalid_selectors(Subject(KIND, {"spec": {"rules": [rule]}}))]
    ['InvalidSelector']
    """
    for path, rule in _rules(subject):
        yield from _invalid(rule.get("preemptorSelector"), f"{path}.preemptorSelector")
    for path, selector in _selectors(subject):
        for name in ("clusterQueueSelector", "labelSelector"):
            yield from _invalid(selector.get(name), f"{path}.{name}")


def _invalid(selector: object, path: str) -> Iterator[Fault]:
    for fault in selector_faults(selector, path):
        effect = "no rule of this trigger or a later one selects anything; the API server accepts it"
        yield Fault(WarningType.INVALID_SELECTOR, fault.field, f"{fault.message}: {effect}")


def rules_without_candidates(subject: Subject) -> Iterator[Fault]:
    """A rule without candidateSelectors selects nothing."""
    for path, rule in _rules(subject):
        if not items(rule.get("candidateSelectors")):
            message = "a rule without candidateSelectors selects nothing"
            yield Fault(WarningType.NO_EFFECT, f"{path}.candidateSelectors", message)


def names_of_no_class(subject: Subject) -> Iterator[Fault]:
    """A name that Kubernetes allows for no priority class is that of no workload.

    >>> rule = {"name": "r", "preemptorPriorityClassSelector": {"matchNames": ["low prio"]}}
    >>> [fault.field for fault in names_of_no_class(Subject(KIND, {"spec": {"rules": [rule]}}))]
    ['spec.rules[0].preemptorPriorityClassSelector.matchNames[0]']
    """
    for path, names in _class_names(subject):
        for index, name in enumerate(names):
            if isinstance(name, str) and not re.fullmatch(SUBDOMAIN, name, re.ASCII):
                message = f"no priority class can be called {printable(show(name))}: names are DNS subdomains"
                yield Fault(WarningType.NO_EFFECT, f"{path}[{index}]", message)


def named_configs(overview: Overview) -> Iterator[tuple[Subject, Fault]]:
    """The PreemptionConfig that a ClusterQueue names exists; Kueue counts a missing one as none."""
    for queue in overview.of("ClusterQueue"):
        name = queue.get("metadata", "annotations", PREEMPTION_CONFIG)
        path, why = f"metadata.annotations[{PREEMPTION_CONFIG}]", "and a missing one counts as none"
        yield from missing(overview, queue, path, name, KIND, why)


def named_classes(overview: Overview) -> Iterator[tuple[Subject, Fault]]:
    """Priority classes that rules name are among those given; they may be Kubernetes' own."""
    for config in overview.of(KIND):
        for path, names in _class_names(config):
            for index, name in enumerate(names):
                why = "and no workload has it unless it is a PriorityClass of Kubernetes"
                at = f"{path}[{index}]"
                yield from missing(overview, config, at, name, "WorkloadPriorityClass", why)


def _class_names(config: Subject) -> Iterator[tuple[str, list[Any]]]:
    for path, rule in _rules(config):
        yield from _lists(
            rule.get("preemptorPriorityClassSelector"), f"{path}.preemptorPriorityClassSelector"
        )
    for path, selector in _selectors(config):
        yield from _lists(selector.get("priority"), f"{path}.priority")


def _lists(found: object, path: str) -> Iterator[tuple[str, list[Any]]]:
    for name in _CLASSES if isinstance(found, dict) else ():
        yield f"{path}.{name}", items(found.get(name))  # type: ignore[attr-defined]  # it is a map


def triggers_without_topology(overview: Overview) -> Iterator[tuple[Subject, Fault]]:
    """The trigger about topologies can apply only where a flavor of the ClusterQueue has a topology.

    Or where it has quota for pods: a search does not count them, and fits where only they are short.
    """
    known = overview.names("ResourceFlavor")
    placed = {name for name, flavor in known.items() if flavor.get("spec", "topologyName")}
    naming: dict[str, bool] = {}
    for queue in overview.of("ClusterQueue"):
        flavors = [
            flavor.get("name")
            for _, group in entries(queue.get("spec", "resourceGroups"))
            for _, flavor in entries(group.get("flavors"))
        ]
        name = queue.get("metadata", "annotations", PREEMPTION_CONFIG)
        # A flavor that is not given may have one.
        may = any(flavor in placed or flavor not in known for flavor in flavors if isinstance(flavor, str))
        may |= any(
            _PODS in items(group.get("coveredResources"))
            for _, group in entries(queue.get("spec", "resourceGroups"))
        )
        if isinstance(name, str):
            naming[name] = naming.get(name, False) or may
    for config in overview.of(KIND):
        for path, rule in _rules(config) if naming.get(config.name) is False else ():
            trigger = rule.get("activationPolicy", {})
            if isinstance(trigger, dict) and trigger.get("trigger") == Trigger.INSUFFICIENT_TOPOLOGY.label:
                message = "never applies: no flavor of a ClusterQueue that names this config has a topology"
                yield config, Fault(WarningType.NO_EFFECT, f"{path}.activationPolicy.trigger", message)


def labels_not_copied(overview: Overview) -> Iterator[tuple[Subject, Fault]]:
    """Kueue copies from a job to its Workload only the labels that the Configuration names."""
    configured = overview.of("Configuration")
    if not configured:
        return
    lists = (items(found.get("integrations", "labelKeysToCopy")) for found in configured)
    copied = {key for found in lists for key in found if isinstance(key, str)}
    for config in overview.of(KIND):
        for path, key in _keys(config):
            if isinstance(key, str) and key not in copied and not key.startswith(_OWN):
                message = (
                    f"integrations.labelKeysToCopy of the Configuration lacks {printable(show(key))}: "
                    "Kueue copies no such label from a job to its Workload"
                )
                yield config, Fault(WarningType.LABEL_NOT_COPIED, path, message)


def _keys(config: Subject) -> Iterator[tuple[str, object]]:
    for path, rule in _rules(config):
        yield from _selector_keys(rule.get("preemptorSelector"), f"{path}.preemptorSelector")
    for path, selector in _selectors(config):
        yield from _selector_keys(selector.get("labelSelector"), f"{path}.labelSelector")
        for index, number in entries(selector.get("numericLabels")):
            yield f"{path}.numericLabels[{index}].key", number.get("key")


def _selector_keys(selector: object, path: str) -> Iterator[tuple[str, object]]:
    if not isinstance(selector, dict):
        return
    matched = selector.get("matchLabels")
    for key in matched if isinstance(matched, dict) else ():
        yield f"{path}.matchLabels", key
    for index, expression in entries(selector.get("matchExpressions")):
        yield f"{path}.matchExpressions[{index}].key", expression.get("key")


def _rules(subject: Subject) -> Iterator[tuple[str, dict[str, Any]]]:
    for index, rule in entries(subject.get("spec", "rules")):
        yield f"spec.rules[{index}]", rule


def _selectors(subject: Subject) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, rule in _rules(subject):
        for index, selector in entries(rule.get("candidateSelectors")):
            yield f"{path}.candidateSelectors[{index}]", selector
