"""Other programs, run within a bound of what they print and of time."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_CHUNK = 2**16
_MOST_STDERR = 2**16
"""Bytes of standard error that are kept."""
_SETTLED_S = 10.0
"""How long standard error is still read after a program's end."""
_QUIET_S = 1.0
"""After so long without more, what is on standard error is for the user."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program has ended.

    Args:
        printed: its standard output, or more than the bound; None where it has not ended in its time.
        code: its exit code.
        stderr: the beginning of what is on its standard error.
    """

    printed: bytes | None
    code: int
    stderr: bytes


def run_bounded(
    command: Sequence[str],
    most: int,
    seconds: float,
    *,
    stdin: int | None = None,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
    on_quiet: Callable[[bytes], None] = lambda _: None,
) -> Ended:
    """Run a program; it is killed where it takes longer, or prints more.

    Args:
        command: its path and words.
        most: bytes of standard output; one more is read, so that more are noticed.
        seconds: how long it may take.
        stdin: as `subprocess` has it.
        environment: its own; None for this process's.
        folder: where it runs; None for the current one.
        on_quiet: receives new standard error after a second of silence: a login's prompt, say.

    Raises:
        OSError: it cannot be run.

    >>> run_bounded([sys.executable, "-c", "print('abc', end='')"], 2, 60.0).printed
    b'abc'
    """
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        command,
        stdin=stdin,
        stdout=pipe,
        stderr=pipe,
        bufsize=0,
        env=environment and dict(environment),
        cwd=folder,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    stderr = _Gathered(process.stderr.fileno(), _MOST_STDERR, on_quiet)
    end, printed = time.monotonic() + seconds, None
    try:
        printed = _Gathered(process.stdout.fileno(), most).within(seconds)
        if printed is not None and len(printed) <= most:
            process.wait(max(0.0, end - time.monotonic()))
    except subprocess.TimeoutExpired:
        printed = None
    finally:
        # What it has started may keep its pipes open, and is not waited for.
        process.kill()
        code = process.wait()
        process.stdout.close()
        stderr.within(_SETTLED_S if printed is not None else 0)
        process.stderr.close()
    return Ended(printed, code, bytes(stderr.read[:_MOST_STDERR]))


class _Gathered:
    """What comes out of a pipe, read beside this thread.

    Args:
        descriptor: of the pipe. Not its buffer: one that a thread still reads would abort the interpreter.
        most: bytes that are kept, and one part more.
        on_quiet: as `run_bounded` has it; then what follows is read too. None ends reading there.
    """

    def __init__(self, descriptor: int, most: int, on_quiet: Callable[[bytes], None] | None = None) -> None:
        self._descriptor = descriptor
        self._most = most
        self._on_quiet = on_quiet
        self.read = bytearray()
        self._left = False
        self._thread = threading.Thread(target=self._gather, daemon=True)
        self._thread.start()

    def within(self, seconds: float) -> bytes | None:
        """All of it, or more than the bound; None where it has not ended in the time."""
        self._thread.join(seconds)
        # The descriptor may be closed then, and another file's.
        self._left = self._thread.is_alive()
        return None if self._left else bytes(self.read)

    def _gather(self) -> None:
        shown = 0
        with suppress(OSError, ValueError):  # it is closed
            while not self._left and (self._on_quiet or len(self.read) <= self._most):
                if self._on_quiet and shown < len(self.read) and not _is_ready(self._descriptor):
                    self._on_quiet(bytes(self.read[shown:]))
                    shown = len(self.read)
                part = os.read(self._descriptor, _CHUNK)
                if not part:
                    return
                if len(self.read) <= self._most:
                    self.read += part


def _is_ready(descriptor: int) -> bool:
    # Elsewhere only sockets can be waited for.
    return sys.platform == "win32" or bool(select.select([descriptor], [], [], _QUIET_S)[0])
