"""`tenure` on a terminal of its own."""

from __future__ import annotations

import os
import pty
import subprocess
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass

from tests.command_line import PATIENCE_S, TENURE, prepared

ESCAPE = "\x1b["
_QUIET = (
    *("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "PY_COLORS", "TTY_COMPATIBLE", "COLUMNS"),
    *("FORCE_HYPERLINK", "TERM_PROGRAM", "VTE_VERSION", "WT_SESSION", "KITTY_WINDOW_ID", "KONSOLE_VERSION"),
)


@dataclass(frozen=True)
class Shown:
    """What a command left on a terminal, and in the pipe beside it."""

    code: int
    terminal: str
    pipe: str


def on_terminal(
    *arguments: str, stream: str = "stdout", environment: Mapping[str, str] | None = None, first: str = ""
) -> Shown:
    """Run `tenure` with one stream on a terminal and the other in a pipe, after some code of the test."""
    kept = {name: value for name, value in os.environ.items() if name not in _QUIET}
    ours, its = pty.openpty()
    other = "stderr" if stream == "stdout" else "stdout"
    with subprocess.Popen(
        prepared(first, *arguments) if first else [str(TENURE), *arguments],
        stdin=subprocess.DEVNULL,
        env={**kept, "TERM": "xterm-256color", **(environment or {})},
        **{stream: its, other: subprocess.PIPE},  # type: ignore[call-overload] # the names of two streams
    ) as process:
        os.close(its)
        # Both at once: a full pipe would stop the command, and with it the terminal.
        with ThreadPoolExecutor() as pool:
            piped = pool.submit(getattr(process, other).read)
            terminal = _all_of(ours)
        pipe = piped.result().decode()
        process.wait(PATIENCE_S)
    os.close(ours)
    return Shown(process.returncode, terminal, pipe)


def _all_of(descriptor: int) -> str:
    parts: list[bytes] = []
    # A terminal whose other side is closed is an error on Linux and an end of file elsewhere.
    with suppress(OSError):
        while part := os.read(descriptor, 65536):
            parts.append(part)
    return b"".join(parts).decode().replace("\r\n", "\n")
