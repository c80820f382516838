"""Random plays of what moves priorities: classes that grow with time, alone, in trees, and beside boosts."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any, Final

from tenure.readings import InvalidClass, PrioritySteps, Reading, Wake
from tenure_play import Scenario, parse_scenario
from tests.tenure_simulate.trace.drawn import written
from tests.tenure_simulate.trace.drawn_trees import written_in_trees

GROWING: Final = ("growing", "growing trees", "growing both", "boosted", "growing boosted", "growing fair")
"""Classes that grow, in one cohort; in trees; with several flavors and resources; boosts; both; and classes
that grow under fair sharing."""
_BOOST: Final = "kueue.x-k8s.io/priority-boost"
_START: Final = "2026-01-05T08:59:58Z"


def drawn_growing(kind: str, seed: int, most: int) -> tuple[Scenario, Reading]:
    """A play and the reading under which it is played.

    Args:
        kind: one of `GROWING`.
        seed: what it is drawn from.
        most: how many jobs there are at most.
    """
    dice = Random(f"{kind} {seed}")
    place = kind.removeprefix("growing ")
    raw, reading = (
        written_in_trees(place, seed, most) if place in ("trees", "both", "fair") else written(seed, most)
    )
    raw["title"] = f"{kind}, seed {seed}"
    if reading.invalid_class == InvalidClass.COMPUTE:
        # No preset computes priorities that fall, and wakes what waits for that.
        wake, counting = dice.choice(list(Wake)), dice.choice(list(PrioritySteps))
        reading = replace(reading, wake=wake, priority_steps=counting)
    names: list[str] = []
    if kind != "boosted":
        classes = [_class(dice, number, reading) for number in range(dice.randint(1, 3))]
        names = [found["metadata"]["name"] for found in classes]
        raw["objects"] += classes
    for event in raw["events"]:
        _change(dice, event["submit"], names, boosts="boosted" in kind)
    if "boosted" in kind:
        header = {"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration"}
        raw["objects"].append({**header, "featureGates": {"PriorityBoost": True}})
    return parse_scenario(raw), reading


def _class(dice: Random, number: int, reading: Reading) -> dict[str, Any]:
    base, step = dice.randint(-2, 1), dice.choice([1, 1, 1, 2, 3])
    policy: dict[str, Any] = {"step": step, "max": base + dice.randint(0, 5)}
    if reading.invalid_class == InvalidClass.COMPUTE and dice.random() < 0.3:
        policy["step"] = -step
    elif reading.invalid_class == InvalidClass.COMPUTE and dice.random() < 0.1:
        del policy["max"]
    policy["delayForStep"] = dice.choice(["1s", "7s", "30s", "1m", "100s", "10m", "1500ms"])
    spec = {"priority": base, "dynamicPriorityPolicy": policy}
    return {"kind": "WorkloadPriorityClass", "metadata": {"name": f"c{number}"}, "spec": spec}


def _change(dice: Random, submit: dict[str, Any], names: list[str], *, boosts: bool) -> None:
    """Most jobs get a class, some are older than they wait, some are boosted."""
    named = dice.choice(names) if names and dice.random() < 0.75 else None
    older = dice.random() < 0.15
    boost = dice.choice([-1, 1, 2, 0]) if boosts and dice.random() < 0.5 else None
    if named is not None:
        del submit["priority"]
        submit["priorityClass"] = named
    if boost is None and not older:
        return
    metadata: dict[str, Any] = {"name": submit.pop("name")}
    if older:
        metadata["creationTimestamp"] = dice.choice([_START, "2026-01-05T08:56:00Z", "2026-01-05T07:00:00Z"])
    if boost is not None:
        metadata["annotations"] = {_BOOST: str(boost)}
    container = {"resources": {"requests": submit.pop("requests")}}
    pods = {"name": "main", "count": 1, "template": {"spec": {"containers": [container]}}}
    spec: dict[str, Any] = {"queueName": submit.pop("queue"), "podSets": [pods]}
    spec["priority"] = submit.pop("priority", 0)
    if named is not None:
        group = {"group": "kueue.x-k8s.io", "kind": "WorkloadPriorityClass"}
        spec["priorityClassRef"] = {**group, "name": submit.pop("priorityClass")}
    submit["manifest"] = {"metadata": metadata, "spec": spec}
