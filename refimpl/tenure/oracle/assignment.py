"""Which flavors a pending workload would get, for a ClusterQueue without cohort."""

from __future__ import annotations

from collections.abc import Mapping

from tenure.errors import not_modelled
from tenure.model import Amount, Amounts, Assignment, Cluster, ClusterQueue, FlavorResource, Workload
from tenure.rules.quota import can_ever_fit, fits_quota

PODS = "pods"
"""The resource that counts pods; a ClusterQueue that covers it charges every pod set with its count."""


def derive_assignment(
    workload: Workload, queue: ClusterQueue, cluster: Cluster, usage: Amounts
) -> Assignment:
    """Assign every requested resource the one flavor of its resource group.

    Args:
        workload: a pending workload.
        queue: its ClusterQueue, without cohort.
        cluster: where the flavors are described.
        usage: what the queue's workloads hold.

    Raises:
        InputError: a requested resource has several flavors, a tainted one, or one whose labels the
            workload's pods select by: the choice among flavors is not modelled yet.

    Source: Kueue main of August 2026, flavor assigner.
    """
    flavors = _flavor_per_resource(workload, queue, cluster)
    requests = _total_requests(workload, queue)
    if any(resource not in flavors for resource in requests):
        return Assignment(usage={}, needs_preemption=frozenset(), fits=False)
    wanted = {FlavorResource(flavors[resource], resource): amount for resource, amount in requests.items()}
    return assignment_of(wanted, queue, usage)


def assignment_of(wanted: Amounts, queue: ClusterQueue, usage: Amounts) -> Assignment:
    """The assignment that asks for exactly these flavor-resources.

    >>> gpu = FlavorResource("a100", "nvidia.com/gpu")
    >>> assignment_of({gpu: 1}, ClusterQueue("q"), {}).fits  # the queue has no quota of it
    False
    """
    nominal = queue.nominal()
    return Assignment(
        usage=wanted,
        needs_preemption=frozenset(
            needed
            for needed, amount in wanted.items()
            if not fits_quota(usage.get(needed, 0), amount, nominal.get(needed, 0))
        ),
        fits=all(can_ever_fit(amount, nominal.get(needed, 0)) for needed, amount in wanted.items()),
    )


def _total_requests(workload: Workload, queue: ClusterQueue) -> Mapping[str, Amount]:
    covers_pods = any(PODS in group.covered_resources for group in queue.resource_groups)
    total: dict[str, Amount] = {}
    for pod_set in workload.pod_sets:
        requests = {**pod_set.requests, PODS: pod_set.count} if covers_pods else pod_set.requests
        for resource, amount in requests.items():
            total[resource] = total.get(resource, 0) + amount
    return {resource: amount for resource, amount in total.items() if amount > 0}


def _flavor_per_resource(workload: Workload, queue: ClusterQueue, cluster: Cluster) -> Mapping[str, str]:
    requested = _total_requests(workload, queue)
    chosen: dict[str, str] = {}
    for index, group in enumerate(queue.resource_groups):
        if not any(resource in requested for resource in group.covered_resources) or not group.flavors:
            continue
        if len(group.flavors) > 1:
            raise not_modelled(
                f"spec.resourceGroups[{index}].flavors",
                ", ".join(quotas.flavor for quotas in group.flavors),
                "the choice among several flavors",
                object=f"ClusterQueue/{queue.name}",
            )
        _refuse_restricted_flavor(workload, group.flavors[0].flavor, cluster)
        chosen.update(dict.fromkeys(group.covered_resources, group.flavors[0].flavor))
    return chosen


def _refuse_restricted_flavor(workload: Workload, name: str, cluster: Cluster) -> None:
    flavor = cluster.flavors.get(name)
    if flavor is None:
        return
    if flavor.tainted:
        raise not_modelled(
            "spec.nodeTaints", "node taints", "which pods tolerate a flavor", object=f"ResourceFlavor/{name}"
        )
    for index, pod_set in enumerate(workload.pod_sets):
        if flavor.labelled and pod_set.node_constraint:
            raise not_modelled(
                f"spec.podSets[{index}].template.spec.{pod_set.node_constraint}",
                f"a node constraint beside labelled ResourceFlavor {name}",
                "which flavors a node constraint excludes",
                object=f"Workload/{workload.key}",
            )
