"""What is costly to make is made once in a run, whichever of its workers needs it first."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest


def shared_base(factory: pytest.TempPathFactory) -> Path:
    """The folder that all workers of a run have, and no other run."""
    base = factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


def shared_folder(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """A folder of that name: the first worker fills it, and whoever comes meanwhile waits."""
    base = shared_base(factory).resolve()
    folder, made = base / name, base / f"{name}.made"
    with (base / f"{name}.lock").open("w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            make(folder)
            made.touch()
    return folder
