"""Every process has a second solver of its own, whatever the one that started it has asked."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
import z3

from tenure_proofs.budgets import FLOOR
from tenure_proofs.solvers import Question
from tenure_proofs.solving import second_solver, with_second_solvers
from tests.command_line import wait_until


def asked(number: int) -> tuple[str, int]:
    """What this process's second solver says, and which process that is."""
    said = second_solver().ask(Question((z3.Int("a") == number,), FLOOR))
    process = second_solver()._process
    assert process is not None
    return said, process.pid


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are seen in /proc")
def test_processes_that_begin_after_a_question_have_solvers_of_their_own_and_end_them() -> None:
    with second_solver():
        said, mine = asked(1)
        with suppress(ZeroDivisionError), with_second_solvers(1) as processes:
            (its_answer, its_own), *_ = processes.run(asked, [2])
            raise ZeroDivisionError
        assert (said, its_answer) == ("sat", "sat")
        assert its_own != mine
        assert asked(3) == ("sat", mine)
    wait_until(lambda: not Path(f"/proc/{its_own}").exists(), "its solver has ended")
