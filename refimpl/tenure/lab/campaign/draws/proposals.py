"""What the proposals add: durations, heroes, and the reading that decides."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from tenure.lab.strategies.dice import Dice
from tenure.model import SECOND, Duration, PreemptionRules
from tenure.readings import CHOICES, PROOFS_ONLY, Reading, preset, preset_names

DURATIONS: tuple[Duration, ...] = tuple(each * SECOND for each in (600, 300, 900, 600, 60, 599, 601, 3600, 0))
"""Most end exactly when a reservation of the tables is that old."""


@dataclass(frozen=True, slots=True)
class Proposals:
    """Which of them a scenario uses.

    Args:
        durations: KEP-8522.
        ageing: KEP-754.
        heroes: KEP-8826.
        fate: the draws.
    """

    durations: bool
    ageing: bool
    heroes: bool
    fate: Dice

    def min_admit_duration(self, *, target: bool) -> Duration | None:
        """Of a ClusterQueue, ns; None for one without."""
        if not (self.durations and self.fate.chance(95 if target else 60)):
            return None
        return self.fate.pick(DURATIONS)

    def rules(self, *, target: bool) -> PreemptionRules:
        """Of a ClusterQueue."""
        if self.heroes and self.fate.chance(60 if target else 35):
            return PreemptionRules.UBER_CLUSTER_QUEUE
        return PreemptionRules.DEFAULT


def draw_reading(dice: Dice) -> Reading:
    """A preset; in every third scenario with a choice or two that are another's.

    >>> draw_reading(Dice(b"")).name
    'guaranteed'
    """
    name = dice.pick(("guaranteed", "guaranteed", *preset_names()))
    if not dice.chance(35):
        return preset(name)
    changed: dict[str, Any] = dict(dice.pick(_choices()) for _ in range(dice.pick((1, 2))))
    return replace(preset(name), name="custom", **changed)


@cache
def _choices() -> tuple[tuple[str, Any], ...]:
    """Every key with every choice that a decision may be made under."""
    return tuple(
        (key, choice)
        for key, members in CHOICES.items()
        for choice in members
        if choice is not PROOFS_ONLY.get(key)
    )
