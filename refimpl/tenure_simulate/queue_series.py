"""Each ClusterQueue over the time of a simulation: held, requested and unmet quota."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tenure.model import Amount, Duration, Instant
from tenure_simulate.trace import Simulated

_Column = Any


class QueueCourse(NamedTuple):
    """Amounts of one ClusterQueue, each from one instant to the next.

    Args:
        at: instants, ns since the epoch; the last one ends the last amounts.
        held: by its jobs, those whose pods end included.
        requested: by its jobs, whether they hold it or wait for it.
        owed: unmet nominal quota: what it does not hold of it although jobs wait that fit it.
        nominal: its nominal quota.
    """

    at: _Column
    held: _Column
    requested: _Column
    owed: _Column
    nominal: Amount

    def hours(self, amounts: _Column) -> float:
        """Some amounts times how long they last, in amount times hours."""
        return float((amounts * (np.diff(self.at) / _HOUR)).sum())

    def regained(self) -> _Column:
        """The lengths of the uninterrupted spells with unmet nominal quota, ns."""
        owes = np.concatenate([[0], (self.owed > 0).astype(np.int8), [0]])
        turns = np.diff(owes)
        return self.at[np.flatnonzero(turns == -1)] - self.at[np.flatnonzero(turns == 1)]

    def means(self, amounts: _Column, parts: int) -> _Column:
        """The mean of some amounts in each of so many equal parts of the time."""
        edges = np.linspace(0, int(self.at[-1] - self.at[0]), parts + 1)
        total = np.concatenate([[0.0], np.cumsum(amounts * np.diff(self.at).astype(float))])
        return np.diff(np.interp(edges, self.at - self.at[0], total)) / (edges[1] - edges[0])


_HOUR: Duration = 3600 * 10**9


def courses_of(
    simulated: Simulated, nominal: Sequence[Amount], since: Instant, end: Instant
) -> list[QueueCourse]:
    """The courses of all ClusterQueues, in the order of their names.

    Args:
        simulated: what came of a trace.
        nominal: quota of each ClusterQueue.
        since: what was before is cut away.
        end: of the play.
    """
    jobs, runs, waits = simulated.jobs.rows, simulated.runs, simulated.waits
    run_queues, wait_queues = jobs.queue[runs[:, 0]], jobs.queue[waits[:, 0]]
    return [
        _course(runs[run_queues == place], waits[wait_queues == place], jobs.request, quota, (since, end))
        for place, quota in enumerate(nominal)
    ]


def _course(
    runs: _Column, waits: _Column, requests: _Column, nominal: Amount, span: tuple[Instant, Instant]
) -> QueueCourse:
    bounds = [runs[:, 1], runs[:, 2], waits[:, 1], waits[:, 2], np.array(span, np.int64)]
    clipped = np.clip(np.concatenate(bounds), *span)
    at, places = np.unique(clipped, return_inverse=True)
    parts = np.split(places.reshape(-1), np.cumsum([len(bound) for bound in bounds[:-1]]))
    size = len(at)
    sizes = requests[runs[:, 0]]
    held = _summed(parts[0], sizes, size) - _summed(parts[1], sizes, size)
    waiting, fits = np.zeros(size - 1, np.int64), np.zeros(size - 1, np.int64)
    unused = np.maximum(nominal - held, 0)
    requested = requests[waits[:, 0]]
    for request in np.unique(requested):
        here = requested == request
        count = _summed(parts[2][here], 1, size) - _summed(parts[3][here], 1, size)
        waiting += request * count
        fits += np.where(request <= unused, request * count, 0)
    return QueueCourse(at, held, held + waiting, np.minimum(unused, fits), nominal)


def _summed(places: _Column, amounts: _Column, size: int) -> _Column:
    """The running sum of amounts that begin at some places."""
    change = np.zeros(size, np.int64)
    np.add.at(change, places, amounts)
    return np.cumsum(change)[:-1]
