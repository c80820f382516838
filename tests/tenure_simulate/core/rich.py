"""Scenarios in which heroes use much and queues lend little, which drawn ones seldom have."""

from __future__ import annotations

import random
from typing import Any

Object = dict[str, Any]


def enriched(scenario: Object, dice: random.Random) -> Object:
    """The scenario with workloads moved to its heroes, and with lending limits; changed in place.

    Args:
        scenario: a drawn request.
        dice: what decides which.
    """
    heroes = [item["metadata"]["name"] for item in scenario["clusterQueues"] if _is_hero(item)]
    for item in scenario["admitted"]:
        if heroes and dice.random() < 0.5:
            item["status"]["admission"]["clusterQueue"] = dice.choice(heroes)
    for owner in (*scenario["clusterQueues"], *scenario["cohorts"]):
        for resource in _resources(owner):
            if dice.random() < 0.5:
                resource["lendingLimit"] = dice.choice(("0", "1", "2"))
    return scenario


def _is_hero(queue: Object) -> bool:
    spec = queue["spec"]
    return bool(spec.get("cohort") or spec.get("cohortName")) and "rules" in spec.get("preemption", {})


def _resources(owner: Object) -> list[Object]:
    groups = owner.get("spec", {}).get("resourceGroups", ())
    return [item for group in groups for flavor in group["flavors"] for item in flavor["resources"]]
