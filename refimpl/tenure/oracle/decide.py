"""One preemption decision: who leaves so that a pending workload fits, if anybody may."""

from __future__ import annotations

from dataclasses import dataclass

from tenure.model import (
    Amounts,
    Assignment,
    Cluster,
    ClusterQueue,
    Instant,
    Outcome,
    Target,
    Workload,
)
from tenure.oracle.assignment import PODS, Assigner
from tenure.oracle.door import take_target
from tenure.oracle.heroes.plan import kin_between
from tenure.oracle.partial import find_reduced
from tenure.oracle.question import Candidate, Question, Selection
from tenure.oracle.search import Search, find_targets
from tenure.oracle.snapshot import Snapshot, take_snapshot, with_effective_priority
from tenure.readings import Reading
from tenure.rules.terms import PreemptionTerms, terms_of


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided, and everything an explanation needs.

    Args:
        outcome: Fit, Preempt, NoCandidates or NoFit.
        targets: who is preempted, in the order of removal.
        preemptor: the pending workload, with its effective priority.
        snapshot: the tree around its ClusterQueue.
        assignment: the flavors the preemptor would get.
        selection: the search for targets; None when nobody needs to be asked.
        terms: what holds for the preemptor.
        reading: the reading decided under.
        now: the cycle's clock, ns since the epoch.
        engine: who decided, by the name in the protocol.
        left: why the optimized core left it to the reference; empty where it was not asked, or answered.
    """

    outcome: Outcome
    targets: tuple[Target, ...]
    preemptor: Workload
    snapshot: Snapshot
    assignment: Assignment
    selection: Selection | None
    terms: PreemptionTerms
    reading: Reading
    now: Instant
    engine: str = "reference"
    left: str = ""

    def left_by_core(self, what: str) -> Decision:
        """The same decision, with why the optimized core did not make it."""
        return Decision(
            self.outcome,
            self.targets,
            self.preemptor,
            self.snapshot,
            self.assignment,
            self.selection,
            self.terms,
            self.reading,
            self.now,
            self.engine,
            what,
        )

    @property
    def queue(self) -> ClusterQueue:
        """The preemptor's ClusterQueue."""
        return self.snapshot.queue

    @property
    def running(self) -> tuple[Workload, ...]:
        """The workloads that hold quota in the tree, by name."""
        everybody = (each for workloads in self.snapshot.running.values() for each in workloads)
        return tuple(sorted(everybody, key=lambda workload: workload.key))

    @property
    def usage(self) -> Amounts:
        """What the workloads of the preemptor's ClusterQueue hold together."""
        return self.snapshot.usage[self.snapshot.place]

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """Who may be taken, in order; empty when nobody needs to be asked."""
        return () if self.selection is None else self.selection.candidates


def decide(
    cluster: Cluster,
    preemptor: Workload,
    queue_name: str,
    now: Instant,
    reading: Reading,
    assignment: Assignment | None = None,
    snapshot: Snapshot | None = None,
    search: Search = find_targets,
) -> Decision:
    """Decide for one pending workload.

    Args:
        cluster: the snapshot; every workload under `admitted` holds quota.
        preemptor: the pending workload.
        queue_name: its ClusterQueue.
        now: the scheduling cycle's one clock value, ns since the epoch.
        reading: see `tenure.readings`.
        assignment: the flavors it would get; None derives them.
        snapshot: what `take_snapshot` returned for the same cluster, queue, clock and reading, where several
            decisions are made.
        search: finds targets.

    Raises:
        InputError: no such ClusterQueue; cohorts that are their own ancestors; a WorkloadPriorityClass that
            the reading refuses.

    Source: KEP-8522; KEP-8826; Kueue main of August 2026, flavor assigner and preemptor.
    """
    if snapshot is None:
        snapshot = take_snapshot(cluster, queue_name, now, reading)
    preemptor = with_effective_priority(preemptor, cluster, now, reading)
    terms = terms_of(snapshot.queue, cluster.settings, reading)
    assigned, selection = _assign_and_search(snapshot, preemptor, terms, now, assignment, search)
    kept = () if selection is None else selection.kept
    return Decision(
        outcome=_outcome(assigned, kept),
        targets=tuple(_taken(snapshot, preemptor, chosen, terms, now) for chosen in kept),
        preemptor=preemptor,
        snapshot=snapshot,
        assignment=assigned,
        selection=selection,
        terms=terms,
        reading=reading,
        now=now,
    )


def _taken(
    snapshot: Snapshot, preemptor: Workload, chosen: Candidate, terms: PreemptionTerms, now: Instant
) -> Target:
    # The door is told what the tree says, not what a search has carried along.
    kin = kin_between(snapshot.heroes, snapshot.place, chosen.place)
    return take_target(preemptor, chosen.workload, chosen.evidence, terms, now, kin)


def searched_request(assignment: Assignment) -> Amounts:
    """What the search for targets makes room for: all that is asked, except a number of pods.

    A ClusterQueue may cover `pods`; the assigner counts them, Kueue's search for targets does not.

    >>> from tenure.model import FlavorResource
    >>> cpu, pods = FlavorResource("f", "cpu"), FlavorResource("f", "pods")
    >>> list(searched_request(Assignment({cpu: 1000, pods: 2}, frozenset({cpu, pods}))))
    [FlavorResource(flavor='f', resource='cpu')]
    """
    return {
        asked: amount for asked, amount in assignment.usage.items() if amount > 0 and asked.resource != PODS
    }


def _assign_and_search(
    snapshot: Snapshot,
    preemptor: Workload,
    terms: PreemptionTerms,
    now: Instant,
    given: Assignment | None,
    search: Search,
) -> tuple[Assignment, Selection | None]:
    def searched(assignment: Assignment) -> Selection | None:
        if not (assignment.fits and assignment.needs_preemption):
            return None
        return search(
            Question(
                snapshot=snapshot,
                preemptor=preemptor,
                needed=assignment.needs_preemption,
                request=searched_request(assignment),
                terms=terms,
                now=now,
            )
        )

    if snapshot.queue.inactive:
        return Assignment(usage={}, needs_preemption=frozenset(), fits=False), None
    if given is not None:
        return given, searched(given)
    assigner = Assigner(snapshot, preemptor, terms, now, search)
    full = assigner.assign()
    selection = searched(full)
    if (full.fits and not full.needs_preemption) or (selection is not None and selection.kept):
        return full, selection
    return find_reduced(assigner, searched) or (full, selection)


def _outcome(assignment: Assignment, kept: tuple[Candidate, ...]) -> Outcome:
    if not assignment.fits:
        return Outcome.NO_FIT
    if not assignment.needs_preemption:
        return Outcome.FIT
    return Outcome.PREEMPT if kept else Outcome.NO_CANDIDATES
