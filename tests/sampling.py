"""How much is drawn where tests draw at random."""

from __future__ import annotations

import os

from tools.stages import LONGER


def sample(quick: int, full: int) -> int:
    """A sample in `make test`, the full number where a stage runs a file `longer`."""
    return full if os.environ.get(LONGER) else quick
