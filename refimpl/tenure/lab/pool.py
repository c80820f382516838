"""Blocks handed to processes on this machine, or to the workers of a Dask scheduler on many."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from multiprocessing.synchronize import Semaphore
from typing import Any

from tenure.errors import InputError, Problem, bad_input
from tenure.lab.blocks import Worker, block_here
from tenure.lab.campaigns import CampaignPlan, Tally, code
from tenure.lab.journal import Journal
from tenure.lab.programs import end_programs
from tenure.processes import spawning

Tell = Callable[[int, int], None]
"""Called with how many scenarios are done, and how many of them failed."""
Done = Generator[tuple[int, Tally], None, None]
"""Finished blocks with their numbers, in any order."""

AHEAD = 256
"""Blocks that the scheduler knows of at once: enough for many workers, few enough to forget."""
PATIENCE_S = 30
_WATCH_S = 0.2
_INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class Hands:
    """Who does the work.

    Args:
        jobs: processes on this machine.
        scheduler: the address of a Dask scheduler, whose workers do it instead; empty for none.
    """

    jobs: int = 1
    scheduler: str = ""

    def work(self, plan: CampaignPlan, numbers: list[int]) -> Done:
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
    scenarios = sum(tally.scenarios for tally in journal.done.values())
    failed = sum(tally.failed for tally in journal.done.values())
    with closing(hands.work(journal.plan, journal.left)) as blocks:
        for number, tally in blocks:
            journal.add(number, tally)
            scenarios, failed = scenarios + tally.scenarios, failed + tally.failed
            tell(scenarios, failed)


def in_this_process(plan: CampaignPlan, numbers: Sequence[int]) -> Done:
    """One block after another.

    Raises:
        ProgramFailure: the program failed as a program.
    """
    with Worker(plan) as worker:
        for number in numbers:
            yield number, worker.run(number)


def in_processes(plan: CampaignPlan, numbers: Sequence[int], jobs: int) -> Done:
    """Blocks by so many processes; they end with this one, however it ends.

    Raises:
        BrokenProcessPool: one of them was killed.
        ProgramFailure: the program failed as a program.
    """
    # Processes of their own, not copies of this one: threads that write to a program must not be copied.
    context = spawning()
    stop = context.Semaphore(0)
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=begin_worker, initargs=(stop,)) as pool:
        futures = {pool.submit(block_here, plan, number, code()): number for number in numbers}
        try:
            for future in as_completed(futures):
                yield futures.pop(future), future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            end_workers(stop, jobs)
            raise


def end_workers(stop: Semaphore, jobs: int) -> None:
    """Tell all processes of a pool to end.

    One that has ended already is not waited for; an event would wait for ever until it wakes.
    """
    for _ in range(jobs):
        stop.release()


def begin_worker(stop: Semaphore) -> None:
    """A process of a pool begins: interrupts are the parent's to handle, which says when to stop."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_watch, args=(stop,), daemon=True).start()


def _watch(stop: Semaphore) -> None:
    parent = multiprocessing.parent_process()
    while not stop.acquire(timeout=_WATCH_S):
        if parent is None or not parent.is_alive():
            break
    end_programs(grace=0)
    os._exit(_INTERRUPTED)


def on_machines(plan: CampaignPlan, numbers: Sequence[int], address: str) -> Done:
    """Blocks by whoever works for a scheduler; a block whose worker is lost is done by another one.

    Args:
        plan, numbers: which blocks of which campaign.
        address: of the scheduler, such as `tcp://10.0.0.1:8786`.

    Raises:
        InputError: Dask is not installed, no scheduler answers at the address, or a worker runs other code.
        ProgramFailure: the program failed as a program.
    """
    distributed, client = connected(address)
    with client:
        yield from _finished(distributed, client, plan, iter(numbers))


def connected(address: str) -> tuple[Any, Any]:
    """The module of Dask, and a client of a scheduler.

    Raises:
        InputError: Dask is not installed, or no scheduler answers at the address.
    """
    distributed = _distributed()
    try:
        return distributed, distributed.Client(address, timeout=PATIENCE_S)
    except (OSError, ValueError, TypeError) as error:
        expected = "the address of a Dask scheduler that answers, as tcp://10.0.0.1:8786"
        raise bad_input("--scheduler", address, f"{expected} ({type(error).__name__})") from None


def _finished(distributed: Any, client: Any, plan: CampaignPlan, numbers: Iterator[int]) -> Done:
    def submitted(number: int) -> Any:
        # Blocks of two campaigns must not be confused with each other's, nor for one that was done before.
        return client.submit(block_here, plan, number, code(), pure=False)

    waiting = {
        future.key: (number, future) for number in islice(numbers, AHEAD) for future in [submitted(number)]
    }
    finished = distributed.as_completed([future for _, future in waiting.values()])
    for future in finished:
        number, _ = waiting.pop(future.key)
        yield number, future.result()
        for following in islice(numbers, 1):
            further = submitted(following)
            waiting[further.key] = following, further
            finished.add(further)


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        expected = "the extra `campaign`: pip install 'tenure[campaign]'"
        raise InputError([Problem("--scheduler", "Dask is not installed", expected)]) from None
    return distributed
