"""The columns of the trace engine: everything is a table of 64-bit whole numbers.

One row of a table is one job, ClusterQueue, shape, task or event. Jobs stand in the order in which they join,
ClusterQueues in the order of their names, and shapes (workloads that the scheduler takes for equivalent, by
ClusterQueue) in the order of their ClusterQueues. Instants are ns since the epoch, durations ns.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple, TypeAlias

Table: TypeAlias = Any
"""A NumPy array of int64, or within compiled code what numba makes of one."""

NEVER: Final = 2**62
"""An instant that does not come, and a borrowing limit that there is not."""
NO_JOB: Final = -1

JOINS, QUEUE, SHAPE, PRIORITY, REQUEST, RANK, CREATED, WORK, KEEPS = range(9)
"""Of a job, as it comes: when it joins, its ClusterQueue, its shape, its priority, how much it asks for, the
place of its uid in the order of uids, its creation, how long it works (below 0 without end), whether its
progress survives."""
QUEUED, STAMP, EVICTED, PHASE, STAY, RESERVED, STOPPED, SINCE, PROGRESS, PREEMPTOR = range(9, 19)
"""Of a job, as it changes: the time that it queues from, the stamp of its reservation, whether it is evicted,
its phase, the number of its stay with quota, when that began and when it was evicted, since when it has its
phase, what it has worked and not lost, and who preempted it last."""
ROTATED, LEAVES, SLOT = range(19, 22)
"""Of a job: the stamp of its last preemption by time (below 0 without one), whether the cycle preempts it,
and its place among those that hold quota."""
JOB_COLUMNS: Final = 22

WAITING, RUNNING, TERMINATING, DONE = range(4)
"""Phases of a job."""

NOMINAL, LOCAL, LIMIT, WITHIN, RECLAIM, BORROW, THRESHOLD, DURATION, STRICT, FIRST_SLOT, FIRST_SHAPE = range(
    11
)
"""Of a ClusterQueue: its nominal and its local quota, its borrowing limit (`NEVER` without one), its
policies, its maxPriorityThreshold (`NEVER` without one), the minAdmitDuration in force (below 0 without one),
whether it is StrictFIFO, and where its holders and its shapes begin."""
HOLDERS, HEAD, HEAD_WAITS = range(11, 14)
"""Of a ClusterQueue: how many hold quota, the job that is kept at its head, and whether that one waits."""
QUEUE_COLUMNS: Final = 14

FIRST, SIZE, WITH_HEAD, PARKED_SHAPE = range(4)
"""Of a shape: where its heap begins and how many stand in it, whether the job that is kept at the head of the
queue waits and is of this shape, and whether the shape is parked."""

USED, CHARGED, AFTER, TRIED = range(4)
"""Usage by ClusterQueue, the cohort's last: now, with what the cycle has charged, once some have left, and
in an attempt."""

NO_FIT, NO_CANDIDATES, PREEMPT, FIT = range(4)
"""Outcomes of a decision."""

ENTRY_JOB, ENTRY_OUTCOME, ENTRY_LEVEL, ENTRY_FIRST, ENTRY_TARGETS, ENTRY_RESULT, ENTRY_KEPT = range(7)
"""Of a head in a cycle: the job, what was decided, whether it would borrow, where its targets begin and how
many they are, what became of it, and whether it was kept at the head."""

RELEASE, FINISH, WAKE = 0, 1, 3
"""Kinds of tasks, as `tenure.timeline.clockwork.Due` numbers them."""

FINISHED, PREEMPTED, STILL_RUNNING = range(3)
"""How a run ends."""

NOW, MARK, LAST_CYCLE, DIRTY, ACTIVE, HEEDS, WAKE_AT, NUMBER, JOINED = range(9)
"""Of the play: its instant, until when what ran out has been looked at, when the last cycle began, whether
anything has changed since, how many wait unparked, whether time alone changes anything, when the parked are
woken, how many tasks were planned, how many have joined."""
CYCLES, HEADS, LOOKED_AT = range(9, 12)
"""Of the play: how many cycles and heads there were, and how many candidates were looked at."""
TASKS, TIMERS, RUNS, WAITS, PREEMPTIONS, HEAD_ROWS, TARGET_ROWS = range(12, 19)
"""How many rows of each growing table are in use."""
ENTRIES, FOUND, TAKEN = range(19, 22)
"""Of the cycle: how many heads, targets and preempted jobs it has."""
STATE_SIZE: Final = 22

OVER, PAUSED, FULL = range(3)
"""Why the engine has stopped: nothing more happens, it was to stop here, or a table must grow first."""


class Policies(NamedTuple):
    """What holds for the whole play.

    Args:
        end: of the play.
        eviction, gap, retry: as of `tenure.timeline.scenario.Timing`.
        lent: the quota that the ClusterQueues of the cohort lend.
        expired_only, by_reservation, by_eviction, at_expiry: choices of the reading, 0 or 1.
        journal: whether every head is written down, 0 or 1.
    """

    end: int
    eviction: int
    gap: int
    retry: int
    lent: int
    expired_only: int
    by_reservation: int
    by_eviction: int
    at_expiry: int
    journal: int


class TracePlay(NamedTuple):
    """A play in the making.

    Args:
        jobs, queues, shapes: see the columns.
        holders: jobs that hold quota, by ClusterQueue.
        heaps: jobs that wait, by shape; each shape's part is a heap.
        usage: rows `USED` to `TRIED`.
        state: `NOW` to `TAKEN`.
        tasks, timers: heaps; at, order, job, stay.
        entries, turns: the heads of the cycle, and their order.
        found: targets of the heads: job, ground.
        taken: jobs that the cycle has preempted.
        candidates: of a search: key, recency, rank, job, ClusterQueue, ground.
        order, removed: of a search: a heap of candidates, and those removed.
        runs: job, start, end, how it ended, stopped, preemptor, work done, work lost.
        waits: job, start, end, admitted.
        preemptions: at, preemptor, victim, ground, ran, cut short, cycle.
        heads: at, job, outcome, result, kept at the head, number of targets.
        targets: of the heads: job.
        margins: how many rows an instant may add to each growing table, by `TASKS` to `TARGET_ROWS`.
        policies: see there.
    """

    jobs: Table
    queues: Table
    shapes: Table
    holders: Table
    heaps: Table
    usage: Table
    state: Table
    tasks: Table
    timers: Table
    entries: Table
    turns: Table
    found: Table
    taken: Table
    candidates: Table
    order: Table
    removed: Table
    runs: Table
    waits: Table
    preemptions: Table
    heads: Table
    targets: Table
    margins: Table
    policies: Policies
