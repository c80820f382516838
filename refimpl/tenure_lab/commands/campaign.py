"""`tenure campaign`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tenure.cli.commands import with_records
from tenure.cli.completion import complete_reading
from tenure.cli.options import Workers
from tenure.cli.terminal import Color
from tenure_lab.choices import Mode

JOURNAL = Path("tenure-campaign.jsonl")


class CampaignOutput(StrEnum):
    """How the report is printed."""

    TEXT = "text"
    JSON = "json"
    YAML = "yaml"
    JUNIT = "junit"


@dataclass(frozen=True, slots=True)
class DrawnScenarios:
    """Which scenarios are drawn."""

    scenarios: Annotated[int, typer.Option("--scenarios", min=1, max=10**9, help="How many scenarios.")] = (
        20_000
    )
    seed: Annotated[int, typer.Option(help="Seed of the random scenarios.")] = 1
    index: Annotated[
        list[int] | None,
        typer.Option(
            min=0, help="Only the scenario of this index of the seed, without a journal; repeatable."
        ),
    ] = None
    heroes: Annotated[
        int, typer.Option(min=0, max=100, help="In how many of 100 scenarios ClusterQueues may be heroes.")
    ] = 20
    configs: Annotated[
        int,
        typer.Option(min=0, max=100, help="In how many of 100 others ClusterQueues name PreemptionConfigs."),
    ] = 20


@dataclass(frozen=True, slots=True)
class ComparedProgram:
    """A program in place of the optimized core."""

    command: Annotated[
        str | None,
        typer.Option(
            "--exec",
            metavar="CMD",
            help="Compare this program, as `tenure conform` does, and not the optimized core.",
        ),
    ] = None
    mode: Annotated[
        Mode, typer.Option(help="Of a program: how much of a decision has to be the reference's.")
    ] = Mode.VICTIMS
    reading: Annotated[
        str | None,
        typer.Option(
            help="Of a program: decide everything under this reading.",
            show_default="the default reading",
            autocompletion=complete_reading,
        ),
    ] = None
    with_: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="FEATURE",
            help="For a program: draw a proposal's fields too, or large amounts; repeatable.",
        ),
    ] = None
    without: Annotated[
        list[str] | None,
        typer.Option(metavar="FEATURE", help="For a program: draw no scenario that uses this; repeatable."),
    ] = None
    partial: Annotated[
        bool,
        typer.Option("--partial", help="Of a program: error code not-modelled does not count as a failure."),
    ] = False
    repeat: Annotated[
        int, typer.Option(min=1, help="Of a program: how many times it decides each scenario.")
    ] = 1
    timeout: Annotated[float, typer.Option(min=0.1, help="Of a program: seconds to wait for one answer.")] = (
        300.0
    )


@dataclass(frozen=True, slots=True)
class JournalOptions:
    """Where finished blocks are kept."""

    journal: Annotated[Path, typer.Option(help="File to keep finished blocks in.")] = JOURNAL
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing journal.")] = False
    resume: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Resume the campaign of this journal; finished blocks are not run again."
        ),
    ] = None


@dataclass(frozen=True, slots=True)
class CampaignPrinting:
    """How differences are reported."""

    show: Annotated[int, typer.Option("--show", min=0, help="How many differences to shrink and show.")] = 5
    differences: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Folder where each of these is written as a vector file.",
            show_default="beside the journal",
        ),
    ] = None
    output: Annotated[CampaignOutput, typer.Option("--output", "-o", help="How to print the report.")] = (
        CampaignOutput.TEXT
    )
    color: Color = None


@with_records
def campaign_command(
    *,
    drawn: DrawnScenarios,
    program: ComparedProgram,
    workers: Workers,
    keeping: JournalOptions,
    printing: CampaignPrinting,
) -> None:
    """Decide hundreds of thousands of random scenarios by two engines, and compare the decisions.

    The other engine is the optimized core, or a program that speaks the JSON lines of `tenure oracle`.
    Finished blocks are kept in a journal, so that a campaign can be resumed, however it was stopped.
    Differences are shrunk and written as vector files.

    A million scenarios in eight processes, and how to resume them:

    \b
    tenure campaign --scenarios 1000000 --seed 8522 --jobs 8
    tenure campaign --resume tenure-campaign.jsonl --jobs 8

    Another program, which is named again with --resume; one difference again, from its index or its vector
    file:

    \b
    tenure campaign --exec ./adapter --scenarios 100000 -o json
    tenure campaign --seed 8522 --index 305
    tenure vectors run --folder tenure-campaign.differences --engine fast

    On many machines, with Dask and the same Tenure on each:

    \b
    dask scheduler --port 8786
    dask worker tcp://10.0.0.1:8786 --nworkers 8 --nthreads 1
    tenure campaign --scenarios 100000000 --scheduler tcp://10.0.0.1:8786

    Exit codes: 0 no difference, 1 a difference, 2 bad input, or the program fails as a program, 3 a process
    was killed, 130 interrupted; the last two say how to go on.
    """
    from tenure_lab.commands.campaign_run import run_campaign

    run_campaign(drawn=drawn, program=program, workers=workers, keeping=keeping, printing=printing)
