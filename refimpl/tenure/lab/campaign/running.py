"""A campaign from its journal to its report."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from tenure.lab.campaign.differences import again, request_line, small, write_vector
from tenure.lab.campaign.journal import Journal
from tenure.lab.campaign.machines import on_machines
from tenure.lab.campaign.plan import Plan
from tenure.lab.campaign.processes import Done, in_processes, in_this_process
from tenure.lab.campaign.report import CampaignReport, Told, report_of
from tenure.lab.campaign.tally import Tally

Tell = Callable[[int, int], None]
"""Called with how many scenarios are done, and how many of them failed."""


@dataclass(frozen=True, slots=True)
class Hands:
    """Who does the work.

    Args:
        jobs: processes on this machine.
        scheduler: the address of a Dask scheduler, whose workers do it instead; empty for none.
    """

    jobs: int = 1
    scheduler: str = ""

    def work(self, plan: Plan, numbers: list[int]) -> Done:
        """Do blocks.

        Raises:
            InputError: the scheduler cannot be used.
            BrokenProcessPool: a process was killed.
            ProgramFailure: the program failed as a program.
        """
        if self.scheduler:
            return on_machines(plan, numbers, self.scheduler)
        if self.jobs > 1:
            return in_processes(plan, numbers, self.jobs)
        return in_this_process(plan, numbers)


def finish(journal: Journal, hands: Hands, tell: Tell) -> None:
    """Do the blocks that are left; each is in the journal as soon as it is done.

    Raises:
        InputError, BrokenProcessPool, ProgramFailure: as for `Hands.work`.
    """
    if not journal.left:
        return
    scenarios = sum(each.scenarios for each in journal.done.values())
    failed = sum(each.failed for each in journal.done.values())
    with closing(hands.work(journal.plan, journal.left)) as blocks:
        for number, tally in blocks:
            journal.add(number, tally)
            scenarios, failed = scenarios + tally.scenarios, failed + tally.failed
            tell(scenarios, failed)


def report(plan: Plan, tally: Tally, most: int, folder: Path | None, *, complete: bool) -> CampaignReport:
    """The report, with the first differences made small.

    Args:
        plan: of the campaign.
        tally: what it came to.
        most: how many differences are made small and told.
        folder: where each becomes a vector file; None for nowhere.
        complete: whether all blocks are done.

    Raises:
        ProgramFailure: the program failed as a program.
    """
    told = []
    for found in tally.differences[:most]:
        each = small(plan, found)
        vector = "" if folder is None else str(write_vector(folder, plan, each))
        told.append(Told(each.index, each.verdict, again(plan, each.index), vector, request_line(each)))
    return report_of(plan, tally, tuple(told), complete=complete)
