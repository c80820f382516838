"""`tenure simulate --at TIME --objects` as a process, and what may be asked about what it prints."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.command_line import TENURE, tenure
from tools import libyaml

ROOT = Path(__file__).resolve().parents[2]
TWO = str(ROOT / "spec" / "vectors" / "scenarios" / "tbp-it-1-two-equals.yaml")
KAI = str(ROOT / "spec" / "vectors" / "scenarios" / "kai-boundary.yaml")
DYNAMIC = str(ROOT / "spec" / "vectors" / "scenarios" / "dyn-story-1-three-hours.yaml")


def test_the_cluster_of_an_instant_can_be_piped_into_decide_and_why(tmp_path: Path) -> None:
    shown = tenure("simulate", TWO, "--at", "4h0m1s", "--objects")
    assert shown.returncode == 0
    first, *_ = shown.stdout.decode().splitlines()
    assert first == "# tbp-it-1-two-equals under guaranteed; decide with --now 2026-01-05T13:00:01Z"
    asked = ["decide", "-", "-w", "default/second", "--now", "2026-01-05T13:00:01Z"]
    decided = subprocess.run([str(TENURE), *asked], input=shown.stdout, capture_output=True, check=True)
    assert b"preempt default/first  InClusterQueueTimeBased" in decided.stdout
    file = tmp_path / "cluster.yaml"
    file.write_bytes(shown.stdout)
    why = tenure("why", "default/first", str(file), "-w", "default/second", "--now", "2026-01-05T13:00:01Z")
    assert (why.returncode, b"TBP-020" in why.stdout) == (0, True)


def test_a_time_may_be_written_out_and_the_objects_be_a_list() -> None:
    done = tenure("simulate", DYNAMIC, "--at", "2026-01-05T09:30:00Z", "--objects", "-o", "json")
    listed = json.loads(done.stdout)
    assert [item["kind"] for item in listed["items"]].count("Workload") == 2
    same = tenure("simulate", DYNAMIC, "--at", "30m", "--objects")
    assert list(libyaml.load_all(same.stdout)) == listed["items"]


def test_a_play_of_kai_has_no_objects_to_print() -> None:
    done = tenure("simulate", KAI, "--at", "1m", "--objects")
    assert (done.returncode, done.stdout) == (2, b"")
    assert "--objects: found 'a scenario of KAI-Scheduler', expected one of Kueue" in done.stderr.decode()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--objects"], "--at: found 'nothing', expected an instant beside --objects"),
        (["--at", "1h"], "--at: found '1h', expected --objects beside it"),
        (["--at", "1h", "--objects", "--until", "2h"], "--until: found '2h', expected nothing beside --at"),
        (["--at", "13h", "--objects"], "--at: found '13h', expected a time within tbp-it-1-two-equals"),
        (
            ["--at", "1h", "--objects", "--all-readings"],
            "--objects: found 'several simulations', expected one scenario",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(options: list[str], words: str) -> None:
    done = tenure("simulate", TWO, *options)
    assert (done.returncode, done.stdout) == (2, b"")
    assert words in done.stderr.decode()
