"""What `tenure next` says of a random cluster is what playing a scenario of its dump says."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from tenure.readings import preset
from tenure.units import format_instant
from tenure_lab.generators.scenarios import examples
from tenure_play import load_scenario, play
from tenure_play.record import Record
from tests.command_line import tenure
from tests.properties.edits_by_hand import objects_of
from tests.sampling import sample

SEED = 22
CLUSTERS = sample(20, 500)
CYCLES = 30
READINGS = ("guaranteed", "released", "as-written")

Raw: TypeAlias = dict[str, Any]


def configuration(drawn: Raw) -> list[Raw]:
    """The drawn settings of the scheduler, as its own Configuration."""
    if drawn["fairSharing"] is None:
        return []
    named = drawn["fairSharing"]["preemptionStrategies"]
    fair = {"preemptionStrategies": named or ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]}
    made = {"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration", "fairSharing": fair}
    return [made]


def told_by_play(record: Record) -> list[Any]:
    """The cycles of a play, as `next` tells them."""
    return [
        (
            cycle.number,
            format_instant(cycle.at),
            [
                (head.workload, head.cluster_queue, head.decision, head.result.value, {*head.targets})
                for head in cycle.heads
            ],
        )
        for cycle in record.cycles[:CYCLES]
    ]


def told_by_next(answer: Raw) -> list[Any]:
    """The same of an answer; a skipped head's targets are told by neither side."""
    return [
        (
            cycle["number"],
            cycle["at"],
            [
                (
                    head["workload"],
                    head["clusterQueue"],
                    head["decision"],
                    head["result"],
                    {*head["awaits"], *(evicted["workload"] for evicted in head["preempts"])},
                )
                for head in cycle["heads"]
            ],
        )
        for cycle in answer["cycles"]
    ]


def without_targets(told: list[Any]) -> list[Any]:
    """Of heads that preempt nobody in their cycle only the fate is compared."""
    return [
        (number, at, [(*head[:4], head[4] if head[3] == "preempting" else set()) for head in heads])
        for number, at, heads in told
    ]


def asked_now(*words: str) -> Raw:
    done = tenure("next", *words, "-o", "json")
    assert done.returncode == 0, done.stderr.decode()
    answer: Raw = json.loads(done.stdout)
    return answer


def test_next_says_what_a_play_of_the_dump_does(tmp_path: Path) -> None:
    dice, seen = random.Random(SEED), Counter[str]()
    for index, drawn in enumerate(examples(CLUSTERS, SEED, max_workloads=10)):
        dump, story = tmp_path / "dump.json", tmp_path / "story.yaml"
        items = [*objects_of(drawn, dice), *configuration(drawn)]
        dump.write_text(json.dumps({"kind": "List", "apiVersion": "v1", "items": items}))
        scenario = {
            "start": drawn["now"],
            "until": "20m",
            "timing": {"eviction": "3m"},
            "files": ["dump.json"],
        }
        story.write_text(json.dumps(scenario))
        reading = READINGS[index % len(READINGS)]
        words = (str(dump), "--now", drawn["now"], "--reading", reading, "--until", "20m", "--eviction", "3m")
        record = play(load_scenario(story), preset(reading))
        answer = asked_now(*words, "--cycles", str(CYCLES))
        told = told_by_play(record)
        if answer["ended"] == "repeats":
            assert record.loop is not None
            told = told[: len(answer["cycles"])]
        assert without_targets(told_by_next(answer)) == without_targets(told), f"seed {SEED}, index {index}"
        seen.update(head[3] for _, _, heads in told for head in heads)
        preempted = [
            evicted for cycle in answer["cycles"] for head in cycle["heads"] for evicted in head["preempts"]
        ]
        by_play = [found for found in record.preemptions if found.cycle <= len(told)]
        assert Counter((found["workload"], found["reason"]) for found in preempted) == Counter(
            (found.victim, found.reason) for found in by_play
        )
        asked_as_the_play_goes(words, record, drawn, dice, f"seed {SEED}, index {index}")
    assert {"admitted", "preempting", "parked"} <= seen.keys()


def asked_as_the_play_goes(
    words: tuple[str, ...], record: Record, drawn: Raw, dice: random.Random, place: str
) -> None:
    """One pending workload, asked about alone: when it is admitted, and when it is tried; up to a loop."""
    waiting = sorted({wait.workload for wait in record.waits if wait.start == record.start})
    if not waiting:
        return
    name = dice.choice(waiting)
    answer = asked_now(name, *words, "--cycles", "1000")
    if answer["ended"] == "repeats":
        return
    asked = answer["asked"]
    admitted = min((run.start for run in record.runs if run.workload == name), default=None)
    assert asked["admittedAt"] == (None if admitted is None else format_instant(admitted)), place
    tried = [
        cycle.number
        for cycle in record.cycles
        for head in cycle.heads
        if head.workload == name and (admitted is None or cycle.at <= admitted)
    ]
    assert [turn["cycle"] for turn in asked["turns"]] == tried, place
    first = {}
    for cycle in record.cycles[:1]:
        first = {head.cluster_queue: head.workload for head in cycle.heads}
    if asked["place"] == 1 and asked["clusterQueue"] in first:
        assert first[asked["clusterQueue"]] == name, place


@pytest.mark.parametrize("reading", READINGS)
def test_the_first_head_of_each_queue_is_number_one(reading: str, tmp_path: Path) -> None:
    dice = random.Random(SEED)
    for drawn in examples(3, SEED, max_workloads=10):
        dump = tmp_path / "dump.json"
        dump.write_text(json.dumps({"kind": "List", "apiVersion": "v1", "items": objects_of(drawn, dice)}))
        words = (str(dump), "--now", drawn["now"], "--reading", reading, "--cycles", "1")
        for head in asked_now(*words)["cycles"][0]["heads"]:
            asked = asked_now(head["workload"], *words)["asked"]
            assert (asked["place"], asked["ahead"]) == (1, [])
