"""What is asked: everything that a decision depends on, as one value that can be altered."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from enum import StrEnum

from tenure.model import Cluster, Instant, Outcome, Workload
from tenure.oracle.decide import Decision, decide
from tenure.oracle.snapshot import Snapshot
from tenure.readings import Reading


class Answer(StrEnum):
    """What a flip changes: how the pending workload fares, or whether one running workload is taken."""

    FITS = "fits"
    PREEMPTS = "preempts"
    WAITS = "waits"
    TAKEN = "taken"
    KEPT = "kept"


@dataclass(frozen=True, slots=True)
class Situation:
    """Everything that one decision depends on.

    Args:
        cluster: queues, cohorts, workloads and settings.
        preemptor: the pending workload as its manifest has it, with the priority of its spec.
        queue: name of its ClusterQueue.
        now: the cycle's clock, ns since the epoch.
        reading: see `tenure.readings`.
    """

    cluster: Cluster
    preemptor: Workload
    queue: str
    now: Instant
    reading: Reading

    @classmethod
    def of(cls, decision: Decision) -> Situation:
        """The situation that a decision was made in.

        >>> from tenure.model import ClusterQueue
        >>> from tenure.readings import preset
        >>> waiting = Workload("ns", "w", "u", priority=0, created_at=0)
        >>> asked = Situation(Cluster({"q": ClusterQueue("q")}), waiting, "q", 0, preset("guaranteed"))
        >>> Situation.of(asked.decided()) == asked
        True
        """
        cluster, effective = decision.snapshot.cluster, decision.preemptor
        boost = effective.priority_boost if cluster.settings.priority_boost else 0
        preemptor = effective.with_priority(effective.priority - boost) if boost else effective
        return cls(cluster, preemptor, decision.queue.name, decision.now, decision.reading)

    def decided(self, snapshot: Snapshot | None = None) -> Decision:
        """The decision in this situation.

        Args:
            snapshot: of the same cluster and queue, where it has been taken already.

        Raises:
            InputError: no such ClusterQueue; cohorts that are their own ancestors.
        """
        return decide(
            self.cluster,
            self.preemptor,
            self.queue,
            self.now,
            self.reading,
            assignment=None,
            snapshot=snapshot,
        )

    def at(self, now: Instant) -> Situation:
        """The same situation at another time."""
        return dataclasses.replace(self, now=now)

    def asking(self, preemptor: Workload) -> Situation:
        """The same situation with the pending workload altered, in the cluster's list of them too."""
        pending = tuple(preemptor if each.key == preemptor.key else each for each in self.cluster.pending)
        return dataclasses.replace(self, preemptor=preemptor, cluster=self._cluster(pending=pending))

    def running(self, workload: Workload) -> Situation:
        """The same situation with a running workload altered."""
        admitted = tuple(workload if each.key == workload.key else each for each in self.cluster.admitted)
        return dataclasses.replace(self, cluster=self._cluster(admitted=admitted))

    def with_cluster(self, **fields: object) -> Situation:
        """The same situation with other fields of the cluster."""
        return dataclasses.replace(self, cluster=self._cluster(**fields))

    def _cluster(self, **fields: object) -> Cluster:
        return dataclasses.replace(self.cluster, **fields)  # type: ignore[arg-type] # checked by the callers


def answer_of(decision: Decision, target: str | None = None) -> Answer:
    """What a decision answers.

    Args:
        decision: the decision.
        target: `namespace/name` of a running workload; None asks about the pending one.
    """
    if target is not None:
        taken = any(each.workload.key == target for each in decision.targets)
        return Answer.TAKEN if taken else Answer.KEPT
    return _ANSWERS[decision.outcome]


_ANSWERS = {
    Outcome.FIT: Answer.FITS,
    Outcome.PREEMPT: Answer.PREEMPTS,
    Outcome.NO_CANDIDATES: Answer.WAITS,
    Outcome.NO_FIT: Answer.WAITS,
}
