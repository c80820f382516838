"""A change holds: the changed input gives the changed answer, and nothing nearer that was excluded."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tenure.edits import ManifestEdit, edited, edits_of
from tenure.explanation.counterfactuals import Counterfactual, Situation, answer_of, search_counterfactuals
from tenure.explanation.counterfactuals.queue_fields import FlavorOrder, MinAdmitDuration, Threshold
from tenure.explanation.counterfactuals.workload_fields import Clock, Priority
from tenure.manifests import SourcedObject
from tenure.readings import Reading
from tenure.validation import validate
from tenure_lab.generators.options import ALL_FEATURES, Feature
from tenure_lab.generators.strategies import decide_inputs
from tests.sampling import sample
from tests.tenure.clusters import READINGS, Case, cases
from tests.tenure.counterfactuals.campaign import ALL, problems, situation_of, target_of

# Each case is some hundred decisions; `python -m tests.tenure.counterfactuals.campaign 2000 1` takes longer.
FEW = settings(max_examples=sample(6, 140), suppress_health_check=[HealthCheck.too_slow])
SAMPLES = 8
"""How many nearer values of an exact change are tried."""


@FEW
@given(decide_inputs(max_workloads=12), st.integers(0, 11))
def test_the_changed_input_gives_the_changed_answer(scenario: dict[str, object], number: int) -> None:
    situation = situation_of(scenario)
    target = target_of(situation, number)
    for change in search_counterfactuals(situation, target, limit=ALL).counterfactuals:
        assert problems(situation, target, change) == []


@settings(FEW, max_examples=sample(6, 60))
@given(decide_inputs(max_workloads=12, features=ALL_FEATURES - {Feature.AGEING}), st.integers(0, 11))
def test_the_changed_manifests_are_accepted(scenario: dict[str, Any], number: int) -> None:
    situation = situation_of(scenario)
    written = [
        *(scenario[kind] for kind in ("clusterQueues", "cohorts", "resourceFlavors", "admitted")),
        [scenario["incoming"]],
    ]
    objects = [SourcedObject("", found) for kind in written for found in kind]
    before = set(_errors(objects))
    for change in search_counterfactuals(situation, target_of(situation, number), limit=ALL).counterfactuals:
        # Neither the clock nor an order is a value that one field holds.
        if not isinstance(change.knob, Clock | FlavorOrder):
            assert set(_errors([*edited(objects, _edits(change))])) <= before, change.sentence


def _edits(change: Counterfactual) -> Sequence[ManifestEdit]:
    """The change as `--set` or `--unset` writes it."""
    at = f"{change.object}.{change.field}"
    return edits_of(unset=[at]) if change.new_text == "not set" else edits_of([f"{at}={change.new_text}"])


def _errors(objects: Sequence[SourcedObject]) -> Iterator[tuple[str, str]]:
    return ((error.object, error.field) for error in validate(objects).errors)


@FEW
@given(cases(), READINGS, st.integers(0, 11), st.randoms(use_true_random=False))
def test_an_exact_flip_of_a_number_is_the_nearest(
    case: Case, reading: Reading, number: int, dice: random.Random
) -> None:
    situation = Situation(case.cluster, case.preemptor, "q", case.now, reading)
    target = target_of(situation, number)
    for change in search_counterfactuals(situation, target, limit=ALL).counterfactuals:
        assert problems(situation, target, change) == []
        if change.exact and isinstance(change.knob, Priority | Clock | MinAdmitDuration | Threshold):
            assert all(_changes_nothing(situation, target, change, value) for value in _nearer(change, dice))


@FEW
@given(decide_inputs(max_workloads=12), st.integers(0, 11), st.randoms(use_true_random=False))
def test_an_exact_priority_is_the_nearest_in_any_cluster(
    scenario: dict[str, object], number: int, dice: random.Random
) -> None:
    situation = situation_of(scenario)
    target = target_of(situation, number)
    for change in search_counterfactuals(situation, target, limit=ALL).counterfactuals:
        if isinstance(change.knob, Priority | Threshold):
            assert all(_changes_nothing(situation, target, change, value) for value in _nearer(change, dice))


@FEW
@given(decide_inputs(max_workloads=12), st.integers(0, 11))
def test_usable_flips_come_first_then_harmless_and_own_ones_and_a_budget_stops_the_search(
    scenario: dict[str, object], number: int
) -> None:
    situation = situation_of(scenario)
    target = target_of(situation, number)
    whole = search_counterfactuals(situation, target, limit=ALL)
    told = [
        (not change.is_usable, not change.harmless, not change.own, change.size)
        for change in whole.counterfactuals
    ]
    assert told == sorted(told)
    assert search_counterfactuals(situation, target, limit=2).counterfactuals == whole.counterfactuals[:2]
    part = search_counterfactuals(situation, target, limit=ALL, budget=5)
    assert part.tried <= 5
    assert part.complete == (whole.tried <= 5)


def _nearer(change: Counterfactual, dice: random.Random) -> list[int]:
    """Values strictly between a field's value and the one that changes it; the nearest to that among them."""
    if change.old is None or change.new is None:
        return []
    low, high = sorted((change.old, change.new))
    if high - low < 2:
        return []
    beside = change.new - 1 if change.new > change.old else change.new + 1
    return [beside, *(dice.randint(low + 1, high - 1) for _ in range(SAMPLES))]


def _changes_nothing(situation: Situation, target: str | None, change: Counterfactual, value: int) -> bool:
    return answer_of(change.knob.write(situation, value).decided(), target) == change.before
