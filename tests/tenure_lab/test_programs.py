"""Programs that do not end, do not read, or never end a line: whoever asks them goes on all the same."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

import pytest

from tenure_lab import programs
from tenure_lab.programs import Program, ProgramFailure
from tests.command_line import PATIENCE_S, TENURE, tenure_process

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no process groups")

_Result = TypeVar("_Result")

LONG_S = 7200
"""So long that nothing in a test waits for it to pass."""

ASKED: dict[str, Any] = {"id": 1, "call": "version"}
VERSION = 'request = json.loads(sys.stdin.readline()); say({"id": request["id"], "output": {"fake": "v1"}})'
HEAD = f"""
import json, os, sys, time
def say(answer):
    os.write(1, json.dumps(answer).encode() + b"\\n")
def hang():
    time.sleep({LONG_S})
"""


def python(folder: Path, body: str) -> list[str]:
    """A program that is a few lines of Python."""
    file = folder / "peer.py"
    file.write_text(HEAD + body, encoding="utf-8")
    return [sys.executable, str(file)]


def finished(do: Callable[[], _Result]) -> _Result:
    """What comes of something that must not hang; a test that hangs says nothing."""
    done: Future[_Result] = Future()

    def work() -> None:
        try:
            done.set_result(do())
        except BaseException as error:  # noqa: BLE001 - it is raised again by who waits
            done.set_exception(error)

    threading.Thread(target=work, daemon=True).start()
    return done.result(timeout=PATIENCE_S)


def failure(command: list[str], patience: float, requests: int = 1, size: int = 0) -> str:
    """Ask, and close; what it said of the program."""

    def ask() -> str:
        with Program(command, patience) as peer, pytest.raises(ProgramFailure) as failed:
            peer.ask([{**ASKED, "input": "x" * size}] * requests)
        return str(failed.value)

    return finished(ask)


class Lifeline:
    """Ends when every process has ended that was started with it.

    Args:
        path: a named pipe, which those open for writing.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        os.mkfifo(path)

    def held(self) -> int:
        """Wait until some process holds it."""
        return finished(lambda: os.open(self.path, os.O_RDONLY))

    def let_go(self, held: int) -> bool:
        """Wait until none does."""
        return finished(lambda: os.read(held, 1)) == b""


@pytest.fixture(name="lifeline")
def _lifeline(tmp_path: Path) -> Lifeline:
    return Lifeline(tmp_path / "lifeline")


def wrapper(lifeline: Lifeline) -> list[str]:
    """A shell that waits for a program, as many adapters are started: the program holds both pipes."""
    return ["sh", "-c", f"exec 3> {shlex.quote(str(lifeline.path))}; sleep {LONG_S} & wait"]


def test_a_wrapper_is_ended_with_what_it_has_started(lifeline: Lifeline) -> None:
    peer = Program(wrapper(lifeline), patience=0.2)
    held = lifeline.held()
    with pytest.raises(ProgramFailure, match=r"gave no answer within 0.2 s to request 1"):
        finished(lambda: peer.ask([ASKED]))
    finished(peer.close)
    assert lifeline.let_go(held)
    finished(peer.close)


def test_what_a_program_leaves_behind_ends_with_it(lifeline: Lifeline) -> None:
    # The shell ends with its standard input, as a program should; what it has started does not.
    shell = f"exec 3> {shlex.quote(str(lifeline.path))}; sleep {LONG_S} & cat > /dev/null"
    with Program(["sh", "-c", shell]):
        held = lifeline.held()
    assert lifeline.let_go(held)


def test_a_program_that_ends_with_its_input_is_given_the_time(tmp_path: Path) -> None:
    last = tmp_path / "last"
    body = f"{VERSION}\nsys.stdin.read(); time.sleep(0.3); open({str(last)!r}, 'w').close()"
    with Program(python(tmp_path, body)) as peer:
        assert peer.named() == ("fake", "v1")
    assert last.exists()


@pytest.mark.parametrize(
    ("body", "patience", "words"),
    [
        ("print('garbage', flush=True); hang()", LONG_S, "not JSON: b'garbage'"),
        (
            "say({'id': 1, 'output': {}}); print('garbage', flush=True); hang()",
            LONG_S,
            "not JSON: b'garbage'",
        ),
        ("hang()", 0.2, "gave no answer within 0.2 s"),
        ("os.write(1, b'{\"id\":'); hang()", 0.2, "gave no answer within 0.2 s"),
        ("os.write(1, b'[' * 100_000 + b'\\n'); hang()", LONG_S, "not JSON"),
        ("os.close(1); hang()", LONG_S, "ended before it answered"),
    ],
)
def test_a_program_that_does_not_read_blocks_no_run(
    body: str, patience: float, words: str, tmp_path: Path
) -> None:
    # Far more than a pipe holds.
    assert words in failure(python(tmp_path, body), patience, requests=4, size=2**20)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("'x' * 65536", "the program's answer to request 1 is longer than 1 MiB"),
        # Short lines that were not asked for are not read for ever either.
        ("'{}\\n' * 16384", "no answer to request 1"),
    ],
)
def test_what_is_read_is_bounded(
    written: str, read: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "MAX_LINE", 2**20)
    count = tmp_path / "count"
    count.write_text("0\n", encoding="utf-8")  # the program may be ended before it counts
    body = f"""
out = open({str(count)!r}, "r+")
for number in range(10**9):
    os.write(1, ({written}).encode())
    out.seek(0); print(number, file=out, flush=True)
"""
    peer = Program(python(tmp_path, body), LONG_S)
    with pytest.raises(ProgramFailure, match=read):
        finished(lambda: peer.ask([ASKED]))
    finished(peer.close)
    assert int(count.read_text(encoding="utf-8")) * 65536 < 64 * 2**20


def test_an_answer_may_be_as_long_as_is_said_and_be_the_last_without_an_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = b'{"id":1,"output":{}}'
    for most, failed in ((len(answer), False), (len(answer) - 1, True)):
        monkeypatch.setattr(programs, "MAX_LINE", most)
        for end in (b"", b"\n"):
            command = python(tmp_path, f"os.write(1, {answer + end!r})")
            if failed:
                assert "is longer than" in failure(command, LONG_S)
            else:
                with Program(command) as peer:
                    assert peer.ask([ASKED]) == [{"id": 1, "output": {}}]


def test_a_process_that_escapes_the_group_blocks_no_run(lifeline: Lifeline, tmp_path: Path) -> None:
    body = f"""
import subprocess
code = "import sys, time; open(sys.argv[1], 'w').write(str(__import__('os').getpid())); time.sleep({LONG_S})"
subprocess.Popen([sys.executable, "-c", code, {str(lifeline.path)!r}], start_new_session=True)
{VERSION}
print("garbage", flush=True)
hang()
"""
    peer = Program(python(tmp_path, body), LONG_S)
    held = lifeline.held()
    escaped = int(finished(lambda: os.read(held, 100)))
    try:
        assert finished(peer.named) == ("fake", "v1")
        with pytest.raises(ProgramFailure, match="not JSON"):
            finished(lambda: peer.ask([ASKED]))
        finished(peer.close)
    finally:
        os.kill(escaped, signal.SIGKILL)


@pytest.fixture(name="hangs")
def _hangs(tmp_path: Path, lifeline: Lifeline) -> str:
    """A wrapper around a program that says its name, and hangs once it is asked for more."""
    more = "if sys.stdin.readline():\n    print('garbage', flush=True)\n    hang()"
    inner = shlex.join(python(tmp_path, f"{VERSION}\n{more}"))
    file = tmp_path / "adapter.sh"
    # A shell gives no standard input of its own to what it does not wait for at once.
    file.write_text(f"exec 3> {lifeline.path} 4<&0\n{inner} <&4 &\nwait\n", encoding="utf-8")
    return f"sh {file}"


@pytest.mark.parametrize("command", ["conform", "campaign"])
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_commands_end_and_say_why(
    command: str, jobs: str, hangs: str, lifeline: Lifeline, tmp_path: Path
) -> None:
    held: list[int] = []
    reader = threading.Thread(target=lambda: held.append(os.open(lifeline.path, os.O_RDONLY)))
    reader.start()
    none = ("--no-vectors",) if command == "conform" else ()
    asked = (command, "--exec", hangs, "--scenarios", "3", "--timeout", str(LONG_S), "--jobs", jobs, *none)
    done = tenure_process(*asked, cwd=tmp_path)
    reader.join()
    assert done.returncode == 2, done.stdout + done.stderr
    assert b"the program's answer is not JSON: b'garbage" in done.stderr
    assert lifeline.let_go(held[0])


def test_a_program_may_be_ended_by_two_threads_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits, sleep = threading.Event(), time.sleep

    def slept(seconds: float) -> None:
        waits.set()
        sleep(seconds)

    monkeypatch.setattr(time, "sleep", slept)
    peer = Program(python(tmp_path, "hang()"), LONG_S)
    first: Future[None] = Future()

    def close() -> None:
        try:
            peer.close(LONG_S)
            first.set_result(None)
        except BaseException as error:  # noqa: BLE001 - it is raised again below
            first.set_exception(error)

    threading.Thread(target=close, daemon=True).start()
    assert waits.wait(PATIENCE_S)
    programs.end_programs(grace=0)
    first.result(timeout=PATIENCE_S)


def test_an_interrupt_ends_the_program_too(lifeline: Lifeline, tmp_path: Path) -> None:
    # It is interrupted while it waits for an answer.
    body = f"{VERSION}\nsys.stdin.readline(); kept = open({str(lifeline.path)!r}, 'w'); hang()"
    peer = shlex.join(python(tmp_path, body))
    with subprocess.Popen(
        [str(TENURE), "conform", "--exec", peer, "--only", "KQ-060", "--scenarios", "0"],
        cwd=tmp_path,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler) and None,
    ) as process:
        held = lifeline.held()
        process.send_signal(signal.SIGINT)
        assert finished(process.wait) == 130
    assert lifeline.let_go(held)
