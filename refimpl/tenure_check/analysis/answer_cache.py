"""Matrices by both solvers, and answers that are kept."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

from pydantic import TypeAdapter

from tenure.cli.terminal import complain, progress
from tenure.errors import bad_input
from tenure.model import Cluster
from tenure.readings import Reading
from tenure_check.analysis.scopes import ALL_CELLS, MatrixRequest
from tenure_proofs.budgets import CLOCK
from tenure_proofs.cache import Cache, default_folder

if TYPE_CHECKING:
    from tenure.oracle.tree import Tree
    from tenure_check.analysis.matrix import Effort, Matrix
    from tenure_check.analysis.parallel import Spreading
    from tenure_check.analysis.priority_ranges import Ranges
    from tenure_check.analysis.prover import SolverProver
    from tenure_check.analysis.states import PriorityLevel
    from tenure_proofs.solvers import Cvc5

    Provers: TypeAlias = Mapping[str, tuple[Tree, SolverProver]]


A = TypeVar("A")


def matrices(
    configurations: Sequence[tuple[Cluster, Sequence[PriorityLevel]]],
    reading: Reading,
    effort: Effort,
    request: MatrixRequest = ALL_CELLS,
    jobs: int | None = None,
) -> tuple[list[Matrix], Mapping[str, str]]:
    """The matrices of some configurations, and the versions of the solvers.

    Args:
        configurations: each with the priorities of its workloads.
        reading: see `tenure.readings`.
        effort: how long the search for examples goes on.
        request: which cells, and of which states.
        jobs: processes; None for one for each CPU.

    Raises:
        InputError: the solvers are not installed.
    """
    with with_solvers(jobs) as (analyzed, versions):
        found = [analyzed(cluster, levels, reading, effort, request) for cluster, levels in configurations]
        return [matrix for matrix, _ in found], versions


@contextmanager
def with_solvers(jobs: int | None = None) -> Iterator[tuple[Analyzed, Mapping[str, str]]]:
    """What makes matrices, and who proves, by version; the solvers end with the context.

    Raises:
        InputError: the solvers are not installed.
    """
    need_the_solvers()
    from tenure_check.analysis.parallel import spreading
    from tenure_proofs.solvers import solver_versions
    from tenure_proofs.solving import second_solver

    # The process's own, which ends with it where it is ended amid a question.
    with second_solver() as cvc5, spreading(jobs or os.cpu_count() or 1) as spread:
        yield Analyzed(cvc5, spread), solver_versions()


class Analyzed:
    """Makes the matrix of a configuration, all of it or the cells that are wanted."""

    def __init__(self, cvc5: Cvc5, spread: Spreading) -> None:
        self._cvc5, self._spread = cvc5, spread

    def __call__(
        self,
        cluster: Cluster,
        levels: Sequence[PriorityLevel],
        reading: Reading,
        effort: Effort,
        request: MatrixRequest = ALL_CELLS,
    ) -> tuple[Matrix, Provers]:
        """The matrix, and by ClusterQueue its tree and what proves of it."""
        from tenure_check.analysis.matrix import analyze

        provers: dict[str, tuple[Tree, SolverProver]] = {}

        def prover_of(configured: Cluster, tree: Tree, read: Reading) -> SolverProver:
            made = self._spread.prover(
                configured, tree, read, self._cvc5, request.scope, counts_victims=effort.counts_victims
            )
            provers.update(dict.fromkeys(tree.places, (tree, made)))
            return made

        matrix = analyze(
            cluster,
            levels,
            reading,
            prover_of,
            effort,
            request,
            lambda cells, total: progress(cells, "cells", total),
        )
        return matrix, provers

    def of_ranges(self, ranges: Ranges, inner: Matrix) -> Matrix:
        """The matrix of classes; see `tenure_check.analysis.priority_ranges.matrix_of_ranges`."""
        from tenure_check.analysis.priority_ranges import matrix_of_ranges

        return matrix_of_ranges(ranges, inner, self._spread.ranged)


def need_the_solvers() -> None:
    """Refuse to go on without the solvers.

    Raises:
        InputError: one of them is not installed.
    """
    try:
        import cvc5  # noqa: F401
        import z3  # noqa: F401
    except ImportError as error:
        hint = "the solvers, which `tenure analyze` needs here: pip install 'tenure[proofs]'"
        raise bad_input("environment", f"no module {error.name}", hint) from None


class AnswerCache(Generic[A]):
    """Whole answers of earlier runs, of one kind.

    Args:
        kind: the dataclass of an answer.
        wanted: whether anything is kept.
    """

    def __init__(self, kind: type[A], *, wanted: bool) -> None:
        self._cache = Cache(default_folder(), partial(complain, "warning")) if wanted else None
        self._kind = kind

    def found(self, key: str) -> A | None:
        """The answer of a run with the same configuration, effort and code."""
        if self._cache is None:
            return None
        kept = self._cache.get(key)
        if kept is None:
            return None
        try:
            return TypeAdapter(self._kind).validate_python(kept)
        except ValueError as error:
            self._cache.refuse(key, f"no answer of tenure analyze: {type(error).__name__}")
            return None

    def once(self, key: str, make: Callable[[], A], is_final: Callable[[A], bool] = lambda _: True) -> A:
        """The answer that was kept, or one that is made now, and kept unless the clock has ended it.

        Args:
            key: of the question.
            make: makes the answer.
            is_final: whether it would be the same next time.
        """
        found = self.found(key)
        if found is not None:
            return found
        made = make()
        kept = asdict(made)  # type: ignore[call-overload]
        if self._cache is not None and is_final(made) and CLOCK not in json.dumps(kept):
            self._cache.put(key, kept)
            self._cache.tidy()
        return made
