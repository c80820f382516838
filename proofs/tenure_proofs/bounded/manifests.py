"""A plain cluster as a request of `tenure oracle`, and as a few sentences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tenure.readings import preset
from tenure.units import format_duration, format_instant
from tenure_proofs.bounded.case import Answer
from tenure_proofs.bounded.clusters import NEVER, NOW, Job, Node, Policy, World, name_of
from tenure_proofs.bounded.deciding import NAMESPACE, RESOURCE
from tenure_proofs.scenarios import admission_of, object_of, requesting, resource_group


def request_of(world: World, reading: str) -> dict[str, Any]:
    """The question that was decided."""
    asked: dict[str, Any] = {
        "now": format_instant(NOW),
        "clusterQueues": [_queue(node, world.nodes) for node in world.nodes if node.policy is not None],
        "cohorts": [_cohort(node, world.nodes) for node in world.nodes if node.policy is None],
        "resourceFlavors": [object_of("ResourceFlavor", RESOURCE.flavor)],
        "admitted": [
            _workload(job, name_of(index), world.nodes[job.queue].name)
            for index, job in enumerate(world.jobs)
        ],
        "incoming": _workload(world.asking, "new", None),
        "targetCQ": world.nodes[world.mine].name,
        "assignment": None,
        "reading": preset(reading).written(),
    }
    if world.strategies is not None:
        asked["fairSharing"] = {"preemptionStrategies": list(world.strategies)}
    return {"id": "cluster", "call": "decide", "input": asked}


def _queue(node: Node, nodes: tuple[Node, ...]) -> dict[str, Any]:
    assert node.policy is not None
    cohort = {} if node.above is None else {"cohortName": nodes[node.above].name}
    spec = {"namespaceSelector": {}, "preemption": _preemption(node.policy), "resourceGroups": [_group(node)]}
    return object_of("ClusterQueue", node.name, spec={**cohort, **spec})


def _preemption(policy: Policy) -> dict[str, Any]:
    made: dict[str, Any] = {"withinClusterQueue": policy.within, "reclaimWithinCohort": policy.reclaim}
    if policy.duration is not None:
        made["withinClusterQueueConfig"] = {"minAdmitDuration": format_duration(policy.duration)}
    if policy.borrow != NEVER:
        limit = {} if policy.threshold is None else {"maxPriorityThreshold": policy.threshold}
        made["borrowWithinCohort"] = {"policy": policy.borrow, **limit}
    if policy.hero:
        made["rules"] = "UberClusterQueueRules"
    return made


def _cohort(node: Node, nodes: tuple[Node, ...]) -> dict[str, Any]:
    above = {} if node.above is None else {"parentName": nodes[node.above].name}
    return object_of("Cohort", node.name, spec={**above, "resourceGroups": [_group(node)]})


def _group(node: Node) -> dict[str, Any]:
    quota: dict[str, Any] = {"name": RESOURCE.resource, "nominalQuota": node.nominal}
    if node.borrows is not None:
        quota["borrowingLimit"] = node.borrows
    if node.lends is not None:
        quota["lendingLimit"] = node.lends
    return resource_group(RESOURCE.flavor, quota)


def _workload(job: Job, name: str, queue: str | None) -> dict[str, Any]:
    requests = {RESOURCE.resource: job.amount}
    metadata = {"namespace": NAMESPACE, "name": name, "uid": name}
    made = requesting(metadata, job.created, job.priority, requests)
    if queue is not None:
        admission = admission_of(queue, RESOURCE.flavor, requests)
        made["status"] = {"conditions": list(_conditions(job)), "admission": admission}
    return made


def _conditions(job: Job) -> Iterator[dict[str, str]]:
    stamp = {"status": "True", "message": "", "lastTransitionTime": format_instant(job.reserved)}
    yield {"type": "QuotaReserved", "reason": "QuotaReserved", **stamp}
    if job.evicted:
        yield {"type": "Evicted", "reason": "Preempted", **stamp}


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
