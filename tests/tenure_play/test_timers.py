"""When the mere passing of time may change a decision."""

from __future__ import annotations

from typing import Any

import pytest

from tenure.model import SECOND
from tenure.readings import preset
from tenure_play import parse_scenario
from tenure_play.engine import world_at
from tenure_play.state import PlayState
from tenure_play.timers import timers_after
from tests.tenure_play.plays import queue, scenario, submit

HOUR = 3600 * SECOND
PROTECTED: dict[str, Any] = {
    "withinClusterQueue": "LowerOrNewerEqualPriority",
    "withinClusterQueueConfig": {"minAdmitDuration": "1h"},
}


@pytest.fixture
def world() -> PlayState:
    """Two workloads run, the second one for a minute less."""
    events = [submit("0s", "first", "q", 1), submit("1m", "second", "q", 1)]
    played = parse_scenario(scenario([queue("q", 2, preemption=PROTECTED)], events))
    return world_at(played, preset("guaranteed"), played.start + 120 * SECOND)


def ends(world: PlayState, after: int) -> list[tuple[str, int]]:
    """Whose time ends next, and how long after the start."""
    start = world.scenario.start
    return [(timer.actor.workload.name, timer.at - start) for timer in timers_after(world, start + after)]


def test_protected_time_ends_one_nanosecond_after_the_duration(world: PlayState) -> None:
    assert ends(world, 0) == [("first", HOUR + 1)]
    assert ends(world, HOUR) == [("first", HOUR + 1)]


def test_what_has_run_out_is_looked_at_once(world: PlayState) -> None:
    assert ends(world, HOUR + 1) == [("second", HOUR + 60 * SECOND + 1)]
    assert ends(world, HOUR + 60 * SECOND + 1) == []


def test_a_clock_that_was_moved_forward_brings_the_end_closer(world: PlayState) -> None:
    world.offset = 10 * SECOND
    assert ends(world, 0) == [("first", HOUR + 1 - 10 * SECOND)]
