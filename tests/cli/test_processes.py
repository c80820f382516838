"""Every command as a process of its own says what it says in the process of the tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tenure.cli.commands import COMMANDS
from tests.cli.test_help import EVERY
from tests.command_line import tenure, tenure_process

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "tests" / "cikit" / "sample"
JOBS = ROOT / "tests" / "cli" / "trace"
TWO = ("--example", "two-teams", "--now", "2026-03-02T14:00:00Z")
KAI = ("--example", "kai-departments", "--now", "2026-06-01T14:00:00Z")
EVAL, PRETRAIN = "team-b/job-eval-suite-d739e", "team-a/job-pretrain-7b-e95a1"

CALLS: dict[str, tuple[str, ...]] = {
    "decide": (*TWO, "-w", EVAL, "--verbose"),
    "why": (PRETRAIN, *TWO, "-w", EVAL),
    "why-not": ("team-a/job-long-context-8a5dc", *TWO),
    "next": ("team-a/job-doc-index-dfa0b", *TWO),
    "diff": ("--example", "two-teams", *TWO[2:], "--unset", "clusterqueue/gpu-cluster-queue.spec.preemption"),
    "analyze diff": (
        *("--example", "two-teams", "--no-cache"),
        *("--set", "clusterqueue/gpu-cluster-queue.spec.queueingStrategy=StrictFIFO"),
    ),
    "analyze guarantees": ("--example", "two-teams", "--states", "5", "--no-cache"),
    "analyze matrix": ("--example", "two-teams", "--states", "5", "--no-cache"),
    "report": (*TWO, "-o", "/dev/null"),
    "show": ("PO-TBP-010",),
    "simulate": (str(JOBS / "queues.yaml"), "--trace", str(JOBS / "trace.csv")),
    "test": (str(SAMPLE),),
    "validate": (str(SAMPLE / "queues"),),
    "policy": ("--action", "warn"),
    "oracle": (),
    "example": (),
    "schema": ("decision",),
    "vectors run": ("TBP-020/",),
    "vectors check": ("--folder", str(JOBS)),
    "vectors format": ("--help",),
    "vectors add": ("time-based",),
    "analyze check": (str(SAMPLE),),
    "analyze sanity": ("--example", "shared-cohort"),
    "analyze loops": ("--example", "two-teams", "--evictions", "soon"),
    "kai filter": (*KAI, "-w", "serving/checkout", "--victim", "vision/pretrain"),
    "kai validate": (*KAI, "-w", "serving/checkout", "--victim", "vision/sweep=sweep-0"),
    "kai pairs": ("--example", "kai-departments"),
    "kai resolve": ("--example", "kai-departments", "--victim-queue", "speech", "--pending-queue", "vision"),
}
ELSEWHERE = {"conform": "tests/tenure_lab", "campaign": "tests/tenure_lab", "prove": "tests/tenure_proofs"}
"""These start processes themselves, and are asked as processes there."""


def test_no_command_is_left_out() -> None:
    assert {*CALLS, *ELSEWHERE} == set(EVERY)
    assert not CALLS.keys() & ELSEWHERE.keys()
    assert {name.split()[0] for name in EVERY} == set(COMMANDS)


@pytest.mark.parametrize("name", CALLS)
def test_a_command_as_a_process_says_what_it_says_here(name: str) -> None:
    arguments, given = (*name.split(), *CALLS[name]), b'{"id": 1, "call": "decide", "input": {}}\n'
    one, other = (run(*arguments, stdin=given) for run in (tenure_process, tenure))
    assert (one.returncode, one.stdout, one.stderr) == (other.returncode, other.stdout, other.stderr)
    assert one.stdout or one.stderr


def test_an_error_as_a_process_is_the_error_here(tmp_path: Path) -> None:
    one, other = (run("decide", "gone", "-w", "a", cwd=tmp_path) for run in (tenure_process, tenure))
    assert (one.returncode, one.stdout, one.stderr) == (other.returncode, other.stdout, other.stderr)
    assert (one.returncode, one.stdout) == (2, b"")
