"""States that are known are decided before random ones, which are drawn no longer than they are needed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tenure.conformance.requests import DecideRequest
from tenure.model import Cluster, Reason
from tenure.readings import preset
from tenure_check.analysis.matrix import CellResult, CellVerdict, Effort, Matrix, analyze
from tenure_check.analysis.scopes import MatrixRequest
from tenure_check.analysis.states import CellQuery, Example, PriorityLevel
from tenure_check.analysis.two_configurations import Configuration, TwoConfigurations
from tests.analyzed import ANY
from tests.clusters import cluster, queue

LEVELS = (PriorityLevel("low", 0),)
READING = preset("guaranteed")
CELL = CellQuery("a", 0, "b", 0, Reason.IN_COHORT_RECLAMATION)
NOTHING = Effort(fewest=0, most=0, counts_victims=False)


class OneCell:
    """Rules allow one cell, and nothing is proved of it."""

    def reasons(self, preemptor: str, victim: str, *_: int) -> frozenset[Reason]:
        is_it = (preemptor, victim) == (CELL.preemptor, CELL.victim)
        return frozenset({CELL.reason} if is_it else ())

    def fewest(self, _: CellQuery, example: Example) -> tuple[Example, bool]:
        return example, False

    def settle(
        self, cells: Sequence[CellQuery], _: Mapping[CellQuery, Example]
    ) -> Iterable[tuple[CellQuery, CellResult]]:
        return [(cell, CellResult(CellVerdict.UNKNOWN, "nobody knows")) for cell in cells]


def two(**policy: Any) -> Cluster:
    """Two ClusterQueues that share what they do not use."""
    return cluster(
        queue("a", "c", (4, None, None), reclaim_within_cohort=ANY), queue("b", "c", (4, 4, None), **policy)
    )


def analyzed(known: Cluster, effort: Effort, states: Sequence[DecideRequest] = ()) -> Matrix:
    prover: Any = OneCell()
    return analyze(known, LEVELS, READING, lambda *_: prover, effort, MatrixRequest(known=states))


def test_once_every_cell_is_hit_no_more_states_are_drawn() -> None:
    few = analyzed(two(), Effort(counts_victims=False))
    assert few.settled[CELL].verdict == CellVerdict.CAN
    assert 0 < few.states < Effort().fewest < analyzed(two(), Effort()).states


def test_a_state_that_hit_a_cell_before_an_edit_hits_it_afterwards_too() -> None:
    before = analyzed(two(), Effort(counts_victims=False)).settled[CELL].example
    assert before is not None
    edited = two(reclaim_within_cohort=ANY)
    sides = (Configuration(two(), LEVELS, READING), Configuration(edited, LEVELS, READING))
    again = TwoConfigurations(*sides).moved_there([before.request])
    assert analyzed(edited, NOTHING).settled[CELL].verdict == CellVerdict.UNKNOWN
    after = analyzed(edited, NOTHING, again)
    assert (after.settled[CELL].verdict, after.states) == (CellVerdict.CAN, 0)


def test_a_state_that_admission_no_longer_produces_is_left_out() -> None:
    before = analyzed(two(), Effort(counts_victims=False)).settled[CELL].example
    assert before is not None
    alone = cluster(
        queue("a", "c", (4, None, None), reclaim_within_cohort=ANY), queue("b", "c", (0, 0, None))
    )
    sides = (Configuration(two(), LEVELS, READING), Configuration(alone, LEVELS, READING))
    assert TwoConfigurations(*sides).moved_there([before.request]) == []
