"""Priorities that grow with time (KEP-754): when they take a step, and what that changes."""

from __future__ import annotations

from tenure_simulate.core.compiled import compiled
from tenure_simulate.trace.heaps import drop_first_row, push_row
from tenure_simulate.trace.pending import wake_queue
from tenure_simulate.trace.tables import ACTIVE, DIRTY, DONE, NEVER, NOW, STEPS, WAITING, Lines, TracePlay
from tenure_simulate.trace.trees import rank_row
from tenure_simulate.trace.waiting_groups import put_in, side_of, take_out, wake_one


@compiled
def _follow_course(play: TracePlay, lines: Lines, job: int, step: int) -> None:
    """A job has the priority of a row of its course; the next one is planned."""
    members, level = lines.members, lines.level[step]
    play.jobs.priority[job] = lines.gives[step]
    members.step[job], members.group[job] = step, play.jobs.shape_id[job] * lines.levels + level
    rank_row(play.trees, play.jobs, job, level)
    if step + 1 < lines.spans[members.course[job] + 1]:
        at = members.born[job] + lines.age[step + 1]
        push_row(lines.steps, lines.counts[STEPS], at, job, job, 0)
        lines.counts[STEPS] += 1


@compiled
def begin_course(play: TracePlay, job: int, lines: Lines | None) -> None:
    """A job joins with the priority that its age gives it."""
    if lines is not None:
        members, step = lines.members, lines.spans[lines.members.course[job]]
        end, age = lines.spans[members.course[job] + 1], play.state[NOW] - members.born[job]
        while step + 1 < end and lines.age[step + 1] <= age:
            step += 1
        _follow_course(play, lines, job, step)


@compiled
def _drop_first_step(lines: Lines) -> None:
    drop_first_row(lines.steps, lines.counts[STEPS])
    lines.counts[STEPS] -= 1


@compiled
def step_due_at(play: TracePlay, lines: Lines | None) -> int:
    """When a priority takes a step next; `NEVER` where none does."""
    if lines is None:
        return NEVER
    else:  # noqa: RET505 - the compiler leaves out a whole branch
        while lines.counts[STEPS] > 0 and play.jobs.phase[lines.steps[0, 2]] == DONE:
            _drop_first_step(lines)
        return int(lines.steps[0, 0]) if lines.counts[STEPS] > 0 else NEVER


@compiled
def _take_step(play: TracePlay, lines: Lines, job: int) -> None:
    """The priority of a job takes a step: it stands in another group, and may be tried again for that."""
    jobs, before, at_expiry = play.jobs, play.jobs.priority[job], play.policies.at_expiry == 1
    step = lines.members.step[job] + 1
    if jobs.phase[job] == WAITING:
        side = side_of(lines, jobs, job)
        take_out(lines, jobs, job, side)
        _follow_course(play, lines, job, step)
        put_in(lines, jobs, job, side)
    else:
        _follow_course(play, lines, job, step)
    if play.state[ACTIVE] > 0:
        play.state[DIRTY] = 1
    if at_expiry and jobs.phase[job] == WAITING:
        wake_one(play, lines, job)
    elif at_expiry and jobs.priority[job] < before:
        for place in range(len(play.queues.tree) - 1):
            if play.queues.tree[place] == play.queues.tree[jobs.queue[job]]:
                wake_queue(play, place, play.lines)


@compiled
def take_steps(play: TracePlay, lines: Lines | None) -> None:
    """All priorities take their steps that are due."""
    if lines is not None:
        while lines.counts[STEPS] > 0 and lines.steps[0, 0] <= play.state[NOW]:
            job = lines.steps[0, 2]
            _drop_first_step(lines)
            if play.jobs.phase[job] != DONE:
                _take_step(play, lines, job)
