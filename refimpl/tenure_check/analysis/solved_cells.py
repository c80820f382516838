"""What both solvers settle of a configuration, for what files assert of every state."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from tenure.model import Cluster
from tenure.readings import Reading
from tenure_check.analysis.answer_cache import need_the_solvers, with_solvers
from tenure_check.analysis.scopes import CellSides, MatrixRequest
from tenure_check.choices import Scope

if TYPE_CHECKING:
    from tenure_check.analysis.guarantees import NarrowCell, Reached
    from tenure_check.analysis.matrix import CellResult, Effort, Matrix
    from tenure_check.analysis.states import CellQuery, PriorityLevel


def settled(
    cluster: Cluster,
    levels: Sequence[PriorityLevel],
    reading: Reading,
    effort: Effort,
    wanted: Collection[CellSides],
    scope: Scope,
) -> Matrix:
    """What is known of some cells; see `tenure_check.analysis.matrix.analyze`.

    Raises:
        InputError: no solvers.
    """
    with with_solvers() as (analyzed, _):
        matrix, _ = analyzed(cluster, levels, reading, effort, MatrixRequest(wanted, scope))
        return matrix


def settled_narrow(
    cluster: Cluster,
    matrix: Matrix,
    reading: Reading,
    effort: Effort,
    wanted: Mapping[CellQuery, Sequence[NarrowCell]],
) -> dict[NarrowCell, CellResult]:
    """What is known of some cells under conditions; see `tenure_check.analysis.guarantees.settle_conditions`.

    Raises:
        InputError: no solvers.
    """
    need_the_solvers()
    from tenure_check.analysis.guarantees import settle_conditions
    from tenure_check.analysis.matrix import trees_of
    from tenure_check.analysis.prover import SolverProver
    from tenure_proofs.solvers import Cvc5

    preemptors = {cell.preemptor for cell in wanted}
    with Cvc5() as cvc5:
        narrowers = {
            name: (tree, prover)
            for tree in trees_of(cluster)
            if preemptors.intersection(tree.places)
            for prover in (SolverProver(cluster, tree, reading, cvc5, matrix.scope),)
            for name in preemptors.intersection(tree.places)
        }
        return settle_conditions(cluster, matrix, reading, narrowers, effort, wanted)


def reached(
    cluster: Cluster, levels: Sequence[PriorityLevel], reading: Reading, seed: int
) -> dict[str, Reached]:
    """Whether requests within nominal quotas always get them, by active ClusterQueue.

    Args:
        cluster: the configuration.
        levels: the priorities of its workloads.
        reading: see `tenure.readings`.
        seed: of the random states.

    Raises:
        InputError: no solvers.
    """
    from tenure.oracle.tree import build_tree
    from tenure.oracle.unmodelled import of_pair
    from tenure_check.analysis.guarantees import Reached
    from tenure_check.analysis.nominal_quota import unreached_state

    found: dict[str, Reached] = {}
    for name, queue in cluster.cluster_queues.items():
        unmodelled = of_pair(cluster, build_tree(cluster, queue), name, name)
        if unmodelled:
            found[name] = Reached(None, unmodelled[0].text)
        elif not queue.nominal():
            found[name] = Reached(None, "")
        elif not queue.inactive:
            state = unreached_state(cluster, levels, reading, name, seed)
            found[name] = Reached(state, "" if state else why_not_reached(cluster, name, reading))
    return found


def why_not_reached(cluster: Cluster, name: str, reading: Reading) -> str:
    """Why it is not proved that a request within a ClusterQueue's nominal quota always gets it.

    Args:
        cluster: the configuration.
        name: of the ClusterQueue.
        reading: see `tenure.readings`.

    Returns:
        empty where both solvers prove it.

    Raises:
        InputError: no solvers.
    """
    need_the_solvers()
    from tenure_check.analysis.matrix import trees_of, why_uncovered
    from tenure_check.analysis.nominal_quota_proof import why_not_proved
    from tenure_proofs.solving import second_solver

    tree = next(known for known in trees_of(cluster) if name in known.places)
    uncovered = why_uncovered(cluster)
    if uncovered:
        return uncovered
    return why_not_proved(cluster, tree, name, reading, second_solver())
