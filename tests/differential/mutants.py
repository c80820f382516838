"""Kernels of the optimized core, changed in one place at a time: does a comparison with the reference notice?

`NUMBA_DISABLE_JIT=1 python -m tests.differential.mutants --every 20 --seed 1` tries each twentieth
change, in an order that the seed draws, on the same scenarios of `tenure campaign`. A survivor says
the same, or no scenario of these shows what it changes.
"""

from __future__ import annotations

import argparse
import ast
import random
import signal
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import cycle
from pkgutil import walk_packages
from types import FrameType, FunctionType
from typing import Any

import tenure_simulate.core
from tenure.cli.terminal import print_text
from tenure.conformance.requests import DecideRequest
from tenure_lab.engines_compared import WAYS, Approach, compare
from tenure_lab.generators.scenarios import draw_for_core
from tenure_proofs.mutants.hunt import FAMILIES
from tenure_proofs.mutants.mutant import Mutant, mutants_of, source_of

HEROES = 40
"""In how many of 100 scenarios ClusterQueues may be heroes."""

MOST_SECONDS = 10
"""For one scenario, which takes milliseconds: a loop that never ends is noticed too."""

NOTICED, ENDLESS, SURVIVED = "noticed", "endless", "survived"


def kernels() -> Iterator[FunctionType]:
    """Every function of the core that numba compiles, as it is interpreted."""
    for found in walk_packages(tenure_simulate.core.__path__, "tenure_simulate.core."):
        module = import_module(found.name)
        for function in vars(module).values():
            if isinstance(function, FunctionType) and function.__module__ == module.__name__:
                marks = source_of(function).decorator_list
                if any(isinstance(mark, ast.Name) and mark.id in ("compiled", "inlined") for mark in marks):
                    yield function


def fate(mutant: Mutant, asked: list[tuple[DecideRequest, Approach]]) -> str:
    """What becomes of a change."""
    try:
        with mutant.applied():
            for request, way in asked:
                signal.alarm(MOST_SECONDS)
                if not compare(request, way).agree:
                    return NOTICED
    except _EndlessError:
        return ENDLESS
    finally:
        signal.alarm(0)
    return SURVIVED


class _EndlessError(BaseException):
    """A change does not end. No `Exception`: a comparison would take that for a difference."""


def _stop(number: int, frame: FrameType | None) -> None:
    raise _EndlessError


def main(arguments: list[str] | None = None) -> int:
    """Print each survivor, a line for each module, and all counts.

    Returns:
        0: a survivor is to be looked at, and is no failure.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="of how many changes one is tried")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scenarios", type=int, default=300)
    chosen = parser.parse_args(arguments)
    signal.signal(signal.SIGALRM, _stop)
    drawn = [draw_for_core(chosen.seed, index, HEROES) for index in range(chosen.scenarios)]
    asked = list(zip(drawn, cycle(WAYS), strict=False))
    functions: list[Callable[..., Any]] = list(kernels())
    mutants = [
        mutant
        for function in functions
        for mutant in mutants_of(f"{function.__module__}.{function.__name__}", function, FAMILIES)
    ]
    random.Random(chosen.seed).shuffle(mutants)
    tried = mutants[:: chosen.every]
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for mutant in tried:
        outcome = fate(mutant, asked)
        counts[mutant.function.__module__][outcome] += 1
        if outcome == SURVIVED:
            print_text(f"survived {mutant.rule} at {mutant.place}: {mutant.before} -> {mutant.after}\n")
            sys.stdout.flush()
    for module, of in sorted(counts.items()):
        print_text(f"{module}: {', '.join(f'{count} {outcome}' for outcome, count in of.items())}\n")
    said = f"{len(tried)} of {len(mutants)} changes of {len(functions)} kernels, {chosen.scenarios} scenarios"
    print_text(f"seed {chosen.seed}: {said}: {dict(sum(counts.values(), Counter[str]()))}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
