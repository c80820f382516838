"""What is in use and what is free while workloads are admitted one after the other.

In a tree without heroes the order of admissions plays no part (lemma R). A hero bills other nodes for what it
uses, and those may admit less afterwards; so which states admission produces is a question of order there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tenure.model import Amount, Amounts, FlavorResource, Workload
from tenure.oracle.heroes.effective import EffectiveUsage, effective_beside, effective_usage
from tenure.oracle.heroes.fit import free_for_hero
from tenure.oracle.heroes.held import held_by
from tenure.oracle.heroes.plan import plan_heroes
from tenure.oracle.tree import Tree, Usage, available_at, empty_usage, occupy
from tenure.readings import Reading
from tenure.rules.hero_rank import is_hero


def has_heroes(tree: Tree) -> bool:
    """Whether a tree has a hero: a ClusterQueue with UberClusterQueueRules in a Cohort (UCQ-050).

    >>> from tenure.model import Cluster, ClusterQueue, PreemptionRules
    >>> from tenure.oracle.tree import build_tree
    >>> hero = ClusterQueue("h", cohort="c", rules=PreemptionRules.UBER_CLUSTER_QUEUE)
    >>> [has_heroes(build_tree(Cluster({"h": queue}), queue)) for queue in (hero, replace(hero, cohort=None))]
    [True, False]
    """
    return any(
        node.queue is not None and is_hero(node.queue.rules, has_cohort=node.parent is not None)
        for node in tree.nodes
    )


def nothing_in_use(tree: Tree, reading: Reading) -> Usage:
    """The usage of a tree in which nothing runs.

    Args:
        tree: the tree.
        reading: what its heroes, if it has any, are read with.
    """
    plan = plan_heroes(tree, reading)
    return empty_usage(tree) if plan is None else effective_usage(plan, held_by({}, plan.branch_of))


def in_use_with(tree: Tree, usage: Usage, place: int, amounts: Amounts) -> Usage:
    """What is in use once a ClusterQueue has admitted one more workload; its hero's bills are made."""
    if isinstance(usage, EffectiveUsage):
        return effective_beside(usage, place, amounts)
    return occupy(tree, usage, place, amounts)


def free_at(tree: Tree, usage: Usage, place: int, at: FlavorResource) -> Amount:
    """The most of a flavor-resource that a node can be given now; negative where there is a debt."""
    if not isinstance(usage, EffectiveUsage):
        return available_at(tree, usage, place, at)
    if place in usage.plan.branch_of:
        return free_for_hero(usage, place, at)
    return available_at(usage.tree, usage, place, at)


def are_admitted(tree: Tree, reading: Reading, running: Sequence[Workload]) -> bool:
    """Whether workloads are admitted one after the other, in the order in which they got their quota.

    Args:
        tree: the tree of their ClusterQueues.
        reading: what its heroes are read with.
        running: the workloads; of two that got it at one instant, the first goes first.

    >>> from tenure.model import Cluster, ClusterQueue, FlavorQuotas, ResourceGroup
    >>> from tenure.oracle.tree import build_tree
    >>> from tenure.readings import preset
    >>> gpu, quotas = FlavorResource("f", "gpu"), (ResourceGroup(("gpu",), (FlavorQuotas("f", {"gpu": 4}),)),)
    >>> queues = {name: ClusterQueue(name, quotas, cohort="c") for name in "ab"}
    >>> tree = build_tree(Cluster(queues), queues["a"])
    >>> one = Workload("ns", "w", "u", priority=0, created_at=0, cluster_queue="a", usage={gpu: 5})
    >>> [are_admitted(tree, preset("guaranteed"), running) for running in ([one], [one, one])]
    [True, False]
    """
    usage = nothing_in_use(tree, reading)
    for workload in sorted(running, key=lambda known: known.quota_reserved_at or 0):
        place = tree.places[workload.cluster_queue or ""]
        if any(amount > free_at(tree, usage, place, at) for at, amount in workload.usage.items()):
            return False
        usage = in_use_with(tree, usage, place, workload.usage)
    return True


def in_order_of_admission(running: Sequence[Workload]) -> tuple[Workload, ...]:
    """Workloads that were admitted in this order, with the instants that they have among them in order."""
    instants = sorted((known.quota_reserved_at or 0, known.created_at) for known in running)
    return tuple(
        replace(workload, created_at=created, quota_reserved_at=reserved)
        for workload, (reserved, created) in zip(running, instants, strict=True)
    )
