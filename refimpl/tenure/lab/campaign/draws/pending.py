"""Who waits: what is asked for stands in relation to what is left."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tenure.lab.campaign.draws.constraints import draw_constraints
from tenure.lab.campaign.draws.times import minutes_before
from tenure.lab.strategies.amounts import PODS, step_of
from tenure.lab.strategies.dice import Dice
from tenure.lab.strategies.incoming import CREATED, MOST_PODS, PRIORITIES, REQUESTS, SIDE_REQUESTS, amount_for
from tenure.lab.strategies.ledger import Node
from tenure.model import Amount, ClusterQueue, Instant, PodSet, ResourceGroup, Workload


def draw_pending(
    dice: Dice,
    queue: ClusterQueue,
    node: Node,
    classes: tuple[str, ...],
    now: Instant,
    *,
    constrained: bool,
    duration: bool,
) -> Workload:
    """The workload that is decided about.

    Args:
        dice: the draws.
        queue: the target.
        node: the same, charged with what runs.
        classes: names of the classes whose priority grows.
        now: the clock, ns.
        constrained: whether flavors have labels and taints.
        duration: whether equals are what the scenario is about.
    """
    requests = _requests(dice, queue, node)
    second = _second(dice, requests, constrained)
    equal = duration and dice.chance(60)
    aged = bool(classes) and dice.chance(40)
    return Workload(
        namespace="ns",
        name="in",
        uid="u99",
        priority=dice.pick((1, 0, 2)) if equal else dice.pick(PRIORITIES),
        created_at=minutes_before(now, dice.pick(CREATED)),
        priority_boost=dice.pick((1, -1, 3)) if dice.chance(10) else 0,
        priority_class=dice.pick(classes) if aged else "",
        job_created_at=minutes_before(now, dice.pick((45, 60, 30))) if aged and dice.chance(40) else None,
        pod_sets=(_main(dice, requests, constrained), *second),
        **_past(dice, now),
    )


def _past(dice: Dice, now: Instant) -> dict[str, Any]:
    """How it may have lost its quota before."""
    if not dice.chance(30):
        return {}
    ago = minutes_before(now, dice.pick((20, 25, 30, 45)))
    return dict(
        dice.pick(
            (
                {"evicted": True, "time_based_preempted_at": ago},
                {"time_based_preempted_at": ago},
                {"evicted": True, "pods_ready_evicted_at": ago},
                {"evicted": True, "admission_check_evicted_at": ago},
                {"evicted": True, "preempted_while_borrowing_at": ago},
                {"evicted": True},
            )
        )
    )


def _requests(dice: Dice, queue: ClusterQueue, node: Node) -> dict[str, Amount]:
    """What it asks for of every resource of one group, and perhaps of the others."""
    chosen = dice.pick(queue.resource_groups)
    requests = _group_requests(dice, chosen, node)
    for group in queue.resource_groups:
        if group is not chosen and dice.chance(50):
            _add_side(dice, requests, node, (group.flavors[0].flavor, group.covered_resources[0]))
    return requests


def _group_requests(dice: Dice, group: ResourceGroup, node: Node) -> dict[str, Amount]:
    first, *others = group.covered_resources
    names = [each.flavor for each in group.flavors]
    # Mostly the flavor that is tried first: what does not fit there, but elsewhere, comes by itself.
    flavor = dice.pick((*names, names[0], names[-1]))
    requests = {first: amount_for(dice.pick(REQUESTS), node, (flavor, first))}
    for resource in others:
        if resource != PODS:
            _add_side(dice, requests, node, (flavor, resource))
    return requests


def _add_side(dice: Dice, requests: dict[str, Amount], node: Node, place: tuple[str, str]) -> None:
    resource = place[1]
    kind = dice.pick(SIDE_REQUESTS)
    if kind == "step":
        requests[resource] = min(step_of(resource), max(node.potential(place), 1))
    elif kind in ("all", "more"):
        requests[resource] = amount_for("all" if kind == "all" else "step-more", node, place)
    elif kind == "zero":
        requests[resource] = 0


def _second(dice: Dice, requests: dict[str, Amount], constrained: bool) -> tuple[PodSet, ...]:
    """Now and then another pod set, out of what the first was going to ask for."""
    if not dice.chance(12):
        return ()
    resource = next(iter(requests))
    step = step_of(resource)
    requests[resource] = max(0, requests[resource] - step)
    return (PodSet("extra", 1, {resource: step}, **draw_constraints(dice, constrained)),)


def _main(dice: Dice, requests: Mapping[str, Amount], constrained: bool) -> PodSet:
    """As many pods as there are steps of every resource, now and then; seldom some are reclaimable."""
    count = _count(requests) if dice.chance(60) else 1
    return PodSet(
        "main",
        count,
        requests,
        min_count=1 + dice.up_to(count - 2) if count > 1 and dice.chance(70) else None,
        full_count=count + 1 if dice.chance(4) else None,
        **draw_constraints(dice, constrained),
    )


def _count(requests: Mapping[str, Amount]) -> int:
    asked = [(amount, step_of(resource)) for resource, amount in requests.items() if amount]
    if not asked or any(amount % step for amount, step in asked):
        return 1
    count = min(amount // step for amount, step in asked)
    return count if count <= MOST_PODS and all(amount % count == 0 for amount, _ in asked) else 1
