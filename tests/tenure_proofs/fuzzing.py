"""What the fuzzers of the prover have in common: parts for several processes, progress, the command line."""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import Protocol, Self, TypeVar

from tenure.pools import pool


class Counted(Protocol):
    """What came of some functions."""

    wrong: list[str]

    def add(self, other: Self) -> None:
        """Count what came of others, too."""


T = TypeVar("T", bound=Counted)
Fuzz = Callable[[Iterable[int], int], T]
"""What comes of functions of some numbers and a seed."""


def campaign(fuzz: Fuzz[T], whole: T, total: int, seed: int, jobs: int, together: int) -> T:
    """Many functions, with a line of progress now and then.

    Args:
        fuzz: what is done with some of them.
        whole: gets what came of all of them.
        total: how many.
        seed: of all of them.
        jobs: how many processes.
        together: how many one process takes at a time.
    """
    started, told = time.monotonic(), 0
    parts = [range(start, min(start + together, total)) for start in range(0, total, together)]
    with pool(jobs) as processes:
        for part, found in zip(parts, processes.run(partial(_fuzzed, fuzz, seed), parts), strict=True):
            whole.add(found)
            if part.stop >= told + 10 * together:
                told = part.stop
                rate = told / (time.monotonic() - started)
                print(f"{told:,} of {total:,}, {rate:.0f} a second, {len(whole.wrong)} wrong", flush=True)
    return whole


def _fuzzed(fuzz: Fuzz[T], seed: int, numbers: Iterable[int]) -> T:
    return fuzz(numbers, seed)


def run(
    program: str,
    description: str | None,
    fuzz: Fuzz[T],
    whole: T,
    together: int,
    summary: Callable[[T, int], str],
    missing: Callable[[T], object],
) -> None:
    """The command line: fuzz, print what came of it, and end with 1 where something is wrong or missing.

    Args:
        program: the module's name.
        description: of the command.
        fuzz, whole, together: as for `campaign`.
        summary: what came of it, for people.
        missing: what no function has shown, of what some must show.
    """
    parser = argparse.ArgumentParser(prog=f"python -m {program}", description=description)
    parser.add_argument("--n", type=int, default=1_000, help="how many functions")
    parser.add_argument("--seed", type=int, default=random.randrange(2**32), help="drawn where none is given")
    parser.add_argument("--jobs", type=int, default=1, help="how many processes")
    asked = parser.parse_args()
    print(f"seed {asked.seed}", flush=True)
    tally = campaign(fuzz, whole, asked.n, asked.seed, asked.jobs, together)
    print(summary(tally, asked.seed))
    sys.exit(bool(tally.wrong or missing(tally)))
