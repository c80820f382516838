"""Heaps of the trace engine: tasks and timers by their first two columns, jobs of a shape by CYC-010."""

from __future__ import annotations

from tenure.rules import cycle
from tenure_simulate.core.compiled import compiled
from tenure_simulate.trace.tables import Table, TraceJobs

is_ahead_in_queue = compiled(cycle.is_ahead_in_queue)


@compiled
def _is_earlier(table: Table, row: int, other: int) -> bool:
    if table[row, 0] != table[other, 0]:
        return bool(table[row, 0] < table[other, 0])
    return bool(table[row, 1] < table[other, 1])


@compiled
def _swap_rows(table: Table, row: int, other: int) -> None:
    for column in range(table.shape[1]):
        table[row, column], table[other, column] = table[other, column], table[row, column]


@compiled
def push_row(table: Table, rows: int, at: int, order: int, job: int, stay: int) -> None:
    """Add a row to a heap of so many rows; there is room for it."""
    table[rows, 0], table[rows, 1], table[rows, 2], table[rows, 3] = at, order, job, stay
    row = rows
    while row > 0 and _is_earlier(table, row, (row - 1) // 2):
        _swap_rows(table, row, (row - 1) // 2)
        row = (row - 1) // 2


@compiled
def drop_first_row(table: Table, rows: int) -> None:
    """Take the first row out of a heap of so many rows."""
    last = rows - 1
    _swap_rows(table, 0, last)
    row = 0
    while 2 * row + 1 < last:
        child = 2 * row + 1
        if child + 1 < last and _is_earlier(table, child + 1, child):
            child += 1
        if not _is_earlier(table, child, row):
            return
        _swap_rows(table, row, child)
        row = child


@compiled
def is_ahead(jobs: TraceJobs, job: int, other: int, other_sticks: bool) -> bool:
    """Whether a job that is not kept at the head comes before another one of its ClusterQueue (CYC-010)."""
    return is_ahead_in_queue(
        False,
        other_sticks,
        jobs.priority[job],
        jobs.priority[other],
        jobs.queued[job],
        jobs.queued[other],
        jobs.rank[job] < jobs.rank[other],
    )


@compiled
def push_job(heaps: Table, first: int, size: int, job: int, jobs: TraceJobs) -> None:
    """Add a job to the heap of its shape, which begins at `first` and has so many."""
    heaps[first + size] = job
    place = size
    while place > 0 and is_ahead(jobs, heaps[first + place], heaps[first + (place - 1) // 2], False):
        above = first + (place - 1) // 2
        heaps[first + place], heaps[above] = heaps[above], heaps[first + place]
        place = (place - 1) // 2


@compiled
def drop_job(heaps: Table, first: int, size: int, jobs: TraceJobs) -> None:
    """Take the first job out of the heap of its shape, which begins at `first` and has so many."""
    last = size - 1
    heaps[first] = heaps[first + last]
    place = 0
    while 2 * place + 1 < last:
        child = 2 * place + 1
        if child + 1 < last and is_ahead(jobs, heaps[first + child + 1], heaps[first + child], False):
            child += 1
        if not is_ahead(jobs, heaps[first + child], heaps[first + place], False):
            return
        heaps[first + place], heaps[first + child] = heaps[first + child], heaps[first + place]
        place = child
