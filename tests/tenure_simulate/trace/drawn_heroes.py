"""Random plays with heroes in trees of cohorts, under all readings of heroes that decide."""

from __future__ import annotations

from random import Random
from typing import Any, Final

from tenure.readings import CHOICES, PROOFS_ONLY, Reading, parse_reading
from tenure_play import Scenario, parse_scenario
from tests.tenure_simulate.trace.drawn import PRESETS
from tests.tenure_simulate.trace.drawn_trees import raw_in_trees

_TREES: Final = ("trees", "flavors", "resources", "both", "inactive")
HERO_KINDS: Final = tuple(f"heroes in {kind}" for kind in _TREES)
"""Each kind of trees without fair sharing, with heroes among its ClusterQueues."""
_READINGS: Final = (
    "hero_scope",
    "hero_precedence",
    "hero_billing",
    "accessible_rounding",
    "hero_lending",
    "hero_clamp",
)


def drawn_with_heroes(kind: str, seed: int, most: int) -> tuple[Scenario, Reading]:
    """A play and the reading under which it is played.

    Args:
        kind: one of `HERO_KINDS`.
        seed: what it is drawn from.
        most: how many jobs there are at most.
    """
    dice = Random(f"{kind} {seed}")
    raw = raw_in_trees(dice, kind.removeprefix("heroes in "), most)
    _make_heroes(dice, [given["spec"] for given in raw["objects"] if given["kind"] == "ClusterQueue"])
    return parse_scenario({"title": f"{kind}, seed {seed}", **raw}), _reading(dice)


def _make_heroes(dice: Random, specs: list[dict[str, Any]]) -> None:
    """Make some ClusterQueues heroes, one of those at least that have a cohort."""
    might = [spec for spec in specs if "cohortName" in spec]
    share = dice.choice((0.2, 0.4, 0.7))
    chosen = [spec for spec in might if dice.random() < share] or dice.sample(might, min(1, len(might)))
    for spec in chosen:
        spec["preemption"]["rules"] = "UberClusterQueueRules"


def _reading(dice: Random) -> Reading:
    """A preset, or one with other choices about heroes."""
    chosen: dict[str, object] = {"preset": dice.choice(PRESETS)}
    for key in _READINGS if dice.random() < 0.6 else ():
        every = [choice for choice in CHOICES[key] if choice != PROOFS_ONLY.get(key)]
        if dice.random() < 0.5:
            chosen[key] = dice.choice(every).name.lower()
    return parse_reading(chosen)
