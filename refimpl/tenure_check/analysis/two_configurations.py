"""One state in two configurations, and what each decides of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, replace

from tenure.conformance.requests import DecideRequest
from tenure.errors import InputError
from tenure.model import Cluster, Reason, Workload
from tenure.oracle.decide import Decision
from tenure.oracle.tree import Tree
from tenure.readings import Reading
from tenure_check.analysis.matrix import trees_of
from tenure_check.analysis.states import PriorityLevel, decided, is_in_scope
from tenure_check.choices import Scope

BEFORE, AFTER = 0, 1
"""The two sides, as places in pairs."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """One of two configurations.

    Args:
        cluster: without workloads.
        levels: the priorities; the other configuration has as many, of the same names.
        reading: see `tenure.readings`.
    """

    cluster: Cluster
    levels: tuple[PriorityLevel, ...]
    reading: Reading

    def of_queues(self, queues: Set[str]) -> Configuration:
        """The same without other ClusterQueues than these, which are all of some trees."""
        known = {name: queue for name, queue in self.cluster.cluster_queues.items() if name in queues}
        return replace(self, cluster=replace(self.cluster, cluster_queues=known))


@dataclass(frozen=True, slots=True)
class DecisionPair:
    """A state, and what two configurations decide of it.

    Args:
        requests: the state, as the configuration before has it, and as the one after has it.
        decisions: what each decides; None where the state is not one of its own.
    """

    requests: tuple[DecideRequest, DecideRequest]
    decisions: tuple[Decision | None, Decision | None]

    @property
    def is_otherwise(self) -> bool:
        """Whether it is a state of both, and they decide otherwise."""
        one, other = self.decisions
        if one is None or other is None:
            return False
        return (one.outcome, what_is_preempted(one)) != (other.outcome, what_is_preempted(other))

    @property
    def size(self) -> tuple[int, int]:
        """Fewest running workloads first, then the fewest amounts."""
        running = self.requests[AFTER].cluster.admitted
        held = sum(len(workload.usage) for workload in running)
        requested = sum(len(pods.requests) for pods in self.requests[AFTER].preemptor.pod_sets)
        return len(running), held + requested


class TwoConfigurations:
    """Decides states under two configurations.

    Args:
        before, after: the configurations.
        scope: which states there are.
    """

    def __init__(self, before: Configuration, after: Configuration, scope: Scope = Scope.CONSISTENT) -> None:
        self.sides, self.scope = (before, after), scope
        self.trees = _by_queue(before.cluster), _by_queue(after.cluster)
        self.looked = 0

    @property
    def queues(self) -> list[str]:
        """The ClusterQueues that both sides have."""
        return sorted(self.trees[BEFORE].keys() & self.trees[AFTER].keys())

    @property
    def changed_queues(self) -> set[str]:
        """The ClusterQueues of both sides whose trees or PreemptionConfigs are not the same on both."""
        if not self._are_trees_all():
            return {name for trees in self.trees for name in trees}
        one, other = self.trees
        names = one.keys() | other.keys()
        return {name for name in names if one.get(name) != other.get(name) or self._has_other_configs(name)}

    def _has_other_configs(self, name: str) -> bool:
        """Whether a ClusterQueue of a tree that both sides have names a PreemptionConfig with other rules."""
        before, after = (side.cluster for side in self.sides)
        named = [
            queue
            for queue in self.trees[AFTER][name].places
            if before.cluster_queues[queue].preemption_config
        ]
        return any(
            before.config_of(before.cluster_queues[queue]) != after.config_of(after.cluster_queues[queue])
            for queue in named
        )

    def _are_trees_all(self) -> bool:
        """Whether nothing but trees differs."""
        one, other = (
            (
                side.cluster.flavors,
                side.cluster.settings,
                side.cluster.growing,
                side.cluster.class_names,
                side.cluster.preemption_configs is None,
                side.levels,
                side.reading,
            )
            for side in self.sides
        )
        return one == other

    def decided_on_both(self, request: DecideRequest, home: int) -> DecisionPair:
        """What both decide of a state.

        Args:
            request: the state, as one of the configurations has it.
            home: which: `BEFORE` or `AFTER`.
        """
        other = moved(request, self.sides[home], self.sides[1 - home])
        requests = (request, other) if home == BEFORE else (other, request)
        self.looked += 1
        before, after = (self._decided(requests[place], place) for place in (BEFORE, AFTER))
        return DecisionPair(requests, (before, after))

    def moved_there(self, requests: Iterable[DecideRequest]) -> list[DecideRequest]:
        """States before, as the configuration after has them, as far as they are states of that one too."""
        there = (moved(request, *self.sides) for request in requests)
        return [request for request in there if self._is_in_scope(request, AFTER)]

    def _decided(self, request: DecideRequest, side: int) -> Decision | None:
        if not self._is_in_scope(request, side):
            return None
        try:
            return decided(request)
        except InputError:
            return None

    def _is_in_scope(self, request: DecideRequest, side: int) -> bool:
        tree = self.trees[side].get(request.queue)
        return tree is not None and is_state_of(tree, request, self.scope)


def is_state_of(tree: Tree, request: DecideRequest, scope: Scope) -> bool:
    """Whether a state is one of the scope in a tree: all that it uses is there.

    Args:
        tree: of the ClusterQueue of the pending workload.
        request: the state.
        scope: after edits a ClusterQueue may use what only others of its tree have.
    """
    edited = scope == Scope.EDITED
    quotas = {
        node.name: tree.nodes[0 if edited else node.place].quotas
        for node in tree.nodes
        if node.queue is not None
    }
    known = all(
        at in quotas.get(workload.cluster_queue or "", {})
        for workload in request.cluster.admitted
        for at in workload.usage
    )
    return known and is_in_scope(request, tree, scope)


def moved(request: DecideRequest, old: Configuration, new: Configuration) -> DecideRequest:
    """The same state in another configuration: workloads keep their classes, whatever values these have.

    Args:
        request: the state.
        old: the configuration that it is of.
        new: the other one.
    """
    pairs = zip(old.levels, new.levels, strict=True)
    priorities = {level.priority: other.priority for level, other in pairs}

    def with_its_class(workload: Workload) -> Workload:
        return workload.with_priority(priorities.get(workload.priority, workload.priority))

    return replace(
        request,
        cluster=replace(new.cluster, admitted=tuple(map(with_its_class, request.cluster.admitted))),
        preemptor=with_its_class(request.preemptor),
        reading=new.reading,
    )


def what_is_preempted(decision: Decision) -> dict[str, Reason]:
    """The reason of each victim, by its key."""
    return {target.workload.key: target.reason for target in decision.targets}


def _by_queue(cluster: Cluster) -> Mapping[str, Tree]:
    return {name: tree for tree in trees_of(cluster) for name in tree.places}
