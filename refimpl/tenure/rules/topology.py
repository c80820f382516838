"""Rules about topologies: who requests one, and which flavors may serve the request."""

from __future__ import annotations

from tenure.rules.registry import rule


@rule("KQ-620")
def requests_topology(required: bool, preferred: bool, unconstrained: bool, slices: bool) -> bool:
    """Whether a pod set requests a topology.

    > A pod set requests a topology when its topologyRequest sets required,
    > preferred, unconstrained or a field about slices, whatever the value.

    Args:
        required, preferred, unconstrained: whether the field is set.
        slices: whether podSetSliceRequiredTopology, podSetSliceSize or any
            podsetSliceRequiredTopologyConstraints are set.

    Source: Kueue v0.19.2, explicit requests for topology-aware scheduling.

    >>> requests_topology(required=False, preferred=False, unconstrained=False, slices=False)
    False
    """
    return required or preferred or unconstrained or slices


@rule("KQ-630")
def may_serve_topology(
    requested: bool, has_topology: bool, has_levels: bool, covers: bool, only_topologies: bool
) -> bool:
    """Whether a flavor may serve a pod set, as far as topologies decide.

    > A flavor may serve a pod set when one holds:
    >
    > 1. the pod set requests a topology, and the flavor's topology has the
    >    levels that it names;
    > 2. the pod set requests a topology, the flavor has none, and its
    >    resource group covers no resource that the pods ask for;
    > 3. the pod set requests no topology, and the flavor has none;
    > 4. the pod set requests no topology, and every flavor of its
    >    ClusterQueue has one.

    Args:
        requested: whether the pod set requests a topology (KQ-620).
        has_topology: whether the flavor has one.
        has_levels: whether that has the levels that are named.
        covers: whether the resource group covers any resource of the pods.
        only_topologies: whether every flavor of the ClusterQueue has a topology.

    Source: Kueue v0.19.2, match of pod sets and flavors for topology-aware scheduling.

    >>> may_serve_topology(True, has_topology=False, has_levels=False, covers=True, only_topologies=False)
    False
    """
    if requested:
        return has_levels if has_topology else not covers
    return only_topologies or not has_topology


@rule("KQ-640")
def has_one_topology(requested: bool, only_topologies: bool, pods: int, topologies: int) -> bool:
    """Whether the flavors of a pod set leave no doubt in which topology its pods are placed.

    > A pod set that has pods, and requests a topology or waits in a
    > ClusterQueue whose flavors all have one, is served by exactly one
    > flavor with a topology.

    Args:
        requested: whether the pod set requests a topology (KQ-620).
        only_topologies: whether every flavor of the ClusterQueue has a topology.
        pods: its number of pods, at least 0.
        topologies: how many of its flavors have a topology.

    Source: Kueue v0.19.2, flavor assigner, requests for topology-aware scheduling.

    >>> has_one_topology(requested=False, only_topologies=True, pods=3, topologies=2)
    False
    """
    if pods == 0 or not (requested or only_topologies):
        return True
    return topologies == 1
