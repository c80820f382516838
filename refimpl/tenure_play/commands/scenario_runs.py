"""Scenarios for `tenure simulate`: simulated cycle by cycle, and their expectations checked."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import typer

from tenure.cli.answer_types import Titled
from tenure.cli.bundled import scenario_file, scenario_names
from tenure.cli.exit_codes import ExitCode
from tenure.cli.inputs import print_warnings
from tenure.cli.options import (
    EditOptions,
)
from tenure.cli.output import Output, Reporting, about, print_answer
from tenure.cli.terminal import (
    hint,
    is_terminal,
    print_text,
    progress,
)
from tenure.disk import claim
from tenure.errors import bad_input, safe
from tenure.manifests import parse_duration, parse_instant
from tenure.manifests.files import standard_input_once
from tenure.model import Instant
from tenure.readings import Reading
from tenure.units import format_instant
from tenure_play import AnyScenario, Record, Scenario, load_scenario, load_scenarios, play
from tenure_play.charts import check_chart, write_chart
from tenure_play.checks import checks_of
from tenure_play.commands.scenario_options import ScenarioOptions, ViewOptions
from tenure_play.commands.scenario_text import play_lines, short_lines
from tenure_play.export import cluster_at
from tenure_play.record import EVERY_PART, RecordParts, written_plays


def print_objects(
    scenarios: Sequence[AnyScenario], readings: Sequence[Reading], at: str, output: Output
) -> None:
    """Print the cluster of one scenario at an instant.

    Args:
        scenarios, readings: of the command line; there must be one of each.
        at: the instant, a time or a duration after the start.
        output: as JSON, one List; else YAML.

    Raises:
        InputError: several plays, or one of KAI-Scheduler; an instant that is not in the play.
    """
    if len(scenarios) * len(readings) != 1:
        raise bad_input("--objects", "several simulations", "one scenario and one reading")
    scenario, reading = scenarios[0], readings[0]
    if not isinstance(scenario, Scenario):
        raise bad_input("--objects", "a scenario of KAI-Scheduler", "one of Kueue")
    objects, clock = cluster_at(scenario, reading, instant_within(scenario, at, "--at"))
    if output == Output.JSON:
        print_answer(output, None, {"apiVersion": "v1", "kind": "List", "items": objects}, ())
        return
    import yaml

    print_text(f"# {safe(scenario.name)} under {reading.name}; decide with --now {format_instant(clock)}\n")
    print_text(yaml.safe_dump_all(objects, sort_keys=False, allow_unicode=True))


def instant_within(scenario: AnyScenario, text: str, option: str) -> Instant:
    """An instant of a scenario.

    Args:
        scenario: what is simulated.
        text: a time, or a duration after the start.
        option: the option.

    Raises:
        InputError: no such time, or one before the start or after the end.
    """
    if "T" in text:
        found = parse_instant(text, field=option)
    else:
        found = scenario.start + parse_duration(text, field=option)
    if not scenario.start <= found <= scenario.end:
        raise bad_input(option, text, f"a time within {scenario.name}")
    return found


@standard_input_once()
def simulate_scenarios(
    words: Sequence[str],
    given: ScenarioOptions,
    edits: EditOptions,
    view: ViewOptions,
    reading: str,
    output: Output,
) -> None:
    """Simulate scenarios, and check what is expected of them.

    Args:
        words: files and folders.
        given, edits, view: the options.
        reading: as `--reading` has it.
        output: the form.

    Raises:
        InputError: everything that is wrong with the scenarios or the options.
        Exit: an expectation fails.
    """
    reporting = Reporting(given.report, "tenure simulate")
    lines = _lines(view.story)
    readings = given.readings(reading)
    paths = given.files(words)
    if not paths:
        _list_scenarios(given, view, output)
        return
    if "-" in paths and is_terminal(sys.stdin) and is_terminal(sys.stderr):
        hint("reading a scenario from this terminal; Ctrl-D ends it")
    view.check()
    with reporting.of_bad_input():
        as_if = edits.as_if(given.kueue)
        loaded = list(load_scenarios(list(paths), strict=given.strict, as_if=as_if))
        if view.at is not None:
            print_objects(loaded, readings, view.at, output)
            return
        scenarios = [_ended(scenario, view.until) for scenario in loaded]
        print_warnings(text for scenario in scenarios for text in scenario.warnings)
        count = len(scenarios) * len(readings)
        if view.chart is not None:
            _check_chart(view.chart, view.chart_theme, count)
        parts = _shown_parts(output, view, story=count == 1 and lines != 0)
        records = list(progress(_simulated(scenarios, readings, parts), "simulating", count))
    if view.chart is not None:
        write_chart(records[0], Path(view.chart), view.chart_theme)
    _print(records, lines, output)
    reporting.write(lambda found: checks_of(records, found.in_scenario))
    if not all(record.holds for record in records):
        raise typer.Exit(ExitCode.FOUND)


def _list_scenarios(given: ScenarioOptions, view: ViewOptions, output: Output) -> None:
    """The bundled scenarios, where none is named.

    Raises:
        InputError: an option that would be simulated.
    """
    if (given, view) != (ScenarioOptions(), ViewOptions()):
        expected = "scenario files, folders, - for standard input, or --scenario NAME"
        raise bad_input("paths", "nothing", expected)
    listed: list[Titled] = [
        {"name": name, "title": load_scenario(scenario_file(name)).title} for name in scenario_names()
    ]
    width = max(len(scenario["name"]) for scenario in listed)
    lines = (f"{scenario['name']:{width}} {scenario['title']}" for scenario in listed)
    print_answer(output, "simulate", {"scenarios": listed}, lines)


def _check_chart(chart: str, theme: str, plays: int) -> None:
    """Before anything is simulated, which may take long."""
    check_chart(chart, theme)
    claim("--chart", chart)
    if plays != 1:
        raise bad_input("--chart", chart, "one scenario and one reading")


def _print(records: list[Record], lines: int, output: Output) -> None:
    if output != Output.TEXT:
        print_answer(output, "simulate", written_plays(records), ())
    elif len(records) == 1:
        print_answer(output, "simulate", None, about(records[0].kueue, play_lines(records[0], lines)))
    else:
        print_answer(output, "simulate", None, about(records[0].kueue, short_lines(records)))


def _shown_parts(output: Output, view: ViewOptions, *, story: bool) -> RecordParts:
    """What of a record is printed or drawn."""
    if output != Output.TEXT or view.chart is not None:
        return EVERY_PART
    return RecordParts(heads=False, story=story)


def _simulated(scenarios: list[AnyScenario], readings: list[Reading], parts: RecordParts) -> Iterator[Record]:
    return (play(scenario, reading, parts) for scenario in scenarios for reading in readings)


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
