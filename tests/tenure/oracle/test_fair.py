"""Fair sharing, beside what the vectors say."""

from __future__ import annotations

from dataclasses import replace

from tenure.conformance.requests import read_decide_request
from tenure.model import FairStrategy
from tenure.oracle.decide import decide
from tests.published import published_vectors
from tests.tenure.clusters import requests_of_vectors


def test_where_no_strategy_is_named_both_are_tried() -> None:
    both = tuple(FairStrategy)
    by_both = [request for request in requests_of_vectors() if request.cluster.settings.fair_sharing == both]
    targets = 0
    for asked in by_both:
        about = asked.preemptor, asked.queue, asked.now, asked.reading, asked.assignment
        found = decide(asked.cluster, *about).targets
        unnamed = replace(asked.cluster, settings=replace(asked.cluster.settings, fair_sharing=()))
        assert decide(unnamed, *about).targets == found
        targets += len(found)
    assert targets


def test_a_candidate_that_no_strategy_allows_is_told() -> None:
    (vector,) = [vector for vector in published_vectors() if vector.id == "KQ-420/above-the-final-share"]
    asked = read_decide_request(vector.request()["input"])
    made = decide(asked.cluster, asked.preemptor, asked.queue, asked.now, asked.reading, asked.assignment)
    assert made.selection is not None
    assert [candidate.workload.name for candidate in made.selection.attempts[-1].rejected] == ["b1", "b2"]
