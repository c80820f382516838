"""The command line in this process, which saves its start; `tests/cli/test_processes.py` compares."""

from __future__ import annotations

import gc
import io
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tenure import cli
from tenure.cli import terminal


def tenure(*arguments: str, stdin: bytes = b"", cwd: Path | None = None) -> CompletedProcess[bytes]:
    """Run `tenure` with these words; whatever happens, it shows no traceback."""
    done = called(cli.main, arguments, stdin=stdin, cwd=cwd)
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    return done


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
        for name in os.environ.keys() - environment.keys():
            patched.delenv(name)
        with pytest.raises(SystemExit) as ended:
            main()
    return CompletedProcess(arguments, int(ended.value.code or 0), _written(out), _written(err))


def _written(stream: io.TextIOWrapper) -> bytes:
    stream.seek(0)
    return stream.read().encode()
