"""How long something takes: medians of the processor's time, which a busy machine distorts least."""

from __future__ import annotations

import os
import platform
import statistics
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

MICROSECOND = 1_000
_SHORTEST = 50 * MICROSECOND
"""What is shorter is repeated, so that the clock's own cost does not show."""


def median(run: Callable[[], object], seconds: float, *, fewest: int = 3) -> float:
    """Nanoseconds of this thread for one run, the median of what fits into a time.

    Args:
        run: what is measured; it has run once before.
        seconds: how long to measure, at most.
        fewest: runs that are made however long they take.
    """
    once = _busy(run, 1)
    together = max(1, min(1000, int(_SHORTEST // max(once, 1))))
    taken: list[float] = []
    end = time.perf_counter() + seconds
    while len(taken) < fewest or time.perf_counter() < end:
        taken.append(_busy(run, together))
    return statistics.median(taken)


def once(run: Callable[[], object]) -> float:
    """Nanoseconds of this thread for one run."""
    return _busy(run, 1)


def _busy(run: Callable[[], object], times: int) -> float:
    started = time.thread_time_ns()
    for _ in range(times):
        run()
    return (time.thread_time_ns() - started) / times


def machine() -> dict[str, str | int]:
    """What the figures were measured on."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count() or 1,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "numpy": _version("numpy"),
        "numba": _version("numba"),
    }


def _processor() -> str:
    try:
        told = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or "unknown"
    names = [line.partition(":")[2].strip() for line in told.splitlines() if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "absent"
