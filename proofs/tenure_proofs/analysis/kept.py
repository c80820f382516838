"""What `tenure analyze` does with solvers whatever is asked: matrices, and answers that are kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from pydantic import TypeAdapter, ValidationError

from tenure.apps.cli.terminal import complain, progress
from tenure.errors import bad_input
from tenure.model import Cluster, QueueingStrategy, WorkloadPriorityClass
from tenure.readings import Reading
from tenure_proofs.cache import Cache, default_folder
from tenure_proofs.fingerprints import digest, package_digest

if TYPE_CHECKING:
    from tenure.analysis.matrix import Effort, Matrix
    from tenure.analysis.states import PriorityLevel
    from tenure.oracle.tree import Tree
    from tenure_proofs.analysis.prover import SolverProver
    from tenure_proofs.solvers import Cvc5

    Analyzed: TypeAlias = Callable[
        [Cluster, Sequence[PriorityLevel], Reading, Effort],
        tuple[Matrix, Mapping[str, tuple[Tree, SolverProver]]],
    ]

TOGETHER = 200
"""How many cells are kept in one file, which may not be large."""

A = TypeVar("A")


def configuration_of(cluster: Cluster, classes: Sequence[WorkloadPriorityClass]) -> Cluster:
    """Queues and settings alone; of classes, also those that no workload names yet.

    Strategies of queueing are all the same: no single decision asks for them.
    """
    growing = {found.name: found for found in classes if found.policy is not None}
    queues = {
        name: replace(queue, queueing=QueueingStrategy.BEST_EFFORT_FIFO)
        for name, queue in cluster.cluster_queues.items()
    }
    return Cluster(
        cluster_queues=queues,
        flavors=cluster.flavors,
        settings=cluster.settings,
        cohorts=cluster.cohorts,
        growing={**cluster.growing, **growing},
    )


def matrices(
    configurations: Sequence[tuple[Cluster, Sequence[PriorityLevel]]], reading: Reading, effort: Effort
) -> tuple[list[Matrix], Mapping[str, str]]:
    """The matrices of some configurations, and who proved, by version.

    Args:
        configurations: each with the priorities of its workloads.
        reading: see `tenure.readings`.
        effort: how long is looked for examples.

    Raises:
        InputError: the solvers are not installed.
    """
    with with_solvers() as (analyzed, versions):
        return [analyzed(cluster, levels, reading, effort)[0] for cluster, levels in configurations], versions


@contextmanager
def with_solvers() -> Iterator[tuple[Analyzed, Mapping[str, str]]]:
    """What makes matrices, and who proves, by version; the solvers end with the context.

    Raises:
        InputError: the solvers are not installed.
    """
    _need_the_solvers()
    from tenure_proofs.solvers import Cvc5, solver_versions

    with Cvc5() as cvc5:
        yield partial(_analyzed, cvc5), solver_versions()


def _analyzed(
    cvc5: Cvc5, cluster: Cluster, levels: Sequence[PriorityLevel], reading: Reading, effort: Effort
) -> tuple[Matrix, Mapping[str, tuple[Tree, SolverProver]]]:
    from tenure.analysis.matrix import analyze
    from tenure_proofs.analysis.prover import SolverProver

    provers: dict[str, tuple[Tree, SolverProver]] = {}

    def prover_of(known: Cluster, tree: Tree, read: Reading) -> SolverProver:
        made = SolverProver(known, tree, read, cvc5)
        provers.update(dict.fromkeys(tree.places, (tree, made)))
        return made

    matrix = analyze(
        cluster, levels, reading, prover_of, effort, lambda cells, total: progress(cells, "cells", total)
    )
    return matrix, provers


def _need_the_solvers() -> None:
    try:
        import cvc5  # noqa: F401
        import z3  # noqa: F401
    except ImportError as error:
        hint = "the solvers, which `tenure analyze` needs here: pip install 'tenure[proofs]'"
        raise bad_input("environment", f"no module {error.name}", hint) from None


def key_of(*asked: object) -> str:
    """The name of an answer: what was asked, and the code that answers."""
    return digest(package_digest("tenure"), package_digest("tenure_proofs"), repr(asked))


class KeptCells(Generic[A]):
    """Whole answers of earlier runs, of one kind, which have `cells`.

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
        first = self._cache.get(key)
        if first is None:
            return None
        try:
            parts = [self._cache.get(digest(key, number)) for number in range(first["parts"])]
            cells = [cell for part in parts for cell in part]
            return TypeAdapter(self._kind).validate_python({**first["answer"], "cells": cells})
        except (KeyError, TypeError, ValidationError) as error:
            self._cache.refuse(key, f"no answer of tenure analyze: {type(error).__name__}")
            return None

    def keep(self, key: str, answer: A) -> None:
        """Keep an answer, its cells in parts."""
        if self._cache is None:
            return
        whole: dict[str, Any] = asdict(answer)  # type: ignore[call-overload]
        cells = whole.pop("cells")
        parts = [cells[begin : begin + TOGETHER] for begin in range(0, len(cells), TOGETHER)]
        for number, part in enumerate(parts):
            self._cache.put(digest(key, number), part)
        self._cache.put(key, {"parts": len(parts), "answer": {**whole, "cells": []}})
        self._cache.tidy()
