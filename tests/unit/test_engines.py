"""Engines: the optimized core through the front door, and what it leaves to the reference."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

import tenure
from tenure.conformance.protocol import answer
from tenure.conformance.vectors import load_vectors, run_vector
from tenure.engines import EXPLANATION, LEFT, Engine
from tenure.errors import InputError
from tenure.explain import explain
from tenure.model import Ground, Reason
from tenure.oracle.decide import Decision
from tenure.resources import bundled
from tests import process
from tests.conformance.requests import an_input

NOW = "2026-03-02T14:00:00Z"


def said(**fields: Any) -> dict[str, Any]:
    """The whole answer to a request."""
    return answer({"id": 1, "call": "decide", "input": an_input(**fields)})


def victims(decision: Decision) -> list[tuple[str, Reason, Ground]]:
    """Who leaves, and why."""
    return [(each.workload.key, each.reason, each.evidence.ground) for each in decision.targets]


@pytest.mark.parametrize("name", ["two-teams", "shared-cohort", "hero"])
def test_both_engines_decide_the_examples_alike(name: str) -> None:
    loaded = tenure.load(bundled("examples", name))
    both = [list(tenure.decide_all(loaded, now=NOW, engine=engine)) for engine in Engine]
    assert len(both[0]) > 1
    for mine, other in zip(*both, strict=True):
        assert (mine.workload, mine.problems) == (other.workload, other.problems)
        if mine.decision is not None and other.decision is not None:
            assert (mine.decision.engine, other.decision.engine) == ("reference", "fast")
            assert victims(mine.decision) == victims(other.decision)
            assert mine.decision.assignment == other.decision.assignment


def test_the_answer_is_the_same_but_for_the_engine() -> None:
    by_core, by_reference = said(engine="fast")["output"], said()["output"]
    assert by_core == {**by_reference, "engine": "fast"}


def test_an_explanation_is_left_to_the_reference_and_counted() -> None:
    before = LEFT[EXPLANATION]
    output = said(engine="fast", explain=True)["output"]
    assert (output["engine"], output["leftToReference"]) == ("reference", EXPLANATION)
    assert output["trace"] == said(explain=True)["output"]["trace"]
    assert LEFT[EXPLANATION] == before + 1


def test_what_the_core_decided_has_no_trace() -> None:
    loaded = tenure.load(bundled("examples", "two-teams"))
    decision = tenure.decide(loaded, "team-b/job-eval-suite-d739e", now=NOW, engine="fast")
    with pytest.raises(ValueError, match="decide by the reference to explain"):
        explain(decision)


def test_without_numpy_the_core_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    error = said(engine="fast")["error"]
    assert error["field"] == "engine"
    assert "pip install 'tenure[fast]'" in error["message"]


def test_a_refused_class_is_refused_by_both() -> None:
    falling = {
        "metadata": {"name": "falling"},
        "value": 5,
        "dynamicPriorityPolicy": {"step": -1, "max": 9, "delayForStep": "1m"},
    }
    errors = [said(engine=engine, workloadPriorityClasses=[falling]).get("error") for engine in Engine]
    assert errors[0] is not None
    assert errors[0] == errors[1]


def test_every_vector_passes_by_the_core() -> None:
    before = dict(LEFT)
    assert [run.differences for run in map(by_core, load_vectors()) if run.differences] == []
    assert dict(LEFT) == before


def by_core(vector: Any) -> Any:
    """A vector run by the core."""
    return run_vector(vector, Engine.FAST)


def test_the_command_line_takes_an_engine() -> None:
    arguments = ("decide", "--example", "two-teams", "-w", "team-b/job-eval-suite-d739e", "--now", NOW)
    done = process.tenure(*arguments, "--engine", "fast", "-o", "json")
    assert done.returncode == 0
    decided = json.loads(done.stdout)
    assert (decided["engine"], decided["decision"]) == ("fast", "Preempt")
    texts = [process.tenure(*arguments, "--engine", engine).stdout for engine in Engine]
    assert texts[0] == texts[1]


def test_the_oracle_has_a_default_engine() -> None:
    request = json.dumps({"id": 1, "call": "decide", "input": an_input()}).encode()
    done = process.tenure("oracle", "--engine", "fast", stdin=request)
    assert json.loads(done.stdout)["output"]["engine"] == "fast"


def test_an_unknown_engine_of_the_api_is_refused() -> None:
    loaded = tenure.load(bundled("examples", "two-teams"))
    with pytest.raises(InputError, match="engine"):
        tenure.decide(loaded, "team-b/job-eval-suite-d739e", now=NOW, engine="quick")
