"""What happens to jobs between the cycles of the trace engine: they join, run, end, are evicted and woken."""

from __future__ import annotations

from tenure.model import Basis
from tenure.rules import cycle
from tenure.rules.queue_order import REQUEUE_EPSILON
from tenure_simulate.core.compiled import compiled
from tenure_simulate.trace.heaps import drop_first_row, push_row
from tenure_simulate.trace.pending import queue_up, stand_in_line, wake_queue
from tenure_simulate.trace.steps import begin_course
from tenure_simulate.trace.tables import (
    ACTIVE,
    CYCLES,
    DIRTY,
    DONE,
    FINISH,
    FINISHED,
    HEEDS,
    JOINED,
    MARK,
    NEVER,
    NO_JOB,
    NOW,
    NUMBER,
    PREEMPTED,
    PREEMPTIONS,
    RELEASE,
    RUNNING,
    RUNS,
    TASKS,
    TERMINATING,
    TIMERS,
    USED,
    WAITS,
    WAKE,
    TracePlay,
)
from tenure_simulate.trace.trees import charge_held, free_row, note_evicted, take_row

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
        jobs.reserved[job],
        end,
        how,
    )
    play.runs[row, 4], play.runs[row, 6], play.runs[row, 7] = stopped, done, lost
    play.runs[row, 5] = jobs.preemptor[job] if how == PREEMPTED else NO_JOB
    play.state[RUNS] += 1


@compiled
def note_wait(play: TracePlay, job: int, end: int, admitted: int) -> None:
    """Write a wait down."""
    row = play.state[WAITS]
    play.waits[row, 0], play.waits[row, 1] = job, play.jobs.since[job]
    play.waits[row, 2], play.waits[row, 3] = end, admitted
    play.state[WAITS] += 1


@compiled
def _give_back(play: TracePlay, job: int) -> None:
    """A job's quota is free again, and the parked of its tree are woken soon."""
    jobs, queues, state = play.jobs, play.queues, play.state
    charge_held(play.trees, play.heroes, USED, jobs.queue[job], job, -1)
    free_row(play.trees, jobs, job)
    state[DIRTY] = 1
    tree = queues.tree[jobs.queue[job]]
    planned = queues.wake_at[tree] != NEVER
    due = wake_due_at(planned, queues.wake_at[tree], state[NOW], play.policies.retry)
    if not planned:
        queues.wake_at[tree] = due
        plan(play, due, WAKE, tree, 0)


@compiled
def _release(play: TracePlay, job: int) -> None:
    """The pods of a victim are gone, and it waits again."""
    jobs, now = play.jobs, play.state[NOW]
    done = jobs.stopped[job] - jobs.reserved[job]
    lost = lost_work(jobs.keeps[job] == 1, done, jobs.progress[job])
    jobs.progress[job] += done - lost
    note_run(play, job, PREEMPTED, now, jobs.stopped[job], done, lost)
    jobs.evicted[job] = 0
    _give_back(play, job)
    queue_up(play, job, play.lines)


@compiled
def _finish(play: TracePlay, job: int) -> None:
    now = play.state[NOW]
    note_run(play, job, FINISHED, now, now, now - play.jobs.reserved[job], 0)
    play.jobs.phase[job] = DONE
    _give_back(play, job)


@compiled
def _follow(play: TracePlay, kind: int, job: int, stay: int) -> None:
    if kind == WAKE:
        for place in range(len(play.queues.tree) - 1):
            if play.queues.tree[place] == job:
                wake_queue(play, place, play.lines)
    elif play.jobs.stay[job] != stay:
        return
    elif kind == RELEASE and play.jobs.phase[job] == TERMINATING:
        _release(play, job)
    elif kind == FINISH and play.jobs.phase[job] == RUNNING:
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
    for place in range(len(queues.tree) - 1):
        if queues.wake_at[place] <= state[NOW]:
            queues.wake_at[place] = NEVER
    _follow_until(play, WAKE, number)
    while state[JOINED] < len(play.jobs.joins) and play.jobs.joins[state[JOINED]] <= state[NOW]:
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
        holds = jobs.phase[job] == RUNNING or jobs.phase[job] == TERMINATING
        if timers[0, 0] > state[MARK] and jobs.stay[job] == timers[0, 3] and holds:
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
        holds = jobs.phase[job] == RUNNING or jobs.phase[job] == TERMINATING
        if not holds or jobs.stay[job] != stay:
            continue
        if state[ACTIVE] > 0:
            state[DIRTY] = 1
        if play.policies.at_expiry == 1:
            wake_queue(play, jobs.queue[job], play.lines)


@compiled
def admit(play: TracePlay, job: int) -> None:
    """Quota is reserved for a head."""
    jobs, queues, state = play.jobs, play.queues, play.state
    place, now = jobs.queue[job], state[NOW]
    state[DIRTY] = 1
    note_wait(play, job, now, 1)
    jobs.stamp[job], jobs.queued[job], jobs.rotated[job] = persisted(now), jobs.created[job], -1
    jobs.phase[job], jobs.since[job], jobs.reserved[job] = RUNNING, now, now
    jobs.stay[job] += 1
    if queues.head[place] == job:
        queues.head[place] = NO_JOB
    charge_held(play.trees, play.heroes, USED, place, job, 1)
    take_row(play.trees, jobs, job)
    if jobs.work[job] >= 0:
        left = work_left(jobs.work[job], jobs.progress[job])
        plan(play, now + left, FINISH, job, jobs.stay[job])
    if queues.duration[place] >= 0:
        at = protection_ended_at(jobs.stamp[job], queues.duration[place])
        push_row(play.timers, state[TIMERS], at, job, job, jobs.stay[job])
        state[TIMERS] += 1


@compiled
def _note_preemption(play: TracePlay, job: int, victim: int, basis: int) -> None:
    jobs, queues, rows = play.jobs, play.queues, play.preemptions
    row, place, now = play.state[PREEMPTIONS], jobs.queue[victim], play.state[NOW]
    ran = now - jobs.reserved[victim]
    equal = place == jobs.queue[job] and jobs.priority[victim] == jobs.priority[job]
    rows[row, 0], rows[row, 1], rows[row, 2], rows[row, 3] = now, job, victim, basis
    rows[row, 4], rows[row, 5], rows[row, 6] = ran, 0, play.state[CYCLES]
    if equal and queues.duration[place] >= 0:
        rows[row, 5] = max(0, queues.duration[place] - ran)
    play.state[PREEMPTIONS] += 1


@compiled
def evict(play: TracePlay, job: int, victim: int, basis: int) -> None:
    """A job preempts another one, unless that is evicted already."""
    jobs, state = play.jobs, play.state
    if jobs.phase[victim] == TERMINATING:
        return
    now = state[NOW]
    state[DIRTY] = 1
    _note_preemption(play, job, victim, basis)
    jobs.evicted[victim], jobs.preemptor[victim] = 1, job
    jobs.rotated[victim] = persisted(now) if basis == Basis.TIME_EXPIRED else -1
    protected = play.queues.duration[jobs.queue[victim]] >= 0
    if play.policies.by_eviction == 1 and protected and basis == Basis.TIME_EXPIRED:
        jobs.queued[victim] = jobs.rotated[victim] + REQUEUE_EPSILON
    jobs.phase[victim], jobs.since[victim], jobs.stopped[victim] = TERMINATING, now, now
    note_evicted(play.trees, jobs, victim)
    plan(play, now + play.policies.eviction, RELEASE, victim, jobs.stay[victim])


@compiled
def _displace_head(play: TracePlay, place: int) -> None:
    """The job that was kept at the head of a queue stands in its heap like the others from now on."""
    head, queues = play.queues.head[place], play.queues
    if head != NO_JOB and queues.head_waits[place] == 1:
        play.shapes.with_head[play.jobs.shape_id[head]] = 0
        stand_in_line(play, head)


@compiled
def keep_at_head(play: TracePlay, job: int) -> None:
    """A head that has been taken out of its heap is the preemptor of its queue from now on (CYC-080)."""
    place, queues = play.jobs.queue[job], play.queues
    if queues.head[place] != job and is_kept_at_head(True, queues.strict[place] == 1):
        _displace_head(play, place)
        queues.head[place], queues.head_waits[place] = job, 0
