"""Commands in tests: `tenure` in this process, which saves its start, or as a process; and other programs.

`tests/cli/test_processes.py` compares the two ways.
"""

from __future__ import annotations

import gc
import io
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tenure import cli
from tenure.cli import terminal

TENURE = Path(sys.executable).with_name("tenure")
PATIENCE_S = 900.0
"""After so many seconds a process counts as hung, however busy the machine; nothing else is meant by it."""
NO_BYTECODE = {"PYTHONDONTWRITEBYTECODE": "1"}
"""Where files may not grow: Python would keep half of a module's bytecode, and never import it again."""


def tenure(
    *arguments: str, stdin: bytes = b"", cwd: Path | None = None, environment: Mapping[str, str] = os.environ
) -> CompletedProcess[bytes]:
    """Run `tenure` with these words in this process; whatever happens, it shows no traceback."""
    return _quiet(called(cli.main, arguments, stdin=stdin, cwd=cwd, environment=environment))


def tenure_process(
    *arguments: str, stdin: bytes = b"", cwd: Path | None = None, environment: Mapping[str, str] = os.environ
) -> CompletedProcess[bytes]:
    """Run the installed `tenure` as a process, where signals, streams or imports are the point."""
    command = [str(TENURE), *arguments]
    done = subprocess.run(
        command, input=stdin, capture_output=True, cwd=cwd, env=environment, check=False, timeout=PATIENCE_S
    )
    return _quiet(done)


def run_program(
    *command: str | Path,
    cwd: Path | None = None,
    environment: Mapping[str, str] = os.environ,
    stdin: str = "",
    check: bool = False,
) -> CompletedProcess[str]:
    """Run another program, or one that prepares `tenure`, as a process."""
    return subprocess.run(
        command,
        input=stdin,
        capture_output=True,
        cwd=cwd,
        env=environment,
        check=check,
        text=True,
        timeout=PATIENCE_S,
    )


def called(
    main: Callable[[], None],
    arguments: tuple[str, ...],
    *,
    stdin: bytes = b"",
    cwd: Path | None = None,
    environment: Mapping[str, str] = os.environ,
) -> CompletedProcess[bytes]:
    """Run a console script's function with these words; afterwards this process is as it was."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    with pytest.MonkeyPatch.context() as patched, redirect_stdout(out), redirect_stderr(err):
        patched.chdir(cwd or Path.cwd())
        patched.setattr(sys, "argv", ["command", *arguments])
        patched.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), "utf-8"))
        patched.setattr(terminal._Choice, "colour", None)
        # What `tenure` freezes it will not have again; these tests go on, and what they froze stays frozen.
        patched.setattr(gc, "freeze", lambda: None)
        patched.setattr(gc, "set_threshold", lambda *_: None)
        # What `tenure` sets is unset with this.
        patched.setenv("PYDANTIC_DISABLE_PLUGINS", "__all__")
        for name in os.environ.keys() - environment.keys():
            patched.delenv(name)
        for name, value in environment.items():
            patched.setenv(name, value)
        with pytest.raises(SystemExit) as ended:
            main()
    return CompletedProcess(arguments, int(ended.value.code or 0), _written(out), _written(err))


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


def _quiet(done: CompletedProcess[bytes]) -> CompletedProcess[bytes]:
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    return done


def _written(stream: io.TextIOWrapper) -> bytes:
    stream.seek(0)
    return stream.read().encode()
