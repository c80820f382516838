"""How many pods are decided on: all of them or, with partial admission, fewer that find a place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from tenure.model import Assignment, PodSet
from tenure.oracle.assignment import Assigned, Assigner, GroupTrial
from tenure.oracle.question import Selection
from tenure.rules.flavors import reduced_count

_Trial = TypeVar("_Trial")


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


def try_counts(
    assigner: Assigner, search: Callable[[Assignment], Selection | None]
) -> tuple[Trial, tuple[Trial, ...]]:
    """The numbers of pods that are decided on: some that fit, alone or with targets, or all of them.

    Fewer than all are tried only where the workload allows it. They are searched by halving, which finds the
    most that fit only if all smaller numbers fit too (F-079).

    Args:
        assigner: of the workload.
        search: finds targets for an assignment; None where none are needed or none could help.

    Returns:
        the trial that is decided on, and every trial in order.

    Source: Kueue v1beta2, `PodSet.minCount`; Kueue main of August 2026, pod set reducer.
    """
    pod_sets = assigner.workload.pod_sets
    tried = partial(_tried, assigner.assign, search)
    everything = tried(tuple(pods.count for pods in pod_sets))
    bounds = [_bounds(pods) for pods in pod_sets]
    steps = sum([full - fewest for full, fewest in bounds])
    may_reduce = assigner.snapshot.cluster.settings.partial_admission and steps > 0
    if is_served(everything) or not may_reduce:
        return everything, (everything,)
    return _fewer(everything, steps, partial(_after, tried, bounds, steps))


def _fewer(everything: Trial, steps: int, after: Callable[[int], Trial]) -> tuple[Trial, tuple[Trial, ...]]:
    trials = [everything]
    return halved(everything, steps, partial(_noted, trials, after), is_served), tuple(trials)


def _bounds(pods: PodSet) -> tuple[int, int]:
    """As many pods as there may be, and as few."""
    # Kueue reduces the counts of the spec, so it may request reclaimable pods again.
    full = pods.count if pods.full_count is None else pods.full_count
    return full, full if pods.min_count is None else pods.min_count


def _after(
    tried: Callable[[tuple[int, ...]], _Trial], bounds: Sequence[tuple[int, int]], steps: int, step: int
) -> _Trial:
    """The trial after a number of steps, of those that leave as few pods as there may be."""
    return tried(tuple(_reduced(between, step, steps) for between in bounds))


def _reduced(between: tuple[int, int], step: int, steps: int) -> int:
    full, fewest = between
    return reduced_count(full, fewest, step, steps)


def _noted(trials: list[_Trial], after: Callable[[int], _Trial], step: int) -> _Trial:
    trial = after(step)
    trials.append(trial)
    return trial


def _tried(
    assign: Callable[[tuple[int, ...]], Assigned],
    search: Callable[[Assignment], Selection | None],
    counts: tuple[int, ...],
) -> Trial:
    assigned = assign(counts)
    return Trial(counts, assigned.assignment, assigned.groups, search(assigned.assignment))


def halved(
    everything: _Trial, steps: int, reduced: Callable[[int], _Trial], served: Callable[[_Trial], bool]
) -> _Trial:
    """A trial that is served, found by halving among fewer and fewer pods; else that of all pods.

    It is the first that is served if all after it are.

    Args:
        everything: the trial of all pods, which is not served.
        steps: after how many steps as few pods are left as the workload allows.
        reduced: the trial after a number of steps.
        served: whether a trial finds a place.

    >>> halved("all", 6, str, lambda trial: trial >= "4")
    '4'
    """
    chosen, first, end = everything, 0, steps + 1
    while first < end:
        step = (first + end) // 2
        trial = reduced(step)
        if served(trial):
            chosen, end = trial, step
        else:
            first = step + 1
    return chosen


def is_served(trial: Trial) -> bool:
    """Whether so many pods fit, alone or with targets."""
    fits = trial.assignment.fits and not trial.assignment.needs_preemption
    return fits or (trial.selection is not None and bool(trial.selection.kept))
