"""How many pods are decided on: all of them or, with partial admission, as many as find a place."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tenure.model import Assignment
from tenure.oracle.assignment import Assigner, GroupTrial
from tenure.oracle.question import Selection
from tenure.rules.flavors import reduced_count


@dataclass(frozen=True, slots=True)
class Trial:
    """Numbers of pods that were tried, and what came of it.

    Args:
        counts: how many of each pod set; none where the assignment was given.
        assignment: the flavors that so many pods would get.
        groups: the flavors that were tried for that, in order; none where the assignment was given.
        selection: the search for targets; None where none are needed or none could help.
    """

    counts: tuple[int, ...]
    assignment: Assignment
    groups: tuple[GroupTrial, ...]
    selection: Selection | None

    @property
    def is_served(self) -> bool:
        """Whether so many pods fit, alone or with targets."""
        fits = self.assignment.fits and not self.assignment.needs_preemption
        return fits or (self.selection is not None and bool(self.selection.kept))


def try_counts(
    assigner: Assigner, search: Callable[[Assignment], Selection | None]
) -> tuple[Trial, tuple[Trial, ...]]:
    """The numbers of pods that are decided on: the most that fit, alone or with targets; all where none do.

    Fewer than all are tried only where the workload allows it. They are searched by halving, as if fewer
    pods always fitted where more do.

    Args:
        assigner: of the workload.
        search: finds targets for an assignment; None where none are needed or none could help.

    Returns:
        the trial that is decided on, and every trial in order.

    Source: Kueue v1beta2, `PodSet.minCount`; Kueue main of August 2026, pod set reducer.
    """
    pod_sets = assigner.workload.pod_sets

    def tried(counts: Iterable[int]) -> Trial:
        numbers = tuple(counts)
        assigned = assigner.assign(numbers)
        return Trial(numbers, assigned.assignment, assigned.groups, search(assigned.assignment))

    everything = tried(pods.count for pods in pod_sets)
    trials = [everything]
    # Kueue reduces the counts of the spec, so pods that were reclaimable may be asked for again.
    full = [pods.count if pods.full_count is None else pods.full_count for pods in pod_sets]
    fewest = [
        count if pods.min_count is None else pods.min_count
        for pods, count in zip(pod_sets, full, strict=True)
    ]
    steps = sum(count - low for count, low in zip(full, fewest, strict=True))
    may_reduce = assigner.snapshot.cluster.settings.partial_admission and steps > 0
    if everything.is_served or not may_reduce:
        return everything, (everything,)
    chosen = everything
    first, end = 0, steps + 1
    while first < end:
        step = (first + end) // 2
        counts = (reduced_count(count, low, step, steps) for count, low in zip(full, fewest, strict=True))
        trial = tried(counts)
        trials.append(trial)
        if trial.is_served:
            chosen, end = trial, step
        else:
            first = step + 1
    return chosen, tuple(trials)
