"""Random plays in trees of cohorts with limits: several flavors and resources, inactive ClusterQueues."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, Final

from tenure.readings import Reading, preset
from tenure_play import Scenario, parse_scenario
from tests.tenure_simulate.trace.drawn import MOST_CYCLES, PRESETS, preemption_of, timing_of

KINDS: Final = ("trees", "flavors", "resources", "both", "inactive", "fair", "fair both")
"""Cohorts in cohorts and several trees, of one flavor-resource; with several flavors; with several resources;
with both; with both and ClusterQueues that are inactive; with fair sharing, of one flavor-resource and with
both."""
_RESOURCES: Final = ("nvidia.com/gpu", "memory", "example.com/nic")
_GATES: Final = ("MayStopSearch", "TryNextFlavor")
_STRATEGIES: Final = ("LessThanOrEqualToFinalShare", "LessThanInitialShare")
_WEIGHTS: Final = ("1", "1", "1", "2", "0.5", "3", "0")


def drawn_in_trees(kind: str, seed: int, most: int) -> tuple[Scenario, Reading]:
    """A play and the reading under which it is played.

    Args:
        kind: one of `KINDS`.
        seed: what it is drawn from.
        most: how many jobs there are at most.
    """
    raw, reading = written_in_trees(kind, seed, most)
    return parse_scenario(raw), reading


def written_in_trees(kind: str, seed: int, most: int) -> tuple[dict[str, Any], Reading]:
    """The same, as the scenario is written."""
    dice = Random(f"{kind} {seed}")
    raw = raw_in_trees(dice, kind, most)
    return {"title": f"{kind}, seed {seed}", **raw}, preset(dice.choice(PRESETS))


def raw_in_trees(dice: Random, kind: str, most: int) -> dict[str, Any]:
    """A play as it is written, except for its title.

    Args:
        dice: what it is drawn from.
        kind: one of `KINDS`.
        most: how many jobs there are at most.
    """
    several, fair = kind in ("both", "inactive", "fair both"), kind.startswith("fair")
    flavors = [f"f{number}" for number in range(dice.randint(2, 3) if several or kind == "flavors" else 1)]
    resources = _RESOURCES[: dice.randint(2, 3) if several or kind == "resources" else 1]
    span, queues = dice.choice([60, 600, 3600]), dice.randint(2, 6)
    cohorts = _cohorts(dice, flavors, resources)
    names = [cohort["metadata"]["name"] for cohort in cohorts]
    raw: dict[str, Any] = {
        "until": f"{span * 3 + dice.randint(0, 999)}s",
        "objects": [
            *({"kind": "ResourceFlavor", "metadata": {"name": name}} for name in flavors),
            *cohorts,
            *_queues(dice, queues, names, flavors, resources, kind == "inactive"),
        ],
        "events": [_event(dice, number, span, queues, resources) for number in range(dice.randint(5, most))],
        "maxCycles": MOST_CYCLES,
        "timing": timing_of(dice),
    }
    if fair:
        raw["objects"] += _fair_sharing(dice, raw["objects"])
    return raw


def _fair_sharing(dice: Random, objects: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The Configuration of a scheduler with fair sharing; most cohorts and ClusterQueues get a weight."""
    for owner in objects:
        if owner["kind"] in ("Cohort", "ClusterQueue") and dice.random() < 0.7:
            owner["spec"]["fairSharing"] = {"weight": dice.choice(_WEIGHTS)}
    strategies = dice.choice((_STRATEGIES, _STRATEGIES[:1], _STRATEGIES[1:]))
    header = {"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration"}
    gates = {"FairSharingPreemptWithinNominal": dice.random() < 0.7}
    return [{**header, "fairSharing": {"preemptionStrategies": list(strategies)}, "featureGates": gates}]


def _cohorts(dice: Random, flavors: Sequence[str], resources: Sequence[str]) -> list[dict[str, Any]]:
    """One or two trees, up to three cohorts deep; some have quota and limits of their own."""
    found: list[dict[str, Any]] = []
    for number in range(dice.randint(1, 4)):
        above = dice.choice(found)["metadata"]["name"] if found and dice.random() < 0.85 else None
        spec: dict[str, Any] = {} if above is None else {"parentName": above}
        if dice.random() < 0.6:
            spec["resourceGroups"] = _groups(dice, flavors, resources, limited=above is not None, most=2)
        found.append({"kind": "Cohort", "metadata": {"name": f"c{number}"}, "spec": spec})
    return found


def _queues(
    dice: Random,
    number: int,
    cohorts: Sequence[str],
    flavors: Sequence[str],
    resources: Sequence[str],
    inactive: bool,
) -> list[dict[str, Any]]:
    found = []
    within = dice.choice(("Never", "LowerPriority", "LowerOrNewerEqualPriority"))
    for place in range(number):
        cohort = dice.choice(cohorts) if dice.random() < 0.93 else None
        spec: dict[str, Any] = {
            "preemption": preemption_of(
                dice,
                within if dice.random() < 0.8 else "LowerPriority",
                dice.choice(("Any", "Any", "LowerPriority", "Never")),
            ),
            "resourceGroups": _groups(dice, flavors, resources, limited=cohort is not None, most=6),
            "flavorFungibility": {
                "whenCanBorrow": dice.choice(_GATES),
                "whenCanPreempt": dice.choice(_GATES),
            },
        }
        if cohort is not None:
            spec["cohortName"] = cohort
        if dice.random() < 0.3:
            spec["flavorFungibility"] = {
                "whenCanBorrow": "TryNextFlavor",
                "whenCanPreempt": "TryNextFlavor",
                "preference": "PreemptionOverBorrowing",
            }
        if dice.random() < 0.15:
            spec["queueingStrategy"] = "StrictFIFO"
        if inactive and dice.random() < 0.3:
            spec["stopPolicy"] = "Hold"
        local = {"namespace": "default", "name": f"q{place}"}
        found.append({"kind": "ClusterQueue", "metadata": {"name": f"q{place}"}, "spec": spec})
        found.append({"kind": "LocalQueue", "metadata": local, "spec": {"clusterQueue": f"q{place}"}})
    return found


def _groups(
    dice: Random, flavors: Sequence[str], resources: Sequence[str], *, limited: bool, most: int
) -> list[dict[str, Any]]:
    """One group of all resources, or one for each of them; flavors in any order, and not always all."""
    apart = len(resources) > 1 and len(flavors) > 1 and dice.random() < 0.5
    if not apart:
        return [_group(dice, dice.sample(flavors, dice.randint(1, len(flavors))), resources, limited, most)]
    parts = [flavors[:1], flavors[1:]]
    return [
        _group(dice, part, covered, limited, most)
        for part, covered in zip(parts, (resources[:1], resources[1:]), strict=True)
    ]


def _group(
    dice: Random, flavors: Sequence[str], resources: Sequence[str], limited: bool, most: int
) -> dict[str, Any]:
    def quota(resource: str) -> dict[str, Any]:
        found: dict[str, Any] = {"name": resource, "nominalQuota": dice.randint(0, most)}
        if limited and dice.random() < 0.3:
            found["borrowingLimit"] = dice.randint(0, 4)
        if limited and dice.random() < 0.3:
            found["lendingLimit"] = dice.randint(0, found["nominalQuota"])
        return found

    quotas = [{"name": flavor, "resources": [quota(name) for name in resources]} for flavor in flavors]
    return {"coveredResources": list(resources), "flavors": quotas}


def _event(dice: Random, number: int, span: int, queues: int, resources: Sequence[str]) -> dict[str, Any]:
    asked = dice.sample(resources, dice.randint(1, len(resources))) if dice.random() < 0.3 else resources
    submit: dict[str, Any] = {
        "name": f"j{dice.randint(0, 10**6)}x{number}",
        "queue": f"q{dice.randrange(queues)}",
        "requests": {name: dice.choice([1, 1, 1, 2, 2, 4]) for name in asked},
        "priority": dice.choice([0, 0, 0, 1, -1]),
        "progress": dice.choice(["kept", "lost"]),
    }
    if dice.random() < 0.95:
        submit["work"] = f"{dice.choice([1, 10, 60, 300, 1200]) * dice.randint(1, 3)}s"
    return {"at": f"{dice.randint(0, span)}s", "submit": submit}
