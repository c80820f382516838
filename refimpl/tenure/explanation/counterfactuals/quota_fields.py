"""Quotas, limits and fair-sharing weights of queues and cohorts, which a change may change."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import gcd
from typing import Any, ClassVar

from tenure.explanation.counterfactuals.situation import Listed, Measured, Range, Situation, Value
from tenure.model import NANO, UNLIMITED, Amount, ClusterQueue, Cohort, FlavorQuotas, FlavorResource
from tenure.oracle.decide import Decision
from tenure.oracle.tree import quota_at
from tenure.units import format_amount

PATHS = {"nominal": "nominalQuota", "borrowing_limits": "borrowingLimit", "lending_limits": "lendingLimit"}
"""The last part of a quota's path in a manifest, by the model's field."""


@dataclass(frozen=True, slots=True)
class Quota(Measured):
    """The nominal quota of a flavor-resource at a node, or one of its limits.

    Args:
        node: name of the ClusterQueue or Cohort.
        of_cohort: whether it is a Cohort.
        group, flavor: indices of the resource group and of the flavor in it.
        resource: its name.
        place: the flavor-resource.
        index: of the resource in the flavor.
        limit: which field of the model, a key of `PATHS`.
    """

    fine: ClassVar[bool] = True

    node: str
    of_cohort: bool
    group: int
    flavor: int
    resource: str
    place: FlavorResource
    index: int
    limit: str

    @property
    def object(self) -> str:
        return f"{'Cohort' if self.of_cohort else 'ClusterQueue'}/{self.node}"

    @property
    def field(self) -> str:
        below = f"flavors[{self.flavor}].resources[{self.index}].{PATHS[self.limit]}"
        return f"spec.resourceGroups[{self.group}].{below}"

    @property
    def about(self) -> str:
        return f"{self.resource} on {self.place.flavor}"

    def read(self, situation: Situation) -> Value:
        found: Mapping[str, Amount] = getattr(self._quotas(situation), self.limit)
        return found.get(self.resource)

    def write(self, situation: Situation, value: Value) -> Situation:
        node = self._node(situation)
        quotas = self._quotas(situation)
        amounts = {**getattr(quotas, self.limit), self.resource: value}
        fields: dict[str, Any] = {self.limit: amounts}
        changed = dataclasses.replace(quotas, **fields)
        group = node.resource_groups[self.group]
        flavors = (*group.flavors[: self.flavor], changed, *group.flavors[self.flavor + 1 :])
        groups = (
            *node.resource_groups[: self.group],
            dataclasses.replace(group, flavors=flavors),
            *node.resource_groups[self.group + 1 :],
        )
        fresh = dataclasses.replace(node, resource_groups=groups)
        kind = "cohorts" if self.of_cohort else "cluster_queues"
        return situation.with_cluster(**{kind: {**getattr(situation.cluster, kind), self.node: fresh}})

    def show(self, value: Value) -> str:
        if value is None:
            return "not set"
        return "unlimited" if value == UNLIMITED else format_amount(self.resource, value)

    def is_plainer(self, value: Value, than: Value) -> bool:
        assert value is not None
        # 99m is as long as 100m, and is never set.
        return (self.resource == "cpu" and value % 10 == 0) or Measured.is_plainer(self, value, than)

    def range(self, decision: Decision) -> Range:
        """From zero to more than all that the tree has, uses and is requested.

        The lending limit of a ClusterQueue is at most its nominal quota; that of a Cohort may be more, as it
        lends the quota of those below it too.

        Source: Kueue v0.19.2, webhooks of ClusterQueue and Cohort.
        """
        situation = Situation.of(decision)
        most, granule = _in_play(decision, self.place)
        quotas = self._quotas(situation)
        lent = quotas.lending_limits.get(self.resource)
        nominal = quotas.nominal.get(self.resource, 0)
        high = min(nominal, most) if self.limit == "lending_limits" and not self.of_cohort else most
        low = min(lent, high) if self.limit == "nominal" and lent is not None else 0
        value = self.read(situation)
        return Range(high if value is None else min(value, high), low, high, granule)

    def without_harm(self, where: Range) -> Range:
        return where if self.limit == "lending_limits" else dataclasses.replace(where, low=where.start)

    def _node(self, situation: Situation) -> ClusterQueue | Cohort:
        cluster = situation.cluster
        return cluster.cohorts[self.node] if self.of_cohort else cluster.cluster_queues[self.node]

    def _quotas(self, situation: Situation) -> FlavorQuotas:
        return self._node(situation).resource_groups[self.group].flavors[self.flavor]


def quota_knobs(situation: Situation, decision: Decision, place: int) -> Iterator[Quota]:
    """The quotas of a node that the pending workload's request may depend on.

    Args:
        situation: where.
        decision: made there.
        place: of the node in the decision's tree.
    """
    node = decision.snapshot.tree.nodes[place]
    if node.queue is None and node.name not in situation.cluster.cohorts:
        return  # a cohort that is only named as a parent has no object to change
    asked = {name for pods in situation.preemptor.pod_sets for name, n in pods.requests.items() if n}
    given: ClusterQueue | Cohort = node.queue or situation.cluster.cohorts[node.name]
    limits = tuple(PATHS) if node.parent is not None else ("nominal",)
    for group, resources in enumerate(given.resource_groups):
        for flavor, quotas in enumerate(resources.flavors):
            for index, resource in enumerate(quotas.nominal):
                if resource in asked:
                    at = FlavorResource(quotas.flavor, resource)
                    for limit in limits:
                        of_cohort = node.queue is None
                        yield Quota(node.name, of_cohort, group, flavor, resource, at, index, limit)


def _in_play(decision: Decision, place: FlavorResource) -> tuple[Amount, Amount]:
    """More than a tree has, uses and is requested of a flavor-resource, and a step that it is counted in."""
    tree = decision.snapshot.tree
    amounts = [held.usage.get(place, 0) for held in decision.running]
    amounts += [pods.requests.get(place.resource, 0) for pods in decision.preemptor.pod_sets]
    quotas = [quota_at(tree, node.place, place) for node in tree.nodes]
    amounts += [quota.nominal for quota in quotas]
    amounts += [quota.borrowing_limit or 0 for quota in quotas]
    bounded = [amount for amount in amounts if amount < UNLIMITED]
    return min(sum(bounded) + 1, UNLIMITED - 1), max(gcd(*bounded), 1)


ROUND = tuple(
    thousandths * (NANO // 1000)
    for thousandths in (0, 100, 250, 500, 750, 1000, 1500, 2000, 3000, 5000, 10_000, 100_000)
)
"""The weights that are tried, in billionths; a share is in inverse proportion to them."""


@dataclass(frozen=True, slots=True)
class Weight(Listed):
    """`spec.fairSharing.weight` of a ClusterQueue or of a Cohort.

    Args:
        node: name of the object.
        of_cohort: whether it is a Cohort.
    """

    node: str
    of_cohort: bool

    @property
    def object(self) -> str:
        return f"{'Cohort' if self.of_cohort else 'ClusterQueue'}/{self.node}"

    @property
    def field(self) -> str:
        return "spec.fairSharing.weight"

    @property
    def exhaustive(self) -> bool:
        return False

    def read(self, situation: Situation) -> Value:
        return self._found(situation).weight

    def write(self, situation: Situation, value: Value) -> Situation:
        assert value is not None
        fresh = dataclasses.replace(self._found(situation), weight=value)
        kind = "cohorts" if self.of_cohort else "cluster_queues"
        return situation.with_cluster(**{kind: {**getattr(situation.cluster, kind), self.node: fresh}})

    def show(self, value: Value) -> str:
        assert value is not None
        whole, part = divmod(value, NANO)
        return f"{whole}.{part:09d}".rstrip("0").rstrip(".")

    def values(self, decision: Decision) -> tuple[int, ...]:
        """Round weights. Where exactly shares become equal is a fraction that is never set."""
        return ROUND if decision.terms.fair_sharing else ()

    def _found(self, situation: Situation) -> ClusterQueue | Cohort:
        cluster = situation.cluster
        return cluster.cohorts[self.node] if self.of_cohort else cluster.cluster_queues[self.node]


def weight_knobs(situation: Situation, decision: Decision, place: int) -> Iterator[Weight]:
    """The weight of a node, where one is looked at: under fair sharing, and not at the root.

    Args:
        situation: where.
        decision: made there.
        place: of the node in the decision's tree.
    """
    node = decision.snapshot.tree.nodes[place]
    has_object = node.queue is not None or node.name in situation.cluster.cohorts
    if decision.terms.fair_sharing and node.parent is not None and has_object:
        yield Weight(node.name, node.queue is None)
