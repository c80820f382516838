"""What Kueue's own tests of its queues say, as facts about ours.

Source: Kueue main of August 2026, `pkg/cache/queue/cluster_queue_test.go`.
"""

from __future__ import annotations

import dataclasses

import pytest

from tenure.api import HeapPlace
from tenure.manifests import read_cluster_queue
from tenure.model import (
    SECOND,
    Cluster,
    ClusterQueue,
    QueueingStrategy,
    RequeuingTimestamp,
    Settings,
    TurnResult,
    Workload,
)
from tenure.readings import preset
from tenure.rules.cycle import result_of_turn
from tenure_play import parse_scenario
from tenure_play.actors import Actor, joined
from tenure_play.engine import world_at
from tenure_play.queues import PendingQueue, QueueOrder, preemptor_after
from tenure_play.scenario import Scenario, Submission
from tenure_play.state import PlayState
from tests.tenure_play.plays import queue, scenario, submit

BEST_EFFORT, STRICT = QueueingStrategy.BEST_EFFORT_FIFO, QueueingStrategy.STRICT_FIFO


def actor(name: str, created_at: int = 0, priority: int = 0, **more: int) -> Actor:
    workload = Workload("ns", name, f"uid-{name}", priority, created_at)
    return joined(Submission(dataclasses.replace(workload, **more), "q"), at=created_at)  # type: ignore[arg-type]


def shape(actor: Actor) -> str:
    """Workloads of one first letter are alike."""
    return actor.workload.name[0]


def pending(strategy: QueueingStrategy, *, equivalence: bool = True, moves: bool = False) -> PendingQueue:
    """A queue without workloads, in which those of one first letter are alike."""
    place = world(strategy).place
    return PendingQueue("q", strategy, QueueOrder(place, shape, equivalence=equivalence, moves=moves))


def requeue(queue: PendingQueue, head: Actor, result: TurnResult) -> list[Actor]:
    """The turn of a head that was not admitted, as a play writes it."""
    queue.preemptor = preemptor_after(queue.preemptor, head.key, result)
    return queue.requeue(head, result)


def world(
    strategy: QueueingStrategy, timestamp: RequeuingTimestamp = RequeuingTimestamp.EVICTION
) -> PlayState:
    cluster = Cluster(
        {"q": ClusterQueue("q", queueing=strategy)}, settings=Settings(requeuing_timestamp=timestamp)
    )
    return PlayState(Scenario("facts", "", 0, 9 * SECOND, cluster), preset("released"))


@pytest.mark.parametrize(
    ("first", "second", "timestamp", "head"),
    [
        (actor("w1", 1, 10), actor("w2", 2, 1), RequeuingTimestamp.EVICTION, "w1"),
        (actor("w1", 1), actor("w2", 2), RequeuingTimestamp.EVICTION, "w1"),
        (actor("w1", 1, pods_ready_evicted_at=3), actor("w2", 2), RequeuingTimestamp.EVICTION, "w2"),
        (actor("w1", 1, pods_ready_evicted_at=3), actor("w2", 2), RequeuingTimestamp.CREATION, "w1"),
        (actor("w1", 1, 1), actor("w2", 2, 10), RequeuingTimestamp.EVICTION, "w2"),
    ],
    ids=["higher priority", "older", "evicted later", "creation counts", "newer of higher priority"],
)
def test_the_head_is_the_highest_priority_then_who_queues_from_earliest(
    first: Actor, second: Actor, timestamp: RequeuingTimestamp, head: str
) -> None:
    here = world(STRICT, timestamp)
    for waiting in (first, second):
        here.queues["q"].push(waiting)
    popped = here.queues["q"].pop()
    assert popped is not None
    assert popped.workload.name == head


def test_of_two_that_are_equal_in_all_else_the_lower_uid_is_the_head() -> None:
    here = world(BEST_EFFORT)
    for waiting in (actor("b"), actor("a")):
        here.queues["q"].push(waiting)
    popped = here.queues["q"].pop()
    assert popped is not None
    assert popped.workload.name == "a"


@pytest.mark.parametrize(
    ("turn", "waits_aside", "sticks"),
    [
        (TurnResult.SKIPPED, False, False),
        (TurnResult.PREEMPTING, False, True),
        (TurnResult.WAITS_FOR_TARGETS, False, True),
        (TurnResult.PARKED, True, False),
    ],
)
def test_a_best_effort_queue_sets_aside_what_cannot_be_admitted(
    turn: TurnResult, waits_aside: bool, sticks: bool
) -> None:
    queue = pending(BEST_EFFORT)
    head = actor("w")
    requeue(queue, head, turn)
    assert (head.key in queue.parked) is waits_aside
    assert (head.key in queue.active) is not waits_aside
    assert queue.sticky(head.key) is sticks


@pytest.mark.parametrize("nothing_found", [True, False])
@pytest.mark.parametrize("defers", [True, False])
@pytest.mark.parametrize("still_fits", [True, False])
def test_a_strict_queue_tries_its_head_again_whatever_became_of_it(
    nothing_found: bool, defers: bool, still_fits: bool
) -> None:
    queue = pending(STRICT)
    head = actor("w")
    turn = result_of_turn(nothing_found, queue.is_strict, defers, still_fits, preempts=True)
    assert requeue(queue, head, turn) == []
    assert head.key in queue.active
    assert not queue.sticky(head.key)


def test_the_preemptor_stands_before_a_higher_priority_until_it_is_admitted_or_deleted() -> None:
    here = world(BEST_EFFORT)
    queue = here.queues["q"]
    preemptor, higher = actor("low"), actor("high", priority=9)
    requeue(queue, preemptor, TurnResult.PREEMPTING)
    queue.push(higher)
    assert queue.pop() is preemptor
    queue.preemptor = preemptor_after(queue.preemptor, preemptor.key, TurnResult.ADMITTED)
    queue.remove(preemptor.key)
    assert not queue.preemptor_sticks


def test_the_preemptor_stays_one_while_it_waits_aside() -> None:
    queue = pending(BEST_EFFORT)
    preemptor = actor("w")
    requeue(queue, preemptor, TurnResult.PREEMPTING)
    assert queue.pop() is preemptor
    requeue(queue, preemptor, TurnResult.PARKED)
    assert queue.sticky(preemptor.key)


def test_what_is_like_a_head_that_is_set_aside_goes_with_it() -> None:
    queue = pending(BEST_EFFORT)
    for name in ("gpu-2", "gpu-3", "cpu-1", "cpu-2"):
        queue.push(actor(name))
    requeue(queue, actor("gpu-1"), TurnResult.PARKED)
    assert sorted(queue.parked) == ["ns/gpu-1", "ns/gpu-2", "ns/gpu-3"]
    assert sorted(queue.active) == ["ns/cpu-1", "ns/cpu-2"]


def test_who_comes_later_and_is_like_those_set_aside_is_not_looked_at() -> None:
    queue = pending(BEST_EFFORT)
    requeue(queue, actor("gpu-1"), TurnResult.PARKED)
    assert not queue.push(actor("gpu-2"))
    assert queue.push(actor("cpu-1"))
    assert sorted(queue.parked) == ["ns/gpu-1", "ns/gpu-2"]


def test_a_wake_puts_all_into_the_heap_and_forgets_what_was_alike() -> None:
    queue = pending(BEST_EFFORT)
    requeue(queue, actor("gpu-1"), TurnResult.PARKED)
    assert [woken.key for woken in queue.wake()] == ["ns/gpu-1"]
    assert queue.push(actor("gpu-2"))
    assert queue.parked == {}


def test_a_failed_nomination_sets_nothing_aside() -> None:
    queue = pending(BEST_EFFORT)
    queue.push(actor("gpu-2"))
    requeue(queue, actor("gpu-1"), TurnResult.SKIPPED)
    assert sorted(queue.active) == ["ns/gpu-1", "ns/gpu-2"]


def test_without_the_gate_only_the_head_itself_is_set_aside() -> None:
    queue = pending(BEST_EFFORT, equivalence=False)
    queue.push(actor("gpu-2"))
    requeue(queue, actor("gpu-1"), TurnResult.PARKED)
    assert list(queue.parked) == ["ns/gpu-1"]
    assert queue.push(actor("gpu-3"))


def test_in_a_strict_queue_none_is_skipped_for_being_alike() -> None:
    queue = pending(STRICT)
    queue.push(actor("gpu-2"))
    requeue(queue, actor("gpu-1"), TurnResult.TRIED_AGAIN)
    assert queue.parked == {}


def test_a_restart_forgets_who_waits_aside_and_who_preempts() -> None:
    queue = pending(BEST_EFFORT)
    requeue(queue, actor("a"), TurnResult.PREEMPTING)
    requeue(queue, actor("b"), TurnResult.PARKED)
    queue.start_over()
    assert sorted(queue.active) == ["ns/a", "ns/b"]
    assert queue.preemptor is None


def test_another_preemptor_takes_the_place_at_the_head() -> None:
    queue = world(BEST_EFFORT).queues["q"]
    first, second, third = (actor(name, at, at) for at, name in enumerate(("a", "b", "c")))
    requeue(queue, first, TurnResult.PREEMPTING)
    assert queue.pop() is first
    requeue(queue, first, TurnResult.PARKED)
    queue.push(third)
    requeue(queue, second, TurnResult.WAITS_FOR_TARGETS)
    assert (queue.sticky(first.key), queue.sticky(second.key)) == (False, True)
    assert queue.is_parked(first.key)
    queue.wake()
    assert [queue.pop() for _ in range(4)] == [second, third, first, None]


def test_a_preemptor_waits_aside_with_those_like_it_and_is_the_head_once_they_are_woken() -> None:
    queue = pending(BEST_EFFORT)
    preemptor, like_it, other = actor("a1", 5), actor("a2", 1), actor("b", 0)
    requeue(queue, preemptor, TurnResult.PREEMPTING)
    for waiting in (like_it, other):
        queue.push(waiting)
    # One like it was popped before it was the preemptor, and is parked now.
    requeue(queue, actor("a3", 3), TurnResult.PARKED)
    assert sorted(queue.parked) == ["ns/a1", "ns/a2", "ns/a3"]
    assert queue.pop() is other
    assert not queue.has_active
    assert [woken.key for woken in queue.wake()] == ["ns/a3", "ns/a1", "ns/a2"]
    assert queue.sticky(preemptor.key)


def test_who_moves_together_is_told_in_the_order_of_coming() -> None:
    queue = pending(BEST_EFFORT)
    for name in ("a3", "b1", "a1", "b2", "a2"):
        queue.push(actor(name))
    assert [alike.key for alike in requeue(queue, actor("b3"), TurnResult.PARKED)] == [
        "ns/b3",
        "ns/b1",
        "ns/b2",
    ]
    requeue(queue, actor("a0"), TurnResult.PARKED)
    queue.push(actor("b0"))
    woken = [woken.workload.name for woken in queue.wake()]
    assert woken == ["b3", "b1", "b2", "a0", "a3", "a1", "a2", "b0"]


def test_where_time_changes_who_is_alike_the_shapes_of_now_count() -> None:
    shapes = {"ns/a": 1, "ns/b": 1, "ns/c": 2}
    places = {"ns/a": 3, "ns/b": 2, "ns/c": 1}
    order = QueueOrder(
        lambda actor: HeapPlace(False, 0, places[actor.key], ("", actor.key)),
        lambda actor: shapes[actor.key],
        moves=True,
    )
    queue = PendingQueue("q", BEST_EFFORT, order)
    first, second, third = (actor(name) for name in "abc")
    for waiting in (first, second, third):
        queue.push(waiting)
    places["ns/a"], shapes["ns/b"] = 0, 2
    assert queue.pop() is first
    shapes["ns/a"] = 2
    assert requeue(queue, first, TurnResult.PARKED) == [first, second, third]
    assert queue.wake(["ns/b", "ns/d"]) == [second]
    assert (sorted(queue.active), sorted(queue.parked)) == (["ns/b"], ["ns/a", "ns/c"])


def test_a_queue_of_another_strategy_keeps_its_workloads_where_they_are() -> None:
    here = world(BEST_EFFORT)
    queue = here.queues["q"]
    aside, tried, preemptor = actor("aside"), actor("tried", 9), actor("first", 10)
    requeue(queue, aside, TurnResult.PARKED)
    requeue(queue, preemptor, TurnResult.PREEMPTING)
    queue.reorder(STRICT, QueueOrder(lambda actor: here.place(actor), lambda actor: actor.key))
    queue.push(tried)
    assert queue.is_strict
    assert sorted(queue.parked) == ["ns/aside"]
    assert [queue.pop() for _ in range(3)] == [preemptor, tried, None]


def test_where_no_story_is_told_one_of_each_shape_stands_for_all() -> None:
    place = world(BEST_EFFORT).place
    queue = PendingQueue("q", BEST_EFFORT, QueueOrder(place, shape, in_order=False))
    for name in ("a1", "a2", "b1"):
        queue.push(actor(name))
    assert [parked.key for parked in requeue(queue, actor("a3"), TurnResult.PARKED)] == ["ns/a3"]
    assert sorted(queue.parked) == ["ns/a1", "ns/a2", "ns/a3"]
    assert len(queue.wake()) == 1
    assert queue.wake() == []
    assert sorted(queue.active) == ["ns/a1", "ns/a2", "ns/a3", "ns/b1"]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ({}, BEST_EFFORT),
        ({"queueingStrategy": "BestEffortFIFO"}, BEST_EFFORT),
        ({"queueingStrategy": "StrictFIFO"}, STRICT),
    ],
)
def test_the_strategy_is_read_from_the_manifest(written: dict[str, str], read: QueueingStrategy) -> None:
    assert read_cluster_queue({"metadata": {"name": "q"}, "spec": written}).queueing == read


def test_a_preemptor_that_is_deleted_is_none_any_more() -> None:
    policy = {"withinClusterQueue": "LowerPriority"}
    events = [
        submit("0s", "low", "q", 1, eviction="10m"),
        submit("1m", "high", "q", 1, 5),
        {"at": "2m", "delete": "high"},
    ]
    made = parse_scenario(scenario([queue("q", 1, preemption=policy)], events))
    preemptors = [
        world_at(made, preset("released"), made.start + seconds * SECOND).queues["q"].preemptor
        for seconds in (90, 150)
    ]
    assert preemptors == ["default/high", None]
