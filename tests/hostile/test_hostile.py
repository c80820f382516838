"""A sample of the long run; the numbers in a failure draw its case again."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from tests.command_line import run_program
from tests.hostile.cases import case
from tests.sampling import sample

ROOT = Path(__file__).resolve().parents[2]
SEED = int(os.environ.get("TENURE_HOSTILE_SEED", "7"))
COUNT = sample(30, 1000)
COMMANDS = sample(2, 8)
AROUND = sample(12, 200)
MIB = 600
"""What a process may hold at most that has seen all the cases, and nothing else."""


# A process of its own, since what other tests needed in this one would hide what the cases need.
def test_no_case_ends_in_anything_but_an_answer() -> None:
    print(f"seed {SEED}; python -m tests.hostile --seed {SEED} --only <case>")
    asked_for = ("--n", str(COUNT), "--seed", str(SEED), "--commands", str(COMMANDS))
    done = run_program(sys.executable, "-m", "tests.hostile", *asked_for, cwd=ROOT)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    print(done.stdout)
    asked = re.search(r"(\d+) in process, .*; 0 faults; .* peak memory (\d+) MiB here", done.stdout)
    assert asked is not None
    assert int(asked[1]) == COUNT
    assert int(asked[2]) < MIB
    for how in ("command", "oracle process"):
        assert re.search(rf"^{how} .* [1-9]\d*$", done.stdout, re.MULTILINE), how


def test_nothing_around_ends_a_command_otherwise() -> None:
    print(f"seed {SEED}; python -m tests.hostile.around --seed {SEED} --only <case>")
    done = run_program(
        sys.executable, "-m", "tests.hostile.around", "--n", str(AROUND), "--seed", str(SEED), cwd=ROOT
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    found = re.search(
        rf"^seed {SEED}: {AROUND} cases; 0 faults; peak memory (\d+) MiB", done.stdout, re.MULTILINE
    )
    assert found is not None
    assert int(found[1]) < MIB


@pytest.mark.parametrize("number", range(0, 60, 7))
def test_a_number_draws_the_same_case_each_time(number: int) -> None:
    assert case(number, SEED) == case(number, SEED)
    assert case(number, SEED) != case(number, SEED + 1)
