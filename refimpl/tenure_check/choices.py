"""Words and numbers that options of `tenure analyze` offer; its help is shown without what they choose."""

from __future__ import annotations

from enum import StrEnum


class Scope(StrEnum):
    """A set of states."""

    CONSISTENT = "consistent"
    """Those that admission alone can produce."""
    EDITED = "edited"
    """Also those after ClusterQueues and Cohorts were edited while workloads ran."""


STATES = 120
"""Random states without a new example after which the search in a ClusterQueue ends, unless it is given."""
