"""What operators ask of a play; docs/how-to/simulate-a-trace.md defines each figure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from tenure.apps.simulate.answer_types import GroupFigures, MostPreempted, SettingFigures, WaitFigures
from tenure.model import MINUTE, SECOND, Amount, Duration, Instant
from tenure.timeline.trace import Simulated
from tenure.timeline.trace.tables import FINISHED, JOINS, REQUEST

_Column = Any
HOUR: Duration = 60 * MINUTE


class OwnedQuota(NamedTuple):
    """What is there to be held.

    Args:
        nominal: nominal quota of all ClusterQueues.
        unit: how much one of the resource is: 1,000 for cpu, which is counted in milli-CPU.
    """

    nominal: Amount
    unit: Amount


def percentile(waits: _Column, percent: int) -> Duration:
    """The shortest of some waits that at least so many percent of them do not exceed; 0 of none.

    >>> percentile(np.array([10, 20, 30, 40]), 50), percentile(np.array([10, 20, 30, 40]), 95)
    (20, 40)
    """
    if not len(waits):
        return 0
    return int(np.sort(waits)[-(-len(waits) * percent // 100) - 1])


def figures_of(
    simulated: Simulated,
    setting: Mapping[str, str],
    quota: OwnedQuota,
    end: Instant,
    labels: Sequence[str] = (),
) -> SettingFigures:
    """The figures of a play.

    Args:
        simulated: what came of it.
        setting: what was changed.
        quota: of all ClusterQueues.
        end: of the play.
        labels: the group of each job; without any there are no groups.
    """
    jobs, runs, waits = simulated.jobs.rows, simulated.runs, simulated.waits
    total = np.zeros(len(jobs), np.int64)
    np.add.at(total, waits[:, 0], waits[:, 2] - waits[:, 1])
    first, started = _first_waits(simulated, end)
    times = np.bincount(simulated.preemptions[:, 2], minlength=len(jobs))
    sizes = jobs[runs[:, 0], REQUEST] / quota.unit
    held = _hours(sizes, runs[:, 2] - runs[:, 1])
    span, owned = (end - int(jobs[0, JOINS])) / HOUR, quota.nominal / quota.unit
    return SettingFigures(
        setting=setting,
        finished=int((runs[:, 3] == FINISHED).sum()),
        never_started=int((~started).sum()),
        first_wait=_waits(first),
        all_waits=_waits(total),
        preemptions=len(simulated.preemptions),
        preempted_jobs=int((times > 0).sum()),
        most_preempted=_most(simulated, times),
        cut_short=int((simulated.preemptions[:, 5] > SECOND).sum()),
        held_hours=round(held, 2),
        lost_hours=round(_hours(sizes, runs[:, 7]), 2),
        ending_hours=round(_hours(sizes, runs[:, 2] - runs[:, 4]), 2),
        utilisation=round(held / (span * owned), 4) if owned else 0.0,
        cycles=simulated.cycles,
        heads=simulated.tried,
        groups=tuple(_groups(simulated, first, total, labels, quota)),
    )


def _groups(
    simulated: Simulated, first: _Column, total: _Column, labels: Sequence[str], quota: OwnedQuota
) -> Iterator[GroupFigures]:
    """The figures of each group, in the order in which the groups first have a job."""
    numbers: dict[str, int] = {}
    group = np.array([numbers.setdefault(label, len(numbers)) for label in labels], np.int64)
    for label, number in numbers.items():
        here = group == number
        runs = simulated.runs[here[simulated.runs[:, 0]]]
        sizes = simulated.jobs.rows[runs[:, 0], REQUEST] / quota.unit
        yield GroupFigures(
            group=label,
            jobs=int(here.sum()),
            first_wait=_waits(first[here]),
            all_waits=_waits(total[here]),
            preemptions=int(here[simulated.preemptions[:, 2]].sum()),
            lost_hours=round(_hours(sizes, runs[:, 7]), 2),
            ending_hours=round(_hours(sizes, runs[:, 2] - runs[:, 4]), 2),
        )


def _first_waits(simulated: Simulated, end: Instant) -> tuple[_Column, _Column]:
    """How long each job waits until its first admission, or the end, and whether there is one."""
    jobs, waits = simulated.jobs.rows, simulated.waits
    admitted = waits[waits[:, 3] == 1]
    first = np.full(len(jobs), end, np.int64)
    np.minimum.at(first, admitted[:, 0], admitted[:, 2])
    started = np.zeros(len(jobs), bool)
    started[admitted[:, 0]] = True
    return first - jobs[:, JOINS], started


def _waits(waits: _Column) -> WaitFigures:
    return WaitFigures(*(percentile(waits, percent) for percent in (50, 95, 99)))


def _hours(sizes: _Column, lengths: _Column) -> float:
    return float((sizes * (lengths / HOUR)).sum())


def _most(simulated: Simulated, times: _Column) -> MostPreempted | None:
    if not times.any():
        return None
    return MostPreempted(simulated.jobs.names[int(times.argmax())], int(times.max()))
