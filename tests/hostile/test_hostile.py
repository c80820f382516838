"""A sample of the long run; the numbers in a failure draw its case again."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.hostile.cases import Target, case, cases
from tests.hostile.trials import asked, commanded, peak_memory, tried

SEED = int(os.environ.get("TENURE_HOSTILE_SEED", "7"))
COUNT = 300
COMMANDS = 4
MIB = 600
"""What a process may hold that has seen them all, the tests before them included."""


def test_no_case_ends_in_anything_but_an_answer(tmp_path: Path) -> None:
    print(f"seed {SEED}; python -m tests.hostile --seed {SEED} --only <case>")
    before = peak_memory()
    faults = [trial for each in cases(COUNT, SEED) if (trial := tried(each, tmp_path)).fault]
    assert [(each.case.number, each.case.kind, each.fault) for each in faults] == []
    # The peak is the process's; what other tests needed in it before is no matter of these cases.
    assert peak_memory() < max(MIB, before + 1)


def test_a_command_tells_a_person_what_is_wrong(tmp_path: Path) -> None:
    files = [each for each in cases(COUNT, SEED) if each.target == Target.FILE][:COMMANDS]
    faults = [trial for each in files if (trial := commanded(each, tmp_path)).fault]
    assert [(each.case.number, each.case.kind, each.fault) for each in faults] == []


def test_a_process_of_the_oracle_answers_every_line() -> None:
    lines = [each for each in cases(COUNT, SEED) if each.target == Target.LINE]
    faults = [trial for trial in asked(lines) if trial.fault]
    assert [(each.case.number, each.case.kind, each.fault) for each in faults] == []


@pytest.mark.parametrize("number", range(0, 60, 7))
def test_a_number_draws_the_same_case_each_time(number: int) -> None:
    assert case(number, SEED) == case(number, SEED)
    assert case(number, SEED) != case(number, SEED + 1)
