"""The optimized core decides as the reference does: drawn clusters, recorded lines, published vectors."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from tenure.conformance.requests import read_decide_request
from tenure.errors import InputError
from tenure.readings import preset, preset_names
from tenure_lab.generators.strategies import ALL_FEATURES, Feature, decide_inputs
from tenure_simulate.core.arrays import load
from tenure_simulate.core.decide import decide
from tests.differential.compare import REFUSED, answer_of_core, compare, in_two_steps, readings_of
from tests.published import published_vectors
from tests.sampling import sample
from tests.tenure.conformance.recorded import RANDOM, TESTS, lines, needs_recorded

Object = dict[str, Any]
MANY = settings(max_examples=sample(30, 40), suppress_health_check=[HealthCheck.too_slow])

FEW = settings(
    max_examples=sample(10, 20),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
REPAIR = "a repair of fair sharing"
LEFT = (
    "Settings.fair_sharing_protection",
    "Settings.reclaim_protection",
    "CandidateSelector.min_execution",
    "Cluster.preemption_limits",
)
WAYS = [*product(preset_names(), (False, True))]


@MANY
@given(decide_inputs(features=ALL_FEATURES - {Feature.HEROES}))
def test_both_decide_alike_under_every_reading(scenario: Object) -> None:
    assert_alike(scenario)


@FEW
@given(decide_inputs(features=ALL_FEATURES))
def test_both_decide_alike_with_heroes(scenario: Object) -> None:
    assert_alike(scenario)


def assert_alike(scenario: Object) -> None:
    """Under every reading, the assignment given and derived; the reference is left repairs alone."""
    request = read_decide_request(scenario)
    for reading in readings_of(scenario):
        for with_assignment in (False, True):
            compared = compare(request, reading, given=with_assignment)
            assert compared.left in ("", REFUSED, REPAIR)
            assert compared.left == REPAIR or compared.reference == compared.core


@MANY
@given(decide_inputs(max_depth=4, fair_sharing=True))
def test_both_share_fairly_alike_in_deep_trees(scenario: Object) -> None:
    compared = compare(read_decide_request(scenario), preset("released"))
    assert not compared.left
    assert compared.reference == compared.core


@pytest.mark.parametrize(
    "way", range(len(WAYS)), ids=[f"{name}-{'derived' if late else 'given'}" for name, late in WAYS]
)
@needs_recorded
def test_both_decide_recorded_lines_alike(way: int) -> None:
    reading, derived = WAYS[way]
    # In the sample every other line is decided, in one of the ways; in full number each in every way.
    first, step = sample((2 * way, 2 * len(WAYS)), (0, 1))
    left: set[str] = set()
    different = []
    for line in lines(*TESTS, RANDOM)[first::step]:
        request = read_decide_request({**line, "assignment": None} if derived else line)
        compared = compare(request, preset(reading))
        left.add(compared.left)
        if not compared.agree:
            different.append((line["name"], compared))
    assert different == []
    assert left == {""}


@pytest.mark.parametrize("name", [*preset_names(), "its own"])
def test_both_decide_vectors_alike(name: str) -> None:
    presets = {preset(preset_name) for preset_name in preset_names()}
    compared = 0
    # In the sample each vector is decided under one of the presets, in full number under every preset.
    first, step = (0, 1) if name == "its own" else sample((preset_names().index(name), len(presets)), (0, 1))
    for vector in published_vectors()[first::step]:
        if vector.data["call"] != "decide":
            continue
        try:
            request = read_decide_request(vector.request()["input"])
        except InputError:
            continue
        reading = request.reading if name == "its own" else preset(name)
        if name == "its own" and reading in presets:
            continue
        said = compare(request, reading)
        assert said.agree, vector.id
        cluster = request.cluster
        protected = (
            cluster.settings.protects_from_others or cluster.execution_minimums or cluster.limits_in_force
        )
        assert said.left in ((*LEFT, REFUSED) if protected else ("", REFUSED)), vector.id
        compared += 1
    assert compared > (10 if name == "its own" else sample(35, 100))


@FEW
@given(decide_inputs())
def test_what_was_saved_decides_the_same(tmp_path: Path, scenario: Object) -> None:
    request = read_decide_request(scenario)
    arrays, path = in_two_steps(request.cluster), tmp_path / "cluster.npz"
    arrays.save(path)
    again = load(path)
    assert (again.usage == arrays.usage).all()
    asked = (request.preemptor, request.queue, request.now, request.reading, request.assignment)
    assert answer_of_core(decide(again, *asked)) == answer_of_core(decide(arrays, *asked))
