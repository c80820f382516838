"""minExecutionDuration of a selector, a proposal: who names it, and who refuses it."""

from __future__ import annotations

import pytest

from tenure.api import Loaded
from tenure.choices import Outcome
from tenure.conformance.requests import read_decide_request
from tenure.errors import InputError
from tenure.explanation.explain import explain
from tenure.explanation.obstacles import obstacles
from tenure.manifests.premises import refuse_unstated
from tenure.model import MINUTE, Cluster
from tenure.oracle.decide import Decision, decide
from tests.published import published_vectors


def decided(name: str) -> tuple[Cluster, Decision]:
    (found,) = (vector for vector in published_vectors() if vector.id == f"PCF-130/{name}")
    asked = read_decide_request(found.request()["input"])
    return asked.cluster, decide(asked.cluster, asked.preemptor, asked.queue, asked.now, asked.reading)


def test_why_not_names_the_duration_that_has_not_passed() -> None:
    _, decision = decided("a-second-before-it-is-kept")
    assert decision.outcome == Outcome.NO_CANDIDATES
    named = {obstacle.field: obstacle.value for obstacle in obstacles(decision)}
    assert named["spec.rules[0].candidateSelectors[0].minExecutionDuration"] == "15m"


def test_an_explanation_says_whether_a_victim_has_run_long_enough() -> None:
    _, decision = decided("at-exactly-the-duration-it-is-selected")
    assert "it has run for 15m" in str(explain(decision))


def test_questions_about_every_state_refuse_it() -> None:
    cluster, _ = decided("a-second-before-it-is-kept")
    assert cluster.execution_minimums == {15 * MINUTE}
    with pytest.raises(InputError, match="minExecutionDuration"):
        refuse_unstated(Loaded(cluster))
