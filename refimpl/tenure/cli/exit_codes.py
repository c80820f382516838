"""What a command ends with; docs/reference/exit-codes.md has a table of all."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """An exit code that is not 0."""

    FOUND = 1
    """What was looked for or checked is there: a difference, a loop, a property that fails."""
    BAD_INPUT = 2
    INTERNAL = 3
    """A fault of Tenure; of a campaign and a simulation, workers that are lost."""
    NO_CLUSTER = 4
    NOT_KNOWN = 5
    """The answer is not known, or not complete."""
    INTERRUPTED = 130
