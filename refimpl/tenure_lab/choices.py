"""Words that options of `tenure conform` and `tenure campaign` offer."""

from __future__ import annotations

from enum import StrEnum


class Mode(StrEnum):
    """How much of a decision has to be the reference's; each requires more than those before it."""

    OUTCOME = "outcome"
    """The decision: Fit, Preempt, NoCandidates or NoFit."""
    VICTIMS = "victims"
    """Who is preempted, from which ClusterQueue, and for which reason."""
    ORDERED = "ordered"
    """The order in which they are."""
    EXPLAINED = "explained"
    """The rules that allow each preemption."""
