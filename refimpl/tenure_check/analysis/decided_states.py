"""Many states of one configuration decided, which is read, and of which every tree is built, once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace

from tenure.conformance.requests import DecideRequest
from tenure.explanation.answers import sentence
from tenure.explanation.explain import explain_workload
from tenure.explanation.verdicts import remark_lines
from tenure.model import Cluster, ClusterQueue
from tenure.oracle.decide import Decision
from tenure.oracle.tree import build_tree
from tenure_check.analysis.states import CellQuery, Example, States, hits_of, reread

WORKLOADS = "admitted", "pending", "local_queues"
"""Fields of a cluster on which no tree depends."""


class Deciding:
    """Decides states of a configuration as `tenure_check.analysis.states.decided` does.

    >>> from tenure_check.analysis.states import NOW, decided
    >>> from tenure.model import ClusterQueue, Workload
    >>> from tenure.readings import preset
    >>> cluster = Cluster({"q": ClusterQueue("q")})
    >>> waiting = Workload("ns", "new", "u", priority=0, created_at=0)
    >>> request = DecideRequest(cluster, waiting, "q", NOW, preset("guaranteed"), None, explained=False)
    >>> Deciding().decided(request) == decided(request)
    True
    """

    def __init__(self) -> None:
        self._states: dict[str, tuple[DecideRequest, States]] = {}

    def decided(self, request: DecideRequest) -> Decision:
        """What the reference decides about a state; of another configuration all trees are built again."""
        known = self._states.get(request.queue)
        if known is None or not _are_configured_alike(known[0], request):
            tree = build_tree(request.cluster, request.cluster.cluster_queues[request.queue])
            known = request, States(request.cluster, tree, request.reading, ())
            self._states |= dict.fromkeys(tree.places, known)
        return known[1].decided(request)


def _are_configured_alike(one: DecideRequest, other: DecideRequest) -> bool:
    """Whether two states are of one configuration: all but workloads is the same object."""
    names = (field.name for field in fields(Cluster) if field.name not in WORKLOADS)
    same = all(getattr(one.cluster, name) is getattr(other.cluster, name) for name in names)
    return same and one.reading == other.reading


def why_preempted(decision: Decision, victim: str) -> Iterator[str]:
    """Why a workload is preempted, as `tenure why` prints it: in a sentence, then by rule.

    Args:
        decision: in which it is.
        victim: its key.
    """
    for workload in decision.running:
        if workload.key == victim:
            explained = explain_workload(decision, workload)
            yield sentence(victim, explained.verdict, decision.preemptor.key)
            yield from remark_lines(explained.remarks)


class Replays:
    """States of one configuration written as manifests, read again and decided; it is read once for all."""

    def __init__(self) -> None:
        self._read: Cluster | None = None
        self._deciding = Deciding()

    def decided(self, request: DecideRequest) -> Decision:
        """What the reference decides about a state that was written as manifests and read again."""
        return self._deciding.decided(self._reread(request))

    def is_replayed(self, cell: CellQuery, example: Example) -> bool:
        """Whether the example, written as manifests and read again, preempts the victim of the cell."""
        again = self._reread(example.request)
        return any(found == cell for found, _ in hits_of(again, self._deciding.decided(again)))

    def _reread(self, request: DecideRequest) -> DecideRequest:
        if self._read is None:
            self._read = reread(request).cluster
        # Of the fields of ClusterQueues only a PreemptionConfig decides what is read of workloads.
        config = request.cluster.cluster_queues[request.queue].preemption_config
        bare = {request.queue: ClusterQueue(request.queue, preemption_config=config)}
        alone = replace(request.cluster, cluster_queues=bare, cohorts={}, flavors={})
        workloads = reread(replace(request, cluster=alone))
        return replace(workloads, cluster=replace(self._read, admitted=workloads.cluster.admitted))
