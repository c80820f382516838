"""One preemption decision: which workloads are preempted so that a pending one fits, if any may be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

from tenure.choices import Outcome
from tenure.model import (
    Amounts,
    Assignment,
    Cluster,
    ClusterQueue,
    Instant,
    NotModelled,
    SelectedBy,
    Target,
    Workload,
)
from tenure.oracle.assignment import NOTHING, PODS, Assigner
from tenure.oracle.bounded import require_bounded_search, with_bounded_usage
from tenure.oracle.door import take_configured_target, take_target
from tenure.oracle.heroes.plan import kin_between
from tenure.oracle.partial import Trial, try_counts
from tenure.oracle.question import Attempt, Candidate, Question, Selection
from tenure.oracle.search import Search, find_targets
from tenure.oracle.snapshot import Snapshot, take_snapshot, with_effective_priority
from tenure.oracle.topology import takes_part
from tenure.oracle.unmodelled import deciding, refuse_unmodelled
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
        trial: the flavors the preemptor would get, and the search for targets.
        terms: what holds for the preemptor.
        reading: the reading decided under.
        now: the cycle's clock, ns since the epoch.
        engine: who decided, by the name in the protocol.
        left: why the optimized core left it to the reference; empty if it was not requested, or decided.
        trials: the numbers of pods that were tried, in order; none where the assignment was given, or the
            ClusterQueue is inactive.
        held: why the preemptor is not queued, so that nothing comes of any decision; empty where it is.
        otherwise: what would be decided if it were queued; None where it is.
        configured: by key, what of a PreemptionConfig selects each target; only where no search is kept.
    """

    outcome: Outcome
    targets: tuple[Target, ...]
    preemptor: Workload
    snapshot: Snapshot
    trial: Trial
    terms: PreemptionTerms
    reading: Reading
    now: Instant
    engine: str = "reference"
    left: str = ""
    trials: tuple[Trial, ...] = ()
    held: str = ""
    otherwise: Decision | None = None
    configured: Mapping[str, SelectedBy] | None = None

    def __repr__(self) -> str:
        """The workload, the outcome and the victims, in a line."""
        victims = [target.workload.key for target in self.targets]
        more = f" and {len(victims) - 4} more" if len(victims) > 4 else ""
        preempts = f", preempts {', '.join(victims[:4])}{more}" if victims else ""
        reading = f"reading {self.reading.name}"
        return f"<Decision on {self.preemptor.key}: {self.outcome.value}{preempts}; {reading}>"

    def as_held(self, why: str) -> Decision:
        """The decision about the same workload while it is not queued.

        Args:
            why: why it is not; empty where it is.
        """
        if not why:
            return self
        nothing = Trial((), NOTHING, (), None)
        no_fit = replace(self, outcome=Outcome.NO_FIT, targets=(), trial=nothing, trials=())
        return replace(no_fit, held=why, otherwise=self)

    def left_by_core(self, what: str) -> Decision:
        """The same decision, with why the optimized core did not make it."""
        return replace(self, left=what)

    @property
    def assignment(self) -> Assignment:
        """The flavors the preemptor would get."""
        return self.trial.assignment

    @property
    def not_modelled(self) -> tuple[NotModelled, ...]:
        """Conditions of Kueue that this decision leaves out; empty if they could not change the outcome.

        Where no flavor serves a request by quota, no topology helps. Otherwise Kueue also looks for a place
        in a topology, and may wait or preempt others where there is none.
        """
        if self.outcome == Outcome.NO_FIT or not takes_part(
            self.preemptor, self.queue, self.snapshot.cluster
        ):
            return ()
        return (NotModelled.TOPOLOGY,)

    @property
    def selection(self) -> Selection | None:
        """The search for targets; None when no preemption is needed."""
        return self.trial.selection

    @property
    def queue(self) -> ClusterQueue:
        """The preemptor's ClusterQueue."""
        return self.snapshot.queue

    @property
    def running(self) -> tuple[Workload, ...]:
        """The workloads that hold quota in the tree, by name."""
        admitted = (workload for workloads in self.snapshot.running.values() for workload in workloads)
        return tuple(sorted(admitted, key=lambda workload: workload.key))

    @property
    def usage(self) -> Amounts:
        """What the workloads of the preemptor's ClusterQueue hold together."""
        return self.snapshot.usage[self.snapshot.place]

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """The candidates, in order; empty when no preemption is needed."""
        return () if self.selection is None else self.selection.candidates

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        """The attempts of its search, in order; empty when no preemption is needed."""
        return () if self.selection is None else self.selection.attempts

    def selected_by_config(self, workload: Workload) -> SelectedBy | None:
        """What of a PreemptionConfig selects a candidate; None where `spec.preemption` names it."""
        if self.queue.preemption_config is None or self.selection is None:
            return None if self.configured is None else self.configured.get(workload.key)
        # One that was passed over before has its turn again, and is removed by its selectors then.
        every = (*self.selection.removed, *self.candidates)
        return next((found.selected for found in every if found.workload.key == workload.key), None)


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
            the reading refuses, of the workload or of one that runs in its tree; usage that is not bounded,
            see `tenure.oracle.bounded`; what decides and is not modelled.

    Source: KEP-8522; KEP-8826; Kueue main of August 2026, flavor assigner and preemptor.
    """
    if snapshot is None:
        snapshot = with_bounded_usage(take_snapshot(cluster, queue_name, now, reading))
    refuse_unmodelled(deciding(snapshot))
    preemptor = with_effective_priority(preemptor, cluster, now, reading)
    terms = terms_of(snapshot.queue, cluster.settings, reading)
    chosen, trials = _try(snapshot, preemptor, terms, now, assignment, search)
    kept = () if chosen.selection is None else chosen.selection.kept
    found = _within_bounds(snapshot, preemptor, chosen, kept)
    return _decided(snapshot, preemptor, found, kept, terms, reading, now, trials)


def _within_bounds(
    snapshot: Snapshot, preemptor: Workload, trial: Trial, kept: tuple[Candidate, ...]
) -> Trial:
    require_bounded_search(snapshot, preemptor, trial.assignment.usage, _outcome(trial.assignment, kept))
    return trial


def _decided(
    snapshot: Snapshot,
    preemptor: Workload,
    trial: Trial,
    kept: tuple[Candidate, ...],
    terms: PreemptionTerms,
    reading: Reading,
    now: Instant,
    trials: tuple[Trial, ...],
) -> Decision:
    return Decision(
        outcome=_outcome(trial.assignment, kept),
        targets=tuple(_taken(snapshot, preemptor, chosen, terms, now) for chosen in kept),
        preemptor=preemptor,
        snapshot=snapshot,
        trial=trial,
        terms=terms,
        reading=reading,
        now=now,
        trials=trials,
    )


def _taken(
    snapshot: Snapshot, preemptor: Workload, chosen: Candidate, terms: PreemptionTerms, now: Instant
) -> Target:
    if chosen.selected is not None:
        return take_configured_target(preemptor, chosen.workload, chosen.selected)
    # The door receives the usage of the tree, not the one that a search has carried along.
    kin = kin_between(snapshot.heroes, snapshot.place, chosen.place)
    return take_target(preemptor, chosen.workload, chosen.evidence, terms, now, kin)


def question_about(decision: Decision) -> Question:
    """The search for targets that a decision calls for.

    Args:
        decision: any.
    """
    return question_of(
        decision.snapshot, decision.preemptor, decision.assignment, decision.terms, decision.now
    )


def question_of(
    snapshot: Snapshot, preemptor: Workload, assignment: Assignment, terms: PreemptionTerms, now: Instant
) -> Question:
    """The search for targets that an assignment calls for.

    Args:
        snapshot: the tree around the preemptor's ClusterQueue.
        preemptor: the pending workload, with its effective priority.
        assignment: the flavors it would get.
        terms: what holds for it.
        now: the scheduling cycle's one clock value, ns since the epoch.
    """
    return Question(
        snapshot=snapshot,
        preemptor=preemptor,
        needed=assignment.needs_preemption,
        request=searched_request(assignment),
        terms=terms,
        now=now,
    )


def searched_request(assignment: Assignment) -> Amounts:
    """What the search for targets has to make fit: the whole request, except a number of pods.

    A ClusterQueue may cover `pods`; the assigner counts them, Kueue's search for targets does not.

    >>> from tenure.model import FlavorResource
    >>> cpu, pods = FlavorResource("f", "cpu"), FlavorResource("f", "pods")
    >>> list(searched_request(Assignment({cpu: 1000, pods: 2}, frozenset({cpu, pods}))))
    [FlavorResource(flavor='f', resource='cpu')]
    """
    return {
        flavor_resource: amount
        for flavor_resource, amount in assignment.usage.items()
        if amount > 0 and flavor_resource.resource != PODS
    }


def _try(
    snapshot: Snapshot,
    preemptor: Workload,
    terms: PreemptionTerms,
    now: Instant,
    given: Assignment | None,
    search: Search,
) -> tuple[Trial, tuple[Trial, ...]]:
    """The trial that is decided on, and every trial of a derived assignment."""
    searched = partial(_searched, snapshot, preemptor, terms, now, search)
    if snapshot.queue.inactive:
        return Trial((), NOTHING, (), None), ()
    if given is not None:
        return Trial((), given, (), searched(given)), ()
    return try_counts(Assigner(snapshot, preemptor, terms, now, search), searched)


def _searched(
    snapshot: Snapshot,
    preemptor: Workload,
    terms: PreemptionTerms,
    now: Instant,
    search: Search,
    assignment: Assignment,
) -> Selection | None:
    """The search for targets that an assignment calls for, where it calls for one."""
    if assignment.fits and assignment.needs_preemption:
        return search(question_of(snapshot, preemptor, assignment, terms, now))
    return None


def _outcome(assignment: Assignment, kept: tuple[Candidate, ...]) -> Outcome:
    if not assignment.fits:
        return Outcome.NO_FIT
    if not assignment.needs_preemption:
        return Outcome.FIT
    return Outcome.PREEMPT if kept else Outcome.NO_CANDIDATES
