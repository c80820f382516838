"""What becomes of a hero whose head waits for its turn as every other does."""

from __future__ import annotations

import pytest

from tenure.model import Head
from tenure.readings import preset
from tenure.resources import bundled
from tenure.timeline import Record, entries, load_scenario, play


def played() -> Record:
    path = bundled("spec", "vectors", "scenarios", "ucq-heroes-first.yaml")
    return play(load_scenario(path), preset("guaranteed"))


def runs(record: Record) -> dict[str, int]:
    return {each.workload.rpartition("/")[2]: each.runs for each in record.summaries}


def test_a_hero_whose_head_goes_first_runs_at_once() -> None:
    record = played()
    assert record.loop is None
    assert runs(record) == {"b-job": 2, "a-job": 1, "hero": 1}


def nobody_comes_before(first: Head, second: Head) -> bool:
    """UCQ-030, if it said nothing."""
    del first, second
    return False


def test_a_hero_in_the_order_of_kueue_makes_room_for_another_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(entries, "has_turn_before", nobody_comes_before)
    record = played()
    assert record.loop is not None
    assert runs(record)["hero"] == 0
    assert runs(record)["a-job"] > 1000
