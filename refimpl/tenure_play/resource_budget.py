"""How much of the processor and of memory a play may take, and what it has taken so far."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tenure.model import SECOND, Duration
from tenure.units import format_duration

MEBIBYTE = 2**20
_EACH = 256
"""After so many instants memory is looked at again: asking costs as much as some of them."""


def memory_in_use() -> int | None:
    """Bytes that this process has in memory; None where the system does not report it.

    >>> (memory_in_use() or MEBIBYTE) > 0
    True
    """
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, AttributeError, ValueError, IndexError):
        pass
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


@dataclass(frozen=True, slots=True)
class PlayBudget:
    """What a play may take.

    Args:
        processor: time of the processor, ns.
        memory: bytes that are in memory beyond those at the beginning.
        clock: time of the processor taken so far, ns.
        in_memory: bytes in memory; None where that is not known.

    >>> PlayBudget(processor=5, clock=iter((10, 14, 16)).__next__).begin().over()
    ''
    """

    processor: Duration = 600 * SECOND
    memory: int = 4096 * MEBIBYTE
    clock: Callable[[], int] = time.process_time_ns
    in_memory: Callable[[], int | None] = memory_in_use

    def begin(self) -> PlaySpending:
        """A play begins."""
        return PlaySpending(self)


class PlaySpending:
    """What one play has taken of its budget.

    Args:
        budget: see there.
    """

    def __init__(self, budget: PlayBudget) -> None:
        self._budget = budget
        self._began, self._held = budget.clock(), budget.in_memory()
        self._asked = 0

    def over(self) -> str:
        """What more was taken than there is, in words; empty where nothing was."""
        budget = self._budget
        if budget.clock() - self._began > budget.processor:
            return f"more than {format_duration(budget.processor)} of the processor"
        self._asked += 1
        if self._asked % _EACH != 1 or self._held is None:
            return ""
        held = budget.in_memory()
        if held is not None and held - self._held > budget.memory:
            return f"more than {budget.memory // MEBIBYTE} MiB of memory"
        return ""


BUDGET = PlayBudget()
"""Unless another one is given."""
