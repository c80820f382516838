"""Changes of fields of a PreemptionConfig, on the vectors about PreemptionConfigs."""

from __future__ import annotations

import json

from tenure.explanation.counterfactuals import search_counterfactuals
from tenure.explanation.counterfactuals.config_fields import ConfigField
from tenure.resources import bundled
from tests.tenure.counterfactuals.campaign import ALL, problems, situation_of, target_of

EVERY = 4
"""Of so many vectors one is looked at."""


def test_every_change_found_beside_a_config_holds_when_it_is_decided_again() -> None:
    written = bundled("spec", "vectors", "preemption-config.json").read_text(encoding="utf-8")
    kinds = set()
    for number, vector in enumerate(json.loads(written)["vectors"][::EVERY]):
        situation = situation_of(vector["input"])
        target = target_of(situation, number)
        for change in search_counterfactuals(situation, target, ALL).counterfactuals:
            assert problems(situation, target, change) == []
            kinds.add(type(change.knob))
    assert ConfigField in kinds
