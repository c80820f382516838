"""The options of `tenure simulate --trace`."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from tenure.cli.commands import options_given
from tenure.cli.options import Workers
from tenure.disk import claim, write_file
from tenure.errors import bad_input
from tenure.resources import is_folder
from tenure_simulate.choices import GroupedBy, Preference, Progress

if TYPE_CHECKING:
    from tenure.model import Duration
    from tenure_simulate.answer_types import SimulateAnswer
    from tenure_simulate.figures import Counting
    from tenure_simulate.traces import TraceColumns

MOST_INTERPRETED: Final = 2000
"""So many jobs are simulated where the engine is interpreted, which is far slower."""


@dataclass(frozen=True, slots=True)
class TraceOptions:
    """Which trace, under which settings."""

    trace: Annotated[
        str | None,
        typer.Option(
            metavar="TRACE",
            help="The jobs: CSV with a header, or such a file in gzip; or a dump of finished Workloads, "
            "*.yaml, *.json, a folder or - for standard input.",
        ),
    ] = None
    sweep: Annotated[
        list[str] | None,
        typer.Option(
            "--sweep",
            metavar="KEY=VALUE,...",
            help="Simulate once for each value of minAdmitDuration, reading, or a field as --set names it; "
            "repeatable, for every combination.",
        ),
    ] = None
    by: Annotated[
        GroupedBy | None,
        typer.Option(
            help="Figures of the jobs of each queue, size or priority too.", show_default="not grouped"
        ),
    ] = None


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
        typer.Option(help="Column of its request.", show_default="gpus, or else cpus"),
    ] = None
    priority_column: Annotated[str, typer.Option(help="Column of its priority; 0 without one.")] = "priority"
    class_column: Annotated[
        str | None,
        typer.Option(
            help="Column of its WorkloadPriorityClass among the manifests, whose priority may grow; a job "
            "that names none has that of its column.",
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
class JobOptions:
    """How its jobs run."""

    other_queue: Annotated[
        str | None,
        typer.Option(
            metavar="CLUSTERQUEUE",
            help="Takes the jobs whose queue is no ClusterQueue.",
            show_default="they are refused",
        ),
    ] = None
    eviction: Annotated[
        str, typer.Option(metavar="DURATION", help="How long the pods of a preempted job take to end.")
    ] = "30s"
    after: Annotated[
        str,
        typer.Option(metavar="DURATION", help="How long the simulation goes on after the last submission."),
    ] = "1h"
    progress: Annotated[Progress, typer.Option(help="Whether work that is done survives a preemption.")] = (
        Progress.KEPT
    )
    slow: Annotated[
        bool, typer.Option("--slow", help=f"More than {MOST_INTERPRETED:,} jobs without the extra `fast`.")
    ] = False


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
            metavar="DURATION", help="Simulated and not counted: the cluster of a trace is empty at first."
        ),
    ] = "0s"
    seed: Annotated[int, typer.Option(min=0, help="Of the weeks that are drawn for confidence.")] = 1

    def counting(self, progress: Progress) -> Counting:
        """The same as it is computed with."""
        from tenure_simulate.figures import Counting

        if self.checkpoint is not None and progress == Progress.LOST:
            raise bad_input("--checkpoint", self.checkpoint, "no checkpoints with --progress lost")
        checkpoint = None if self.checkpoint is None else length_of(self.checkpoint, "--checkpoint")
        restart = length_of(self.restart_cost, "--restart-cost", least=0)
        return Counting(length_of(self.warm_up, "--warm-up", least=0), checkpoint, restart, self.seed)


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
    prefer: Annotated[
        Preference | None,
        typer.Option(
            help="Which setting to choose for: the shortest p95 wait, or the fewest lost hours; in text, "
            "Markdown and HTML.",
            show_default="both",
        ),
    ] = None

    @property
    def wanted(self) -> bool:
        """Whether anything is drawn."""
        return self.drawn or self.html is not None or self.svg is not None

    def check(self) -> None:
        """Make the folder of `--svg`, and see whether files can be written, before anything is simulated.

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

    def write(self, answer: SimulateAnswer, command: str) -> None:
        """Write what is wanted.

        Args:
            answer: with what pictures are drawn from.
            command: the command line, for the report.

        Raises:
            InputError: a file that cannot be written.
        """
        from tenure_play.drawing.svg import svg
        from tenure_simulate.page import html_report, pictures_of

        files: dict[Path, str] = {}
        if self.html is not None:
            files[self.html] = html_report(answer, command, self.prefer)
        if self.svg is not None:
            for name, (title, sketch) in pictures_of(answer, self.prefer).items():
                files[self.svg / f"{name}.svg"] = svg(sketch, title)
        for path, text in files.items():
            try:
                write_file(path, text)
            except OSError as error:
                raise bad_input("--html or --svg", str(path), f"a file to write: {error.strerror}") from None


@dataclass(frozen=True, slots=True)
class TraceRun:
    """All options of a trace."""

    traced: TraceOptions
    columns: ColumnOptions
    running: JobOptions
    counted: CountOptions
    workers: Workers
    drawing: DrawingOptions

    def given(self) -> list[str]:
        """Those that differ from their defaults."""
        return options_given(*(getattr(self, field.name) for field in fields(self)))


def length_of(text: str, option: str, *, least: Duration = 1) -> Duration:
    """A duration of the command line.

    Args:
        text: as it is typed.
        option: the option that has it.
        least: the least that it may be.

    Raises:
        InputError: no duration, or one that is too short or too long.
    """
    from tenure.manifests import parse_duration
    from tenure.model import MINUTE
    from tenure.units import format_duration

    longest = 10 * 365 * 24 * 60 * MINUTE
    found = parse_duration(text, field=option)
    if not least <= found <= longest:
        from_ = "above 0s" if least else "from 0s"
        raise bad_input(option, text, f"a duration {from_}, at most {format_duration(longest)}")
    return found
