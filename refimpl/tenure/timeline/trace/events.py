"""What happens to jobs between the cycles of the trace engine: they join, run, end, are evicted and woken."""

from __future__ import annotations

from tenure.fast.compiled import compiled
from tenure.model import Ground
from tenure.rules import cycle
from tenure.rules.queue_order import REQUEUE_EPSILON
from tenure.timeline.trace.heaps import drop_first_row, push_row
from tenure.timeline.trace.pending import queue_up, stand_in_line, wake_queue
from tenure.timeline.trace.steps import begin_course
from tenure.timeline.trace.tables import (
    ACTIVE,
    CREATED,
    CYCLES,
    DIRTY,
    DONE,
    DURATION,
    EVICTED,
    FINISH,
    FINISHED,
    HEAD,
    HEAD_WAITS,
    HEEDS,
    JOINED,
    JOINS,
    KEEPS,
    MARK,
    NEVER,
    NO_JOB,
    NOW,
    NUMBER,
    PHASE,
    PREEMPTED,
    PREEMPTIONS,
    PREEMPTOR,
    PRIORITY,
    PROGRESS,
    QUEUE,
    QUEUED,
    RELEASE,
    RESERVED,
    ROTATED,
    RUNNING,
    RUNS,
    SHAPE,
    SINCE,
    STAMP,
    STAY,
    STOPPED,
    STRICT,
    TASKS,
    TERMINATING,
    TIMERS,
    TREE,
    USED,
    WAITS,
    WAKE,
    WAKE_AT,
    WITH_HEAD,
    WORK,
    TracePlay,
)
from tenure.timeline.trace.trees import charge_held, free_row, note_evicted, take_row

is_kept_at_head = compiled(cycle.is_kept_at_head)
lost_work = compiled(cycle.lost_work)
persisted = compiled(cycle.persisted)
protection_ended_at = compiled(cycle.protection_ended_at)
wake_due_at = compiled(cycle.wake_due_at)
work_left = compiled(cycle.work_left)

_NUMBERS = 2**40
"""The order of a task of an instant is its kind times this and its number."""


@compiled
def plan(play: TracePlay, at: int, kind: int, job: int, stay: int) -> None:
    """Something is due at an instant."""
    play.state[NUMBER] += 1
    push_row(play.tasks, play.state[TASKS], at, kind * _NUMBERS + play.state[NUMBER], job, stay)
    play.state[TASKS] += 1


@compiled
def note_run(play: TracePlay, job: int, how: int, end: int, stopped: int, done: int, lost: int) -> None:
    """Write a stay with quota down."""
    row, jobs = play.state[RUNS], play.jobs
    play.runs[row, 0], play.runs[row, 1], play.runs[row, 2], play.runs[row, 3] = (
        job,
        jobs[job, RESERVED],
        end,
        how,
    )
    play.runs[row, 4], play.runs[row, 6], play.runs[row, 7] = stopped, done, lost
    play.runs[row, 5] = jobs[job, PREEMPTOR] if how == PREEMPTED else NO_JOB
    play.state[RUNS] += 1


@compiled
def note_wait(play: TracePlay, job: int, end: int, admitted: int) -> None:
    """Write a wait down."""
    row = play.state[WAITS]
    play.waits[row, 0], play.waits[row, 1] = job, play.jobs[job, SINCE]
    play.waits[row, 2], play.waits[row, 3] = end, admitted
    play.state[WAITS] += 1


@compiled
def _give_back(play: TracePlay, job: int) -> None:
    """A job's quota is free again, and the parked of its tree are woken soon."""
    jobs, queues, state = play.jobs, play.queues, play.state
    charge_held(play.trees, play.trees.heroes, USED, jobs[job, QUEUE], job, -1)
    free_row(play.trees, jobs, job)
    state[DIRTY] = 1
    tree = queues[jobs[job, QUEUE], TREE]
    planned = queues[tree, WAKE_AT] != NEVER
    due = wake_due_at(planned, queues[tree, WAKE_AT], state[NOW], play.policies.retry)
    if not planned:
        queues[tree, WAKE_AT] = due
        plan(play, due, WAKE, tree, 0)


@compiled
def _release(play: TracePlay, job: int) -> None:
    """The pods of a victim are gone, and it waits again."""
    jobs, now = play.jobs, play.state[NOW]
    done = jobs[job, STOPPED] - jobs[job, RESERVED]
    lost = lost_work(jobs[job, KEEPS] == 1, done, jobs[job, PROGRESS])
    jobs[job, PROGRESS] += done - lost
    note_run(play, job, PREEMPTED, now, jobs[job, STOPPED], done, lost)
    jobs[job, EVICTED] = 0
    _give_back(play, job)
    queue_up(play, job, play.lines)


@compiled
def _finish(play: TracePlay, job: int) -> None:
    now = play.state[NOW]
    note_run(play, job, FINISHED, now, now, now - play.jobs[job, RESERVED], 0)
    play.jobs[job, PHASE] = DONE
    _give_back(play, job)


@compiled
def _follow(play: TracePlay, kind: int, job: int, stay: int) -> None:
    if kind == WAKE:
        for place in range(play.queues.shape[0] - 1):
            if play.queues[place, TREE] == job:
                wake_queue(play, place, play.lines)
    elif play.jobs[job, STAY] != stay:
        return
    elif kind == RELEASE and play.jobs[job, PHASE] == TERMINATING:
        _release(play, job)
    elif kind == FINISH and play.jobs[job, PHASE] == RUNNING:
        _finish(play, job)


@compiled
def _follow_until(play: TracePlay, kind: int, number: int) -> None:
    """Do what is due of the kinds below one, and was planned up to a number."""
    tasks, state = play.tasks, play.state
    while state[TASKS] > 0 and tasks[0, 0] <= state[NOW] and tasks[0, 1] < kind * _NUMBERS:
        if tasks[0, 1] % _NUMBERS > number:
            return
        found, job, stay = tasks[0, 1] // _NUMBERS, tasks[0, 2], tasks[0, 3]
        drop_first_row(tasks, state[TASKS])
        state[TASKS] -= 1
        _follow(play, found, job, stay)


@compiled
def follow_all(play: TracePlay) -> None:
    """Stays end, jobs join, and the parked are woken, in this order.

    What that plans for the same instant happens when all of this has.
    """
    queues, state, number = play.queues, play.state, play.state[NUMBER]
    # A wake that is due is planned no longer: whatever happens at this instant plans another one.
    for place in range(queues.shape[0] - 1):
        if queues[place, WAKE_AT] <= state[NOW]:
            queues[place, WAKE_AT] = NEVER
    _follow_until(play, WAKE, number)
    while state[JOINED] < play.jobs.shape[0] and play.jobs[state[JOINED], JOINS] <= state[NOW]:
        begin_course(play, state[JOINED], play.lines)
        queue_up(play, state[JOINED], play.lines)
        state[JOINED] += 1
    _follow_until(play, WAKE + 1, number)


@compiled
def drop_idle_timers(play: TracePlay) -> None:
    """Forget the first timers that are of an earlier stay, or that changed nothing when they ran out."""
    timers, jobs, state = play.timers, play.jobs, play.state
    while state[TIMERS] > 0:
        job = timers[0, 2]
        holds = jobs[job, PHASE] == RUNNING or jobs[job, PHASE] == TERMINATING
        if timers[0, 0] > state[MARK] and jobs[job, STAY] == timers[0, 3] and holds:
            return
        drop_first_row(timers, state[TIMERS])
        state[TIMERS] -= 1


@compiled
def run_out(play: TracePlay) -> None:
    """Protected times end: who is tried again all the time sees it, the others where they are woken."""
    timers, jobs, state = play.timers, play.jobs, play.state
    if state[HEEDS] == 0:
        return
    while state[TIMERS] > 0 and timers[0, 0] <= state[NOW]:
        job, stay = timers[0, 2], timers[0, 3]
        drop_first_row(timers, state[TIMERS])
        state[TIMERS] -= 1
        holds = jobs[job, PHASE] == RUNNING or jobs[job, PHASE] == TERMINATING
        if not holds or jobs[job, STAY] != stay:
            continue
        if state[ACTIVE] > 0:
            state[DIRTY] = 1
        if play.policies.at_expiry == 1:
            wake_queue(play, jobs[job, QUEUE], play.lines)


@compiled
def admit(play: TracePlay, job: int) -> None:
    """Quota is reserved for a head."""
    jobs, queues, state = play.jobs, play.queues, play.state
    place, now = jobs[job, QUEUE], state[NOW]
    state[DIRTY] = 1
    note_wait(play, job, now, 1)
    jobs[job, STAMP], jobs[job, QUEUED], jobs[job, ROTATED] = persisted(now), jobs[job, CREATED], -1
    jobs[job, PHASE], jobs[job, SINCE], jobs[job, RESERVED] = RUNNING, now, now
    jobs[job, STAY] += 1
    if queues[place, HEAD] == job:
        queues[place, HEAD] = NO_JOB
    charge_held(play.trees, play.trees.heroes, USED, place, job, 1)
    take_row(play.trees, jobs, job)
    if jobs[job, WORK] >= 0:
        left = work_left(jobs[job, WORK], jobs[job, PROGRESS])
        plan(play, now + left, FINISH, job, jobs[job, STAY])
    if queues[place, DURATION] >= 0:
        at = protection_ended_at(jobs[job, STAMP], queues[place, DURATION])
        push_row(play.timers, state[TIMERS], at, job, job, jobs[job, STAY])
        state[TIMERS] += 1


@compiled
def _note_preemption(play: TracePlay, job: int, victim: int, ground: int) -> None:
    jobs, queues, rows = play.jobs, play.queues, play.preemptions
    row, place, now = play.state[PREEMPTIONS], jobs[victim, QUEUE], play.state[NOW]
    ran = now - jobs[victim, RESERVED]
    equal = place == jobs[job, QUEUE] and jobs[victim, PRIORITY] == jobs[job, PRIORITY]
    rows[row, 0], rows[row, 1], rows[row, 2], rows[row, 3] = now, job, victim, ground
    rows[row, 4], rows[row, 5], rows[row, 6] = ran, 0, play.state[CYCLES]
    if equal and queues[place, DURATION] >= 0:
        rows[row, 5] = max(0, queues[place, DURATION] - ran)
    play.state[PREEMPTIONS] += 1


@compiled
def evict(play: TracePlay, job: int, victim: int, ground: int) -> None:
    """A job preempts another one, unless that is evicted already."""
    jobs, state = play.jobs, play.state
    if jobs[victim, PHASE] == TERMINATING:
        return
    now = state[NOW]
    state[DIRTY] = 1
    _note_preemption(play, job, victim, ground)
    jobs[victim, EVICTED], jobs[victim, PREEMPTOR] = 1, job
    jobs[victim, ROTATED] = persisted(now) if ground == Ground.TIME_EXPIRED else -1
    protected = play.queues[jobs[victim, QUEUE], DURATION] >= 0
    if play.policies.by_eviction == 1 and protected and ground == Ground.TIME_EXPIRED:
        jobs[victim, QUEUED] = jobs[victim, ROTATED] + REQUEUE_EPSILON
    jobs[victim, PHASE], jobs[victim, SINCE], jobs[victim, STOPPED] = TERMINATING, now, now
    note_evicted(play.trees, jobs, victim)
    plan(play, now + play.policies.eviction, RELEASE, victim, jobs[victim, STAY])


@compiled
def _displace_head(play: TracePlay, place: int) -> None:
    """The job that was kept at the head of a queue stands in its heap like the others from now on."""
    head, queues = play.queues[place, HEAD], play.queues
    if head != NO_JOB and queues[place, HEAD_WAITS] == 1:
        play.shapes[play.jobs[head, SHAPE], WITH_HEAD] = 0
        stand_in_line(play, head)


@compiled
def keep_at_head(play: TracePlay, job: int) -> None:
    """A head that has been taken out of its heap is the preemptor of its queue from now on (CYC-080)."""
    place, queues = play.jobs[job, QUEUE], play.queues
    if queues[place, HEAD] != job and is_kept_at_head(True, queues[place, STRICT] == 1):
        _displace_head(play, place)
        queues[place, HEAD], queues[place, HEAD_WAITS] = job, 0
