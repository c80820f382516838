"""`tenure play`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from tenure.cli.answer_types import Titled
from tenure.cli.bundled import scenario_file, scenario_names
from tenure.cli.commands import with_records
from tenure.cli.completion import complete_scenario
from tenure.cli.exit_codes import ExitCode
from tenure.cli.options import DEFAULT_READING, EditOptions, Interpretation, Strict
from tenure.cli.output import CheckPrinting, Output, Reporting, about, print_answer
from tenure.cli.terminal import (
    choose_colour,
    complain,
    hint,
    is_terminal,
    print_text,
    progress,
)
from tenure.disk import claim
from tenure.errors import bad_input, safe
from tenure.manifests import parse_duration, parse_instant
from tenure.model import Instant
from tenure.readings import Reading, preset, preset_names
from tenure.units import format_instant
from tenure_play import AnyScenario, Record, Scenario, load_scenario, load_scenarios, play
from tenure_play.charts import check_chart, write_chart
from tenure_play.checks import checks_of
from tenure_play.commands.plays import play_lines, short_lines
from tenure_play.export import cluster_at
from tenure_play.record import EVERY_PART, RecordParts, written_plays

SHOWN = "40"


def print_objects(
    scenarios: Sequence[AnyScenario], readings: Sequence[Reading], at: str, output: Output
) -> None:
    """Print the cluster of one play at an instant.

    Args:
        scenarios, readings: of the command line; there must be one of each.
        at: the instant, a time or a duration after the start.
        output: as JSON, one List; else YAML.

    Raises:
        InputError: several plays, or one of KAI-Scheduler; an instant that is not in the play.
    """
    if len(scenarios) * len(readings) != 1:
        raise bad_input("--objects", "several plays", "one scenario and one reading")
    scenario, reading = scenarios[0], readings[0]
    if not isinstance(scenario, Scenario):
        raise bad_input("--objects", "a play of KAI-Scheduler", "one of Kueue")
    objects, clock = cluster_at(scenario, reading, instant_within(scenario, at, "--at"))
    if output == Output.JSON:
        print_answer(output, None, {"apiVersion": "v1", "kind": "List", "items": objects}, ())
        return
    import yaml

    print_text(f"# {safe(scenario.name)} under {reading.name}; decide with --now {format_instant(clock)}\n")
    print_text(yaml.safe_dump_all(objects, sort_keys=False, allow_unicode=True))


def instant_within(scenario: AnyScenario, text: str, option: str) -> Instant:
    """An instant of a play.

    Args:
        scenario: what is played.
        text: a time, or a duration after the start.
        option: the option that says it.

    Raises:
        InputError: no such time, or one before the start or after the end.
    """
    if "T" in text:
        found = parse_instant(text, field=option)
    else:
        found = scenario.start + parse_duration(text, field=option)
    if not scenario.start <= found <= scenario.end:
        raise bad_input(option, text, f"a time within the play of {scenario.name}")
    return found


@dataclass(frozen=True, slots=True)
class ScenarioOptions:
    """Which scenarios are played."""

    paths: Annotated[
        list[str] | None,
        typer.Argument(help="Scenarios: files or folders; - reads standard input.", show_default=False),
    ] = None
    scenario: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A bundled scenario, such as tbp-it-2-rotation; repeatable.",
            autocompletion=complete_scenario,
        ),
    ] = None

    strict: Strict = False

    def files(self) -> list[str]:
        """What is read.

        Raises:
            InputError: there is no such bundled scenario.
        """
        return [*(self.paths or ()), *(str(scenario_file(name)) for name in self.scenario or ())]


@dataclass(frozen=True, slots=True)
class ViewOptions:
    """What is shown of a play."""

    until: Annotated[
        str | None,
        typer.Option(
            help="End earlier: a time, or a duration after the start such as 4h. What is expected later, or "
            "of the whole play, is then not checked."
        ),
    ] = None
    story: Annotated[
        str,
        typer.Option(metavar="LINES", help="How many lines of what happened to print: a number, or all."),
    ] = SHOWN
    chart: Annotated[
        str | None, typer.Option(metavar="FILE", help="Draw the play, as .svg or .png; of one play only.")
    ] = None
    chart_theme: Annotated[str, typer.Option(help="The page that the chart is for: light or dark.")] = "light"
    at: Annotated[
        str | None, typer.Option(help="The instant for --objects: a time, or a duration after the start.")
    ] = None
    objects: Annotated[
        bool, typer.Option("--objects", help="Print the cluster at an instant as YAML, and nothing else.")
    ] = False

    def check(self) -> None:
        """Whether they go together.

        Raises:
            InputError: they do not.
        """
        if self.objects and self.at is None:
            raise bad_input("--at", "nothing", "an instant beside --objects")
        if self.at is not None and not self.objects:
            raise bad_input("--at", self.at, "--objects beside it")
        if self.at is not None and self.until is not None:
            raise bad_input("--until", self.until, "nothing beside --at")


@with_records
def play_command(
    *,
    given: ScenarioOptions,
    edits: EditOptions,
    interpretation: Interpretation,
    all_readings: Annotated[
        bool, typer.Option("--all-readings", help="Play under every preset, one after another.")
    ] = False,
    view: ViewOptions,
    printing: CheckPrinting,
) -> None:
    """Play scenarios over time, one scheduling cycle after another, and check what is expected of them.

    The queues are Kueue's; every head is decided as `tenure decide` decides it. With `scheduler: kai` in it a
    scenario asks KAI-Scheduler's MinRuntime plugin in sessions, as `tenure kai` does.

    A scenario holds objects, what happens to them and when, and what is expected of it:

    \b
    tenure play scenario.yaml
    tenure play scenario.yaml --reading as-written --story all

    All of a folder under every reading, for continuous integration:

    \b
    tenure play scenarios/ --all-readings
    tenure play scenarios/ --report junit=play.xml --report sarif=play.sarif

    The scenarios that come with Tenure, and one of them as a story:

    \b
    tenure play
    tenure play --scenario tbp-it-2-rotation --reading as-written

    As if a field of an object at the start were different, or with what a release of Kueue has alone:

    \b
    tenure play --scenario tbp-it-2-rotation \\
      --set clusterqueue/gpu.spec.preemption.withinClusterQueueConfig.minAdmitDuration=2h
    tenure play --scenario tbp-it-2-rotation --kueue 0.19

    For another program:

    \b
    tenure play scenario.yaml -o json | jq '.plays[].preemptions[] | .victim'
    tenure schema scenario > scenario.schema.json
    tenure schema kai-scenario > kai-scenario.schema.json

    The cluster at an instant, to ask about. The first line says which time to decide at. What a controller
    keeps in memory only is left out: which workloads are parked, and for which victims a head waits.

    \b
    tenure play scenario.yaml --at 4h0m1s --objects > cluster.yaml
    tenure decide cluster.yaml --all-pending --now 2026-01-05T13:00:01Z

    Exit codes: 0 played and as expected, 1 an expectation fails, 2 bad input, 3 internal error,
    130 interrupted.
    """
    choose_colour(printing.color)
    reporting = Reporting(printing.report, "tenure play")
    lines = _lines(view.story)
    readings = _readings(interpretation, all_readings=all_readings)
    paths = given.files()
    if not paths:
        _list_scenarios(view, printing)
        return
    if "-" in paths and is_terminal(sys.stdin) and is_terminal(sys.stderr):
        hint("reading a scenario from this terminal; Ctrl-D ends it")
    view.check()
    with reporting.of_bad_input():
        as_if = edits.as_if(interpretation.kueue)
        loaded = list(load_scenarios(list(paths), strict=given.strict, as_if=as_if))
        if view.at is not None:
            print_objects(loaded, readings, view.at, printing.output)
            return
        scenarios = [_ended(scenario, view.until) for scenario in loaded]
        for warning in dict.fromkeys(text for scenario in scenarios for text in scenario.warnings):
            complain("warning", warning)
        count = len(scenarios) * len(readings)
        if view.chart is not None:
            _check_chart(view.chart, view.chart_theme, count)
        parts = _shown_parts(printing.output, view, told=count == 1 and lines != 0)
        records = list(progress(_played(scenarios, readings, parts), "playing", count))
    if view.chart is not None:
        write_chart(records[0], Path(view.chart), view.chart_theme)
    _print(records, lines, printing.output)
    reporting.write(lambda found: checks_of(records, found.in_scenario))
    if not all(record.holds for record in records):
        raise typer.Exit(ExitCode.FOUND)


def _list_scenarios(view: ViewOptions, printing: CheckPrinting) -> None:
    """The bundled scenarios, where nothing is named that is played.

    Raises:
        InputError: an option says that something is to be played.
    """
    if view != ViewOptions() or printing.report:
        expected = "scenario files, folders, - for standard input, or --scenario NAME"
        raise bad_input("paths", "nothing", expected)
    listed: list[Titled] = [
        {"name": name, "title": load_scenario(scenario_file(name)).title} for name in scenario_names()
    ]
    width = max(len(scenario["name"]) for scenario in listed)
    lines = (f"{scenario['name']:{width}} {scenario['title']}" for scenario in listed)
    print_answer(printing.output, "play", {"scenarios": listed}, lines)


def _check_chart(chart: str, theme: str, plays: int) -> None:
    """Before anything is played, since a play may take long."""
    check_chart(chart, theme)
    claim("--chart", chart)
    if plays != 1:
        raise bad_input("--chart", chart, "one scenario and one reading")


def _print(records: list[Record], lines: int, output: Output) -> None:
    if output != Output.TEXT:
        print_answer(output, "play", written_plays(records), ())
    elif len(records) == 1:
        print_answer(output, "play", None, about(records[0].kueue, play_lines(records[0], lines)))
    else:
        print_answer(output, "play", None, about(records[0].kueue, short_lines(records)))


def _shown_parts(output: Output, view: ViewOptions, *, told: bool) -> RecordParts:
    """What of a record is printed or drawn."""
    if output != Output.TEXT or view.chart is not None:
        return EVERY_PART
    return RecordParts(heads=False, story=told)


def _played(scenarios: list[AnyScenario], readings: list[Reading], parts: RecordParts) -> Iterator[Record]:
    return (play(scenario, reading, parts) for scenario in scenarios for reading in readings)


def _readings(interpretation: Interpretation, *, all_readings: bool) -> list[Reading]:
    if not all_readings:
        return [interpretation.chosen()]
    if (interpretation.reading, interpretation.override) != (DEFAULT_READING, None):
        override, name = interpretation.override, interpretation.reading
        said = "--override" if override else "--reading"
        raise bad_input(said, override or name, "nothing beside --all-readings")
    return [preset(name) for name in preset_names()]


def _lines(story: str) -> int:
    if story == "all":
        return -1
    if not story.isdecimal():
        raise bad_input("--story", story, "a number of lines, or all")
    return int(story)


def _ended(scenario: AnyScenario, until: str | None) -> AnyScenario:
    """The scenario up to another end."""
    if until is None:
        return scenario
    end = instant_within(scenario, until, "--until")
    if end == scenario.start:
        raise bad_input("--until", until, f"a time after the start of {scenario.name}")
    kept = tuple(
        expectation
        for expectation in scenario.expectations
        if expectation.at is not None and expectation.at <= end
    )
    return replace(scenario, end=end, expectations=kept)
