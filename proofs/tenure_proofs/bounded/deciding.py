"""The oracle's decision about a plain cluster."""

from __future__ import annotations

from functools import lru_cache

from tenure.conformance.requests import DecideRequest
from tenure.model import (
    BorrowWithinCohort,
    Cluster,
    ClusterQueue,
    Cohort,
    FairStrategy,
    FlavorQuotas,
    FlavorResource,
    PodSet,
    PreemptionRules,
    ReclaimWithinCohort,
    ResourceFlavor,
    ResourceGroup,
    Settings,
    WithinClusterQueue,
    Workload,
)
from tenure.readings import preset as preset_of
from tenure_proofs.bounded.case import Answer
from tenure_proofs.bounded.clusters import (
    ANY,
    FINAL,
    INITIAL,
    LOWER,
    NEVER,
    NEWER,
    NOW,
    Job,
    Node,
    World,
    name_of,
)

RESOURCE = FlavorResource("default", "nvidia.com/gpu")
FLAVORS = {RESOURCE.flavor: ResourceFlavor(RESOURCE.flavor)}
NAMESPACE = "ns"
WITHIN = {
    NEVER: WithinClusterQueue.NEVER,
    LOWER: WithinClusterQueue.LOWER_PRIORITY,
    NEWER: WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY,
}
RECLAIM = {
    NEVER: ReclaimWithinCohort.NEVER,
    LOWER: ReclaimWithinCohort.LOWER_PRIORITY,
    ANY: ReclaimWithinCohort.ANY,
}
BORROW = {NEVER: BorrowWithinCohort.NEVER, LOWER: BorrowWithinCohort.LOWER_PRIORITY}
STRATEGIES = {
    FINAL: FairStrategy.LESS_THAN_OR_EQUAL_TO_FINAL_SHARE,
    INITIAL: FairStrategy.LESS_THAN_INITIAL_SHARE,
}


def decide_with_oracle(world: World, preset: str, backwards: bool) -> Answer:
    """What the reference decides.

    Args:
        world: the cluster, and who asks.
        preset: the reading.
        backwards: whether every object is given in the opposite order.
    """
    decision = question_of(world, preset, backwards=backwards).decided()
    selection = decision.selection
    removed = () if selection is None or not decision.targets else selection.removed
    return Answer(
        decision.outcome.value,
        tuple(_index(target.workload) for target in decision.targets),
        tuple(target.reason.label for target in decision.targets),
        tuple(_index(candidate.workload) for candidate in removed),
    )


def question_of(world: World, preset: str, *, backwards: bool) -> DecideRequest:
    """What the reference is asked; the arguments are those of `decide_with_oracle`."""
    queue = world.nodes[world.mine].name
    cluster = _cluster(world, backwards)
    return DecideRequest(cluster, _asking(world.asking), queue, NOW, preset_of(preset), None, explained=False)


def _index(workload: Workload) -> int:
    return int(workload.name[1:])


def _cluster(world: World, backwards: bool) -> Cluster:
    queues, cohorts = _tree(world.nodes)
    admitted = [_running(index, job, world.nodes[job.queue].name) for index, job in enumerate(world.jobs)]
    if backwards:
        queues, cohorts = dict(reversed(queues.items())), dict(reversed(cohorts.items()))
        admitted.reverse()
    return Cluster(
        queues, tuple(admitted), flavors=FLAVORS, settings=_settings(world.strategies), cohorts=cohorts
    )


@lru_cache(maxsize=1024)
def _tree(nodes: tuple[Node, ...]) -> tuple[dict[str, ClusterQueue], dict[str, Cohort]]:
    queues = {node.name: _queue(node, nodes) for node in nodes if node.policy is not None}
    cohorts = {
        node.name: Cohort(node.name, _above(node, nodes), _groups(node))
        for node in nodes
        if node.policy is None
    }
    return queues, cohorts


def _above(node: Node, nodes: tuple[Node, ...]) -> str | None:
    return None if node.above is None else nodes[node.above].name


def _queue(node: Node, nodes: tuple[Node, ...]) -> ClusterQueue:
    policy = node.policy
    assert policy is not None
    return ClusterQueue(
        node.name,
        _groups(node),
        within_cluster_queue=WITHIN[policy.within],
        min_admit_duration=policy.duration,
        cohort=_above(node, nodes),
        reclaim_within_cohort=RECLAIM[policy.reclaim],
        borrow_within_cohort=BORROW[policy.borrow],
        max_priority_threshold=policy.threshold,
        rules=PreemptionRules.UBER_CLUSTER_QUEUE if policy.hero else PreemptionRules.DEFAULT,
    )


def _groups(node: Node) -> tuple[ResourceGroup, ...]:
    def limits(limit: int | None) -> dict[str, int]:
        return {} if limit is None else {RESOURCE.resource: limit}

    quotas = FlavorQuotas(
        RESOURCE.flavor, {RESOURCE.resource: node.nominal}, limits(node.borrows), limits(node.lends)
    )
    return (ResourceGroup((RESOURCE.resource,), (quotas,)),)


@lru_cache(maxsize=16)
def _settings(strategies: tuple[str, ...] | None) -> Settings:
    if strategies is None:
        return Settings()
    return Settings(fair_sharing=tuple(STRATEGIES[strategy] for strategy in strategies))


@lru_cache(maxsize=4096)
def _running(index: int, job: Job, queue: str) -> Workload:
    name = name_of(index)
    return Workload(
        NAMESPACE,
        name,
        name,
        job.priority,
        job.created,
        quota_reserved_at=job.reserved,
        evicted=job.evicted,
        cluster_queue=queue,
        usage={RESOURCE: job.amount},
    )


@lru_cache(maxsize=64)
def _asking(job: Job) -> Workload:
    pods = PodSet("main", 1, {RESOURCE.resource: job.amount})
    return Workload(NAMESPACE, "new", "new", job.priority, job.created, pod_sets=(pods,))
