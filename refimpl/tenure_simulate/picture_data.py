"""What the pictures of a setting are drawn from: few numbers of a long play."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tenure.model import Amount, Instant
from tenure_simulate.answer_types import DrawnFigures, JobLane, QueueLanes
from tenure_simulate.figures import MeasuredPlay, percentile

if TYPE_CHECKING:
    from tenure_simulate.trace import Simulated

_Column = Any
PARTS: Final = 84
"""Equal parts of the time that a lane of a ClusterQueue or of a job is drawn in."""
LANES: Final = 6
"""Of the most preempted jobs so many are drawn."""
PERCENTS: Final = tuple(range(1, 100))
"""Of the waits that are drawn."""


def drawn_figures(
    play: MeasuredPlay, simulated: Simulated, queues: Mapping[str, Amount], unit: Amount, end: Instant
) -> DrawnFigures:
    """What is drawn of a play.

    Args:
        play: what was measured of it.
        simulated: what came of it.
        queues: nominal quota of each ClusterQueue, in the order of their names.
        unit: how much one of a size is.
        end: of the play.
    """
    names = list(queues)
    order = np.argsort(-play.times, kind="stable")[:LANES]
    since = int(play.courses[0].at[0]) if play.courses else 0
    return DrawnFigures(
        all_waits=tuple(percentile(play.all_waits, percent) for percent in PERCENTS),
        queues=tuple(
            QueueLanes(
                queue=name,
                own=_rounded(course.means(np.minimum(course.held, course.nominal), PARTS) / unit),
                borrowed=_rounded(course.means(np.maximum(course.held - course.nominal, 0), PARTS) / unit),
                asked=_rounded(course.means(course.requested, PARTS) / unit),
                owed=_rounded(course.means(course.owed, PARTS) / unit),
            )
            for name, course in zip(names, play.courses, strict=True)
        ),
        most_preempted=tuple(
            _lane(simulated, int(job), names, int(play.times[job]), unit, (since, end))
            for job in order
            if play.times[job]
        ),
    )


def _lane(
    simulated: Simulated,
    job: int,
    names: list[str],
    times: int,
    unit: Amount,
    span: tuple[Instant, Instant],
) -> JobLane:
    rows, runs = simulated.jobs.rows, simulated.runs
    mine = runs[runs[:, 0] == job]
    edges = np.linspace(0, span[1] - span[0], PARTS + 1)
    began, stopped = (np.clip(mine[:, column] - span[0], 0, edges[-1]) for column in (1, 4))
    held = _overlaps(began, stopped, edges) / (edges[1] - edges[0])
    joined = (int(rows.joins[job]) - span[0]) / (edges[1] - edges[0])
    return JobLane(
        job=simulated.jobs.names[job],
        queue=names[int(rows.queue[job])],
        size=round(float(rows.request[job] / unit), 6),
        times=times,
        joined=round(max(joined, 0.0), 3),
        ended=round(float(stopped.max(initial=0) / (edges[1] - edges[0])), 3),
        running=_rounded(held, 3),
    )


def _overlaps(began: _Column, stopped: _Column, edges: _Column) -> _Column:
    """How much of each part between two edges some spans cover that do not overlap each other."""
    ordered = np.sort(np.concatenate([began, stopped]))
    # From each beginning to its stop the covered time grows, from there to the next beginning it does not.
    grows = np.where(np.arange(1, len(ordered)) % 2, np.diff(ordered), 0)
    return np.diff(np.interp(edges, ordered, np.concatenate([[0.0], np.cumsum(grows)])))


def _rounded(amounts: _Column, digits: int = 2) -> tuple[float, ...]:
    return tuple(round(float(amount), digits) for amount in amounts)
