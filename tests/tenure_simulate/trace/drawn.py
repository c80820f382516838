"""Random plays of what the trace engine covers: one cohort, one resource, all policies and readings."""

from __future__ import annotations

from random import Random
from typing import Any

from tenure.readings import Reading, preset
from tenure_play import Scenario, parse_scenario

MOST_CYCLES = 50_000
"""Of a play, at most: one in which jobs preempt each other without end is left out."""
PRESETS = ("guaranteed", "as-written", "released")
_WITHIN = ("Never", "LowerPriority", "LowerOrNewerEqualPriority", "LowerOrNewerEqualPriority", "mixed")
_RECLAIM = ("Any", "Any", "LowerPriority", "Never", "mixed")


def drawn(seed: int, most: int) -> tuple[Scenario, Reading]:
    """A play and the reading under which it is played.

    Args:
        seed: what it is drawn from.
        most: how many jobs there are at most.
    """
    raw, reading = written(seed, most)
    return parse_scenario(raw), reading


def written(seed: int, most: int) -> tuple[dict[str, Any], Reading]:
    """The same, as the scenario is written."""
    dice = Random(seed)
    queues = dice.randint(1, 5)
    span = dice.choice([60, 600, 3600, 7200])
    raw: dict[str, Any] = {
        "title": f"seed {seed}",
        "until": f"{span * 3 + dice.randint(0, 999)}s",
        "objects": [{"kind": "ResourceFlavor", "metadata": {"name": "gpu"}}, *_queues(dice, queues)],
        "events": [_event(dice, number, span, queues) for number in range(dice.randint(5, most))],
        "maxCycles": MOST_CYCLES,
        "timing": timing_of(dice),
    }
    return raw, preset(dice.choice(PRESETS))


def timing_of(dice: Random) -> dict[str, Any]:
    """How long evictions, wakes and cycles take."""
    return {
        "eviction": f"{dice.choice([1, 5, 30, 0.25])}s",
        "retry": dice.choice(["1s", "1s", "0s", "10ms", "5s"]),
        "cycle": dice.choice(["10ms", "10ms", "100ms", "2s"]),
    }


def _queues(dice: Random, number: int) -> list[dict[str, Any]]:
    within, reclaim = dice.choice(_WITHIN), dice.choice(_RECLAIM)
    found = []
    for place in range(number):
        own = dice.choice(_WITHIN[:3]) if within == "mixed" else within
        others = dice.choice(("Any", "LowerPriority", "Never")) if reclaim == "mixed" else reclaim
        spec: dict[str, Any] = {
            "cohortName": "all",
            "preemption": preemption_of(dice, own, others),
            "resourceGroups": [
                {
                    "coveredResources": ["nvidia.com/gpu"],
                    "flavors": [{"name": "gpu", "resources": [_quota(dice)]}],
                }
            ],
        }
        if dice.random() < 0.15:
            spec["queueingStrategy"] = "StrictFIFO"
        local = {"namespace": "default", "name": f"q{place}"}
        found.append({"kind": "ClusterQueue", "metadata": {"name": f"q{place}"}, "spec": spec})
        found.append({"kind": "LocalQueue", "metadata": local, "spec": {"clusterQueue": f"q{place}"}})
    return found


def preemption_of(dice: Random, within: str, reclaim: str) -> dict[str, Any]:
    """The preemption of a ClusterQueue, its durations and what it takes while it borrows."""
    found: dict[str, Any] = {"withinClusterQueue": within, "reclaimWithinCohort": reclaim}
    if within == "LowerOrNewerEqualPriority" and dice.random() < 0.75:
        duration = dice.choice(["1m", "2m", "5m", "20m"])
        found["withinClusterQueueConfig"] = {"minAdmitDuration": duration}
    if reclaim != "Never" and dice.random() < 0.25:
        found["borrowWithinCohort"] = {"policy": "LowerPriority"}
        if dice.random() < 0.5:
            found["borrowWithinCohort"]["maxPriorityThreshold"] = dice.randint(-1, 2)
    return found


def _quota(dice: Random) -> dict[str, Any]:
    found: dict[str, Any] = {"name": "nvidia.com/gpu", "nominalQuota": dice.randint(0, 8)}
    if dice.random() < 0.25:
        found["borrowingLimit"] = dice.randint(0, 6)
    if dice.random() < 0.25:
        found["lendingLimit"] = dice.randint(0, found["nominalQuota"])
    return found


def _event(dice: Random, number: int, span: int, queues: int) -> dict[str, Any]:
    at = f"{dice.randint(0, span)}" + (f".{dice.randint(0, 999):03}" if dice.random() < 0.1 else "")
    submit: dict[str, Any] = {
        "name": f"j{dice.randint(0, 10**6)}x{number}",
        "queue": f"q{dice.randrange(queues)}",
        "requests": {"nvidia.com/gpu": dice.choice([1, 1, 2, 3, 4, 8])},
        "priority": dice.choice([0, 0, 0, 1, -1]),
        "progress": dice.choice(["kept", "lost"]),
    }
    if dice.random() < 0.95:
        submit["work"] = f"{dice.choice([1, 10, 60, 300, 1200, 5000]) * dice.randint(1, 3)}s"
    return {"at": f"{at}s", "submit": submit}
