"""Admission policies that refuse PreemptionConfigs with an invalid selector, or without a measure.

They refuse what `tenure validate` finds in the selectors of a PreemptionConfig, and rules for which
`tenure.preemption_measures.measure_of` finds no measure. CEL has no loop that carries a value on, so that the
search for a measure is unrolled, for measures of up to `ROUNDS` components. What exceeds the API server's
limits of cost is refused, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeAlias

from tenure.choices import PolicyAction
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
_NAME: Final = SUBDOMAIN.replace("\\.", "[.]")


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
        "invalidNames": _INVALID_NAMES,
        **_search(_STEPS_OF_RULES),
    }
    validations = [
        _validation("variables.invalidSelectors", "a label selector that Kueue cannot build", _OF_RULES),
        _validation(
            "variables.contradictions",
            "priority has mode or comparison without the other, or a minValue is above its maxValue",
            _OF_RULES,
        ),
        _validation("variables.invalidNames", _NO_CLASS, _OF_RULES),
        _validation(f"{_LAST}.map(r, r.rule)", _NO_MEASURE, _OF_RULES),
    ]
    yield _policy(CONFIGS, "v1alpha1/preemptionconfigs", variables, validations, {})
    yield _binding(CONFIGS, action, {})


def _for_queues(action: PolicyAction) -> Iterator[_Object]:
    annotation = f"object.metadata.?annotations[?'{PREEMPTION_CONFIG}']"
    variables = {
        "rules": "params.?spec.?rules.orValue([])",
        "policies": _STEPS_OF_POLICIES,
        "invalidNames": _INVALID_NAMES,
        **_search(f"{_STEPS_OF_RULES} + variables.policies"),
    }
    without = f"{annotation}.value() != params.metadata.name ? [] : {_LAST}.map(r, r.rule)"
    named = "'PreemptionConfig ' + params.metadata.name + ': '"
    extra = {
        "paramKind": {"apiVersion": f"{GROUP}/v1alpha1", "kind": "PreemptionConfig"},
        "matchConditions": [{"name": "names-a-config", "expression": f"{annotation}.hasValue()"}],
    }
    wrong = f"{annotation}.value() != params.metadata.name ? [] : variables.invalidNames"
    validations = [_validation(wrong, _NO_CLASS, named), _validation(without, _NO_MEASURE, named)]
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
_NO_CLASS: Final = "the name of a priority class that none can have: names are DNS subdomains"
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


def _classes(names: str) -> str:
    return (
        f"({names}.?matchNames.orValue([]) + {names}.?notMatchNames.orValue([])).all(n, n.matches('{_NAME}'))"
    )


_INVALID_NAMES: Final = f"""\
variables.rules.filter(r, !({_classes("r.?preemptorPriorityClassSelector")} &&
  r.?candidateSelectors.orValue([]).all(s, {_classes("s.?priority")}))).map(r, r.name)"""
"""Rules that name a priority class as none can be called; what follows separates names by spaces."""

_FALLBACKS: Final = """\
variables.rules.map(r, r.?candidateSelectors.orValue([]).map(s,
  s.?numericLabels.orValue([]).filter(n, has(n.fallbackValue)).map(n,
    [string(n.key), string(n.fallbackValue)])).filter(s, s != [])).filter(r, r != [])"""

_FALLS: Final = """\
s.?numericLabels.orValue([]).filter(n, has(n.comparison)).map(n,
    has(n.fallbackValue)
    ? [string(n.fallbackValue) + ' ' + n.key + ' ' + n.comparison]
    : variables.fallbacks.map(o, o.map(s, s.filter(f, f[0] == n.key).map(f, f[1]).join(' ')).join(' '))
      .join(' ').split(' ').map(f, f + ' ' + n.key + ' ' + n.comparison)) +
  (has(s.priority) && has(s.priority.comparison)
  ? [[s.?priority.?mode.orValue('') + ' ' + s.priority.comparison]] : [])"""
"""Of a selector, of each comparison: the component that falls, or does not rise, with the word.

A component is a mode of priority, or a fallback and a key. With GreaterThan the lower number counts as the
greater one: another component. A label that is compared without a fallback counts for every fallback that
the config has for it.
"""


def _requirements(selector: str, names: str) -> str:
    return f"""\
({selector}.?matchLabels.orValue({{}}).map(k,
        [[string(k)], ['In'], [string({selector}.value().matchLabels[k])]]) +
      {selector}.?matchExpressions.orValue([]).map(e,
        [[string(e.key)], [string(e.operator)], e.?values.orValue([]).map(v, string(v))]) +
      [[['.'], ['In'], {names}.?matchNames.orValue([]).map(n, string(n))],
       [['.'], ['NotIn'], {names}.?notMatchNames.orValue([]).map(n, string(n))]].filter(q, q[2] != []))"""


_REQUIRED: Final = f"""\
variables.rules.map(r, {{'rule': dyn(r.name),
  'mine': dyn({_requirements("r.?preemptorSelector", "r.?preemptorPriorityClassSelector")}),
  'selectors': dyn(r.?candidateSelectors.orValue([]).map(s, {{
    'theirs': dyn({_requirements("s.?labelSelector", "s.?priority")}),
    'numbers': dyn(s.?numericLabels.orValue([])),
    'falls': dyn({_FALLS})}}))}})"""
"""Of each rule, of preemptors and of each selector: requirements of labels, each of key, operator and values.

The key `.`, which no label has, stands for the name of the priority class.
"""

_KEYS: Final = """\
variables.required.map(r, r.mine.map(q, q[0][0]).filter(k,
  variables.required.filter(o, o.mine.exists(q, q[0][0] == k))[0].rule == r.rule &&
  variables.required.exists(o, o.selectors.exists(s,
    s.theirs.exists(q, q[0][0] == k) || s.numbers.exists(n, n.key == k)))).join(' '))
  .join(' ').split(' ').filter(k, k != '')"""
"""The labels of which something is required of preemptors and of victims."""

_LISTED: Final = """\
variables.required.map(r, {'rule': dyn(r.rule), 'values': dyn(
  ([r.mine] + r.selectors.map(s, s.theirs)).map(l, l.filter(q, q[0][0] in variables.keys)
    .map(q, q[2].map(v, q[0][0] + '=' + v).join(' ')).join(' ')).join(' ').split(' '))})"""

_POINTS: Final = """\
variables.keys.map(k, {'key': dyn(k), 'points': dyn(['-', '*'] +
  variables.listed.map(r, r.values.filter(v, v.startsWith(k + '=') &&
    variables.listed.filter(o, v in o.values)[0].rule == r.rule).map(v, v.substring(k.size())).join(' '))
    .join(' ').split(' ').filter(v, v != '') +
  variables.required.map(r, r.selectors.map(s, s.numbers.filter(n, n.key == k).map(n,
    '#0 #' + string(n.?minValue.orValue(0)) + ' #' + string(n.?maxValue.orValue(-1) + 1))
    .join(' ')).join(' ')).join(' ').split(' ').filter(v, v != ''))})"""
"""Of each label the values that selectors tell apart.

`-` is no label, `=v` the value v, `#n` the number n and those between it and the next one, `*` all others.
"""

_NUMBERS: Final = """\
variables.points.map(d, {'key': d.key, 'points': d.points, 'numbers': dyn(d.points.filter(p,
  p.matches('^[=#]0*[0-9]{1,10}$') && int(p.substring(1)) <= 2147483647))})"""
"""The same with those that are 32-bit integers."""


def _meets(required: str) -> str:
    return f"""\
{required}.all(q, q[0][0] != d.key || (
        q[1][0] == 'In' ? p.startsWith('=') && p.substring(1) in q[2] :
        q[1][0] == 'NotIn' ? !(p.startsWith('=') && p.substring(1) in q[2]) :
        (q[1][0] == 'Exists') == (p != '-')))"""


_SIDES: Final = f"""\
variables.required.map(r, {{'rule': r.rule, 'steps': dyn(r.selectors.map(s, {{'falls': s.falls,
  'sides': dyn(variables.numbers.map(d, {{'key': d.key,
    'mine': dyn(d.points.filter(p, {_meets("r.mine")} &&
      s.numbers.all(n, n.key != d.key || !has(n.comparison) || has(n.fallbackValue) || p in d.numbers))),
    'theirs': dyn(d.points.filter(p, {_meets("s.theirs")} &&
      s.numbers.all(n, n.key != d.key ||
        (p in d.numbers ? [int(p.substring(1))] : has(n.fallbackValue) ? [n.fallbackValue] : []).exists(i,
          i >= n.?minValue.orValue(i) && i <= n.?maxValue.orValue(i)))))}}))}})
  .filter(s, s.sides.all(d, d.mine != [] && d.theirs != [])))}})"""
"""Of each selector that can select, of each label: the values that preemptors and victims may have."""

_SETS: Final = """\
variables.sides.map(r, {'rule': r.rule, 'sets': dyn(r.steps.map(s,
  s.sides.filter(x, !x.mine.exists(p, p in x.theirs)).map(x,
    x.key + '|' + x.mine.join(',') + ' ' + x.key + '|' + variables.points.filter(d, d.key == x.key)[0]
      .points.filter(p, !(p in x.theirs)).join(',')).join(' '))
  .join(' ').split(' ').filter(m, m != ''))})"""
"""Of each rule the sets of values that may be a component: 1 with one of them, 0 with none."""

_MEMBERS: Final = """\
variables.points.map(d, {'key': d.key, 'sets': dyn(variables.sets.map(r, r.sets.filter(m,
  m.startsWith(d.key + '|') && variables.sets.filter(o, m in o.sets)[0].rule == r.rule).join(' '))
  .join(' ').split(' ').filter(m, m != ''))})"""
"""The same of each label."""

_STEPS_OF_RULES: Final = """\
variables.sides.map(r, {'rule': r.rule, 'steps': dyn(r.steps.map(s, s.falls + s.sides.map(x,
  variables.members.filter(d, d.key == x.key)[0].sets.map(m, [m.split('|')[1].split(',')].map(o,
    (x.mine.all(p, p in o) ? 1 : 0) + (o.exists(p, p in x.theirs) ? 0 : 1)).map(i,
    i == 2 ? m + ' LessThan' : i == 1 ? m + ' LessThanOrEqual' : '')[0])
    .filter(t, t != '')).filter(c, c != [])))})"""
"""Of each rule, of each selector: what falls, and which of the sets of values does.

It falls where every preemptor has one of the values and no victim has, and does not rise where one holds.
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
    found = {
        "fallbacks": _FALLBACKS,
        "required": _REQUIRED,
        "keys": _KEYS,
        "listed": _LISTED,
        "points": _POINTS,
        "numbers": _NUMBERS,
        "sides": _SIDES,
        "sets": _SETS,
        "members": _MEMBERS,
        "remaining0": f"variables.invalidNames != [] ? [] : ({steps}).filter(r, r.steps != [])",
    }
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
