"""Cells of a matrix settled in several processes, each with solvers of its own.

What a solver finds depends on what it solved before. So which process gets a pair of
ClusterQueues does not depend on which is free: as many processes give the same examples again.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, groupby, zip_longest
from typing import TypeAlias

from tenure.model import Cluster
from tenure.oracle.tree import Tree
from tenure.pools import Pool
from tenure.readings import Reading
from tenure_check.analysis.matrix import CellResult
from tenure_check.analysis.prover import SolverProver, pair_of
from tenure_check.analysis.states import CellQuery
from tenure_check.choices import Scope
from tenure_proofs.pool import second_solver, solving
from tenure_proofs.solvers import Cvc5

Answers: TypeAlias = list[tuple[CellQuery, CellResult]]

FEWEST = 40
"""Of fewer cells the answers are here before another process has begun."""

_PROVERS: dict[bytes, SolverProver] = {}


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
        elsewhere = partial(self._settled, cluster, configuration)
        return SolverProver(cluster, tree, reading, cvc5, scope, elsewhere, counts_victims=counts_victims)

    def _settled(
        self, cluster: Cluster, configuration: bytes, cells: Sequence[CellQuery]
    ) -> Iterable[tuple[CellQuery, CellResult]] | None:
        if self.jobs < 2 or len(cells) < FEWEST:
            return None
        if not self._pools:
            self._pools = [self.open.enter_context(solving(1)) for _ in range(self.jobs)]
        pairs = [tuple(group) for _, group in groupby(cells, pair_of)]
        parts = [
            process.run(partial(settle_task, configuration), pairs[number :: self.jobs])
            for number, process in enumerate(self._pools)
        ]
        found = chain.from_iterable(zip_longest(*parts, fillvalue=()))
        return ((cell, _with(cluster, settled)) for answers in found for cell, settled in answers)


@contextmanager
def spreading(jobs: int) -> Iterator[Spreading]:
    """Provers, whose processes end with the context; an exception ends them at once."""
    with ExitStack() as stack:
        yield Spreading(jobs, stack)


def settle_task(configuration: bytes, cells: Sequence[CellQuery]) -> Answers:
    """Settle cells of one pair; examples come without the configuration, which the caller has."""
    if configuration not in _PROVERS:
        _PROVERS.clear()
        cluster, tree, reading, scope, counts_victims = pickle.loads(configuration)
        _PROVERS[configuration] = SolverProver(
            cluster, tree, reading, second_solver(), scope, counts_victims=counts_victims
        )
    answers = _PROVERS[configuration].settled_of_pair(cells)
    return [(cell, _with(Cluster({}), settled)) for cell, settled in answers]


def _with(cluster: Cluster, settled: CellResult) -> CellResult:
    """An answer whose example has another configuration, and the same workloads."""
    if settled.example is None:
        return settled
    request = settled.example.request
    request = replace(request, cluster=replace(cluster, admitted=request.cluster.admitted))
    return replace(settled, example=replace(settled.example, request=request))
