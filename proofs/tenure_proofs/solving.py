"""A second solver for each process, and processes that have one.

What analyzes configurations imports this alone, and none of the obligations.
"""

from __future__ import annotations

import ctypes
from contextlib import AbstractContextManager

from tenure.pools import Pool, pool
from tenure_proofs.solvers import Cvc5

_KEPT_IN_HAND = {-1: 2**29, -2: 2**26, -3: 2**25}
"""Of `mallopt`, in bytes: how much freed memory a process keeps, how much more than it needs it asks for, and
from which size on a block is given back by itself."""


def _keep_freed_memory() -> bool:
    """Let this process use again what Z3 frees: it makes a context for each question.

    Given back to the system and asked for again, each costs as much time as a small answer.

    Returns:
        whether its C library can do that.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return False
    return all(mallopt(parameter, size) for parameter, size in _KEPT_IN_HAND.items())


_keep_freed_memory()
_CVC5 = Cvc5()


def second_solver() -> Cvc5:
    """This process's second solver, which ends with it."""
    return _CVC5


def end_second_solver() -> None:
    """End this process's second solver; the next question starts another."""
    _CVC5.close()


def with_second_solvers(jobs: int) -> AbstractContextManager[Pool]:
    """A pool of so many processes, each with a second solver, which ends with it.

    Args:
        jobs: how many, at least 1.
    """
    return pool(jobs, end=end_second_solver)
