"""Which numbers of pods were tried: all of them, then what partial admission tries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tenure.model import Assignment
from tenure.oracle.assignment import Assigner
from tenure.oracle.decide import Decision
from tenure.oracle.partial import find_reduced
from tenure.oracle.question import Selection
from tenure.oracle.search import find_targets
from tenure.telling.findings.question import question_of


@dataclass(frozen=True, slots=True)
class PodCount:
    """A number of pods of a pod set."""

    pod_set: str
    """Its name."""
    count: int
    """How many."""


@dataclass(frozen=True, slots=True)
class CountTrial:
    """Numbers of pods that were tried: all of them first, then what partial admission tries."""

    pods: tuple[PodCount, ...]
    """How many of each pod set."""
    served: bool
    """Whether they fit, alone or with targets."""
    text: str
    """What came of it."""


@dataclass(frozen=True)
class _Counting(Assigner):
    """An assigner that notes the counts that it is asked for."""

    asked: list[Sequence[int]] = field(default_factory=list)

    def assign(self, counts: Sequence[int] | None = None) -> Assignment:
        self.asked.append(_full(self) if counts is None else tuple(counts))
        return super().assign(counts)


def count_trials(decision: Decision) -> tuple[CountTrial, ...]:
    """The numbers of pods that were tried, in order: the first all of them, the others by partial admission.

    Args:
        decision: one whose flavors were derived; where the ClusterQueue is inactive nothing was tried.

    Source: KQ-600, KQ-610, asked again.
    """
    if decision.queue.inactive:
        return ()
    assigner = _Counting(decision.snapshot, decision.preemptor, decision.terms, decision.now)
    found: list[tuple[Assignment, Selection | None]] = []

    def search(assignment: Assignment) -> Selection | None:
        needs = assignment.fits and assignment.needs_preemption
        selection = find_targets(question_of(decision, assignment)) if needs else None
        found.append((assignment, selection))
        return selection

    full = assigner.assign()
    selection = search(full)
    if not _is_served(full, selection):
        find_reduced(assigner, search)
    return tuple(
        _trial(decision, counts, assignment, selection)
        for counts, (assignment, selection) in zip(assigner.asked, found, strict=True)
    )


def _trial(
    decision: Decision, counts: Sequence[int], assignment: Assignment, selection: Selection | None
) -> CountTrial:
    asked = zip(decision.preemptor.pod_sets, counts, strict=True)
    tried = tuple(PodCount(pods.name, count) for pods, count in asked)
    return CountTrial(tried, _is_served(assignment, selection), _text(assignment, selection))


def _text(assignment: Assignment, selection: Selection | None) -> str:
    if not assignment.fits:
        return "no flavor serves it"
    if selection is None:
        return "fits"
    if selection.kept:
        return f"fits when {len(selection.kept)} leave{'s' if len(selection.kept) == 1 else ''}"
    return "those who may be taken are not enough"


def _is_served(assignment: Assignment, selection: Selection | None) -> bool:
    fits = assignment.fits and not assignment.needs_preemption
    return fits or (selection is not None and bool(selection.kept))


def _full(assigner: Assigner) -> tuple[int, ...]:
    return tuple(pods.count for pods in assigner.workload.pod_sets)
