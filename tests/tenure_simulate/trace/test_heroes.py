"""The trace engine plays heroes as `play` does, event by event."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from tenure.readings import parse_reading
from tenure_simulate.core.compiled import COMPILED
from tenure_simulate.core.uncovered import Uncovered
from tenure_simulate.trace import flavors, heroes, simulate, trees, turns
from tenure_simulate.trace.tables import HeroTables
from tests.tenure_simulate.trace.drawn_heroes import HERO_KINDS, drawn_with_heroes
from tests.tenure_simulate.trace.equality import Compared, difference

JOBS = 25
SEEDS: Sequence[tuple[str, int]] = (
    *((kind, seed) for kind in HERO_KINDS for seed in (100, 101, 102, 103)),
    ("heroes in flavors", 117),
    ("heroes in inactive", 112),
)
"""Plays that are quickly played."""


def test_every_event_of_random_plays_with_heroes_is_the_same() -> None:
    compared = Compared()
    for kind, seed in SEEDS:
        assert difference(*drawn_with_heroes(kind, seed, JOBS), compared) == ""
    assert compared.reasons["UberCQPreemption"]
    assert compared.beside_heroes


def _nothing_is_stale(given: HeroTables, source: int, target: int) -> None:
    heroes.copy_held(given, source, target)
    given.stale[target] = False


WRONG: Mapping[str, tuple[Any, str, Callable[..., Any]]] = {
    "heroes have no turn before others": (turns, "has_turn_before", lambda *_: False),
    "quota is kept for heroes": (turns, "keeps_capacity", lambda reclaims_any, *_: not reclaims_any),
    "a hero fits as others do": (trees, "is_hero", lambda *_: False),
    "limits do not follow who has left": (flavors, "follows", lambda *_: False),
    "bills of the cycle before stay": (trees, "copy_held", _nothing_is_stale),
    "a search does not know the workloads of heroes": (heroes, "_note_singles", lambda *_: None),
}
"""Mistakes that only the engine could make: where, what, and what does it wrong."""
NOTICED_BY: Mapping[str, tuple[str, int, int]] = {
    "heroes have no turn before others": ("heroes in trees", 100, 25),
    "quota is kept for heroes": ("heroes in flavors", 117, 25),
    "a hero fits as others do": ("heroes in resources", 100, 25),
    "limits do not follow who has left": ("heroes in inactive", 112, 25),
    "bills of the cycle before stay": ("heroes in trees", 100, 25),
    "a search does not know the workloads of heroes": ("heroes in trees", 235, 30),
}
"""A play that shows each: its kind, its seed and how many jobs it has at most."""


@pytest.mark.skipif(COMPILED, reason="compiled functions do not look up what they call")
@pytest.mark.parametrize("wrong", WRONG)
def test_a_mistake_about_heroes_is_noticed(monkeypatch: pytest.MonkeyPatch, wrong: str) -> None:
    module, name, function = WRONG[wrong]
    monkeypatch.setattr(module, name, function)
    assert difference(*drawn_with_heroes(*NOTICED_BY[wrong]), Compared())


def test_exact_shares_of_bills_are_left_to_play_by_name() -> None:
    scenario, _ = drawn_with_heroes("heroes in trees", 100, JOBS)
    reading = parse_reading({"accessible_rounding": "exact"}, for_proofs=True)
    with pytest.raises(Uncovered) as refused:
        simulate(scenario, reading)
    assert refused.value.what == "exact shares of bills"
