"""Rules of a play: scenarios in place of vectors exercise them, and a compiled engine can call them."""

from __future__ import annotations

import inspect
from dataclasses import is_dataclass
from functools import cache
from typing import get_type_hints

import pytest

from tenure.conformance.observing import observed_rules
from tenure.conformance.vectors import exercised_by_plays
from tenure.model import TurnResult
from tenure.readings import preset
from tenure.resources import bundled
from tenure.rules import cycle
from tenure.rules.registry import RuleEntry, all_rules
from tenure_play import load_scenario, play

PLAYED = [entry for entry in all_rules() if entry.id.startswith("CYC-")]
EXERCISED = exercised_by_plays()
CASES = [
    (rule, verdict, scenario)
    for rule, by_verdict in EXERCISED.items()
    for verdict, scenario in by_verdict.items()
]


@cache
def answers(scenario: str) -> frozenset[tuple[str, bool]]:
    """Every rule that was asked during a play, with whether it accepted; each pair once."""
    story = load_scenario(bundled("spec", "vectors", "scenarios", f"{scenario}.yaml"))
    with observed_rules() as seen:
        play(story, preset("guaranteed"))
    return frozenset((answer.rule, answer.accepts) for answer in seen if answer.rule in EXERCISED)


@pytest.mark.parametrize(("rule", "verdict", "scenario"), CASES)
def test_a_scenario_that_stands_for_a_vector_exercises_its_rule(
    rule: str, verdict: str, scenario: str
) -> None:
    assert (rule, verdict == "accept") in answers(scenario)


@pytest.mark.parametrize("entry", PLAYED, ids=lambda entry: entry.id)
def test_a_rule_of_a_play_takes_and_returns_numbers_and_calls_no_other(entry: RuleEntry) -> None:
    function = entry.function
    signature = inspect.signature(function, eval_str=True)
    types = [parameter.annotation for parameter in signature.parameters.values()]
    records = {found for found in types if is_dataclass(found)}
    inside = {name: kind for record in records for name, kind in get_type_hints(record).items()}
    assert all(
        issubclass(found, int) for found in {*types, *inside.values(), signature.return_annotation} - records
    )
    names = set(function.__code__.co_names) - inside.keys()
    assert names - {"min", "max", "SECOND", "TurnResult", *TurnResult.__members__} == set()
    assert function.__module__ == cycle.__name__
