"""Traces of jobs: CSV files with named columns, plain or compressed with gzip."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import IO

import numpy as np

from tenure.errors import InputError, Problem, bad_input
from tenure.manifests.quantities import amount_of, parse_quantity
from tenure.model import SECOND, Amount, Duration, Instant
from tenure.timeline.trace import TracedJobs, traced

MOST_JOBS = 5_000_000
"""More rows are refused."""


@dataclass(frozen=True, slots=True)
class TraceColumns:
    """The names of the columns of a trace."""

    job: str = "job_id"
    queue: str = "queue"
    submit: str = "submit_s"
    duration: str = "duration_s"
    size: str = "gpus"
    priority: str = "priority"


@dataclass(frozen=True, slots=True)
class TraceRow:
    """One job of a trace.

    Args:
        job: its name.
        queue: as the trace calls it.
        submit: ns after the trace's own zero.
        duration: how long it works, ns.
        size: how much it asks for, as it is written.
        priority: higher runs first.
    """

    job: str
    queue: str
    submit: Duration
    duration: Duration
    size: str
    priority: int


def read_trace(path: Path, columns: TraceColumns) -> tuple[TraceRow, ...]:
    """The jobs of a trace, in the order of their submission.

    Args:
        path: a CSV file with a header; one that ends in .gz is decompressed.
        columns: what its columns are called.

    Raises:
        InputError: no such file or column, a value that is no number, a job named twice, or no job at all.
    """
    try:
        with _opened(path) as lines:
            rows = list(_rows(csv.DictReader(lines), columns, str(path)))
    except OSError as error:
        found = error.strerror or str(error)
        raise InputError(
            [Problem("", found, "a trace as CSV, or such a file in gzip", file=str(path))]
        ) from None
    except (EOFError, UnicodeDecodeError, zlib.error, csv.Error) as error:
        raise InputError([Problem("", str(error), "a trace as CSV, in UTF-8", file=str(path))]) from None
    names = {row.job for row in rows}
    if not rows or len(names) != len(rows):
        found = "no job" if not rows else f"{len(rows) - len(names)} jobs a second time"
        raise InputError([Problem(columns.job, found, "each job once, at least one", file=str(path))])
    return tuple(sorted(rows, key=lambda row: row.submit))


def _opened(path: Path) -> IO[str]:
    if path.suffix == ".gz":
        return io.TextIOWrapper(gzip.open(path), encoding="utf-8", newline="")
    return path.open(encoding="utf-8", newline="")


def _rows(reader: csv.DictReader[str], columns: TraceColumns, file: str) -> Iterator[TraceRow]:
    known = reader.fieldnames or ()
    needed = [columns.job, columns.queue, columns.submit, columns.duration, columns.size]
    if columns.priority != TraceColumns().priority:
        needed.append(columns.priority)
    for name in needed:
        if name not in known:
            raise InputError([Problem(name, "no such column", f"one of {', '.join(known)}", file=file)])
    for number, row in enumerate(reader, start=2):
        if number > MOST_JOBS:
            raise InputError([Problem("", f"more than {MOST_JOBS} rows", "fewer", file=file)])
        cells = {name: str(text or "").strip() for name, text in row.items() if name is not None}
        yield _row(cells, columns, f"line {number}", file)


def _row(cells: Mapping[str, str], columns: TraceColumns, line: str, file: str) -> TraceRow:
    def number(name: str, default: str = "") -> Decimal:
        text = cells.get(name) or default
        try:
            found = Decimal(text)
            if found.is_finite() and abs(found) < 10**9:
                return found
        except InvalidOperation:
            pass
        raise bad_input(f"{line}, {name}", text, "a number below 10^9", file=file)

    submit, duration = number(columns.submit), number(columns.duration)
    if duration < 0 or submit < 0:
        raise bad_input(
            f"{line}, {columns.duration}", str(duration), "times that are not negative", file=file
        )
    return TraceRow(
        job=cells[columns.job],
        queue=cells[columns.queue],
        submit=int(submit * SECOND),
        duration=int(duration * SECOND),
        size=cells[columns.size],
        priority=int(number(columns.priority, "0")),
    )


@dataclass(frozen=True, slots=True)
class Placing:
    """How the rows of a trace become jobs of a play.

    Args:
        queues: the ClusterQueues, by name.
        rest: the ClusterQueue of rows whose queue is none of these; None where there may be none.
        resource: what the sizes are amounts of.
        keeps: whether progress survives a preemption.
        file: of the trace, for errors.
    """

    queues: Sequence[str]
    rest: str | None
    resource: str
    keeps: bool
    file: str


def placed(rows: Sequence[TraceRow], placing: Placing, start: Instant) -> TracedJobs:
    """The jobs of a trace, in their ClusterQueues.

    Args:
        rows: in the order of submission; the first joins at the start.
        placing: see there.
        start: of the play, ns since the epoch.

    Raises:
        InputError: a queue that is no ClusterQueue, or a size that is no amount above zero.
    """
    places = {name: number for number, name in enumerate(sorted(placing.queues))}
    amounts: dict[str, Amount] = {}
    shapes: dict[tuple[int, int, int], int] = {}
    ranks = {name: rank for rank, name in enumerate(sorted(row.job for row in rows))}
    given = np.zeros((len(rows), 9), np.int64)
    for number, row in enumerate(rows):
        place = places.get(row.queue, places.get(placing.rest or ""))
        if place is None:
            expected = f"a ClusterQueue ({', '.join(places)}), or another one by --other-queue"
            raise bad_input(f"job {row.job}, queue", row.queue, expected, file=placing.file)
        amount = amounts.get(row.size) or _amount(row, placing)
        amounts[row.size] = amount
        shape = shapes.setdefault((place, row.priority, amount), len(shapes))
        at = start + row.submit - rows[0].submit
        created = at - at % SECOND
        given[number] = (
            at,
            place,
            shape,
            row.priority,
            amount,
            ranks[row.job],
            created,
            row.duration,
            placing.keeps,
        )
    return traced([row.job for row in rows], given)


def _amount(row: TraceRow, placing: Placing) -> Amount:
    resource = placing.resource
    try:
        amount = amount_of(resource, row.size)
        # Kueue would take the next whole amount; of a trace that would be another one.
        is_whole = amount == parse_quantity(row.size) * amount_of(resource, 1)
    except InputError:
        is_whole = False
    if not is_whole or amount <= 0:
        expected = f"a whole amount of {resource} above zero"
        raise bad_input(f"job {row.job}, size", row.size, expected, file=placing.file)
    return amount
