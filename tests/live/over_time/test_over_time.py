"""A running Kueue does what `tenure next` forecasts, and `tenure why` explains what it did."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.live.over_time.__main__ import over_time, report
from tests.live.over_time.at_once import at_once
from tests.live.over_time.compare import Course, differences, forecast, holding_of
from tests.live.over_time.faults import FAULTS
from tests.live.over_time.races import explained
from tests.live.over_time.story import Tally
from tests.live.plane import Plane

CLUSTERS, SEED = 24, 1


@pytest.fixture(scope="module")
def tally(plane: Plane) -> Tally:
    """What some clusters come to; `python -m tests.live.over_time` plays more."""
    found = over_time(plane, list(range(CLUSTERS)), SEED)
    print(f"\nseed {SEED}", *report(found), sep="\n")
    return found


def test_kueue_does_as_forecast(tally: Tally) -> None:
    assert tally.unexplained == []
    assert tally.counts["clusters"] == CLUSTERS
    assert tally.counts["preemptions"] > CLUSTERS / 2


def test_why_confirms_every_preemption(tally: Tally) -> None:
    answers = {what: number for what, number in tally.counts.items() if what.startswith("why: ")}
    assert answers.keys() == {"why: confirmed"}


def test_every_fault_is_noticed(tally: Tally) -> None:
    assert tally.noticed.keys() == FAULTS.keys()


def test_many_jobs_at_once_are_forecast_to_the_last_holder(plane: Plane) -> None:
    assert at_once(plane, 120, SEED) == []


RECORDED = json.loads(Path(__file__).with_name("equivalent.json").read_text(encoding="utf-8"))


def test_a_race_explains_what_it_predicts_and_nothing_else() -> None:
    before = RECORDED["before"]
    kept = {name: pods for name, pods in holding_of(before).items() if name in RECORDED["holding"]}
    assert differences(forecast(before, {}), Course(kept, [], [])) != []
    assert explained(Course(kept, [], []), before, {}) == "equivalent to a workload that was set aside"
    assert explained(Course({}, [], []), before, {}) == ""
