"""Which states of a play are the same."""

from __future__ import annotations

import pytest

from tenure.model import SECOND, Cluster, ClusterQueue
from tenure.readings import preset
from tenure_play.event_loop import TaskQueue
from tenure_play.loops import LoopWatch
from tenure_play.scenario import Scenario
from tenure_play.state import PlayState


@pytest.fixture
def world() -> PlayState:
    """One empty queue."""
    return PlayState(
        Scenario("loops", "", 0, 9 * SECOND, Cluster({"q": ClusterQueue("q")})), preset("released")
    )


def test_another_workload_that_sticks_to_the_head_makes_another_state(world: PlayState) -> None:
    watch, queue = LoopWatch(world, TaskQueue()), world.queues["q"]
    queue.preemptor_sticks = True
    for number, preemptor in enumerate(("first", "second"), 1):
        queue.preemptor = preemptor
        watch.look(number)
    assert watch.loop([], []) is None
    queue.preemptor = "first"
    watch.look(3)
    assert watch.loop([], []) is not None


def test_who_preempted_last_and_does_not_stick_makes_no_other_state(world: PlayState) -> None:
    watch, queue = LoopWatch(world, TaskQueue()), world.queues["q"]
    for number, preemptor in enumerate(("first", "second"), 1):
        queue.preemptor = preemptor
        watch.look(number)
    assert watch.loop([], []) is not None
