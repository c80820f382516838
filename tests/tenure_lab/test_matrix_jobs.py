"""A matrix settled in several processes: the verdicts of one process, and each example an example."""

from __future__ import annotations

from typing import Any

import pytest

from tenure.readings import preset
from tenure_check.analysis import answer_cache, parallel
from tenure_check.analysis.matrix import Effort, Matrix
from tenure_check.analysis.priority_levels import levels_of
from tenure_check.analysis.prover import pair_of
from tenure_check.analysis.scopes import MatrixRequest
from tenure_check.analysis.states import is_replayed
from tests.analyzed import KNOWN


def matrix_of(name: str, jobs: int) -> Matrix:
    """The matrix of a known configuration, with so few random states that solvers have enough to do."""
    known, _ = KNOWN[name]
    (matrix,), _ = answer_cache.matrices(
        [(known, levels_of(known, []))], preset("guaranteed"), Effort(fewest=8, most=8), MatrixRequest(), jobs
    )
    return matrix


def test_two_processes_give_the_verdicts_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = matrix_of("flat", 1)
    monkeypatch.setattr(parallel, "FEWEST", 2)
    asked: list[tuple[str, str]] = []
    settle = parallel.Spreading._settled

    def watched(self: Any, cluster: Any, configuration: bytes, cells: Any) -> Any:
        asked.extend(map(pair_of, cells))
        return settle(self, cluster, configuration, cells)

    monkeypatch.setattr(parallel.Spreading, "_settled", watched)
    together = matrix_of("flat", 2)
    assert len(set(asked)) > 2
    verdicts = [
        {cell: settled.verdict for cell, settled in made.settled.items()} for made in (alone, together)
    ]
    assert verdicts[0] == verdicts[1]
    examples = {cell: settled.example for cell, settled in together.settled.items() if settled.example}
    assert len(examples) > 5
    assert all(is_replayed(cell, example) for cell, example in examples.items())
