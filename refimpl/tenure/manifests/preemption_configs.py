"""One untrusted PreemptionConfig to the model, or everything that is wrong with it (KEP-13396)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field

from tenure.errors import Problem
from tenure.manifests.checking import check
from tenure.manifests.conversion import header_problems, read_one
from tenure.manifests.fields import (
    Count,
    DurationText,
    Int32,
    Known,
    KubernetesObject,
    Name,
    ObjectName,
    Text,
)
from tenure.manifests.selectable import KIND, PREEMPTION_CONFIG_VERSIONS, labels_of
from tenure.manifests.served import SUBDOMAIN
from tenure.manifests.showing import Place, did_you_mean, printable, show
from tenure.manifests.structure import dig, items, repeated, whole
from tenure.model import (
    CandidateScope,
    CandidateSelector,
    ClassNames,
    Comparison,
    LabelSelector,
    NodeOperator,
    NodeRequirement,
    NumericLabel,
    PreemptionConfig,
    PreemptionRule,
    PriorityMode,
    Trigger,
)

OPERATORS: Final = ("In", "NotIn", "Exists", "DoesNotExist")
_KEY: Final = re.compile(
    rf"((?=[^/]{{1,253}}/){SUBDOMAIN.strip('^$')}/)?[A-Za-z0-9]([-\w.]{{0,61}}[A-Za-z0-9])?", re.ASCII
)
_VALUE: Final = re.compile(r"([A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?)?", re.ASCII)
_RULE: Final = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", re.ASCII)

_Compared: TypeAlias = Literal["LessThan", "LessThanOrEqual", "GreaterThan", "GreaterThanOrEqual"]
_Names: TypeAlias = Annotated[list[ObjectName], Field(max_length=32)]


class LabelRequirementSpec(Known):
    """Source: Kubernetes, meta/v1 LabelSelectorRequirement, whose words no schema checks."""

    key: Text
    operator: Text
    values: list[Text] | None = None


class LabelSelectorSpec(Known):
    """Source: Kubernetes, meta/v1 LabelSelector."""

    match_labels: dict[str, Text] | None = None
    match_expressions: list[LabelRequirementSpec] | None = None


class ClassNamesSpec(Known):
    """Source: Kueue v0.20, `preemptorPriorityClassSelector`."""

    match_names: _Names | None = None
    not_match_names: _Names | None = None


class PrioritySelectorSpec(ClassNamesSpec):
    """Source: Kueue v0.20, `candidateSelectors[].priority`."""

    mode: Literal["Base", "Boosted"] | None = None
    comparison: _Compared | None = None


class NumericLabelSpec(Known):
    """Source: Kueue v0.20, `candidateSelectors[].numericLabels[]`."""

    key: Annotated[Name, Field(max_length=316)]
    fallback_value: Int32 | None = None
    comparison: _Compared | None = None
    min_value: Count | None = None
    max_value: Count | None = None


class CandidateSelectorSpec(Known):
    """Source: Kueue v0.20, `candidateSelectors[]`."""

    scope: Literal[
        "WithinLocalQueue", "WithinClusterQueue", "WithinParentCohort", "WithinCohortTree", "AnyClusterQueue"
    ]
    cluster_queue_selector: LabelSelectorSpec | None = None
    label_selector: LabelSelectorSpec | None = None
    numeric_labels: Annotated[list[NumericLabelSpec], Field(max_length=32)] | None = None
    priority: PrioritySelectorSpec | None = None
    min_execution_duration: DurationText | None = None
    """A proposal of KEP-13396's FUTURE_WORK; no release has it."""


class ActivationPolicySpec(Known):
    """Source: Kueue v0.20, `activationPolicy`."""

    trigger: Literal["Always", "InsufficientQuota", "QuotaFeasibleAndInsufficientTopology"]


class PreemptionRuleSpec(Known):
    """Source: Kueue v0.20, PreemptionConfigPreemptionRule."""

    name: Name
    preemptor_selector: LabelSelectorSpec | None = None
    preemptor_priority_class_selector: ClassNamesSpec | None = None
    activation_policy: ActivationPolicySpec
    candidate_selectors: Annotated[list[CandidateSelectorSpec], Field(max_length=32)] | None = None


class PreemptionConfigSpec(Known):
    """Source: Kueue v0.20, PreemptionConfigSpec."""

    rules: Annotated[list[PreemptionRuleSpec], Field(max_length=64)] | None = None


class PreemptionConfigObject(KubernetesObject):
    """A PreemptionConfig."""

    spec: PreemptionConfigSpec | None = None


def read_preemption_config(raw: object, *, where: str = "") -> PreemptionConfig:
    """A PreemptionConfig of `kueue.x-k8s.io/v1alpha1`.

    Args:
        raw: the object, untrusted; `apiVersion` and `kind` may be left out.
        where: path to put before the path of every field in an error.

    Raises:
        InputError: everything that the API server would refuse. A label selector that Kueue cannot build is
            accepted: it is a fault of the selector.

    Source: Kueue v0.20, PreemptionConfig of v1alpha1.

    >>> rule = {"name": "any", "activationPolicy": {"trigger": "Always"},
    ...         "candidateSelectors": [{"scope": "WithinCohortTree"}]}
    >>> found = read_preemption_config({"metadata": {"name": "hero"}, "spec": {"rules": [rule]}})
    >>> found.rules[0].trigger.label
    'Always'
    """
    return read_one(raw, KIND, where, preemption_config)


def preemption_config(raw: object, place: Place, problems: list[Problem]) -> PreemptionConfig | None:
    """As `read_preemption_config`; problems are added to `problems`, and the result is None."""
    known = len(problems)
    problems.extend(header_problems(raw, KIND, PREEMPTION_CONFIG_VERSIONS, place))
    checked = check(PreemptionConfigObject, raw, place, problems)
    problems.extend(config_problems(raw, place))
    if checked is None or len(problems) > known:
        return None
    rules = (checked.spec and checked.spec.rules) or ()
    return PreemptionConfig(checked.metadata.name, tuple(map(_rule, rules)), labels=labels_of(raw))


def config_problems(raw: object, place: Place) -> Iterator[Problem]:
    """What the API server refuses beyond types: names of rules, and what one field demands of another.

    Args:
        raw: the object, untrusted; what has the wrong shape is passed over.
        place: of the object.
    """
    rules = items(dig(raw, "spec", "rules"))
    names = [dig(rule, "name") for rule in rules]
    for index, name in enumerate(names):
        path = f"spec.rules[{index}].name"
        if isinstance(name, str) and name and not _RULE.fullmatch(name):
            expected = "at most 63 small letters, digits and '-', a letter or digit at both ends"
            yield place.problem(path, show(name), expected)
    named = ((f"spec.rules[{index}].name", name) for index, name in enumerate(names))
    yield from repeated(named, "each name once", place)
    for index, rule in enumerate(rules):
        for number, selector in enumerate(items(dig(rule, "candidateSelectors"))):
            own = f"spec.rules[{index}].candidateSelectors[{number}]"
            for path, found, expected in selector_conflicts(selector, own):
                yield place.problem(path, "nothing" if found is None else show(found), expected)


def selector_conflicts(selector: object, path: str) -> Iterator[tuple[str, int | None, str]]:
    """What one field of a candidate selector demands of another: the path, what is there, what is expected.

    Args:
        selector: untrusted; what has the wrong shape is passed over.
        path: of it.

    >>> list(selector_conflicts({"priority": {"mode": "Base"}}, "s"))
    [('s.priority.comparison', None, 'a value beside mode, or neither')]
    """
    mode, comparison = dig(selector, "priority", "mode"), dig(selector, "priority", "comparison")
    if (mode is None) != (comparison is None):
        lacking, beside = ("mode", "comparison") if mode is None else ("comparison", "mode")
        yield f"{path}.priority.{lacking}", None, f"a value beside {beside}, or neither"
    for index, number in enumerate(items(dig(selector, "numericLabels"))):
        low, high = whole(dig(number, "minValue")), whole(dig(number, "maxValue"))
        if low is not None and high is not None and low > high:
            yield f"{path}.numericLabels[{index}].minValue", low, f"at most maxValue, {high}"


def _rule(spec: PreemptionRuleSpec) -> PreemptionRule:
    return PreemptionRule(
        spec.name,
        Trigger.labelled()[spec.activation_policy.trigger],
        label_selector(spec.preemptor_selector),
        _class_names(spec.preemptor_priority_class_selector),
        tuple(map(_selector, spec.candidate_selectors or ())),
    )


def _selector(spec: CandidateSelectorSpec) -> CandidateSelector:
    priority = spec.priority or PrioritySelectorSpec()
    return CandidateSelector(
        CandidateScope.labelled()[spec.scope],
        label_selector(spec.cluster_queue_selector),
        label_selector(spec.label_selector),
        tuple(map(_number, spec.numeric_labels or ())),
        None if priority.mode is None else PriorityMode.labelled()[priority.mode],
        _comparison(priority.comparison),
        _class_names(priority),
        spec.min_execution_duration,
    )


def _number(spec: NumericLabelSpec) -> NumericLabel:
    comparison = _comparison(spec.comparison)
    return NumericLabel(spec.key, comparison, spec.min_value, spec.max_value, spec.fallback_value)


def _comparison(word: str | None) -> Comparison | None:
    return None if word is None else Comparison.labelled()[word]


def _class_names(spec: ClassNamesSpec | None) -> ClassNames:
    found = spec or ClassNamesSpec()
    return ClassNames(tuple(found.match_names or ()), tuple(found.not_match_names or ()))


def label_selector(spec: LabelSelectorSpec | None) -> LabelSelector:
    """A label selector with what keeps Kueue from building it; nothing and `{}` select everything.

    Source: Kubernetes, LabelSelectorAsSelector: names of labels, values and operators are checked there, and
    by no schema.

    >>> label_selector(LabelSelectorSpec.model_validate({"matchLabels": {"a": "low"}})).requirements[0].values
    ('low',)
    """
    found = spec or LabelSelectorSpec()
    requirements = [
        LabelRequirementSpec(key=key, operator="In", values=[value])
        for key, value in (found.match_labels or {}).items()
    ]
    requirements += found.match_expressions or ()
    fault = next(filter(None, map(_fault, requirements)), "")
    if fault:
        return LabelSelector(fault=fault)
    operators = NodeOperator.labelled()
    return LabelSelector(
        tuple(
            NodeRequirement(found.key, operators[found.operator], tuple(found.values or ()))
            for found in requirements
        )
    )


def _fault(found: LabelRequirementSpec) -> str:
    """Why Kubernetes does not build a requirement; empty where it does."""
    values: Sequence[str] = found.values or ()
    if found.operator not in OPERATORS:
        hint = did_you_mean(found.operator, OPERATORS)
        return f"operator {printable(found.operator)} of label {printable(found.key)} is none{hint}"
    if found.operator in ("In", "NotIn") and not values:
        return f"{found.operator} of label {printable(found.key)} has no values"
    if found.operator in ("Exists", "DoesNotExist") and values:
        return f"{found.operator} of label {printable(found.key)} has values"
    if not _KEY.fullmatch(found.key):
        return f"{show(found.key)} is no key of a label"
    wrong = next((value for value in values if not _VALUE.fullmatch(value)), None)
    return "" if wrong is None else f"{show(wrong)} is no value of a label"


def faults_of(config: PreemptionConfig) -> Iterator[tuple[str, str, str]]:
    """The selectors that Kueue cannot build: path, what is wrong, and what that switches off.

    Args:
        config: a PreemptionConfig that was read.

    Source: Kueue of September 2026, evaluator of PreemptionConfigs: an invalid selector is only logged.

    >>> wrong = PreemptionRule("r", Trigger.ALWAYS, LabelSelector(fault="operator Notin of label a is none"))
    >>> [path for path, _, _ in faults_of(PreemptionConfig("c", (wrong,)))]
    ['spec.rules[0].preemptorSelector']
    """
    for index, rule in enumerate(config.rules):
        effect = f"no rule of trigger {rule.trigger.label} or a later one selects anything"
        path = f"spec.rules[{index}]"
        if rule.preemptors.fault:
            yield f"{path}.preemptorSelector", rule.preemptors.fault, effect
        for number, selector in enumerate(rule.candidates):
            own = f"{path}.candidateSelectors[{number}]"
            for name, found in (
                ("clusterQueueSelector", selector.queues),
                ("labelSelector", selector.workloads),
            ):
                if found.fault:
                    yield f"{own}.{name}", found.fault, f"where the rule accepts the preemptor, {effect}"
