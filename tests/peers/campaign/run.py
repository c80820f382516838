"""The campaign itself: runs of scenarios handed to workers, each with a peer of its own."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field

from tenure.divergences import explain
from tenure.strategies import CHUNK, KUEUE_FEATURES, Feature, chunk
from tests.peers.campaign.compare import Compared, Comparison
from tests.peers.campaign.histogram import Histogram
from tests.peers.campaign.programs import PeerFailure, Program
from tests.peers.campaign.verdicts import FAILURES

MOST_KEPT = 20
"""Failures that a run of scenarios hands back whole; a broken oracle has too many to be worth the memory."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a campaign does.

    Args:
        command: the peer's command line.
        count: how many scenarios.
        seed: what they are drawn from.
        repeat: how often the peer decides each one.
        jobs: how many processes, each with a peer of its own.
        only: indices to run; empty for all.
        without: features that no scenario may use; an index means another scenario then.
    """

    command: tuple[str, ...]
    count: int
    seed: int
    repeat: int = 1
    jobs: int = 1
    only: tuple[int, ...] = ()
    without: frozenset[Feature] = frozenset()

    def runs(self) -> list[int]:
        """The numbers of the Hypothesis runs that have its scenarios."""
        if self.only:
            return sorted({index // CHUNK for index in self.only})
        return list(range(-(-self.count // CHUNK)))

    def wants(self, index: int) -> bool:
        """Whether the scenario of this index is part of it."""
        return index in self.only if self.only else index < self.count


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


def comparison(command: Sequence[str], repeat: int = 1) -> Comparison:
    """Start a peer, and compare with it.

    Raises:
        PeerFailure: it cannot be started, or does not answer.
    """
    peer = Program(command)
    try:
        version = peer.version()
    except PeerFailure:
        peer.close()
        raise
    return Comparison(peer, repeat, version, explain)


def work(plan: Plan, number: int, sides: Comparison) -> Part:
    """Draw and compare one run of scenarios.

    Raises:
        PeerFailure: the peer failed as a program.
    """
    part = Part()
    start = time.perf_counter()
    drawn = [
        (number * CHUNK + position, scenario)
        for position, scenario in enumerate(chunk(plan.seed, number, features=KUEUE_FEATURES - plan.without))
        if plan.wants(number * CHUNK + position)
    ]
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
        PeerFailure: the peer cannot be started, or failed as a program.
    """
    if plan.jobs == 1:
        sides = comparison(plan.command, plan.repeat)
        with sides.peer:
            yield from (work(plan, number, sides) for number in plan.runs())
        return
    # Processes of their own, not copies of this one: threads that write to a peer must not be copied.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(plan.jobs, mp_context=context, initializer=_start, initargs=(plan,)) as pool:
        futures: list[Future[Part]] = [pool.submit(_work, plan, number) for number in plan.runs()]
        try:
            for future in as_completed(futures):
                yield future.result()
        finally:
            for future in futures:
                future.cancel()


_sides: list[Comparison] = []
"""The worker process's peer; it ends when the worker does, because its standard input ends."""


def _start(plan: Plan) -> None:
    _sides.append(comparison(plan.command, plan.repeat))


def _work(plan: Plan, number: int) -> Part:
    return work(plan, number, _sides[0])
