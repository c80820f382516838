"""PreemptionConfigs for the API server: the definition of their kind, and random ones, right and wrong."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from tenure.manifests.served import INT32, Fields, Items, Named, Number, Shape, Text, Word
from tenure.model import CandidateScope, Comparison, Trigger
from tenure.validation.preemption_config import SPEC
from tests.live.server import Object

Part: TypeAlias = dict[str, Any]

ALPHA: Final = "kueue.x-k8s.io/v1alpha1"
COMPARISONS: Final = tuple(Comparison.labelled())
KEYS: Final = ("nodes", "gpus", "example.com/weight")
LABEL_KEYS: Final = (
    *("team", "a_b", "x" * 63, "a.b/team", f"{'a' * 253}/x"),
    *("", "é", "-team", "team.", "team\n", "x" * 64, "/x", "a/", "a/b/c"),
    *("A/team", "a-/x", "a\n/x", "a..b/team", f"{'a' * 254}/x"),
)
"""Right ones first."""
LABEL_VALUES: Final = ("low", "", "Low_1.x", "x" * 63, "-low", "low.", "a b", "x" * 64, "a/b", "low\n")
"""The same."""


def definition() -> Object:
    """The CustomResourceDefinition of PreemptionConfig, with the shape that `tenure validate` demands.

    It has no validation rules: what one field demands of another is left to the policy.
    """
    schema = {"type": "object", "properties": {"spec": _schema(SPEC)}}
    version = {"name": "v1alpha1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    kind = "PreemptionConfig"
    names = {"kind": kind, "listKind": f"{kind}List", "plural": "preemptionconfigs", "singular": kind.lower()}
    approved = {"api-approved.kubernetes.io": "unapproved, experimental-only"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "preemptionconfigs.kueue.x-k8s.io", "annotations": approved},
        "spec": {
            "group": "kueue.x-k8s.io",
            "scope": "Cluster",
            "names": names,
            "versions": [version],
        },
    }


def _schema(shape: Shape) -> Object:
    if isinstance(shape, Fields):
        fields = {name: _schema(field) for name, field in shape.fields.items()}
        return {"type": "object", "properties": fields, **_set(required=list(shape.required))}
    if isinstance(shape, Named):
        return {"type": "object", "additionalProperties": _schema(shape.value)}
    if isinstance(shape, Items):
        keys = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": list(shape.key)}
        unique = keys if shape.key else {}
        return {"type": "array", "items": _schema(shape.item), **_set(maxItems=shape.most), **unique}
    if isinstance(shape, Word):
        return {"type": "string", "enum": list(shape.words)}
    if isinstance(shape, Number):
        return {"type": "integer", "minimum": shape.least, "maximum": INT32[1]}
    assert isinstance(shape, Text), shape
    lengths = _set(maxLength=shape.longest, minLength=shape.shortest, pattern=shape.pattern)
    return {"type": "string", **lengths}


def _set(**fields: object) -> Object:
    return {name: value for name, value in fields.items() if value}


def a_config(rules: list[Part], name: str = "drawn") -> Object:
    """A PreemptionConfig."""
    spec = {"rules": rules}
    return {"apiVersion": ALPHA, "kind": "PreemptionConfig", "metadata": {"name": name}, "spec": spec}


def a_rule(name: str, *selectors: Part) -> Part:
    """A rule of trigger Always."""
    return {"name": name, "activationPolicy": {"trigger": "Always"}, "candidateSelectors": list(selectors)}


def selecting(**parts: Any) -> Part:
    """A candidate selector of scope WithinCohortTree."""
    return {"scope": "WithinCohortTree", **parts}


def drawn(draw: random.Random) -> Object:
    """A random PreemptionConfig, mutated up to three times.

    Its rules follow one order of components, or require something else of preemptors than of victims, so that
    many have a measure before they are mutated.
    """
    order: list[str] = draw.sample(["Base", "Boosted", *KEYS], draw.randint(1, 4))
    rules = [
        {**a_rule(f"r{place}", *_selectors(draw, order)), "activationPolicy": {"trigger": _trigger(draw)}}
        for place in range(draw.randint(1, 4))
    ]
    if draw.random() < 0.5:
        _one_way(draw, rules)
    for _ in range(draw.choice((0, 1, 1, 1, 2, 3))):
        draw.choice(MUTATIONS)(draw, rules)
    return a_config(rules)


def _trigger(draw: random.Random) -> str:
    return draw.choice([*Trigger.labelled()])


def _selectors(draw: random.Random, order: list[str]) -> Iterator[Part]:
    for _ in range(draw.choice((0, 1, 1, 1, 2, 3))):
        selector: Part = {"scope": draw.choice([*CandidateScope.labelled()])}
        last = draw.randrange(len(order))
        numbers = []
        for place, component in enumerate(order[: last + 1]):
            word = "LessThan" if place == last else "LessThanOrEqual"
            if component in KEYS:
                numbers.append(_number(draw, component, word))
            elif "priority" not in selector:
                selector["priority"] = {"mode": component, "comparison": word}
        if numbers:
            selector["numericLabels"] = numbers
        yield selector


def _one_way(draw: random.Random, rules: list[Part]) -> None:
    """Require of preemptors in most rules what most victims may not have."""
    kind = draw.choice(("team", "class", "nodes"))
    for rule in rules:
        if draw.random() < 0.8:
            _require(draw, kind, rule, "preemptor", mine=draw.random() < 0.9)
        for selector in rule["candidateSelectors"]:
            if draw.random() < 0.6:
                selector.pop(draw.choice(("priority", "numericLabels")), None)
            if draw.random() < 0.8:
                _require(draw, kind, selector, "victim", mine=draw.random() < 0.1)


def _require(draw: random.Random, kind: str, part: Part, side: str, *, mine: bool) -> None:
    """Require a label or the name of a priority class, or others than that."""
    if kind == "class":
        names = (
            {"matchNames": ["gold"]}
            if mine
            else draw.choice(
                (
                    {"notMatchNames": ["gold"]},
                    {"matchNames": ["batch", "plain"]},
                    {"matchNames": ["gold", "plain"]},
                )
            )
        )
        name = "preemptorPriorityClassSelector" if side == "preemptor" else "priority"
        part[name] = {**part.get(name, {}), **names}
        return
    if kind == "nodes" and side == "victim" and not mine and draw.random() < 0.6:
        bounds = draw.choice(({"maxValue": 7}, {"maxValue": 8}, {"minValue": 3, "maxValue": 7}, {}))
        fallback = draw.choice(({}, {"fallbackValue": 0}, {"fallbackValue": 16}))
        part["numericLabels"] = [*part.get("numericLabels", ()), {"key": "nodes", **bounds, **fallback}]
        return
    values = ["8", "016"] if kind == "nodes" else ["low", "x"]
    operator = draw.choice(("In", "In", "Exists") if mine else ("NotIn", "DoesNotExist"))
    requirement = {"key": kind, "operator": operator, **({"values": values} if "In" in operator else {})}
    name = "preemptorSelector" if side == "preemptor" else "labelSelector"
    part[name] = {"matchExpressions": [requirement]}
    if operator == "In" and draw.random() < 0.3:
        part[name] = {"matchLabels": {kind: values[0]}}


def _number(draw: random.Random, key: str, word: str) -> Part:
    fallback = draw.choice((None, None, 0, 0, 7))
    return {"key": key, "comparison": word, **({} if fallback is None else {"fallbackValue": fallback})}


Mutation: TypeAlias = Callable[[random.Random, list[Part]], None]


def _label_selector(draw: random.Random, rules: list[Part]) -> None:
    """Give a rule a label selector of one requirement, right or wrong."""
    key = draw.choice(LABEL_KEYS)
    value = draw.choice(LABEL_VALUES)
    operator = draw.choice(("In", "NotIn", "Exists", "DoesNotExist", "Notin", "", "Gt"))
    values = draw.choice((None, [], [value], [value, "b"], [value]))
    expression = {"key": key, "operator": operator, **({} if values is None else {"values": values})}
    mildly = {"key": "team", "operator": "In", "values": [value]}
    selector = draw.choice(
        (
            {"matchExpressions": [expression]},
            {"matchExpressions": [mildly, {"key": key, "operator": "Exists"}]},
            {"matchLabels": {key: "low"}},
            {"matchLabels": {"team": value}},
            {"matchLabels": {"team": "low"}, "matchExpressions": []},
            {},
        )
    )
    rule = draw.choice(rules)
    place = draw.choice(("preemptorSelector", "clusterQueueSelector", "labelSelector"))
    if place == "preemptorSelector":
        rule[place] = selector
    elif rule["candidateSelectors"]:
        draw.choice(rule["candidateSelectors"])[place] = selector


def _in_a_selector(change: Callable[[random.Random, Part], None]) -> Mutation:
    def mutate(draw: random.Random, rules: list[Part]) -> None:
        selectors = [selector for rule in rules for selector in rule["candidateSelectors"]]
        if selectors:
            change(draw, draw.choice(selectors))

    return mutate


def _priority(draw: random.Random, selector: Part) -> None:
    modes, words = (None, "Base", "Boosted", "Boosted"), (None, *COMPARISONS, "Less")
    names: Part = draw.choice(({}, {}, {"matchNames": ["batch"]}, {"notMatchNames": []}))
    selector["priority"] = {
        **{
            name: word
            for name, word in (("mode", draw.choice(modes)), ("comparison", draw.choice(words)))
            if word is not None
        },
        **names,
    }


def _numeric_label(draw: random.Random, selector: Part) -> None:
    number = _number(draw, draw.choice(KEYS), draw.choice(COMPARISONS))
    if draw.random() < 0.2:
        del number["comparison"]
    if draw.random() < 0.4:
        bounds: Mapping[str, int] = {name: draw.choice((0, 3, 4, 9, -1)) for name in ("minValue", "maxValue")}
        number.update(draw.sample([*bounds.items()], draw.randint(1, 2)))
    draw.choice((list.append, _put_first))(selector.setdefault("numericLabels", []), number)


def _put_first(numbers: list[Part], number: Part) -> None:
    numbers[:1] = [number]


def _compared_otherwise(draw: random.Random, selector: Part) -> None:
    compared = [*selector.get("numericLabels", ()), selector.get("priority", {})]
    draw.choice(compared)["comparison"] = draw.choice(COMPARISONS)


def _without_comparisons(draw: random.Random, selector: Part) -> None:
    selector.pop(draw.choice(("numericLabels", "priority", "scope")), None)


def _name(draw: random.Random, rules: list[Part]) -> None:
    draw.choice(rules)["name"] = draw.choice(("r0", "hero", "Hero", "x" * 64, "-x"))


MUTATIONS: Final[tuple[Mutation, ...]] = (
    _label_selector,
    _label_selector,
    _in_a_selector(_priority),
    _in_a_selector(_numeric_label),
    _in_a_selector(_compared_otherwise),
    _in_a_selector(_without_comparisons),
    _name,
)
