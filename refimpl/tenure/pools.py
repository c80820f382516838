"""Tasks spread over processes that end with this one, whatever ends it, or over workers of Dask."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from multiprocessing.connection import Connection
from typing import Any, Final, TypeVar

from tenure.errors import InputError, Problem, bad_input
from tenure.processes import spawning

T = TypeVar("T")
D = TypeVar("D")


@dataclass(frozen=True, slots=True)
class Hands:
    """Who does the work.

    Args:
        jobs: processes on this machine.
        scheduler: the address of a Dask scheduler, whose workers do it instead; empty for none.
    """

    jobs: int = 1
    scheduler: str = ""


AHEAD: Final = 256
"""Tasks that are handed out at once: enough for many workers, few enough to forget."""
PATIENCE_S: Final = 30
_LOOKED_S: Final = 0.2


class Pool:
    """Runs tasks in processes.

    Args:
        executor: the processes.
    """

    def __init__(self, executor: ProcessPoolExecutor) -> None:
        self._executor = executor

    def run(self, do: Callable[[T], D], tasks: Sequence[T], together: int = 1) -> Iterator[D]:
        """The results, in the order of the tasks.

        Args:
            do: what is done with one.
            tasks: what it is done with.
            together: how many neighbours one process takes, since they have much in common.
        """
        # Processes start here, and do not hear of a Control-C that came while they did.
        with _interrupts_held():
            return self._executor.map(do, tasks, chunksize=together)

    def begin(self, do: Callable[[T], D], task: T) -> Future[D]:
        """Begin one task; its result can be awaited for as long as one likes."""
        with _interrupts_held():
            return self._executor.submit(do, task)

    def as_done(
        self, do: Callable[[T], D], tasks: Iterable[T], meanwhile: Callable[[], object] = lambda: None
    ) -> Iterator[tuple[T, D]]:
        """Each task with its result as soon as that is there.

        Args:
            do: what is done with one.
            tasks: what it is done with.
            meanwhile: called now and then, and before each result.

        Raises:
            BrokenProcessPool: a process was killed.
        """
        rest, waiting = iter(tasks), dict[Future[D], T]()
        while True:
            with _interrupts_held():
                for task in islice(rest, AHEAD - len(waiting)):
                    waiting[self._executor.submit(do, task)] = task
            if not waiting:
                return
            finished, _ = wait(waiting, _LOOKED_S, FIRST_COMPLETED)
            meanwhile()
            for future in finished:
                yield waiting.pop(future), future.result()


@contextmanager
def pool(
    jobs: int,
    begin: Callable[[], object] | None = None,
    end: Callable[[], object] | None = None,
) -> Iterator[Pool]:
    """A pool of so many processes; an exception ends them all at once.

    Args:
        jobs: how many, at least 1.
        begin: called by each process before its first task.
        end: called by a process that is ended in the middle of a task.
    """
    # Fresh processes: threads that write to a program must not be copied, nor a solver's state.
    context = spawning()
    theirs, ours = context.Pipe(duplex=False)
    given = (theirs, begin, end)
    executor = ProcessPoolExecutor(jobs, mp_context=context, initializer=_begin, initargs=given)
    with theirs, ours, executor:
        try:
            yield Pool(executor)
        except BaseException:
            with _interrupts_held():
                ours.close()
                executor.shutdown(cancel_futures=True)
            raise


class DaskWorkers:
    """Runs tasks on the workers of a Dask scheduler; one whose worker is lost is done by another."""

    def __init__(self, distributed: Any, client: Any) -> None:
        self._distributed = distributed
        self._client = client

    def share(self, value: T) -> T:
        """What every worker has before its first task; `as_done` takes it in place of the value."""
        shared: T = self._client.scatter(value, broadcast=True)
        return shared

    def as_done(self, do: Callable[..., D], tasks: Iterable[T], *given: Any) -> Iterator[tuple[T, D]]:
        """Each task with its result as soon as that is there.

        Args:
            do: what is done with one.
            tasks: what it is done with.
            given: what `do` is called with before the task.
        """
        rest, waiting = iter(tasks), dict[str, T]()
        finished = self._distributed.as_completed()

        def submit() -> None:
            for task in islice(rest, AHEAD - len(waiting)):
                # Tasks of two runs must not be confused with each other's, nor for one that was done before.
                future = self._client.submit(do, *given, task, pure=False)
                waiting[future.key] = task
                finished.add(future)

        submit()
        for future in finished:
            yield waiting.pop(future.key), future.result()
            submit()


@contextmanager
def workers(address: str) -> Iterator[DaskWorkers]:
    """The workers of a scheduler.

    Args:
        address: of the scheduler, such as `tcp://10.0.0.1:8786`.

    Raises:
        InputError: Dask is not installed, or no scheduler answers at the address.
    """
    distributed: Any
    try:
        import distributed
    except ImportError:
        expected = "the extra `campaign`: pip install 'tenure[campaign]'"
        raise InputError([Problem("--scheduler", "Dask is not installed", expected)]) from None
    try:
        client = distributed.Client(address, timeout=PATIENCE_S)
    except (OSError, ValueError, TypeError) as error:
        expected = "the address of a Dask scheduler that answers, as tcp://10.0.0.1:8786"
        raise bad_input("--scheduler", address, f"{expected} ({type(error).__name__})") from None
    with client:
        yield DaskWorkers(distributed, client)


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Let a Control-C wait until the block is done; a process that is started in it never gets one."""
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        yield
        return
    held: list[int] = []
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    # Another thread may get the signal that this one blocks, and Python would interrupt this one.
    handler = signal.signal(signal.SIGINT, lambda number, _: held.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if held:
            signal.raise_signal(signal.SIGINT)


def _begin(
    lifeline: Connection, begin: Callable[[], object] | None, end: Callable[[], object] | None
) -> None:
    """What a process does before its first task."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if begin is not None:
        begin()
    threading.Thread(target=_end_with, args=(lifeline, end), daemon=True).start()


def _end_with(lifeline: Connection, end: Callable[[], object] | None) -> None:
    """End this process when the one that started it closes the pipe or is gone."""
    with suppress(EOFError, OSError):
        lifeline.recv_bytes()
    try:
        if end is not None:
            end()
    finally:
        # The main thread may be inside a solver, which cannot be interrupted.
        os._exit(1)
