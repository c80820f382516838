"""Traces of jobs: CSV files with named columns, plain or compressed with gzip."""

from __future__ import annotations

import csv
import gzip
import hashlib
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

import numpy as np

from tenure.disk import NotReadableError, open_regular
from tenure.errors import InputError, Problem, bad_input
from tenure.manifests import MAX_AMOUNT, in_mebibytes, parse_instant
from tenure.manifests.files import decoded, printable_path, reason
from tenure.manifests.limits import MAX_ROW, MAX_ROWS, MAX_TRACE
from tenure.manifests.quantities import amount_of, parse_quantity
from tenure.model import SECOND, Amount, Cluster, Duration, Instant, Workload, WorkloadPriorityClass
from tenure.rules.cycle import persisted
from tenure.rules.dynamic_priority import priority_in_decision

if TYPE_CHECKING:
    from tenure_simulate.trace import TracedJobs

MOST_REPORTED: Final = 10
"""Problems of a trace that are reported at once."""
SIZES: Final = ("gpus", "cpus")
"""Where no column of sizes is named: the first of these that there is."""


@dataclass(frozen=True, slots=True)
class TraceColumns:
    """The names of the columns of a trace; of sizes None for the first of `SIZES`, of classes for none."""

    job: str = "job_id"
    queue: str = "queue"
    submit: str = "submit_s"
    duration: str = "duration_s"
    size: str | None = None
    priority: str = "priority"
    priority_class: str | None = None


@dataclass(frozen=True, slots=True)
class TraceRow:
    """One job of a trace.

    Args:
        job: its name.
        queue: as the trace calls it.
        submit: ns after the trace's own zero.
        duration: how long it works, ns.
        size: its request, as it is written.
        priority: higher runs first.
        priority_class: its WorkloadPriorityClass; empty without one.
        boost: its annotation of a priority boost.
        place: where it is written, `line 2` of a file or `Workload/a/b`.
    """

    job: str
    queue: str
    submit: Duration
    duration: Duration
    size: str
    priority: int
    priority_class: str = ""
    boost: int = 0
    place: str = ""


@dataclass(frozen=True, slots=True)
class JobTrace:
    """The jobs of a file.

    Args:
        file: as the user named it.
        rows: in the order of submission.
        sha256: of the file's bytes, or of a dump's objects.
        queue, size: what the file calls queues and sizes.
        priority_class: the column of classes; empty where priorities are those of the classes already.
        left_out: how many other entries there are, by why.
    """

    file: str
    rows: tuple[TraceRow, ...]
    sha256: str
    queue: str = "queue"
    size: str = "size"
    priority_class: str = ""
    left_out: Mapping[str, int] = field(default_factory=dict)


def read_trace(path: Path, columns: TraceColumns) -> JobTrace:
    """The jobs of a CSV file.

    Args:
        path: a CSV file with a header; one that ends in .gz is decompressed.
        columns: what its columns are called.

    Raises:
        InputError: no such file or column, a value that is no number, a job named twice, or no job at all.
    """
    file = printable_path(path)
    try:
        with open_regular(path) as raw, _decompressed(raw, path) as source:
            reader = csv.DictReader(_lines(source, file))
            size = _size_column(columns, reader.fieldnames or (), file)
            rows = list(_rows(reader, columns, size, file))
            raw.seek(0)
            sha256 = hashlib.file_digest(raw, "sha256").hexdigest()  # type: ignore[arg-type] # reads alike
    except InputError:
        raise
    except (OSError, NotReadableError) as error:
        raise InputError(
            [Problem("", reason(error), "a trace as CSV, or such a file in gzip", file=file)]
        ) from None
    except (EOFError, zlib.error, csv.Error) as error:
        raise InputError([Problem("", str(error), "a trace as CSV, in UTF-8", file=file)]) from None
    if not rows:
        raise InputError([Problem(columns.job, "no job", "at least one", file=file)])
    ordered = tuple(sorted(rows, key=lambda row: row.submit))
    return JobTrace(file, ordered, sha256, columns.queue, size, columns.priority_class or "")


def _decompressed(source: IO[bytes], path: Path) -> IO[bytes]:
    return gzip.GzipFile(fileobj=source) if path.suffix == ".gz" else source  # type: ignore[return-value] # reads alike


def _lines(source: IO[bytes], file: str) -> Iterator[str]:
    """The lines of a trace, none of which is too long, nor all of them too large or too many.

    Raises:
        InputError: they are, or one is no text.
    """
    size, number = 0, 0
    while line := source.readline(MAX_ROW + 1):
        number += 1
        size += len(line)
        for found, most, what in (
            (len(line), MAX_ROW, f"{MAX_ROW} bytes in a line"),
            (number - 1, MAX_ROWS, f"{MAX_ROWS} rows"),
            (size, MAX_TRACE, f"{in_mebibytes(MAX_TRACE)}, decompressed"),
        ):
            if found > most:
                raise InputError(
                    [Problem(f"line {number}", f"more than {what}", f"at most {what}", file=file)]
                )
        problems: list[Problem] = []
        # Not an end of the line that Python knows besides: the parser of CSV joins what quotes hold together.
        text = decoded(line, file, problems, number)
        if text is None:
            raise InputError(problems)
        yield text


def _rows(reader: csv.DictReader[str], columns: TraceColumns, size: str, file: str) -> Iterator[TraceRow]:
    """The rows that can be read; the problems of the first others, once all are read."""
    lines: dict[str, int] = {}
    problems: list[Problem] = []
    for row in reader:
        line = reader.line_num
        cells = {name: str(text or "").strip() for name, text in row.items() if name is not None}
        try:
            found = _row(cells, columns, size, f"line {line}", file)
        except InputError as error:
            problems += error.problems
        else:
            if found.job in lines:
                expected = f"each job once; line {lines[found.job]} has it too"
                problems.append(Problem(f"line {line}, {columns.job}", repr(found.job), expected, file=file))
            lines[found.job] = line
            yield found
        if len(problems) >= MOST_REPORTED:
            break
    if problems:
        raise InputError(problems[:MOST_REPORTED])


def _size_column(columns: TraceColumns, known: Sequence[str], file: str) -> str:
    """The column of sizes; every column that is needed is there.

    Raises:
        InputError: the columns that are not.
    """
    size = columns.size or next((name for name in SIZES if name in known), SIZES[0])
    needed = [columns.job, columns.queue, columns.submit, columns.duration, size]
    if columns.priority != TraceColumns().priority:
        needed.append(columns.priority)
    if columns.priority_class is not None:
        needed.append(columns.priority_class)
    absent = [name for name in needed if name not in known]
    if absent:
        expected = f"one of {', '.join(known)}"
        raise InputError(
            [Problem(f"line 1, {name}", "no such column", expected, file=file) for name in absent]
        )
    return size


def _row(cells: Mapping[str, str], columns: TraceColumns, size: str, place: str, file: str) -> TraceRow:
    def number(name: str, expected: str, default: str = "") -> Decimal:
        text = cells.get(name) or default
        try:
            found = Decimal(text)
            if found.is_finite() and abs(found) < 10**9:
                return found
        except InvalidOperation:
            pass
        raise bad_input(f"{place}, {name}", text, expected, file=file)

    def seconds(name: str) -> Duration:
        found = number(name, "seconds, a number below 10^9")
        if found < 0:
            raise bad_input(f"{place}, {name}", cells[name], "seconds that are not negative", file=file)
        return int(found * SECOND)

    priority = number(columns.priority, "a whole number below 10^9", "0")
    if priority != int(priority):
        raise bad_input(f"{place}, {columns.priority}", cells[columns.priority], "a whole number", file=file)
    return TraceRow(
        job=cells[columns.job],
        queue=cells[columns.queue],
        submit=_instant(cells[columns.submit]) or seconds(columns.submit),
        duration=seconds(columns.duration),
        size=cells[size],
        priority=int(priority),
        priority_class=cells[columns.priority_class] if columns.priority_class else "",
        place=place,
    )


def _instant(text: str) -> Instant | None:
    """A time as RFC 3339 has it, ns since the epoch; None of anything else.

    >>> _instant("1970-01-01T00:00:01Z"), _instant("1")
    (1000000000, None)
    """
    if "T" not in text:
        return None
    try:
        return parse_instant(text)
    except InputError:
        return None


@dataclass(frozen=True, slots=True)
class Placing:
    """How the rows of a trace become jobs of a play.

    Args:
        queues: the ClusterQueues, by name.
        rest: the ClusterQueue of rows whose queue is none of these; None where there may be none.
        resource: what the sizes are amounts of.
        times: how many of the resource one of a size is.
        keeps: whether progress survives a preemption.
        cluster: the objects of the play.
        classes: the WorkloadPriorityClasses, also those whose priority stays.
    """

    queues: Sequence[str]
    rest: str | None
    resource: str
    times: int
    keeps: bool
    cluster: Cluster
    classes: Mapping[str, WorkloadPriorityClass]


def placed(trace: JobTrace, placing: Placing, start: Instant) -> TracedJobs:
    """The jobs of a trace, in their ClusterQueues.

    Args:
        trace: the first of its jobs joins at the start.
        placing: see there.
        start: of the play, ns since the epoch.

    Raises:
        InputError: a queue that is no ClusterQueue, a class that there is not, or a size that is no amount
            above zero.
    """
    # Late: whether the engine is compiled is settled when it is imported.
    from tenure_simulate.trace import traced
    from tenure_simulate.trace.jobs import ages_of

    rows = trace.rows
    places = {name: number for number, name in enumerate(sorted(placing.queues))}
    amounts: dict[str, Amount] = {}
    shapes: dict[tuple[int, int], int] = {}
    workloads: list[Workload] = []
    boosts = placing.cluster.settings.priority_boost
    ranks = {name: rank for rank, name in enumerate(sorted(row.job for row in rows))}
    given = np.zeros((len(rows), 9), np.int64)
    for number, row in enumerate(rows):
        place = places.get(row.queue, places.get(placing.rest or ""))
        if place is None:
            expected = f"a ClusterQueue ({', '.join(places)}), or another one by --other-queue"
            raise bad_input(f"{row.place}, {trace.queue}", row.queue, expected, file=trace.file)
        amount = amounts.get(row.size) or _amount(row, trace, placing)
        amounts[row.size] = amount
        shape = shapes.setdefault((place, amount), len(shapes))
        at = start + row.submit - rows[0].submit
        created = persisted(at)
        workload = _workload(row, created, trace, placing)
        workloads.append(workload)
        given[number] = (
            at,
            place,
            shape,
            priority_in_decision(workload, None, boosts),
            amount,
            ranks[row.job],
            created,
            row.duration,
            placing.keeps,
        )
    kinds, ages = ages_of(workloads, placing.cluster)
    return traced([row.job for row in rows], given, kinds=kinds, ages=ages)


def _workload(row: TraceRow, created: Instant, trace: JobTrace, placing: Placing) -> Workload:
    """A job as a workload, as far as its priority goes."""
    priority = row.priority
    if trace.priority_class and row.priority_class:
        named = placing.classes.get(row.priority_class)
        if named is None:
            known = ", ".join(sorted(placing.classes)) or "there is none"
            place = f"{row.place}, {trace.priority_class}"
            expected = f"a WorkloadPriorityClass of the manifests ({known})"
            raise bad_input(place, row.priority_class, expected, file=trace.file)
        priority = named.base
    return Workload(
        namespace="",
        name=row.job,
        uid=row.job,
        priority=priority,
        created_at=created,
        priority_boost=row.boost,
        priority_class=row.priority_class,
    )


def _amount(row: TraceRow, trace: JobTrace, placing: Placing) -> Amount:
    resource = placing.resource
    try:
        exact = parse_quantity(row.size) * placing.times
        unit = amount_of(resource, 1)
        # Kueue would take the next whole amount; of a trace that would be another one.
        if exact > 0 and (exact * unit) % 1 == 0:
            return min(int(exact * unit), MAX_AMOUNT)
    except InputError:
        pass
    what = f"a whole amount of {resource} above zero"
    if placing.times > 1:
        what += f", times {placing.times}"
    expected = f"{what}; of shares, --size-times counts parts"
    raise bad_input(f"{row.place}, {trace.size}", row.size, expected, file=trace.file)
