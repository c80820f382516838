"""Scenarios for property tests: Hypothesis throws the dice, so that what fails is made small.

It needs Hypothesis, which comes with the extra `strategies`; `scenarios` beside it does without.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tenure.conformance.requests import DecideRequest
from tenure_lab.generators.dice import ByteDice, Dice
from tenure_lab.generators.options import ALL_FEATURES, KUEUE_FEATURES, PROPOSALS, Feature, Options
from tenure_lab.generators.scenarios import draw_input, draw_request, draws_of, examples

__all__ = [
    "ALL_FEATURES",
    "KUEUE_FEATURES",
    "PROPOSALS",
    "Feature",
    "Options",
    "clusters",
    "decide_inputs",
    "examples",
]


def _dice(options: Options) -> st.SearchStrategy[Dice]:
    """Dice out of one string of bytes: to draw them one by one would take Hypothesis ten times as long."""
    size = draws_of(options)
    return st.binary(min_size=size, max_size=size).map(ByteDice)


def decide_inputs(**options: Any) -> st.SearchStrategy[dict[str, Any]]:
    """Requests about clusters that are nearly full: the `input` of the oracle's call `decide`.

    Args:
        options: the fields of `Options`, each with its default.

    Returns:
        A strategy of JSON objects: Kueue v1beta2 API objects with explicit values, and no assignment.

    Raises:
        TypeError: an option that does not exist.
        ValueError: an option outside its range.

    Source: design of the JSON-lines oracle, call decide; Kueue v1beta2 API and webhooks for what is legal.

    >>> from hypothesis import find
    >>> small = find(decide_inputs(), lambda scenario: True)
    >>> small["targetCQ"], len(small["admitted"]), small["fairSharing"]
    ('q0', 1, None)
    """
    chosen = Options(**options)
    return _dice(chosen).map(lambda dice: draw_input(dice, chosen))


def clusters(**options: Any) -> st.SearchStrategy[DecideRequest]:
    """The same scenarios as model objects: cluster, preemptor, queue and clock as the oracle takes them.

    Args:
        options: as for `decide_inputs`.

    Raises:
        TypeError: an option that does not exist.
        ValueError: an option outside its range.

    >>> clusters(max_depth=9)
    Traceback (most recent call last):
    ValueError: max_depth: found 9, expected 0 to 4
    """
    chosen = Options(**options)
    return _dice(chosen).map(lambda dice: draw_request(dice, chosen))
