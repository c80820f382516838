"""What `tenure campaign` does."""

from __future__ import annotations

import shlex
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from tenure.cli.exit_codes import ExitCode
from tenure.cli.options import Workers
from tenure.cli.output import print_checked
from tenure.cli.terminal import RateLine, choose_colour, complain, hint
from tenure.engines import require_core
from tenure.errors import InputError, Problem, bad_input
from tenure.readings import preset
from tenure_lab.commands.campaign import (
    CampaignOutput,
    CampaignPrinting,
    ComparedProgram,
    DrawnScenarios,
    JournalOptions,
)
from tenure_lab.commands.sizes import chosen_features

if TYPE_CHECKING:
    from tenure.pools import Hands
    from tenure_lab.campaign_journal import Journal
    from tenure_lab.campaign_report import CampaignReport
    from tenure_lab.campaigns import CampaignPlan, Tally


def run_campaign(
    *,
    drawn: DrawnScenarios,
    program: ComparedProgram,
    workers: Workers,
    keeping: JournalOptions,
    printing: CampaignPrinting,
) -> None:
    """As `tenure_lab.commands.campaign.campaign_command` documents it."""
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
