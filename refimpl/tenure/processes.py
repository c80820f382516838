"""Python processes of our own, which import nothing from the folder they are started in.

`python -c` and `python -m` look for modules in the current folder first, and that may be the checkout of a
stranger's pull request. `multiprocessing` starts its processes by `python -c`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.context import SpawnContext, SpawnProcess
from types import ModuleType
from typing import Any

_SAFE_PATH = "PYTHONSAFEPATH"


def python_module(module: str, *arguments: str) -> list[str]:
    """The command line of a module in this interpreter; isolated if this process is.

    Args:
        module: one that is installed.
        arguments: words for it.

    >>> python_module("tenure", "oracle")[2:]
    ['-m', 'tenure', 'oracle']
    """
    return [sys.executable, "-I" if sys.flags.isolated else "-P", "-m", module, *arguments]


def spawning() -> SpawnContext:
    """A context for pools of fresh processes, not copies of this one.

    >>> spawning().get_start_method()
    'spawn'
    """
    if sys.platform != "win32":
        from multiprocessing.resource_tracker import ensure_running

        # The first lock would start the tracker, by a `python -c` of its own.
        with _safe_path():
            ensure_running()
    return _Context()


class _Process(SpawnProcess):
    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._users_safe_path = os.environ.get(_SAFE_PATH)

    def start(self) -> None:
        with _safe_path(), _without_main():
            super().start()

    def run(self) -> None:
        # A process that this one starts, such as a scheduler's program, gets the user's environment.
        _set_safe_path(self._users_safe_path)
        super().run()


class _Context(SpawnContext):
    Process = _Process


@contextmanager
def _without_main() -> Iterator[None]:
    """Have a process not run the program again that starts it: what it does is in modules.

    A script or a notebook that calls Tenure need not guard its own statements by the name of its module.
    """
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


@contextmanager
def _safe_path() -> Iterator[None]:
    before = os.environ.get(_SAFE_PATH)
    _set_safe_path("1")
    try:
        yield
    finally:
        _set_safe_path(before)


def _set_safe_path(value: str | None) -> None:
    if value is None:
        os.environ.pop(_SAFE_PATH, None)
    else:
        os.environ[_SAFE_PATH] = value
