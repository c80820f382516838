"""Which flavors a pod set may use, and gets, as far as topologies decide."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from tenure.model import Cluster, ClusterQueue, PodSet, ResourceGroup, TopologyRequest
from tenure.rules.topology import has_one_topology, may_serve_topology, requests_topology
from tenure_simulate.core.uncovered import Uncovered

_NOTHING = TopologyRequest()


class Topologies:
    """The topologies of one ClusterQueue's flavors.

    Args:
        cluster: the flavors, the topologies that were given, the feature gate.
        queue: the ClusterQueue.

    >>> Topologies(Cluster({}), ClusterQueue("q")).is_one(PodSet("main", 1, {}), 1, [])
    False
    """

    def __init__(self, cluster: Cluster, queue: ClusterQueue) -> None:
        self._topologies, self._is_on = cluster.topologies, cluster.settings.topology_aware_scheduling
        named = {quotas.flavor for group in queue.resource_groups for quotas in group.flavors}
        self._of = {
            name: cluster.flavors[name].topology
            for name in named
            if name in cluster.flavors and cluster.flavors[name].topology
        }
        self._all = len(self._of) == len(named)

    def decide_any(self) -> bool:
        """Whether any of its flavors has one that Kueue looks at."""
        return self._is_on and bool(self._of)

    def refuse_groups(self, pod_sets: Sequence[PodSet]) -> None:
        """Leave a workload to the reference of which several pod sets get their flavors together.

        Raises:
            Uncovered: some of them share a group.
        """
        names = Counter(
            str(index)
            if pod_set.topology is None or pod_set.topology.group is None
            else pod_set.topology.group
            for index, pod_set in enumerate(pod_sets)
        )
        if any(count > 1 for count in names.values()):
            raise Uncovered("pod sets that share a group")

    def admit(self, pod_set: PodSet, group: ResourceGroup, flavor: str) -> bool:
        """Whether a flavor may serve a pod set (KQ-630)."""
        if not self._is_on:
            return True
        has = flavor in self._of
        return may_serve_topology(
            _asks(pod_set),
            has,
            has and self._has_levels(pod_set, self._of[flavor]),
            bool(pod_set.requests.keys() & set(group.covered_resources)),
            self._all,
        )

    def is_one(self, pod_set: PodSet, count: int, flavors: Iterable[str]) -> bool:
        """Whether exactly one flavor with a topology serves a pod set that needs one (KQ-640)."""
        if not self._is_on:
            return True
        return has_one_topology(_asks(pod_set), self._all, count, len(self._of.keys() & set(flavors)))

    def _has_levels(self, pod_set: PodSet, topology: str) -> bool:
        requested = pod_set.topology or _NOTHING
        named = {*requested.layers} or ({requested.slice_level} - {None})
        named |= {requested.required if requested.required is not None else requested.preferred} - {None}
        levels = self._topologies.get(topology)
        return bool(named or requested.unconstrained) and (levels is None or named <= {*levels})


def _asks(pod_set: PodSet) -> bool:
    """Whether a pod set requests a topology (KQ-620)."""
    requested = pod_set.topology or _NOTHING
    return requests_topology(
        requested.required is not None,
        requested.preferred is not None,
        requested.unconstrained is not None,
        requested.slice_level is not None or requested.slice_size is not None or bool(requested.layers),
    )
