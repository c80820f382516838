"""Readings: what the presets say, how a user writes one, and when none of it matters."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tenure.errors import InputError, Problem
from tenure.readings import (
    CHOICES,
    Reading,
    default_preset,
    parse_reading,
    preset,
    preset_names,
    readings_file,
)
from tests.tenure.clusters import READINGS, Case, cases

WITHOUT_DURATION = cases(durations=st.none())


def problem_of(value: object) -> Problem:
    """Why a reading is refused."""
    with pytest.raises(InputError) as caught:
        parse_reading(value)  # type: ignore[arg-type]  # what a request may hold
    (problem,) = caught.value.problems
    return problem


def test_the_presets_are_what_the_design_says() -> None:
    assert {name: preset(name).choices() for name in preset_names()} == {
        "as-written": {
            "same_priority_gate": "either",
            "newer_than": "reserved_after_created",
            "requeue_order": "creation",
            "wake": "events",
            "priority_steps": "ceil",
            "hero_scope": "branch",
            "hero_precedence": "either",
            "hero_billing": "whole",
            "accessible_rounding": "floor",
            "hero_lending": "ignore",
            "hero_clamp": "limit",
            "invalid_class": "compute",
            "configured_candidates": "merged",
            "always_trigger": "unconditional",
            "invalid_selector": "stops",
            "fair_sharing_repair": "none",
            "repair_strategy": "any",
            "repair_within_nominal": "exempt",
            "execution_start": "admitted",
            "limit_search": "whole",
            "backoff_deadline": "replaced",
            "kai_version": "march_2026",
        },
        "released": {
            "same_priority_gate": "either",
            "newer_than": "queue_order",
            "requeue_order": "creation",
            "wake": "events",
            "priority_steps": "ceil",
            "hero_scope": "branch",
            "hero_precedence": "either",
            "hero_billing": "whole",
            "accessible_rounding": "floor",
            "hero_lending": "ignore",
            "hero_clamp": "limit",
            "invalid_class": "compute",
            "configured_candidates": "appended",
            "always_trigger": "when_insufficient",
            "invalid_selector": "stops",
            "fair_sharing_repair": "none",
            "repair_strategy": "any",
            "repair_within_nominal": "exempt",
            "execution_start": "admitted",
            "limit_search": "whole",
            "backoff_deadline": "replaced",
            "kai_version": "march_2026",
        },
        "guaranteed": {
            "same_priority_gate": "expired_only",
            "newer_than": "queue_order",
            "requeue_order": "eviction",
            "wake": "at_expiry",
            "priority_steps": "floor",
            "hero_scope": "branch",
            "hero_precedence": "rank_first",
            "hero_billing": "excess",
            "accessible_rounding": "cumulative",
            "hero_lending": "ignore",
            "hero_clamp": "nominal_plus_limit",
            "invalid_class": "refuse",
            "configured_candidates": "appended",
            "always_trigger": "when_insufficient",
            "invalid_selector": "stops",
            "fair_sharing_repair": "none",
            "repair_strategy": "any",
            "repair_within_nominal": "exempt",
            "execution_start": "admitted",
            "limit_search": "whole",
            "backoff_deadline": "replaced",
            "kai_version": "march_2026",
        },
    }


def test_nothing_asked_for_is_the_default() -> None:
    assert default_preset() == "guaranteed"
    assert parse_reading(None) == parse_reading({}) == preset("guaranteed")


def test_the_file_and_the_enums_name_the_same_choices() -> None:
    keys = readings_file()["keys"]
    assert {key: set(entry["choices"]) for key, entry in keys.items()} == {
        key: {member.name.lower() for member in enum} for key, enum in CHOICES.items()
    }


def test_an_override_changes_one_choice_and_the_name_says_so() -> None:
    reading = parse_reading({"preset": "released", "requeue_order": "eviction"})
    assert reading.choices() == {**preset("released").choices(), "requeue_order": "eviction"}
    assert reading.name == "released+requeue_order=eviction"


@settings(deadline=None, print_blob=True)
@given(READINGS)
def test_a_reading_read_back_from_its_own_words_is_the_same(reading: Reading) -> None:
    assert parse_reading(reading.written()) == reading


@pytest.mark.parametrize(
    ("value", "field", "words"),
    [
        ("garanteed", "reading", "did you mean 'guaranteed'?"),
        ({"preset": "as_written"}, "reading.preset", "did you mean 'as-written'?"),
        ({"preset": ["released"]}, "reading.preset", "one of as-written, released, guaranteed"),
        ({"newer_then": "queue_order"}, "reading.newer_then", "did you mean 'newer_than'?"),
        ({"newer_than": "queue-order"}, "reading.newer_than", "did you mean 'queue_order'?"),
        ({"newer_than": "QUEUE_ORDER"}, "reading.newer_than", "one of reserved_after_created, queue_order"),
        ({"newer_than": 1}, "reading.newer_than", "a choice: one of reserved_after_created, queue_order"),
        ({"accessible_rounding": "exact"}, "reading.accessible_rounding", "one of floor, cumulative"),
        ({"sleep": "events"}, "reading.sleep", "a reading key: one of same_priority_gate"),
        (7, "reading", "a preset's name or an object of overrides"),
        ("", "reading", "a preset: one of as-written"),
    ],
)
def test_what_no_reading_says_is_refused_with_its_field(value: object, field: str, words: str) -> None:
    problem = problem_of(value)
    assert problem.field == field
    assert words in problem.expected


@settings(deadline=None, print_blob=True, max_examples=500)
@given(WITHOUT_DURATION)
def test_without_min_admit_duration_all_presets_decide_alike(case: Case) -> None:
    first, *others = (case.decided(preset(name)) for name in preset_names())
    for other in others:
        assert (other.outcome, other.targets, other.selection) == (
            first.outcome,
            first.targets,
            first.selection,
        )


@settings(deadline=None, print_blob=True, max_examples=100)
@given(WITHOUT_DURATION, READINGS)
def test_without_min_admit_duration_no_combination_of_choices_decides_otherwise(
    case: Case, reading: Reading
) -> None:
    kueue, other = case.decided(preset("released")), case.decided(reading)
    assert (other.outcome, other.targets) == (kueue.outcome, kueue.targets)
