"""`tenure campaign`."""

from __future__ import annotations

import shlex
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tenure.cli.commands import with_records
from tenure.cli.completion import complete_reading
from tenure.cli.exit_codes import ExitCode
from tenure.cli.options import Workers
from tenure.cli.output import print_checked
from tenure.cli.terminal import Color, RateLine, choose_colour, complain, hint
from tenure.engines import require_core
from tenure.errors import InputError, Problem, bad_input
from tenure.readings import preset
from tenure_lab.commands.sizes import chosen_features
from tenure_lab.verdicts import Mode

if TYPE_CHECKING:
    from tenure.pools import Hands
    from tenure_lab.campaign_journal import Journal
    from tenure_lab.campaign_report import CampaignReport
    from tenure_lab.campaigns import CampaignPlan, Tally

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
    choose_colour(printing.color)
    from tenure.pools import Hands
    from tenure_lab.campaigns import CampaignPlan
    from tenure_lab.programs import ProgramFailure, command_of

    if program.reading is not None:
        preset(program.reading)
    plan = CampaignPlan(
        scenarios=drawn.scenarios,
        seed=drawn.seed,
        heroes=drawn.heroes,
        configs=drawn.configs,
        command=tuple(command_of(program.command)) if program.command is not None else (),
        repeat=program.repeat,
        mode=program.mode.value,
        reading=program.reading or "",
        patience=program.timeout,
        partial=program.partial,
        features=tuple(sorted(chosen_features(program.with_, program.without))),
        only=tuple(drawn.index or ()),
    )
    try:
        if plan.only:
            _decide_some(plan, printing.show, printing.differences, printing.output)
        else:
            kept = _opened(plan, keeping)
            folder = printing.differences or kept.path.with_suffix(".differences")
            with kept:
                _run(kept, Hands(workers.jobs, workers.scheduler), printing.show, folder, printing.output)
    except ProgramFailure as failure:
        raise InputError(
            [Problem("--exec", str(failure), "a program that answers every request")]
        ) from failure


def _opened(plan: CampaignPlan, keeping: JournalOptions) -> Journal:
    """The journal, new or old; what it needs is checked before it is made.

    Raises:
        InputError: an old one cannot be used, or records another program than the command line names.
    """
    from tenure_lab.campaign_journal import new_journal, resumed_journal

    if keeping.resume is not None:
        journal = resumed_journal(keeping.resume)
        # A file chooses no program: what runs is what the user names here.
        if journal.plan.command != plan.command:
            journal.file.close()
            found = repr(shlex.join(plan.command)) if plan.command else "no program"
            recorded = _again(journal.plan) or "none: the journal compares the optimized core"
            raise InputError([Problem("--exec", found, f"the program of the journal, {recorded}")])
        _check(journal.plan)
        return journal
    _check(plan)
    return new_journal(keeping.journal, plan, overwrite=keeping.overwrite)


def _again(plan: CampaignPlan) -> str:
    """The option that names a plan's program, as a shell takes it; empty for the optimized core."""
    return f"--exec {shlex.quote(shlex.join(plan.command))}" if plan.command else ""


def _check(plan: CampaignPlan) -> None:
    """Whether what a plan needs is installed.

    Raises:
        InputError: it is not.
    """
    if not plan.command:
        require_core()


def _run(journal: Journal, hands: Hands, shown: int, folder: Path, output: CampaignOutput) -> None:
    from tenure_lab.pool import finish

    progress = _rate_line(journal)
    try:
        finish(journal, hands, progress)
    except KeyboardInterrupt:
        progress.end()
        _say_how_to_go_on(journal, "interrupted")
        raise typer.Exit(ExitCode.INTERRUPTED) from None
    except BrokenProcessPool:
        progress.end()
        _say_how_to_go_on(journal, "a process was killed")
        raise typer.Exit(ExitCode.INTERNAL) from None
    progress.end()
    _tell(journal.plan, journal.whole(), shown, folder, output, complete=not journal.left)


def _say_how_to_go_on(journal: Journal, why: str) -> None:
    done = len(journal.done)
    complain("stopped", f"{why}; {done} of {done + len(journal.left)} blocks are in {journal.path}")
    hint(f"go on with: tenure campaign --resume {journal.path} {_again(journal.plan)}".rstrip())


def _decide_some(plan: CampaignPlan, shown: int, folder: Path | None, output: CampaignOutput) -> None:
    """Single scenarios; a program's are drawn again by `tenure conform`."""
    from tenure_lab.campaign_blocks import core_block
    from tenure_lab.campaigns import Tally

    if plan.command:
        raise bad_input(
            "--index", "with --exec", "tenure conform --exec … --index, which draws the same ones"
        )
    require_core()
    tally = Tally()
    for number in plan.blocks():
        tally.merge(core_block(plan, number))
    _tell(plan, tally, shown, folder, output, complete=True)


def _tell(
    plan: CampaignPlan,
    tally: Tally,
    shown: int,
    folder: Path | None,
    output: CampaignOutput,
    *,
    complete: bool,
) -> None:
    from tenure_lab.campaign_report import campaign_report

    made = campaign_report(plan, tally, shown, folder, complete=complete)
    _print(made, output)
    if made.failed:
        raise typer.Exit(ExitCode.FOUND)


def _print(report: CampaignReport, output: CampaignOutput) -> None:
    from tenure.as_json import as_json
    from tenure_lab.campaign_report import campaign_checks, campaign_lines

    print_checked(
        output, "campaign", lambda: campaign_checks(report), lambda: as_json(report), campaign_lines(report)
    )


def _rate_line(journal: Journal) -> RateLine:
    total, before = journal.plan.scenarios, sum(tally.scenarios for tally in journal.done.values())

    def tell(done: int, failed: int, rate: float) -> str:
        left = _clock(max(total - done, 0) / max(rate, 0.001))
        return f"{done} of {total}, {rate:.0f} a second, {left} to go, {failed} differ"

    return RateLine(tell, before)


def _clock(seconds: float) -> str:
    """A span of time in hours, minutes and seconds.

    >>> _clock(3725.4)
    '1:02:05'
    """
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"
