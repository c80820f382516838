"""What a trace comes to: the trace engine run from start to end, and what it has written down."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tenure.model import Instant
from tenure.readings import Reading
from tenure_play.scenario import Scenario
from tenure_simulate.trace.build import play_of
from tenure_simulate.trace.jobs import TracedJobs, traced_jobs
from tenure_simulate.trace.tables import (
    CYCLES,
    FULL,
    HEAD_ROWS,
    HEADS,
    JOINED,
    NO_JOB,
    NOW,
    OVER,
    PREEMPTED,
    PREEMPTIONS,
    RUNNING,
    RUNS,
    STILL_RUNNING,
    TARGET_ROWS,
    TASKS,
    TERMINATING,
    TIMERS,
    WAITING,
    WAITS,
    Table,
    TraceJobs,
    TracePlay,
)
from tenure_simulate.trace.turns import go_on

_INSTANTS = 20_000
"""Instants that are simulated between two reports of progress, where an interruption counts."""
_GROWING = {
    "tasks": TASKS,
    "timers": TIMERS,
    "runs": RUNS,
    "waits": WAITS,
    "preemptions": PREEMPTIONS,
    "heads": HEAD_ROWS,
    "targets": TARGET_ROWS,
}


@dataclass(frozen=True, slots=True)
class Simulated:
    """What came of a trace.

    Args:
        jobs: as they were given.
        runs: job, start, end, how it ended, stopped, preemptor, work done, work lost.
        waits: job, start, end, admitted.
        preemptions: at, preemptor, victim, basis, ran, cut short, cycle.
        heads: at, job, outcome, result, kept at the head, number of targets; empty unless wanted.
        targets: the targets of all heads, one after the other.
        cycles, tried: numbers of cycles and of heads.
    """

    jobs: TracedJobs
    runs: Table
    waits: Table
    preemptions: Table
    heads: Table
    targets: Table
    cycles: int
    tried: int


def simulate(
    scenario: Scenario,
    reading: Reading,
    jobs: TracedJobs | None = None,
    *,
    journal: bool = False,
    progress: Callable[[Instant], None] | None = None,
) -> Simulated:
    """TracePlay a trace with the trace engine: every event is the one of `tenure_play.play`.

    Args:
        scenario: objects, timing, gates and end.
        reading: see `tenure.readings`.
        jobs: who joins; None for the submissions of the scenario.
        journal: whether every head is written down.
        progress: called with the instant of the simulation, now and then.

    Raises:
        tenure_simulate.core.uncovered.Uncovered: what the engine does not play; `play` does.

    >>> from tenure.model import Cluster
    >>> from tenure.readings import preset
    >>> simulate(Scenario("idle", "", 0, 9, Cluster({})), preset("guaranteed"))
    Traceback (most recent call last):
    tenure_simulate.core.uncovered.Uncovered: evictions that take no time
    """
    given = traced_jobs(scenario) if jobs is None else jobs
    play = play_of(scenario, reading, given, journal=journal)
    code = go_on(play, _INSTANTS)
    while code != OVER:
        if code == FULL:
            play = _with_room(play)
        elif progress is not None:
            progress(int(play.state[NOW]))
        code = go_on(play, _INSTANTS)
    return _simulated(play, given)


def _with_room(play: TracePlay) -> TracePlay:
    """The play with each growing table twice as long that might not hold one more instant."""
    grown: dict[str, Any] = {}
    for name, rows in _GROWING.items():
        table = getattr(play, name)
        if len(table) < play.state[rows] + play.margins[rows]:
            grown[name] = np.concatenate([table, np.zeros_like(table)])
    return play._replace(**grown)


def _simulated(play: TracePlay, jobs: TracedJobs) -> Simulated:
    state, end = play.state, play.policies.end
    return Simulated(
        jobs=jobs,
        runs=np.concatenate([play.runs[: state[RUNS]], _open_runs(play, end)]),
        waits=np.concatenate([play.waits[: state[WAITS]], _open_waits(play, end)]),
        preemptions=play.preemptions[: state[PREEMPTIONS]],
        heads=play.heads[: state[HEAD_ROWS]],
        targets=play.targets[: state[TARGET_ROWS], 0],
        cycles=int(state[CYCLES]),
        tried=int(state[HEADS]),
    )


def _joined(play: TracePlay, phases: Sequence[int]) -> Table:
    """The jobs that have joined and have one of these phases at the end."""
    here = np.arange(len(play.jobs.joins)) < play.state[JOINED]
    return np.flatnonzero(here & np.isin(play.jobs.phase, phases))


def _open_runs(play: TracePlay, end: Instant) -> Table:
    """The stays with quota that the end of the play cuts off."""
    rows = _joined(play, (RUNNING, TERMINATING))
    jobs = TraceJobs(*(column[rows] for column in play.jobs))
    ending = jobs.phase == TERMINATING
    stopped = np.where(ending, jobs.stopped, end)
    found = np.zeros((len(rows), 8), np.int64)
    found[:, 0], found[:, 1], found[:, 2] = rows, jobs.reserved, end
    found[:, 3] = np.where(ending, PREEMPTED, STILL_RUNNING)
    found[:, 4], found[:, 5] = stopped, np.where(ending, jobs.preemptor, NO_JOB)
    found[:, 6] = stopped - jobs.reserved
    return found


def _open_waits(play: TracePlay, end: Instant) -> Table:
    rows = _joined(play, (WAITING,))
    found = np.zeros((len(rows), 4), np.int64)
    found[:, 0], found[:, 1], found[:, 2] = rows, play.jobs.since[rows], end
    return found
