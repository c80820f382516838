"""One preemption decision: who leaves so that a pending workload fits, if anybody may."""

from __future__ import annotations

from dataclasses import dataclass

from tenure.errors import bad_input, not_modelled
from tenure.model import (
    Amount,
    Amounts,
    Assignment,
    Cluster,
    ClusterQueue,
    FlavorResource,
    Instant,
    Outcome,
    Target,
    Workload,
)
from tenure.oracle.assignment import derive_assignment
from tenure.oracle.candidates import Candidate, find_candidates
from tenure.oracle.door import take_target
from tenure.oracle.selection import fill_back, remove_until_fits
from tenure.readings import Reading
from tenure.rules.quota import fits_quota
from tenure.rules.terms import PreemptionTerms, terms_of


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided, and everything an explanation needs.

    Args:
        outcome: Fit, Preempt, NoCandidates or NoFit.
        targets: who is preempted, in the order of removal.
        preemptor: the pending workload.
        queue: its ClusterQueue.
        running: the workloads that hold quota of that queue.
        usage: what they hold together.
        assignment: the flavors the preemptor would get.
        candidates: who may be taken, in order; empty when nobody needs to be asked.
        removed: how many of the candidates were removed before the request fitted.
        spared: removed candidates that fill-back gave their quota back.
        terms: what holds in the queue.
        reading: the reading decided under.
        now: the cycle's clock, ns since the epoch.
    """

    outcome: Outcome
    targets: tuple[Target, ...]
    preemptor: Workload
    queue: ClusterQueue
    running: tuple[Workload, ...]
    usage: Amounts
    assignment: Assignment
    candidates: tuple[Candidate, ...]
    removed: int
    spared: tuple[Workload, ...]
    terms: PreemptionTerms
    reading: Reading
    now: Instant


def decide(
    cluster: Cluster,
    preemptor: Workload,
    queue_name: str,
    now: Instant,
    reading: Reading,
    assignment: Assignment | None = None,
) -> Decision:
    """Decide for one pending workload.

    Args:
        cluster: the snapshot; every workload under `admitted` holds quota.
        preemptor: the pending workload.
        queue_name: its ClusterQueue.
        now: the scheduling cycle's one clock value, ns since the epoch.
        reading: see `tenure.readings`.
        assignment: the flavors it would get; None derives them.

    Raises:
        InputError: no such ClusterQueue, or one that needs what is not modelled yet (a cohort).

    Source: KEP-8522; Kueue main of August 2026, classical selection among candidates of the own queue.
    """
    queue = _standalone(cluster, queue_name)
    running = tuple(workload for workload in cluster.admitted if workload.cluster_queue == queue_name)
    usage = total_usage(running)
    if assignment is None:
        assignment = derive_assignment(preemptor, queue, cluster, usage)
    terms = terms_of(queue, cluster.settings, reading)
    candidates: tuple[Candidate, ...] = ()
    if assignment.fits and assignment.needs_preemption:
        candidates = find_candidates(preemptor, running, assignment.needs_preemption, terms, now)
    kept, removed, spared = _select(candidates, usage, assignment.usage, queue.nominal())
    return Decision(
        outcome=_outcome(assignment, kept),
        targets=tuple(
            take_target(preemptor, chosen.workload, chosen.evidence, terms, now) for chosen in kept
        ),
        preemptor=preemptor,
        queue=queue,
        running=running,
        usage=usage,
        assignment=assignment,
        candidates=candidates,
        removed=removed,
        spared=tuple(candidate.workload for candidate in spared),
        terms=terms,
        reading=reading,
        now=now,
    )


def total_usage(running: tuple[Workload, ...]) -> dict[FlavorResource, Amount]:
    """What a set of workloads holds together, per flavor-resource."""
    total: dict[FlavorResource, Amount] = {}
    for workload in running:
        for held, amount in workload.usage.items():
            total[held] = total.get(held, 0) + amount
    return total


def fits_beside(usage: Amounts, request: Amounts, nominal: Amounts) -> bool:
    """Whether a whole request fits beside what is in use; what is not asked for does not matter.

    >>> gpu = FlavorResource("a100", "nvidia.com/gpu")
    >>> fits_beside({gpu: 3}, {gpu: 1}, {gpu: 4})
    True
    """
    return all(
        fits_quota(usage.get(asked, 0), amount, nominal.get(asked, 0))
        for asked, amount in request.items()
        if amount > 0
    )


def _standalone(cluster: Cluster, name: str) -> ClusterQueue:
    queue = cluster.cluster_queues.get(name)
    if queue is None:
        known = ", ".join(sorted(cluster.cluster_queues)) or "none is given"
        raise bad_input("clusterQueue", name, f"the name of a given ClusterQueue: {known}")
    if queue.cohort is not None:
        raise not_modelled(
            "spec.cohortName", repr(queue.cohort), "preemption across a cohort", object=f"ClusterQueue/{name}"
        )
    return queue


def _select(
    candidates: tuple[Candidate, ...], usage: Amounts, request: Amounts, nominal: Amounts
) -> tuple[tuple[Candidate, ...], int, tuple[Candidate, ...]]:
    """Those who are taken, how many were removed on the way, and those whom fill-back spares."""

    def fits(in_use: Amounts) -> bool:
        return fits_beside(in_use, request, nominal)

    removal = remove_until_fits(candidates, usage, fits, _without)
    if not removal.fits:
        return (), removal.removed, ()
    filled = fill_back(candidates[: removal.removed], removal.usage, fits, _with)
    return filled.kept, removal.removed, filled.spared


def _without(usage: Amounts, candidate: Candidate) -> Amounts:
    held = candidate.workload.usage
    return {place: amount - held.get(place, 0) for place, amount in usage.items()}


def _with(usage: Amounts, candidate: Candidate) -> Amounts:
    held = candidate.workload.usage
    return {place: amount + held.get(place, 0) for place, amount in usage.items()}


def _outcome(assignment: Assignment, kept: tuple[Candidate, ...]) -> Outcome:
    if not assignment.fits:
        return Outcome.NO_FIT
    if not assignment.needs_preemption:
        return Outcome.FIT
    return Outcome.PREEMPT if kept else Outcome.NO_CANDIDATES
