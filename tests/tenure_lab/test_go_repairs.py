"""The corpus of the Go module: what the command makes of the seed, and a scenario that Tenure decides."""

from __future__ import annotations

import json
import shlex
from collections import Counter

import pytest

from benchmarks.repairs import described
from tenure.cli import main
from tenure.readings import FairSharingRepair
from tests.cikit.command import in_process
from tests.sampling import sample
from tools import libyaml
from tools.go_repairs import DRAWN, FILE, MOST_PLAIN, SEED, Entry, chosen, entries, recorded

CORPUS = recorded()
SHOWN = FILE.parent / "testdata" / "repair.yaml"
FIRST = sample(15, 400)
"""Of so many scenarios all searches are made again."""
EVERY = sample(90, 15)
"""Of the others one in so many."""


def index_of(entry: Entry) -> int:
    return int(entry["id"].rpartition("/")[2])


def kind_of(entry: Entry) -> str:
    kind: str = entry["id"].partition("-")[0]
    return kind


@pytest.mark.parametrize("kind", DRAWN)
def test_the_corpus_begins_with_what_the_command_makes(kind: str) -> None:
    assert (CORPUS["seed"], CORPUS["drawn"]) == (SEED, DRAWN)
    kept = [entry for entry in CORPUS["scenarios"] if kind_of(entry) == kind and index_of(entry) < FIRST]
    assert list(chosen(entries(SEED, range(FIRST), kind))) == kept, (
        "go/repairs.json.gz is stale: python -m tools.go_repairs writes it again"
    )


def test_each_kept_search_is_what_the_command_makes_of_its_number() -> None:
    for entry in CORPUS["scenarios"][::EVERY]:
        assert list(entries(SEED, [index_of(entry)], kind_of(entry))) == [entry]


def test_the_corpus_is_bounded_and_has_every_repair() -> None:
    kept = CORPUS["scenarios"]
    assert 200 < len(kept) <= 2000
    assert FILE.stat().st_size <= 300_000
    plain = Counter(kind_of(entry) for entry in kept if entry["flags"] == ["Ordinary"])
    assert plain == dict.fromkeys(DRAWN, MOST_PLAIN)
    assert {tuple(entry["repairs"]) for entry in kept} == {
        tuple(repair.name.lower() for repair in FairSharingRepair)
    }


def test_a_scenario_of_the_go_runner_is_decided_by_the_command_above_it() -> None:
    name, _, command = SHOWN.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ").partition(": ")
    (entry,) = [entry for entry in CORPUS["scenarios"] if entry["id"] == name]
    arguments = shlex.split(command.replace("FILE", str(SHOWN)))[1:]
    repair = arguments[-1].rpartition("=")[2]
    answers = {
        choice: json.loads(
            in_process(main, (*arguments[:-1], f"fair_sharing_repair={choice}", "-o", "json")).out
        )
        for choice in ("none", repair)
    }
    for choice, answer in answers.items():
        expected = entry["repairs"][choice]
        assert answer["decision"] == expected["decision"]
        assert [victim["workload"] for victim in answer["preempted"]] == [
            victim["workload"] for victim in expected["preempted"]
        ]
    assert answers["none"]["preempted"] != answers[repair]["preempted"]


def test_the_benchmark_prints_the_same_manifests_with_what_every_repair_finds() -> None:
    shown = SHOWN.read_text(encoding="utf-8")
    number = int(shown.partition(":")[0].rpartition("/")[2])
    text = described(SEED, number)
    assert list(libyaml.load_all(text)) == list(libyaml.load_all(shown))
    (entry,) = [entry for entry in CORPUS["scenarios"] if entry["id"] == f"FSR-{SEED}/{number}"]
    for name, answer in entry["repairs"].items():
        (line,) = [line for line in text.splitlines() if line.startswith(f"# {name}: ")]
        victims = ", ".join(sorted(victim["workload"] for victim in answer["preempted"])) or "no victim"
        assert line.startswith(f"# {name}: {victims} (")
