"""`tenure simulate`."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tenure.as_json import as_json
from tenure.cli.commands import with_records
from tenure.cli.exit_codes import ExitCode
from tenure.cli.options import DEFAULT_READING, ReadingName, Workers
from tenure.cli.output import Output, aligned, print_answer
from tenure.cli.terminal import Color, choose_colour, complain, hint, print_text
from tenure.disk import claim, write_file
from tenure.engines import require_core
from tenure.errors import bad_input
from tenure.manifests import parse_duration, read_objects
from tenure.model import MINUTE, Duration
from tenure.resources import is_folder
from tenure.units import format_duration
from tenure_simulate.answer_types import GroupedBy

if TYPE_CHECKING:
    from tenure.manifests import SourcedObject
    from tenure_simulate.answer_types import SettingFigures, SimulateAnswer
    from tenure_simulate.figures import Counting
    from tenure_simulate.traces import JobTrace, TraceColumns

_SAID_EVERY_S = 10.0
_LONGEST: Duration = 10 * 365 * 24 * 60 * MINUTE
_MANY = 1000
"""Of more jobs it is said where the engine is interpreted, which is slow."""


class SimulateOutput(StrEnum):
    """How the figures are printed."""

    TEXT = "text"
    JSON = "json"
    YAML = "yaml"
    CSV = "csv"


class Progress(StrEnum):
    """What becomes of a job's work when it is preempted."""

    KEPT = "kept"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class ColumnOptions:
    """What the columns of the trace are called, and what its sizes are."""

    job_column: Annotated[str, typer.Option(help="Column of a job's name.")] = "job_id"
    queue_column: Annotated[str, typer.Option(help="Column of its queue.")] = "queue"
    submit_column: Annotated[
        str, typer.Option(help="Column of its submission: seconds, or a time as RFC 3339 has it.")
    ] = "submit_s"
    duration_column: Annotated[str, typer.Option(help="Column of how long it works, seconds.")] = "duration_s"
    size_column: Annotated[
        str | None,
        typer.Option(help="Column of how much it asks for.", show_default="gpus, or else cpus"),
    ] = None
    priority_column: Annotated[str, typer.Option(help="Column of its priority; 0 without one.")] = "priority"
    class_column: Annotated[
        str | None,
        typer.Option(
            help="Column of its WorkloadPriorityClass, one of --queues, whose priority may grow; a job that "
            "names none has that of its column.",
            show_default="no column",
        ),
    ] = None
    size_times: Annotated[
        int,
        typer.Option(
            min=1,
            max=1_000_000,
            help="How many of the resource a size of 1 is: 1000 for shares, counted in thousandths.",
        ),
    ] = 1
    resource: Annotated[
        str,
        typer.Option(
            metavar="RESOURCE",
            help="What counts where the ClusterQueues have quota of several resources.",
            show_default="the only one",
        ),
    ] = ""

    def columns(self) -> TraceColumns:
        """The same as they are read."""
        from tenure_simulate.traces import TraceColumns

        return TraceColumns(
            job=self.job_column,
            queue=self.queue_column,
            submit=self.submit_column,
            duration=self.duration_column,
            size=self.size_column,
            priority=self.priority_column,
            priority_class=self.class_column,
        )


@dataclass(frozen=True, slots=True)
class PlayOptions:
    """How the trace is played."""

    other_queue: Annotated[
        str | None,
        typer.Option(
            metavar="CLUSTERQUEUE",
            help="Takes the jobs whose queue is no ClusterQueue.",
            show_default="they are refused",
        ),
    ] = None
    reading: ReadingName = DEFAULT_READING
    eviction: Annotated[
        str, typer.Option(metavar="DURATION", help="How long the pods of a preempted job take to end.")
    ] = "30s"
    after: Annotated[
        str, typer.Option(metavar="DURATION", help="How long the play goes on after the last submission.")
    ] = "1h"
    progress: Annotated[Progress, typer.Option(help="Whether work that is done survives a preemption.")] = (
        Progress.KEPT
    )


@dataclass(frozen=True, slots=True)
class CountOptions:
    """What counts, and at which price."""

    checkpoint: Annotated[
        str | None,
        typer.Option(
            metavar="DURATION",
            help="How often a stay writes a checkpoint: a preemption costs the work since the last one.",
            show_default="all the time",
        ),
    ] = None
    restart_cost: Annotated[
        str, typer.Option(metavar="DURATION", help="How long a job works for nothing when it starts again.")
    ] = "0s"
    warm_up: Annotated[
        str,
        typer.Option(
            metavar="DURATION", help="Played and not counted: the cluster of a trace is empty at first."
        ),
    ] = "0s"
    seed: Annotated[int, typer.Option(min=0, help="Of the weeks that are drawn for confidence.")] = 1

    def counting(self, progress: Progress) -> Counting:
        """The same as it is computed with."""
        from tenure_simulate.figures import Counting

        if self.checkpoint is not None and progress == Progress.LOST:
            raise bad_input("--checkpoint", self.checkpoint, "no checkpoints with --progress lost")
        checkpoint = None if self.checkpoint is None else _length(self.checkpoint, "--checkpoint")
        restart = _length(self.restart_cost, "--restart-cost", least=0)
        return Counting(_length(self.warm_up, "--warm-up", least=0), checkpoint, restart, self.seed)


@dataclass(frozen=True, slots=True)
class DrawingOptions:
    """What is drawn, and where it goes."""

    html: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write tables and pictures as one HTML file, light and dark."),
    ] = None
    svg: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Write each picture as SVG into this folder, made where it is missing."
        ),
    ] = None
    drawn: Annotated[
        bool, typer.Option("--drawn", help="JSON and YAML have what pictures are drawn from, too.")
    ] = False

    @property
    def wanted(self) -> bool:
        """Whether anything is drawn."""
        return self.drawn or self.html is not None or self.svg is not None

    def check(self) -> None:
        """Make the folder of `--svg`, and see whether files can be written, before anything is played.

        Raises:
            InputError: a folder that does not exist, or cannot be made.
        """
        claim("--html", self.html)
        if self.svg is not None and not is_folder(self.svg):
            try:
                self.svg.mkdir()
            except OSError as error:
                expected = f"a folder, or a new one in a folder that exists: {error.strerror}"
                raise bad_input("--svg", str(self.svg), expected) from None

    def write(self, answer: SimulateAnswer) -> None:
        """Write what is wanted.

        Raises:
            InputError: a file that cannot be written.
        """
        from tenure_play.drawing.svg import svg
        from tenure_simulate.page import html_report, pictures_of

        files: dict[Path, str] = {}
        if self.html is not None:
            files[self.html] = html_report(answer)
        if self.svg is not None:
            for name, (told, sketch) in pictures_of(answer).items():
                files[self.svg / f"{name}.svg"] = svg(sketch, told)
        for path, text in files.items():
            try:
                write_file(path, text)
            except OSError as error:
                raise bad_input("--html or --svg", str(path), f"a file to write: {error.strerror}") from None


@with_records
def simulate_command(
    *,
    trace: Annotated[
        str,
        typer.Argument(
            help="A trace of jobs: CSV with a header, or such a file in gzip; or a dump of finished "
            "Workloads, *.yaml, *.json, a folder or - for standard input.",
            metavar="TRACE",
        ),
    ],
    queues: Annotated[
        list[str],
        typer.Option(
            "--queues",
            "-q",
            metavar="PATH",
            help="File or folder of ClusterQueues, ResourceFlavors, Cohorts and WorkloadPriorityClasses; "
            "repeatable.",
        ),
    ],
    sweep: Annotated[
        list[str] | None,
        typer.Option(
            "--sweep",
            metavar="KEY=VALUE,...",
            help="Play once for each value of minAdmitDuration, reading, or a field as --set names it; "
            "repeatable, for every combination.",
        ),
    ] = None,
    by: Annotated[
        GroupedBy | None,
        typer.Option(
            help="Figures of the jobs of each queue, size or priority too.", show_default="not grouped"
        ),
    ] = None,
    columns: ColumnOptions,
    playing: PlayOptions,
    counted: CountOptions,
    workers: Workers,
    drawing: DrawingOptions,
    output: Annotated[
        SimulateOutput, typer.Option("--output", "-o", help="How to print the figures.")
    ] = SimulateOutput.TEXT,
    color: Color = None,
) -> None:
    """Compare settings of queues on a trace of jobs: waits, preemptions, lost and unused quota.

    Every job of the trace joins the ClusterQueue that its queue names, works for its duration, and is
    scheduled as `tenure play` does it: no cycle is left out.

    A trace with the columns job_id, queue, submit_s, duration_s, gpus and priority, with three durations:

    \b
    tenure simulate philly-2017-gpu.csv.gz --queues queues.yaml --other-queue rest \\
      --sweep minAdmitDuration=off,1h,4h

    Sizes in a column cpus, a ClusterQueue for each user, two readings, as CSV:

    \b
    tenure simulate wagap-2013-hpc.csv.gz -q queues/ --queue-column user \\
      --sweep minAdmitDuration=4h --sweep reading=guaranteed,as-written -o csv

    Shares of GPUs, such as 0.22, in thousandths; other names of columns:

    \b
    tenure simulate openb-2023-k8s-gpu.csv -q queues.yaml --size-times 1000
    tenure simulate jobs.csv -q queues.yaml --job-column id --submit-column created \\
      --duration-column runtime --size-column cards

    Priorities of WorkloadPriorityClasses in queues.yaml, which may grow with time:

    \b
    tenure simulate jobs.csv -q queues.yaml --class-column class

    What a cluster has done, as long as it keeps finished Workloads:

    \b
    kubectl get workloads -A -o json | tenure simulate - -q queues.yaml --resource nvidia.com/gpu

    A sweep of minAdmitDuration sets withinClusterQueue to LowerOrNewerEqualPriority, which it needs, in every
    ClusterQueue; off leaves the policy as it is written. Settings are played in --jobs processes, or by the
    workers of a Dask scheduler. Ctrl-C prints the settings that are done.

    Exit codes: 0 answered; 2 bad input, or queues that are left to `tenure play`; 3 internal error, or a
    process was killed; 130 interrupted, with what was done until then.
    """
    choose_colour(color)
    require_core()
    from tenure.pools import Hands
    from tenure_simulate.core.compiled import COMPILED, NOT_COMPILED
    from tenure_simulate.parallel import simulated
    from tenure_simulate.run import TraceCourse
    from tenure_simulate.sweep import parse_sweep, settings_of

    drawing.check()
    settings = settings_of([parse_sweep(text) for text in sweep or ()])
    objects = read_objects(queues)
    course = TraceCourse(
        objects=objects,
        trace=_trace(trace, columns, objects),
        other_queue=playing.other_queue,
        reading=playing.reading,
        eviction=_length(playing.eviction, "--eviction"),
        after=_length(playing.after, "--after"),
        keeps=playing.progress == Progress.KEPT,
        times=columns.size_times,
        resource=columns.resource,
        by=by,
        counting=counted.counting(playing.progress),
        drawn=drawing.wanted,
    )
    if course.counting.warm_up >= course.length:
        raise bad_input("--warm-up", counted.warm_up, f"less than the play, {format_duration(course.length)}")
    if not COMPILED and len(course.trace.rows) > _MANY:
        hint(NOT_COMPILED)
    watch = _Watch(len(settings))
    hands = Hands(workers.jobs, workers.scheduler)
    try:
        answer = simulated(course, settings, watch.told, watch.progress, hands)
    except BrokenProcessPool:
        complain("stopped", f"a process was killed; {watch.done} of {len(settings)} settings were done")
        raise typer.Exit(ExitCode.INTERNAL) from None
    if answer.settings:
        drawing.write(answer)
    _print(answer if drawing.drawn else _without_drawn(answer), output, by)
    if not answer.complete:
        hint(f"interrupted: {len(answer.settings)} of {len(settings)} settings are done")
        raise typer.Exit(ExitCode.INTERRUPTED)


def _trace(name: str, options: ColumnOptions, objects: Sequence[SourcedObject]) -> JobTrace:
    """The jobs of a CSV file or of a dump."""
    from tenure_simulate.dumps import is_dump, read_dump
    from tenure_simulate.run import resource_of
    from tenure_simulate.traces import read_trace

    if not is_dump(name, is_folder=Path(name).is_dir()):
        return read_trace(Path(name), options.columns())
    found = read_dump(read_objects([name]), resource_of(objects, options.resource), name)
    if found.left_out:
        hint(f"left out: {', '.join(f'{count} {why}' for why, count in found.left_out.items())}")
    return found


def _length(text: str, option: str, *, least: Duration = 1) -> Duration:
    found = parse_duration(text, field=option)
    if not least <= found <= _LONGEST:
        from_ = "above 0s" if least else "from 0s"
        raise bad_input(option, text, f"a duration {from_}, at most {format_duration(_LONGEST)}")
    return found


class _Watch:
    """Tells on standard error how far it is, and how long the rest may take."""

    def __init__(self, settings: int) -> None:
        self._settings = settings
        self._began = self._said = time.monotonic()
        self._parts: dict[int, float] = {}

    @property
    def done(self) -> int:
        """How many settings are done."""
        return sum(part == 1 for part in self._parts.values())

    def progress(self, number: int, part: float) -> None:
        self._parts[number] = min(part, 0.99)
        now = time.monotonic()
        if now - self._said >= _SAID_EVERY_S:
            self._said = now
            parts = ", ".join(
                f"setting {each + 1} {part:.0%}" for each, part in sorted(self._parts.items()) if part < 1
            )
            hint(f"{self.done} of {self._settings} settings are done; {parts}{self._left()}")

    def told(self, number: int, figures: SettingFigures) -> None:
        from tenure_simulate.tables import setting_words

        self._parts[number] = 1
        if self._settings > 1:
            words = setting_words(figures.setting)
            hint(f"setting {number + 1} of {self._settings} is done: {words}{self._left()}")

    def _left(self) -> str:
        """How long the settings that are left take, as long as those before."""
        done = sum(self._parts.values())
        left = (time.monotonic() - self._began) * (self._settings - done) / max(done, 0.001)
        return f", about {left:.0f} s left" if left >= 1 else ""


def _without_drawn(answer: SimulateAnswer) -> SimulateAnswer:
    return replace(answer, settings=tuple(replace(figures, drawn=None) for figures in answer.settings))


def _print(answer: SimulateAnswer, output: SimulateOutput, by: GroupedBy | None) -> None:
    from tenure_simulate.tables import table_rows

    if output == SimulateOutput.CSV:
        written = io.StringIO()
        csv.writer(written, lineterminator="\n").writerows(table_rows(answer))
        print_text(written.getvalue())
    else:
        print_answer(Output(output.value), "simulate", as_json(answer), _lines(answer, by), pointer=False)


def _lines(answer: SimulateAnswer, by: GroupedBy | None) -> Iterator[str]:
    from tenure_simulate.tables import HOUR_LEGEND, WAIT_LEGEND, hour_rows, queue_rows, wait_rows

    length = format_duration(answer.length)
    yield f"{answer.jobs} jobs of {answer.trace}, {answer.resource}, played for {length}"
    yield from _table(wait_rows(answer))
    yield from WAIT_LEGEND
    yield ""
    yield from _table(hour_rows(answer))
    yield from HOUR_LEGEND
    if by == GroupedBy.QUEUE:
        yield ""
        yield from _table(queue_rows(answer))
    yield from _confidence(answer)


def _table(rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    listed = list(rows)
    return aligned(listed, right=range(1, len(listed[0])))


def _confidence(answer: SimulateAnswer) -> Iterator[str]:
    """Between which hours the 95th percentiles of waits lie; nothing of a short trace."""
    from tenure_simulate.tables import hours, setting_words

    for number, figures in enumerate(answer.settings):
        found = figures.confidence
        if found is None:
            return
        if number == 0:
            yield ""
            drawn = f"{found.weeks} weeks drawn {found.draws} times with seed {found.seed}"
            yield f"95 of 100 draws lie between: {drawn}"
        first, total, times = found.first_wait_p95, found.all_waits_p95, found.preemptions_per_job
        yield (
            f"{setting_words(figures.setting)}: first p95 {hours(first.low)} to {hours(first.high)}, all p95 "
            f"{hours(total.low)} to {hours(total.high)}, preemptions a job {times.low:g} to {times.high:g}, "
            f"wasted {found.wasted_share.low:.2%} to {found.wasted_share.high:.2%} of what is held"
        )
