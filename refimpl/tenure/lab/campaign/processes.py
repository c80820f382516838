"""Blocks handed to processes on this machine."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Generator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing.synchronize import Event

from tenure.lab.campaign.blocks import Worker, block_here
from tenure.lab.campaign.plan import Plan, code
from tenure.lab.campaign.tally import Tally
from tenure.lab.conform.programs import end_programs
from tenure.processes import spawning

Done = Generator[tuple[int, Tally], None, None]
"""Finished blocks with their numbers, in any order."""

_WATCH_S = 0.2
_INTERRUPTED = 130


def in_this_process(plan: Plan, numbers: Sequence[int]) -> Done:
    """One block after another.

    Raises:
        ProgramFailure: the program failed as a program.
    """
    with Worker(plan) as worker:
        for number in numbers:
            yield number, worker.run(number)


def in_processes(plan: Plan, numbers: Sequence[int], jobs: int) -> Done:
    """Blocks by so many processes; they end with this one, however it ends.

    Raises:
        BrokenProcessPool: one of them was killed.
        ProgramFailure: the program failed as a program.
    """
    # Processes of their own, not copies of this one: threads that write to a program must not be copied.
    context = spawning()
    stop = context.Event()
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_start, initargs=(stop,)) as pool:
        futures = {pool.submit(block_here, plan, number, code()): number for number in numbers}
        try:
            for future in as_completed(futures):
                yield futures.pop(future), future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            stop.set()
            raise


def _start(stop: Event) -> None:
    """Interrupts are the parent's to handle; it says when to stop."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_watch, args=(stop,), daemon=True).start()


def _watch(stop: Event) -> None:
    parent = multiprocessing.parent_process()
    while not stop.wait(_WATCH_S):
        if parent is None or not parent.is_alive():
            break
    end_programs(grace=0)
    os._exit(_INTERRUPTED)
