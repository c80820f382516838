"""Events are history for `tenure why`: when it was, when conditions have been overwritten since."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tenure.manifests import SourcedObject, build
from tests.cli.test_recorded_history import answered, named, objects, why, written

PREEMPTED = "2026-11-27T23:40:22Z"


def events_of(found: list[dict[str, Any]], job: str) -> list[dict[str, Any]]:
    name = named(found, job)["metadata"]["name"]
    return [each for each in found if each["kind"] == "Event" and each["involvedObject"]["name"] == name]


def as_new_api(event: dict[str, Any]) -> dict[str, Any]:
    """The same Event as events.k8s.io/v1 has it."""
    renamed = {"involvedObject": "regarding", "message": "note", "reportingComponent": "reportingController"}
    return {renamed.get(key, key): value for key, value in event.items()} | {"apiVersion": "events.k8s.io/v1"}


def test_an_event_dates_a_preemption_whose_condition_was_reset(tmp_path: Path) -> None:
    answer = answered("old", written(tmp_path, objects(events=True)))
    assert (answer["at"], answer["certainty"]) == (PREEMPTED, "confirmed")
    assert answer["summary"].endswith(
        f"before that it was preempted at {PREEMPTED} for ml/job-rush-e414c, InClusterQueue, "
        "which deciding again confirms"
    )
    assert not [text for text in answer["unknown"] if text.startswith("since when")]


def test_a_queue_that_was_stopped_since_was_not_then(tmp_path: Path) -> None:
    answer = answered("gpt", written(tmp_path, objects(events=True)))
    assert (answer["at"], answer["certainty"]) == ("2026-11-27T23:40:14Z", "confirmed")


def test_the_events_are_told_in_order_each_eviction_once(tmp_path: Path) -> None:
    answer = answered("old", written(tmp_path, objects(events=True)))
    told = [(event["at"][11:19], event["text"].split(":")[0]) for event in answer["events"]]
    assert told == [
        ("23:40:01", "QuotaReserved"),
        ("23:40:10", "Preempted for ml/job-urgent-8c0e3, InClusterQueue"),
        ("23:40:12", "Pending"),
        ("23:40:19", "QuotaReserved"),
        ("23:40:22", "Preempted for ml/job-rush-e414c, InClusterQueue"),
        ("23:40:23", "Pending"),
        ("23:40:26", "QuotaReserved"),
        ("23:40:30", "EvictedDueToDeactivated"),
    ]


@pytest.mark.parametrize("both", [False, True])
def test_either_api_of_events_is_read_and_both_together_once(tmp_path: Path, both: bool) -> None:
    found = objects(events=True)
    newer = [as_new_api(each) for each in found if each["kind"] == "Event"]
    kept = found if both else objects()
    before = answered("old", written(tmp_path, found))
    assert answered("old", written(tmp_path, [*kept, *newer])) == before


def test_an_event_is_the_last_word_where_no_condition_is_left(tmp_path: Path) -> None:
    found = objects(events=True)
    status = named(found, "later")["status"]
    kept = [each for each in status["conditions"] if each["type"] not in ("Preempted", "Evicted")]
    status["conditions"] = kept
    lines = why("later", written(tmp_path, found))
    assert lines[0].startswith(
        "ml/job-later-5bedd was preempted at 2026-11-27T23:40:47Z for ml/job-wants-0640f, InClusterQueue: "
    )


def test_an_event_that_stands_for_several_dates_none_of_them(tmp_path: Path) -> None:
    found = objects(events=True)
    for event in events_of(found, "old"):
        if event["reason"] == "Preempted":
            event["series"] = {"count": 2, "lastObservedTime": "2026-11-27T23:40:24Z"}
    answer = answered("old", written(tmp_path, found))
    assert (answer["at"], answer["certainty"]) == (None, "recorded")
    assert [event["count"] for event in answer["events"] if event["reason"] == "Preempted"] == [2, 2]


def test_an_event_about_an_earlier_workload_of_the_name_does_not_count(tmp_path: Path) -> None:
    found = objects(events=True)
    for event in events_of(found, "old"):
        event["involvedObject"]["uid"] = "another"
    answer = answered("old", written(tmp_path, found))
    assert (answer["at"], answer["events"]) == (None, [])


def test_who_runs_again_was_preempted_at_the_time_of_the_event(tmp_path: Path) -> None:
    found = objects(events=True)
    workload = named(found, "gpt")
    running = named(found, "b0")["status"]
    for condition in workload["status"]["conditions"]:
        if condition["type"] in ("Evicted", "QuotaReserved"):
            holds = condition["type"] == "QuotaReserved"
            at = "2026-11-27T23:40:19Z"
            condition.update(status=str(holds), reason="QuotaReserved", lastTransitionTime=at)
    admission = running["admission"] | {"clusterQueue": "lab"}
    workload["status"]["admission"] = admission
    lines = why("gpt", written(tmp_path, found))
    earlier = "  was preempted at 2026-11-27T23:40:14Z, for ml/job-opt-d856e: InClusterQueue"
    assert earlier in lines


@pytest.mark.parametrize(
    "event",
    [
        {"involvedObject": {"kind": "Job", "namespace": "ml", "name": "a"}, "reason": "Started"},
        {"involvedObject": {"kind": "Workload", "namespace": "ml", "name": "a"}, "reason": "Admitted"},
        {"involvedObject": {"kind": "Workload", "namespace": "ml", "name": "a"}, "reason": "Preempted"},
        {"involvedObject": ["Workload"], "reason": 3, "eventTime": []},
        {},
    ],
)
def test_an_event_that_tells_nothing_is_passed_over_in_silence(event: dict[str, Any]) -> None:
    raw = {"apiVersion": "v1", "kind": "Event", "metadata": {"name": "a"}, **event}
    loaded = build([SourcedObject("", raw)], strict=True)
    assert (loaded.ignored, loaded.warnings, dict(loaded.events)) == ((), (), {})
