"""A command line in this process, which saves its start."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.command_line import called


@dataclass(frozen=True)
class Said:
    """How a command ended, and what it printed."""

    code: int
    out: str
    err: str


def in_process(main: Callable[[], None], arguments: tuple[str, ...], folder: Path | None = None) -> Said:
    """Run a console script's function with these words."""
    done = called(main, arguments, cwd=folder)
    return Said(done.returncode, done.stdout.decode(), done.stderr.decode())


Run = Callable[..., Said]
"""Runs `tenure` in a folder: the folder, then the words."""
