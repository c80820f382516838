"""A finding is what the solvers found, and its command replays it."""

from __future__ import annotations

from tenure.conformance.vectors import Vector, load_vectors, run_vector
from tenure_proofs.obligations import OBLIGATIONS
from tenure_proofs.runner import run_obligation

STORY = "TBP-050/a-newer-equal-loses-its-guaranteed-four-hours"


def vector(identifier: str) -> Vector:
    return next(each for each in load_vectors() if each.id == identifier)


def test_the_story_of_f_001_is_the_counterexample_that_the_solvers_find() -> None:
    result = run_obligation(OBLIGATIONS["PO-TBP-010"], "as-written", None)
    assert result.counterexample is not None
    assert result.counterexample.scenario is not None
    found = dict(result.counterexample.scenario["input"])
    assert found.pop("reading") == vector(STORY).data["reading"] == "as-written"
    assert found == vector(STORY).data["input"]


def test_the_story_of_f_001_replays() -> None:
    assert run_vector(vector(STORY)).differences == ()
