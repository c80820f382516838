"""What the readings of PreemptionConfigs leave alone, in every published case."""

from __future__ import annotations

import pytest

from tenure.choices import Outcome
from tenure.conformance.requests import read_decide_request
from tenure.conformance.vectors import Vector
from tenure.oracle.decide import Decision, decide
from tenure.readings import ReadingLike, parse_reading
from tests.published import published_vectors

CASES = [vector for vector in published_vectors() if vector.data["input"].get("preemptionConfigs")]
MERGED = {"preset": "released", "configured_candidates": "merged"}
APPENDED = {"preset": "released", "always_trigger": "unconditional"}


def decided(vector: Vector, reading: ReadingLike) -> Decision:
    request = read_decide_request(vector.data["input"])
    chosen = parse_reading(reading)
    return decide(request.cluster, request.preemptor, request.queue, request.now, chosen, request.assignment)


def test_there_are_cases() -> None:
    assert len(CASES) > 40


@pytest.mark.parametrize("vector", CASES, ids=lambda vector: str(vector.data["id"]))
def test_where_tiers_are_appended_always_need_not_wait(vector: Vector) -> None:
    code, other = decided(vector, "released"), decided(vector, APPENDED)
    assert (other.outcome, other.targets) == (code.outcome, code.targets)


@pytest.mark.parametrize("vector", CASES, ids=lambda vector: str(vector.data["id"]))
@pytest.mark.parametrize("always", ["when_insufficient", "unconditional"])
def test_merged_candidates_leave_once_and_suffice_where_appended_ones_do(vector: Vector, always: str) -> None:
    code, merged = decided(vector, "released"), decided(vector, {**MERGED, "always_trigger": always})
    assert (merged.outcome == Outcome.PREEMPT) == (code.outcome == Outcome.PREEMPT)
    keys = [target.workload.key for target in merged.targets]
    named = [found.workload.key for found in merged.candidates]
    assert len(set(keys)) == len(keys)
    assert len(set(named)) == len(named)
