"""Cells that can be, of random configurations as a released Kueue may have them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from tenure.conformance.requests import DecideRequest
from tenure.model import Cluster, PreemptionRules
from tenure.readings import preset
from tenure_check.analysis.campaign import draw_configuration, with_heroes
from tenure_check.analysis.encoded_decisions import LEVELS
from tenure_check.analysis.matrix import CellVerdict, Effort, analyze
from tenure_check.analysis.prover import SolverProver
from tenure_check.analysis.states import CellQuery, written_state
from tenure_proofs.solvers import Cvc5

READING = preset("released")
MOST_QUEUES = 4
FEWEST_STATES, MOST_STATES = 150, 600


@dataclass(frozen=True, slots=True)
class DrawnCell:
    """A cell with its example.

    Args:
        configuration: number of the random configuration.
        cell: what the analysis says can be.
        victim: key of the workload that is preempted in the example.
        why: what the verdict rests on.
        request: the example, as the input of the peer's call `decide`.
    """

    configuration: int
    cell: CellQuery
    victim: str
    why: str
    request: dict[str, Any]


def drawn_cells(count: int, seed: int, *, heroes: bool = False) -> Iterator[DrawnCell]:
    """So many cells that can be, of random configurations from a number on.

    Args:
        count: how many.
        seed: that number.
        heroes: whether each configuration has heroes.
    """
    with Cvc5() as cvc5:
        number = seed
        while count > 0:
            for drawn in _cells_of(number, cvc5, heroes=heroes):
                yield drawn
                count -= 1
                if count <= 0:
                    return
            number += 1


def _cells_of(number: int, cvc5: Cvc5, *, heroes: bool) -> Iterator[DrawnCell]:
    cluster, reading = _without_proposals(draw_configuration(random.Random(number), MOST_QUEUES)[0]), READING
    if heroes:
        cluster, reading = with_heroes(random.Random(number), cluster, reading)
    matrix = analyze(
        cluster,
        LEVELS,
        reading,
        lambda cluster, tree, reading: SolverProver(cluster, tree, reading, cvc5),
        Effort(number, FEWEST_STATES, MOST_STATES),
    )
    for cell, settled in matrix.settled.items():
        if settled.verdict == CellVerdict.CAN:
            assert settled.example is not None
            state = as_released(settled.example.request)
            if state is not None:
                yield DrawnCell(number, cell, settled.example.victim, settled.why, written_state(state))


def as_released(state: DecideRequest) -> DecideRequest | None:
    """The state as a release has it, which knows no heroes; none where one of them acts."""
    queues = state.cluster.cluster_queues
    heroes = {name for name, queue in queues.items() if queue.rules == PreemptionRules.UBER_CLUSTER_QUEUE}
    if heroes.intersection([state.queue, *(running.cluster_queue for running in state.cluster.admitted)]):
        return None
    plain = {name: replace(queue, rules=PreemptionRules.DEFAULT) for name, queue in queues.items()}
    return replace(state, cluster=replace(state.cluster, cluster_queues=plain), reading=READING)


def _without_proposals(cluster: Cluster) -> Cluster:
    """The configuration without minAdmitDuration, which no release knows."""
    queues = cluster.cluster_queues.items()
    return replace(
        cluster, cluster_queues={name: replace(queue, min_admit_duration=None) for name, queue in queues}
    )
