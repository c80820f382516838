"""A matrix settled in several processes: the verdicts of one process, and each example an example."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import pytest

from tenure.model import DynamicPriorityPolicy, WorkloadPriorityClass
from tenure.readings import preset
from tenure_check.analysis import answer_cache, parallel
from tenure_check.analysis.matrix import Effort, Matrix
from tenure_check.analysis.priority_levels import levels_of
from tenure_check.analysis.priority_ranges import Ranges, matrix_of_ranges
from tenure_check.analysis.prover import Copy, SolverProver, pair_of
from tenure_check.analysis.scopes import MatrixRequest
from tenure_check.analysis.states import CellQuery, Example, PriorityLevel, is_replayed
from tests.analyzed import HOUR, KNOWN


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
    settle = parallel._OtherProvers.settled

    def watched(self: Any, cells: Any) -> Any:
        asked.extend(map(pair_of, cells))
        return settle(self, cells)

    monkeypatch.setattr(parallel._OtherProvers, "settled", watched)
    together = matrix_of("flat", 2)
    assert len(set(asked)) > 2
    verdicts = [
        {cell: settled.verdict for cell, settled in made.settled.items()} for made in (alone, together)
    ]
    assert verdicts[0] == verdicts[1]
    examples = {cell: settled.example for cell, settled in together.settled.items() if settled.example}
    assert len(examples) > 5
    assert all(is_replayed(cell, example) for cell, example in examples.items())


def test_an_example_is_copied_as_in_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "FEWEST", 1)
    monkeypatch.setattr(parallel, "TOGETHER", 1_000)  # one process gets them all
    copy = parallel._OtherProvers.copied
    made: list[tuple[CellQuery, Example | None]] = []
    provers: list[SolverProver] = []

    def watched(self: Any, copies: list[Copy]) -> Any:
        found = copy(self, copies)
        if found is None:
            return None
        answers = [*found]
        made.extend(answers)
        cluster, tree, reading, *_ = pickle.loads(self.configuration)
        prover = SolverProver(cluster, tree, reading, None)
        assert answers == [(known[0], prover.copied(*known)) for known in copies]
        provers.append(prover)
        return answers

    monkeypatch.setattr(parallel._OtherProvers, "copied", watched)
    matrix_of("fair, both strategies", 2)
    assert provers
    assert any(example is not None for _, example in made)


def test_classes_that_grow_are_settled_as_in_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    grows = WorkloadPriorityClass("grows", 0, DynamicPriorityPolicy(40, 200, HOUR))
    cluster = replace(KNOWN["flat"][0], growing={"grows": grows})
    levels = PriorityLevel("grows", 0), PriorityLevel("stays", 100)
    ranges, effort = Ranges(cluster, levels, preset("guaranteed")), Effort(fewest=8, most=8)
    monkeypatch.setattr(parallel, "FEWEST", 1)
    sent: list[object] = []
    run = parallel.Spreading.run

    def watched(self: Any, do: Any, tasks: Any) -> Any:
        sent.extend(tasks)
        return run(self, do, tasks)

    with answer_cache.with_solvers(2) as (analyzed, _):
        inner, _ = analyzed(ranges.plain, ranges.regions, ranges.reading, effort)
        monkeypatch.setattr(parallel.Spreading, "run", watched)
        together = analyzed.of_ranges(ranges, inner)
    assert sent
    alone = matrix_of_ranges(ranges, inner)
    assert together == alone
    examples = {cell: settled.example for cell, settled in together.settled.items() if settled.example}
    assert len(examples) > 5
    assert all(is_replayed(cell, example) for cell, example in examples.items())
