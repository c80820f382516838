"""Plays of KAI-Scheduler: what a session sees, what is remembered, what is preempted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tenure.errors import InputError
from tenure.model import MINUTE, SECOND
from tenure.readings import parse_reading, preset, preset_names
from tenure.resources import bundled
from tenure_kai import Session
from tenure_kai.answers import action_between
from tenure_play import KaiScenario, Record, load_scenarios, play
from tenure_play.kai.scenario import Asking
from tenure_play.record import Happening
from tests.tenure_play.kai import ask, parsed, played, preempt, queue, raw

SCENARIOS = [
    scenario
    for scenario in load_scenarios([*bundled("spec", "vectors", "scenarios").glob("kai-*")])
    if isinstance(scenario, KaiScenario)
]

UNTOUCHED = [
    scenario
    for scenario in SCENARIOS
    if all(isinstance(event, Asking) and not event.preempts for event in scenario.events)
]


def verdicts(record: Record) -> list[tuple[str, bool]]:
    """Every answer, in order."""
    return [
        (victim.victim, victim.may_be_preempted)
        for question in record.questions
        for victim in question.victims
    ]


def test_no_preset_touches_a_play() -> None:
    made = parsed(raw([preempt("9m", "urgent", "train"), preempt("10m", "urgent", "train")]))
    plays = [replace(play(made, preset(name)), reading="") for name in preset_names()]
    assert plays[0] == plays[1] == plays[2]
    assert verdicts(plays[0]) == [("default/train", False), ("default/train", True)]


@pytest.mark.parametrize("scenario", UNTOUCHED, ids=lambda item: item.name)
def test_where_nothing_changes_every_answer_is_the_plugins_about_the_given_objects(
    scenario: KaiScenario,
) -> None:
    """As `tenure kai` gives them, in a session of one question."""
    for question in play(scenario, preset("guaranteed")).questions:
        for answer in question.victims:
            jobs = scenario.scene.jobs
            action = action_between(jobs[question.pending], jobs[answer.victim])
            filtered = Session(scenario.scene, question.at).filter(action, question.pending, answer.victim)
            assert (answer.may_be_preempted, filtered.elastic) == (filtered.passes, False)
            assert filtered.protection is not None
            assert answer.min_runtime == filtered.protection.min_runtime


def test_there_are_scenarios_in_which_nothing_changes() -> None:
    assert {kai_scenario.name for kai_scenario in UNTOUCHED} == {
        "kai-design-tree-lca",
        "kai-design-tree-preempt",
        "kai-design-tree-queue",
        "kai-reclaim-against-preempt",
    }


def test_questions_of_one_instant_share_a_session_and_later_ones_do_not() -> None:
    record = played(
        raw([ask("1m", "urgent", "train"), ask("1m", "urgent", "train"), ask("2m", "urgent", "train")])
    )
    assert [question.session for question in record.questions] == [1, 1, 2]
    remembered = [victim.remembered for question in record.questions for victim in question.victims]
    assert remembered == [False, True, False]


def test_a_session_ends_with_the_next_and_includes_its_last_instant() -> None:
    events = [
        {"at": "1m", "session": "10s"},
        ask("1m", "urgent", "train"),
        ask("1m10s", "urgent", "train"),
        {"at": "2m", "session": "1m"},
        {"at": "2m1s", "session": "1s"},
        ask("2m1s", "urgent", "train"),
    ]
    record = played(raw(events))
    assert [question.session for question in record.questions] == [1, 1, 3]
    lengths = [(session.end - session.start) // SECOND for session in record.sessions]
    assert lengths == [10, 1, 1]


def test_what_finishes_within_a_session_is_still_seen_by_it_and_not_preempted() -> None:
    events = [
        {"at": "10m", "session": "10s"},
        {"at": "10m1s", "finish": "train"},
        preempt("10m2s", "urgent", "train"),
        preempt("10m20s", "urgent", "train"),
    ]
    record = played(raw(events, expect=[{"preemptions": 0}]))
    assert verdicts(record) == [("default/train", True), ("default/train", False)]
    assert record.questions[1].victims[0].verdict.startswith("nothing to preempt")
    assert record.workloads[0].finished == record.start + 10 * MINUTE + SECOND


def test_a_job_that_is_deleted_is_not_asked_about() -> None:
    record = played(raw([{"at": "1m", "delete": "train"}, ask("2m", "urgent", "train")]))
    assert record.questions == ()
    assert "no job asks: default/train is deleted" in [story_line.text for story_line in record.story]


def test_a_victim_leaves_for_as_long_as_its_pods_take_and_is_placed_again() -> None:
    events = [
        preempt("10m", "urgent", "train"),
        {"at": "10m10s", "place": "train"},
        {"at": "11m", "place": "train"},
        preempt("20m59s", "urgent", "train"),
        preempt("21m", "urgent", "train"),
    ]
    expect = [
        {"at": "10m", "evicted": "train"},
        {"at": "10m10s", "evicted": "train"},
        {"at": "10m30s", "waiting": "train"},
        {"at": "11m", "running": "train"},
        {"at": "20m59s", "kept": "train"},
        {"at": "21m", "mayBePreempted": "train"},
        {"preemptions": 2, "cutShort": "0s"},
    ]
    record = played(raw(events, timing={"eviction": "30s"}, expect=expect))
    assert "not placed: none of the pods waits" in [story_line.text for story_line in record.story]
    assert [preemption.cycle for preemption in record.preemptions] == [1, 3]
    assert [run.stopped - run.start for run in record.runs] == [10 * MINUTE, 10 * MINUTE]


def test_pods_preempted_at_different_times_leave_at_different_times() -> None:
    jobs = [
        {"name": "sweep", "queue": "team", "pods": 3, "minAvailable": 1, "since": "0s"},
        {"name": "urgent", "queue": "team"},
    ]
    events: list[dict[str, Any]] = [
        {"at": "1m", "preempt": {"for": "urgent", "victims": {"sweep": "sweep-2"}}},
        {"at": "1m20s", "preempt": {"for": "urgent", "victims": {"sweep": "sweep-1"}}},
        {"at": "1m30s", "place": "sweep"},
        {"at": "1m50s", "place": "sweep"},
    ]
    record = played(raw(events, jobs=jobs, timing={"eviction": "30s"}, expect=[{"preemptions": 2}]))
    placed = [story_line.text for story_line in record.story if story_line.what.value == "placed"]
    assert placed == ["1 pod placed", "1 pod placed"]


def test_an_action_may_be_named_against_the_queues() -> None:
    objects = [queue("team", preemptMinRuntime="10m", reclaimMinRuntime="1m")]
    events = [ask("5m", "urgent", "train"), ask("5m", "urgent", "train", action="reclaim")]
    record = played(raw(events, objects=objects))
    assert verdicts(record) == [("default/train", False), ("default/train", True)]


def test_the_clock_of_a_session_moves_with_a_jump() -> None:
    record = played(
        raw([ask("9m", "urgent", "train"), {"at": "9m", "clock": "1m"}, ask("9m1s", "urgent", "train")])
    )
    assert verdicts(record) == [("default/train", False), ("default/train", True)]


def story(record: Record, what: Happening) -> list[str]:
    """What is told of one kind."""
    return [entry.text for entry in record.story if entry.what == what]


def test_the_story_says_which_way_a_clock_was_moved() -> None:
    record = played(raw([{"at": "1m", "clock": "2m"}, {"at": "2m", "clock": "-30s"}]))
    assert story(record, Happening.CLOCK) == [
        "the scheduler's clock goes forward by 2m",
        "the scheduler's clock goes back by 30s",
    ]


def test_the_story_tells_of_sessions_that_last_and_of_no_others() -> None:
    record = played(raw([{"at": "1m", "session": "5m"}, ask("10m", "urgent", "train")]))
    assert story(record, Happening.SESSION) == ["session 1 begins", "session 1 ends"]


def test_a_podgroup_with_its_pods_may_stand_among_the_objects() -> None:
    group = {
        "kind": "PodGroup",
        "metadata": {
            "namespace": "ml",
            "name": "old",
            "annotations": {"kai.scheduler/last-start-timestamp": "2026-01-05T08:59:00Z"},
        },
        "spec": {"queue": "team", "minMember": 1},
    }
    pod = {
        "kind": "Pod",
        "metadata": {"namespace": "ml", "name": "old-0", "annotations": {"pod-group-name": "old"}},
        "status": {"phase": "Running"},
    }
    objects = [queue("team", preemptMinRuntime="10m"), group, pod]
    record = played(raw([ask("8m59s", "urgent", "old"), ask("9m", "urgent", "old")], objects=objects))
    assert verdicts(record) == [("ml/old", False), ("ml/old", True)]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"events": [{"at": "1m"}]}, "events[0]: found nothing, expected one of place, ask, preempt"),
        ({"events": [ask("1m", "urgent", "trian")]}, "found 'trian', expected a job of the scenario"),
        ({"events": [ask("1m", "urgent", "urgent")]}, "expected jobs other than the one that asks"),
        ({"events": [ask("1m", "urgent")]}, "events[0].ask.victims: found [], expected the names of jobs"),
        (
            {"events": [{"at": "1m", "place": {"train": ["train-9"]}}]},
            "events[0].place[train]: found ['train-9'], expected pods of the job: train-0",
        ),
        ({"events": [{"at": "1m", "session": "-1s"}]}, "events[0].session: found -1000000000ns"),
        (
            {"events": [{"at": "1m", "submit": {"name": "a"}}]},
            "events[0].submit: found {'name': 'a'}, expected no",
        ),
        (
            {"events": [{"at": "1m", "edit": {"kind": "PodGroup"}}]},
            "events[0].edit.kind: found 'PodGroup', expected one of Queue",
        ),
        (
            {
                "events": [
                    {
                        "at": "1m",
                        "edit": {
                            "kind": "Queue",
                            "metadata": {"name": "team"},
                            "spec": {"preemptMinRuntime": "1d"},
                        },
                    }
                ]
            },
            "Queue/team: spec.preemptMinRuntime: found '1d'",
        ),
        (
            {"objects": [{"kind": "ClusterQueue"}]},
            "objects[0].kind: found 'ClusterQueue', expected one of Queue,",
        ),
        (
            {"jobs": [{"name": "a", "queue": "temm"}]},
            "jobs[0].queue: found 'temm', expected a Queue among the objects",
        ),
        (
            {"jobs": [{"name": "a", "queue": "team"}, {"name": "a", "queue": "team"}]},
            "found default/a a second time",
        ),
        (
            {"jobs": [{"name": "a", "queue": "team", "pods": 2, "subGroups": {"x": {"pods": 1}}}]},
            "jobs[0].pods: found this, expected nothing beside subGroups",
        ),
        (
            {"jobs": [{"name": "a", "queue": "team", "running": False, "since": "0s"}]},
            "jobs[0].since: found this, expected nothing of a job that does not run",
        ),
        (
            {"events": [ask("-1m", "urgent", "train")]},
            "events[0].at: found '-1m', expected a time from start to until",
        ),
        (
            {"expect": [{"at": "2h", "kept": "train"}]},
            "expect[0].at: found '2h', expected a time from start to until",
        ),
        (
            {"jobs": [{"name": "a", "queue": "team", "pods": 2_000_000_000}]},
            "jobs[0].pods: found 2000000000, expected at most 10000",
        ),
        ({"objects": [{"kind": ["Queue"]}]}, "objects[0].kind: found ['Queue'], expected one of Queue,"),
        ({"gates": {}}, "gates: found {}, expected no field of this name"),
        (
            {"expect": [{"loop": "none"}]},
            "expect[0].loop: found this, expected nothing: simulations of this scheduler",
        ),
        (
            {"expect": [{"mayBePreempted": "train"}]},
            "expect[0].mayBePreempted: found this, expected it beside at",
        ),
    ],
)
def test_a_file_that_is_wrong_says_where_what_and_what_is_expected(
    more: dict[str, object], words: str
) -> None:
    with pytest.raises(InputError) as error:
        parsed({**raw([]), **more})
    assert words in str(error.value)


def test_a_scenario_without_title_and_source_has_empty_ones() -> None:
    made = parsed(raw([]))
    assert (made.title, made.source) == ("", "")


def test_an_expectation_about_what_was_not_asked_fails() -> None:
    record = play(parsed(raw([], expect=[{"at": "1m", "kept": "train"}])), preset("guaranteed"))
    assert [(expectation.holds, expectation.found) for expectation in record.expectations] == [
        (False, "default/train: no job asked")
    ]


def test_a_play_follows_the_version_of_its_reading_unless_the_scenario_names_one() -> None:
    events = [
        {"at": "9m59s", "session": "2s"},
        ask("9m59s", "urgent", "train"),
        ask("10m0.5s", "urgent", "train"),
    ]
    newer = parse_reading({"kai_version": "v0_17"})
    made = parsed(raw(events))
    assert verdicts(play(made, preset("guaranteed")))[-1] == ("default/train", False)
    assert verdicts(play(made, newer))[-1] == ("default/train", True)
    named = parsed(raw(events, kaiVersion="march_2026"))
    assert verdicts(play(named, newer))[-1] == ("default/train", False)
    assert play(made, newer).kai == "0.17.0"
