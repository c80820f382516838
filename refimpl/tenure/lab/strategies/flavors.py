"""ResourceFlavors, and what ties pods to some of them."""

from __future__ import annotations

from dataclasses import dataclass

from tenure.lab.strategies.dice import Dice
from tenure.lab.strategies.objects import Object, object_of
from tenure.lab.strategies.options import Feature, Options

POOL = "pool"
TIER = "tier"
TAINT = {"key": "dedicated", "value": "batch", "effect": "NoSchedule"}
TAINTS: tuple[Object, ...] = (
    TAINT,
    {"key": "spot", "value": "", "effect": "NoExecute"},
    {**TAINT, "effect": "PreferNoSchedule"},
)
TOLERATIONS: tuple[Object, ...] = (
    {"key": "dedicated", "operator": "Equal", "value": "batch", "effect": "NoSchedule"},
    {"operator": "Exists"},
    {"key": "dedicated", "operator": "Exists"},
    {"key": "spot", "operator": "Exists", "effect": "NoExecute"},
    {"key": "dedicated", "operator": "Equal", "value": "other"},
    {"key": "spot", "operator": "Exists", "effect": "NoSchedule"},
)
EXPRESSIONS: tuple[Object, ...] = (
    {"key": POOL, "operator": "In", "values": ["f1"]},
    {"key": POOL, "operator": "In", "values": ["f0", "f2"]},
    {"key": POOL, "operator": "NotIn", "values": ["f0"]},
    {"key": POOL, "operator": "Exists"},
    {"key": POOL, "operator": "DoesNotExist"},
    {"key": TIER, "operator": "DoesNotExist"},
    {"key": TIER, "operator": "Exists"},
    {"key": TIER, "operator": "NotIn", "values": ["gold"]},
    {"key": "zone", "operator": "In", "values": ["a"]},
)
SELECTORS: tuple[dict[str, str], ...] = (
    {POOL: "f1"},
    {POOL: "f0"},
    {TIER: "gold"},
    {"zone": "a"},
    {POOL: "f0", TIER: "gold"},
)


@dataclass(frozen=True, slots=True)
class Flavors:
    """The ResourceFlavors of a scenario.

    Args:
        objects: the API objects.
        constrained: whether labels and taints play a part.
    """

    objects: list[Object]
    constrained: bool


def draw_flavors(dice: Dice, options: Options, names: list[str]) -> Flavors:
    """Draw a ResourceFlavor for each name.

    >>> [each["spec"] for each in draw_flavors(Dice(b""), Options(), ["f0"]).objects]
    [{}]
    """
    constrained = options.has(Feature.TAINTS) and dice.chance(25)
    specs = [_constrained_spec(dice, name) if constrained else {} for name in names]
    objects = [object_of("ResourceFlavor", name, spec) for name, spec in zip(names, specs, strict=True)]
    return Flavors(objects, constrained)


def _constrained_spec(dice: Dice, name: str) -> Object:
    spec: Object = {}
    # One draw for both: labels in half of the cases, a tier in a quarter; taints in a quarter.
    choice = dice.up_to(95)
    labels, taint = choice % 8, choice // 8
    if labels >= 4:
        spec["nodeLabels"] = {POOL: name, **({TIER: "gold"} if labels >= 6 else {})}
    if taint >= 9:
        spec["nodeTaints"] = [TAINTS[(taint - 9) % len(TAINTS)]]
    if taint == 11:
        spec["tolerations"] = [TOLERATIONS[0]]
    return spec


def draw_constraints(dice: Dice) -> Object:
    """Draw what ties a pod to nodes, and what it tolerates, as fields of its spec.

    >>> draw_constraints(Dice(b""))
    {}
    """
    kind = dice.up_to(13)
    spec: Object = {}
    if kind in (4, 9):
        spec["nodeSelector"] = dict(dice.pick(SELECTORS))
    if kind in (5, 6, 7):
        spec["affinity"] = _required(_terms(dice, two=kind == 7))
    if kind in (3, 6, 8, 9):
        spec["tolerations"] = [dict(dice.pick(TOLERATIONS))]
    return spec


def _terms(dice: Dice, *, two: bool) -> list[Object]:
    first = {"matchExpressions": [dict(dice.pick(EXPRESSIONS))]}
    if not two:
        return [first]
    if dice.chance(50):
        first["matchExpressions"].append(dict(dice.pick(EXPRESSIONS)))
        return [first]
    return [first, {"matchExpressions": [dict(dice.pick(EXPRESSIONS))]}]


def _required(terms: list[Object]) -> Object:
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    return {"nodeAffinity": required}
