"""The fair-sharing weights of queues and cohorts, which a flip may change."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass

from tenure.model import NANO, ClusterQueue, Cohort
from tenure.oracle.decide import Decision
from tenure.telling.flips.knob import Listed, Value
from tenure.telling.flips.situation import Situation

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
        """Round weights. Where exactly shares become equal is a fraction that nobody sets."""
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
