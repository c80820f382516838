"""Admission policies that refuse PreemptionConfigs with an invalid selector, or without a measure.

They refuse what `tenure validate` finds in the selectors of a PreemptionConfig, and rules for which
`tenure.preemption_measures.measure_of` finds no measure. CEL has no loop that carries a value on, so that the
search for a measure is unrolled, for measures of up to `ROUNDS` components. What exceeds the API server's
limits of cost is refused, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Any, Final, TypeAlias

from tenure.manifests.conversion import GROUP
from tenure.manifests.kueue_api import PREEMPTION_CONFIG
from tenure.manifests.preemption_configs import OPERATORS
from tenure.manifests.served import SUBDOMAIN

CONFIGS: Final = "tenure-preemption-configs"
"""The name of the policy for PreemptionConfigs, and of its binding."""
QUEUES: Final = "tenure-preemption-configs-of-queues"
"""The name of the policy for ClusterQueues, and of its binding."""
ROUNDS: Final = 8
"""Every measure of so many components is found; a longer one may count as none."""

_Object: TypeAlias = dict[str, Any]
_Texts: TypeAlias = dict[str, str]

_API: Final = "admissionregistration.k8s.io/v1"
_PART: Final = "[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
_KEY: Final = f"^({SUBDOMAIN.strip('^$')}/)?{_PART}$".replace("\\.", "[.]")
_VALUE: Final = f"^({_PART})?$"


class PolicyAction(StrEnum):
    """What the API server does about an object that a policy refuses."""

    DENY = "Deny"
    WARN = "Warn"
    AUDIT = "Audit"


def admission_policies(action: PolicyAction = PolicyAction.DENY) -> Sequence[_Object]:
    """Two ValidatingAdmissionPolicies, each before its binding.

    The first refuses a PreemptionConfig with an invalid label selector, with fields that contradict each
    other, or with rules that have no measure by themselves. The second refuses a ClusterQueue whose
    `spec.preemption` has no measure together with the PreemptionConfig that its annotation names. Base
    and Boosted priority count as two numbers, as with gate PriorityBoost.

    Args:
        action: of both bindings.

    >>> [found["kind"].removeprefix("ValidatingAdmission") for found in admission_policies()]
    ['Policy', 'PolicyBinding', 'Policy', 'PolicyBinding']
    """
    return (*_for_configs(action), *_for_queues(action))


def policies_yaml(policies: Sequence[_Object]) -> str:
    """Policies as a file for `kubectl apply`; expressions keep their lines.

    >>> policies_yaml(admission_policies()).count("---")
    3
    """
    import yaml

    class Lines(yaml.SafeDumper):
        """Writes text of several lines as such."""

    def lines(dumper: Any, text: str) -> Any:
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)

    Lines.add_representer(str, lines)
    return yaml.dump_all(policies, Dumper=Lines, sort_keys=False, width=1000)


def _for_configs(action: PolicyAction) -> Iterator[_Object]:
    variables = {
        "rules": "object.?spec.?rules.orValue([])",
        "invalidSelectors": _INVALID_SELECTORS,
        "contradictions": _CONTRADICTIONS,
        **_search(_STEPS_OF_RULES),
    }
    validations = [
        _validation("variables.invalidSelectors", "a label selector that Kueue cannot build", _OF_RULES),
        _validation(
            "variables.contradictions",
            "priority has mode or comparison without the other, or a minValue is above its maxValue",
            _OF_RULES,
        ),
        _validation(f"{_LAST}.map(r, r.rule)", _NO_MEASURE, _OF_RULES),
    ]
    yield _policy(CONFIGS, "v1alpha1/preemptionconfigs", variables, validations, {})
    yield _binding(CONFIGS, action, {})


def _for_queues(action: PolicyAction) -> Iterator[_Object]:
    annotation = f"object.metadata.?annotations[?'{PREEMPTION_CONFIG}']"
    variables = {
        "rules": "params.?spec.?rules.orValue([])",
        "policies": _STEPS_OF_POLICIES,
        **_search(f"{_STEPS_OF_RULES} + variables.policies"),
    }
    without = f"{annotation}.value() != params.metadata.name ? [] : {_LAST}.map(r, r.rule)"
    named = "'PreemptionConfig ' + params.metadata.name + ': '"
    extra = {
        "paramKind": {"apiVersion": f"{GROUP}/v1alpha1", "kind": "PreemptionConfig"},
        "matchConditions": [{"name": "names-a-config", "expression": f"{annotation}.hasValue()"}],
    }
    validations = [_validation(without, _NO_MEASURE, named)]
    yield _policy(QUEUES, "v1beta2/clusterqueues", variables, validations, extra)
    # A ClusterQueue is compared with every PreemptionConfig: a binding cannot choose one by an annotation.
    every = {"paramRef": {"selector": {}, "parameterNotFoundAction": "Allow"}}
    yield _binding(QUEUES, action, every)


def _policy(
    name: str, resources: str, variables: _Texts, validations: Sequence[_Texts], extra: _Object
) -> _Object:
    version, plural = resources.split("/")
    rule = {
        "apiGroups": [GROUP],
        "apiVersions": [version],
        "operations": ["CREATE", "UPDATE"],
        "resources": [plural],
    }
    named = [{"name": variable, "expression": expression} for variable, expression in variables.items()]
    spec = {
        "failurePolicy": "Fail",
        "matchConstraints": {"resourceRules": [rule]},
        **extra,
        "variables": named,
        "validations": list(validations),
    }
    return {
        "apiVersion": _API,
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": name},
        "spec": spec,
    }


def _binding(name: str, action: PolicyAction, extra: _Object) -> _Object:
    return {
        "apiVersion": _API,
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": {"name": name},
        "spec": {"policyName": name, **extra, "validationActions": [action.value]},
    }


def _validation(wrong: str, message: str, place: str) -> _Texts:
    """Refuses an object for which a list of names is not empty; the message begins with these."""
    return {
        "expression": f"({wrong}) == []",
        "message": message,
        "messageExpression": f"{place} + ({wrong}).join(', ') + ': {message}'",
    }


_OF_RULES: Final = "'rules '"
_NO_MEASURE: Final = (
    "no measure falls from every preemptor to its victim, so that workloads may preempt each other in turn"
)


def _key(name: str) -> str:
    return f"{name}.matches('{_KEY}') && {name}.indexOf('/') <= 253"


def _value(name: str) -> str:
    return f"{name}.matches('{_VALUE}')"


_INVALID_SELECTORS: Final = f"""\
variables.rules.filter(r, !([r.?preemptorSelector] +
  r.?candidateSelectors.orValue([]).map(s, s.?clusterQueueSelector) +
  r.?candidateSelectors.orValue([]).map(s, s.?labelSelector)).all(l,
    l.?matchLabels.orValue({{}}).all(k,
      {_key("k")} &&
      {_value("l.value().matchLabels[k]")}) &&
    l.?matchExpressions.orValue([]).all(e,
      e.operator in {list(OPERATORS)} &&
      (e.operator in {list(OPERATORS[:2])}) == (e.?values.orValue([]) != []) &&
      {_key("e.key")} &&
      e.?values.orValue([]).all(v, {_value("v")})))).map(r, r.name)"""
"""Rules with a label selector that Kueue cannot build. Source: Kubernetes, LabelSelectorAsSelector."""

_CONTRADICTIONS: Final = """\
variables.rules.filter(r, r.?candidateSelectors.orValue([]).exists(s,
  s.?priority.?mode.hasValue() != s.?priority.?comparison.hasValue() ||
  s.?numericLabels.orValue([]).exists(n,
    has(n.minValue) && has(n.maxValue) && n.minValue > n.maxValue))).map(r, r.name)"""

_FALLBACKS: Final = """\
variables.rules.map(r, r.?candidateSelectors.orValue([]).map(s,
  s.?numericLabels.orValue([]).filter(n, has(n.fallbackValue)).map(n,
    [string(n.key), string(n.fallbackValue)])).filter(s, s != [])).filter(r, r != [])"""

_STEPS_OF_RULES: Final = """\
variables.rules.map(r, {'rule': dyn(r.name), 'steps': dyn(r.?candidateSelectors.orValue([]).map(s,
  s.?numericLabels.orValue([]).filter(n, n.?comparison.orValue('').startsWith('Less')).map(n,
    has(n.fallbackValue)
    ? [string(n.fallbackValue) + ' ' + n.key + ' ' + n.comparison]
    : variables.fallbacks.map(o, o.map(s, s.filter(f, f[0] == n.key).map(f, f[1]).join(' ')).join(' '))
      .join(' ').split(' ').map(f, f + ' ' + n.key + ' ' + n.comparison)) +
  (s.?priority.?comparison.orValue('').startsWith('Less')
  ? [[s.?priority.?mode.orValue('') + ' ' + s.priority.comparison]] : [])))})"""
"""Of each rule, of each selector, of each comparison by which a number falls: its component and word.

A component is a mode of priority, or a fallback and a key. A label that is compared without a fallback counts
for every fallback that the config has for it.
"""

_STEPS_OF_POLICIES: Final = """\
[{'rule': dyn('spec.preemption.withinClusterQueue'), 'steps': dyn(
  {'Never': [],
   'LowerPriority': [[['Boosted LessThan']]],
   'LowerOrNewerEqualPriority':
     [[['Boosted LessThan']], [['Boosted LessThanOrEqual'], ['Queued LessThan']]]}
  [object.?spec.?preemption.?withinClusterQueue.orValue('Never')])},
 {'rule': dyn('spec.preemption.reclaimWithinCohort'), 'steps': dyn(
  {'Never': [], 'LowerPriority': [[['Boosted LessThan']]], 'Any': [[]]}
  [object.?spec.?preemption.?reclaimWithinCohort.orValue('Never')])}]"""
"""The same of the policies of a ClusterQueue."""

_LAST: Final = f"variables.remaining{ROUNDS}"


def _search(steps: str) -> _Texts:
    """The search for a measure: the last variable has the steps that are left without one.

    A component can be taken if it rises in no remaining step and falls in one. It is among those of every
    remaining step, such as the first. All are taken at once, and the steps in which one falls are done.
    """
    found = {"fallbacks": _FALLBACKS, "remaining0": f"({steps}).filter(r, r.steps != [])"}
    for number in range(1, ROUNDS + 1):
        left, falling = f"variables.remaining{number - 1}", f"variables.falling{number}"
        ended = f"{left} == []" + (f" || variables.falling{number - 1} == []" if number > 1 else "")
        found[f"falling{number}"] = f"""\
{ended} ? [] : {left}[0].steps[0].map(c,
  c.map(t, t.endsWith('OrEqual') ? t.substring(0, t.size() - 7) : t).filter(t,
    {left}.all(r, r.steps.all(s, s.exists(c, t in c || t + 'OrEqual' in c))) &&
    {left}.exists(r, r.steps.exists(s, s.exists(c, t in c))))).filter(c, c != [])"""
        found[f"remaining{number}"] = f"""\
{falling} == [] ? {left} : {left}.map(r, {{'rule': r.rule, 'steps': dyn(
  r.steps.filter(s, !s.exists(c, c.exists(t, {falling}.exists(f, t in f)))))}}).filter(r, r.steps != [])"""
    return found
