"""A command line in this process, which saves its start."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

import pytest


@dataclass(frozen=True)
class Said:
    """How a command ended, and what it printed."""

    code: int
    out: str
    err: str


def in_process(
    main: Callable[[], None],
    arguments: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Said:
    """Run a console script's function with these words."""
    monkeypatch.setattr(sys, "argv", ["command", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    printed = capsys.readouterr()
    return Said(int(ended.value.code or 0), printed.out, printed.err)


Run = Callable[..., Said]
"""Runs `tenure` in a folder: the folder, then the words."""
