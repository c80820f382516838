"""Jobs that wait where priorities move: groups of those that are alike now, as heaps that can be joined.

Whatever is done to a group or a ClusterQueue takes the same time for one job as for thousands.
"""

from __future__ import annotations

from tenure.fast.compiled import compiled
from tenure.rules import cycle
from tenure.timeline.trace.heaps import is_ahead
from tenure.timeline.trace.tables import (
    ACTIVE,
    BEFORE,
    CHILD,
    DIRTY,
    EARLIER,
    FORGOT_AT,
    GROUP,
    LATER,
    MANY,
    NEXT,
    NO_JOB,
    PARKED,
    PARKED_AT,
    SET_AT,
    SET_SIDE,
    SIDE,
    TOP,
    TURN,
    UNPARKED,
    WOKEN_AT,
    Lines,
    Table,
    TraceJobs,
    TracePlay,
)

joins_those_parked = compiled(cycle.joins_those_parked)

_NO_GROUP = -1


@compiled
def _joined(members: Table, jobs: TraceJobs, top: int, other: int) -> int:
    """The first of two heaps made one; either may be `NO_JOB`."""
    if top == NO_JOB:
        return other
    if other == NO_JOB:
        return top
    if is_ahead(jobs, other, top, False):
        top, other = other, top
    child = members[top, CHILD]
    members[other, NEXT], members[other, BEFORE] = child, top
    if child != NO_JOB:
        members[child, BEFORE] = other
    members[top, CHILD] = other
    return top


@compiled
def _without_top(members: Table, jobs: TraceJobs, top: int) -> int:
    """The first of a heap once its first has left: its children are joined by pairs, and the pairs then."""
    child, pairs = members[top, CHILD], NO_JOB
    members[top, CHILD] = NO_JOB
    while child != NO_JOB:
        other, rest = members[child, NEXT], NO_JOB
        members[child, NEXT] = members[child, BEFORE] = NO_JOB
        if other != NO_JOB:
            rest = members[other, NEXT]
            members[other, NEXT] = members[other, BEFORE] = NO_JOB
        pair = _joined(members, jobs, child, other)
        members[pair, NEXT] = pairs
        pairs, child = pair, rest
    found = NO_JOB
    while pairs != NO_JOB:
        rest = members[pairs, NEXT]
        members[pairs, NEXT] = NO_JOB
        found = _joined(members, jobs, found, pairs)
        pairs = rest
    return found


@compiled
def _without(members: Table, jobs: TraceJobs, top: int, job: int) -> int:
    """The first of a heap once any of its jobs has left."""
    if job == top:
        return _without_top(members, jobs, top)
    before, after = members[job, BEFORE], members[job, NEXT]
    if members[before, CHILD] == job:
        members[before, CHILD] = after
    else:
        members[before, NEXT] = after
    if after != NO_JOB:
        members[after, BEFORE] = before
    members[job, NEXT] = members[job, BEFORE] = NO_JOB
    return _joined(members, jobs, top, _without_top(members, jobs, job))


@compiled
def _resize(lines: Lines, place: int, group: int, side: int, more: int) -> None:
    """A side of a group has more jobs, or fewer; its ClusterQueue knows the groups that have any there."""
    groups, at = lines.groups, side * SIDE
    before = groups[group, at + MANY]
    groups[group, at + MANY] = before + more
    if before == 0:
        first = lines.queues[place, side]
        groups[group, at + LATER], groups[group, at + EARLIER] = first, _NO_GROUP
        if first != _NO_GROUP:
            groups[first, at + EARLIER] = group
        lines.queues[place, side] = group
    elif before + more == 0:
        later, earlier = groups[group, at + LATER], groups[group, at + EARLIER]
        if later != _NO_GROUP:
            groups[later, at + EARLIER] = earlier
        if earlier != _NO_GROUP:
            groups[earlier, at + LATER] = later
        else:
            lines.queues[place, side] = later


@compiled
def next_turn(lines: Lines) -> int:
    """The number of what happens now: a later one is higher."""
    lines.counts[TURN] += 1
    return int(lines.counts[TURN])


@compiled
def put_in(lines: Lines, jobs: TraceJobs, job: int, side: int) -> None:
    """A job stands in its group, on one side."""
    members, groups, group = lines.members, lines.groups, lines.members[job, GROUP]
    top = side * SIDE + TOP
    members[job, SET_AT], members[job, SET_SIDE] = next_turn(lines), side
    groups[group, top] = _joined(members, jobs, groups[group, top], job)
    _resize(lines, jobs.queue[job], group, side, 1)


@compiled
def take_out(lines: Lines, jobs: TraceJobs, job: int, side: int) -> None:
    """A job leaves its group, where it is on one side."""
    groups, group = lines.groups, lines.members[job, GROUP]
    top = side * SIDE + TOP
    groups[group, top] = _without(lines.members, jobs, groups[group, top], job)
    _resize(lines, jobs.queue[job], group, side, -1)


@compiled
def _pour(lines: Lines, jobs: TraceJobs, place: int, group: int, source: int) -> int:
    """All of one side of a group go to the other; how many they are."""
    groups, target = lines.groups, 1 - source
    moved, tops = groups[group, source * SIDE + MANY], groups[group, source * SIDE + TOP]
    if moved == 0:
        return 0
    there = groups[group, target * SIDE + TOP]
    groups[group, target * SIDE + TOP] = _joined(lines.members, jobs, there, tops)
    groups[group, source * SIDE + TOP] = NO_JOB
    _resize(lines, place, group, target, moved)
    _resize(lines, place, group, source, -moved)
    return int(moved)


@compiled
def side_of(lines: Lines, jobs: TraceJobs, job: int) -> int:
    """On which side a job that waits is: what happened last to it, its group or its ClusterQueue decides."""
    members = lines.members
    alone, woken = members[job, SET_AT], lines.queues[jobs.queue[job], WOKEN_AT]
    parked = lines.groups[members[job, GROUP], PARKED_AT]
    if parked > alone and parked > woken:
        return PARKED
    return int(members[job, SET_SIDE]) if alone > woken else UNPARKED


@compiled
def head_in_lines(play: TracePlay, lines: Lines, place: int) -> int:
    """As `tenure.timeline.trace.pending.head_of`."""
    jobs, groups, found = play.jobs, lines.groups, NO_JOB
    kept = play.queues.head[place]
    if kept != NO_JOB and side_of(lines, jobs, kept) == UNPARKED:
        return int(kept)
    group = lines.queues[place, UNPARKED]
    while group != _NO_GROUP:
        job = groups[group, TOP]
        if found == NO_JOB or is_ahead(jobs, job, found, False):
            found = job
        group = groups[group, LATER]
    return found


@compiled
def leave_lines(play: TracePlay, lines: Lines, job: int) -> None:
    """As `tenure.timeline.trace.pending.pop`."""
    take_out(lines, play.jobs, job, UNPARKED)


@compiled
def join_lines(play: TracePlay, lines: Lines, job: int) -> None:
    """A job comes to wait, with those that are like it if they were parked since any were woken."""
    jobs, place = play.jobs, play.jobs.queue[job]
    alike = lines.groups[lines.members[job, GROUP], PARKED_AT] > lines.queues[place, FORGOT_AT]
    if joins_those_parked(play.queues.strict[place] == 1, alike):
        put_in(lines, jobs, job, PARKED)
    else:
        put_in(lines, jobs, job, UNPARKED)
        play.state[ACTIVE] += 1


@compiled
def requeue_in_lines(play: TracePlay, lines: Lines, job: int, parks: bool) -> None:
    """As `tenure.timeline.trace.pending.requeue`."""
    jobs, group = play.jobs, lines.members[job, GROUP]
    put_in(lines, jobs, job, UNPARKED)
    play.state[ACTIVE] += 1
    if parks:
        play.state[ACTIVE] -= _pour(lines, jobs, jobs.queue[job], group, UNPARKED)
        lines.groups[group, PARKED_AT] = next_turn(lines)


@compiled
def wake_lines(play: TracePlay, lines: Lines, place: int) -> None:
    """As `tenure.timeline.trace.pending.wake_queue`."""
    queues, state, group = lines.queues, play.state, lines.queues[place, PARKED]
    queues[place, WOKEN_AT] = queues[place, FORGOT_AT] = next_turn(lines)
    if group != _NO_GROUP:
        state[DIRTY] = 1
    while group != _NO_GROUP:
        later = lines.groups[group, SIDE + LATER]
        state[ACTIVE] += _pour(lines, play.jobs, place, group, PARKED)
        group = later


@compiled
def wake_one(play: TracePlay, lines: Lines, job: int) -> None:
    """One job is tried again if it is parked; what comes is tried even if one like it stays parked."""
    jobs, state = play.jobs, play.state
    lines.queues[jobs.queue[job], FORGOT_AT] = next_turn(lines)
    if side_of(lines, jobs, job) == PARKED:
        take_out(lines, jobs, job, PARKED)
        put_in(lines, jobs, job, UNPARKED)
        state[ACTIVE] += 1
        state[DIRTY] = 1
