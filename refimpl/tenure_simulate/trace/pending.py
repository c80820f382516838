"""The jobs that wait: by shapes that park as one, or by groups where priorities move.

Each function is given `lines` by itself: the compiler leaves out the branch that a type never takes.
"""

from __future__ import annotations

from tenure.rules import cycle
from tenure_simulate.core.compiled import compiled
from tenure_simulate.trace.heaps import drop_job, is_ahead, push_job
from tenure_simulate.trace.tables import ACTIVE, DIRTY, NO_JOB, NOW, WAITING, Lines, TracePlay
from tenure_simulate.trace.waiting_groups import (
    head_in_lines,
    join_lines,
    leave_lines,
    requeue_in_lines,
    wake_lines,
)

joins_those_parked = compiled(cycle.joins_those_parked)


@compiled
def head_of(play: TracePlay, place: int, lines: Lines | None) -> int:
    """The head of a ClusterQueue; `NO_JOB` where none waits unparked."""
    if lines is None:
        return _head_of_shapes(play, place)
    else:  # noqa: RET505 - the compiler leaves out a whole branch
        return head_in_lines(play, lines, place)


@compiled
def pop(play: TracePlay, job: int, lines: Lines | None) -> None:
    """Take a head out of its queue."""
    play.state[ACTIVE] -= 1
    if lines is None:
        _pop_from_shape(play, job)
    else:
        leave_lines(play, lines, job)


@compiled
def queue_up(play: TracePlay, job: int, lines: Lines | None) -> None:
    """A job comes to wait."""
    jobs, state = play.jobs, play.state
    jobs.phase[job], jobs.since[job] = WAITING, state[NOW]
    state[DIRTY] = 1
    if lines is None:
        stand_in_line(play, job)
        strict = play.queues.strict[jobs.queue[job]] == 1
        if not joins_those_parked(strict, play.shapes.parked[jobs.shape_id[job]] == 1):
            state[ACTIVE] += 1
    else:
        join_lines(play, lines, job)


@compiled
def requeue(play: TracePlay, job: int, parks: bool, lines: Lines | None) -> None:
    """A head that was not admitted comes back; one that parks takes those that are alike with it."""
    if parks:
        play.state[DIRTY] = 1
    if lines is None:
        _requeue_in_shape(play, job, parks)
    else:
        requeue_in_lines(play, lines, job, parks)


@compiled
def wake_queue(play: TracePlay, place: int, lines: Lines | None) -> None:
    """The parked of a ClusterQueue are tried again."""
    if lines is None:
        _wake_shapes(play, place)
    else:
        wake_lines(play, lines, place)


@compiled
def _head_of_shapes(play: TracePlay, place: int) -> int:
    queues, shapes, jobs = play.queues, play.shapes, play.jobs
    kept, found = queues.head[place], NO_JOB
    if kept != NO_JOB and queues.head_waits[place] == 1 and shapes.parked[jobs.shape_id[kept]] == 0:
        found = kept
    for shape in range(queues.first_shape[place], queues.first_shape[place + 1]):
        if shapes.size[shape] == 0 or shapes.parked[shape] == 1:
            continue
        job = play.heaps[shapes.first[shape]]
        if found == NO_JOB or is_ahead(jobs, job, found, found == kept):
            found = job
    return found


@compiled
def _pop_from_shape(play: TracePlay, job: int) -> None:
    queues, shapes = play.queues, play.shapes
    place, shape = play.jobs.queue[job], play.jobs.shape_id[job]
    if queues.head[place] == job and queues.head_waits[place] == 1:
        queues.head_waits[place] = 0
        shapes.with_head[shape] = 0
    else:
        drop_job(play.heaps, shapes.first[shape], shapes.size[shape], play.jobs)
        shapes.size[shape] -= 1


@compiled
def stand_in_line(play: TracePlay, job: int) -> None:
    """A job joins the heap of its shape, which may be parked."""
    shape = play.jobs.shape_id[job]
    push_job(play.heaps, play.shapes.first[shape], play.shapes.size[shape], job, play.jobs)
    play.shapes.size[shape] += 1


@compiled
def _requeue_in_shape(play: TracePlay, job: int, parks: bool) -> None:
    queues, shapes, state = play.queues, play.shapes, play.state
    place, shape = play.jobs.queue[job], play.jobs.shape_id[job]
    if queues.head[place] == job:
        queues.head_waits[place] = 1
        shapes.with_head[shape] = 1
    else:
        stand_in_line(play, job)
    state[ACTIVE] += 1
    if parks:
        parked = 1 if shapes.parked[shape] == 1 else shapes.size[shape] + shapes.with_head[shape]
        state[ACTIVE] -= parked
        shapes.parked[shape] = 1


@compiled
def _wake_shapes(play: TracePlay, place: int) -> None:
    shapes, state = play.shapes, play.state
    for shape in range(play.queues.first_shape[place], play.queues.first_shape[place + 1]):
        if shapes.parked[shape] == 1:
            shapes.parked[shape] = 0
            woken = shapes.size[shape] + shapes.with_head[shape]
            state[ACTIVE] += woken
            if woken > 0:
                state[DIRTY] = 1
