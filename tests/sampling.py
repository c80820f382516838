"""How much is drawn where tests draw at random."""

from __future__ import annotations

import os
from typing import TypeVar

from tools.stages import LONGER

_T = TypeVar("_T")


def sample(quick: _T, full: _T) -> _T:
    """A sample in `make test`, the full number where a stage runs a file `longer`."""
    return full if os.environ.get(LONGER) else quick
