"""A flip holds: the changed input gives the changed answer, and nothing nearer of what was excluded does."""

from __future__ import annotations

import random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tenure.explanation.counterfactuals import Flip, Situation, answer_of, search_flips
from tenure.explanation.counterfactuals.queue_fields import MinAdmitDuration, Threshold
from tenure.explanation.counterfactuals.workload_fields import Clock, Priority
from tenure.readings import Reading
from tenure_lab.generators.strategies import decide_inputs
from tests.sampling import sample
from tests.unit.clusters import READINGS, Case, cases
from tests.unit.counterfactuals.campaign import ALL, problems, situation_of, target_of

# Each case is some hundred decisions; `python -m tests.unit.counterfactuals.campaign 2000 1` is the long run.
FEW = settings(max_examples=sample(12, 300), suppress_health_check=[HealthCheck.too_slow])
SAMPLES = 8
"""How many nearer values of an exact flip are tried."""


@FEW
@given(decide_inputs(max_workloads=12), st.integers(0, 11))
def test_the_changed_input_gives_the_changed_answer(scenario: dict[str, object], number: int) -> None:
    situation = situation_of(scenario)
    target = target_of(situation, number)
    for flip in search_flips(situation, target, limit=ALL).flips:
        assert problems(situation, target, flip) == []


@FEW
@given(cases(), READINGS, st.integers(0, 11), st.randoms(use_true_random=False))
def test_an_exact_flip_of_a_number_is_the_nearest(
    case: Case, reading: Reading, number: int, dice: random.Random
) -> None:
    situation = Situation(case.cluster, case.preemptor, "q", case.now, reading)
    target = target_of(situation, number)
    for flip in search_flips(situation, target, limit=ALL).flips:
        assert problems(situation, target, flip) == []
        if flip.exact and isinstance(flip.knob, Priority | Clock | MinAdmitDuration | Threshold):
            assert all(_changes_nothing(situation, target, flip, value) for value in _nearer(flip, dice))


@FEW
@given(decide_inputs(max_workloads=12), st.integers(0, 11), st.randoms(use_true_random=False))
def test_an_exact_priority_is_the_nearest_in_any_cluster(
    scenario: dict[str, object], number: int, dice: random.Random
) -> None:
    situation = situation_of(scenario)
    target = target_of(situation, number)
    for flip in search_flips(situation, target, limit=ALL).flips:
        if isinstance(flip.knob, Priority | Threshold):
            assert all(_changes_nothing(situation, target, flip, value) for value in _nearer(flip, dice))


@FEW
@given(decide_inputs(max_workloads=12), st.integers(0, 11))
def test_usable_flips_come_first_then_harmless_and_own_ones_and_a_budget_stops_the_search(
    scenario: dict[str, object], number: int
) -> None:
    situation = situation_of(scenario)
    target = target_of(situation, number)
    whole = search_flips(situation, target, limit=ALL)
    told = [(not flip.is_usable, not flip.harmless, not flip.own, flip.size) for flip in whole.flips]
    assert told == sorted(told)
    assert search_flips(situation, target, limit=2).flips == whole.flips[:2]
    part = search_flips(situation, target, limit=ALL, budget=5)
    assert part.tried <= 5
    assert part.complete == (whole.tried <= 5)


def _nearer(flip: Flip, dice: random.Random) -> list[int]:
    """Values strictly between a field's value and the one that flips; the nearest to that among them."""
    if flip.old is None or flip.new is None:
        return []
    low, high = sorted((flip.old, flip.new))
    if high - low < 2:
        return []
    beside = flip.new - 1 if flip.new > flip.old else flip.new + 1
    return [beside, *(dice.randint(low + 1, high - 1) for _ in range(SAMPLES))]


def _changes_nothing(situation: Situation, target: str | None, flip: Flip, value: int) -> bool:
    return answer_of(flip.knob.write(situation, value).decided(), target) == flip.before
