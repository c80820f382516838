"""Cells of a matrix settled in several processes, each with solvers of its own.

What a solver finds depends on what it solved before. So which process gets a pair of
ClusterQueues does not depend on which is free: as many processes give the same examples again.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import chain, groupby, zip_longest
from typing import TypeAlias, TypeVar

from tenure.model import Cluster
from tenure.oracle.tree import Tree
from tenure.pools import Pool
from tenure.readings import Reading
from tenure_check.analysis.matrix import CellResult
from tenure_check.analysis.priority_ranges import PairCells, RangedCells, Ranges
from tenure_check.analysis.prover import Copy, SolverProver, pair_of
from tenure_check.analysis.states import CellQuery, Example
from tenure_check.choices import Scope
from tenure_proofs.solvers import Cvc5
from tenure_proofs.solving import second_solver, with_second_solvers

T = TypeVar("T")
D = TypeVar("D")

Answers: TypeAlias = list[tuple[CellQuery, CellResult]]
Copies: TypeAlias = list[tuple[CellQuery, Example | None]]

FEWEST = 40
"""Of fewer cells the answers are here before another process has begun."""
TOGETHER = 8
"""Cells, or pairs of ClusterQueues, that are sent at once where each costs a few decisions."""


@dataclass(slots=True)
class Spreading:
    """Makes provers that settle cells in other processes, which start once there is enough to do.

    Args:
        jobs: how many processes; with one all is done in this process.
        open: ends the processes.
    """

    jobs: int
    open: ExitStack
    _pools: list[Pool] = field(default_factory=list)

    def prover(
        self,
        cluster: Cluster,
        tree: Tree,
        reading: Reading,
        cvc5: Cvc5,
        scope: Scope,
        *,
        counts_victims: bool = True,
    ) -> SolverProver:
        """What settles the cells of a tree."""
        configuration = pickle.dumps((cluster, tree, reading, scope, counts_victims))
        elsewhere = _OtherProvers(self, cluster, configuration)
        return SolverProver(cluster, tree, reading, cvc5, scope, elsewhere, counts_victims=counts_victims)

    def ranged(
        self, ranged: RangedCells, pairs: Sequence[PairCells]
    ) -> Iterable[tuple[CellQuery, CellResult]]:
        """The cells of classes, see `RangedCells`."""
        if self.is_little(sum(len(settled) for _, settled in pairs)):
            return chain.from_iterable(map(ranged.of_pair, pairs))
        ranges = ranged.ranges
        configuration = pickle.dumps((ranges.cluster, ranges.levels, ranges.reading, ranged.scope))
        bare = [
            (pair, {cell: _with(Cluster({}), result) for cell, result in settled.items()})
            for pair, settled in pairs
        ]
        found = self.run(partial(range_task, configuration), _together(bare))
        return ((cell, _with(ranges.cluster, result)) for cell, result in found)

    def is_little(self, cells: int) -> bool:
        """Whether so many cells are settled in this process."""
        return self.jobs < 2 or cells < FEWEST

    def run(self, do: Callable[[T], Sequence[D]], tasks: Sequence[T]) -> Iterator[D]:
        """The results of tasks, which the processes take in turn."""
        if not self._pools:
            self._pools = [self.open.enter_context(with_second_solvers(1)) for _ in range(self.jobs)]
        parts = [process.run(do, tasks[number :: self.jobs]) for number, process in enumerate(self._pools)]
        return chain.from_iterable(chain.from_iterable(zip_longest(*parts, fillvalue=())))


def _together(cells: Sequence[T]) -> list[Sequence[T]]:
    return [cells[first : first + TOGETHER] for first in range(0, len(cells), TOGETHER)]


@dataclass(frozen=True, slots=True)
class _OtherProvers:
    """Provers of one tree in other processes."""

    spread: Spreading
    cluster: Cluster
    configuration: bytes

    def settled(self, cells: Sequence[CellQuery]) -> Iterable[tuple[CellQuery, CellResult]] | None:
        if self.spread.is_little(len(cells)):
            return None
        pairs = [tuple(group) for _, group in groupby(cells, pair_of)]
        found = self.spread.run(partial(settle_task, self.configuration), pairs)
        return ((cell, _with(self.cluster, settled)) for cell, settled in found)

    def copied(self, copies: Sequence[Copy]) -> Iterable[tuple[CellQuery, Example | None]] | None:
        if self.spread.is_little(len(copies)):
            return None
        bare = [(cell, twin, _of(Cluster({}), example)) for cell, twin, example in copies]
        found = self.spread.run(partial(copy_task, self.configuration), _together(bare))
        return ((cell, None if made is None else _of(self.cluster, made)) for cell, made in found)


@contextmanager
def spreading(jobs: int) -> Iterator[Spreading]:
    """Provers, whose processes end with the context; an exception ends them at once."""
    with ExitStack() as stack:
        yield Spreading(jobs, stack)


def settle_task(configuration: bytes, cells: Sequence[CellQuery]) -> Answers:
    """Settle cells of one pair; examples come without the configuration, which the caller has."""
    prover = _prover_of(configuration)
    answers = [(cell, _with(Cluster({}), settled)) for cell, settled in prover.settled_of_pair(cells)]
    prover.forget()
    return answers


def copy_task(configuration: bytes, copies: Sequence[Copy]) -> Copies:
    """Examples of cells from those of cells like them; they come and go without the configuration."""
    prover = _prover_of(configuration)
    made = ((cell, prover.copied(cell, twin, _of(prover.cluster, example))) for cell, twin, example in copies)
    return [(cell, None if found is None else _of(Cluster({}), found)) for cell, found in made]


def range_task(configuration: bytes, pairs: Sequence[PairCells]) -> Answers:
    """Cells of classes of some pairs; examples come and go without the configuration."""
    ranged = _ranged_of(configuration)
    plain = ranged.ranges.plain
    answers: Answers = []
    for pair, settled in pairs:
        found = ranged.of_pair((pair, {cell: _with(plain, result) for cell, result in settled.items()}))
        answers += [(cell, _with(Cluster({}), result)) for cell, result in found]
    return answers


@lru_cache(maxsize=1)
def _ranged_of(configuration: bytes) -> RangedCells:
    cluster, levels, reading, scope = pickle.loads(configuration)
    return RangedCells(Ranges(cluster, levels, reading), scope)


@lru_cache(maxsize=1)
def _prover_of(configuration: bytes) -> SolverProver:
    cluster, tree, reading, scope, counts_victims = pickle.loads(configuration)
    return SolverProver(cluster, tree, reading, second_solver(), scope, counts_victims=counts_victims)


def _with(cluster: Cluster, settled: CellResult) -> CellResult:
    """An answer whose example has another configuration, and the same workloads."""
    return settled if settled.example is None else replace(settled, example=_of(cluster, settled.example))


def _of(cluster: Cluster, example: Example) -> Example:
    request = example.request
    own = replace(cluster, admitted=request.cluster.admitted, pending=request.cluster.pending)
    return replace(example, request=replace(request, cluster=own))
