"""What `tenure simulate` does."""

from __future__ import annotations

import csv
import io
import shlex
import sys
import time
from collections.abc import Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from tenure.as_json import as_json
from tenure.cli.commands import options_given
from tenure.cli.exit_codes import ExitCode
from tenure.cli.options import EditOptions, ReadingName, Workers
from tenure.cli.output import Output, print_answer
from tenure.cli.terminal import Color, choose_colour, complain, hint, print_lines, print_text
from tenure.engines import require_core
from tenure.errors import bad_input
from tenure.manifests import read_objects
from tenure.units import format_duration
from tenure_play.commands.scenario_options import ScenarioOptions, ViewOptions
from tenure_play.commands.scenario_runs import simulate_scenarios
from tenure_simulate.choices import GroupedBy, Progress
from tenure_simulate.command import SimulateOutput
from tenure_simulate.trace_options import (
    MOST_INTERPRETED,
    ColumnOptions,
    CountOptions,
    DrawingOptions,
    JobOptions,
    TraceOptions,
    TraceRun,
    length_of,
)

if TYPE_CHECKING:
    from tenure.manifests import SourcedObject
    from tenure_simulate.answer_types import SettingFigures, SimulateAnswer
    from tenure_simulate.choices import Preference
    from tenure_simulate.traces import JobTrace


_REPORT_EVERY_S = 10.0


def run_simulate(
    *,
    paths: list[str] | None,
    reading: ReadingName,
    output: SimulateOutput,
    color: Color,
    scenarios: ScenarioOptions,
    edits: EditOptions,
    view: ViewOptions,
    traced: TraceOptions,
    columns: ColumnOptions,
    running: JobOptions,
    counted: CountOptions,
    workers: Workers,
    drawing: DrawingOptions,
) -> None:
    """As `tenure_simulate.command.simulate_command` documents it."""
    choose_colour(color)
    words = list(paths or ())
    on_trace = TraceRun(traced, columns, running, counted, workers, drawing)
    if traced.trace is not None:
        _refuse(options_given(scenarios, edits, view), "beside --trace")
        if not words:
            raise bad_input(
                "paths", "nothing", "manifests of the queues: tenure simulate QUEUES --trace TRACE"
            )
        _compare_settings(words, on_trace, reading, output)
        return
    is_of_traces = output in (SimulateOutput.CSV, SimulateOutput.MARKDOWN)
    of_output = [f"--output {output}"] if is_of_traces else []
    _refuse([*on_trace.given(), *of_output], "without --trace")
    for word in words:
        if word.endswith((".csv", ".csv.gz")):
            raise bad_input(
                "paths", word, f"a scenario; a trace of jobs is: tenure simulate QUEUES --trace {word}"
            )
    simulate_scenarios(words, scenarios, edits, view, reading, Output(output.value))


def _refuse(options: Sequence[str], found: str) -> None:
    """Refuse options of scenarios beside a trace, or the other way round.

    Raises:
        InputError: there is one.
    """
    if options:
        expected = (
            "either `tenure simulate SCENARIO` with options of scenarios, or "
            "`tenure simulate QUEUES --trace TRACE` with options of traces"
        )
        raise bad_input(options[0], found, expected)


def _compare_settings(queues: Sequence[str], given: TraceRun, reading: str, output: SimulateOutput) -> None:
    require_core()
    from tenure.pools import Hands
    from tenure_simulate.machine_code import interpret_few
    from tenure_simulate.parallel import simulated
    from tenure_simulate.run import TraceCourse
    from tenure_simulate.sweep import parse_sweep, settings_of

    drawing, workers = given.drawing, given.workers
    drawing.check()
    settings = settings_of([parse_sweep(text) for text in given.traced.sweep or ()])
    objects = read_objects(queues)
    course = TraceCourse(
        objects=objects,
        trace=_trace(given.traced.trace or "", given.columns, objects),
        other_queue=given.running.other_queue,
        reading=reading,
        eviction=length_of(given.running.eviction, "--eviction"),
        after=length_of(given.running.after, "--after"),
        keeps=given.running.progress == Progress.KEPT,
        times=given.columns.size_times,
        resource=given.columns.resource,
        by=given.traced.by,
        counting=given.counted.counting(given.running.progress),
        drawn=drawing.wanted,
    )
    if course.counting.warm_up >= course.length:
        raise bad_input(
            "--warm-up", given.counted.warm_up, f"less than the simulation, {format_duration(course.length)}"
        )
    jobs = len(course.trace.rows)
    hands = Hands(workers.jobs, workers.scheduler)
    if not hands.scheduler and interpret_few(jobs * len(settings)):
        hands = Hands()
    else:
        _load_engine(jobs, slow=given.running.slow)
    watch = _Watch(len(settings))
    try:
        answer = simulated(course, settings, watch.done_with, watch.progress, hands)
    except BrokenProcessPool:
        complain("stopped", f"a process was killed; {watch.done} of {len(settings)} settings were done")
        raise typer.Exit(ExitCode.INTERNAL) from None
    command = shlex.join(["tenure", *sys.argv[1:]])
    if answer.settings:
        drawing.write(answer, command)
    _print(
        answer if drawing.drawn else _without_drawn(answer), output, given.traced.by, drawing.prefer, command
    )
    if not answer.complete:
        hint(f"interrupted: {len(answer.settings)} of {len(settings)} settings are done")
        raise typer.Exit(ExitCode.INTERRUPTED)


def _load_engine(jobs: int, *, slow: bool) -> None:
    """Load the engine that is compiled where it can be.

    Raises:
        InputError: it is not, and there are too many jobs.
    """
    from tenure_simulate.core.compiled import COMPILED, COMPILING_S, NOT_COMPILED, must_compile
    from tenure_simulate.machine_code import ENGINE

    if not COMPILED and jobs > MOST_INTERPRETED:
        if not slow:
            install = "`pip install 'tenure[fast]'` compiles the engine; --slow simulates them without"
            raise bad_input("--trace", f"{jobs:,} jobs", f"at most {MOST_INTERPRETED:,} here: {install}")
        hint(NOT_COMPILED)
    if must_compile(ENGINE):
        hint(f"compiling the engine once, about {COMPILING_S} s")


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


class _Watch:
    """Progress on standard error, with how long the rest may take."""

    def __init__(self, settings: int) -> None:
        self._settings = settings
        self._began = self._reported = time.monotonic()
        self._parts: dict[int, float] = {}

    @property
    def done(self) -> int:
        """How many settings are done."""
        return sum(part == 1 for part in self._parts.values())

    def progress(self, number: int, part: float) -> None:
        self._parts[number] = min(part, 0.99)
        now = time.monotonic()
        if now - self._reported >= _REPORT_EVERY_S:
            self._reported = now
            parts = ", ".join(
                f"setting {each + 1} {part:.0%}" for each, part in sorted(self._parts.items()) if part < 1
            )
            hint(f"{self.done} of {self._settings} settings are done; {parts}{self._left()}")

    def done_with(self, number: int, figures: SettingFigures) -> None:
        from tenure_simulate.tables import setting_words

        self._parts[number] = 1
        if self._settings > 1:
            name = setting_words(figures.setting)
            hint(f"setting {number + 1} of {self._settings} is done: {name}{self._left()}")

    def _left(self) -> str:
        """How long the rest takes, if as long as the settings before."""
        done = sum(self._parts.values())
        left = (time.monotonic() - self._began) * (self._settings - done) / max(done, 0.001)
        return f", about {left:.0f} s left" if left >= 1 else ""


def _without_drawn(answer: SimulateAnswer) -> SimulateAnswer:
    return replace(answer, settings=tuple(replace(figures, drawn=None) for figures in answer.settings))


def _print(
    answer: SimulateAnswer,
    output: SimulateOutput,
    by: GroupedBy | None,
    preference: Preference | None,
    command: str,
) -> None:
    from tenure_simulate.summary import outline_of
    from tenure_simulate.tables import csv_rows

    if output == SimulateOutput.CSV:
        written = io.StringIO()
        csv.writer(written, lineterminator="\n").writerows(csv_rows(answer))
        print_text(written.getvalue())
    elif output == SimulateOutput.MARKDOWN:
        print_lines(outline_of(answer, by, preference, command).markdown_lines())
    else:
        lines = outline_of(answer, by, preference).text_lines()
        print_answer(Output(output.value), "simulate-trace", as_json(answer), lines, pointer=False)
