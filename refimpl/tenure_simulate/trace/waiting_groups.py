"""Jobs that wait where priorities move: groups of those that are alike now, as heaps that can be joined.

Whatever is done to a group or a ClusterQueue takes the same time for one job as for thousands.
"""

from __future__ import annotations

from tenure.rules import cycle
from tenure_simulate.core.compiled import compiled
from tenure_simulate.trace.heaps import is_ahead
from tenure_simulate.trace.tables import (
    ACTIVE,
    DIRTY,
    NO_JOB,
    PARKED,
    TURN,
    UNPARKED,
    Lines,
    Members,
    TraceJobs,
    TracePlay,
)

joins_those_parked = compiled(cycle.joins_those_parked)

_NO_GROUP = -1


@compiled
def _joined(members: Members, jobs: TraceJobs, top: int, other: int) -> int:
    """The first of two heaps made one; either may be `NO_JOB`."""
    if top == NO_JOB:
        return other
    if other == NO_JOB:
        return top
    if is_ahead(jobs, other, top, False):
        top, other = other, top
    child = members.child[top]
    members.next[other], members.before[other] = child, top
    if child != NO_JOB:
        members.before[child] = other
    members.child[top] = other
    return top


@compiled
def _without_top(members: Members, jobs: TraceJobs, top: int) -> int:
    """The first of a heap once its first has left: its children are joined by pairs, and the pairs then."""
    child, pairs = members.child[top], NO_JOB
    members.child[top] = NO_JOB
    while child != NO_JOB:
        other, rest = members.next[child], NO_JOB
        members.next[child] = members.before[child] = NO_JOB
        if other != NO_JOB:
            rest = members.next[other]
            members.next[other] = members.before[other] = NO_JOB
        pair = _joined(members, jobs, child, other)
        members.next[pair] = pairs
        pairs, child = pair, rest
    found = NO_JOB
    while pairs != NO_JOB:
        rest = members.next[pairs]
        members.next[pairs] = NO_JOB
        found = _joined(members, jobs, found, pairs)
        pairs = rest
    return found


@compiled
def _without(members: Members, jobs: TraceJobs, top: int, job: int) -> int:
    """The first of a heap once any of its jobs has left."""
    if job == top:
        return _without_top(members, jobs, top)
    before, after = members.before[job], members.next[job]
    if members.child[before] == job:
        members.child[before] = after
    else:
        members.next[before] = after
    if after != NO_JOB:
        members.before[after] = before
    members.next[job] = members.before[job] = NO_JOB
    return _joined(members, jobs, top, _without_top(members, jobs, job))


@compiled
def _resize(lines: Lines, place: int, group: int, side: int, more: int) -> None:
    """A side of a group has more jobs, or fewer; its ClusterQueue knows the groups that have any there."""
    first, before = lines.first, lines.many[group, side]
    lines.many[group, side] = before + more
    if before == 0:
        later = first[place, side]
        lines.later[group, side], lines.earlier[group, side] = later, _NO_GROUP
        if later != _NO_GROUP:
            lines.earlier[later, side] = group
        first[place, side] = group
    elif before + more == 0:
        later, earlier = lines.later[group, side], lines.earlier[group, side]
        if later != _NO_GROUP:
            lines.earlier[later, side] = earlier
        if earlier != _NO_GROUP:
            lines.later[earlier, side] = later
        else:
            first[place, side] = later


@compiled
def next_turn(lines: Lines) -> int:
    """The number of what happens now: a later one is higher."""
    lines.counts[TURN] += 1
    return int(lines.counts[TURN])


@compiled
def put_in(lines: Lines, jobs: TraceJobs, job: int, side: int) -> None:
    """A job stands in its group, on one side."""
    members, top, group = lines.members, lines.top, lines.members.group[job]
    members.set_at[job], members.set_side[job] = next_turn(lines), side
    top[group, side] = _joined(members, jobs, top[group, side], job)
    _resize(lines, jobs.queue[job], group, side, 1)


@compiled
def take_out(lines: Lines, jobs: TraceJobs, job: int, side: int) -> None:
    """A job leaves its group, where it is on one side."""
    top, group = lines.top, lines.members.group[job]
    top[group, side] = _without(lines.members, jobs, top[group, side], job)
    _resize(lines, jobs.queue[job], group, side, -1)


@compiled
def _pour(lines: Lines, jobs: TraceJobs, place: int, group: int, source: int) -> int:
    """All of one side of a group go to the other; how many they are."""
    top, moved, target = lines.top, lines.many[group, source], 1 - source
    if moved == 0:
        return 0
    top[group, target] = _joined(lines.members, jobs, top[group, target], top[group, source])
    top[group, source] = NO_JOB
    _resize(lines, place, group, target, moved)
    _resize(lines, place, group, source, -moved)
    return int(moved)


@compiled
def side_of(lines: Lines, jobs: TraceJobs, job: int) -> int:
    """On which side a job that waits is: what happened last to it, its group or its ClusterQueue decides."""
    members = lines.members
    alone, woken = members.set_at[job], lines.woken_at[jobs.queue[job]]
    parked = lines.parked_at[members.group[job]]
    if parked > alone and parked > woken:
        return PARKED
    return int(members.set_side[job]) if alone > woken else UNPARKED


@compiled
def head_in_lines(play: TracePlay, lines: Lines, place: int) -> int:
    """As `tenure_simulate.trace.pending.head_of`."""
    jobs, found = play.jobs, NO_JOB
    kept = play.queues.head[place]
    if kept != NO_JOB and side_of(lines, jobs, kept) == UNPARKED:
        return int(kept)
    group = lines.first[place, UNPARKED]
    while group != _NO_GROUP:
        job = lines.top[group, UNPARKED]
        if found == NO_JOB or is_ahead(jobs, job, found, False):
            found = job
        group = lines.later[group, UNPARKED]
    return found


@compiled
def leave_lines(play: TracePlay, lines: Lines, job: int) -> None:
    """As `tenure_simulate.trace.pending.pop`."""
    take_out(lines, play.jobs, job, UNPARKED)


@compiled
def join_lines(play: TracePlay, lines: Lines, job: int) -> None:
    """A job comes to wait, with those that are like it if they were parked since any were woken."""
    jobs, place = play.jobs, play.jobs.queue[job]
    alike = lines.parked_at[lines.members.group[job]] > lines.forgot_at[place]
    if joins_those_parked(play.queues.strict[place] == 1, alike):
        put_in(lines, jobs, job, PARKED)
    else:
        put_in(lines, jobs, job, UNPARKED)
        play.state[ACTIVE] += 1


@compiled
def requeue_in_lines(play: TracePlay, lines: Lines, job: int, parks: bool) -> None:
    """As `tenure_simulate.trace.pending.requeue`."""
    jobs, group = play.jobs, lines.members.group[job]
    put_in(lines, jobs, job, UNPARKED)
    play.state[ACTIVE] += 1
    if parks:
        play.state[ACTIVE] -= _pour(lines, jobs, jobs.queue[job], group, UNPARKED)
        lines.parked_at[group] = next_turn(lines)


@compiled
def wake_lines(play: TracePlay, lines: Lines, place: int) -> None:
    """As `tenure_simulate.trace.pending.wake_queue`."""
    state, group = play.state, lines.first[place, PARKED]
    lines.woken_at[place] = lines.forgot_at[place] = next_turn(lines)
    if group != _NO_GROUP:
        state[DIRTY] = 1
    while group != _NO_GROUP:
        later = lines.later[group, PARKED]
        state[ACTIVE] += _pour(lines, play.jobs, place, group, PARKED)
        group = later


@compiled
def wake_one(play: TracePlay, lines: Lines, job: int) -> None:
    """One job is tried again if it is parked; what comes is tried even if one like it stays parked."""
    jobs, state = play.jobs, play.state
    lines.forgot_at[jobs.queue[job]] = next_turn(lines)
    if side_of(lines, jobs, job) == PARKED:
        take_out(lines, jobs, job, PARKED)
        put_in(lines, jobs, job, UNPARKED)
        state[ACTIVE] += 1
        state[DIRTY] = 1
