"""The two sides of a campaign: a program that speaks JSON lines, and our own oracle in this process."""

from __future__ import annotations

import contextlib
import json
import shlex
import subprocess
import sys
import threading
from collections.abc import Sequence
from types import TracebackType
from typing import IO, Any

Object = dict[str, Any]

OWN_ORACLE = "oracle"
_OWN_COMMAND = [sys.executable, "-c", "from tenure.cli import main; main()", "oracle"]


class PeerFailure(Exception):  # noqa: N818 - the peer failed, as a program; an error answer is no exception
    """The peer cannot be started, ended early, or answered something that is no answer."""


def command_of(text: str) -> list[str]:
    """A peer's command line; `oracle` is Tenure's own, as a process."""
    return list(_OWN_COMMAND) if text == OWN_ORACLE else shlex.split(text)


def our_answer(request: Object) -> Object:
    """What Tenure says, in this process; a fault of its own is an answer too."""
    # Imported here: a campaign's other parts work, and are tested, without the oracle.
    from tenure.conformance.protocol import answer

    try:
        return answer(request)
    except Exception as fault:  # noqa: BLE001 - a fault costs one scenario, and is reported as such
        message = f"{type(fault).__name__}: {fault}"
        return {"id": request["id"], "error": {"code": "internal", "message": message, "field": ""}}


class Program:
    """A peer: started once, asked in batches, ended with its standard input.

    Args:
        command: program and arguments; it reads requests and writes answers, a line each, in order.

    Raises:
        PeerFailure: it cannot be started.
    """

    def __init__(self, command: Sequence[str]) -> None:
        try:
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        except OSError as error:
            raise PeerFailure(f"{shlex.join(command)} cannot be started: {error}") from error
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
            PeerFailure: it ended early, or answered something else.
        """
        lines = b"".join(json.dumps(request, separators=(",", ":")).encode() + b"\n" for request in requests)
        # Both pipes are short: without a thread each side would wait for the other to read.
        writer = threading.Thread(target=self._write, args=(lines,), daemon=True)
        writer.start()
        answers = [self._answer(request) for request in requests]
        writer.join()
        return answers

    def version(self) -> str:
        """What it calls itself, empty if it does not know the call `version`."""
        (said,) = self.ask([{"id": "version", "call": "version"}])
        return str(next(iter(said.get("output", {}).values()), ""))

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

    def _answer(self, request: Object) -> Object:
        line = self._answers.readline()
        if not line:
            raise PeerFailure(f"the peer ended before it answered request {request['id']!r}")
        try:
            said = json.loads(line)
        except ValueError as error:
            raise PeerFailure(f"the peer's answer is not JSON: {line[:200]!r}") from error
        if (
            not isinstance(said, dict)
            or said.get("id") != request["id"]
            or not {"output", "error"} & said.keys()
        ):
            raise PeerFailure(f"no answer to request {request['id']!r}: {line[:200]!r}")
        return said
