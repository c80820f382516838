"""Where a topology takes part: which flavors may serve a pod set, and what no quota decides.

Where in a topology pods find a place is not modelled. What is, decides by objects alone: who requests a
topology, and which flavors have one.
"""

from __future__ import annotations

from collections.abc import Iterable

from tenure.model import (
    Cluster,
    ClusterQueue,
    PodSet,
    ResourceFlavor,
    ResourceGroup,
    TopologyRequest,
    Workload,
)
from tenure.rules.topology import has_one_topology, may_serve_topology, requests_topology

_NOTHING = TopologyRequest()


def requests(pod_set: PodSet) -> bool:
    """Whether a pod set requests a topology (KQ-620).

    >>> requests(PodSet("main", 1, {}, topology=TopologyRequest(unconstrained=False)))
    True
    """
    requested = pod_set.topology or _NOTHING
    return requests_topology(
        required=requested.required is not None,
        preferred=requested.preferred is not None,
        unconstrained=requested.unconstrained is not None,
        slices=requested.slice_level is not None
        or requested.slice_size is not None
        or bool(requested.layers),
    )


def has_only_topologies(queue: ClusterQueue, cluster: Cluster) -> bool:
    """Whether every flavor of a ClusterQueue has a topology; also where it has no flavor, as Kueue counts.

    A ResourceFlavor that was not given counts as one without.

    Source: Kueue v0.19.2, ClusterQueues for topology-aware scheduling only.

    >>> has_only_topologies(ClusterQueue("q"), Cluster({}))
    True
    """
    described = cluster.flavors
    return all(
        quotas.flavor in described and described[quotas.flavor].topology != ""
        for group in queue.resource_groups
        for quotas in group.flavors
    )


def has_topology(queue: ClusterQueue, cluster: Cluster) -> bool:
    """Whether any flavor of a ClusterQueue has a topology that Kueue looks at.

    Args:
        queue: the ClusterQueue.
        cluster: all flavors, and the feature gate.

    >>> has_topology(ClusterQueue("q"), Cluster({}))
    False
    """
    return cluster.settings.topology_aware_scheduling and any(
        quotas.flavor in cluster.flavors and cluster.flavors[quotas.flavor].topology != ""
        for group in queue.resource_groups
        for quotas in group.flavors
    )


def has_levels(requested: TopologyRequest | None, levels: tuple[str, ...] | None) -> bool:
    """Whether a topology has the levels that a request names.

    Args:
        requested: the request.
        levels: of the topology; None where it was not given, and counts as having all of them.

    Returns:
        False also where the request names no level at all: `unconstrained: false`, or a size of slices
        without their level.

    Source: Kueue v0.19.2, levels of a flavor's topology.

    >>> has_levels(TopologyRequest(required="rack"), ("zone", "rack")), has_levels(TopologyRequest(), None)
    (True, False)
    """
    if requested is None:
        return False
    main = requested.preferred if requested.required is None else requested.required
    slices = requested.layers or (() if requested.slice_level is None else (requested.slice_level,))
    named = (*(() if main is None else (main,)), *slices)
    if not named and not requested.unconstrained:
        return False
    return levels is None or all(level in levels for level in named)


def group_name(pod_set: PodSet) -> str | None:
    """The group of pod sets that a pod set belongs to; None where it names none."""
    return None if pod_set.topology is None else pod_set.topology.group


def grouped(pod_sets: Iterable[PodSet]) -> list[tuple[PodSet, ...]]:
    """The pod sets that get the same flavors, in order: those of one group, the others alone.

    Kueue groups them whether or not the feature gate is on.

    Source: Kueue v0.19.2, flavor assigner, groups of pod sets.

    >>> lead, work = (PodSet(name, 1, {}, topology=TopologyRequest(group="g")) for name in ("lead", "work"))
    >>> [len(together) for together in grouped([lead, PodSet("other", 1, {}), work])]
    [2, 1]
    """
    groups: dict[str, list[PodSet]] = {}
    for index, pod_set in enumerate(pod_sets):
        name = group_name(pod_set)
        # Kueue names a pod set outside of groups by its index.
        groups.setdefault(str(index) if name is None else name, []).append(pod_set)
    return [tuple(together) for together in groups.values()]


def may_serve(
    pod_set: PodSet, flavor: ResourceFlavor, group: ResourceGroup, queue: ClusterQueue, cluster: Cluster
) -> bool:
    """Whether a flavor may serve a pod set, as far as topologies decide (KQ-630).

    Args:
        pod_set: of a pending workload.
        flavor: a flavor that exists, of the resource group.
        group: a resource group of the ClusterQueue.
        queue: where the workload waits.
        cluster: all flavors, and the topologies that were given.
    """
    if not cluster.settings.topology_aware_scheduling:
        return True
    return may_serve_topology(
        requests(pod_set),
        flavor.topology != "",
        has_levels(pod_set.topology, cluster.topologies.get(flavor.topology)),
        any(resource in group.covered_resources for resource in pod_set.requests),
        has_only_topologies(queue, cluster),
    )


def is_placed_once(pod_set: PodSet, flavors: Iterable[str], queue: ClusterQueue, cluster: Cluster) -> bool:
    """Whether the flavors that serve a pod set leave no doubt about its topology (KQ-640).

    Args:
        pod_set: with the number of pods that is tried.
        flavors: the flavors of its resources.
        queue, cluster: as for `may_serve`.
    """
    if not cluster.settings.topology_aware_scheduling:
        return True
    described = cluster.flavors
    with_topology = {name for name in flavors if name in described and described[name].topology != ""}
    return has_one_topology(
        requests(pod_set), has_only_topologies(queue, cluster), pod_set.count, len(with_topology)
    )


def takes_part(workload: Workload, queue: ClusterQueue, cluster: Cluster) -> bool:
    """Whether Kueue admits a workload only where its pods find a place in a topology.

    Args:
        workload: a pending workload.
        queue, cluster: as for `may_serve`.

    Source: Kueue v0.19.2, topology requests of a workload.

    >>> takes_part(Workload("ml", "w", "u", priority=0, created_at=0), ClusterQueue("q"), Cluster({}))
    False
    """
    if not cluster.settings.topology_aware_scheduling:
        return False
    only = has_only_topologies(queue, cluster)
    return any(pods.count > 0 and (only or requests(pods)) for pods in workload.pod_sets)
