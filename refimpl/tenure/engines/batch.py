"""Decisions by an engine about many pending workloads of one cluster."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from tenure.choices import Engine
from tenure.engines.choice import (
    WORTH_ARRAYS,
    WORTH_LOADING,
    Core,
    Detail,
    announce_compiling,
    core_of,
    is_compiled,
    require_core,
    worth_of_core,
)
from tenure.engines.memo import Listings, Remembered, Searches, what_decides
from tenure.model import Assignment, Cluster, Instant, Workload
from tenure.oracle.bounded import with_bounded_usage
from tenure.oracle.decide import Decision
from tenure.oracle.decide import decide as decide_by_reference
from tenure.oracle.snapshot import Snapshot, take_snapshot, with_effective_priority
from tenure.oracle.unmodelled import deciding, refuse_unmodelled
from tenure.readings import Reading
from tenure.rules.terms import PreemptionTerms, terms_of

EXPLANATION: Final = "an explanation"
"""Why the core leaves a decision to the reference if findings are needed: it keeps only the victims."""


class Batch:
    """Decisions about many pending workloads of one cluster, each evaluated independently.

    They share what they have in common: a snapshot for each tree, the core's arrays, and the whole decision
    for workloads that no rule distinguishes.

    Args:
        engine: who decides; `Engine.AUTO` goes over from the reference to the core where much is searched.
        cluster: every workload under `admitted` holds quota.
        now: the cycle's one clock value, ns since the epoch.
        reading: see `tenure.readings`.
        detail: the parts of the decisions that are needed.
        searched: how many workloads the searches of earlier cycles have looked at.
        taken: the snapshot of the tree around a ClusterQueue, where it is known; what `take_snapshot` makes.

    Raises:
        InputError: the core is asked for and NumPy is not installed.

    >>> from tenure.model import ClusterQueue
    >>> from tenure.readings import preset
    >>> batch = Batch(Engine.AUTO, Cluster({"q": ClusterQueue("q")}), 0, preset("guaranteed"))
    >>> batch.decide(Workload("ns", "w", "u", priority=0, created_at=0), "q").outcome.value
    'Fit'
    """

    def __init__(
        self,
        engine: Engine,
        cluster: Cluster,
        now: Instant,
        reading: Reading,
        *,
        detail: Detail = Detail.CANDIDATES,
        searched: int = 0,
        taken: Callable[[str], Snapshot] | None = None,
    ) -> None:
        if engine == Engine.FAST:
            require_core()
        self._is_explained = detail == Detail.FINDINGS
        self._engine = Engine.REFERENCE if engine == Engine.AUTO and self._is_explained else engine
        self._cluster, self._now, self._reading = cluster, now, reading
        self._expected, self._searched = 0, searched
        self._core: Core | None = None
        self._worth = 0
        self._taken = taken or (lambda name: take_snapshot(cluster, name, self._now, reading))
        self._trees: dict[str, Snapshot] = {}
        self._around: dict[str, Snapshot] = {}
        self._terms: dict[str, PreemptionTerms] = {}
        self._searches = Searches(keep_all=detail != Detail.TARGETS)
        self._known: Remembered[Decision] = Remembered()

    def go_on(self, now: Instant, expected: int) -> None:
        """Decide at another instant from now on, at which all decisions are what they were.

        Args:
            now: the clock, ns since the epoch; nothing has run out since the last instant.
            expected: how many workloads will be looked at in searches from now on.
        """
        self._now = now
        self._expected = max(self._expected, expected)

    def snapshot(self, queue_name: str) -> Snapshot:
        """The tree around a ClusterQueue; those of one tree share all that does not depend on the queue.

        Raises:
            InputError: as `take_snapshot`, and as `with_bounded_usage`.
        """
        around = self._around.get(queue_name)
        if around is None:
            known = self._trees.get(queue_name)
            if known is None:
                known = with_bounded_usage(self._taken(queue_name))
                self._trees.update(dict.fromkeys(known.tree.places, known))
            around = self._around[queue_name] = known.around(queue_name)
        return around

    def decide(self, preemptor: Workload, queue_name: str, assignment: Assignment | None = None) -> Decision:
        """Decide for one pending workload.

        Args:
            preemptor: the pending workload.
            queue_name: its ClusterQueue.
            assignment: the flavors that are given; None where they are searched.

        Raises:
            InputError, WrongClaimError: as `decide`.
        """
        snapshot = self.snapshot(queue_name)
        refuse_unmodelled(deciding(snapshot))
        self._choose_engine()
        effective = with_effective_priority(preemptor, self._cluster, self._now, self._reading)
        # The rules of a PreemptionConfig tell workloads apart that nothing else does.
        if assignment is not None or snapshot.queue.preemption_config is not None:
            return self._decided(preemptor, effective, snapshot, assignment)
        name = snapshot.queue.name
        if name not in self._terms:
            self._terms[name] = terms_of(snapshot.queue, self._cluster.settings, self._reading)
        age = self._searches.age(effective, self._terms[name], snapshot, self._now)
        alike = what_decides(effective, name, age)
        known = self._known.get(alike)
        if known is not None:
            return replace(known, preemptor=effective, now=self._now)
        decided = self._decided(preemptor, effective, snapshot, None)
        if not decided.left:
            self._known.keep(alike, decided, 1 + len(decided.targets) + len(decided.candidates))
        return decided

    def _decided(
        self, preemptor: Workload, effective: Workload, snapshot: Snapshot, assignment: Assignment | None
    ) -> Decision:
        """As `decide`, of one who is not known."""
        arguments = preemptor, snapshot.queue.name, self._now, self._reading, assignment

        def by_reference() -> Decision:
            return decide_by_reference(self._cluster, *arguments, snapshot=snapshot, search=self._searches)

        if self._engine != Engine.FAST:
            return by_reference()
        if self._is_explained:
            return by_reference().left_by_core(EXPLANATION)
        self._core = self._core or core_of(self._cluster)
        return self._core.decide(arguments, effective, snapshot, by_reference)

    def _choose_engine(self) -> None:
        here = max(self._searches.looked_at, self._expected)
        # What fits needs no search, and no core.
        if self._engine != Engine.AUTO or not self.searched or here < WORTH_ARRAYS:
            return
        if max(here, self.searched) < WORTH_LOADING:
            return
        self._worth = self._worth or worth_of_core(self._cluster)
        if here >= self._worth or self._worth == WORTH_LOADING:
            self._engine = Engine.FAST if is_compiled() else Engine.REFERENCE
            self._known = Remembered()
            if self._engine == Engine.FAST:
                announce_compiling(by_shares=self._cluster.settings.fair_sharing is not None)

    @property
    def listings(self) -> Listings:
        """The candidates that were listed, for decisions on snapshots that some workloads have left."""
        return self._searches.listings

    @property
    def searched(self) -> int:
        """How many workloads searches have looked at, here and before."""
        return self._searched + self._searches.looked_at
