"""How a reason of preemption is marked: each has a colour and a shape of its own."""

from __future__ import annotations

from dataclasses import dataclass

from tenure.timeline.chart.theme import Role


@dataclass(frozen=True, slots=True)
class Style:
    """The mark of a reason.

    Args:
        role: its colour.
        shape: the name of a marker, as matplotlib has it.
    """

    role: Role
    shape: str


_STYLES = {
    "InClusterQueue": Style(Role.OWN_QUEUE, "v"),
    "InClusterQueueTimeBased": Style(Role.TIME_BASED, "D"),
    "InCohortReclamation": Style(Role.RECLAIM, "s"),
    "InCohortReclaimWhileBorrowing": Style(Role.BORROWING, "p"),
    "InCohortFairSharing": Style(Role.FAIR, "P"),
    "preempt": Style(Role.OWN_QUEUE, "v"),
    "reclaim": Style(Role.RECLAIM, "s"),
}
_OTHER = Style(Role.OTHER, "*")


def style_of(reason: str) -> Style:
    """The mark of a reason; one that is not known gets a star.

    >>> style_of("InClusterQueueTimeBased").shape, style_of("ByHand").shape
    ('D', '*')
    """
    return _STYLES.get(reason, _OTHER)
