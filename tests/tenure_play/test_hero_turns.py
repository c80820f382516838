"""What becomes of a hero whose head waits for its turn as every other does."""

from __future__ import annotations

import pytest

from tenure.model import Head
from tenure.readings import preset
from tenure.resources import bundled
from tenure_play import Record, cycle, load_scenario, play
from tests.tenure_play import plays
from tests.tenure_play.plays import queue, scenario, submit


def played() -> Record:
    path = bundled("spec", "vectors", "scenarios", "ucq-heroes-first.yaml")
    return play(load_scenario(path), preset("guaranteed"))


def runs(record: Record) -> dict[str, int]:
    return {summary.workload.rpartition("/")[2]: summary.runs for summary in record.workloads}


def test_a_hero_whose_head_goes_first_runs_at_once() -> None:
    record = played()
    assert record.loop is None
    assert runs(record) == {"b-job": 2, "a-job": 1, "hero": 1}


def none_comes_before(first: Head, second: Head) -> bool:
    """UCQ-030, if it said nothing."""
    del first, second
    return False


def test_a_hero_in_the_order_of_kueue_makes_room_for_another_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cycle, "has_turn_before", none_comes_before)
    record = played()
    assert record.loop is not None
    assert runs(record)["hero"] == 0
    assert runs(record)["a-job"] > 1000


def test_a_hero_without_candidates_keeps_nothing_from_those_outside() -> None:
    queues = [
        {"kind": "Cohort", "metadata": {"name": "team"}, "spec": {"parentName": "lab"}},
        queue("a", 4, "team"),
        queue("hero", 0, "team", preemption={"rules": "UberClusterQueueRules"}),
        queue("outside", 0, "lab"),
    ]
    events = [
        submit("0s", "lent", "outside", 2),
        submit("1m", "big", "hero", 4),
        submit("1m", "more", "outside", 1),
    ]
    record = plays.played(scenario(queues, events), "guaranteed")
    assert plays.result(record, 1) == {"big": "parked", "more": "admitted"}
