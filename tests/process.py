"""The installed command line as a process, and waiting for what processes do."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

TENURE = Path(sys.executable).with_name("tenure")
PATIENCE_S = 900.0
"""After so many seconds a process counts as hung, however busy the machine; nothing else is meant by it."""


def tenure(
    *arguments: str, stdin: bytes = b"", cwd: Path | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run `tenure`; whatever happens, it shows no traceback."""
    done = subprocess.run(
        [str(TENURE), *arguments], input=stdin, capture_output=True, cwd=cwd, check=False, timeout=PATIENCE_S
    )
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    return done


def prepared(first: str, *arguments: str) -> list[str]:
    """The command line as a process that runs some code first: what depends on time is made to happen."""
    return [sys.executable, "-c", f"{first}\nfrom tenure.cli import main\nmain()", *arguments]


def wait_until(holds: Callable[[], bool], what: str) -> None:
    """Wait for an event of which there is no notice."""
    until = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < until, f"it never came to this: {what}"
        time.sleep(0.02)


@contextmanager
def no_reader() -> Iterator[int]:
    """Where a process may write what nothing reads any more."""
    reading, writing = os.pipe()
    os.close(reading)
    yield writing
    os.close(writing)
