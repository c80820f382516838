"""Partial admission: fewer pods, where a workload allows it and all of them find no place."""

from __future__ import annotations

from collections.abc import Callable

from tenure.model import Assignment
from tenure.oracle.assignment import Assigner
from tenure.oracle.question import Selection
from tenure.rules.flavors import reduced_count


def find_reduced(
    assigner: Assigner, search: Callable[[Assignment], Selection | None]
) -> tuple[Assignment, Selection | None] | None:
    """The assignment with the most pods that fits, alone or with targets.

    The counts are searched by halving, as if fewer pods always fitted where more do.

    Args:
        assigner: of the workload.
        search: finds targets for an assignment; None where none are needed or none could help.

    Returns:
        assignment and search; None when no smaller count helps, or the workload needs all its pods.

    Source: Kueue v1beta2, `PodSet.minCount`; Kueue main of August 2026, pod set reducer.
    """
    pod_sets = assigner.workload.pod_sets
    # Kueue reduces the counts of the spec, so pods that were reclaimable may be asked for again.
    full = [each.count if each.full_count is None else each.full_count for each in pod_sets]
    fewest = [
        count if each.min_count is None else each.min_count
        for each, count in zip(pod_sets, full, strict=True)
    ]
    steps = sum(count - low for count, low in zip(full, fewest, strict=True))
    if not assigner.snapshot.cluster.settings.partial_admission or steps <= 0:
        return None
    found: dict[int, tuple[Assignment, Selection | None]] = {}
    first, end = 0, steps + 1
    while first < end:
        step = (first + end) // 2
        counts = [reduced_count(count, low, step, steps) for count, low in zip(full, fewest, strict=True)]
        assignment = assigner.assign(counts)
        selection = search(assignment)
        fits = assignment.fits and not assignment.needs_preemption
        if fits or (selection is not None and selection.kept):
            found[step] = (assignment, selection)
            end = step
        else:
            first = step + 1
    return found.get(first)
