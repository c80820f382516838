"""A plain cluster as a request of `tenure oracle`, and as a few sentences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tenure.units import format_duration
from tenure_lab.generators.writing import write_request
from tenure_proofs.bounded.case import Answer
from tenure_proofs.bounded.clusters import NEVER, NOW, Node, Policy, World, name_of
from tenure_proofs.bounded.deciding import question_of


def request_of(world: World, reading: str) -> dict[str, Any]:
    """The question that was decided."""
    asked = question_of(world, reading, backwards=False)
    return {
        "id": "cluster",
        "call": "decide",
        "input": {**write_request(asked), "reading": asked.reading.written()},
    }


def story_of(world: World, answer: Answer) -> tuple[str, ...]:
    """The cluster, who asks, and what was decided, line by line."""
    return (*_described(world), *_decided(world, answer))


def _described(world: World) -> Iterator[str]:
    how = (
        "classical preemption"
        if world.strategies is None
        else f"fair sharing by {', '.join(world.strategies)}"
    )
    yield how
    for index, node in enumerate(world.nodes):
        yield _node_line(world, index, node)
    for index, job in enumerate(world.jobs):
        evicted = ", already evicted" if job.evicted else ""
        yield (
            f"{name_of(index)} runs in {world.nodes[job.queue].name}: priority {job.priority}, holds "
            f"{job.amount}, for {format_duration(NOW - job.reserved)}{evicted}"
        )
    asking = world.asking
    yield f"new asks for {asking.amount} in {world.nodes[asking.queue].name}: priority {asking.priority}"


def _node_line(world: World, index: int, node: Node) -> str:
    below = "" if node.above is None else f" below {world.nodes[node.above].name}"
    limits = [f"nominal {node.nominal}"]
    limits += [f"borrowingLimit {node.borrows}"] if node.borrows is not None else []
    limits += [f"lendingLimit {node.lends}"] if node.lends is not None else []
    if node.policy is None:
        return f"Cohort {node.name}{below}: {', '.join(limits)}"
    kind = "hero" if world.is_hero(index) else "ClusterQueue"
    return f"{kind} {node.name}{below}: {', '.join((*limits, *_policy_words(node.policy)))}"


def _policy_words(policy: Policy) -> Iterator[str]:
    yield f"withinClusterQueue {policy.within}"
    if policy.duration is not None:
        yield f"minAdmitDuration {format_duration(policy.duration)}"
    yield f"reclaimWithinCohort {policy.reclaim}"
    if policy.borrow != NEVER:
        threshold = "" if policy.threshold is None else f" up to {policy.threshold}"
        yield f"borrowWithinCohort {policy.borrow}{threshold}"


def _decided(world: World, answer: Answer) -> Iterator[str]:
    yield f"the decision: {answer.outcome}"
    for index, reason in zip(answer.victims, answer.reasons, strict=True):
        yield f"{name_of(index)} of {world.nodes[world.jobs[index].queue].name} is preempted: {reason}"
    for index in answer.removed:
        if index not in answer.victims:
            yield f"{name_of(index)} was removed on the way, and got its quota back"
