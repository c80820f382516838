"""Scenarios drawn as model objects."""

from __future__ import annotations

from tenure.conformance.requests import read_decide_request
from tenure.lab.campaign.draws import draw, input_of

SEED = 20260822


def test_what_is_drawn_reads_the_same_from_its_manifests() -> None:
    for index in range(150):
        drawn = draw(SEED, index)
        assert read_decide_request(input_of(drawn)) == drawn, (SEED, index)


def test_a_scenario_depends_on_its_seed_and_its_index_alone() -> None:
    assert [draw(SEED, index) for index in (5, 3)] == [draw(SEED, index) for index in (3, 5)][::-1]
    assert draw(SEED, 3) != draw(SEED + 1, 3)
    assert draw(SEED, 3) != draw(SEED, 4)
