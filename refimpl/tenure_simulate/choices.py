"""Words that options of `tenure simulate` offer."""

from __future__ import annotations

from enum import StrEnum


class GroupedBy(StrEnum):
    """What jobs are grouped by."""

    QUEUE = "queue"
    SIZE = "size"
    PRIORITY = "priority"


class Preference(StrEnum):
    """What counts most."""

    WAIT = "wait"
    WASTE = "waste"


class Progress(StrEnum):
    """What becomes of a job's work when it is preempted."""

    KEPT = "kept"
    LOST = "lost"
