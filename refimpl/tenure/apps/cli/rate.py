"""Progress of long work that is counted: how much is done, and how fast."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Final

from tenure.apps.cli.terminal import is_terminal

_EVERY_S: Final = 5.0
_EVERY_ON_A_TERMINAL_S: Final = 0.1


class RateLine:
    """Tells how far it is: on a terminal one line that changes, elsewhere a line every few seconds.

    Args:
        tell: the line, from how much is done, how much of it failed, and how much is done a second.
        before: what was done when the work began, and does not count for the rate.
    """

    def __init__(self, tell: Callable[[int, int, float], str], before: int = 0) -> None:
        self._tell, self._before = tell, before
        self._started = self._said = time.monotonic()
        self._watched = is_terminal(sys.stderr)
        self._open = False

    def __call__(self, done: int, failed: int) -> None:
        now = time.monotonic()
        if now - self._said < (_EVERY_ON_A_TERMINAL_S if self._watched else _EVERY_S):
            return
        self._said = now
        line = self._tell(done, failed, (done - self._before) / max(now - self._started, 0.001))
        self._open = self._watched
        end = "" if self._watched else "\n"
        print(f"\r{line}" if self._watched else line, end=end, file=sys.stderr, flush=True)

    def end(self) -> None:
        """Leave the line that changes."""
        if self._open:
            print(file=sys.stderr)
            self._open = False
