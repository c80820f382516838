"""What ties pods to flavors."""

from __future__ import annotations

from typing import Any

from tenure.lab.strategies.dice import Dice
from tenure.lab.strategies.flavors import EXPRESSIONS, SELECTORS, TOLERATIONS
from tenure.model import NodeOperator, NodeRequirement, Toleration

OPERATORS = {
    "In": NodeOperator.IN,
    "NotIn": NodeOperator.NOT_IN,
    "Exists": NodeOperator.EXISTS,
    "DoesNotExist": NodeOperator.DOES_NOT_EXIST,
}
REQUIREMENTS = tuple(
    NodeRequirement(each["key"], OPERATORS[each["operator"]], tuple(each.get("values", ())))
    for each in EXPRESSIONS
)
TOLERATED = tuple(
    Toleration(each.get("key"), each["operator"] == "Exists", each.get("value", ""), each.get("effect"))
    for each in TOLERATIONS
)


def draw_constraints(dice: Dice, constrained: bool) -> dict[str, Any]:
    """Fields of a PodSet: node selector, required affinity and tolerations.

    >>> draw_constraints(Dice(b""), True)
    {}
    """
    if not constrained:
        return {}
    kind = dice.up_to(13)
    fields: dict[str, Any] = {}
    if kind in (4, 9):
        fields["node_selector"] = dice.pick(SELECTORS)
    if kind in (5, 6, 7):
        fields["node_affinity"] = tuple(_term(dice) for _ in range(2 if kind == 7 else 1))
    if kind in (3, 6, 8, 9):
        fields["tolerations"] = (dice.pick(TOLERATED),)
    return fields


def _term(dice: Dice) -> tuple[NodeRequirement, ...]:
    return tuple(dice.pick(REQUIREMENTS) for _ in range(dice.pick((1, 1, 2))))
