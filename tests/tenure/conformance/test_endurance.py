"""A sample of the long run: one process of the oracle, many requests, answers in order."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.command_line import run_program

ROOT = Path(__file__).resolve().parents[3]


def test_answers_come_in_order_and_memory_does_not_grow() -> None:
    done = run_program(
        sys.executable, ROOT / "benchmarks" / "endurance.py", "--requests", "2000", "--seed", "3", cwd=ROOT
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert "     2000 answers in order" in done.stdout
    assert "seed 3: 2000 requests, 40 decisions; memory grew by" in done.stdout
