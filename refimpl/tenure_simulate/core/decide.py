"""One preemption decision on arrays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tenure.choices import Outcome
from tenure.model import Amounts, Assignment, Basis, Instant, Reason, Workload
from tenure.readings import Reading
from tenure.rules.eligibility import preemption_reason
from tenure_simulate.core.arrays import Arrays
from tenure_simulate.core.assignment import NO_FIT, CoreAssigner, reduced
from tenure_simulate.core.flavors import PODS
from tenure_simulate.core.search import NO_VICTIMS, Found, Searcher, searcher
from tenure_simulate.core.uncovered import Uncovered

_WHY: dict[int, tuple[Basis, Reason]] = {
    # Whom a PreemptionConfig selects, no rule of `spec.preemption` allows.
    Basis.NONE.value: (Basis.NONE, Reason.CONFIGURABLE_PREEMPTION),
    **{basis.value: (basis, preemption_reason(basis)) for basis in Basis if basis != Basis.NONE},
}
"""By the number of a basis."""


class Claim(NamedTuple):
    """Who is to be preempted, as the core has it; `tenure.engines` makes targets of claims, by the one door.

    Args:
        row: in the store, until that changes.
        key: `namespace/name`.
        basis, reason: why, by the core's own account.
    """

    row: int
    key: str
    basis: Basis
    reason: Reason


class CoreAnswer(NamedTuple):
    """A decision as a view of arrays.

    Args:
        outcome: Fit, Preempt, NoCandidates or NoFit.
        found: rows and claimed bases of who is to be preempted, in the order of removal.
        assignment: the flavors the preemptor would get.
        arrays: the store that the rows are of.
    """

    outcome: Outcome
    found: Found
    assignment: Assignment
    arrays: Arrays

    def claims(self) -> Iterator[Claim]:
        """Who is to be preempted, made one after the other."""
        rows = self.found.rows
        names = self.arrays.columns.names.at(rows)
        for row, name, number in zip(rows.tolist(), names, self.found.bases.tolist(), strict=True):
            basis, reason = _WHY[number]
            yield Claim(row, name, basis, reason)


def decide(
    arrays: Arrays,
    preemptor: Workload,
    queue_name: str,
    now: Instant,
    reading: Reading,
    assignment: Assignment | None = None,
) -> CoreAnswer:
    """Decide for one pending workload. What comes out is claimed; `tenure.engines.decide` has it checked.

    Args:
        arrays: the cluster.
        preemptor: the pending workload.
        queue_name: its ClusterQueue.
        now: the scheduling cycle's one clock value, ns since the epoch.
        reading: see `tenure.readings`.
        assignment: the flavors it would get; None derives them.

    Raises:
        KeyError: no such ClusterQueue.
        Uncovered: what the core leaves to the reference.

    Source: as `tenure.oracle.decide.decide`, of which this is the optimized form.
    """
    queue = arrays.cluster.cluster_queues[queue_name]
    if queue.inactive:
        return CoreAnswer(Outcome.NO_FIT, NO_VICTIMS, NO_FIT, arrays)
    searching = searcher(arrays, preemptor, queue, now, reading)
    try:
        assignment, found = _assigned(searching, preemptor, assignment)
    except OverflowError:
        raise Uncovered("a number beyond 64 bits") from None
    return CoreAnswer(outcome_of(assignment, found), found, assignment, arrays)


def _assigned(searching: Searcher, preemptor: Workload, given: Assignment | None) -> tuple[Assignment, Found]:
    if given is not None:
        return given, search(searching, given)

    def searched_for(assignment: Assignment) -> Found:
        return search(searching, assignment)

    assigner = CoreAssigner(searching, preemptor)
    full = assigner.assign()
    found = searched_for(full)
    if outcome_of(full, found) in (Outcome.FIT, Outcome.PREEMPT):
        return full, found
    return reduced(assigner, searched_for) or (full, found)


def search(searching: Searcher, assignment: Assignment) -> Found:
    """The victims for an assignment; none where none is needed or none could help."""
    if not (assignment.fits and assignment.needs_preemption):
        return NO_VICTIMS
    return searching.find(assignment.needs_preemption, searched(assignment.usage))


def searched(usage: Amounts) -> Amounts:
    """What a search has to make fit: all requests, except a number of pods."""
    return {
        requested: amount for requested, amount in usage.items() if amount > 0 and requested.resource != PODS
    }


def outcome_of(assignment: Assignment, found: Found) -> Outcome:
    """The decision in one word."""
    if not assignment.fits:
        return Outcome.NO_FIT
    if not assignment.needs_preemption:
        return Outcome.FIT
    return Outcome.PREEMPT if len(found.rows) else Outcome.NO_CANDIDATES
