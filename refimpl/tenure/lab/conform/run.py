"""Random scenarios: runs of them handed to workers, each with a program of its own."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field

from tenure.lab.conform.compare import Compared, Comparison
from tenure.lab.conform.histogram import Histogram
from tenure.lab.conform.programs import PATIENCE_S, Program, ProgramFailure
from tenure.lab.conform.verdicts import FAILURES, Mode
from tenure.lab.divergences import explain
from tenure.lab.options import Options
from tenure.lab.scenarios import example
from tenure.processes import spawning

CHUNK = 500
"""Scenarios of a run: few enough to see progress in between."""

KUEUE = "kueue"
"""What the peer around the real scheduler calls itself."""

MOST_KEPT = 20
"""Failures that a run of scenarios hands back whole; a broken oracle has too many to be worth the memory."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a campaign does.

    Args:
        command: the program's command line.
        count: how many scenarios.
        seed: what they are drawn from.
        repeat: how often the program decides each one.
        jobs: how many processes, each with a program of its own.
        only: indices to run; empty for all.
        options: what scenarios may hold; an index means another scenario with others.
        mode: what has to be alike.
        reading: the preset that they are decided under; empty for the one drawn, or the default.
        patience: seconds to wait for one answer.
        partial: whether the program may say that it does not model a scenario.
    """

    command: tuple[str, ...]
    count: int
    seed: int
    repeat: int = 1
    jobs: int = 1
    only: tuple[int, ...] = ()
    options: Options = field(default_factory=Options)
    mode: Mode = Mode.VICTIMS
    reading: str = ""
    patience: float = PATIENCE_S
    partial: bool = False

    def runs(self) -> list[int]:
        """The numbers of the runs that have its scenarios."""
        if self.only:
            return sorted({index // CHUNK for index in self.only})
        return list(range(-(-self.count // CHUNK)))

    def wanted(self, number: int) -> list[int]:
        """The indices of a run's scenarios that are part of it, in order.

        >>> Plan((), 3, 1).wanted(0), Plan((), 1, 1, only=(502, 7, 501)).wanted(1)
        ([0, 1, 2], [501, 502])
        """
        run = range(number * CHUNK, (number + 1) * CHUNK)
        return [index for index in run if (index in self.only if self.only else index < self.count)]


@dataclass(frozen=True, slots=True)
class Found:
    """A failure, with the index that draws it again."""

    index: int
    compared: Compared


@dataclass(slots=True)
class Part:
    """What one run of scenarios, or all of them so far, came to.

    Args:
        histogram: what it went through.
        failures: the first ones.
        drawing, comparing: seconds of work.
    """

    histogram: Histogram = field(default_factory=Histogram)
    failures: list[Found] = field(default_factory=list)
    drawing: float = 0.0
    comparing: float = 0.0

    def merge(self, other: Part) -> None:
        """Add what another part came to."""
        self.histogram.merge(other.histogram)
        self.failures = sorted([*self.failures, *other.failures], key=lambda each: each.index)
        self.drawing += other.drawing
        self.comparing += other.comparing


def comparison(plan: Plan) -> Comparison:
    """Start the program, and compare with it; only Kueue has signed divergences.

    Raises:
        ProgramFailure: it cannot be started, or does not answer.
    """
    program = Program(plan.command, plan.patience)
    try:
        name, version = program.named()
    except ProgramFailure:
        program.close()
        raise
    signed = explain if name == KUEUE else None
    return Comparison(
        program, plan.repeat, version, signed, f"{name} {version}".strip(), plan.mode, plan.partial
    )


def work(plan: Plan, number: int, sides: Comparison) -> Part:
    """Draw and compare one run of scenarios.

    Raises:
        ProgramFailure: the program failed as a program.
    """
    part = Part()
    chosen = {"reading": plan.reading} if plan.reading else {}
    start = time.perf_counter()
    drawn = [(index, {**example(plan.seed, index, plan.options), **chosen}) for index in plan.wanted(number)]
    part.drawing = time.perf_counter() - start
    start = time.perf_counter()
    compared = sides.all_of([scenario for _, scenario in drawn])
    part.comparing = time.perf_counter() - start
    for (index, _), each in zip(drawn, compared, strict=True):
        part.histogram.add(each)
        if each.verdict.kind in FAILURES and len(part.failures) < MOST_KEPT:
            part.failures.append(Found(index, each))
    return part


def parts(plan: Plan) -> Iterator[Part]:
    """The parts of a campaign as they get ready, in any order.

    Raises:
        ProgramFailure: the program cannot be started, or failed as a program.
    """
    if plan.jobs == 1:
        sides = comparison(plan)
        with sides.program:
            yield from (work(plan, number, sides) for number in plan.runs())
        return
    # Processes of their own, not copies of this one: threads that write to a program must not be copied.
    with ProcessPoolExecutor(plan.jobs, mp_context=spawning()) as pool:
        futures: list[Future[Part]] = [pool.submit(_work, plan, number) for number in plan.runs()]
        try:
            for future in as_completed(futures):
                yield future.result()
        finally:
            for future in futures:
                future.cancel()


_sides: list[Comparison] = []
"""The worker process's program; it ends when the worker does."""


def _work(plan: Plan, number: int) -> Part:
    if not _sides:
        _sides.append(comparison(plan))
    return work(plan, number, _sides[0])
