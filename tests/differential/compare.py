"""One question put to the reference and to the optimized core."""

from __future__ import annotations

import dataclasses
from typing import Any

from tenure.conformance.requests import DecideRequest, read_decide_request
from tenure.readings import Reading, preset, preset_names
from tenure_lab.engines_compared import REFUSED, Approach, DecidedTwice, answer_of_core, in_two_steps
from tenure_lab.engines_compared import compare as compare_one_way

__all__ = ["REFUSED", "DecidedTwice", "answer_of_core", "compare", "in_two_steps", "readings_of"]


def readings_of(scenario: dict[str, Any]) -> list[Reading]:
    """Every preset, and what the scenario asks for."""
    asked = read_decide_request(scenario).reading
    presets = [preset(name) for name in preset_names()]
    return presets if asked in presets else [*presets, asked]


def compare(request: DecideRequest, reading: Reading, *, given: bool = False) -> DecidedTwice:
    """Decide once by each.

    Args:
        request: what is decided.
        reading: under which reading.
        given: whether the core gets the reference's assignment instead of deriving one.
    """
    asked = dataclasses.replace(request, reading=reading)
    ways = (Approach.GIVEN,) if given else (Approach.FRESH, Approach.CHANGED)
    compared = [compare_one_way(asked, way) for way in ways]
    assert not any(decided_twice.fault for decided_twice in compared), compared
    return next((decided_twice for decided_twice in compared if not decided_twice.agree), compared[0])
