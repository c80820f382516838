"""The run's tasks, in this process or spread over several."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from tenure.oracle.door import take_target
from tenure.rules.registry import get_rule
from tenure_proofs.bridge import LiftReport, check_lifting
from tenure_proofs.mutants.hunt import DOOR, Hunted, hunt_one
from tenure_proofs.obligations import OBLIGATIONS
from tenure_proofs.runner import Result, run_obligation
from tenure_proofs.solvers import Cvc5
from tenure_proofs.trusted.claim import Traces

_Task = TypeVar("_Task")
_Done = TypeVar("_Done")

_CVC5 = Cvc5()
_TRACES: Traces = {}
"""One second solver and one set of formulas for each process."""


def lift_task(rule: str, examples: int, random_seed: int) -> LiftReport:
    """Lift one rule, or the door."""
    function = take_target if rule == DOOR else get_rule(rule).function
    return check_lifting(function, examples, random_seed)


def prove_task(question: tuple[str, str], both_solvers: bool, seeds: int) -> Result:
    """One obligation under one reading."""
    identifier, reading = question
    return run_obligation(OBLIGATIONS[identifier], reading, _CVC5 if both_solvers else None, seeds, _TRACES)


def mutant_task(mutant: str, obligations: tuple[str, ...], readings: tuple[str, ...]) -> Hunted:
    """One mutant against the obligations about its rule."""
    return hunt_one(mutant, [OBLIGATIONS[identifier] for identifier in obligations], readings)


class Pool:
    """Runs tasks in order of their results' use.

    Args:
        executor: the processes; None runs everything here.
    """

    def __init__(self, executor: ProcessPoolExecutor | None) -> None:
        self._executor = executor

    def run(self, do: Callable[[_Task], _Done], tasks: Sequence[_Task]) -> Iterator[_Done]:
        """The results, in the order of the tasks."""
        if self._executor is None:
            return map(do, tasks)
        return self._executor.map(do, tasks)


@contextmanager
def pool(jobs: int) -> Iterator[Pool]:
    """A pool of so many processes; 1 runs everything in this one."""
    try:
        if jobs == 1:
            yield Pool(None)
        else:
            # Fresh processes: a solver's state does not survive a fork well.
            context = multiprocessing.get_context("spawn")
            with ProcessPoolExecutor(max_workers=jobs, mp_context=context) as executor:
                yield Pool(executor)
    finally:
        _CVC5.close()
