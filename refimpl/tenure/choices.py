"""Words that options of commands offer, and answers have; a command line is read without what they choose."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

WITH_INPUT: Final = ("decide", "accessible", "priority", "validate", "minruntime")
"""The calls of the protocol that ask about something, as vectors do."""
DEFAULT_LIMIT: Final = 5
"""So many changes of fields that would change an answer are listed."""


class Outcome(StrEnum):
    """The result of one decision, in the words of the JSON-lines protocol."""

    FIT = "Fit"
    PREEMPT = "Preempt"
    NO_CANDIDATES = "NoCandidates"
    NO_FIT = "NoFit"


class Engine(StrEnum):
    """An engine, by its name in the protocol."""

    REFERENCE = "reference"
    FAST = "fast"
    AUTO = "auto"
    """The reference, and the core once so much is searched that loading it is worth it; see `Batch`."""


class PolicyAction(StrEnum):
    """What the API server does about an object that a policy refuses."""

    DENY = "Deny"
    WARN = "Warn"
    AUDIT = "Audit"
