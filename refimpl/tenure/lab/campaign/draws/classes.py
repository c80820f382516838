"""Classes whose priority grows (KEP-754)."""

from __future__ import annotations

from tenure.lab.strategies.dice import Dice
from tenure.model import MINUTE, DynamicPriorityPolicy, WorkloadPriorityClass

NAMES = ("aging", "patient")
PATHS = ("dynamicPriorityPolicy", "spec.dynamicPriorityPolicy")
POLICIES = (
    *(DynamicPriorityPolicy(1, 3, 15 * MINUTE), DynamicPriorityPolicy(2, 2, 40 * MINUTE)) * 5,
    *(DynamicPriorityPolicy(1, 2, 7 * MINUTE), DynamicPriorityPolicy(0, 1, MINUTE)) * 5,
    *(DynamicPriorityPolicy(1, 3, 10 * MINUTE), DynamicPriorityPolicy(1, 2, 599_999_999_999)) * 5,
    # What `guaranteed` refuses; few, since a decision that is refused says little.
    DynamicPriorityPolicy(-1, 3, 10 * MINUTE),
    DynamicPriorityPolicy(1, None, 10 * MINUTE),
)


def draw_classes(dice: Dice) -> dict[str, WorkloadPriorityClass]:
    """Every class, by name.

    >>> list(draw_classes(Dice(b"")))
    ['aging', 'patient']
    """
    return {
        name: WorkloadPriorityClass(name, dice.pick((0, 1, 0, -1)), dice.pick(POLICIES), dice.pick(PATHS))
        for name in NAMES
    }
