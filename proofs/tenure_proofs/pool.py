"""The run's tasks, spread over processes that end with this one, whatever ends it."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeVar

from tenure.oracle.door import take_target
from tenure.processes import spawning
from tenure.rules.registry import get_rule
from tenure_proofs.asked import Shared
from tenure_proofs.bounded.trial import Part, Tried, try_part
from tenure_proofs.bridge import LiftReport, check_lifting
from tenure_proofs.export import export
from tenure_proofs.mutants.hunt import DOOR, Hunted, hunt_one
from tenure_proofs.obligations import OBLIGATIONS
from tenure_proofs.runner import Result, run_beside
from tenure_proofs.solvers import Cvc5
from tenure_proofs.theorems.outcome import End, end_of
from tenure_proofs.theorems.registry import registered
from tenure_proofs.trusted.domains import LiftError

_Task = TypeVar("_Task")
_Done = TypeVar("_Done")

_CVC5 = Cvc5()
_SHARED = Shared()
"""One second solver and one set of formulas and answers for each process."""


def lifted_function(name: str) -> Callable[..., Any]:
    """A rule's function, or the door."""
    return take_target if name == DOOR else get_rule(name).function


def lift_task(name: str, examples: int, random_seed: int) -> LiftReport:
    """Lift one rule, or the door; what a lifter refuses is a problem of that function, and ends no run."""
    function = lifted_function(name)
    try:
        return check_lifting(function, examples, random_seed)
    except LiftError as error:
        return LiftReport(function.__name__, 0, f"not liftable: {error}")


def prove_task(question: tuple[str, str], with_cvc5: bool, seeds: int) -> Result:
    """One obligation under one preset and the further columns beside it."""
    identifier, reading = question
    return run_beside(OBLIGATIONS[identifier], reading, _CVC5 if with_cvc5 else None, seeds, _SHARED)


def export_task(question: tuple[str, str], folder: Path) -> None:
    """Write what is asked about one obligation under one preset and the further columns beside it."""
    obligation = OBLIGATIONS[question[0]]
    for column in (question[1], *obligation.columns_beside(question[1])):
        export(obligation, column, folder, _SHARED.traces)


def mutant_task(mutant: str, obligations: tuple[str, ...], readings: tuple[str, ...]) -> Hunted:
    """One mutant against the obligations about its rule."""
    return hunt_one(mutant, [OBLIGATIONS[identifier] for identifier in obligations], readings)


def bounded_task(part: Part) -> Tried:
    """Whole decisions about a part of a family of clusters."""
    return try_part(part)


def theorem_task(identifier: str, with_cvc5: bool, seeds: int) -> End:
    """One theorem about a loop; its goals are small, so that a second seed of Z3 would say nothing new."""
    return end_of(registered(identifier), _CVC5 if with_cvc5 else None, min(seeds, 1))


def second_solver() -> Cvc5:
    """This process's second solver, which ends with it."""
    return _CVC5


def end_solvers() -> None:
    """End this process's second solver; the next question starts another."""
    _CVC5.close()


class Pool:
    """Runs tasks in order of their results' use.

    Args:
        executor: the processes.
    """

    def __init__(self, executor: ProcessPoolExecutor) -> None:
        self._executor = executor

    def run(self, do: Callable[[_Task], _Done], tasks: Sequence[_Task], together: int = 1) -> Iterator[_Done]:
        """The results, in the order of the tasks.

        Args:
            do: what is done with one.
            tasks: what it is done with.
            together: how many neighbours one process takes, since they have much in common.
        """
        # Processes start here, and do not hear of a Control-C that came while they did.
        with _interrupts_held():
            return self._executor.map(do, tasks, chunksize=together)


@contextmanager
def pool(jobs: int) -> Iterator[Pool]:
    """A pool of so many processes, each with a second solver's; an exception ends them all at once.

    Even one job is another process: Z3 answers a Control-C by an unknown, and Python drops one that comes
    while it frees a term.

    Args:
        jobs: how many, at least 1.
    """
    # Fresh processes: a solver's state does not survive a fork well.
    context = spawning()
    theirs, ours = context.Pipe(duplex=False)
    executor = ProcessPoolExecutor(jobs, mp_context=context, initializer=_begin, initargs=(theirs,))
    with theirs, ours, executor:
        try:
            yield Pool(executor)
        except BaseException:
            with _interrupts_held():
                ours.close()
                executor.shutdown(cancel_futures=True)
            raise


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


def _begin(lifeline: Connection) -> None:
    """What a process does before its first task."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(lifeline,), daemon=True).start()


def _end_with(lifeline: Connection) -> None:
    """End this process, and its solver's, when the one that started it closes the pipe or is gone."""
    with suppress(EOFError, OSError):
        lifeline.recv_bytes()
    try:
        end_solvers()
    finally:
        # The main thread may be inside a solver, which cannot be interrupted.
        os._exit(1)
