"""The options of `tenure simulate` that are about scenarios."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import typer

from tenure.cli.bundled import scenario_file
from tenure.cli.completion import complete_scenario
from tenure.cli.options import (
    DEFAULT_READING,
    Interpretation,
    KueueRelease,
    Overrides,
    Strict,
)
from tenure.cli.output import Reports
from tenure.errors import bad_input
from tenure.readings import Reading, preset, preset_names

SHOWN = "40"


@dataclass(frozen=True, slots=True)
class ScenarioOptions:
    """Which scenarios are simulated, and as what."""

    scenario: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A bundled scenario, such as tbp-it-2-rotation; repeatable.",
            autocompletion=complete_scenario,
        ),
    ] = None
    strict: Strict = False
    override: Overrides = None
    all_readings: Annotated[
        bool, typer.Option("--all-readings", help="Simulate under every reading, one after another.")
    ] = False
    kueue: KueueRelease = None
    report: Reports = None

    def files(self, paths: Sequence[str]) -> list[str]:
        """What is read.

        Args:
            paths: beside the bundled scenarios.

        Raises:
            InputError: there is no such bundled scenario.
        """
        return [*paths, *(str(scenario_file(name)) for name in self.scenario or ())]

    def readings(self, name: str) -> list[Reading]:
        """The readings.

        Args:
            name: as `--reading` has it.

        Raises:
            InputError: no such reading, or several and all of them.
        """
        if not self.all_readings:
            return [Interpretation(name, self.override, self.kueue).chosen()]
        if (name, self.override) != (DEFAULT_READING, None):
            option = "--override" if self.override else "--reading"
            raise bad_input(option, self.override or name, "nothing beside --all-readings")
        return [preset(each) for each in preset_names()]


@dataclass(frozen=True, slots=True)
class ViewOptions:
    """What is shown of a simulation."""

    until: Annotated[
        str | None,
        typer.Option(
            help="End earlier: a time, or a duration after the start such as 4h. What is expected later, or "
            "of the whole scenario, is then not checked."
        ),
    ] = None
    story: Annotated[
        str,
        typer.Option(metavar="LINES", help="How many lines of what happened to print: a number, or all."),
    ] = SHOWN
    chart: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Draw it as .svg or .png; one scenario and reading only."),
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
