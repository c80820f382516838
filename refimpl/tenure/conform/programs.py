"""The two sides: a program that speaks JSON lines, and the oracle in this process."""

from __future__ import annotations

import contextlib
import json
import shlex
import subprocess
import threading
import time
from collections.abc import Sequence
from types import TracebackType
from typing import IO, Any

from tenure.conformance import protocol
from tenure.processes import python_module

Object = dict[str, Any]

OWN_ORACLE = "oracle"
PATIENCE_S = 300.0
"""How long one answer may take if nobody says otherwise."""


class ProgramFailure(Exception):  # noqa: N818 - it failed as a program; an error answer is no exception
    """The program cannot be started, ended early, hangs, or answered something that is no answer."""


def command_of(text: str) -> list[str]:
    """A program's command line; `oracle` is Tenure's own, as a process.

    >>> command_of("'/some where/adapter' --fast")
    ['/some where/adapter', '--fast']
    """
    return python_module("tenure", "oracle") if text == OWN_ORACLE else shlex.split(text)


def our_answer(request: Object) -> Object:
    """What Tenure says, in this process; a fault of its own is an answer too.

    >>> our_answer({"id": 1, "call": "nonsense", "input": {}})["error"]["field"]
    'call'
    """
    try:
        return protocol.answer(request)
    except Exception as fault:  # noqa: BLE001 - a fault costs one scenario, and is reported as such
        message = f"{type(fault).__name__}: {fault}"
        return {"id": request["id"], "error": {"code": "internal", "message": message, "field": ""}}


class Program:
    """A program: started once, asked in batches, ended with its standard input.

    Args:
        command: program and arguments; it reads requests and writes answers, a line each, in order.
        patience: seconds to wait for one answer.

    Raises:
        ProgramFailure: it cannot be started.
    """

    def __init__(self, command: Sequence[str], patience: float = PATIENCE_S) -> None:
        self._patience = patience
        self._hung = False
        self._heard = 0.0
        try:
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        except OSError as error:
            raise ProgramFailure(f"{shlex.join(command)} cannot be started: {error}") from error
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._requests: IO[bytes] = self._process.stdin
        self._answers: IO[bytes] = self._process.stdout

    def __enter__(self) -> Program:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def ask(self, requests: Sequence[Object]) -> list[Object]:
        """Ask all of them and wait for all answers.

        Raises:
            ProgramFailure: it ended early, or answered something else.
        """
        lines = b"".join(json.dumps(request, separators=(",", ":")).encode() + b"\n" for request in requests)
        # Both pipes are short: without a thread each side would wait for the other to read.
        writer = threading.Thread(target=self._write, args=(lines,), daemon=True)
        writer.start()
        ended, self._heard = threading.Event(), time.monotonic()
        threading.Thread(target=self._watch, args=(ended,), daemon=True).start()
        try:
            answers = [self._answer(request) for request in requests]
        finally:
            ended.set()
        writer.join()
        return answers

    def named(self) -> tuple[str, str]:
        """What it calls itself, and its version; empty if it does not know the call `version`."""
        (said,) = self.ask([{"id": "version", "call": "version"}])
        output = said.get("output")
        name, version = next(iter(output.items()), ("", "")) if isinstance(output, dict) else ("", "")
        return str(name), str(version)

    def close(self) -> None:
        """End it."""
        with contextlib.suppress(BrokenPipeError):  # it may have gone already
            self._requests.close()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._answers.close()

    def _write(self, lines: bytes) -> None:
        with contextlib.suppress(OSError):  # the reading side finds the end of the answers, and says so
            self._requests.write(lines)
            self._requests.flush()

    def _watch(self, ended: threading.Event) -> None:
        """End the program when it has not answered for too long."""
        while not ended.wait(self._patience / 10):
            if time.monotonic() - self._heard > self._patience:
                self._hung = True
                self._process.kill()
                return

    def _answer(self, request: Object) -> Object:
        line = self._answers.readline()
        self._heard = time.monotonic()
        if not line:
            how = f"gave no answer within {self._patience:g} s" if self._hung else "ended before it answered"
            raise ProgramFailure(f"the program {how} to request {request['id']!r}")
        try:
            said = json.loads(line)
        except ValueError as error:
            raise ProgramFailure(f"the program's answer is not JSON: {line[:200]!r}") from error
        if (
            not isinstance(said, dict)
            or said.get("id") != request["id"]
            or not {"output", "error"} & said.keys()
        ):
            raise ProgramFailure(f"no answer to request {request['id']!r}: {line[:200]!r}")
        return said
