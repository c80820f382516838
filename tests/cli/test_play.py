"""`tenure simulate` as a process."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tenure.cli.bundled import scenario_names, schema
from tests.command_line import PATIENCE_S, prepared, tenure
from tools import libyaml

ROOT = Path(__file__).resolve().parents[2]
TWO = str(ROOT / "spec" / "vectors" / "scenarios" / "tbp-it-1-two-equals.yaml")
RESTART = str(ROOT / "spec" / "vectors" / "scenarios" / "tbp-it-6-restart.yaml")
KAI = str(ROOT / "spec" / "vectors" / "scenarios" / "kai-session-remembers.yaml")
DYNAMIC = str(ROOT / "spec" / "vectors" / "scenarios" / "dyn-story-1-three-hours.yaml")


def test_a_play_says_what_happened_when_and_why() -> None:
    done = tenure("simulate", TWO)
    assert done.returncode == 0
    text = done.stdout.decode()
    assert "tbp-it-1-two-equals under guaranteed: Two equal workloads" in text
    assert "4:00:00      preempted  default/first   preempted for default/second after 4h" in text
    assert "InClusterQueueTimeBased, by KQ-040, TBP-050, TBP-020" in text
    assert "ok   expect[2].evicted at 4:00:01: default/first" in text


def test_a_play_of_kai_says_which_jobs_may_be_preempted_and_by_which_rules() -> None:
    done = tenure("simulate", KAI)
    assert done.returncode == 0
    text = done.stdout.decode()
    assert "2 sessions, 10 questions, 2 preempted" in text
    assert (
        "preempt for default/urgent-too: protected, as the session found before, by KMR-080, KMR-120" in text
    )
    assert "10m short of its minimum runtime" in text
    assert "ok   expect[5].mayBePreempted at 0:10:00.100: default/train" in text


def test_the_story_may_be_short_long_or_left_out() -> None:
    short = tenure("simulate", TWO, "--story", "2").stdout.decode()
    assert "more; --story all shows them" in short
    assert "AFTER" not in tenure("simulate", TWO, "--story", "0").stdout.decode()
    assert "--story all" not in tenure("simulate", TWO, "--story", "all").stdout.decode()


def test_several_plays_are_told_in_a_line_each() -> None:
    done = tenure("simulate", TWO, RESTART, "--all-readings")
    assert done.returncode == 0
    lines = done.stdout.decode().splitlines()
    assert lines[0] == (
        "ok   tbp-it-1-two-equals under as-written: 2 cycles, 0 preemptions, no loop, "
        "4 of 4 expectations hold"
    )
    assert lines[-1] == "simulate: 6 simulations, 0 of them not as expected"


@pytest.mark.parametrize("path", [TWO, RESTART, DYNAMIC, KAI], ids=lambda path: Path(path).stem)
def test_the_answer_is_as_its_schema_says(path: str) -> None:
    done = tenure("simulate", path, "--all-readings", "-o", "json")
    answer = json.loads(done.stdout)
    assert [error.message for error in Draft202012Validator(schema("simulate")).iter_errors(answer)] == []
    assert [play["reading"] for play in answer["simulations"]] == ["as-written", "released", "guaranteed"]
    assert answer["holds"] is True
    assert libyaml.load(tenure("simulate", path, "--all-readings", "-o", "yaml").stdout) == answer


def test_an_expectation_that_fails_is_named_with_what_was_found(tmp_path: Path) -> None:
    file = tmp_path / "wrong.yaml"
    text = (
        Path(TWO).read_text(encoding="utf-8").replace("preemptions: 2, cutShort", "preemptions: 3, cutShort")
    )
    file.write_text(text, encoding="utf-8")
    done = tenure("simulate", str(file))
    assert done.returncode == 1
    assert "FAIL expect[5].preemptions: expected 3, found 2" in done.stdout.decode()
    assert tenure("simulate", str(file), "--reading", "released").returncode == 0


def test_a_play_may_end_earlier() -> None:
    done = tenure("simulate", TWO, "--until", "4h")
    assert done.returncode == 0
    assert "0 preemptions" in done.stdout.decode()
    late = tenure("simulate", TWO, "--until", "40h")
    assert (late.returncode, b"a time within tbp-it-1-two-equals" in late.stderr) == (2, True)


def test_a_scenario_may_come_from_standard_input() -> None:
    done = tenure("simulate", "-", stdin=Path(TWO).read_bytes())
    assert done.returncode == 0
    assert done.stdout.decode().startswith("stdin under guaranteed")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--chart", "play.svg"), "paths: found 'nothing', expected scenario files"),
        (("--report", "junit=-"), "paths: found 'nothing', expected scenario files"),
        (("gone.yaml",), "gone.yaml: found no such file"),
        ((TWO, "--reading", "guarantee"), "did you mean 'guaranteed'?"),
        ((TWO, "--all-readings", "--reading", "released"), "expected nothing beside --all-readings"),
        ((TWO, "--story", "some"), "--story: found 'some', expected a number of lines, or all"),
        ((TWO, "--chart", "play.pdf"), "--chart: found 'play.pdf', expected a file named *.svg or *.png"),
        ((TWO, RESTART, "--chart", "play.svg"), "expected one scenario and one reading"),
        ((TWO, "--sweep", "reading=released"), "--sweep: found 'without --trace', expected either `tenure s"),
        ((TWO, "-o", "csv"), "--output csv: found 'without --trace'"),
        ((TWO, "--trace", "a.csv", "--story", "all"), "--story: found 'beside --trace', expected either"),
        ((TWO, "--trace", "a.csv", "--unset", "a/b.c"), "--unset: found 'beside --trace'"),
        (("--trace", "a.csv"), "manifests of the queues: tenure simulate QUEUES --trace TRACE"),
        (("a.csv",), "expected a scenario; a trace of jobs is: tenure simulate QUEUES --trace a.csv"),
    ],
    ids=str,
)
def test_bad_input_is_told_with_the_next_step(arguments: tuple[str, ...], words: str) -> None:
    done = tenure("simulate", *arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    assert words in done.stderr.decode()
    assert done.stderr.decode().splitlines()[-1] == "see tenure simulate --help"


def test_without_a_scenario_the_bundled_ones_are_listed_with_what_they_show() -> None:
    listed = json.loads(tenure("simulate", "-o", "json").stdout)["scenarios"]
    assert [scenario["name"] for scenario in listed] == scenario_names()
    assert all(scenario["title"] for scenario in listed)
    lines = tenure("simulate").stdout.decode().splitlines()
    assert [line.split()[0] for line in lines] == scenario_names()
    assert any("Two equal workloads" in line for line in lines)


INTERRUPTED = """
import os, signal
from tenure_play.engine import Player
cycle = Player._cycle
def interrupted(self):
    cycle(self)
    os.kill(os.getpid(), signal.SIGINT)
Player._cycle = interrupted
"""


def test_control_c_ends_a_play_without_a_traceback() -> None:
    command = prepared(INTERRUPTED, "simulate", TWO, "--reading", "as-written")
    done = subprocess.run(command, capture_output=True, check=False, timeout=PATIENCE_S)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")
