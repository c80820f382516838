"""Blocks of a campaign handed to processes on this machine, or to the workers of a Dask scheduler on many."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing
from functools import partial
from typing import TypeAlias

from tenure.keeping import code
from tenure.pools import Hands, pool, workers
from tenure_lab.campaign_blocks import Worker, block_here
from tenure_lab.campaign_journal import Journal
from tenure_lab.campaigns import CampaignPlan, Tally
from tenure_lab.programs import end_programs

Tell: TypeAlias = Callable[[int, int], None]
"""Called with how many scenarios are done, and how many of them failed."""


def finish(journal: Journal, hands: Hands, tell: Tell) -> None:
    """Do the blocks that are left; each is in the journal as soon as it is done.

    Raises:
        InputError: the scheduler cannot be used, or a worker runs other code.
        BrokenProcessPool: a process was killed.
        ProgramFailure: the program failed as a program.
    """
    if not journal.left:
        return
    scenarios = sum(tally.scenarios for tally in journal.done.values())
    failed = sum(tally.failed for tally in journal.done.values())
    with closing(blocks_done(journal.plan, journal.left, hands)) as blocks:
        for number, tally in blocks:
            journal.add(number, tally)
            scenarios, failed = scenarios + tally.scenarios, failed + tally.failed
            tell(scenarios, failed)


def blocks_done(
    plan: CampaignPlan, numbers: list[int], hands: Hands
) -> Generator[tuple[int, Tally], None, None]:
    """Do blocks; each with its number as soon as it is done.

    Raises:
        InputError, BrokenProcessPool, ProgramFailure: see `finish`.
    """
    do = partial(block_here, plan, by=code())
    if hands.scheduler:
        with workers(hands.scheduler) as spread:
            yield from spread.as_done(do, numbers)
    elif hands.jobs > 1:
        with pool(hands.jobs, end=partial(end_programs, grace=0)) as processes:
            yield from processes.as_done(do, numbers)
    else:
        with Worker(plan) as worker:
            yield from ((number, worker.run(number)) for number in numbers)
