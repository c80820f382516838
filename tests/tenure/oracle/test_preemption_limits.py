"""PreemptionLimits, a proposal: who reads them, what they say of a decision, and who refuses them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tenure.api import Loaded
from tenure.choices import Outcome
from tenure.conformance.requests import DecideRequest, read_decide_request
from tenure.errors import ErrorCode, InputError
from tenure.explanation.answers import counterfactuals_shape
from tenure.explanation.explain import explain, explain_workload
from tenure.explanation.obstacles import obstacles
from tenure.explanation.summary import summarize
from tenure.manifests import SourcedObject, build
from tenure.manifests.preemption_limits import read_preemption_limit
from tenure.manifests.premises import NOTHING_COUNTED, premises_of, refuse_unstated
from tenure.model import Cluster
from tenure.oracle.decide import Decision, decide
from tenure.oracle.tree import build_tree
from tenure.oracle.unmodelled import of_pair
from tenure.readings import LimitSearch
from tenure.validation import validate
from tests.published import published_vectors

NONE_OF_TWO = "PCF-160/one-victim-more-than-the-limit-and-none-is-preempted"


def request_of(name: str) -> DecideRequest:
    (found,) = (vector for vector in published_vectors() if vector.id == name)
    return read_decide_request(found.request()["input"])


def decided(name: str) -> tuple[Cluster, Decision]:
    asked = request_of(name)
    return asked.cluster, decide(asked.cluster, asked.preemptor, asked.queue, asked.now, asked.reading)


def a_limit(**spec: Any) -> dict[str, Any]:
    header = {
        "apiVersion": "kueue.x-k8s.io/v1alpha1",
        "kind": "PreemptionLimit",
        "metadata": {"name": "calm"},
    }
    return {**header, "spec": {"scope": "Global", "limit": 1, "limitWindowDuration": "5m", **spec}}


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        ({"limitWindowDuration": "999ms"}, "spec.limitWindowDuration"),
        ({"limit": -1}, "spec.limit"),
        ({"scope": "PreemptedQueue"}, "spec.scope"),
        ({"ruleName": ["a"]}, "spec.ruleName"),
        (
            {"configSelector": {"matchExpressions": [{"key": "a", "operator": "Is"}]}},
            "spec.configSelector",
        ),
    ],
)
def test_what_is_wrong_is_refused_by_both_readers(spec: dict[str, Any], field: str) -> None:
    with pytest.raises(InputError, match=field):
        read_preemption_limit(a_limit(**spec))
    assert [error.field for error in validate([SourcedObject("", a_limit(**spec))]).errors] == [field]


def test_a_selector_whose_meaning_is_open_is_not_modelled() -> None:
    spec = {"clusterQueueSelector": {"matchLabels": {"tier": "hero"}}}
    with pytest.raises(InputError, match="does not say") as refused:
        build([SourcedObject("", a_limit(**spec))])
    assert refused.value.problems[0].code == ErrorCode.NOT_MODELLED
    report = validate([SourcedObject("", a_limit(**spec))])
    assert (report.is_valid, [found.field for found in report.warnings]) == (
        True,
        ["spec.clusterQueueSelector"],
    )


def test_why_not_and_explanations_name_the_limit() -> None:
    _, decision = decided(NONE_OF_TWO)
    assert decision.outcome == Outcome.NO_CANDIDATES
    first = next(iter(obstacles(decision)))
    assert first.sentence() == (
        "limit of PreemptionLimit calm is 1: it has no room for the victims within 5m"
    )
    assert "PreemptionLimit calm has no room for its victims: at most 1 preemption within 5m" in str(
        (summarize(decision), explain(decision))
    )


@pytest.mark.parametrize("choice", LimitSearch)
def test_of_a_candidate_that_is_kept_the_limit_is_the_reason_and_not_the_quota(choice: LimitSearch) -> None:
    asked = request_of(NONE_OF_TWO)
    reading = replace(asked.reading, limit_search=choice)
    decision = decide(asked.cluster, asked.preemptor, asked.queue, asked.now, reading)
    assert {explain_workload(decision, running).verdict for running in decision.running} == {
        "kept: it may be preempted, but PreemptionLimit calm has no room for the victims of team/urgent: "
        "at most 1 preemption within 5m"
    }


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        (LimitSearch.WHOLE, "1 may be preempted for team/urgent, which does not free enough quota"),
        (LimitSearch.EACH, "1 may be considered for team/urgent, but in their turn none may be preempted"),
    ],
)
def test_no_limit_is_named_where_all_candidates_would_not_free_enough(
    choice: LimitSearch, words: str
) -> None:
    asked = request_of(NONE_OF_TWO)
    first, second = asked.cluster.admitted
    cluster = replace(asked.cluster, admitted=(first, replace(second, priority=asked.preemptor.priority)))
    reading = replace(asked.reading, limit_search=choice)
    decision = decide(
        replace(
            cluster, preemption_limits=tuple(replace(found, limit=0) for found in cluster.preemption_limits)
        ),
        asked.preemptor,
        asked.queue,
        asked.now,
        reading,
    )
    told = str((summarize(decision), explain(decision), *(found.object for found in obstacles(decision))))
    assert decision.outcome == Outcome.NO_CANDIDATES
    assert words in told
    assert "PreemptionLimit calm" not in told


def test_counterfactuals_say_that_limits_are_not_tried() -> None:
    _, decision = decided(NONE_OF_TWO)
    assert "PreemptionLimits" in counterfactuals_shape(decision, None, 5, None).not_tried


def test_answers_take_for_granted_that_nothing_counts() -> None:
    cluster, _ = decided(NONE_OF_TWO)
    assert NOTHING_COUNTED in premises_of(Loaded(cluster))


def test_what_may_happen_at_any_time_is_not_known_beside_a_limit() -> None:
    cluster, decision = decided(NONE_OF_TWO)
    found = of_pair(cluster, build_tree(cluster, decision.queue), "train", "train")
    assert [unknown.object for unknown in found] == ["PreemptionLimit/calm"]
    with pytest.raises(InputError, match="PreemptionLimit/calm"):
        refuse_unstated(Loaded(cluster))
