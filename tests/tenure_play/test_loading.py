"""Scenario files that are wrong: what is said of them."""

from __future__ import annotations

import re
import sys
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tenure.errors import InputError
from tenure.readings import preset
from tenure_play import (
    KaiScenario,
    Scenario,
    load_scenario,
    load_scenarios,
    parse_scenario,
    play,
)
from tenure_play.engine import Player
from tenure_play.loading import parse_any_scenario
from tenure_play.resource_budget import PlayBudget
from tenure_play.scenario import Restart, Submit
from tests.tenure_play.plays import queue, scenario, submit
from tools import libyaml

QUEUES = [queue("q", 1)]


def said(raw: object) -> str:
    with pytest.raises(InputError) as error:
        parse_scenario(raw)
    return str(error.value)


def raw(*events: dict[str, Any], **more: Any) -> dict[str, Any]:
    return scenario(QUEUES, events, **more)


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ([], "expected a map with objects, events and expect"),
        ({}, "Scenario/scenario: until: found nothing, expected a value"),
        ({"until": "soon"}, "until: found 'soon', expected a time, or a time after start such as 4h30m"),
        ({"until": "-1h"}, "until: found -1h, expected a time after start"),
        (raw(evnts=[]), "evnts: found [], expected no field of this name; did you mean events?"),
        (raw({"at": "1h"}), "events[0]: found nothing, expected one of submit, finish, "),
        (raw({"at": "1h", "tick": True, "restart": True}), "events[0]: found tick, restart, expected one of"),
        (
            raw({"at": "1h", "submit": {"queue": "q"}}),
            "events[0].submit.name: found nothing, expected a name",
        ),
        (
            raw(submit("1h", "a", "p", 1)),
            "events[0].submit.queue: found 'p', expected one of the LocalQueues",
        ),
        (raw({"at": "1h", "submit": {"name": "a", "prority": 1}}), "did you mean priority?"),
        (raw(submit("0s", "a", "q", 1), {"at": "1h", "finish": "b"}), "found 'b', expected a workload"),
        (raw(submit("0s", "a", "q", 1), submit("1s", "a", "q", 1)), "found default/a a second time"),
        (raw(submit("0s", "a", "q", 1, priorityClass="x")), "events[0].submit.priorityClass: found 'x'"),
        (
            raw({"at": "1h", "edit": {"kind": "Workload"}}),
            "events[0].edit.kind: found 'Workload', expected one of",
        ),
        (raw(expect=[{"at": "1h", "running": "a"}]), "expect[0].running: found 'a', expected a workload"),
        (raw({"at": "-1s", "tick": True}), "events[0].at: found '-1s', expected a time from start to until"),
        (
            raw(expect=[{"at": "61m", "running": "a"}]),
            "expect[0].at: found '61m', expected a time from start",
        ),
        (raw(expect=[{"running": "a"}]), "expect[0].running: found this, expected it beside at"),
        (raw(expect=[{"at": "1h", "loop": "any"}]), "expect[0].loop: found this, expected it without at"),
        (
            raw(expect=[{"at": "1h", "mayBePreempted": "a"}]),
            "expect[0].mayBePreempted: found this, expected nothing: simulations of this",
        ),
        (raw(expect=[{"reading": "guaranted", "loop": "any"}]), "did you mean guaranteed?"),
        (raw(expect=[{"reading": "guaranteed"}]), "expect[0]: found nothing, expected one of running, "),
        (
            raw(expect=[{"loop": "sometimes"}]),
            "expect[0].loop: found 'sometimes', expected none, any, or a map",
        ),
        (raw(generate=[{"users": 2, "every": "1ms", "queue": "q"}]), "generate[0].every: found 1000000ns"),
        (raw(objects=[{"kind": "ClusterQueue", "metadata": {"name": "q"}}]), "'q' a second time"),
        (
            raw(objects=[{"apiVersion": "scheduling.run.ai/v2", "kind": "Queue", "metadata": {"name": "q"}}]),
            "scheduler: found nothing, expected kai: Queue is an object of KAI-Scheduler",
        ),
        (
            raw(objects=[{"kind": ["ClusterQueue"]}]),
            "kind: found ['ClusterQueue'], expected a string such as",
        ),
        (raw(gates={"PriorityBoost": True}), "gates.PriorityBoost: found True, expected no field"),
    ],
)
def test_an_error_names_the_field_what_was_found_and_what_is_expected(found: object, words: str) -> None:
    assert words in said(found)


def test_an_edit_that_makes_no_sense_is_told_before_anything_is_played() -> None:
    patch = {"kind": "ClusterQueue", "metadata": {"name": "q"}, "spec": {"queueingStrategy": "Strict"}}
    assert "ClusterQueue/q: spec.queueingStrategy: found 'Strict'" in said(raw({"at": "1h", "edit": patch}))


def test_a_file_may_hold_several_scenarios_and_a_folder_several_files(tmp_path: Path) -> None:
    (tmp_path / "two.yaml").write_text("until: 1h\n---\nscenario: other\nuntil: 2h\n", encoding="utf-8")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "one.yml").write_text("until: 1h\n", encoding="utf-8")
    assert [scenario.name for scenario in load_scenarios([tmp_path])] == ["one", "two-1", "other"]
    with pytest.raises(InputError, match="2 scenarios"):
        load_scenario(tmp_path / "two.yaml")


def test_objects_may_stand_in_files_beside_the_scenario(tmp_path: Path) -> None:
    (tmp_path / "queue.yaml").write_text(
        "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: q}\n", encoding="utf-8"
    )
    (tmp_path / "scenario.yaml").write_text("until: 1h\nfiles: queue.yaml\n", encoding="utf-8")
    loaded = load_scenario(tmp_path / "scenario.yaml")
    assert isinstance(loaded, Scenario)
    assert list(loaded.cluster.cluster_queues) == ["q"]


def test_a_scenario_says_whose_it_is(tmp_path: Path) -> None:
    file = tmp_path / "scenario.yaml"
    for scheduler, kind in (("kueue", Scenario), ("kai", KaiScenario)):
        file.write_text(f"scheduler: {scheduler}\nuntil: 1h\n", encoding="utf-8")
        assert isinstance(load_scenario(file), kind)
    file.write_text("scheduler: slurm\nuntil: 1h\n", encoding="utf-8")
    with pytest.raises(InputError, match="scheduler: found 'slurm', expected kueue or kai"):
        load_scenario(file)


@pytest.mark.parametrize("text", ["", "a: [", "{"])
def test_a_file_that_holds_no_scenario_is_an_error_that_names_it(tmp_path: Path, text: str) -> None:
    (tmp_path / "bad.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"bad\.yaml"):
        load_scenario(tmp_path / "bad.yaml")


def test_a_restart_that_says_nothing_of_its_length_takes_no_time() -> None:
    read = parse_scenario(raw({"at": "1h", "restart": True}, {"at": "2h", "restart": {}}, until="3h"))
    assert [event.down for event in read.events if isinstance(event, Restart)] == [0, 0]


def test_a_scenario_without_title_and_source_has_empty_ones() -> None:
    made = parse_scenario(raw())
    assert (made.title, made.source) == ("", "")


def test_a_play_may_last_a_nanosecond() -> None:
    made = parse_scenario({"until": "1ns"})
    assert made.end - made.start == 1


@pytest.mark.parametrize(("most", "refused"), [(6, False), (5, True)])
def test_users_may_submit_so_many_workloads_and_not_one_more(
    most: int, refused: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tenure_play.objects.MOST_GENERATED", most)
    made = raw(generate=[{"users": 2, "every": "20m", "queue": "q"}])
    if refused:
        assert "generate[0].every: found more than 5 workloads, expected fewer" in said(made)
    else:
        parse_scenario(made)


def test_a_workload_among_the_objects_may_have_the_name_of_its_local_queue() -> None:
    template = {"spec": {"containers": [{"resources": {"requests": {"cpu": "1"}}}]}}
    pending = {
        "kind": "Workload",
        "metadata": {"namespace": "default", "name": "q", "creationTimestamp": "2026-01-05T07:00:00Z"},
        "spec": {"queueName": "q", "podSets": [{"name": "main", "count": 1, "template": template}]},
    }
    made = parse_scenario(raw(objects=[pending]))
    assert isinstance(made, Scenario)
    assert [submission.manifest["kind"] for submission in made.present] == ["Workload"]


@pytest.mark.parametrize(("own", "priority"), [({}, 100), ({"priority": 7}, 7), ({"priority": 0}, 0)])
def test_a_submission_has_the_priority_of_its_class_where_it_says_none_of_its_own(
    own: dict[str, int], priority: int
) -> None:
    named = {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "WorkloadPriorityClass",
        "metadata": {"name": "usual"},
        "value": 100,
    }
    submitted = {"name": "a", "queue": "q", "priorityClass": "usual", **own}
    made = parse_scenario(raw({"at": "1m", "submit": submitted}, objects=[named]))
    (event,) = made.events
    assert isinstance(event, Submit)
    assert event.submission.workload.priority == priority


@pytest.mark.parametrize(
    ("said", "refused"),
    [
        ({"maxCycles": 1_000_001}, "maxCycles: found 1000001, expected at most 1000000"),
        (
            {"events": [{"at": "1m", "finish": ["a"] * 60_000}, {"at": "2m", "finish": ["a"] * 60_000}]},
            "events: found more than 100000 events, expected at most 100000, those of generate included",
        ),
    ],
)
def test_a_file_asks_for_no_more_than_a_play_may_take(said: dict[str, Any], refused: str) -> None:
    with pytest.raises(InputError, match=re.escape(refused)):
        parse_scenario({"until": "1h", **said})


SECONDS = [{"at": f"{second}s", "tick": True} for second in range(600)]


@pytest.mark.parametrize(
    ("budget", "said"),
    [
        (PlayBudget(processor=100, clock=count().__next__, in_memory=lambda: 0), "100ns of the processor"),
        (PlayBudget(memory=2**21, clock=lambda: 0, in_memory=count(0, 2**20).__next__), "2 MiB of memory"),
    ],
    ids=["processor", "memory"],
)
def test_a_play_ends_where_it_takes_more_than_its_budget(budget: PlayBudget, said: str) -> None:
    kueue = parse_any_scenario({"until": "9h", "events": SECONDS}, file="", name="long")
    sessions = [{"at": f"{second}s", "session": "100ms"} for second in range(600)]
    kai = parse_any_scenario({"scheduler": "kai", "until": "9h", "events": sessions}, file="", name="long")
    for long in (kueue, kai):
        with pytest.raises(InputError) as error:
            play(long, preset("guaranteed"), budget=budget)
        found = f"Scenario/long: until: found more than {said} by 2026-01-05T09:"
        assert str(error.value).startswith(found)
        assert "expected less: an earlier until, fewer workloads" in str(error.value)


def test_a_play_within_its_budget_has_as_many_cycles_as_it_needs() -> None:
    raw = {"until": "9h", "events": SECONDS}
    budget = PlayBudget(processor=10**9, memory=1, clock=lambda: 0, in_memory=lambda: None)
    assert parse_scenario(raw).max_cycles is None
    assert len(play(parse_scenario(raw), preset("guaranteed"), budget=budget).story) == len(SECONDS)


def test_what_a_play_remembers_of_a_state_does_not_grow_with_the_state() -> None:
    raw = libyaml.load(OVERBOOKED)
    raw["events"] = [{"at": "0s", "submit": [{"name": f"w{number}"} for number in range(30)]}]
    player = Player(parse_scenario(raw), preset("guaranteed"))
    player.run_through(player.scenario.events)
    states = list(player.loops._seen)
    assert len(states) > 10
    assert max(map(sys.getsizeof, states)) < 200


OVERBOOKED = """
until: 40m
timing: {eviction: 1ns}
objects:
- {kind: ResourceFlavor, metadata: {name: a}}
- kind: ClusterQueue
  metadata: {name: g}
  spec:
    preemption:
      withinClusterQueue: LowerOrNewerEqualPriority
      withinClusterQueueConfig: {minAdmitDuration: 1m}
    resourceGroups:
    - {coveredResources: [cpu], flavors: [{name: a, resources: [{name: cpu, nominalQuota: 8}]}]}
defaults: {priority: 100, requests: {cpu: 8}}
"""
