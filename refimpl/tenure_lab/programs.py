"""The two sides: a program that speaks JSON lines, and the oracle in this process."""

from __future__ import annotations

import atexit
import json
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from queue import Empty, Queue, SimpleQueue
from types import TracebackType
from typing import IO, Any
from weakref import WeakSet

from tenure.conformance import protocol
from tenure.errors import bad_input
from tenure.manifests import MAX_LINE, in_mebibytes, show
from tenure.processes import python_module

Object = dict[str, Any]

OWN_ORACLE = "oracle"
PATIENCE_S = 300.0
"""How long one answer may take unless an option sets it."""
_GRACE_S = 10.0
"""How long a program may take to end when its standard input has ended."""
_READ = 65536
_AHEAD = 64
"""Pieces of an answer that are read ahead."""


class ProgramFailure(Exception):  # noqa: N818 - it failed as a program; an error answer is no exception
    """The program cannot be started, ended early, hangs, or answered something that is no answer."""


def command_of(text: str) -> list[str]:
    """A program's command line; `oracle` is Tenure's own, as a process.

    Raises:
        InputError: it names no program, or a quote in it stays open.

    >>> command_of("'/some where/adapter' --fast")
    ['/some where/adapter', '--fast']
    """
    if text == OWN_ORACLE:
        return python_module("tenure", "oracle")
    try:
        words = shlex.split(text)
    except ValueError:
        words = []
    if not words:
        raise bad_input("--exec", text, "a program and its arguments, as a shell takes them")
    return words


def our_answer(request: Object) -> Object:
    """Tenure's answer, in this process; a fault of its own is an answer too.

    >>> our_answer({"id": 1, "call": "nonsense", "input": {}})["error"]["field"]
    'call'
    """
    try:
        return protocol.answer(request)
    except Exception as fault:  # noqa: BLE001 - a fault costs one scenario, and is reported as such
        message = f"{type(fault).__name__}: {fault}"
        return {"id": request["id"], "error": {"code": "internal", "message": message, "field": ""}}


def need_decision(answered: Object) -> None:
    """Refuse an answer to `decide` that is neither an error nor a decision.

    Raises:
        ProgramFailure: it is neither.

    >>> need_decision({"output": {"decision": 7}})
    Traceback (most recent call last):
    tenure_lab.programs.ProgramFailure: no decision: b'{"decision": 7}' (see tenure schema oracle-answer)
    """
    if "error" not in answered and not _is_decision(answered["output"]):
        found = json.dumps(answered["output"]).encode()[:200]
        raise ProgramFailure(f"no decision: {found!r} (see tenure schema oracle-answer)")


def _is_decision(output: object) -> bool:
    if not isinstance(output, dict) or not isinstance(output.get("decision"), str):
        return False
    preempted, variants = output.get("preempted") or [], output.get("variants") or []
    if not isinstance(preempted, list) or not isinstance(variants, list):
        return False
    if not output.get("stable", True) and not variants:
        return False
    parts = all(map(_is_victim, preempted)) and all(map(_is_decision, variants))
    return parts and _is_assignment(output.get("assignment") or {})


def _is_assignment(found: object) -> bool:
    pod_sets = (found.get("podSets") or []) if isinstance(found, dict) else None
    return isinstance(pod_sets, list) and all(
        isinstance(pod_set, dict)
        and isinstance(pod_set.get("name"), str)
        and isinstance(pod_set.get("count"), int)
        for pod_set in pod_sets
    )


def _is_victim(found: object) -> bool:
    if not isinstance(found, dict):
        return False
    rules = found.get("rules") or []
    if not isinstance(rules, list) or not all(isinstance(rule, str) for rule in rules):
        return False
    return all(isinstance(found.get(name), str) for name in ("workload", "clusterQueue", "reason"))


class Program:
    """A program: started once, given batches of requests, ended with its standard input.

    Whatever it does, an answer is waited for at most `patience` seconds: threads write and read, and
    are left behind where some process keeps the other end. The program has a process group of its own, which
    ends with it. Windows has none: there, what the program itself has started may outlive it.

    Args:
        command: program and arguments; it reads requests and writes answers, a line each, in order.
        patience: seconds to wait for one answer.

    Raises:
        ProgramFailure: it cannot be started.
    """

    def __init__(self, command: Sequence[str], patience: float = PATIENCE_S) -> None:
        self._patience = patience
        self._heard = 0.0
        self._failed = False
        self._unread = bytearray()
        self._ended = False
        try:
            self._process = _started(command)
        except (OSError, ValueError) as error:
            raise ProgramFailure(f"{shlex.join(command)} cannot be started: {error}") from error
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._requests: SimpleQueue[bytes | None] = SimpleQueue()
        self._answers = _Answers(self._process.stdout)
        threading.Thread(target=_write, args=(self._process.stdin, self._requests), daemon=True).start()
        threading.Thread(target=self._answers.read, daemon=True).start()
        _running.add(self)

    def __enter__(self) -> Program:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close(_GRACE_S if error is None else 0.0)

    def ask(self, requests: Sequence[Object]) -> list[Object]:
        """Ask all of them and wait for all answers.

        Raises:
            ProgramFailure: it ended early, or answered something else.
        """
        lines = b"".join(json.dumps(request, separators=(",", ":")).encode() + b"\n" for request in requests)
        self._requests.put(lines)
        self._heard = time.monotonic()
        try:
            return [self._answer(request) for request in requests]
        except BaseException:
            self._failed = True
            raise

    def named(self) -> tuple[str, str]:
        """What it calls itself, and its version; empty if it does not know the call `version`, or decides.

        Raises:
            ProgramFailure: it reports another version of the protocol.
        """
        (answered,) = self.ask([{"id": "version", "call": "version"}])
        output = answered.get("output")
        if not isinstance(output, dict) or "decision" in output:
            return "", ""
        if (said_protocol := output.get("protocol", protocol.PROTOCOL)) != protocol.PROTOCOL:
            expected = f"expected {protocol.PROTOCOL}, or nothing"
            raise ProgramFailure(f"call version: output.protocol: found {show(said_protocol)}, {expected}")
        name, version = next(iter(output.items()), ("", ""))
        return str(name), str(version)

    def close(self, grace: float = _GRACE_S) -> None:
        """End it.

        Args:
            grace: seconds in which it may end by itself; one that has failed has none.
        """
        self._requests.put(None)
        self._answers.ignore()
        _end(self._process, 0.0 if self._failed else grace)
        self._answers.leave()
        _running.discard(self)

    def _answer(self, request: Object) -> Object:
        line = self._line(f"to request {request['id']!r}")
        self._heard = time.monotonic()
        try:
            answered = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ProgramFailure(f"the program's answer is not JSON: {line[:200]!r}") from error
        if (
            not isinstance(answered, dict)
            or answered.get("id") != request["id"]
            or not {"output", "error"} & answered.keys()
            or not isinstance(answered.get("error", {}), dict)
        ):
            raise ProgramFailure(f"no answer to request {request['id']!r}: {line[:200]!r}")
        return answered

    def _line(self, what: str) -> bytes:
        """The next line, without its end; the last one need have none."""
        searched = 0
        while (end := self._unread.find(b"\n", searched)) < 0 and not self._ended:
            searched = len(self._unread)
            if searched > MAX_LINE:
                break
            try:
                part = self._answers.part(self._heard + self._patience)
            except Empty:
                raise ProgramFailure(
                    f"the program gave no answer within {self._patience:g} s {what}"
                ) from None
            self._unread += part
            self._ended = not part
        end = len(self._unread) if end < 0 else end
        if end > MAX_LINE:
            limit = in_mebibytes(MAX_LINE)
            raise ProgramFailure(f"the program's answer {what} is longer than {limit}, the most that is read")
        if not self._unread:
            raise ProgramFailure(f"the program ended before it answered {what}")
        line = bytes(self._unread[:end])
        del self._unread[: end + 1]
        return line


_running: WeakSet[Program] = WeakSet()


@atexit.register
def end_programs(grace: float = _GRACE_S) -> None:
    """End every program of this process.

    Args:
        grace: seconds in which one may end by itself.
    """
    for program in tuple(_running):
        program.close(grace)


class _Answers:
    """What a program writes: some of it is read ahead, and no more than that.

    Args:
        pipe: closed by the thread that reads, since a pipe that is being read cannot be closed by another.
    """

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe = pipe
        self._parts: Queue[bytes] = Queue(_AHEAD)
        self._ignored = False
        self._left = False

    def read(self) -> None:
        """Read until the program has ended; for a thread of its own."""
        with suppress(OSError), self._pipe:
            while not self._left and (part := self._pipe.read(_READ)):
                self._put(part)
        self._put(b"")

    def part(self, until: float) -> bytes:
        """The next part; empty when the program has ended.

        Raises:
            Empty: there is none until then.
        """
        return self._parts.get(timeout=max(0.0, until - time.monotonic()))

    def ignore(self) -> None:
        """Read on without keeping anything, so that the program need not wait for a reader."""
        self._ignored = True
        with suppress(Empty):
            while True:
                self._parts.get_nowait()

    def leave(self) -> None:
        """Read no more, whoever still writes."""
        self._left = True

    def _put(self, part: bytes) -> None:
        if not self._ignored:
            self._parts.put(part)


def _started(command: Sequence[str]) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    if sys.platform == "win32":
        return subprocess.Popen(command, stdin=pipe, stdout=pipe, bufsize=0)
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, bufsize=0, process_group=0)


def _write(pipe: IO[bytes], requests: SimpleQueue[bytes | None]) -> None:
    """Write requests until there are no more; for a thread of its own."""
    # Where the program has gone, the reading side finds the end of the answers, and reports it.
    with suppress(OSError), pipe:
        while (lines := requests.get()) is not None:
            rest = memoryview(lines)
            while rest:
                rest = rest[pipe.write(rest) :]


def _end(process: subprocess.Popen[bytes], grace: float) -> None:
    """Wait until a program has ended by itself, or end it, and with it what it has started."""
    if process.returncode is not None:
        return
    if sys.platform == "win32":
        with suppress(subprocess.TimeoutExpired):
            process.wait(grace)
        process.kill()
    else:
        until = time.monotonic() + grace
        # Not waited for, so that its number, which is the group's too, stays its own.
        how = os.WEXITED | os.WNOHANG | os.WNOWAIT
        try:
            while os.waitid(os.P_PID, process.pid, how) is None and time.monotonic() < until:
                time.sleep(0.01)
        except ChildProcessError:  # another thread has ended it meanwhile
            return
        with suppress(ProcessLookupError, PermissionError):  # macOS has the latter for one that has ended
            os.killpg(process.pid, signal.SIGKILL)
    with suppress(subprocess.TimeoutExpired):  # the kernel may hold it, in a file system that hangs
        process.wait(_GRACE_S)
