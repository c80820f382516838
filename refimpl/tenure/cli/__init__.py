"""The command lines: `tenure`, and kubectl's plugin.

What they need is imported when they run: an interrupt meanwhile ends them like any other.
"""

from __future__ import annotations

import gc
import os
import sys

from tenure.cli.exit_codes import ExitCode

__all__ = ["kubectl_main", "main"]


_OBJECTS = 100_000


def settle() -> None:
    """Look for cycles seldom: a command makes many objects, hardly any of them in cycles, and ends.

    Nor is anything installed beside Tenure to watch what is read: pydantic would look through the metadata
    of every distribution for plugins.
    """
    gc.set_threshold(_OBJECTS, 20, 20)
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")


def main() -> None:
    """Run `tenure`; every failure is a message and an exit code, never a traceback."""
    settle()
    try:
        from tenure.cli import app

        app.main()
    except KeyboardInterrupt:
        sys.exit(ExitCode.INTERRUPTED)


def kubectl_main() -> None:
    """Run `kubectl-tenure`, in the same way."""
    settle()
    try:
        from tenure.cli import kubectl

        kubectl.main()
    except KeyboardInterrupt:
        sys.exit(ExitCode.INTERRUPTED)
