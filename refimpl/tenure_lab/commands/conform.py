"""`tenure conform`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from tenure.choices import WITH_INPUT
from tenure.cli.commands import with_records
from tenure.cli.completion import complete_reading
from tenure.cli.output import ReportOutput, Reports
from tenure.cli.terminal import Color
from tenure.errors import bad_input
from tenure_lab.choices import Mode

SCENARIOS = 1000
TOLD = 5
AT_LEAST = 95
"""Percent of the vectors."""
PATIENCE = 300.0


@dataclass(frozen=True, slots=True)
class ConformingProgram:
    """The program, and what it has to answer."""

    command: Annotated[
        str,
        typer.Option(
            "--exec",
            metavar="CMD",
            help="The program, with its arguments: it reads requests and writes answers, a JSON line each, "
            "in order. `oracle` is Tenure itself.",
        ),
    ]
    mode: Annotated[
        Mode, typer.Option(help="How much of a decision has to be the reference's; see below.")
    ] = Mode.VICTIMS
    reading: Annotated[
        str | None,
        typer.Option(
            help="Ask everything under this reading.",
            show_default="each vector's own; for scenarios the default",
            autocompletion=complete_reading,
        ),
    ] = None
    call: Annotated[
        list[str] | None,
        typer.Option(help=f"A call that the program answers: {', '.join(WITH_INPUT)}; repeatable."),
    ] = None


@dataclass(frozen=True, slots=True)
class AskedVectors:
    """Which vectors it decides."""

    vectors: Annotated[bool, typer.Option("--vectors/--no-vectors", help="Ask about the vectors.")] = True
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="BEGINNING",
            help="Only vectors whose identifier begins with this, such as KQ-; repeatable.",
        ),
    ] = None
    without_family: Annotated[
        list[str] | None,
        typer.Option(metavar="FAMILY", help="No vectors of this family of rules, such as UCQ; repeatable."),
    ] = None
    folder: Annotated[
        Path | None, typer.Option(help="Folder of vector files.", show_default="the published ones")
    ] = None


@dataclass(frozen=True, slots=True)
class DrawnClusters:
    """Which random clusters it decides."""

    scenarios: Annotated[int, typer.Option(min=0, help="How many random scenarios; 0 for none.")] = SCENARIOS
    seed: Annotated[int, typer.Option(help="Seed of the random scenarios.")] = 1
    index: Annotated[
        list[int] | None, typer.Option(min=0, help="Only the scenario of this index of the seed; repeatable.")
    ] = None
    with_: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="FEATURE",
            help="Draw a proposal's fields too: durations, ageing; or large: amounts near 2^63; repeatable.",
        ),
    ] = None
    without: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FEATURE", help="Draw no scenario that uses this; several with commas, or repeated."
        ),
    ] = None
    max_workloads: Annotated[
        int | None, typer.Option(help="The most workloads that run in a scenario.", show_default="30")
    ] = None
    max_queues: Annotated[
        int | None, typer.Option(help="The most ClusterQueues of a scenario.", show_default="6")
    ] = None
    max_depth: Annotated[
        int | None,
        typer.Option(help="The most levels of cohorts; 0 for queues without cohort.", show_default="4"),
    ] = None


@dataclass(frozen=True, slots=True)
class Treatment:
    """How it is run, and how its failures are reported."""

    partial: Annotated[
        bool,
        typer.Option("--partial", help="Count answers with error code not-modelled apart, not as failures."),
    ] = False
    at_least: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=100,
            metavar="PERCENT",
            help="With --partial: how much of the vectors it must answer to conform; also at least one "
            "of each family of rules.",
            show_default=str(AT_LEAST),
        ),
    ] = None
    repeat: Annotated[
        int,
        typer.Option(min=1, help="How many times the program decides each scenario, if it can."),
    ] = 1
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", min=1, help="Processes, each with a program of its own.")
    ] = 1
    show: Annotated[
        int, typer.Option("--show", min=0, help="How many failures to show, of vectors and of scenarios.")
    ] = TOLD
    keep: Annotated[
        Path | None, typer.Option(help="File for the failures that are shown, as requests, a JSON line each.")
    ] = None
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds to wait for one answer.")] = PATIENCE

    def share(self) -> int:
        """The least share of the vectors to be answered, in percent; 0 where nothing may be left out.

        Raises:
            InputError: one is given where nothing may be left out.
        """
        if self.partial:
            return self.at_least or AT_LEAST
        if self.at_least is not None:
            raise bad_input("--at-least", self.at_least, "--partial beside it: else every answer counts")
        return 0


@dataclass(frozen=True, slots=True)
class ConformPrinting:
    """How the report is printed."""

    output: Annotated[ReportOutput, typer.Option("--output", "-o", help="How to print the report.")] = (
        ReportOutput.TEXT
    )
    report: Reports = None
    color: Color = None


@with_records
def conform_command(
    *,
    program: ConformingProgram,
    published: AskedVectors,
    drawn: DrawnClusters,
    treatment: Treatment,
    printing: ConformPrinting,
) -> None:
    """Compare another scheduler's program with Tenure on the same questions.

    The program gets the published vectors and random clusters, as `tenure oracle` would, and is compared with
    the reference. A random cluster on which they differ is shrunk. Where Kueue itself is the program, a
    difference that a signed divergence predicts is not a failure.

    What must be equal (--mode): `outcome`, the decision; `victims`, also which workloads are preempted, in
    which ClusterQueue and for what reason; `ordered`, also their order; `explained`, also the rules.

    A small adapter, in Python or Go, is part of the documentation:

    \b
    tenure conform --exec "python adapter.py"
    tenure conform --exec "go run ./adapter" --mode outcome --scenarios 0

    The vectors of one rule; one scenario again:

    \b
    tenure conform --exec ./adapter --only TBP-020 --scenarios 0
    tenure conform --exec ./adapter --no-vectors --seed 7 --index 305

    A scheduler without heroes, which answers at least four of five vectors of the other rules:

    \b
    tenure conform --exec ./adapter --partial --without-family UCQ --at-least 80

    For continuous integration, and for another program:

    \b
    tenure conform --exec ./adapter --report junit=conform.xml
    tenure conform --exec ./adapter -o json | jq '.disagreements[].case'

    Exit codes: 0 every answer is the reference's or signed, 1 one is not, or too little is answered, 2 bad
    input, or the program fails as a program.
    """
    from tenure_lab.commands.conform_run import run_conform

    run_conform(program=program, published=published, drawn=drawn, treatment=treatment, printing=printing)
