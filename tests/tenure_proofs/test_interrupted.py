"""Control-C while `tenure prove` runs: not a word, and no process is left."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from benchmarks.analysis import MatrixCase
from tests.command_line import PATIENCE_S, TENURE, wait_until

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are seen in /proc")


LONG = (
    "prove",
    "--only",
    "PO-KQ-060",
    "--only",
    "WD-130",
    "--bounded",
    "deep",
    "--examples",
    "1",
    "--no-cache",
)
"""Soon asks both solvers, and then decides for so long that no test comes too late."""


MATRIX = ("analyze", "matrix", "queues.json", "--states", "5", "-j", "2", "--no-cache")


def living(group: int) -> list[str]:
    """The command lines of a group's processes; those that have ended and wait to be counted do not live."""
    return [command for process in Path("/proc").glob("[0-9]*") for command in _commands(process, group)]


def _commands(process: Path, group: int) -> Iterator[str]:
    try:
        # The name before these is in brackets, and may hold anything.
        state, _, its_group, *_ = (process / "stat").read_text().rpartition(")")[2].split()
        command = (process / "cmdline").read_text()
    except OSError:
        return  # it has ended meanwhile
    if int(its_group) == group and state != "Z":
        yield command


def is_starting(group: int) -> bool:
    return any("spawn_main" in command for command in living(group))


def is_asking_both_solvers(group: int) -> bool:
    return any("cvc5_worker" in command for command in living(group))


def is_over(group: int) -> bool:
    return not living(group)


def wait_for(holds: Callable[[int], bool], group: int) -> None:
    """Wait for something that a group's processes do, or for their end."""

    def holds_now() -> bool:
        if holds(group):
            return True
        assert holds is is_over or living(group), "it has ended already"
        return False

    wait_until(holds_now, f"{holds.__name__} of {living(group)}")


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("reached", [is_starting, is_asking_both_solvers])
def test_control_c_ends_it_without_a_word_and_every_process_with_it(
    jobs: str, reached: Callable[[int], bool]
) -> None:
    with subprocess.Popen(
        [str(TENURE), *LONG, "-j", jobs],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        process_group=0,
    ) as started:
        wait_for(reached, started.pid)
        # A terminal tells all of them.
        os.killpg(started.pid, signal.SIGINT)
        assert started.communicate(timeout=PATIENCE_S) == (b"", b"")
        assert started.returncode == 130
        wait_for(is_over, started.pid)


def test_control_c_ends_a_matrix_in_the_same_way(tmp_path: Path) -> None:
    queues = {"apiVersion": "v1", "kind": "List", "items": MatrixCase(8, "fair", alike=False).objects()}
    (tmp_path / "queues.json").write_text(json.dumps(queues), encoding="utf-8")
    with subprocess.Popen(
        [str(TENURE), *MATRIX],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        process_group=0,
        cwd=tmp_path,
    ) as started:
        wait_for(is_starting, started.pid)
        os.killpg(started.pid, signal.SIGINT)
        assert started.communicate(timeout=PATIENCE_S) == (b"", b"")
        assert started.returncode == 130
        wait_for(is_over, started.pid)


_HELD = """
import os, signal, threading, time
from tenure.pools import _interrupts_held
started, over = threading.Event(), threading.Event()
other = threading.Thread(target=lambda: (started.set(), over.wait()))
other.start()
started.wait()
try:
    with _interrupts_held():
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)
        print("whole", flush=True)
    print("not interrupted")
except KeyboardInterrupt:
    print("interrupted behind it")
over.set()
"""


def test_an_interrupt_waits_also_where_another_thread_gets_it() -> None:
    told = subprocess.run(
        [sys.executable, "-c", _HELD], stdout=subprocess.PIPE, timeout=PATIENCE_S, check=True, text=True
    )
    assert told.stdout.splitlines() == ["whole", "interrupted behind it"]


def test_a_run_that_is_killed_leaves_no_process() -> None:
    with subprocess.Popen(
        [str(TENURE), *LONG, "-j", "2"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        process_group=0,
    ) as started:
        wait_for(is_asking_both_solvers, started.pid)
        started.kill()
        started.wait(PATIENCE_S)
        wait_for(is_over, started.pid)
