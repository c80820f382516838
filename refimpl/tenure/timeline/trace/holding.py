"""What holds quota and what would, in one flat cohort or in trees: which one, is settled when it is compiled.

Each function is given `trees` by itself: the compiler leaves out the branch that a type never takes.
"""

from __future__ import annotations

from tenure.fast.compiled import compiled
from tenure.rules import cycle
from tenure.timeline.trace.flavors import decide_in_trees
from tenure.timeline.trace.search import available_to, charge, copy_usage, decide_for
from tenure.timeline.trace.tables import (
    ENTRY_JOB,
    ENTRY_LEVEL,
    FIRST_SLOT,
    HOLDERS,
    LEAVES,
    LIMIT,
    NEVER,
    NOMINAL,
    QUEUE,
    REQUEST,
    SLOT,
    Table,
    TracePlay,
    Trees,
)
from tenure.timeline.trace.trees import (
    charge_held,
    copy_trees,
    fits_in_trees,
    free_row,
    hide_row,
    keep_in_trees,
    note_evicted,
    rank_row,
    take_row,
)

capacity_kept = compiled(cycle.capacity_kept)


@compiled
def charge_job(
    usage: Table, row: int, queues: Table, jobs: Table, job: int, sign: int, trees: Trees | None
) -> None:
    """Add what a job holds, or would hold, to a row of usage; take it away where the sign is -1."""
    if trees is None:
        charge(usage, row, queues, jobs[job, QUEUE], sign * jobs[job, REQUEST])
    else:
        charge_held(trees, trees.heroes, row, jobs[job, QUEUE], job, sign)


@compiled
def copy_rows(usage: Table, source: int, target: int, trees: Trees | None) -> None:
    """Make one row of usage like another."""
    if trees is None:
        copy_usage(usage, source, target)
    else:
        copy_trees(trees, trees.heroes, source, target)


@compiled
def fits_job(play: TracePlay, row: int, job: int, trees: Trees | None) -> bool:
    """Whether what a job would hold is available beside a row of usage."""
    place = play.jobs[job, QUEUE]
    if trees is None:
        return bool(available_to(play, row, place) >= play.jobs[job, REQUEST])
    else:  # noqa: RET505 - the compiler leaves out a whole branch
        return fits_in_trees(trees, trees.heroes, row, place, job)


@compiled
def keep_capacity(play: TracePlay, row: int, entry: int, trees: Trees | None) -> None:
    """Charge what is kept for a head without candidates (CYC-110)."""
    job, borrows = play.entries[entry, ENTRY_JOB], play.entries[entry, ENTRY_LEVEL] > 0
    queues, place = play.queues, play.jobs[job, QUEUE]
    if trees is None:
        kept = capacity_kept(
            play.jobs[job, REQUEST],
            play.usage[row, place],
            queues[place, NOMINAL],
            queues[place, LIMIT] < NEVER,
            queues[place, LIMIT],
            borrows,
        )
        charge(play.usage, row, queues, place, kept)
    else:
        keep_in_trees(trees, trees.heroes, row, place, job, borrows)


@compiled
def decide_job(play: TracePlay, job: int, used: int, first: int, trees: Trees | None) -> tuple[int, int, int]:
    """As `decide_for` of the two."""
    if trees is None:
        return decide_for(play, job, play.jobs[job, QUEUE], used, first)
    else:  # noqa: RET505 - the compiler leaves out a whole branch
        return decide_in_trees(play, trees, job, play.jobs[job, QUEUE], used, first)


@compiled
def join_holders(queues: Table, holders: Table, jobs: Table, job: int, trees: Trees | None) -> None:
    """A job holds quota from now on."""
    if trees is None:
        place = jobs[job, QUEUE]
        jobs[job, SLOT] = queues[place, FIRST_SLOT] + queues[place, HOLDERS]
        holders[jobs[job, SLOT]] = job
        queues[place, HOLDERS] += 1
    else:
        take_row(trees, jobs, job)


@compiled
def leave_holders(queues: Table, holders: Table, jobs: Table, job: int, trees: Trees | None) -> None:
    """A job no longer holds quota; the last one takes its place."""
    if trees is None:
        place = jobs[job, QUEUE]
        queues[place, HOLDERS] -= 1
        last = holders[queues[place, FIRST_SLOT] + queues[place, HOLDERS]]
        holders[jobs[job, SLOT]] = last
        jobs[last, SLOT] = jobs[job, SLOT]
    else:
        free_row(trees, jobs, job)


@compiled
def note_eviction(jobs: Table, job: int, trees: Trees | None) -> None:
    """A job that holds quota is evicted."""
    if trees is not None:
        note_evicted(trees, jobs, job)


@compiled
def note_priority(jobs: Table, job: int, level: int, trees: Trees | None) -> None:
    """A job has another priority, of which the rank among all of the play is given."""
    if trees is not None:
        rank_row(trees, jobs, job, level)


@compiled
def mark_leaving(jobs: Table, job: int, leaves: bool, trees: Trees | None) -> None:
    """The cycle preempts a job; no longer, where it is over."""
    jobs[job, LEAVES] = 1 if leaves else 0
    if trees is not None:
        hide_row(trees, jobs, job, leaves)
