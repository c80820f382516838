"""What the scheduler is configured with."""

from __future__ import annotations

from tenure.lab.strategies.dice import Dice
from tenure.model import FairStrategy, RequeuingTimestamp, Settings

_FINAL, _INITIAL = FairStrategy.LESS_THAN_OR_EQUAL_TO_FINAL_SHARE, FairStrategy.LESS_THAN_INITIAL_SHARE
STRATEGIES = ((_FINAL, _INITIAL), (_FINAL, _INITIAL), (_FINAL,), (_INITIAL,))


def draw_settings(dice: Dice) -> Settings:
    """Fair sharing or not, and now and then a feature gate that is not at its default.

    >>> draw_settings(Dice(b"")).fair_sharing is None
    True
    """
    unusual = dice.chance(30)
    return Settings(
        time_based_preemption=not (unusual and dice.chance(15)),
        requeuing_timestamp=dice.pick((RequeuingTimestamp.EVICTION, RequeuingTimestamp.CREATION)),
        fair_sharing=dice.pick(STRATEGIES) if dice.chance(45) else None,
        priority_boost=unusual and dice.chance(30),
        priority_sorting_within_cohort=not (unusual and dice.chance(20)),
        fair_sharing_preempt_within_nominal=not (unusual and dice.chance(20)),
        flavor_fungibility=not (unusual and dice.chance(20)),
        partial_admission=not (unusual and dice.chance(20)),
    )
