"""A workload that is in back-off when a play starts waits outside its queue until that is over."""

from __future__ import annotations

from typing import Any

import pytest

from tenure.model import SECOND
from tenure_play.record import Happening, Record
from tests.tenure_play.plays import played, queue, scenario

MINUTE = 60 * SECOND
START = "2026-03-02T14:00:00Z"


def waits(requeue_at: str = "2026-03-02T14:30:00Z") -> dict[str, Any]:
    container = {"resources": {"requests": {"cpu": 1}}}
    pods = {"name": "main", "count": 1, "template": {"spec": {"containers": [container]}}}
    return {
        "kind": "Workload",
        "metadata": {"namespace": "default", "name": "late", "creationTimestamp": "2026-03-02T13:00:00Z"},
        "spec": {"queueName": "q", "podSets": [pods]},
        "status": {"requeueState": {"count": 1, "requeueAt": requeue_at}},
    }


def story(record: Record) -> list[tuple[Happening, int]]:
    """What happens to it, and after how many minutes."""
    return [(line.what, (line.at - record.start) // MINUTE) for line in record.story if line.workload]


def play_of(*events: dict[str, Any], until: str = "2h", **more: Any) -> Record:
    raw = scenario([queue("q", 1)], events, start=START, objects=[waits()], until=until, **more)
    return played(raw)


def test_no_event_queues_it_before_its_time_has_come() -> None:
    expected = [{"at": "29m", "parked": "late"}, {"at": "31m", "running": "late"}]
    record = play_of({"at": "10m", "tick": True}, {"at": "20m", "restart": True}, expect=expected)
    assert story(record) == [
        (Happening.SUBMITTED, 0),
        (Happening.PARKED, 0),
        (Happening.WOKEN, 30),
        (Happening.ADMITTED, 30),
    ]


@pytest.mark.parametrize(("by", "queued"), [("-1h", 90), ("1h", 30)], ids=["back", "ahead"])
def test_a_clock_that_is_set_back_makes_it_wait_again(by: str, queued: int) -> None:
    # The controller counts a span of time from the start; then it looks at its clock.
    woken = [
        minute for what, minute in story(play_of({"at": "10m", "clock": by})) if what == Happening.ADMITTED
    ]
    assert woken == [queued]


def test_one_that_is_deleted_meanwhile_is_never_queued() -> None:
    record = play_of({"at": "10m", "delete": "late"})
    assert story(record)[-1] == (Happening.DELETED, 10)
    assert record.cycles == ()
