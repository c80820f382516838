"""The figures of a simulation, and each ClusterQueue over its time: held, requested and unmet quota.

docs/reference/figures-of-simulate.md defines each figure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tenure.model import MINUTE, SECOND, Amount, Duration, Instant
from tenure_simulate.answer_types import (
    GroupFigures,
    MostPreempted,
    QueueFigures,
    SettingFigures,
    WaitFigures,
)
from tenure_simulate.bootstrap import Weeks, confidence_of

if TYPE_CHECKING:
    from tenure_simulate.trace import Simulated

_Column = Any
HOUR: Duration = 60 * MINUTE


class Counting(NamedTuple):
    """What counts, and at which price.

    Args:
        warm_up: jobs that join before it has passed do not count, nor does what happens before, ns.
        checkpoint: how often a job keeps its work, ns of its work; None for all the time.
        restart: how long a job works for nothing when it starts again after a preemption, ns.
        seed: of the draws of weeks.
    """

    warm_up: Duration = 0
    checkpoint: Duration | None = None
    restart: Duration = 0
    seed: int = 1


class _Stays(NamedTuple):
    """Stays with quota: the job, what is lost, what is restarted, how long its pods end, all held, as hours
    times amount, and whether a stay ends by a preemption and none of its work is kept."""

    jobs: _Column
    lost: _Column
    restarted: _Column
    ending: _Column
    held: _Column
    idle: _Column

    @property
    def wasted(self) -> _Column:
        return self.lost + self.restarted + self.ending


class _Counted(NamedTuple):
    """What of a play counts: jobs, their first and all waits, how often they are preempted, their stays."""

    jobs: _Column
    first: _Column
    total: _Column
    times: _Column
    stays: _Stays


def percentile(waits: _Column, percent: int) -> Duration:
    """The shortest of some waits that at least so many percent of them do not exceed; 0 of none.

    >>> percentile(np.array([10, 20, 30, 40]), 50), percentile(np.array([10, 20, 30, 40]), 95)
    (20, 40)
    """
    if not len(waits):
        return 0
    return int(np.sort(waits)[-(-len(waits) * percent // 100) - 1])


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
        return float((amounts * (np.diff(self.at) / HOUR)).sum())

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


class MeasuredPlay(NamedTuple):
    """What came of a play, measured.

    Args:
        figures: all of them.
        all_waits: of each job that counts, ns.
        courses: of the ClusterQueues, in the order of their names.
        times: how often each job is preempted.
    """

    figures: SettingFigures
    all_waits: _Column
    courses: Sequence[QueueCourse]
    times: _Column


def measured(
    simulated: Simulated,
    setting: Mapping[str, str],
    queues: Mapping[str, Amount],
    unit: Amount,
    end: Instant,
    counting: Counting,
    labels: Sequence[str] = (),
    shared: Amount = 0,
) -> MeasuredPlay:
    """The figures of a play.

    Args:
        simulated: what came of it.
        setting: what was changed.
        queues: nominal quota of each ClusterQueue, in the order of their names.
        unit: how much one of a size is: 1,000 for cpu, which is counted in milli-CPU.
        end: of the play.
        counting: what counts.
        labels: the group of each job; without any there are no groups.
        shared: nominal quota of all cohorts.
    """
    from tenure_simulate.trace.tables import FINISHED

    jobs = simulated.jobs.rows
    since = min(int(jobs.joins[0]) + counting.warm_up, end)
    counted = _counted(simulated, since, end, counting, unit)
    first, started = _first_waits(simulated, end)
    here, stays = counted.jobs, counted.stays
    preemptions = simulated.preemptions[simulated.preemptions[:, 0] >= since]
    courses = courses_of(simulated, list(queues.values()), since, end)
    owned = (sum(queues.values()) + shared) / unit * (end - since) / HOUR
    held = float(stays.held.sum())
    done = np.zeros(len(jobs.joins), bool)
    done[simulated.runs[simulated.runs[:, 3] == FINISHED, 0]] = True
    weeks = Weeks(jobs.joins[here] - since, counting.seed)
    figures = SettingFigures(
        setting=setting,
        jobs=int(here.sum()),
        finished=int((done & here).sum()),
        never_started=int((~started & here).sum()),
        first_wait=_waits(first[here]),
        all_waits=_waits(counted.total[here]),
        preemptions=len(preemptions),
        preempted_jobs=int((counted.times > 0).sum()),
        most_preempted=_most(simulated, counted.times),
        cut_short=int((preemptions[:, 5] > SECOND).sum()),
        held_hours=round(held, 2),
        lost_hours=_sum(stays.lost),
        restart_hours=_sum(stays.restarted),
        ending_hours=_sum(stays.ending),
        wasted_hours=_sum(stays.wasted),
        owed_hours=round(sum(course.hours(course.owed) for course in courses) / unit, 2),
        regain=_waits(np.concatenate([course.regained() for course in courses])),
        idle_runs=int(stays.idle.sum()),
        available_hours=round(owned, 2),
        utilisation=round(held / owned, 4) if owned else 0.0,
        cycles=simulated.cycles,
        heads=simulated.tried,
        queues=tuple(_queue(name, course, unit) for name, course in zip(queues, courses, strict=True)),
        confidence=confidence_of(
            weeks,
            counting.seed,
            (first[here], counted.total[here]),
            counted.times[here],
            (_by_job(stays.jobs, stays.wasted, here), _by_job(stays.jobs, stays.held, here)),
        ),
        drawn=None,
        groups=tuple(_groups(counted, labels)),
    )
    return MeasuredPlay(figures, counted.total[here], courses, counted.times)


def _counted(
    simulated: Simulated, since: Instant, end: Instant, counting: Counting, unit: Amount
) -> _Counted:
    jobs, waits = simulated.jobs.rows, simulated.waits
    total = np.zeros(len(jobs.joins), np.int64)
    np.add.at(total, waits[:, 0], waits[:, 2] - waits[:, 1])
    victims = simulated.preemptions[simulated.preemptions[:, 0] >= since, 2]
    return _Counted(
        jobs=jobs.joins >= since,
        first=_first_waits(simulated, end)[0],
        total=total,
        times=np.bincount(victims, minlength=len(jobs.joins)),
        stays=_stays(simulated, since, counting, unit),
    )


def _stays(simulated: Simulated, since: Instant, counting: Counting, unit: Amount) -> _Stays:
    """The stays with quota that end after an instant, and what of them is work."""
    from tenure_simulate.trace.tables import PREEMPTED

    runs = simulated.runs
    # By job and start: every stay but the first of a job begins with a restart.
    order = np.lexsort((runs[:, 1], runs[:, 0]))
    again = np.zeros(len(runs), bool)
    again[order[1:]] = runs[order[1:], 0] == runs[order[:-1], 0]
    done = runs[:, 4] - runs[:, 1]
    restarted = np.where(again, np.minimum(done, counting.restart), 0)
    preempted = runs[:, 3] == PREEMPTED
    lost = np.where(runs[:, 7] > 0, runs[:, 7] - restarted, 0)
    if counting.checkpoint is not None:
        lost = np.where(preempted, (done - restarted) % counting.checkpoint, 0)
    later = runs[:, 2] >= since
    sizes = simulated.jobs.rows.request[runs[:, 0]] / unit

    def hours(lengths: _Column) -> _Column:
        return (sizes * (lengths / HOUR))[later]

    stopped, began = np.maximum(runs[:, 4], since), np.maximum(runs[:, 1], since)
    ended = np.maximum(runs[:, 2], since)
    return _Stays(
        jobs=runs[later, 0],
        lost=hours(np.where(runs[:, 4] >= since, lost, 0)),
        restarted=hours(np.where(runs[:, 1] >= since, restarted, 0)),
        ending=hours(ended - stopped),
        held=hours(ended - began),
        idle=(preempted & (done - restarted - lost <= 0) & (runs[:, 4] >= since))[later],
    )


def _queue(name: str, course: QueueCourse, unit: Amount) -> QueueFigures:
    regained = course.regained()

    def hours(amounts: _Column) -> float:
        return round(course.hours(amounts) / unit, 2)

    return QueueFigures(
        queue=name,
        nominal=round(course.nominal / unit, 6),
        held_hours=hours(course.held),
        borrowed_hours=hours(np.maximum(course.held - course.nominal, 0)),
        asked_hours=hours(course.requested),
        owed_hours=hours(course.owed),
        regained=len(regained),
        regain=_waits(regained),
        longest_regain=int(regained.max(initial=0)),
    )


def _groups(counted: _Counted, labels: Sequence[str]) -> Iterator[GroupFigures]:
    """The figures of each group, in the order in which the groups first have a job."""
    numbers: dict[str, int] = {}
    group = np.array([numbers.setdefault(label, len(numbers)) for label in labels], np.int64)
    stays = counted.stays
    for label, number in numbers.items():
        here = group == number
        of_stays = here[stays.jobs]
        here = here & counted.jobs
        yield GroupFigures(
            group=label,
            jobs=int(here.sum()),
            first_wait=_waits(counted.first[here]),
            all_waits=_waits(counted.total[here]),
            preemptions=int(counted.times[group == number].sum()),
            lost_hours=_sum(stays.lost[of_stays]),
            restart_hours=_sum(stays.restarted[of_stays]),
            ending_hours=_sum(stays.ending[of_stays]),
            wasted_hours=_sum(stays.wasted[of_stays]),
        )


def _first_waits(simulated: Simulated, end: Instant) -> tuple[_Column, _Column]:
    """How long each job waits until its first admission, or the end, and whether there is one."""
    jobs, waits = simulated.jobs.rows, simulated.waits
    admitted = waits[waits[:, 3] == 1]
    first = np.full(len(jobs.joins), end, np.int64)
    np.minimum.at(first, admitted[:, 0], admitted[:, 2])
    started = np.zeros(len(jobs.joins), bool)
    started[admitted[:, 0]] = True
    return first - jobs.joins, started


def _waits(waits: _Column) -> WaitFigures:
    return WaitFigures(*(percentile(waits, percent) for percent in (50, 95, 99)))


def _sum(hours: _Column) -> float:
    return round(float(hours.sum()), 2)


def _by_job(jobs: _Column, hours: _Column, here: _Column) -> _Column:
    return np.bincount(jobs, weights=hours, minlength=len(here))[here]


def _most(simulated: Simulated, times: _Column) -> MostPreempted | None:
    if not times.any():
        return None
    return MostPreempted(simulated.jobs.names[int(times.argmax())], int(times.max()))
