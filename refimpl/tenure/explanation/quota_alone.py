"""Answers by quota alone, where Kueue also needs a place in a topology."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal

from tenure.model import NotModelled

BY_QUOTA: Final = "by quota alone"
"""The words of a headline for such an answer."""

TOPOLOGY_NOTE: Final = (
    "topology is not modelled: Kueue also needs a place for the pods in a topology, and without one it keeps "
    "the workload waiting or preempts others for it"
)
"""What that leaves open."""


def quota_alone(found: Iterable[NotModelled]) -> str:
    """The words after the first one of a headline, with a space before them; empty where all is modelled.

    Args:
        found: what one or several decisions leave out.

    >>> "Fit" + quota_alone([NotModelled.TOPOLOGY]), "Fit" + quota_alone([])
    ('Fit by quota alone', 'Fit')
    """
    return f" {BY_QUOTA}" if any(found) else ""


def topology_of(found: Iterable[NotModelled]) -> Literal["not modelled"] | None:
    """Field `topology` of an answer in JSON; None where no topology takes part.

    >>> topology_of([NotModelled.TOPOLOGY])
    'not modelled'
    """
    return "not modelled" if NotModelled.TOPOLOGY in found else None


def note_lines(topology: str | None) -> tuple[str, ...]:
    """The line below the headline; none where no topology takes part.

    Args:
        topology: field `topology` of the answer.
    """
    return () if topology is None else (f"  {TOPOLOGY_NOTE}",)
