"""The command lines: `tenure`, and kubectl's plugin.

What they need is imported when they run: an interrupt meanwhile ends them like any other.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tenure.cli.exit_codes import ExitCode

__all__ = ["kubectl_main", "main"]


_OBJECTS = 400_000


@contextmanager
def settled() -> Iterator[None]:
    """Look for cycles seldom: a command makes many objects, hardly any of them in cycles, and ends.

    What is left then is left to the system. Python would look for cycles in it once more, a tenth of a second
    for a dump of 10,000 workloads.

    Nor is anything installed beside Tenure to watch what is read: pydantic would look through the metadata
    of every distribution for plugins.
    """
    gc.set_threshold(_OBJECTS, 20, 20)
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    try:
        yield
    except KeyboardInterrupt:
        sys.exit(ExitCode.INTERRUPTED)
    finally:
        gc.freeze()


def main() -> None:
    """Run `tenure`; every failure is a message and an exit code, never a traceback."""
    with settled():
        from tenure.cli import app

        app.main()


def kubectl_main() -> None:
    """Run `kubectl-tenure`, in the same way."""
    with settled():
        from tenure.cli import kubectl

        kubectl.main()
